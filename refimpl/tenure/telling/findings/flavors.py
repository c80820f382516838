"""Which flavors were tried for a pending workload, in which order, and what each came to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tenure.model import (
    Amount,
    Amounts,
    Assignment,
    FlavorMode,
    FlavorQuotas,
    FlavorResource,
    PodSet,
    ResourceFlavor,
    ResourceGroup,
)
from tenure.oracle.assignment import Assigner, Choice, Way
from tenure.oracle.decide import Decision
from tenure.oracle.nodes import has_affinity, is_selected, untolerated
from tenure.oracle.reach import free_at, most_at
from tenure.oracle.tree import quota_at
from tenure.rules.flavors import may_preempt_while_borrowing, tries_next_flavor
from tenure.rules.quota import can_ever_fit
from tenure.telling.findings.shortages import amount

MODES = {
    FlavorMode.NO_FIT: "NoFit",
    FlavorMode.NO_CANDIDATES: "NoCandidates",
    FlavorMode.PREEMPT: "Preempt",
    FlavorMode.RECLAIM: "Reclaim",
    FlavorMode.FIT: "Fit",
}
"""Flavor modes as the glossary writes them."""


@dataclass(frozen=True, slots=True)
class FlavorTrial:
    """One flavor of one resource group, for one pod set."""

    pod_set: str
    """Name of the pod set."""
    resources: tuple[str, ...]
    """The resources that would get this flavor together."""
    flavor: str
    """Its name."""
    mode: str
    """The worst mode of these resources; `Excluded` where the pods may not use it, `NotTried` where the
    search had ended."""
    borrowing_level: int
    """How far up the tree quota would be borrowed from; 0 for not at all."""
    chosen: bool
    """Whether the pod set gets it."""
    reason: str
    """In words."""


@dataclass(slots=True)
class _Tried:
    """What happened in one resource group of one pod set."""

    pod_set: PodSet
    group: ResourceGroup
    requests: Mapping[str, Amount]
    ways: dict[str, dict[str, Way]] = field(default_factory=dict)
    assumed: Mapping[FlavorResource, Amount] = field(default_factory=dict)
    choice: Choice | None = None


@dataclass(frozen=True)
class _Watched(Assigner):
    """An assigner that notes what it tries."""

    noted: list[_Tried] = field(default_factory=list)

    def _best_choice(
        self, pod_set: PodSet, group: ResourceGroup, requests: Mapping[str, Amount], assumed: Amounts
    ) -> Choice | None:
        noted = _Tried(pod_set, group, requests, assumed=dict(assumed))
        self.noted.append(noted)
        noted.choice = super()._best_choice(pod_set, group, requests, assumed)
        return noted.choice

    def _ways(
        self, flavor: str, requests: Mapping[str, Amount], assumed: Amounts
    ) -> Iterator[tuple[str, Way]]:
        found = dict(super()._ways(flavor, requests, assumed))
        self.noted[-1].ways[flavor] = found
        yield from found.items()


def flavor_trials(decision: Decision) -> tuple[FlavorTrial, ...]:
    """The flavors that were tried, in order; none where the assignment was given or the queue is inactive.

    With partial admission they are those of the counts that were decided on.
    """
    if decision.queue.inactive:
        return ()
    assigner = watched(decision)
    counts = [pods.count for pods in decision.assignment.pod_sets]
    made = assigner.assign(counts or None)
    if (
        made.usage != decision.assignment.usage
        or made.needs_preemption != decision.assignment.needs_preemption
    ):
        return ()
    return tuple(trial for noted in assigner.noted for trial in _trials(assigner, noted))


def watched(decision: Decision) -> _Watched:
    """The assigner of a decision, once more."""
    return _Watched(decision.snapshot, decision.preemptor, decision.terms, decision.now)


def _trials(assigner: _Watched, noted: _Tried) -> Iterator[FlavorTrial]:
    for quotas in noted.group.flavors:
        chosen = noted.choice is not None and noted.choice.flavor == quotas.flavor
        ways = noted.ways.get(quotas.flavor)
        if ways is None:
            mode, level, reason = _untried(assigner, noted.pod_set, quotas)
        else:
            way = assigner._worst(ways.values())
            mode, level = MODES[way.mode], way.level
            reason = "; ".join(_reasons(assigner, noted, quotas.flavor, ways))
            if chosen:
                reason += _chosen_text(assigner, way)
        resources = tuple(noted.requests)
        yield FlavorTrial(noted.pod_set.name, resources, quotas.flavor, mode, level, chosen, reason)


def _untried(assigner: _Watched, pod_set: PodSet, quotas: FlavorQuotas) -> tuple[str, int, str]:
    flavor = assigner.snapshot.cluster.flavors.get(quotas.flavor)
    reason = None if flavor is None else _excluded(pod_set, flavor)
    if reason is not None:
        return "Excluded", 0, reason
    return "NotTried", 0, "the search had ended before it"


def _excluded(pod_set: PodSet, flavor: ResourceFlavor) -> str | None:
    """Why a pod set may not use a flavor; None where it may."""
    taint = untolerated(pod_set, flavor)
    if taint is not None:
        value = f"={taint.value}" if taint.value else ""
        return f"taint {taint.key}{value}:{taint.effect} is not tolerated (KQ-580)"
    if not is_selected(pod_set, flavor):
        wanted = {
            label: value
            for label, value in pod_set.node_selector.items()
            if label in flavor.labels and flavor.labels[label] != value
        }
        label, value = next(iter(sorted(wanted.items())))
        return f"nodeSelector asks for {label}={value}, the flavor has {flavor.labels[label]}"
    if not has_affinity(pod_set, flavor):
        return "the required node affinity excludes its labels (KQ-590)"
    return None


def _reasons(assigner: _Watched, noted: _Tried, flavor: str, ways: Mapping[str, Way]) -> Iterable[str]:
    """What decided the mode of each resource that is not simply served; one sentence where all are."""
    worse = {resource: way for resource, way in ways.items() if way != Way(FlavorMode.FIT, 0)}
    if not worse:
        return ["everything fits within quota"]
    return [
        _reason(
            assigner,
            FlavorResource(flavor, resource),
            noted.requests[resource] + noted.assumed.get(FlavorResource(flavor, resource), 0),
            way,
        )
        for resource, way in worse.items()
    ]


def _reason(assigner: _Watched, at: FlavorResource, request: Amount, way: Way) -> str:
    snapshot = assigner.snapshot
    free = max(0, free_at(snapshot, snapshot.usage, at))
    asked = f"{at.resource}: {amount(at, request)} asked, {amount(at, free)} available"
    match way.mode:
        case FlavorMode.FIT:
            return f"{asked}: it fits and borrows"
        case FlavorMode.NO_FIT:
            return f"{asked}: {_no_fit(assigner, at, request)}"
        case FlavorMode.NO_CANDIDATES:
            return f"{asked}, and those who may be taken are not enough"
        case FlavorMode.PREEMPT:
            return f"{asked}: a workload of its own queue would leave"
        case FlavorMode.RECLAIM:
            return f"{asked}: workloads of other queues would leave"


def _no_fit(assigner: _Watched, at: FlavorResource, request: Amount) -> str:
    snapshot = assigner.snapshot
    potential = most_at(snapshot, at)
    if not can_ever_fit(request, potential):
        rule = "UCQ-250" if assigner.terms.hero else "KQ-070"
        return f"more than the {amount(at, potential)} that it could ever have ({rule})"
    nominal = quota_at(snapshot.tree, snapshot.place, at).nominal
    assert not may_preempt_while_borrowing(assigner.terms)
    beyond = f"it would borrow, beyond its nominal quota of {amount(at, nominal)}"
    return f"{beyond}, and may not preempt for that (KQ-530)"


def _chosen_text(assigner: _Watched, way: Way) -> str:
    fungibility = assigner.snapshot.queue.fungibility
    by_preference = assigner.snapshot.cluster.settings.flavor_fungibility
    if by_preference and not tries_next_flavor(way.mode, way.level, fungibility):
        return "; chosen: the search ends here (KQ-570)"
    return "; chosen: the best that was found (KQ-550)"


def described(assignment: Assignment) -> Sequence[str]:
    """Which flavor each pod set got, in words.

    >>> from tenure.model import PodSetFlavors
    >>> described(Assignment({}, frozenset(), pod_sets=(PodSetFlavors("main", 2, {"cpu": "spot"}),)))
    ['2 pods of main: cpu on spot']
    """
    return [
        f"{pods.count} pods of {pods.name}: "
        + (
            ", ".join(f"{name} on {flavor}" for name, flavor in sorted(pods.flavors.items()))
            or "nothing asked"
        )
        for pods in assignment.pod_sets
    ]
