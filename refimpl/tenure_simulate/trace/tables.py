"""The columns of the trace engine: everything is a table of 64-bit whole numbers.

One row of a table is one job, ClusterQueue, shape, task or event. Jobs stand in the order in which they join,
ClusterQueues in the order of their names, and shapes (workloads that the scheduler takes for equivalent, by
ClusterQueue) in the order of their ClusterQueues. Instants are ns since the epoch, durations ns.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

from tenure_simulate.core.compiled import inlined
from tenure_simulate.core.heroes.tables import Books
from tenure_simulate.core.rounds import Rounds, Strategies
from tenure_simulate.core.tables import Forest, Order, Rows, Work

Table: TypeAlias = Any
"""A NumPy array of int64, or within compiled code what numba makes of one."""

NEVER: Final = 2**62
"""An instant that does not come."""
NO_JOB: Final = -1

WAITING, RUNNING, TERMINATING, DONE = range(4)
"""Phases of a job."""

HELD_ROWS, FIRST_STAMP, RECENT, SEARCHED, FOUND_FIRST, FOUND_END = range(6)
"""Of the trees: how many jobs hold quota, the least stamp and how many bits later ones have; the
flavor-resource of which the last search alone was (below 0 for none), and where its targets are."""

UNPARKED, PARKED = range(2)
"""The sides of a group."""
STEPS, TURN = range(2)
"""Of the lines: how many rows of `steps` are in use, and the number of the last turn."""

USED, CHARGED, AFTER = range(3)
"""What is in use: now, with what the cycle has charged, and once some have left."""

NO_FIT, NO_CANDIDATES, PREEMPT, FIT = range(4)
"""Outcomes of a decision."""

RELEASE, FINISH, WAKE = 0, 1, 3
"""Kinds of tasks, as `tenure_play.event_loop.TaskKind` numbers them."""

FINISHED, PREEMPTED, STILL_RUNNING = range(3)
"""How a run ends."""

NOW, MARK, LAST_CYCLE, DIRTY, ACTIVE, HEEDS, NUMBER, JOINED = range(8)
"""Of the play: its instant, until when what ran out has been looked at, when the last cycle began, whether
anything has changed since, how many wait unparked, whether time alone changes anything, how many tasks were
planned, how many have joined."""
CYCLES, HEADS = range(8, 10)
"""Of the play: how many cycles and heads there were."""
TASKS, TIMERS, RUNS, WAITS, PREEMPTIONS, HEAD_ROWS, TARGET_ROWS = range(10, 17)
"""How many rows of each growing table are in use."""
ENTRIES, FOUND, TAKEN = range(17, 20)
"""Of the cycle: how many heads, targets and preempted jobs it has."""
STATE_SIZE: Final = 20

OVER, PAUSED, FULL = range(3)
"""Why the engine has stopped: nothing more happens, it was to stop here, or a table must grow first."""


class TraceJobs(NamedTuple):
    """The jobs, in the order in which they join; every array is int64[jobs].

    Args:
        joins, queue, shape_id, priority: when it joins, its ClusterQueue, its shape, and its priority.
        request: its request of the first resource.
        rank: the place of its uid in the order of uids.
        created, work, keeps: its creation, how long it works (below 0 without end), and whether its progress
            survives. What follows changes.
        queued, stamp: the time that it queues from, and the stamp of its reservation.
        evicted, phase, stay: whether it is evicted, its phase, and the number of its stay with quota.
        reserved, stopped, since: when that began, when it was evicted, and since when it has its phase.
        progress, preemptor: what it has worked and not lost, and who preempted it last.
        rotated: the stamp of its last preemption by time, below 0 without one.
        leaves: whether the cycle preempts it.
        slot: its place among those that hold quota.
    """

    joins: Table
    queue: Table
    shape_id: Table
    priority: Table
    request: Table
    rank: Table
    created: Table
    work: Table
    keeps: Table
    queued: Table
    stamp: Table
    evicted: Table
    phase: Table
    stay: Table
    reserved: Table
    stopped: Table
    since: Table
    progress: Table
    preemptor: Table
    rotated: Table
    leaves: Table
    slot: Table


class Queues(NamedTuple):
    """The ClusterQueues, in the order of their names, and one place more; every array is int64[queues + 1].

    Args:
        within, reclaim, borrow: its policies.
        threshold: its maxPriorityThreshold, `NEVER` without one.
        duration: the minAdmitDuration in force, below 0 without one.
        strict, inactive: whether it is StrictFIFO, and whether it is inactive.
        first_shape, tree: where its shapes begin, and the first ClusterQueue of its tree.
        hero: how many cohorts are above it where it is a hero, otherwise 0.
        head, head_waits: the job that is kept at its head, and whether that one waits.
        wake_at: of the first one of a tree, when the parked of the tree are woken.
    """

    within: Table
    reclaim: Table
    borrow: Table
    threshold: Table
    duration: Table
    strict: Table
    inactive: Table
    first_shape: Table
    tree: Table
    hero: Table
    head: Table
    head_waits: Table
    wake_at: Table


class Policies(NamedTuple):
    """What holds for the whole play.

    Args:
        end: of the play.
        eviction, gap, retry: as of `tenure_play.scenario.Timing`.
        expired_only, by_reservation, by_eviction, at_expiry: choices of the reading, 0 or 1.
        journal: whether every head is written down, 0 or 1.
    """

    end: int
    eviction: int
    gap: int
    retry: int
    expired_only: int
    by_reservation: int
    by_eviction: int
    at_expiry: int
    journal: int


class Shapes(NamedTuple):
    """The shapes of jobs that wait; every array is int64[shapes].

    Args:
        first, size: where its heap begins and how many stand in it.
        with_head: whether the job that is kept at the head of the queue waits and is of this shape.
        parked: whether it is parked.
    """

    first: Table
    size: Table
    with_head: Table
    parked: Table


class Entries(NamedTuple):
    """The heads of a cycle; every array is int64[queues].

    Args:
        job: the job.
        outcome, level: what was decided, and whether it would borrow.
        first, targets: where its targets begin and how many they are.
        result: what became of it.
        kept: whether it was kept at the head.
    """

    job: Table
    outcome: Table
    level: Table
    first: Table
    targets: Table
    result: Table
    kept: Table


class Ways(NamedTuple):
    """A way of serving each resource; every array is int64[resources].

    Args:
        column: the flavor-resource.
        mode: `tenure.model.FlavorMode`.
        level: how far up the tree quota would come from.
    """

    column: Table
    mode: Table
    level: Table


class TreeTables(NamedTuple):
    """What the trace engine knows of trees beside the records of the optimized core.

    Args:
        node, depth: of each ClusterQueue, its node and how many nodes its path has.
        may_borrow: of each, whether it may preempt while it borrows (KQ-530).
        when_can_borrow, when_can_preempt, preference: of each, its `flavorFungibility`.
        paths: of each ClusterQueue, from its node to the root, int32[queues, deepest].
        heights: of each node, as `tenure_simulate.core.layout.Layout`.
        potential: the most that a node could ever have of each flavor-resource (KQ-160).
        options: by flavor that a group offers and resource, the flavor-resource, below 0 for none.
        first_option, end_option: of each ClusterQueue and resource, where its options begin and end.
        requests: of each job, by resource.
        low: of each job, the rank of its priority.
        columns: of each job, the flavor-resource that it gets of each resource, below 0 for none.
        used, charged, after: `USED` to `AFTER`, by node and flavor-resource.
        tried, chosen: a flavor for each resource.
        at, amount, needed, is_needed, watched: room for an `Ask`.
        holder: the job of each row of `Trees.rows`.
        counts: `HELD_ROWS` to `FOUND_END`.
    """

    node: Table
    depth: Table
    may_borrow: Table
    when_can_borrow: Table
    when_can_preempt: Table
    preference: Table
    paths: Table
    heights: Table
    potential: Table
    options: Table
    first_option: Table
    end_option: Table
    requests: Table
    low: Table
    columns: Table
    used: Table
    charged: Table
    after: Table
    tried: Ways
    chosen: Ways
    at: Table
    amount: Table
    needed: Table
    is_needed: Table
    watched: Table
    holder: Table
    counts: Table


@inlined
def usage_of(tables: TreeTables, row: int) -> Table:
    """What is in use by node and flavor-resource: `USED`, `CHARGED` or `AFTER`."""
    return tables.used if row == USED else tables.charged if row == CHARGED else tables.after


@inlined
def path_of(tables: TreeTables, place: int) -> Table:
    """The nodes from a ClusterQueue to its root."""
    return tables.paths[place, : tables.depth[place]]


class TurnContest(NamedTuple):
    """A tournament of fair sharing among heads, by node (CYC-030).

    Args:
        entry: the head that wins below it, below 0 for none, int64[nodes].
        borrows: whether the node would borrow for the request of that head, bool[nodes].
        ratio, share: of the node with that head admitted, as `Rounds` of the core has it, float64[nodes].
    """

    entry: Table
    borrows: Table
    ratio: Table
    share: Table


class FairSharing(NamedTuple):
    """What fair sharing needs.

    Args:
        rounds: room for a tournament of the optimized core.
        contest: that of the heads.
        how: who may be preempted by share.
    """

    rounds: Rounds
    contest: TurnContest
    how: Strategies


class HeroTables(NamedTuple):
    """What the trace engine knows of trees with heroes beside `TreeTables`.

    Args:
        books: as a search leaves them, but for `singles` and `amounts`: those of the row of usage hold.
        now, covered, singles, amounts: as of `Books`, by row of usage, `USED` to `AFTER`. Of the first only
            what is held is kept; what is in use of the others is in `TreeTables`.
        rounds: room for a search of a hero.
        accessible: the most that each hero may use, int64[nodes, columns].
        requested: room for that of a request.
        queues, heads: room for a search of a hero.
        stale: whether what is in use has to be counted again, by row, root of the tree and column.
        slot: where what each job of a hero holds is in `amounts`, by row.
        owner: whose that is, by row.
        rank_first: the choice of reading `hero_precedence`.
    """

    books: Books
    now: Table
    covered: Table
    singles: Table
    amounts: Table
    rounds: Rounds
    accessible: Table
    requested: Table
    queues: Table
    heads: Table
    stale: Table
    slot: Table
    owner: Table
    rank_first: int


class Trees(NamedTuple):
    """Trees of quota of any flavors and resources.

    Args:
        forest, rows, work: as the optimized core's searches take them; a row is a job with quota.
        tables: see there.
        order: of candidates.
        fair: see there; None without fair sharing.
        classical: None with fair sharing: the compiler leaves out a branch only where something is None.
    """

    forest: Forest
    rows: Rows
    work: Work
    tables: TreeTables
    order: Order
    fair: FairSharing | None = None
    classical: int | None = 1


class Members(NamedTuple):
    """The jobs, where priorities move; every array is int64[jobs].

    Args:
        course, step: its course, and the row of it that holds.
        born: the instant from which its age counts.
        group: its group.
        child, next, before: in the heap of that its first child, its next sibling, and what comes before: a
            sibling or the parent.
        set_at, set_side: the turn at which it was put into a heap by itself, and on which side.
    """

    course: Table
    step: Table
    born: Table
    group: Table
    child: Table
    next: Table
    before: Table
    set_at: Table
    set_side: Table


class Lines(NamedTuple):
    """The jobs that wait, where those that are alike now may not be later: their priorities grow.

    A group is what is alike now: of one ClusterQueue, with the same pods and priority. Its jobs are in two
    pairing heaps, those that are parked and those that are not. All of a group parks, and all of a
    ClusterQueue is woken, by joining heaps; so no job has its side: what happened last decides.

    Args:
        members: see there.
        top, many: of each group, which is a shape and a level, the first of the heap of each side, and how
            many are in it, int64[groups, 2].
        later, earlier: the neighbours of each side among the groups of the ClusterQueue that have any there.
        parked_at: of each group, the turn at which all of it was parked last.
        first: of each ClusterQueue, the first group that has any on each side, int64[queues, 2].
        woken_at, forgot_at: of each, the turns at which all that were parked were woken last, and any were.
        age, gives, level: of each row of the courses, the age from which it holds, the priority, and its rank
            among all of the play.
        spans: where each course begins; the last one is the end.
        steps: a heap as `tasks`: when the priority of a job takes its next step.
        counts: `STEPS` and `TURN`.
        levels: how many priorities there are in the play.
    """

    members: Members
    top: Table
    many: Table
    later: Table
    earlier: Table
    parked_at: Table
    first: Table
    woken_at: Table
    forgot_at: Table
    age: Table
    gives: Table
    level: Table
    spans: Table
    steps: Table
    counts: Table
    levels: int


class TracePlay(NamedTuple):
    """A play in the making.

    Args:
        jobs, queues, shapes: see there.
        heaps: jobs that wait, by shape; each shape's part is a heap.
        state: `NOW` to `TAKEN`.
        tasks, timers: heaps; at, order, job, stay.
        entries, turns: the heads of the cycle, and their order.
        found: targets of the heads: job, basis.
        taken: jobs that the cycle has preempted.
        runs: job, start, end, how it ended, stopped, preemptor, work done, work lost.
        waits: job, start, end, admitted.
        preemptions: at, preemptor, victim, basis, ran, cut short, cycle.
        heads: at, job, outcome, result, kept at the head, number of targets.
        targets: of the heads: job.
        margins: how many rows an instant may add to each growing table, by `TASKS` to `TARGET_ROWS`.
        policies: see there.
        trees: see there.
        heroes: see there; None without heroes. Compiled code is made for each.
        lines: see there; None where no priority moves: jobs wait in `heaps` then.
    """

    jobs: TraceJobs
    queues: Queues
    shapes: Shapes
    heaps: Table
    state: Table
    tasks: Table
    timers: Table
    entries: Entries
    turns: Table
    found: Table
    taken: Table
    runs: Table
    waits: Table
    preemptions: Table
    heads: Table
    targets: Table
    margins: Table
    policies: Policies
    trees: Trees
    heroes: HeroTables | None
    lines: Lines | None = None
