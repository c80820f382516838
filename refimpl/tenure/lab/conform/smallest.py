"""A failure made small, and how it is drawn again."""

from __future__ import annotations

from typing import Any

from tenure.lab.conform.compare import Compared, Comparison
from tenure.lab.conform.run import Plan
from tenure.lab.conform.shrinking import shrink
from tenure.lab.options import KUEUE_FEATURES, PROPOSALS, Options

Object = dict[str, Any]


def smallest(found: Compared, sides: Comparison) -> Compared:
    """The same failure in a smaller scenario.

    Raises:
        ProgramFailure: the program failed as a program.
    """
    wanted = _signature(found)
    best = found

    def keeps(scenario: Object) -> bool:
        nonlocal best
        try:
            tried = sides.one(scenario)
        except (KeyError, IndexError, StopIteration):
            return False  # too small to be a scenario
        if _signature(tried) != wanted:
            return False
        best = tried
        return True

    shrink(found.scenario, keeps)
    return best


def again(plan: Plan, index: int) -> str:
    """The options that draw one scenario again.

    >>> again(Plan(("adapter",), 1000, 7), 305)
    '--seed 7 --index 305'
    """
    options = [f"--seed {plan.seed} --index {index}"]
    options += [f"--with {each}" for each in sorted(plan.options.features & PROPOSALS)]
    without = ",".join(sorted(KUEUE_FEATURES - plan.options.features))
    options += [f"--without {without}"] if without else []
    for name in ("max_workloads", "max_queues", "max_depth"):
        most = getattr(plan.options, name)
        options += [f"--{name.replace('_', '-')} {most}"] if most != getattr(Options(), name) else []
    options += [f"--reading {plan.reading}"] if plan.reading else []
    return " ".join(options)


def _signature(compared: Compared) -> tuple[str, str, str]:
    """What must stay while it shrinks, so that one failure does not turn into another."""
    decisions = [answer.get("output", {}).get("decision", "") for answer in (compared.ours, compared.theirs)]
    return str(compared.verdict), decisions[0], decisions[1]
