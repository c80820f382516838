"""A field that stands in the way of a workload."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tenure.explanation.counterfactuals.situation import short_name

_ALWAYS_NAMED: Final = ("Cohort", "PreemptionConfig", "PreemptionLimit")


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A field without which a workload might be admitted.

    Args:
        object: as `ClusterQueue/team-a`.
        field: path of the field in its manifest.
        value: as the manifest has it; `not set` where it has none.
        about: what of several the field is about, such as a resource; else empty.
        text: what it does; empty where that needs no words.
        own: whether the field is of the pending workload, of its ClusterQueue or the PreemptionConfig that
            it names, of a PreemptionLimit, or of the cohort whose share is compared for it.
    """

    object: str
    field: str
    value: str
    about: str
    text: str
    own: bool

    def sentence(self, place: str = "") -> str:
        """The field, its value, where it is written, and what it does.

        Args:
            place: a file and line; empty where that is not known.

        >>> policy = "spec.preemption.borrowWithinCohort.policy"
        >>> found = Obstacle("ClusterQueue/dev", policy, "Never", "", "it would borrow", own=True)
        >>> found.sentence("q.yaml:31")
        'borrowWithinCohort.policy is Never (q.yaml:31): it would borrow'
        """
        kind, _, name = self.object.partition("/")
        whose = "" if self.own and kind not in _ALWAYS_NAMED else f" of {kind} {name}"
        about = f" of {self.about}" if self.about else ""
        where = f" ({place})" if place else ""
        effect = f": {self.text}" if self.text else ""
        return f"{short_name(self.field)}{about}{whose} is {self.value}{where}{effect}"
