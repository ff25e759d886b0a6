"""Simulated people who know what they want and answer an assistant's questions."""

from colbench_env.humans.facts import facts_for
from colbench_env.humans.human import Human, NullHuman, make_human
from colbench_env.humans.leak import measure
from colbench_env.humans.personas import PERSONAS, Persona
from colbench_env.humans.scripted import ScriptedHuman

__all__ = [
    "PERSONAS",
    "Human",
    "NullHuman",
    "Persona",
    "ScriptedHuman",
    "facts_for",
    "make_human",
    "measure",
]
