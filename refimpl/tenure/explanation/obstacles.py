"""The fields that keep a pending workload from being admitted, those of its ClusterQueue first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from tenure.choices import Outcome
from tenure.explanation.config_obstacles import config_obstacles
from tenure.explanation.heroes import kin_of
from tenure.explanation.limits import limit_obstacles
from tenure.explanation.obstacle import Obstacle
from tenure.explanation.other_queues import comparison_text
from tenure.explanation.shortages import Shortage, amount, amounts_text, borrowed_while_short, shortages
from tenure.model import (
    Amount,
    ApiEnum,
    Basis,
    BorrowWithinCohort,
    ClusterQueue,
    Duration,
    FlavorMode,
    FlavorResource,
    Fungibility,
    QueueingStrategy,
    ReclaimWithinCohort,
    ResourceFlavor,
    WithinClusterQueue,
    Workload,
)
from tenure.oracle.assignment import Choice, GroupTrial
from tenure.oracle.decide import Decision, decide, question_about
from tenure.oracle.nodes import is_selected, untolerated
from tenure.oracle.protection import protection_in, rebalances
from tenure.oracle.reach import most_at, running_heroes
from tenure.oracle.topology import is_placed_once, may_serve
from tenure.oracle.topology import requests as requests_topology
from tenure.oracle.tree import Node, quota_at
from tenure.rules.flavors import may_preempt_while_borrowing
from tenure.rules.hero_targets import is_immune
from tenure.rules.priority import has_lower_priority
from tenure.rules.protection import admission_time, is_protected_from_others
from tenure.rules.quota import can_ever_fit, is_within_quota
from tenure.rules.reclaim import may_reclaim
from tenure.rules.time_based import duration_in_force, is_newer_equal, is_time_expired
from tenure.units import counted, format_duration, format_instant, format_names, joined

NO_FIELD = "nothing in the configuration would help"
"""The words of an answer where no field stands in the way."""

_NOT_ENOUGH = "; LowerPriority alone would not free enough"
_PREEMPTION = "spec.preemption."
_FUNGIBILITY = {"whenCanPreempt": "when_can_preempt", "whenCanBorrow": "when_can_borrow"}
_QUOTAS = {"nominalQuota": "nominal", "borrowingLimit": "borrowing_limits", "lendingLimit": "lending_limits"}


def obstacles(decision: Decision) -> tuple[Obstacle, ...]:
    """The fields that stand in the way of a workload that is not admitted; none of one that is.

    Args:
        decision: about it.

    >>> from tenure.model import Cluster, ClusterQueue, FlavorQuotas, PodSet, ResourceGroup
    >>> from tenure.oracle.decide import decide
    >>> from tenure.readings import preset
    >>> quotas = ResourceGroup(("gpu",), (FlavorQuotas("a100", {"gpu": 4}),))
    >>> pods = (PodSet("main", 1, {"gpu": 6}),)
    >>> new = Workload("ml", "new", "u", priority=0, created_at=0, pod_sets=pods)
    >>> waits = decide(Cluster({"q": ClusterQueue("q", (quotas,))}), new, "q", 0, preset("guaranteed"))
    >>> print(obstacles(waits)[0].sentence())
    nominalQuota of gpu on a100 is 4: 6 requested
    """
    match decision.outcome:
        case Outcome.NO_FIT:
            found = _of_no_fit(decision)
        case Outcome.NO_CANDIDATES:
            found = _of_no_candidates(decision)
        case Outcome.FIT | Outcome.PREEMPT:
            return ()
    return tuple(dict.fromkeys(sorted(found, key=lambda obstacle: not obstacle.own)))


def obstacles_of_victim(decision: Decision, workload: Workload) -> tuple[Obstacle, ...]:
    """What of a PreemptionConfig, and which policy, keeps a running workload from being a candidate.

    Args:
        decision: about the pending workload.
        workload: one of `decision.running`.
    """
    own = workload.cluster_queue == decision.queue.name
    found = _own_policies(decision, [workload]) if own else _other_policies(decision, [workload])
    policy = (replace(obstacle, text="") for obstacle in found)
    return (*config_obstacles(decision, [workload]), *islice(policy, 1))


def obstacle_of_turn(decision: Decision, ahead: Sequence[str]) -> Obstacle | None:
    """The strategy by which a workload has no turn before others of its ClusterQueue; None where it may pass
    them.

    Args:
        decision: about the workload, taken alone.
        ahead: those before it in its ClusterQueue, the head first.
    """
    if not ahead or decision.queue.queueing != QueueingStrategy.STRICT_FIFO:
        return None
    text = (
        f"{format_names(ahead, 1)} {'goes' if len(ahead) == 1 else 'go'} first, and nothing passes the head"
    )
    return _queue(decision, "spec.queueingStrategy", decision.queue.queueing, text)


def _queue(decision: Decision, field: str, value: ApiEnum | str, text: str) -> Obstacle:
    written = value if isinstance(value, str) else value.label
    return Obstacle(f"ClusterQueue/{decision.queue.name}", field, written, "", text, own=True)


def _of_no_fit(decision: Decision) -> Iterator[Obstacle]:
    preemptor, queue = decision.preemptor, decision.queue
    if decision.held:
        policy = decision.snapshot.cluster.held.get((preemptor.namespace, preemptor.queue_name))
        if policy is not None:
            name = f"LocalQueue/{preemptor.namespace}/{preemptor.queue_name}"
            yield Obstacle(name, "spec.stopPolicy", policy, "", "its workloads are not queued", own=False)
        return
    if queue.inactive:
        yield from _of_inactive(decision)
        return
    for hero in running_heroes(decision.snapshot):
        text = f"what it runs takes quota from {queue.name}"
        yield _rules_of(decision, hero, text)
    requested = {name for pods in preemptor.pod_sets for name, number in pods.requests.items() if number}
    covered = {name for group in queue.resource_groups for name in group.covered_resources}
    for name in sorted(requested - covered):
        value = format_names(sorted(covered), 5) or "empty"
        text = f"{name} is requested, which no resource group covers"
        yield _queue(decision, "spec.resourceGroups[0].coveredResources", value, text)
    yield from _ended_search(decision)
    for group in decision.trial.groups:
        if group.choice is None or group.choice.worst.mode == FlavorMode.NO_FIT:
            yield from _of_group(decision, group)
    yield from _of_placement(decision)


def _of_placement(decision: Decision) -> Iterator[Obstacle]:
    """What leaves it open which flavor places the pods of a pod set whose resources are served (KQ-640)."""
    queue, flavors = decision.queue, decision.snapshot.cluster.flavors
    trials = decision.trial.groups
    if any(trial.choice is None for trial in trials):
        return
    for pods in decision.preemptor.pod_sets:
        named = [
            trial.choice.flavor
            for trial in trials
            if trial.choice is not None and pods.name in {one.name for one in trial.pod_sets}
        ]
        if is_placed_once(pods, named, queue, decision.snapshot.cluster):
            continue
        known = [quotas.flavor for group in queue.resource_groups for quotas in group.flavors]
        used = [flavors[name] for name in named if name in flavors and flavors[name].topology]
        text = f"pod set {pods.name} requests no resource of a flavor that could place its pods"
        if used:
            names = joined([flavor.name for flavor in used])
            text = f"pod set {pods.name} needs {names}, and one flavor alone may place its pods"
        for flavor in used or [flavors[name] for name in known if name in flavors]:
            name = f"ResourceFlavor/{flavor.name}"
            yield Obstacle(name, "spec.topologyName", flavor.topology, "", text, own=False)
        if not known:
            yield _queue(decision, "spec.resourceGroups", "empty", text)


def _of_inactive(decision: Decision) -> Iterator[Obstacle]:
    queue, cluster = decision.queue, decision.snapshot.cluster
    if queue.stop_policy:
        yield _queue(decision, "spec.stopPolicy", queue.stop_policy, "its workloads are not queued")
        return
    for index, group in enumerate(queue.resource_groups):
        for place, quotas in enumerate(group.flavors):
            flavor = cluster.flavors.get(quotas.flavor)
            if flavor is None:
                path = f"spec.resourceGroups[{index}].flavors[{place}].name"
                yield _queue(decision, path, quotas.flavor, queue.inactive)
            elif flavor.topology and flavor.topology not in cluster.topologies:
                name = f"ResourceFlavor/{flavor.name}"
                yield Obstacle(name, "spec.topologyName", flavor.topology, "", queue.inactive, own=False)
    yield _queue(decision, "spec.cohortName", queue.cohort or "part of a cycle", queue.inactive)


def _of_group(decision: Decision, group: GroupTrial) -> Iterator[Obstacle]:
    """What excludes each flavor of a resource group that serves the request by none."""
    tried = {choice.flavor: choice for choice in group.tried}
    for quotas in group.group.flavors:
        choice = tried.get(quotas.flavor)
        if choice is None:
            yield from _of_flavor(decision, group, quotas.flavor)
        else:
            yield from _of_choice(decision, choice)


def _of_flavor(decision: Decision, group: GroupTrial, name: str) -> Iterator[Obstacle]:
    cluster = decision.snapshot.cluster
    flavor = cluster.flavors.get(name, ResourceFlavor(name))
    for pods in group.pod_sets:
        field, value, text = "spec.nodeLabels", _written(flavor.labels), ""
        taint = untolerated(pods, flavor)
        if not may_serve(pods, flavor, group.group, decision.queue, cluster):
            field, value = "spec.topologyName", flavor.topology or "not set"
            text = f"the topology that pod set {pods.name} requests is not there"
            if flavor.topology and not requests_topology(pods):
                text = f"pod set {pods.name} requests no topology"
        elif taint is not None:
            field, value = "spec.nodeTaints", f"{taint.key}={taint.value}:{taint.effect}"
            text = f"pod set {pods.name} does not tolerate it"
        elif not is_selected(pods, flavor):
            text = f"pod set {pods.name} has nodeSelector {_written(pods.node_selector)}"
        else:
            text = f"the required node affinity of pod set {pods.name} excludes it"
        yield Obstacle(f"ResourceFlavor/{name}", field, value, "", text, own=False)
        return


def _written(labels: object) -> str:
    pairs = sorted(dict(labels).items())  # type: ignore[call-overload] # a mapping of labels
    return ", ".join(f"{key}={value}" for key, value in pairs) or "not set"


def _of_choice(decision: Decision, choice: Choice) -> Iterator[Obstacle]:
    for at, requested in choice.requested.items():
        if choice.ways[at.resource].mode != FlavorMode.NO_FIT:
            continue
        most = most_at(decision.snapshot, at)
        if not can_ever_fit(requested, most):
            yield from _of_limits(decision, at, requested, most)
        elif not may_preempt_while_borrowing(decision.terms):
            nominal = quota_at(decision.snapshot.tree, decision.snapshot.place, at).nominal
            used = decision.usage.get(at, 0)
            borrowed = amount(at, used + requested - nominal)
            text = (
                f"it would borrow {borrowed} {at.resource} beyond the nominalQuota of {amount(at, nominal)}, "
                "and does not preempt for that"
            )
            field = f"{_PREEMPTION}borrowWithinCohort.policy"
            alone = "" if decision.terms.fair_sharing or _goes_while_borrowing(decision) else _NOT_ENOUGH
            yield _queue(decision, field, decision.terms.borrow_within_cohort, f"{text}{alone}")
            if decision.terms.fair_sharing:
                field = f"{_PREEMPTION}reclaimWithinCohort"
                yield _queue(decision, field, _reclaim(decision), text)


def _goes_while_borrowing(decision: Decision) -> bool:
    """Whether it would preempt enough if it might do so while it borrows."""
    return _goes(decision, replace(decision.queue, borrow_within_cohort=BorrowWithinCohort.LOWER_PRIORITY))


def _reclaim(decision: Decision) -> str:
    policy = decision.terms.reclaim_within_cohort
    return "not set" if policy is ReclaimWithinCohort.UNSET else policy.label


def _of_limits(decision: Decision, at: FlavorResource, requested: Amount, most: Amount) -> Iterator[Obstacle]:
    """The limits and quotas by which a request never fits, the queue's own first."""
    tree = decision.snapshot.tree
    path = tree.nodes[decision.snapshot.place].path
    text = f"{amount(at, requested)} requested"
    if tree.nodes[decision.snapshot.place].parent is not None:
        text += f", and at most {amount(at, most)} can be had"
        for place in path:
            quota = quota_at(tree, place, at)
            limit = quota.borrowing_limit
            if limit is None or tree.nodes[place].parent is None:
                continue
            # Of a hero the limit may bound its own quota too (UCQ-220, UCQ-250).
            bounds_all = decision.terms.hero and place == path[0] and most < min(requested, quota.subtree)
            if quota.subtree + limit < requested or bounds_all:
                yield from _quota(decision, tree.nodes[place], at, "borrowingLimit", text)
        everything = sum(quota_at(tree, node.place, at).nominal for node in tree.nodes)
        for node in tree.nodes if everything >= requested else ():
            if node.place not in path and quota_at(tree, node.place, at).local:
                yield from _quota(decision, node, at, "lendingLimit", text)
    yield from _quota(decision, tree.nodes[decision.snapshot.place], at, "nominalQuota", text)
    yield from _without_cohort(decision)


