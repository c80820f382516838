"""Rules of the play of queues: who is tried next, what becomes of it, and when anything is due.

Every one takes whole numbers, truth values and records of these, and calls no other rule, so that the play of
snapshots and a compiled engine of arrays call the same functions.
"""

from __future__ import annotations

from tenure.model import SECOND, Amount, Contestant, CycleHead, Duration, Instant, TurnResult
from tenure.rules.registry import rule


@rule("CYC-010")
def is_ahead_in_queue(
    sticks: bool,
    other_sticks: bool,
    priority: int,
    other_priority: int,
    queued_at: Instant,
    other_queued_at: Instant,
    lower_uid: bool,
) -> bool:
    """Whether a pending workload comes before another one of its ClusterQueue.

    > Pending workloads of a ClusterQueue are ordered by, in turn:
    >
    > 1. the workload that is kept at the head (CYC-080), before all others;
    > 2. effective priority, highest first;
    > 3. queue-order timestamp, earliest first;
    > 4. uid, lowest first.

    Args:
        sticks, other_sticks: whether the workload, and the other one, is kept at the head of the queue.
        priority, other_priority: effective priorities.
        queued_at, other_queued_at: queue-order timestamps, ns since the epoch.
        lower_uid: whether the workload's uid is the lower one.

    Source: Kueue main of August 2026, order of a ClusterQueue's heap; preemptor at its head.

    >>> is_ahead_in_queue(True, False, 0, 9, 5, 5, lower_uid=False)
    True
    >>> is_ahead_in_queue(False, False, 7, 7, 4, 5, lower_uid=False)
    True
    """
    if sticks != other_sticks:
        return sticks
    if priority != other_priority:
        return priority > other_priority
    if queued_at != other_queued_at:
        return queued_at < other_queued_at
    return lower_uid


@rule("CYC-020")
def has_earlier_turn(mine: CycleHead, theirs: CycleHead, by_priority: bool) -> bool:
    """Whether a head has its turn in a scheduling cycle before another one, without fair sharing.

    > Without fair sharing, the heads of a scheduling cycle have their turns
    > by, in turn:
    >
    > 1. preemptors that wait for their targets before all others, when gate
    >    PrioritizePreemptorWorkloads is on;
    > 2. the level at which the head would borrow, lowest first;
    > 3. effective priority, highest first, when gate
    >    PrioritySortingWithinCohort is on;
    > 4. queue-order timestamp, earliest first.

    Args:
        mine, theirs: the head, and the other one.
        by_priority: gate PrioritySortingWithinCohort.

    Returns:
        False both ways for two heads that are equal in all of it: Kueue leaves these to chance.

    Source: Kueue main of August 2026, classical iterator of a scheduling cycle.

    >>> low, high = CycleHead(False, 0, priority=3, queued_at=4), CycleHead(False, 0, priority=9, queued_at=5)
    >>> [has_earlier_turn(high, low, by_priority) for by_priority in (True, False)]
    [True, False]
    >>> has_earlier_turn(low, CycleHead(False, 1, priority=9, queued_at=5), by_priority=True)
    True
    """
    if mine.goes_first != theirs.goes_first:
        return mine.goes_first
    if mine.level != theirs.level:
        return mine.level < theirs.level
    if by_priority and mine.priority != theirs.priority:
        return mine.priority > theirs.priority
    return mine.queued_at < theirs.queued_at


