"""Wrappers and adapters: text to text, text to numbers, and one module for each RL codebase."""
