"""Conformance of somebody else's scheduler: vectors and random scenarios asked of it and of the reference.

A program that speaks the JSON lines of `tenure oracle` is asked; differences are made small, and those that a
signed divergence predicts are told apart. Random scenarios need Hypothesis, with the extra `strategies`.
"""

from tenure.lab.conform.compare import Compared, Comparison
from tenure.lab.conform.programs import Program, ProgramFailure, command_of
from tenure.lab.conform.verdicts import Kind, Mode, Verdict, classify

__all__ = [
    "Compared",
    "Comparison",
    "Kind",
    "Mode",
    "Program",
    "ProgramFailure",
    "Verdict",
    "classify",
    "command_of",
]
