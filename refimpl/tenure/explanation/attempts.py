"""What was tried for a decision: flavors, numbers of pods, attempts to find targets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tenure.explanation.other_queues import comparison_text
from tenure.explanation.shapes import FlavorAmount
from tenure.explanation.share_parts import share_lines
from tenure.explanation.shortages import amount, amounts_text, quota_sum, still_short
from tenure.model import (
    Amount,
    Assignment,
    Basis,
    FlavorMode,
    FlavorQuotas,
    FlavorResource,
    PodSet,
    ResourceFlavor,
)
from tenure.oracle.assignment import BEST, Choice, GroupTrial, Way
from tenure.oracle.decide import Decision
from tenure.oracle.nodes import has_affinity, is_selected, untolerated
from tenure.oracle.partial import Trial, is_served
from tenure.oracle.question import Attempt, Turn
from tenure.oracle.reach import free_at, most_at
from tenure.oracle.topology import may_serve, requests
from tenure.oracle.tree import Tree, quota_at
from tenure.rules.flavors import may_preempt_while_borrowing
from tenure.rules.quota import can_ever_fit
from tenure.units import counted

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
            mode, level, reason = _untried(decision, group, quotas)
        else:
            mode, level = MODES[choice.worst.mode], choice.worst.level
            reason = "; ".join(_reasons(decision, choice))
            if chosen and group.ended:
                reason += "; chosen: the search ends here (KQ-570)"
            elif chosen:
                reason += "; chosen: the best that was found (KQ-550)"
        resources = tuple(group.requests)
        yield FlavorTrial(group.pod_set_name, resources, quotas.flavor, mode, level, chosen, reason)


def _untried(decision: Decision, group: GroupTrial, quotas: FlavorQuotas) -> tuple[str, int, str]:
    flavor = decision.snapshot.cluster.flavors.get(quotas.flavor, ResourceFlavor(quotas.flavor))
    for pod_set in group.pod_sets:
        reason = _wrong_topology(decision, group, pod_set, flavor) or _excluded(pod_set, flavor)
        if reason is not None:
            return "Excluded", 0, reason
    return "NotTried", 0, "the search had ended before it"


def _wrong_topology(
    decision: Decision, group: GroupTrial, pod_set: PodSet, flavor: ResourceFlavor
) -> str | None:
    """Why a flavor's topology, or its lack of one, excludes a pod set; None where it does not."""
    if may_serve(pod_set, flavor, group.group, decision.queue, decision.snapshot.cluster):
        return None
    if not requests(pod_set):
        return "it has a topology, which the pods do not request (KQ-630)"
    if not flavor.topology:
        return "it has no topology, and the pods request one (KQ-630)"
    return f"topology {flavor.topology} lacks a level that the pods request (KQ-630)"


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
    worse = {at: choice.ways[at.resource] for at in choice.requested if choice.ways[at.resource] != BEST}
    if not worse:
        return ["everything fits within quota"]
    return [_reason(decision, at, choice.requested[at], way) for at, way in worse.items()]


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
            return f"{asked}, and preemption cannot free enough"
        case FlavorMode.PREEMPT:
            return f"{asked}: a workload of the same ClusterQueue would be preempted"
        case FlavorMode.RECLAIM:
            return f"{asked}: workloads of other ClusterQueues would be preempted"


def _no_fit(decision: Decision, at: FlavorResource, request: Amount) -> str:
    snapshot = decision.snapshot
    potential = most_at(snapshot, at)
    if not can_ever_fit(request, potential):
        rule = "UCQ-250" if decision.terms.hero else "KQ-070"
        return (
            f"more than the {amount(at, potential)} that it could ever have{quota_sum(decision, at)} ({rule})"
        )
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


@dataclass(frozen=True, slots=True)
class PodCount:
    """A number of pods of a pod set."""

    pod_set: str
    """Its name."""
    count: int
    """How many."""


@dataclass(frozen=True, slots=True)
class CountTrial:
    """Numbers of pods that were tried: all of them first, then what partial admission tries."""

    pods: tuple[PodCount, ...]
    """How many of each pod set."""
    served: bool
    """Whether they fit, alone or with targets."""
    text: str
    """What came of it."""


def count_trials(decision: Decision) -> tuple[CountTrial, ...]:
    """The numbers of pods that were tried, in order: the first all of them, the others by partial admission.

    Args:
        decision: one whose flavors were derived; where the ClusterQueue is inactive nothing was tried.

    Source: KQ-600, KQ-610.
    """
    return tuple(_count_trial(decision, trial) for trial in decision.trials)


