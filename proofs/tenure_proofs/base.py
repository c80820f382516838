"""How much has to be believed: what the runner imports, without obligations, and without what only replays.

The rules are what is proved, so they are no part of it. What makes a story of a refutation, and plays it by
the oracle, is none either: all it can do is to make an error of a refutation. What looks for proofs that say
little can only refuse them. No claim is proved by either.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tenure_proofs.fingerprints import modules_behind

BEGIN = (
    "tenure_proofs.runner",
    "tenure_proofs.bridge",
    "tenure_proofs.cvc5_worker",
    "tenure_proofs.trusted.ancestors",
    "tenure_proofs.trusted.logic",
    "tenure_proofs.trusted.schemas",
    "tenure_proofs.trusted.transitions",
)
"""What asks, what compares the lifters, what talks to the second solver, what statements are made of."""

REPLAYS = (
    "tenure.conformance.protocol",
    "tenure.rules.eligibility",
    "tenure.rules.hero_rank",
    "tenure.rules.hero_targets",
    "tenure.rules.registry",
    "tenure.oracle.door",
    "tenure_proofs.counterexamples",
    "tenure_proofs.vacuity",
)
"""What is proved, only replays, or only refuses: it is not looked into."""


@dataclass(frozen=True, slots=True)
class TrustedBase:
    """Code of ours that every verdict rests on.

    Args:
        modules: their names.
        lines: how many lines they have, comments, docstrings and empty lines included.
    """

    modules: tuple[str, ...]
    lines: int


@cache
def trusted_base() -> TrustedBase:
    """The modules that verdicts rest on, counted.

    >>> "tenure_proofs.trusted.tracer" in trusted_base().modules
    True
    >>> [name for name in trusted_base().modules if "obligations" in name]
    []
    """
    modules = modules_behind(*BEGIN, without=REPLAYS)
    return TrustedBase(modules, sum(map(_lines, modules)))


def _lines(module: str) -> int:
    found = importlib.util.find_spec(module)
    assert found is not None
    assert found.origin is not None
    return len(Path(found.origin).read_text(encoding="utf-8").splitlines())