def _quota(decision: Decision, node: Node, at: FlavorResource, limit: str, text: str) -> Iterator[Obstacle]:
    """A quota or limit of a node, where an object has it."""
    given = node.queue or decision.snapshot.cluster.cohorts.get(node.name)
    for index, group in enumerate(given.resource_groups if given is not None else ()):
        for place, quotas in enumerate(group.flavors):
            if quotas.flavor != at.flavor or at.resource not in quotas.nominal:
                continue
            number = [*quotas.nominal].index(at.resource)
            value = getattr(quotas, _QUOTAS[limit]).get(at.resource)
            kind = "ClusterQueue" if node.queue else "Cohort"
            yield Obstacle(
                f"{kind}/{node.name}",
                f"spec.resourceGroups[{index}].flavors[{place}].resources[{number}].{limit}",
                "not set" if value is None else amount(at, value),
                f"{at.resource} on {at.flavor}",
                text,
                own=node.place == decision.snapshot.place,
            )


def _of_no_candidates(decision: Decision) -> Iterator[Obstacle]:
    needed = decision.assignment.needs_preemption
    candidates = {candidate.workload.key for candidate in decision.candidates}
    kept = [
        workload
        for workload in decision.running
        if workload.key not in candidates and any(workload.usage.get(at, 0) for at in needed)
    ]
    # What keeps candidates comes first: with it, they would be enough. Priorities are not a matter of fields.
    own = [held for held in kept if held.cluster_queue == decision.queue.name]
    found = [
        *limit_obstacles(decision),
        *config_obstacles(decision, kept),
        *_while_borrowing(decision),
        *_by_share(decision),
        *_ended_search(decision),
        *_own_policies(decision, own),
        *_other_policies(decision, [held for held in kept if held.cluster_queue != decision.queue.name]),
        *(obstacle for shortage in shortages(decision) for obstacle in _of_shortage(decision, shortage)),
        *_without_cohort(decision),
    ]
    yield from sorted(found, key=lambda obstacle: obstacle.object.startswith("Workload/"))


