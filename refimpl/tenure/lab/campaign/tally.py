"""What came of scenarios, in numbers, and those that were decided otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

Object = dict[str, Any]

AGREE = "agree"
MOST_KEPT = 20
"""Differences that a block keeps whole; a core that is broken has too many to be worth the space."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A scenario that was decided otherwise.

    Args:
        index: which of the seed's.
        verdict: what came of it.
        scenario: the `input` of call `decide`.
    """

    index: int
    verdict: str
    scenario: Object


@dataclass(slots=True)
class Tally:
    """Counts over scenarios.

    Args:
        scenarios: how many.
        failed: how many of them are neither agreement, nor left out, nor signed.
        verdicts: by what came of it.
        decisions: by the decision; of a program, by its own.
        victims: Preempt decisions by number of victims.
        reasons: scenarios that have a victim for this reason.
        traits: what else there is about them.
        differences: the first that failed.
    """

    scenarios: int = 0
    failed: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    decisions: Counter[str] = field(default_factory=Counter)
    victims: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    traits: Counter[str] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)

    def merge(self, other: Tally) -> None:
        """Count what another one has counted.

        >>> whole = Tally(scenarios=1)
        >>> whole.merge(Tally(scenarios=2, verdicts=Counter(agree=2)))
        >>> whole.scenarios, whole.verdicts
        (3, Counter({'agree': 2}))
        """
        self.scenarios += other.scenarios
        self.failed += other.failed
        for name in COUNTED:
            getattr(self, name).update(getattr(other, name))
        self.differences = sorted([*self.differences, *other.differences], key=lambda each: each.index)

    def fail(self, difference: Difference) -> None:
        """Count a failure, and keep the first ones."""
        self.failed += 1
        if len(self.differences) < MOST_KEPT:
            self.differences.append(difference)

    def written(self) -> Object:
        """As JSON has it.

        >>> read_tally(Tally(scenarios=2).written()) == Tally(scenarios=2)
        True
        """
        return {
            "scenarios": self.scenarios,
            "failed": self.failed,
            **{name: dict(getattr(self, name)) for name in COUNTED},
            "differences": [asdict(each) for each in self.differences],
        }


COUNTED = ("verdicts", "decisions", "victims", "reasons", "traits")
"""The counters."""


def read_tally(written: Mapping[str, Any]) -> Tally:
    """A tally that was written.

    Raises:
        KeyError, TypeError: it was not.
    """
    return Tally(
        scenarios=written["scenarios"],
        failed=written["failed"],
        differences=[Difference(**each) for each in written["differences"]],
        **{name: Counter(written[name]) for name in COUNTED},
    )


def victims_text(number: int) -> str:
    """How many are preempted, as the histogram has it.

    >>> victims_text(2), victims_text(7)
    ('2', '3 or more')
    """
    return str(number) if number < 3 else "3 or more"
