"""The cluster as it was when a workload was preempted, as far as the objects of a later instant show."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice, product

from tenure.manifests import Loaded
from tenure.model import SECOND, Amounts, ClusterQueue, FlavorResource, Instant, PodSet, Workload
from tenure.oracle.assignment import charged_requests
from tenure.oracle.nodes import may_use
from tenure_play.postmortem.record import PreemptionRecord, ended_workloads, held_by_events, noted, record_of

MOST_VARIANTS = 48
"""So many restorations are decided; more would be needed where much is unknown."""
_FEW = 3
"""Of so many workloads of which it is not known whether they ran, each one is left out alone as well."""
_MOST_OPTIONS = 8


@dataclass(frozen=True, slots=True)
class Holding:
    """A workload that held quota, or may have, of which something is not known.

    Args:
        workload: without what it held.
        queue: the ClusterQueue.
        options: what it may have held.
        since: when its quota was reserved, ns; None where that is not known.
        sure: whether it did hold quota.
        likely: whether that is assumed first.
    """

    workload: Workload
    queue: str
    options: tuple[Amounts, ...]
    since: Instant | None = None
    sure: bool = True
    likely: bool = True

    def held(self, usage: Amounts, reserved: Instant) -> Workload:
        """The workload as it ran."""
        since = reserved if self.since is None else self.since
        return dataclasses.replace(
            self.workload,
            cluster_queue=self.queue,
            usage=usage,
            quota_reserved_at=since,
            admission_delay=0,  # of an earlier admission only its reservation is known
            pod_sets=(),
        )


@dataclass(slots=True)
class Restored:
    """The cluster of an instant.

    Args:
        at: the instant, ns.
        certain: the workloads that held quota, with what they held.
        vague: those of which something is not known.
    """

    at: Instant
    certain: list[Workload] = field(default_factory=list)
    vague: list[Holding] = field(default_factory=list)

    def variants(self) -> Iterator[tuple[Workload, ...]]:
        """What may have held quota together, the likelier first; not more than `MOST_VARIANTS`."""
        return islice(self._every(), MOST_VARIANTS)

    def _every(self) -> Iterator[tuple[Workload, ...]]:
        for there, late in product(self._presences(), (True, False)):
            present = [holding for holding, is_there in zip(self.vague, there, strict=True) if is_there]
            for usages in product(*(holding.options for holding in present)):
                held = (
                    holding.held(usage, self._reserved(holding, late=late))
                    for holding, usage in zip(present, usages, strict=True)
                )
                yield (*self.certain, *held)

    def _reserved(self, holding: Holding, *, late: bool) -> Instant:
        """When quota was reserved, where it is not known: as late as can be, or as early."""
        return max(holding.workload.created_at, self.at - SECOND) if late else holding.workload.created_at

    def _presences(self) -> Iterator[tuple[bool, ...]]:
        """Who was there: as is likeliest, everyone, only who surely was, and all but one of the others."""
        sure = tuple(holding.sure for holding in self.vague)
        doubted = [index for index, is_sure in enumerate(sure) if not is_sure]
        everyone = tuple(True for _ in sure)
        found = {tuple(holding.sure or holding.likely for holding in self.vague): None}
        found |= dict.fromkeys((everyone, sure))
        if len(doubted) <= _FEW:
            found |= dict.fromkeys(
                tuple(index != left_out for index in range(len(sure))) for left_out in doubted
            )
        return iter(found)


def restored_at(loaded: Loaded, record: PreemptionRecord, at: Instant, preemptor: Workload) -> Restored:
    """The workloads that held quota right before a preemption.

    Args:
        loaded: the cluster at a later instant.
        record: of the preemption.
        at: its instant, ns, in whole seconds.
        preemptor: who preempted; it held nothing.

    Source: Kueue v0.19.2: an eviction clears `status.admission` and the time of the quota reservation; the
        next reservation overwrites the time of the eviction.
    """
    restored = Restored(at)
    for workload in chain(loaded.cluster.admitted, loaded.cluster.pending):
        if workload.key == preemptor.key or workload.created_at > at:
            continue
        if workload.cluster_queue is not None:
            _of_running(restored, loaded, workload, preemptor)
        else:
            _of_pending(restored, loaded, workload, preemptor, record)
    for ended in ended_workloads(loaded):
        held = ended.workload
        if held is None or ended.key == preemptor.key or held.created_at > at:
            continue
        if held.cluster_queue is None:
            _of_pending(restored, loaded, held, preemptor, record)
        else:
            _of_ended(restored, held, ended.ended)
    return restored


def _of_ended(restored: Restored, workload: Workload, ended: Instant | None) -> None:
    """One that held quota until it finished."""
    reserved = workload.quota_reserved_at
    if ended is not None and reserved is not None and reserved < restored.at <= ended:
        restored.certain.append(as_it_ran(workload))


def _of_running(restored: Restored, loaded: Loaded, workload: Workload, preemptor: Workload) -> None:
    """One that holds quota now."""
    at, reserved = restored.at, workload.quota_reserved_at
    evicted = noted(loaded, workload.key, "Evicted")
    if reserved is None or reserved < at:
        still = evicted is not None and evicted.holds and evicted.since is not None and evicted.since < at
        restored.certain.append(workload if still else as_it_ran(workload))
        return
    queue = workload.cluster_queue or ""
    bare = as_pending(workload)
    if reserved == at:
        restored.vague.append(Holding(bare, queue, (workload.usage,), reserved, sure=False, likely=False))
    elif known := held_by_events(loaded, workload.key, at):
        held, since = known
        if held:
            restored.vague.append(Holding(bare, queue, (workload.usage,), since))
    elif evicted is not None:
        # It ran before, until an instant that its present admission has overwritten.
        ours = _was_preempted_by(loaded, workload, preemptor)
        restored.vague.append(Holding(bare, queue, (workload.usage,), sure=False, likely=ours))


def _of_pending(
    restored: Restored, loaded: Loaded, workload: Workload, preemptor: Workload, record: PreemptionRecord
) -> None:
    """One that holds no quota now: it may have lost it at the instant, or later."""
    at, evicted = restored.at, noted(loaded, workload.key, "Evicted")
    if evicted is None or not evicted.holds or evicted.since is None:
        return
    released = noted(loaded, workload.key, "QuotaReserved")
    gone = evicted.since if released is None or released.since is None else released.since
    asked = workload.key == record.victim
    ours = asked or _was_preempted_by(loaded, workload, preemptor)
    if gone < at or (gone == at and evicted.since < at):
        return
    queue = _queue_of(loaded, workload)
    if queue is None:
        return
    held, since = held_by_events(loaded, workload.key, at) or (None, None)
    if held is False and not asked:
        return
    # Who is evicted later may have been admitted later too.
    sure = evicted.since < at or (evicted.since == at and ours) or asked or held is True
    bare = workload if evicted.since < at else as_pending(workload)
    restored.vague.append(Holding(bare, queue.name, usages_of(workload, queue, loaded), since, sure=sure))


def _was_preempted_by(loaded: Loaded, workload: Workload, preemptor: Workload) -> bool:
    record = record_of(loaded, workload.key, workload.uid)
    parsed = None if record is None else record.parsed
    return parsed is not None and parsed.is_by(preemptor.key, preemptor.uid)


def _queue_of(loaded: Loaded, workload: Workload) -> ClusterQueue | None:
    """Where it ran, by the message of its preemption; otherwise where it waits now."""
    record, queues = record_of(loaded, workload.key, workload.uid), loaded.cluster.cluster_queues
    path = record.parsed.victim_path if record is not None and record.parsed is not None else ()
    waits_in = loaded.cluster.local_queues.get((workload.namespace, workload.queue_name))
    if waits_in is None and not loaded.cluster.local_queues and len(queues) == 1:
        waits_in = next(iter(queues))
    return queues.get(path[-1] if path else waits_in or "")


def as_pending(workload: Workload) -> Workload:
    """A workload without quota, and without what a later eviction has left.

    >>> as_pending(Workload("a", "b", "u", priority=0, created_at=0, evicted=True)).evicted
    False
    """
    return dataclasses.replace(as_it_ran(workload), cluster_queue=None, usage={}, quota_reserved_at=None)


def as_it_ran(workload: Workload) -> Workload:
    """A workload before a later eviction."""
    return dataclasses.replace(
        workload,
        evicted=False,
        pods_ready_evicted_at=None,
        admission_check_evicted_at=None,
        time_based_preempted_at=None,
        preempted_while_borrowing_at=None,
    )


def usages_of(workload: Workload, queue: ClusterQueue, loaded: Loaded) -> tuple[Amounts, ...]:
    """What a pending workload may have held: all its pods, on each flavor that they may use.

    Args:
        workload: with its pod sets.
        queue: its ClusterQueue.
        loaded: the cluster.

    >>> from tenure.model import Cluster, FlavorQuotas, ResourceGroup
    >>> group = ResourceGroup(("cpu",), (FlavorQuotas("a", {}), FlavorQuotas("b", {})))
    >>> asks = Workload("n", "w", "u", priority=0, created_at=0, pod_sets=(PodSet("main", 1, {"cpu": 2}),))
    >>> [list(usage.items())[0][0].flavor for usage in usages_of(
    ...     asks, ClusterQueue("q", resource_groups=(group,)), Loaded(Cluster({})))]
    ['a', 'b']
    """
    choices = [
        [(flavor, asked) for flavor in _flavors(pod_set, covered, loaded)]
        for pod_set in workload.pod_sets
        for covered, asked in _by_group(pod_set, queue)
    ]
    made = (_together(chosen) for chosen in product(*choices))
    return tuple(islice(made, _MOST_OPTIONS))


def _by_group(pod_set: PodSet, queue: ClusterQueue) -> Iterator[tuple[tuple[str, ...], Mapping[str, int]]]:
    requests = charged_requests(pod_set, queue)
    for group in queue.resource_groups:
        asked = {name: amount for name, amount in requests.items() if name in group.covered_resources}
        if asked:
            yield tuple(quotas.flavor for quotas in group.flavors), asked


def _flavors(pod_set: PodSet, named: tuple[str, ...], loaded: Loaded) -> list[str]:
    described = loaded.cluster.flavors
    return [name for name in named if name not in described or may_use(pod_set, described[name])]


def _together(chosen: tuple[tuple[str, Mapping[str, int]], ...]) -> Amounts:
    usage: dict[FlavorResource, int] = {}
    for flavor, asked in chosen:
        for resource, amount in asked.items():
            at = FlavorResource(flavor, resource)
            usage[at] = usage.get(at, 0) + amount
    return usage


def as_request(usage: Amounts) -> tuple[PodSet, ...]:
    """What a workload requested, by what it was admitted with: a pod set for each flavor.

    Args:
        usage: what it holds.

    >>> as_request({FlavorResource("spot", "cpu"): 4000, FlavorResource("spot", "pods"): 2})
    (PodSet(name='spot', count=2, requests={'cpu': 4000}, min_count=None, full_count=None, node_selector={}, \
node_affinity=(), tolerations=(), settled={}, topology=None),)
    """
    flavors: dict[str, dict[str, int]] = {}
    for at, amount in usage.items():
        flavors.setdefault(at.flavor, {})[at.resource] = amount
    return tuple(PodSet(flavor, asked.pop("pods", 1), asked) for flavor, asked in flavors.items())