def _ended_search(decision: Decision) -> Iterator[Obstacle]:
    """The field that ends the search before a flavor with which the workload would be admitted (KQ-570)."""
    untried: list[list[str]] = []
    for group in decision.trial.groups:
        if group.ended and group.choice is not None:
            names = [quotas.flavor for quotas in group.group.flavors]
            untried.append(names[names.index(group.choice.flavor) + 1 :])
    if not any(untried):
        return
    fungibility = decision.queue.fungibility
    ends = {
        field: getattr(fungibility, attribute)
        for field, attribute in _FUNGIBILITY.items()
        if getattr(fungibility, attribute) == Fungibility.MAY_STOP_SEARCH
        and _goes_with(decision, attribute, Fungibility.TRY_NEXT_FLAVOR)
    }
    for flavors in filter(None, untried):
        for field, value in ends.items():
            text = f"the search ends before {format_names(flavors, 3)}"
            yield _queue(decision, f"spec.flavorFungibility.{field}", value, text)


def _goes_with(decision: Decision, attribute: str, value: Fungibility) -> bool:
    """Whether the workload would be admitted, at once or by preemption, with another choice among flavors."""
    fungibility = decision.queue.fungibility
    change: dict[str, Any] = {attribute: value}
    return _goes(decision, replace(decision.queue, fungibility=replace(fungibility, **change)))


