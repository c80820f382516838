"""The Python API: `tenure.load`, `tenure.decide`, `tenure.decide_all`, `tenure.explain`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tenure.choices import Engine, Outcome
from tenure.engines import Batch, Detail, parse_engine
from tenure.engines import decide as decide_by
from tenure.errors import InputError, Problem, bad_input
from tenure.manifests import Loaded, SourcedObject, noted, object_name, parse_instant
from tenure.manifests import load as load_manifests
from tenure.manifests.clock_conflicts import ahead_of_clock, not_queued_yet
from tenure.manifests.naming import pending_key
from tenure.manifests.premises import order_by_usage
from tenure.manifests.showing import in_short, some_of
from tenure.model import Cluster, Instant, Workload
from tenure.oracle.decide import Decision
from tenure.oracle.snapshot import with_effective_priority
from tenure.oracle.unmodelled import deciding, problem_of
from tenure.readings import Reading, ReadingLike, parse_reading
from tenure.rules.cycle import is_ahead_in_queue
from tenure.rules.terms import PreemptionTerms, terms_of
from tenure.rules.time_based import requeue_timestamp

__all__ = [
    "Decision",
    "HeapPlace",
    "Loaded",
    "PendingDecision",
    "ahead_of_clock",
    "as_instant",
    "as_loaded",
    "assumed_queue",
    "decide",
    "decide_all",
    "doubts",
    "find_pending",
    "heap_place",
    "in_line",
    "load",
    "pending_names",
    "refuse_doubts",
    "set_aside_text",
    "some_of",
    "undecided",
    "waiting_queues",
]


@dataclass(frozen=True, slots=True)
class PendingDecision:
    """What became of one pending workload among all of them.

    Args:
        workload: `namespace/name`.
        cluster_queue: where it waits; None where that is not known.
        decision: the decision; None without one.
        problems: why there is no decision; empty where there is one.
    """

    workload: str
    cluster_queue: str | None
    decision: Decision | None = None
    problems: tuple[Problem, ...] = ()


def load(*paths: str | Path, strict: bool = False) -> Loaded:
    """A cluster from manifests.

    Args:
        paths: files, folders, or `-` for standard input, with what `kubectl get -o json` prints.
        strict: whether what would be set aside or passed over is an error.

    Returns:
        `.cluster`, `.warnings` about what had to be assumed, set aside or passed over, and `.objects` as they
        were written, which other answers need.

    Raises:
        InputError: everything that is wrong in any of the objects.

    >>> from tenure.resources import bundled
    >>> len(load(bundled("examples", "two-teams")).cluster.pending)
    4
    """
    objects: list[SourcedObject] = []
    loaded = load_manifests(paths, strict=strict, watched=lambda found: noted(found, objects))
    return replace(loaded, objects=tuple(objects))


def decide(
    loaded: Loaded | Cluster,
    workload: str | None = None,
    *,
    now: str | Instant,
    reading: ReadingLike = None,
    cluster_queue: str | None = None,
    engine: str = Engine.REFERENCE,
    explained: bool = False,
) -> Decision:
    """Decide which workloads are preempted for a pending one.

    Args:
        loaded: what `load` returned, or a cluster.
        workload: what a pending workload is called, `namespace/name` or shorter (`tenure.manifests.naming`);
            None when there is only one.
        now: the scheduling cycle's clock: RFC 3339, or ns since the epoch.
        reading: a preset's name, overrides, or a reading; None for `guaranteed`.
        cluster_queue: the workload's ClusterQueue; None follows its LocalQueue.
        engine: `reference`, `fast` or `auto`; what the optimized core does not cover the reference decides.
        explained: whether the decision will be explained, which only the reference's can be.

    Raises:
        InputError: no such workload or queue, a malformed time or reading, one of them needs what is
            not modelled, or Kueue does not queue the workload yet.

    >>> from tenure.resources import bundled
    >>> cluster = load(bundled("examples", "two-teams"))
    >>> decision = decide(cluster, "team-b/job-eval-suite-d739e", now="2026-03-02T14:00:00Z")
    >>> str(decision.outcome)
    'Preempt'
    """
    instant = as_instant(now)
    given = as_loaded(loaded).submitted_at(instant)
    preemptor = find_pending(given, workload)
    name = cluster_queue if cluster_queue is not None else queue_of(given, preemptor)
    _refuse_if_not_queued_yet(preemptor, instant)
    chosen = parse_reading(reading)
    detail = Detail.of(explained=explained)
    decision = decide_by(parse_engine(engine), given.cluster, preemptor, name, instant, chosen, detail=detail)
    problem = _order_by_usage(given, decision)
    if problem is not None:
        raise InputError([problem])
    return decision.as_held(given.cluster.hold_of(preemptor))


def decide_all(
    loaded: Loaded | Cluster,
    *,
    now: str | Instant,
    reading: ReadingLike = None,
    cluster_queue: str | None = None,
    engine: str = Engine.REFERENCE,
    explained: bool = False,
) -> Iterator[PendingDecision]:
    """Decide for every pending workload, each evaluated independently: all against the same cluster.

    The order is by name of the ClusterQueue, and in each as Kueue queues: by effective priority, the highest
    first, then by the time they queue from (TBP-030), then by name. Workloads that cannot be decided come
    after the others of their ClusterQueue, those of no known ClusterQueue at the end.

    Args:
        loaded: what `load` returned, or a cluster.
        now: as for `decide`.
        reading: as for `decide`.
        cluster_queue: only workloads pending in this ClusterQueue; None for all.
        engine: as for `decide`; `auto` goes over to the core where so much is searched that it is worth it.
        explained: as for `decide`.

    Returns:
        the decisions, each made when it is drawn: a thousand of them need not be kept at once.

    Raises:
        InputError: a malformed time or reading, or no such ClusterQueue. What is wrong with a single workload
            is in its `problems`.

    >>> from tenure.resources import bundled
    >>> cluster = load(bundled("examples", "two-teams"))
    >>> for pending in decide_all(cluster, now="2026-03-02T14:00:00Z"):
    ...     print(pending.workload, pending.decision.outcome)
    team-b/job-moe-64-448bc NoFit
    team-b/job-eval-suite-d739e Preempt
    team-a/job-long-context-8a5dc NoCandidates
    team-a/job-doc-index-dfa0b Preempt
    """
    instant, chosen = as_instant(now), parse_reading(reading)
    given = as_loaded(loaded).submitted_at(instant)
    if cluster_queue is not None and cluster_queue not in given.cluster.cluster_queues:
        known = some_of(given.cluster.cluster_queues, "ClusterQueues")
        raise bad_input("clusterQueue", cluster_queue, f"the name of one of {known}")
    detail = Detail.of(explained=explained)
    batch = Batch(parse_engine(engine), given.cluster, instant, chosen, detail=detail)
    return _decide_each(given, instant, chosen, cluster_queue, batch)


def pending_names(loaded: Loaded) -> list[str]:
    """All whom `decide_all` speaks of when no ClusterQueue is named, in the order of their names.

    >>> from tenure.resources import bundled
    >>> pending_names(load(bundled("examples", "two-teams")))[0]
    'team-a/job-doc-index-dfa0b'
    """
    return sorted([*(workload.key for workload in loaded.cluster.pending), *_workloads_set_aside(loaded)])


def waiting_queues(loaded: Loaded, now: Instant) -> dict[str, list[Workload]]:
    """The pending workloads that are queued at an instant, by the name of their ClusterQueue.

    Those of LocalQueues that are held are not queued.

    Args:
        loaded: the cluster.
        now: the instant, ns since the epoch; of those in back-off the ones whose time has come by then.

    >>> from tenure.resources import bundled
    >>> [*waiting_queues(load(bundled("examples", "two-teams")), 0)]
    ['gpu-cluster-queue']
    """
    found: dict[str, list[Workload]] = {}
    for name, workloads in _waiting(loaded, now)[0].items():
        queued = [workload for workload in workloads if not loaded.cluster.hold_of(workload)]
        if queued:
            found[name] = queued
    return found


def in_line(
    loaded: Loaded,
    cluster_queue: str,
    now: Instant,
    reading: Reading,
    waiting: Mapping[str, Sequence[Workload]] | None = None,
) -> list[Workload]:
    """The workloads that wait for a ClusterQueue, in the order in which they are tried.

    None where Kueue orders them by the usage of several LocalQueues, which is not modelled.
    A preemptor that waits for its victims would be the first; which one that is no object says.

    Args:
        loaded: the cluster.
        cluster_queue: the ClusterQueue; it must be there.
        now: the clock, ns since the epoch.
        reading: see `tenure.readings`.
        waiting: as `waiting_queues` returns it, for many ClusterQueues of one cluster; None to find it.

    >>> from tenure.readings import preset
    >>> from tenure.resources import bundled
    >>> two_teams = load(bundled("examples", "two-teams"))
    >>> now = as_instant("2026-03-02T14:00:00Z")
    >>> in_line(two_teams, "gpu-cluster-queue", now, preset("guaranteed"))[0].key
    'team-b/job-moe-64-448bc'
    """
    cluster = loaded.cluster
    terms = terms_of(cluster.cluster_queues[cluster_queue], cluster.settings, reading)
    queued = (waiting_queues(loaded, now) if waiting is None else waiting).get(cluster_queue, [])
    if order_by_usage(loaded.by_usage, ((cluster_queue, found) for found in queued)) is not None:
        return []

    def place(workload: Workload) -> HeapPlace:
        return heap_place(with_effective_priority(workload, cluster, now, reading), terms)

    return sorted(queued, key=place)


@dataclass(frozen=True, slots=True)
class HeapPlace:
    """A workload's position in the heap of its ClusterQueue, by CYC-010: the head is the lowest.

    Args:
        sticks: whether it is kept at the head.
        priority: its effective priority.
        queued_at: the time that it queues from.
        names: its uid; of equal uids, which no cluster has, the names decide.
    """

    sticks: bool
    priority: int
    queued_at: Instant
    names: tuple[str, str]

    def __lt__(self, other: HeapPlace) -> bool:
        return is_ahead_in_queue(
            self.sticks,
            other.sticks,
            self.priority,
            other.priority,
            self.queued_at,
            other.queued_at,
            self.names < other.names,
        )


def heap_place(workload: Workload, terms: PreemptionTerms, *, sticks: bool = False) -> HeapPlace:
    """A workload's position in the heap of its ClusterQueue.

    Args:
        workload: with its effective priority.
        terms: what holds in the ClusterQueue.
        sticks: whether it is kept at the head, as the preemptor that waits for its targets.
    """
    names = workload.uid, workload.key
    return HeapPlace(sticks, workload.priority, requeue_timestamp(workload, terms), names)


def undecided(loaded: Loaded, now: Instant, *, every: bool = False) -> list[PendingDecision]:
    """The pending workloads that cannot be decided about, each with its `problems`, by name.

    Args:
        loaded: the cluster.
        now: the clock, ns since the epoch.
        every: whether those of `loaded.set_aside` are among them, of which a warning of `loaded.warnings`
            tells already.

    >>> from tenure.resources import bundled
    >>> undecided(load(bundled("examples", "two-teams")), 0)
    []
    """
    set_aside = {} if every else _workloads_set_aside(loaded)
    return [row for row in _waiting(loaded, now)[1] if row.workload not in set_aside]


def set_aside_text(row: PendingDecision) -> str:
    """The message about a workload without a decision, for every command that reads a cluster.

    >>> problem = Problem("spec.queueName", "'gone'", "a LocalQueue", "Workload/ml/a")
    >>> set_aside_text(PendingDecision("ml/a", None, problems=(problem,)))
    "Workload/ml/a: set aside: spec.queueName: found 'gone', expected a LocalQueue"
    """
    name = object_name("Workload", *row.workload.split("/", 1))
    return f"{name}: set aside: {in_short(row.problems, name)}"


def doubts(
    loaded: Loaded, now: Instant, cluster_queue: str | None = None, queued_by: Instant | None = None
) -> Iterator[tuple[str, tuple[Problem, ...]]]:
    """What of a cluster does not go with the clock, and who cannot be decided about: warnings, with problems.

    Those of `loaded.warnings` are not among them.

    Args:
        loaded: the cluster.
        now: the clock, ns since the epoch.
        cluster_queue: only workloads that wait for this ClusterQueue; None for all.
        queued_by: a back-off that is over by then is not mentioned, ns since the epoch; None for the clock.

    >>> from tenure.resources import bundled
    >>> list(doubts(load(bundled("examples", "two-teams")), 2**62))
    []
    """
    for problem in ahead_of_clock(loaded, now):
        yield str(problem), (problem,)
    for row in undecided(loaded, now if queued_by is None else queued_by):
        if cluster_queue in (None, row.cluster_queue):
            yield set_aside_text(row), row.problems


def refuse_doubts(
    loaded: Loaded, found: Iterable[tuple[str, tuple[Problem, ...]]], more: Iterable[str] = ()
) -> None:
    """Refuse a cluster of which anything would be warned of.

    Args:
        loaded: the cluster.
        found: what `doubts` found.
        more: further warnings.

    Raises:
        InputError: there is a warning; all of them.

    >>> refuse_doubts(Loaded(Cluster({}), ("ClusterQueue/a: no ResourceFlavor was given",)), ())
    Traceback (most recent call last):
    tenure.errors.InputError: --strict: found ClusterQueue/a: no ResourceFlavor was given, expected no warning
    """
    problems = [problem for _, of_one in found for problem in of_one]
    problems += [Problem("--strict", text, "no warning") for text in (*loaded.warnings, *more)]
    if problems:
        raise InputError(problems)


def assumed_queue(loaded: Loaded) -> str | None:
    """The only ClusterQueue where no LocalQueue at all is given; every pending workload counts as its own."""
    queues = loaded.cluster.cluster_queues
    if loaded.cluster.local_queues or len(queues) != 1:
        return None
    return next(iter(queues))


def _decide_each(
    loaded: Loaded, now: Instant, reading: Reading, only: str | None, batch: Batch
) -> Iterator[PendingDecision]:
    waiting, refused = _waiting(loaded, now)
    queues = sorted(
        {
            *waiting,
            *(
                pending_decision.cluster_queue
                for pending_decision in refused
                if pending_decision.cluster_queue
            ),
        }
    )
    for name in queues if only is None else [only]:
        yield from _decide_queue(loaded, name, waiting.get(name, []), now, reading, batch)
        yield from (
            pending_decision for pending_decision in refused if pending_decision.cluster_queue == name
        )
    if only is None:
        yield from (
            pending_decision for pending_decision in refused if pending_decision.cluster_queue is None
        )


def _waiting(loaded: Loaded, now: Instant) -> tuple[dict[str, list[Workload]], list[PendingDecision]]:
    """The pending workloads by ClusterQueue, and those that cannot be decided, by name."""
    waiting: dict[str, list[Workload]] = {}
    refused = [
        PendingDecision(key, None, problems=problems)
        for key, problems in _workloads_set_aside(loaded).items()
    ]
    assumed = assumed_queue(loaded)
    for workload in loaded.cluster.pending:
        queue = assumed
        try:
            queue = assumed or _queue_behind(loaded, workload)
            _refuse_if_not_queued_yet(workload, now)
        except InputError as error:
            refused.append(PendingDecision(workload.key, queue, problems=error.problems))
        else:
            waiting.setdefault(queue, []).append(workload)
    return waiting, sorted(refused, key=lambda pending_decision: pending_decision.workload)


def _refuse_if_not_queued_yet(workload: Workload, now: Instant) -> None:
    problem = not_queued_yet(workload, now)
    if problem is not None:
        raise InputError([problem])


def _decide_queue(
    loaded: Loaded, name: str, workloads: list[Workload], now: Instant, reading: Reading, batch: Batch
) -> Iterator[PendingDecision]:
    """The decisions of one ClusterQueue in its order."""
    if not workloads:
        return
    cluster = loaded.cluster
    snapshot = batch.snapshot(name)
    terms = terms_of(snapshot.queue, cluster.settings, reading)
    unmodelled = tuple(map(problem_of, deciding(snapshot)))

    def place(workload: Workload) -> tuple[int, Instant, str]:
        priority = with_effective_priority(workload, cluster, now, reading).priority
        return -priority, requeue_timestamp(workload, terms), workload.key

    for workload in sorted(workloads, key=place):
        if unmodelled:
            yield PendingDecision(workload.key, name, problems=unmodelled)
            continue
        decision = batch.decide(workload, name)
        problem = _order_by_usage(loaded, decision)
        if problem is None:
            yield PendingDecision(workload.key, name, decision.as_held(cluster.hold_of(workload)))
        else:
            yield PendingDecision(workload.key, name, problems=(problem,))


def _order_by_usage(loaded: Loaded, decision: Decision) -> Problem | None:
    """Why the order of the candidates is not known; None where it is, or where it decides nothing."""
    if not loaded.by_usage or decision.outcome in (Outcome.FIT, Outcome.NO_FIT):
        return None
    # The optimized core does not list its candidates.
    listed = decision.engine == Engine.REFERENCE
    candidates = (found.workload for found in decision.candidates) if listed else decision.running
    return order_by_usage(loaded.by_usage, ((found.cluster_queue or "", found) for found in candidates))


def as_loaded(given: Loaded | Cluster) -> Loaded:
    """What `load` returned; a cluster alone as one without warnings."""
    return given if isinstance(given, Loaded) else Loaded(given)


def as_instant(now: str | Instant) -> Instant:
    """A clock as the functions of Python take it, ns since the epoch.

    Raises:
        InputError: a malformed time.
    """
    return parse_instant(now, field="now") if isinstance(now, str) else now


def find_pending(loaded: Loaded, workload: str | None) -> Workload:
    """A pending workload by name.

    Args:
        loaded: the cluster.
        workload: what it is called; None for the only one.

    Raises:
        InputError: there is none, or it is set aside.

    >>> from tenure.resources import bundled
    >>> find_pending(load(bundled("examples", "two-teams")), "eval-suite").priority
    100
    """
    if workload is None:
        waiting = pending_names(loaded)
        if len(waiting) != 1:
            known = some_of(waiting, "pending workloads")
            raise bad_input("workload", workload, f"the name of one of {known}")
        key = waiting[0]
    else:
        key = pending_key(loaded, workload)
    _refuse_if_set_aside(loaded, object_name("Workload", *key.split("/", 1)))
    return next(waits for waits in loaded.cluster.pending if waits.key == key)


def queue_of(loaded: Loaded, workload: Workload) -> str:
    """The ClusterQueue that a pending workload's LocalQueue points to, or the one that is assumed.

    Args:
        loaded: the cluster.
        workload: one that waits.

    Raises:
        InputError: there is no such LocalQueue or ClusterQueue.

    >>> from tenure.resources import bundled
    >>> cluster = load(bundled("examples", "two-teams"))
    >>> queue_of(cluster, cluster.cluster.pending[0])
    'gpu-cluster-queue'
    """
    return assumed_queue(loaded) or _queue_behind(loaded, workload)


def waiting_for(loaded: Loaded) -> Iterator[tuple[Workload, str | None]]:
    """The pending workloads, each with its ClusterQueue; None where that is not there.

    Args:
        loaded: the cluster.

    >>> list(waiting_for(Loaded(Cluster({}, pending=(Workload("ml", "a", "u", 0, 0),)))))[0][1] is None
    True
    """
    for workload in loaded.cluster.pending:
        try:
            yield workload, queue_of(loaded, workload)
        except InputError:
            yield workload, None


def _queue_behind(loaded: Loaded, workload: Workload) -> str:
    """The ClusterQueue that a pending workload's LocalQueue points to.

    Raises:
        InputError: one of them is not there.
    """
    local_queues, queues = loaded.cluster.local_queues, loaded.cluster.cluster_queues
    name = local_queues.get((workload.namespace, workload.queue_name))
    if name is None:
        known = some_of([f"{namespace}/{queue}" for namespace, queue in local_queues], "LocalQueues")
        place = object_name("Workload", workload.namespace, workload.name)
        raise bad_input("spec.queueName", workload.queue_name, f"the name of one of {known}", object=place)
    if name not in queues:
        local = object_name("LocalQueue", workload.namespace, workload.queue_name)
        raise bad_input(
            "spec.clusterQueue", name, f"the name of one of {some_of(queues, 'ClusterQueues')}", object=local
        )
    return name


def _workloads_set_aside(loaded: Loaded) -> Mapping[str, tuple[Problem, ...]]:
    """By key, as pending workloads have it: with a slash also where there is no name space."""
    names = [name.removeprefix("Workload/") for name in loaded.set_aside]
    return {name if "/" in name else f"/{name}": loaded.set_aside[f"Workload/{name}"] for name in names}


def _refuse_if_set_aside(loaded: Loaded, name: str) -> None:
    if name in loaded.set_aside:
        raise InputError(loaded.set_aside[name])
