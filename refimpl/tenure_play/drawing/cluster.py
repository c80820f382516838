"""What is drawn of a cluster: every cohort and ClusterQueue with its quota and usage, and its jobs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tenure.api import Loaded, waiting_for
from tenure.errors import InputError
from tenure.model import Amount, Amounts, ClusterQueue, Duration, FlavorResource, Instant, Workload
from tenure.oracle.snapshot import with_effective_priority
from tenure.oracle.tree import NO_QUOTA, Node, Tree, build_tree
from tenure.readings import Reading
from tenure.rules.quota import quota_passed_up, usage_passed_up
from tenure.rules.reservation import quota_reservation_time
from tenure.rules.terms import terms_of
from tenure.rules.time_based import duration_in_force
from tenure.units import counted, format_amount, format_duration

WIDTH: Final = 1000.0
"""Of a bar."""
COLOURS: Final = 8
LEVELS: Final = 5
MOST_PIECES: Final = 200
"""Of one bar; the smallest of more pieces are drawn as one."""
_MINUTE: Final = 60 * 10**9


@dataclass(frozen=True, slots=True)
class DrawnJob:
    """A workload.

    Args:
        number: from 0, unique in the picture.
        name: `namespace/name`.
        queue: its ClusterQueue; empty where it has none.
        holds: whether it holds quota.
        priority: the effective one.
        level: the rank of its priority among all, from 0 to `LEVELS` - 1.
        amounts: what it holds or requests; of a pending one at the first flavors of its ClusterQueue.
        note: since when it holds its quota, or why it is not queued.
        protected: for how long minAdmitDuration still protects it, in words; empty where it does not.
    """

    number: int
    name: str
    queue: str
    holds: bool
    priority: int
    level: int
    amounts: Mapping[FlavorResource, Amount]
    note: str
    protected: str

    @property
    def amounts_text(self) -> str:
        """What it holds or requests, by resource."""
        by_resource: defaultdict[str, Amount] = defaultdict(int)
        for at, amount in self.amounts.items():
            by_resource[at.resource] += amount
        return ", ".join(
            f"{format_amount(resource, amount)} {resource}" for resource, amount in by_resource.items()
        )


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a bar.

    Args:
        x, width: of `WIDTH`.
        title: what it is.
        colour: that of its ClusterQueue.
        level: that of its priority; None for more than one job.
        job: the number of the job; None for more than one.
        protected: whether minAdmitDuration protects it.
    """

    x: float
    width: float
    title: str
    colour: int
    level: int | None = None
    job: int | None = None
    protected: bool = False


@dataclass(frozen=True, slots=True)
class Bar:
    """The quota and usage of one flavor-resource at a node.

    Args:
        column: the place of the flavor-resource among `ClusterPicture.columns`.
        label: the flavor-resource.
        words: the figures.
        nominal: where its nominal quota ends, of `WIDTH`.
        used: what is in use.
        pending: what is pending, below it.
    """

    column: int
    label: str
    words: str
    nominal: float
    used: tuple[Piece, ...]
    pending: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """A Cohort or a ClusterQueue with all below it.

    Args:
        number: from 0, unique in the picture.
        name: of the object.
        is_queue: whether it is a ClusterQueue.
        note: what is particular about it, such as that it is stopped.
        colour: of a ClusterQueue.
        bars: its bars.
        jobs: of a ClusterQueue, those that hold quota first.
        below: its children.
    """

    number: int
    name: str
    is_queue: bool
    note: str
    colour: int
    bars: tuple[Bar, ...]
    jobs: tuple[DrawnJob, ...] = ()
    below: tuple[DrawnNode, ...] = ()


@dataclass(frozen=True, slots=True)
class ClusterPicture:
    """A cluster as it is drawn.

    Args:
        now: the clock, ns since the epoch.
        columns: the flavor-resources, the one with the greatest demand for its nominal quota first.
        trees: by the names of their roots.
        queueless: pending jobs without a ClusterQueue.
        levels: the priorities of each level, in words.
        queues, running, pending: how many there are.
    """

    now: Instant
    columns: tuple[str, ...]
    trees: tuple[DrawnNode, ...]
    queueless: tuple[DrawnJob, ...]
    levels: tuple[str, ...]
    queues: int
    running: int
    pending: int


