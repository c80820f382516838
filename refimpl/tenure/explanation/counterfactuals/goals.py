"""What the user wishes: changes that do not bring it nearer are not listed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from tenure.choices import Outcome
from tenure.explanation.counterfactuals.situation import WORTH, FlipAnswer, answer_of
from tenure.oracle.decide import Decision


class Wish(ABC):
    """What is wished of a decision. A subclass is a frozen dataclass."""

    without_harm: ClassVar[bool] = True
    """Whether quota that is taken away, and a request for more, are no way to it."""

    @property
    def victim(self) -> str | None:
        """The running workload whose interest it is, `namespace/name`; None for the pending one's."""
        return None

    @abstractmethod
    def is_open(self, before: Decision) -> bool:
        """Whether any other decision could grant it.

        Args:
            before: the decision as it is.
        """

    @abstractmethod
    def is_granted(self, before: Decision, after: Decision) -> bool:
        """Whether a decision is what is wished, and not worse in another way.

        Args:
            before: the decision as it is.
            after: the one with a change.
        """


@dataclass(frozen=True, slots=True)
class FaresBetter(Wish):
    """The pending workload fares better: one that fits than one that preempts, that than one that waits."""

    def is_open(self, before: Decision) -> bool:
        return before.outcome != Outcome.FIT

    def is_granted(self, before: Decision, after: Decision) -> bool:
        return _gain(before, after) > 0


@dataclass(frozen=True, slots=True)
class IsKept(Wish):
    """A running workload is kept.

    Args:
        workload: `namespace/name`.
    """

    workload: str

    @property
    def victim(self) -> str | None:
        return self.workload

    def is_open(self, before: Decision) -> bool:
        return answer_of(before, self.workload) == FlipAnswer.PREEMPTED

    def is_granted(self, before: Decision, after: Decision) -> bool:  # noqa: ARG002 - of every wish
        return answer_of(after, self.workload) == FlipAnswer.KEPT


@dataclass(frozen=True, slots=True)
class IsPreempted(Wish):
    """A running workload is preempted for the pending one, which fares no worse.

    Args:
        workload: `namespace/name`.
    """

    workload: str

    def is_open(self, before: Decision) -> bool:
        return answer_of(before, self.workload) == FlipAnswer.KEPT and before.outcome != Outcome.FIT

    def is_granted(self, before: Decision, after: Decision) -> bool:
        preempted = answer_of(after, self.workload) == FlipAnswer.PREEMPTED
        return preempted and _gain(before, after) >= 0


def _gain(before: Decision, after: Decision) -> int:
    return WORTH[answer_of(after)] - WORTH[answer_of(before)]