@rule("CYC-030")
def wins_tournament(mine: Contestant, theirs: Contestant, share: int, by_priority: bool) -> bool:
    """Whether a head beats the head of a sibling in the tournament of fair sharing.

    > With fair sharing, a head beats the head of a sibling by, in turn:
    >
    > 1. waiting for its targets as a preemptor, when gate
    >    PrioritizePreemptorWorkloads is on;
    > 2. its node not borrowing with the head admitted;
    > 3. the lower share of its node with the head admitted (KQ-450);
    > 4. the higher effective priority, when gate PrioritySortingWithinCohort
    >    is on;
    > 5. the earlier queue-order timestamp.

    Args:
        mine, theirs: the head, and that of the sibling.
        share: how the share of its node compares with that of the other's: below, at or above 0.
        by_priority: gate PrioritySortingWithinCohort.

    Returns:
        False both ways for two heads that are equal in all of it: Kueue leaves these to chance.

    Source: Kueue main of August 2026, fair sharing iterator of a scheduling cycle.

    >>> low, high = Contestant(False, True, priority=0, queued_at=5), Contestant(False, True, 9, queued_at=4)
    >>> [wins_tournament(low, high, share, by_priority=True) for share in (-1, 0)]
    [True, False]
    >>> wins_tournament(low, Contestant(False, False, priority=0, queued_at=5), -1, by_priority=True)
    False
    """
    if mine.goes_first != theirs.goes_first:
        return mine.goes_first
    if mine.borrows != theirs.borrows:
        return theirs.borrows
    if share != 0:
        return share < 0
    if by_priority and mine.priority != theirs.priority:
        return mine.priority > theirs.priority
    return mine.queued_at < theirs.queued_at


@rule("CYC-040")
def is_decided_again(overlaps: bool, recomputes: bool) -> bool:
    """Whether a head is decided again when its turn comes.

    > A head is decided again on its turn, as if every workload that the
    > cycle has preempted had left, when one of these is a target of its own
    > and gate RecomputeAssignmentUponPreemptionTargetsOverlap is on.

    Args:
        overlaps: whether an earlier head of the cycle preempts one of its targets.
        recomputes: the gate.

    Source: Kueue main of August 2026, scheduling cycle.

    >>> is_decided_again(overlaps=True, recomputes=False)
    False
    """
    return overlaps and recomputes


@rule("CYC-050")
def must_still_fit(nothing_found: bool, defers: bool, overlaps: bool) -> bool:
    """Whether a head is checked against what the cycle has given to the heads before it.

    > A head that may be admitted, or has found targets, must still fit
    > beside what earlier heads of the cycle have been given, unless:
    >
    > 1. it waits for targets of an earlier head (CYC-060); or
    > 2. one of its targets is preempted for an earlier head.

    Args:
        nothing_found: whether its decision is NoFit or NoCandidates.
        defers: whether it was decided again on its turn, and fits once those who were preempted have left.
        overlaps: whether an earlier head of the cycle preempts one of its targets.

    Source: Kueue main of August 2026, scheduling cycle.

    >>> must_still_fit(nothing_found=False, defers=False, overlaps=False)
    True
    """
    return not nothing_found and not defers and not overlaps


@rule("CYC-060")
def result_of_turn(
    nothing_found: bool, strict: bool, defers: bool, still_fits: bool, preempts: bool
) -> TurnResult:
    """What becomes of a head on its turn.

    > A head is, by the first condition that holds:
    >
    > 1. parked, when its decision is NoFit or NoCandidates; in a StrictFIFO
    >    queue it is tried again instead;
    > 2. left to wait for targets, when it was decided again and fits once
    >    the workloads that the cycle has preempted have left;
    > 3. skipped, when one of its targets is preempted for an earlier head,
    >    or when it no longer fits;
    > 4. preempting, when it has found targets;
    > 5. admitted.

    Args:
        nothing_found: whether its decision is NoFit or NoCandidates.
        strict: whether its queue is StrictFIFO.
        defers: condition 2.
        still_fits: whether it was checked (CYC-050), and fits.
        preempts: whether its decision is Preempt.

    Source: Kueue main of August 2026, scheduling cycle, and requeueing by strategy.

    >>> result_of_turn(True, False, False, False, False).name
    'PARKED'
    >>> result_of_turn(False, False, False, True, True).name
    'PREEMPTING'
    """
    if nothing_found:
        return TurnResult.TRIED_AGAIN if strict else TurnResult.PARKED
    if defers:
        return TurnResult.WAITS_FOR_TARGETS
    if not still_fits:
        return TurnResult.SKIPPED
    return TurnResult.PREEMPTING if preempts else TurnResult.ADMITTED


