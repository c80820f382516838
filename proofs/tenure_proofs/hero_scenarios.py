"""Two ClusterQueues of one cohort tree as manifests: a hero, and a queue of which it takes or does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tenure.model import MINUTE, Basis, Instant, Kin, WithinClusterQueue, Workload
from tenure.readings import Reading
from tenure.rules.hero_targets import basis_for_hero
from tenure.rules.terms import PreemptionTerms
from tenure.units import format_duration, format_instant
from tenure_proofs.scenarios import RESOURCE_FLAVOR, cluster_queue, object_of, workload_manifest

HERO, OTHER = "hero", "other"


@dataclass(frozen=True, slots=True)
class HeroCase:
    """A hero, and a workload of another ClusterQueue.

    Args:
        preemptor, target: the two workloads.
        terms, theirs: what holds for either.
        kin: how their queues are related to each other.
        mine, other: the parent cohorts.
        parents: the cohort above each, by name; none above a root.
    """

    preemptor: Workload
    target: Workload
    terms: PreemptionTerms
    theirs: PreemptionTerms
    kin: Kin
    mine: str
    other: str
    parents: Mapping[str, str]

    @property
    def is_taken(self) -> bool:
        """Whether the rules let the hero take the target."""
        return basis_for_hero(self.preemptor, self.target, self.terms, self.kin) != Basis.NONE

    def scenario(self, now: Instant, reading: Reading) -> dict[str, Any]:
        """An oracle request: the target holds all there is, and the preemptor asks for it."""
        theirs = replace(self.theirs, hero=self.kin.hero)
        return {
            "id": "counterexample",
            "call": "decide",
            "input": {
                "now": format_instant(now),
                "clusterQueues": [
                    cluster_queue(_presentable(self.terms), HERO, 0, self.mine),
                    cluster_queue(_presentable(theirs), OTHER, 1, self.other),
                ],
                "cohorts": [
                    object_of("Cohort", name, spec={"parentName": above})
                    for name, above in sorted(self.parents.items())
                ],
                "resourceFlavors": [RESOURCE_FLAVOR],
                "admitted": [workload_manifest(self.target, OTHER)],
                "incoming": workload_manifest(self.preemptor, None),
                "targetCQ": HERO,
                "assignment": None,
                "reading": reading.written(),
            },
        }

    def story(self, now: Instant, said: dict[str, Any]) -> tuple[str, ...]:
        """What happens; `said` is the oracle's answer."""
        preempted = said.get("output", {}).get("preempted", [])
        end = f"target is preempted: {preempted[0]['reason']}" if preempted else "target is kept"
        whose = "a hero" if self.kin.hero else "a queue"
        set_to = _presentable(self.theirs).min_admit_duration
        kept = "" if set_to is None else f", which has minAdmitDuration {format_duration(set_to)}"
        tree = "".join(f", {name} below {above}" for name, above in sorted(self.parents.items()))
        mine, theirs = f"in a hero of {self.mine}{tree}", f"in {whose} of {self.other}{kept}"
        reserved = self.target.quota_reserved_at
        events = [
            (
                self.preemptor.created_at,
                f"preemptor is created with priority {self.preemptor.priority}, {mine}",
            ),
            (
                self.target.created_at,
                f"target is created with priority {self.target.priority}, {theirs}",
            ),
            (now if reserved is None else reserved, "quota is reserved for target: it holds all there is"),
        ]
        lines = [f"{format_instant(at)}  {what}" for at, what in sorted(events, key=lambda event: event[0])]
        return (*lines, f"{format_instant(now)}  {end}")


def hero_case(values: Mapping[str, Any]) -> HeroCase | None:
    """The two queues of a counterexample; None where it is about something else."""
    if not {"preemptor", "target", "terms", "theirs", "kin", "now"} <= values.keys():
        return None
    preemptor, target = values["preemptor"], values["target"]
    terms: PreemptionTerms = values["terms"]
    if not terms.hero or target.cluster_queue == terms.cluster_queue:
        return None
    mine, other, parents = _tree(values)
    return HeroCase(preemptor, target, terms, values["theirs"], values["kin"], mine, other, parents)


def _tree(values: Mapping[str, Any]) -> tuple[str, str, dict[str, str]]:
    """The parent cohorts and those above: as the solver has them, or one cohort for both."""
    if "contains" not in values:
        return "cohort", "cohort", {}
    contains: Callable[[int, int], bool] = values["contains"]
    places = [values["preemptor_parent"], values["target_parent"], values["root"]]
    names = {place: f"cohort-{number}" for number, place in enumerate(dict.fromkeys(places))}
    parents: dict[str, str] = {}
    for place in names:
        above = [name for name in names if name != place and contains(name, place)]
        nearest = [item for item in above if all(contains(further, item) for further in above)]
        if nearest:
            parents[names[place]] = names[nearest[0]]
    return names[places[0]], names[places[1]], parents


def _presentable(terms: PreemptionTerms) -> PreemptionTerms:
    """The terms without a duration that a ClusterQueue may not have."""
    set_to = terms.min_admit_duration
    equals = terms.within_cluster_queue == WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY
    valid = set_to is not None and set_to >= MINUTE and equals
    return terms if valid else replace(terms, min_admit_duration=None)
