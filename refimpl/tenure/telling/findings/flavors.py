"""Which flavors were tried for a pending workload, in which order, and what each came to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tenure.model import (
    Amount,
    Assignment,
    FlavorMode,
    FlavorQuotas,
    FlavorResource,
    PodSet,
    ResourceFlavor,
)
from tenure.oracle.assignment import BEST, Choice, GroupTrial, Way
from tenure.oracle.decide import Decision
from tenure.oracle.nodes import has_affinity, is_selected, untolerated
from tenure.oracle.reach import free_at, most_at
from tenure.oracle.tree import quota_at
from tenure.rules.flavors import may_preempt_while_borrowing
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


def flavor_trials(decision: Decision) -> tuple[FlavorTrial, ...]:
    """The flavors that were tried, in order; none where the assignment was given or the queue is inactive.

    With partial admission they are those of the counts that were decided on.
    """
    return tuple(trial for group in decision.trial.groups for trial in _trials(decision, group))


def _trials(decision: Decision, group: GroupTrial) -> Iterator[FlavorTrial]:
    tried = {choice.flavor: choice for choice in group.tried}
    for quotas in group.group.flavors:
        choice = tried.get(quotas.flavor)
        chosen = choice is not None and choice is group.choice
        if choice is None:
            mode, level, reason = _untried(decision, group.pod_set, quotas)
        else:
            mode, level = MODES[choice.worst.mode], choice.worst.level
            reason = "; ".join(_reasons(decision, choice))
            if chosen and group.ended:
                reason += "; chosen: the search ends here (KQ-570)"
            elif chosen:
                reason += "; chosen: the best that was found (KQ-550)"
        resources = tuple(group.requests)
        yield FlavorTrial(group.pod_set.name, resources, quotas.flavor, mode, level, chosen, reason)


def _untried(decision: Decision, pod_set: PodSet, quotas: FlavorQuotas) -> tuple[str, int, str]:
    flavor = decision.snapshot.cluster.flavors.get(quotas.flavor)
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


def _reasons(decision: Decision, choice: Choice) -> Iterable[str]:
    """What decided the mode of each resource that is not simply served; one sentence where all are."""
    worse = {at: choice.ways[at.resource] for at in choice.asked if choice.ways[at.resource] != BEST}
    if not worse:
        return ["everything fits within quota"]
    return [_reason(decision, at, choice.asked[at], way) for at, way in worse.items()]


def _reason(decision: Decision, at: FlavorResource, request: Amount, way: Way) -> str:
    snapshot = decision.snapshot
    free = max(0, free_at(snapshot, snapshot.usage, at))
    asked = f"{at.resource}: {amount(at, request)} asked, {amount(at, free)} available"
    match way.mode:
        case FlavorMode.FIT:
            return f"{asked}: it fits and borrows"
        case FlavorMode.NO_FIT:
            return f"{asked}: {_no_fit(decision, at, request)}"
        case FlavorMode.NO_CANDIDATES:
            return f"{asked}, and those who may be taken are not enough"
        case FlavorMode.PREEMPT:
            return f"{asked}: a workload of its own queue would leave"
        case FlavorMode.RECLAIM:
            return f"{asked}: workloads of other queues would leave"


def _no_fit(decision: Decision, at: FlavorResource, request: Amount) -> str:
    snapshot = decision.snapshot
    potential = most_at(snapshot, at)
    if not can_ever_fit(request, potential):
        rule = "UCQ-250" if decision.terms.hero else "KQ-070"
        return f"more than the {amount(at, potential)} that it could ever have ({rule})"
    nominal = quota_at(snapshot.tree, snapshot.place, at).nominal
    assert not may_preempt_while_borrowing(decision.terms)
    beyond = f"it would borrow, beyond its nominal quota of {amount(at, nominal)}"
    return f"{beyond}, and may not preempt for that (KQ-530)"


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