def _goes(decision: Decision, queue: ClusterQueue) -> bool:
    """Whether the workload would be admitted, at once or by preemption, with another ClusterQueue."""
    cluster = decision.snapshot.cluster
    altered = replace(cluster, cluster_queues={**cluster.cluster_queues, queue.name: queue})
    found = decide(altered, decision.preemptor, queue.name, decision.now, decision.reading)
    return found.outcome in (Outcome.FIT, Outcome.PREEMPT)


def _without_cohort(decision: Decision) -> Iterator[Obstacle]:
    if decision.queue.cohort is None:
        yield _queue(decision, "spec.cohortName", "not set", "in no cohort it can borrow nothing")


def _own_policies(decision: Decision, kept: Iterable[Workload]) -> Iterator[Obstacle]:
    """The policy by which workloads of the preemptor's own ClusterQueue are no candidates."""
    preemptor, terms = decision.preemptor, decision.terms
    duration = duration_in_force(terms)
    field, policy = f"{_PREEMPTION}withinClusterQueue", terms.within_cluster_queue
    by_policy, by_time, by_priority = [], [], []
    for workload in kept:
        lower = has_lower_priority(preemptor, workload)
        equal = workload.priority == preemptor.priority
        if policy == WithinClusterQueue.NEVER and (lower or equal):
            by_policy.append(workload)
            continue
        if lower or (equal and policy != WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY):
            if lower or is_newer_equal(preemptor, workload, terms, decision.now):
                by_policy.append(workload)
                continue
        elif equal and duration is not None and not is_time_expired(workload, decision.now, duration):
            by_time.append(workload)
            continue
        by_priority.append(workload)
    if by_policy:
        never = policy == WithinClusterQueue.NEVER
        what = "the same or a lower priority" if never else "equal priority that are newer"
        many = f"{counted(len(by_policy), 'running workload')} of {what}"
        yield _queue(decision, field, policy, f"keeps {many} in {terms.cluster_queue}")
    if by_time and duration is not None:
        many = counted(len(by_time), "running workload")
        text = f"protects {many} of equal priority in {terms.cluster_queue}"
        field = f"{_PREEMPTION}withinClusterQueueConfig.minAdmitDuration"
        yield _queue(decision, field, format_duration(duration), text)
    if by_priority:
        many = counted(len(by_priority), "running workload")
        yield _priority(decision, f"not above that of {many} in {terms.cluster_queue}")


