"""A change of one field that changes the answer."""

from __future__ import annotations

from dataclasses import dataclass

from tenure.flips.clock import Clock
from tenure.flips.knob import Knob, Value
from tenure.flips.situation import Answer, Situation
from tenure.model import Outcome
from tenure.units import format_duration, format_instant

MOST_NAMES = 3
"""How many of those who would be preempted a sentence names."""


@dataclass(frozen=True, slots=True)
class Flip:
    """A change of one field of one object that changes the answer. It was verified by deciding again.

    Args:
        knob: the field.
        old, new: its value, and the one that changes the answer.
        before, after: the answer without and with the change.
        outcome: of the decision with the change.
        preempted: who is preempted with the change, `namespace/name`, in order.
        size: see `tenure.flips.nearest`; from 0 to 1.
        exact: whether every smaller change of this field was excluded. Otherwise it is the nearest found: one
            unit less does not change the answer, but a much smaller change might.
        preemptor, target: who was asked about.
    """

    knob: Knob
    old: Value
    new: Value
    before: Answer
    after: Answer
    outcome: Outcome
    preempted: tuple[str, ...]
    size: float
    exact: bool
    preemptor: str
    target: str | None

    @property
    def object(self) -> str:
        """The object, as `ClusterQueue/team-a`."""
        return self.knob.object

    @property
    def field(self) -> str:
        """The field's path in the manifest."""
        return self.knob.field

    @property
    def old_text(self) -> str:
        """The old value as the manifest writes it."""
        return self.knob.show(self.old)

    @property
    def new_text(self) -> str:
        """The new value as the manifest writes it."""
        return self.knob.show(self.new)

    @property
    def sentence(self) -> str:
        """What would have to differ, and what would follow, in one sentence."""
        return f"{self._condition()}, {self._consequence()}."

    def _condition(self) -> str:
        if isinstance(self.knob, Clock):
            assert self.old is not None
            assert self.new is not None
            wait = format_duration(self.new - self.old)
            return f"If nothing else happens until {format_instant(self.new)}, in {wait}"
        where = self.knob.field + (f" ({self.knob.about})" if self.knob.about else "")
        if self.old is None:
            return f"If {where} of {self.knob.object} were set, to {self.new_text}"
        return f"If {where} of {self.knob.object} were {self.new_text} instead of {self.old_text}"

    def _consequence(self) -> str:
        others = ", ".join(self.preempted[:MOST_NAMES])
        more = len(self.preempted) - MOST_NAMES
        if more > 0:
            others += f" and {more} more"
        match self.after:
            case Answer.TAKEN:
                return f"{self.target} would be preempted"
            case Answer.KEPT:
                return f"{self.target} would be kept: {self._instead(others)}"
            case Answer.PREEMPTS:
                return f"{self.preemptor} would preempt {others}"
            case Answer.FITS:
                return f"{self.preemptor} would fit without preempting anybody"
            case Answer.WAITS:
                return f"{self.preemptor} would have to wait ({self.outcome})"

    def _instead(self, others: str) -> str:
        match self.outcome:
            case Outcome.FIT:
                return f"{self.preemptor} would fit without it"
            case Outcome.PREEMPT:
                return f"{self.preemptor} would preempt {others}"
            case Outcome.NO_CANDIDATES | Outcome.NO_FIT:
                return f"{self.preemptor} would have to wait ({self.outcome})"


def apply(flip: Flip, situation: Situation) -> Situation:
    """The situation with a flip's change, and nothing else changed.

    Args:
        flip: found for this situation, or for another one that has the same object and field.
        situation: where to change the field.
    """
    return flip.knob.write(situation, flip.new)