def picture_of(loaded: Loaded, now: Instant, reading: Reading) -> ClusterPicture:
    """What is drawn of a cluster.

    Args:
        loaded: the cluster.
        now: the clock, ns since the epoch.
        reading: see `tenure.readings`.

    Raises:
        InputError: a priority class that the reading refuses.

    >>> from tenure.api import load
    >>> from tenure.readings import preset
    >>> from tenure.resources import bundled
    >>> two_teams = load(bundled("examples", "two-teams"))
    >>> picture = picture_of(two_teams, 1772460000 * 10**9, preset("guaranteed"))
    >>> picture.queues, picture.running, picture.pending
    (1, 16, 4)
    >>> picture.trees[0].bars[0].words
    '61 of 64 nominal in use; 132 pending'
    """
    return _Drawing(loaded, now, reading).picture()


@dataclass
class _Totals:
    """Of one flavor-resource at a node and below."""

    nominal: Amount = 0
    used: Amount = 0
    pending: Amount = 0

    def add(self, other: _Totals) -> None:
        self.nominal += other.nominal
        self.used += other.used
        self.pending += other.pending


@dataclass
class _Drawing:
    loaded: Loaded
    now: Instant
    reading: Reading
    jobs: dict[str, list[DrawnJob]] = field(default_factory=lambda: defaultdict(list))
    totals: dict[str, dict[FlavorResource, _Totals]] = field(default_factory=dict)
    """By ClusterQueue."""
    colours: dict[str, int] = field(default_factory=dict)
    numbers: int = 0

    def picture(self) -> ClusterPicture:
        cluster = self.loaded.cluster
        queues = {name: cluster.cluster_queues[name] for name in sorted(cluster.cluster_queues)}
        self.colours = {name: number % COLOURS for number, name in enumerate(queues)}
        levels = self._take_jobs()
        self.totals = {name: self._totals(queue) for name, queue in queues.items()}
        columns = self._columns()
        trees: list[DrawnNode] = []
        seen: set[str] = set()
        for name, queue in queues.items():
            if name not in seen:
                tree, note = self._tree(queue)
                seen |= {*tree.places}
                trees.append(self._branch(tree, 0, columns, note))
        return ClusterPicture(
            now=self.now,
            columns=tuple(map(_label, columns)),
            trees=tuple(sorted(trees, key=lambda root: (root.name, root.is_queue))),
            queueless=tuple(self.jobs.get("", ())),
            levels=levels,
            queues=len(queues),
            running=len(cluster.admitted),
            pending=len(cluster.pending),
        )

    def _tree(self, queue: ClusterQueue) -> tuple[Tree, str]:
        cluster = self.loaded.cluster
        try:
            return build_tree(cluster, queue), ""
        except InputError as error:
            alone = replace(queue, cohort=None)
            return build_tree(cluster, alone), "; ".join(map(str, error.problems))

    def _take_jobs(self) -> tuple[str, ...]:
        """Fill `jobs`; the priorities of each level."""
        cluster = self.loaded.cluster
        waits = {workload.key: queue for workload, queue in waiting_for(self.loaded)}
        workloads = [
            with_effective_priority(workload, cluster, self.now, self.reading)
            for workload in (*cluster.admitted, *cluster.pending)
        ]
        known = sorted({workload.priority for workload in workloads})
        level = {priority: rank * LEVELS // len(known) for rank, priority in enumerate(known)}
        held = set(map(id, workloads[: len(cluster.admitted)]))
        protection = {
            name: duration_in_force(terms_of(queue, cluster.settings, self.reading))
            for name, queue in cluster.cluster_queues.items()
        }
        ordered = sorted(
            workloads, key=lambda each: (id(each) not in held, -each.priority, each.created_at, each.key)
        )
        for number, workload in enumerate(ordered):
            holds = id(workload) in held
            queue = (workload.cluster_queue if holds else waits[workload.key]) or ""
            if queue not in cluster.cluster_queues:
                queue = ""
            self.jobs[queue].append(
                DrawnJob(
                    number=number,
                    name=workload.key,
                    queue=queue,
                    holds=holds,
                    priority=workload.priority,
                    level=level[workload.priority],
                    amounts=workload.usage if holds else self._requested(workload, queue),
                    note=self._note(workload, holds=holds),
                    protected=self._protected(workload, protection.get(queue)) if holds else "",
                )
            )
        by_level: defaultdict[int, list[int]] = defaultdict(list)
        for priority in known:
            by_level[level[priority]].append(priority)
        return tuple(
            f"{found[0]}" if len(found) == 1 else f"{found[0]} to {found[-1]}"
            for found in (by_level[number] for number in range(LEVELS))
            if found
        )

    def _requested(self, workload: Workload, queue: str) -> Amounts:
        """What a pending workload requests, at the flavor that it names or the first of its ClusterQueue."""
        found: defaultdict[FlavorResource, Amount] = defaultdict(int)
        first: dict[str, str] = {}
        if queue:
            for at in self.loaded.cluster.cluster_queues[queue].nominal():
                first.setdefault(at.resource, at.flavor)
        for pods in workload.pod_sets:
            for resource, amount in pods.requests.items():
                flavor = pods.settled.get(resource, first.get(resource, ""))
                found[FlavorResource(flavor, resource)] += amount
        return found

    def _note(self, workload: Workload, *, holds: bool) -> str:
        if not holds:
            return self.loaded.cluster.hold_of(workload)
        if workload.quota_reserved_at is None:
            return "holds quota"
        return f"holds quota for {_brief(self.now - workload.quota_reserved_at)}"

    def _protected(self, workload: Workload, duration: Duration | None) -> str:
        if duration is None:
            return ""
        left = quota_reservation_time(workload, self.now) + duration - self.now
        return f"protected for {_brief(left)} more" if left >= 0 else ""

    def _totals(self, queue: ClusterQueue) -> dict[FlavorResource, _Totals]:
        found = {at: _Totals(nominal) for at, nominal in queue.nominal().items()}
        for job in self.jobs.get(queue.name, ()):
            for at, amount in job.amounts.items():
                if at in found:
                    at_node = found[at]
                    if job.holds:
                        at_node.used += amount
                    else:
                        at_node.pending += amount
        return found

    def _columns(self) -> list[FlavorResource]:
        """Every flavor-resource, the one with the greatest demand for its nominal quota first."""
        whole = _sums(self.totals.values())

        def demand(at: FlavorResource) -> tuple[float, FlavorResource]:
            found = whole[at]
            return -(found.used + found.pending) / max(1, found.nominal), at

        return sorted(whole, key=demand)

    def _branch(self, tree: Tree, place: int, columns: Sequence[FlavorResource], note: str = "") -> DrawnNode:
        node = tree.nodes[place]
        number, self.numbers = self.numbers, self.numbers + 1
        below = tuple(self._branch(tree, child, columns) for child in (*node.queues, *node.cohorts))
        queue = node.queue
        if queue is None:
            bars = tuple(self._cohort_bars(tree, node, columns))
            return DrawnNode(number, node.name, is_queue=False, note=note, colour=0, bars=bars, below=below)
        stopped = f"inactive: {queue.inactive}" if queue.inactive else ""
        return DrawnNode(
            number,
            node.name,
            is_queue=True,
            note="; ".join(filter(None, (stopped, note))),
            colour=self.colours[node.name],
            bars=tuple(self._queue_bars(tree, node, columns)),
            jobs=tuple(self.jobs.get(node.name, ())),
        )

    def _cohort_bars(self, tree: Tree, node: Node, columns: Sequence[FlavorResource]) -> Iterator[Bar]:
        names = _queues_below(tree, node)
        whole = _sums(self.totals[name] for name in names)
        for cohort in _cohorts_from(tree, node):
            declared = self.loaded.cluster.cohorts.get(cohort.name)
            for group in declared.resource_groups if declared else ():
                for quotas in group.flavors:
                    for resource, nominal in quotas.nominal.items():
                        at = FlavorResource(quotas.flavor, resource)
                        whole.setdefault(at, _Totals()).nominal += nominal
        for column, at in enumerate(columns):
            if at in whole:
                found = whole[at]
                scale = WIDTH / max(1, found.nominal, found.used)
                amounts = [
                    (
                        self.totals[name][at].used,
                        f"{name}: {format_amount(at.resource, self.totals[name][at].used)} in use",
                        self.colours[name],
                        None,
                    )
                    for name in names
                    if at in self.totals[name]
                ]
                pieces = _laid_out([each for each in amounts if each[0]], scale)
                yield Bar(column, _label(at), _words(at, found), found.nominal * scale, pieces, ())

    def _queue_bars(self, tree: Tree, node: Node, columns: Sequence[FlavorResource]) -> Iterator[Bar]:
        mine = self.totals[node.name]
        for column, at in enumerate(columns):
            if at not in mine:
                continue
            beside = (self.totals[name] for name in tree.places if name != node.name)
            others = [totals[at] for totals in beside if at in totals]
            found = mine[at]
            scale = WIDTH / max(1, *(max(each.nominal, each.used) for each in (found, *others)))
            borrowed = sum(max(0, each.used - each.nominal) for each in others)
            quota = node.quotas.get(at, NO_QUOTA)
            idle = quota_passed_up(quota) - usage_passed_up(quota, found.used)
            lent = max(0, min(idle, borrowed)) if node.parent is not None else 0
            jobs = [job for job in self.jobs.get(node.name, ()) if job.amounts.get(at)]
            used, pending = (
                _laid_out(
                    [
                        (
                            job.amounts[at],
                            " · ".join(
                                filter(
                                    None,
                                    (
                                        job.name,
                                        format_amount(at.resource, job.amounts[at]),
                                        f"priority {job.priority}",
                                        job.protected,
                                    ),
                                )
                            ),
                            self.colours[node.name],
                            job,
                        )
                        for job in jobs
                        if job.holds == holds
                    ],
                    scale,
                )
                for holds in (True, False)
            )
            words = _words(at, found, lent)
            yield Bar(column, _label(at), words, found.nominal * scale, used, pending)


def _laid_out(amounts: Sequence[tuple[Amount, str, int, DrawnJob | None]], scale: float) -> tuple[Piece, ...]:
    """Pieces one after another as far as the bar reaches; the smallest of many are one."""
    shown, rest = amounts, 0
    if len(amounts) > MOST_PIECES:
        least = sorted((amount for amount, _, _, _ in amounts), reverse=True)[MOST_PIECES - 1]
        shown = [each for each in amounts if each[0] >= least][: MOST_PIECES - 1]
        rest = sum(each[0] for each in amounts) - sum(each[0] for each in shown)
    pieces: list[Piece] = []
    at = 0.0
    for amount, title, colour, job in shown:
        width = min(amount * scale, WIDTH - at)
        if width <= 0:
            break
        number, level = (None, None) if job is None else (job.number, job.level)
        protected = job is not None and bool(job.protected)
        pieces.append(Piece(round(at, 2), round(width, 2), title, colour, level, number, protected))
        at += width
    if rest and at < WIDTH:
        title = f"{len(amounts) - len(shown)} smaller jobs"
        pieces.append(Piece(round(at, 2), round(min(rest * scale, WIDTH - at), 2), title, amounts[0][2]))
    return tuple(pieces)


def _words(at: FlavorResource, found: _Totals, lent: Amount = 0) -> str:
    used, nominal = (format_amount(at.resource, amount) for amount in (found.used, found.nominal))
    borrowed = max(0, found.used - found.nominal)
    parts = [f"{used} of {nominal} nominal in use"]
    if borrowed:
        parts[0] += f", {format_amount(at.resource, borrowed)} borrowed"
    if lent:
        parts[0] += f", up to {format_amount(at.resource, lent)} lent"
    if found.pending:
        parts.append(f"{format_amount(at.resource, found.pending)} pending")
    return "; ".join(parts)


def _sums(every: Iterable[Mapping[FlavorResource, _Totals]]) -> dict[FlavorResource, _Totals]:
    whole: dict[FlavorResource, _Totals] = {}
    for totals in every:
        for at, found in totals.items():
            whole.setdefault(at, _Totals()).add(found)
    return whole


def _cohorts_from(tree: Tree, node: Node) -> Iterator[Node]:
    yield node
    for place in node.cohorts:
        yield from _cohorts_from(tree, tree.nodes[place])


def _queues_below(tree: Tree, node: Node) -> list[str]:
    return [tree.nodes[place].name for cohort in _cohorts_from(tree, node) for place in cohort.queues]


def _label(at: FlavorResource) -> str:
    return f"{at.resource} on {at.flavor}"


def _brief(duration: Duration) -> str:
    """A duration to the minute; to the second below one."""
    unit = _MINUTE if duration >= _MINUTE else 10**9
    return format_duration(max(0, duration - duration % unit))


def jobs_words(jobs: Sequence[DrawnJob]) -> str:
    """How many jobs hold quota and wait.

    >>> jobs_words([])
    '0 jobs with quota, 0 pending'
    """
    holding = sum(job.holds for job in jobs)
    return f"{counted(holding, 'job')} with quota, {len(jobs) - holding} pending"


def nodes_of(picture: ClusterPicture) -> Iterator[DrawnNode]:
    """All nodes of a picture, each before those below it."""

    def from_node(node: DrawnNode) -> Iterator[DrawnNode]:
        yield node
        for child in node.below:
            yield from from_node(child)

    for tree in picture.trees:
        yield from from_node(tree)


def jobs_of(picture: ClusterPicture) -> Iterator[DrawnJob]:
    """All jobs of a picture."""
    for node in nodes_of(picture):
        yield from node.jobs
    yield from picture.queueless
