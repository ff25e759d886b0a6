"""Policies, rollouts, evaluation and reference trainers.

Only the modules that hold or train a model import torch; `rollout`, `scripted`, `oracles` and
`evaluate` do not.
"""