def _count_trial(decision: Decision, trial: Trial) -> CountTrial:
    asked = zip(decision.preemptor.pod_sets, trial.counts, strict=True)
    tried = tuple(PodCount(pods.name, count) for pods, count in asked)
    return CountTrial(tried, is_served(trial), _count_text(trial))


def _count_text(trial: Trial) -> str:
    selection = trial.selection
    if not trial.assignment.fits:
        return "no flavor serves it"
    if selection is None:
        return "fits"
    if selection.kept:
        return f"fits when {len(selection.kept)} leave{'s' if len(selection.kept) == 1 else ''}"
    return "preemption cannot free enough"


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A candidate that could not be preempted when its turn came."""

    workload: str
    """`namespace/name`."""
    cluster_queue: str
    """The ClusterQueue whose quota it holds."""
    why: str
    """In words, with the values compared."""


@dataclass(frozen=True, slots=True)
class AttemptTrial:
    """An attempt to find targets."""

    name: str
    """`with borrowing`, `without borrowing`, `in its own ClusterQueue`, or the strategy of fair sharing."""
    candidates: int
    """How many might be preempted at its start."""
    removed: tuple[str, ...]
    """Who was removed, `namespace/name`, in order."""
    passed_over: tuple[PassedOver, ...]
    """Who could not be preempted when its turn came."""
    fits: bool
    """Whether the request fits after the removals."""
    short: tuple[FlavorAmount, ...]
    """What is still short."""
    text: str
    """What it came to, in a sentence."""
    shares: tuple[str, ...]
    """What makes the shares that it compared, in sentences: the first of each node."""


def attempts(decision: Decision) -> tuple[AttemptTrial, ...]:
    """The attempts of the search for targets, in order; none where no preemption was needed."""
    return tuple(_attempts(decision))


def _attempts(decision: Decision) -> Iterator[AttemptTrial]:
    before, tree = 0, decision.snapshot.tree
    for attempt, shares in zip(decision.attempts, share_lines(decision), strict=True):
        removed = [candidate.workload.key for candidate in attempt.removed]
        short = {} if attempt.fits else still_short(decision, attempt)
        earlier = f", besides {before} removed before" if before else ""
        yield AttemptTrial(
            name=_name(decision, attempt),
            candidates=len(attempt.waiting),
            removed=tuple(removed),
            passed_over=tuple(
                PassedOver(
                    turn.candidate.workload.key,
                    turn.candidate.workload.cluster_queue or "",
                    _why_passed_over(tree, attempt, turn),
                )
                for turn in attempt.turns
                if not turn.removed
            ),
            fits=attempt.fits,
            short=tuple(
                FlavorAmount(at.flavor, at.resource, amount(at, number)) for at, number in short.items()
            ),
            text=_attempt_text(len(attempt.waiting), removed, attempt.fits, short) + earlier,
            shares=shares,
        )
        # Only fair sharing goes on from what was removed before.
        before += len(removed) if attempt.strategy is not None else 0


def spared(decision: Decision) -> tuple[str, ...]:
    """Who was removed and given its quota back by fill-back, `namespace/name`."""
    selection = decision.selection
    return () if selection is None else tuple(candidate.workload.key for candidate in selection.spared)


def _name(decision: Decision, attempt: Attempt) -> str:
    if decision.terms.hero:
        return "as a hero"
    if attempt.strategy is not None:
        return attempt.strategy.label
    if decision.queue.cohort is None:
        return "in its own ClusterQueue"
    return "with borrowing" if attempt.may_borrow else "without borrowing"


def _why_passed_over(tree: Tree, attempt: Attempt, turn: Turn) -> str:
    basis = turn.candidate.evidence.basis
    if turn.shares is not None:
        rule = "KQ-420" if basis == Basis.FINAL_SHARE else "KQ-430"
        return f"{comparison_text(tree, turn)} ({rule})"
    if attempt.may_borrow and basis == Basis.WITHOUT_BORROWING:
        return "it may be preempted only while the preemptor's queue does not borrow (KQ-380)"
    assert turn.within is not None
    node = tree.nodes[turn.within]
    kind = "ClusterQueue" if node.queue else "Cohort"
    return f"when its turn came {kind} {node.name} was within its quota (KQ-380)"


def _attempt_text(
    candidates: int, removed: list[str], fits: bool, short: dict[FlavorResource, Amount]
) -> str:
    of = f"{len(removed)} of {counted(candidates, 'candidate')}"
    if fits:
        return f"the request fits after the removal of {of}"
    # A number of pods may be short, which the search for targets does not count.
    lacks = f"{amounts_text(short)} short" if short else "nothing that the search counts is short"
    if not candidates:
        return f"no workload may be preempted; {lacks}"
    if not removed:
        return f"none of {candidates} could be preempted when its turn came; {lacks}"
    return f"{of} removed, and still {lacks}"