@rule("CYC-070")
def awaits_targets(result: TurnResult) -> bool:
    """Whether a head is its queue's preemptor from now on.

    > A head becomes the preemptor of its ClusterQueue when it preempts, or
    > waits for targets of an earlier head.

    Args:
        result: what became of it on its turn.

    Source: Kueue main of August 2026, requeueing with reason PendingPreemption.

    >>> [awaits_targets(result) for result in (TurnResult.PREEMPTING, TurnResult.SKIPPED)]
    [True, False]
    """
    return result == TurnResult.PREEMPTING or result == TurnResult.WAITS_FOR_TARGETS


@rule("CYC-080")
def is_kept_at_head(preemptor: bool, strict: bool) -> bool:
    """Whether a pending workload is kept at the head of its queue.

    > The preemptor of a BestEffortFIFO queue is kept at its head until it is
    > admitted, finished or deleted. In a StrictFIFO queue the order alone
    > decides.

    Args:
        preemptor: whether it is its queue's preemptor (CYC-070).
        strict: whether the queue is StrictFIFO.

    Source: Kueue main of August 2026, preemptor of a ClusterQueue.

    >>> is_kept_at_head(preemptor=True, strict=True)
    False
    """
    return preemptor and not strict


@rule("CYC-090")
def joins_those_parked(strict: bool, like_one_parked: bool) -> bool:
    """Whether a workload that comes to wait is parked without being tried.

    > A workload that comes to wait is parked untried when its queue is not
    > StrictFIFO and one of the same effective priority and pods was parked
    > since the last wake.

    Args:
        strict: whether its queue is StrictFIFO.
        like_one_parked: whether one like it was parked since the last wake.

    Source: Kueue main of August 2026, gate SchedulingEquivalenceHashing.

    >>> joins_those_parked(strict=False, like_one_parked=True)
    True
    """
    return like_one_parked and not strict


@rule("CYC-100")
def keeps_capacity(reclaims_any: bool, hero: bool, goes_first: bool) -> bool:
    """Whether quota is kept in a cycle for a head without candidates.

    > For a head without candidates quota is kept from later heads of the
    > cycle, unless its ClusterQueue can always reclaim it: with
    > reclaimWithinCohort Any, or as a hero. For a preemptor that has its
    > turn first it is kept in any case.

    Args:
        reclaims_any: whether reclaimWithinCohort of its queue is Any.
        hero: whether its queue is a hero (UCQ-050).
        goes_first: whether it waits for its targets and gate PrioritizePreemptorWorkloads is on.

    Source: Kueue main of August 2026, scheduling cycle; F-059 for heroes.

    >>> keeps_capacity(reclaims_any=False, hero=False, goes_first=False)
    True
    """
    return goes_first or (not reclaims_any and not hero)


@rule("CYC-110")
def capacity_kept(
    amount: Amount, usage: Amount, nominal: Amount, limited: bool, limit: Amount, borrows: bool
) -> Amount:
    """How much of a flavor-resource is kept in a cycle for a head without candidates.

    > A head that would not borrow is kept what others have left of its
    > nominal quota, at most what it asks for. One that would borrow is kept
    > what it asks for, at most what its borrowing limit leaves.

    Args:
        amount: its request.
        usage: what is in use at its ClusterQueue.
        nominal: the nominal quota there.
        limited: whether there is a borrowing limit.
        limit: the borrowing limit; any number where there is none.
        borrows: whether the head would borrow.

    Returns:
        what the cycle counts as used from now on; below 0 where the ClusterQueue uses more than its limit
        allows.

    Source: Kueue main of August 2026, scheduling cycle, resources to reserve.

    >>> capacity_kept(4, usage=3, nominal=5, limited=False, limit=0, borrows=False)
    2
    >>> capacity_kept(4, usage=3, nominal=5, limited=True, limit=1, borrows=True)
    3
    """
    if not borrows:
        return max(0, min(amount, nominal - usage))
    if not limited:
        return amount
    return min(amount, nominal + limit - usage)


