"""How much an answer may cost. Solvers count what they do, so that a busy machine changes no answer.

`budgets.toml` says what each obligation has cost; `python -m tenure_proofs.costs` writes it again.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

CLOCK_S = 600.0
"""Where the clock ends a question that its work has not ended: far behind, on a slow machine too."""

SPENT = "all of its work is used up"
CLOCK = "the clock has struck"
"""Why a solver knows no answer: the first is the same on every machine, the second is not."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How much one answer may cost.

    Args:
        z3: Z3's units of work (`rlimit`), for each of its two engines.
        cvc5: cvc5's units (`rlimit-per`), which are others.
        clock_s: seconds after which a solver is ended all the same.
    """

    z3: int
    cvc5: int
    clock_s: float = CLOCK_S


HEADROOM = 10
"""How many times what it has cost an answer may cost: formulas change with rules, solvers with releases."""

FLOOR = Budget(z3=2_000_000, cvc5=1_000_000)
"""What every answer may cost: seconds, also about a wrong rule, which costs more than the right one."""

UNRECORDED = Budget(z3=20_000_000, cvc5=5_000_000)
"""What an answer may cost about an obligation of which nothing is recorded yet: about a minute."""

LIFTERS = Budget(z3=60_000_000, cvc5=0)
"""Ten times what the dearest comparison of two lifters costs, which is that of DYN-050."""

EQUIVALENCE = Budget(z3=10_000_000, cvc5=0)
"""For a proof that a mutant is the rule; one that has none is tried against the obligations."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The most units of work that one answer about an obligation has cost."""

    z3: int
    cvc5: int


@cache
def recorded() -> Mapping[str, Cost]:
    """What each obligation has cost, over presets, further columns and seeds; rounded up."""
    text = files(__package__).joinpath("budgets.toml").read_text(encoding="utf-8")
    return {identifier: Cost(**entry) for identifier, entry in tomllib.loads(text).items()}


def budget_of(identifier: str) -> Budget:
    """The budget of every question about an obligation.

    >>> budget_of("PO-TBP-020") == FLOOR, budget_of("PO-XYZ-999") == UNRECORDED
    (True, True)
    """
    cost = recorded().get(identifier)
    if cost is None:
        return UNRECORDED
    return Budget(max(FLOOR.z3, HEADROOM * cost.z3), max(FLOOR.cvc5, HEADROOM * cost.cvc5))
