"""What a request that no flavor serves asks beyond all that a flavor could ever have, flavor by flavor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tenure.model import Amount, FlavorResource
from tenure.oracle.decide import Decision
from tenure.oracle.reach import if_no_hero_ran, most_at
from tenure.rules.quota import can_ever_fit
from tenure.telling.findings.shortages import amount


@dataclass(frozen=True, slots=True)
class Beyond:
    """A flavor that could never have what a pod set would need of it.

    Args:
        pod_set: name of the pod set; empty where the request has only one.
        at: the flavor-resource.
        asked: how much is asked, that of earlier pod sets which got the flavor included.
        before: the part of earlier pod sets.
        most: the most that the flavor could ever have.
        without_heroes: the same while no hero runs.

    Amounts are in base units, milli-CPU for `cpu`.
    """

    pod_set: str
    at: FlavorResource
    asked: Amount
    before: Amount
    most: Amount
    without_heroes: Amount

    @property
    def text(self) -> str:
        """The same in words.

        >>> at = FlavorResource("a100", "nvidia.com/gpu")
        >>> Beyond("worker", at, asked=24, before=8, most=16, without_heroes=16).text
        'worker: 24 nvidia.com/gpu asked, 8 of them by pod sets before it, on a100 it could have 16 at most'
        >>> Beyond("", at, asked=4, before=0, most=0, without_heroes=4).text
        '4 nvidia.com/gpu asked, on a100 it could have 0 at most, and 4 while no hero runs'
        """
        who = f"{self.pod_set}: " if self.pod_set else ""
        before = f", {amount(self.at, self.before)} of them by pod sets before it" if self.before else ""
        asked = f"{who}{amount(self.at, self.asked)} {self.at.resource} asked{before}"
        most = f"{asked}, on {self.at.flavor} it could have {amount(self.at, self.most)} at most"
        if self.without_heroes == self.most:
            return most
        return f"{most}, and {amount(self.at, self.without_heroes)} while no hero runs"


def beyond_potential(decision: Decision) -> Iterator[Beyond]:
    """Where the flavors that were tried could never serve a request, in the order tried.

    Args:
        decision: one whose flavors were derived.

    Source: KQ-070, asked again.
    """
    snapshot = decision.snapshot
    unbilled = if_no_hero_ran(snapshot)
    several = len(decision.preemptor.pod_sets) > 1
    for group in decision.trial.groups:
        for choice in group.tried:
            for at, asked in choice.asked.items():
                most = most_at(snapshot, at)
                if not can_ever_fit(asked, most):
                    whose = group.pod_set.name if several else ""
                    before = asked - group.requests[at.resource]
                    yield Beyond(whose, at, asked, before, most, most_at(unbilled, at))