@rule("CYC-120")
def wants_cycle(changed: bool, down: bool, pending: bool) -> bool:
    """Whether there is anything for a scheduling cycle to do.

    > A scheduling cycle is due when something has changed since the last one
    > began, a controller runs, and a workload waits that is not parked.

    Args:
        changed: whether the next cycle may find what the last one did not.
        down: whether the controller is being restarted.
        pending: whether any queue has a workload that is not parked.

    Source: Kueue main of August 2026, which runs cycles all the time; one that finds what the last one found
        is left out.

    >>> wants_cycle(changed=True, down=False, pending=False)
    False
    """
    return changed and not down and pending


@rule("CYC-130")
def cycle_due_at(now: Instant, last: Instant, gap: Duration) -> Instant:
    """When a scheduling cycle that is due begins.

    > A scheduling cycle begins at once, but not before the gap between two
    > cycles has passed since the last one.

    Args:
        now: ns since the epoch.
        last: when the last cycle began; at least the gap before the start of the play where there was none.
        gap: ns between two cycles at least.

    Source: a play's `timing.cycle`; a cycle of Kueue takes time, one of a play does not.

    >>> cycle_due_at(7, 5, 10), cycle_due_at(7, -10, 10)
    (15, 7)
    """
    return max(now, last + gap)


@rule("CYC-140")
def wake_due_at(planned: bool, planned_at: Instant, now: Instant, retry: Duration) -> Instant:
    """When the parked workloads of a tree are woken after an event there.

    > The parked workloads of a tree of cohorts are woken one retry interval
    > after an event there. An event while a wake is planned plans none of
    > its own.

    Args:
        planned: whether a wake of the tree is planned.
        planned_at: for when; any number where none is.
        now: of the event.
        retry: ns between an event and its wake.

    Source: Kueue main of August 2026, inadmissible workloads; its events are batched for one second.

    >>> wake_due_at(False, 0, 9, 5), wake_due_at(True, 11, 9, 5)
    (14, 11)
    """
    return planned_at if planned else now + retry


@rule("CYC-150")
def protection_ended_at(reserved_at: Instant, min_admit_duration: Duration) -> Instant:
    """The first instant at which a workload has used up its protected time.

    > The protected time of a workload has ended one nanosecond after its
    > minAdmitDuration has passed.

    Args:
        reserved_at: its quota reservation time (KQ-030), ns since the epoch.
        min_admit_duration: the duration in force, ns.

    Source: TBP-020, which requires strictly more than the duration, on a clock of whole nanoseconds.

    >>> protection_ended_at(100, 50)
    151
    """
    return reserved_at + min_admit_duration + 1


@rule("CYC-160")
def persisted(instant: Instant) -> Instant:
    """A time as Kubernetes keeps it in a condition.

    > A timestamp of a condition is its instant without the fraction of a
    > second.

    Args:
        instant: ns since the epoch.

    Source: Kubernetes metav1.Time, which is written without a fraction of a second.

    >>> persisted(3_999_999_999) // SECOND
    3
    """
    return instant - instant % SECOND


@rule("CYC-170")
def lost_work(kept: bool, done: Duration, progress: Duration) -> Duration:
    """The work that a workload loses when it is preempted.

    > A preempted workload whose progress survives loses no work. Any other
    > loses the work of this stay with quota and of all earlier ones.

    Args:
        kept: whether its progress survives a preemption.
        done: what it has worked in the stay that ends, ns.
        progress: what it had worked before, and not lost, ns.

    Source: a play's `progress`; no scheduler knows it.

    >>> lost_work(True, 5, 0), lost_work(False, 5, 2)
    (0, 7)
    """
    return 0 if kept else done + progress


@rule("CYC-180")
def work_left(work: Duration, progress: Duration) -> Duration:
    """What a workload still has to work when a stay with quota begins.

    > A workload has its work less its progress left, and never less than
    > none.

    Args:
        work: how long it must run in all, ns.
        progress: what it has worked, and not lost, ns.

    Source: a play's `work`; no scheduler knows it.

    >>> work_left(5, 2), work_left(5, 9)
    (3, 0)
    """
    return max(0, work - progress)