def _other_policies(decision: Decision, kept: Sequence[Workload]) -> Iterator[Obstacle]:
    """The policy by which workloads of other ClusterQueues are no candidates."""
    preemptor, terms = decision.preemptor, decision.terms
    by_policy = []
    duration = protection_in(question_about(decision))
    protected = [] if duration is None else _protected(decision, kept, duration)
    if protected and duration is not None:
        yield _protection(decision, protected, duration)
    for workload in kept:
        kin = kin_of(decision, workload)
        if kin.hero and is_immune(preemptor, workload, terms, kin):
            text = f"{workload.key} runs in a hero"
            yield _rules_of(decision, workload.cluster_queue or "", text)
        elif terms.hero or workload in protected or not _exceeds(decision, workload):
            continue
        elif terms.reclaim_within_cohort != ReclaimWithinCohort.ANY:
            by_policy.append(workload)
    if by_policy:
        policy, many = _reclaim(decision), counted(len(by_policy), "running workload")
        lower = (
            ""
            if terms.reclaim_within_cohort != ReclaimWithinCohort.LOWER_PRIORITY
            else ", none of lower priority"
        )
        text = f"keeps {many} of queues that borrow{lower}"
        yield _queue(decision, f"{_PREEMPTION}reclaimWithinCohort", policy, text)


def _protected(decision: Decision, kept: Iterable[Workload], duration: Duration) -> list[Workload]:
    """The workloads of other ClusterQueues that nothing but KEP-9876 keeps from being candidates."""
    return [
        workload
        for workload in kept
        if is_protected_from_others(workload, decision.now, duration)
        and may_reclaim(decision.preemptor, workload, decision.terms)
        and _exceeds(decision, workload)
    ]


def _protection(decision: Decision, protected: Sequence[Workload], duration: Duration) -> Obstacle:
    """The field of the Configuration that protects some, and until when the first of them."""
    policy = "fairSharing" if rebalances(question_about(decision)) else "reclaimWithinCohort"
    first = min(admission_time(workload, decision.now) for workload in protected) + duration
    many = counted(len(protected), "running workload")
    return Obstacle(
        "Configuration/kueue",
        f"preemptionProtection.{policy}.minAdmitDuration",
        format_duration(duration),
        "",
        f"protects {many} of queues that borrow; the first until {format_instant(first)}",
        own=False,
    )


