"""What is drawn of a cluster: every cohort and ClusterQueue with its quota and usage, and its jobs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tenure.api import Loaded, waiting_for
from tenure.errors import InputError
from tenure.model import (
    UNLIMITED,
    Amount,
    Amounts,
    ClusterQueue,
    Duration,
    FlavorResource,
    Instant,
    Workload,
)
from tenure.oracle.decide import Decision
from tenure.oracle.heroes.accessible import Account, accessible_tree
from tenure.oracle.heroes.plan import plan_heroes
from tenure.oracle.snapshot import take_snapshot, with_effective_priority
from tenure.oracle.tree import NO_QUOTA, Node, Tree, build_tree
from tenure.readings import Reading
from tenure.rules.amounts import plus
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
        victim: its place among the victims of a decision, from 1; 0 where it is none.
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
    victim: int = 0

    def amount_on(self, label: str) -> str:
        """What it holds or requests of the flavor-resource with a label."""
        return "".join(_amount(at, amount) for at, amount in self.amounts.items() if _label(at) == label)

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
        billed: how much of its nominal quota heroes are billed, of `WIDTH`.
    """

    column: int
    label: str
    words: str
    nominal: float
    used: tuple[Piece, ...]
    pending: tuple[Piece, ...]
    billed: float = 0.0


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
        decided: the outcome of a decision with its victims, in words; empty without one.
    """

    now: Instant
    columns: tuple[str, ...]
    trees: tuple[DrawnNode, ...]
    queueless: tuple[DrawnJob, ...]
    levels: tuple[str, ...]
    queues: int
    running: int
    pending: int
    decided: str = ""


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


def picture_of_decision(decision: Decision) -> ClusterPicture:
    """What is drawn of a decision: its cluster, its victims, and as the one pending workload its preemptor.

    Args:
        decision: with the flavor-resources that the preemptor requests; all of them where it gets none.

    Raises:
        InputError: a priority class that the reading refuses.

    >>> from tenure.api import decide, load
    >>> from tenure.resources import bundled
    >>> two_teams = load(bundled("examples", "two-teams"))
    >>> decision = decide(two_teams, "team-a/job-doc-index-dfa0b", now="2026-03-02T14:00:00Z")
    >>> picture_of_decision(decision).decided
    'job-doc-index-dfa0b in gpu-cluster-queue: Preempt of job-notebook-export-9440c'
    """
    return _Drawing(Loaded(decision.snapshot.cluster), decision.now, decision.reading, decision).picture()


@dataclass
class _Totals:
    """Of one flavor-resource at a node and below."""

    nominal: Amount = 0
    used: Amount = 0
    pending: Amount = 0

    def add(self, nominal: Amount = 0, used: Amount = 0, pending: Amount = 0) -> None:
        self.nominal, self.used = plus(self.nominal, nominal), plus(self.used, used)
        self.pending = plus(self.pending, pending)


@dataclass
class _Drawing:
    loaded: Loaded
    now: Instant
    reading: Reading
    decision: Decision | None = None
    jobs: dict[str, list[DrawnJob]] = field(default_factory=lambda: defaultdict(list))
    totals: dict[str, dict[FlavorResource, _Totals]] = field(default_factory=dict)
    """By ClusterQueue."""
    colours: dict[str, int] = field(default_factory=dict)
    accounts: dict[tuple[str, bool, FlavorResource], Account] = field(default_factory=dict)
    """What heroes bill, by name and flavor-resource; whether it is a ClusterQueue tells equal names apart."""
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
                self._take_accounts(tree, queue)
                trees.append(self._branch(tree, 0, columns, note))
        return ClusterPicture(
            now=self.now,
            columns=tuple(map(_label, columns)),
            trees=tuple(sorted(trees, key=lambda root: (root.name, root.is_queue))),
            queueless=tuple(self.jobs.get("", ())),
            levels=levels,
            queues=len(queues),
            running=len(cluster.admitted),
            pending=len(cluster.pending) if self.decision is None else 1,
            decided="" if self.decision is None else _decided(self.decision),
        )

    def _take_accounts(self, tree: Tree, queue: ClusterQueue) -> None:
        """Fill `accounts`; what is billed in a tree that is not modelled is not known."""
        if tree.unmodelled or plan_heroes(tree, self.reading) is None:
            return
        for node in accessible_tree(take_snapshot(self.loaded.cluster, queue.name, self.now, self.reading)):
            self.accounts |= {
                (node.name, node.is_queue, account.flavor_resource): account
                for account in node.accounts
                if account.bill
            }

    def _tree(self, queue: ClusterQueue) -> tuple[Tree, str]:
        cluster = self.loaded.cluster
        try:
            return build_tree(cluster, queue), ""
        except InputError as error:
            alone = replace(queue, cohort=None)
            return build_tree(cluster, alone), "; ".join(map(str, error.problems))

    def _take_jobs(self) -> tuple[str, ...]:
        """Fill `jobs`; the priorities of each level."""
        cluster, decision = self.loaded.cluster, self.decision
        jobs = [(self._effective(workload), workload.cluster_queue, True) for workload in cluster.admitted]
        victims: dict[str, int] = {}
        if decision is None:
            jobs += [(self._effective(each), queue, False) for each, queue in waiting_for(self.loaded)]
        else:
            jobs.append((decision.preemptor, decision.queue.name, False))
            victims = {target.workload.key: place for place, target in enumerate(decision.targets, 1)}
        known = sorted({workload.priority for workload, _, _ in jobs})
        level = {priority: rank * LEVELS // len(known) for rank, priority in enumerate(known)}
        protection = {
            name: duration_in_force(terms_of(queue, cluster.settings, self.reading))
            for name, queue in cluster.cluster_queues.items()
        }

        def order(job: tuple[Workload, str | None, bool]) -> tuple[bool, bool, int, Instant, str]:
            workload, _, holds = job
            return not holds, workload.key in victims, -workload.priority, workload.created_at, workload.key

        for number, (workload, named, holds) in enumerate(sorted(jobs, key=order)):
            queue = named or ""
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
                    victim=victims.get(workload.key, 0) if holds else 0,
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

    def _effective(self, workload: Workload) -> Workload:
        return with_effective_priority(workload, self.loaded.cluster, self.now, self.reading)

    def _requested(self, workload: Workload, queue: str) -> Amounts:
        """What a pending workload requests, at the flavor that it names or the first of its ClusterQueue."""
        if self.decision is not None and self.decision.assignment.usage:
            return self.decision.assignment.usage
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
                    found[at].add(**{"used" if job.holds else "pending": amount})
        return found

    def _columns(self) -> list[FlavorResource]:
        """Every flavor-resource, the one with the greatest demand for its nominal quota first."""
        whole = _sums(self.totals.values())

        def demand(at: FlavorResource) -> tuple[float, FlavorResource]:
            found = whole[at]
            return -(found.used + found.pending) / max(1, found.nominal), at

        asked = {} if self.decision is None else self.decision.assignment.usage
        return sorted([at for at in whole if at in asked] or whole, key=demand)

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
            for at, quota in cohort.quotas.items():
                if quota.nominal:
                    whole.setdefault(at, _Totals()).add(quota.nominal)
        for column, at in enumerate(columns):
            if at in whole:
                found = whole[at]
                scale = WIDTH / max(1, found.nominal, found.used)
                used = [(self.totals[name][at].used, name) for name in names if at in self.totals[name]]
                pieces = [
                    (amount, Piece(0, 0, f"{name}: {_amount(at, amount)} in use", self.colours[name]))
                    for amount, name in used
                    if amount
                ]
                own = node.quotas.get(at, NO_QUOTA).nominal
                words = _words(at, found, own=own) + _billed(self.accounts.get((node.name, False, at)))
                yield Bar(column, _label(at), words, found.nominal * scale, _laid_out(pieces, scale), ())

    def _extent(self, found: _Totals) -> Amount:
        """How far a bar reaches: the pending jobs of a cluster may exceed that, the preemptor does not."""
        return max(found.nominal, found.used, found.pending if self.decision is not None else 0)

    def _queue_bars(self, tree: Tree, node: Node, columns: Sequence[FlavorResource]) -> Iterator[Bar]:
        mine = self.totals[node.name]
        for column, at in enumerate(columns):
            if at not in mine:
                continue
            beside = (self.totals[name] for name in tree.places if name != node.name)
            others = [totals[at] for totals in beside if at in totals]
            found = mine[at]
            scale = WIDTH / max(1, *map(self._extent, (found, *others)))
            borrowed = sum(max(0, each.used - each.nominal) for each in others)
            quota = node.quotas.get(at, NO_QUOTA)
            idle = quota_passed_up(quota) - usage_passed_up(quota, found.used)
            lent = max(0, min(idle, borrowed)) if node.parent is not None else 0
            kept = max(0, found.nominal - found.used - idle) if node.parent is not None else 0
            used, pending = (
                _laid_out(
                    [
                        (job.amounts[at], self._piece(job, at))
                        for job in self.jobs.get(node.name, ())
                        if job.holds == holds and job.amounts.get(at)
                    ],
                    scale,
                )
                for holds in (True, False)
            )
            account = self.accounts.get((node.name, True, at))
            billed = max(0, min(account.bill, found.nominal)) * scale if account else 0.0
            words = _words(at, found, 0 if account else lent, kept=kept) + _billed(account)
            yield Bar(column, _label(at), words, found.nominal * scale, used, pending, billed)

    def _piece(self, job: DrawnJob, at: FlavorResource) -> Piece:
        """A job in a bar, wherever it begins."""
        words = (job.name, _amount(at, job.amounts[at]), f"priority {job.priority}", job.protected)
        title = " · ".join(filter(None, words))
        return Piece(0, 0, title, self.colours[job.queue], job.level, job.number, bool(job.protected))


def _laid_out(amounts: Sequence[tuple[Amount, Piece]], scale: float) -> tuple[Piece, ...]:
    """Pieces one after another as far as the bar reaches; the smallest of many are one."""
    shown = [*amounts]
    if len(amounts) > MOST_PIECES:
        least = sorted((amount for amount, _ in amounts), reverse=True)[MOST_PIECES - 1]
        shown = [each for each in amounts if each[0] >= least][: MOST_PIECES - 1]
        rest = sum(amount for amount, _ in amounts) - sum(amount for amount, _ in shown)
        title = f"{len(amounts) - len(shown)} smaller jobs"
        shown.append((rest, Piece(0, 0, title, amounts[0][1].colour)))
    pieces: list[Piece] = []
    at = 0.0
    for amount, piece in shown:
        width = min(amount * scale, WIDTH - at)
        if width <= 0:
            break
        pieces.append(replace(piece, x=round(at, 2), width=round(width, 2)))
        at += width
    return tuple(pieces)


def _words(at: FlavorResource, found: _Totals, lent: Amount = 0, own: Amount = 0, *, kept: Amount = 0) -> str:
    borrowed = max(0, found.used - found.nominal)
    parts = [f"{_amount(at, found.used)} of {_amount(at, found.nominal)} nominal in use"]
    if borrowed:
        parts[0] += f", {_amount(at, borrowed)} borrowed"
    if lent:
        parts[0] += f", up to {_amount(at, lent)} lent"
    if kept:
        parts[0] += f", {_amount(at, kept)} idle that its lendingLimit keeps"
    if own:
        parts.append(f"{_amount(at, own)} nominal of its own")
    if found.pending:
        parts.append(f"{_amount(at, found.pending)} pending")
    return "; ".join(parts)


def _billed(account: Account | None) -> str:
    if account is None:
        return ""
    bill, left = (_amount(account.flavor_resource, each) for each in (account.bill, account.accessible))
    return f"; billed {bill}, {left} left"


def _amount(at: FlavorResource, amount: Amount) -> str:
    return "unlimited" if amount == UNLIMITED else format_amount(at.resource, amount)


def _decided(decision: Decision) -> str:
    victims = ", ".join(target.workload.name for target in decision.targets)
    outcome = f"{decision.outcome} of {victims}" if victims else f"{decision.outcome}"
    return f"{decision.preemptor.name} in {decision.queue.name}: {outcome}"


def _sums(every: Iterable[Mapping[FlavorResource, _Totals]]) -> dict[FlavorResource, _Totals]:
    whole: dict[FlavorResource, _Totals] = {}
    for totals in every:
        for at, found in totals.items():
            whole.setdefault(at, _Totals()).add(found.nominal, found.used, found.pending)
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