def _exceeds(decision: Decision, workload: Workload) -> bool:
    """Whether its ClusterQueue uses more than its quota of something that is short (KQ-200)."""
    snapshot = decision.snapshot
    place = snapshot.tree.places[workload.cluster_queue or ""]
    return any(
        not is_within_quota(snapshot.usage[place].get(at, 0), quota_at(snapshot.tree, place, at).subtree)
        for at in decision.assignment.needs_preemption
    )


def _while_borrowing(decision: Decision) -> Iterator[Obstacle]:
    """What keeps candidates that may be preempted only while the preemptor's queue does not borrow."""
    terms, preemptor = decision.terms, decision.preemptor
    only_without = [
        candidate.workload
        for candidate in decision.candidates
        if candidate.evidence.basis == Basis.WITHOUT_BORROWING
    ]
    if not only_without:
        return
    many = counted(len(only_without), "candidate")
    borrowed = amounts_text(borrowed_while_short(decision))
    borrows = f"the request borrows {borrowed}" if borrowed else f"{terms.cluster_queue} borrows"
    text = f"keeps {many} of other queues while {borrows}"
    lower = [workload for workload in only_without if has_lower_priority(preemptor, workload)]
    field = f"{_PREEMPTION}borrowWithinCohort.policy"
    if terms.borrow_within_cohort == BorrowWithinCohort.NEVER:
        yield _queue(decision, field, terms.borrow_within_cohort, text)
    elif lower and terms.max_priority_threshold is not None:
        field = f"{_PREEMPTION}borrowWithinCohort.maxPriorityThreshold"
        yield _queue(decision, field, str(terms.max_priority_threshold), text)
    else:
        yield _priority(decision, f"{text}: none has a lower priority")


def _of_shortage(decision: Decision, shortage: Shortage) -> Iterator[Obstacle]:
    """The limit that binds, and the quota that is short."""
    tree, at = decision.snapshot.tree, shortage.at
    lacks = f"{amount(at, shortage.short)} short"
    binding = shortage.binding
    own = tree.nodes[decision.snapshot.place]
    node = next((node for node in tree.nodes if node.name == binding.name), own)
    if binding.binds == "borrowingLimit":
        yield from _quota(decision, node, at, "borrowingLimit", f"{lacks}, and no more may be borrowed")
    for name, idle in shortage.withheld:
        keeps = next(node for node in tree.nodes if node.name == name)
        yield from _quota(decision, keeps, at, "lendingLimit", f"{lacks}, and {amount(at, idle)} idle there")
    uses = f"{amount(at, shortage.asked)} requested, {amount(at, shortage.path[0].usage)} in use"
    yield from _quota(decision, own, at, "nominalQuota", uses)


def _by_share(decision: Decision) -> Iterator[Obstacle]:
    """The weight of the preemptor's side of the first comparison of shares that allows no preemption."""
    attempts = decision.attempts
    refused = (turn for attempt in attempts for turn in attempt.turns if turn.shares and not turn.removed)
    first = next(refused, None)
    if first is None or first.shares is None:
        return
    tree = decision.snapshot.tree
    node = tree.nodes[first.shares.mine]
    whole, part = divmod(node.weight, 10**9)
    weight = f"{whole}.{part:09d}".rstrip("0").rstrip(".")
    text = f"{comparison_text(tree, first)} (for {first.candidate.workload.key})"
    name = f"{'ClusterQueue' if node.queue else 'Cohort'}/{node.name}"
    yield Obstacle(name, "spec.fairSharing.weight", weight, "", text, own=True)


def _priority(decision: Decision, text: str) -> Obstacle:
    preemptor = decision.preemptor
    return Obstacle(f"Workload/{preemptor.key}", "spec.priority", str(preemptor.priority), "", text, own=True)


def _rules_of(decision: Decision, queue: str, text: str) -> Obstacle:
    rules = decision.snapshot.cluster.cluster_queues[queue].rules.label
    return Obstacle(f"ClusterQueue/{queue}", f"{_PREEMPTION}rules", rules, "", text, own=False)
