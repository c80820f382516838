"""One decision of the trace engine: one flat cohort, one flavor-resource, classical preemption."""

from __future__ import annotations

from tenure.fast.compiled import compiled
from tenure.fast.tables import (
    HIERARCHICAL,
    LOWER_PRIORITY,
    NEWER_EQUAL,
    NONE,
    TIME_EXPIRED,
    WHILE_BORROWING,
    WITHOUT_BORROWING,
)
from tenure.model import BorrowWithinCohort, ReclaimWithinCohort, WithinClusterQueue
from tenure.rules import quota, reclaim
from tenure.timeline.trace.tables import (
    BORROW,
    CREATED,
    DURATION,
    EVICTED,
    FIRST_SLOT,
    FIT,
    HOLDERS,
    LEAVES,
    LIMIT,
    LOCAL,
    LOOKED_AT,
    NEVER,
    NO_CANDIDATES,
    NO_FIT,
    NOMINAL,
    NOW,
    PREEMPT,
    PRIORITY,
    QUEUED,
    RANK,
    RECLAIM,
    REQUEST,
    STAMP,
    THRESHOLD,
    TRIED,
    WITHIN,
    Table,
    TracePlay,
)

can_ever_fit = compiled(quota.can_ever_fit)
fits_request = compiled(quota.fits_request)
is_within_quota = compiled(quota.is_within_quota)
is_below_nominal = compiled(reclaim.is_below_nominal)
stands_in_attempt = compiled(reclaim.stands_in_attempt)

_KEY, _RECENCY, _TIE, _JOB, _PLACE, _GROUND = range(6)
_REMOVED_BACK = -1


@compiled
def charge(usage: Table, row: int, queues: Table, place: int, amount: int) -> None:
    """Add an amount to the usage of a ClusterQueue, and of the cohort what exceeds its local quota."""
    local, before = queues[place, LOCAL], usage[row, place]
    after = before + amount
    usage[row, place] = after
    usage[row, usage.shape[1] - 1] += max(0, after - local) - max(0, before - local)


@compiled
def available_to(play: TracePlay, row: int, place: int) -> int:
    """What is available at a ClusterQueue beside a row of usage (KQ-180)."""
    queues, used = play.queues, play.usage[row, place]
    local = queues[place, LOCAL]
    above = play.policies.lent - play.usage[row, play.usage.shape[1] - 1]
    if queues[place, LIMIT] < NEVER:
        unused = queues[place, NOMINAL] - local - max(0, used - local)
        above = min(unused + queues[place, LIMIT], above)
    return int(max(0, local - used) + above)


@compiled
def copy_usage(usage: Table, source: int, target: int) -> None:
    """Make one row of usage like another."""
    for place in range(usage.shape[1]):
        usage[target, place] = usage[source, place]


@compiled
def _fits(play: TracePlay, place: int, request: int, may_borrow: bool) -> bool:
    borrows = not is_within_quota(play.usage[TRIED, place] + request, play.queues[place, NOMINAL])
    return fits_request(request, available_to(play, TRIED, place), borrows, may_borrow)


@compiled
def _has_expired(play: TracePlay, victim: int, duration: int) -> bool:
    """TBP-020, by the persisted stamp."""
    return bool(duration >= 0 and play.state[NOW] - play.jobs[victim, STAMP] > duration)


@compiled
def _ground_among_equals(play: TracePlay, job: int, victim: int, duration: int) -> int:
    """TBP-050."""
    jobs = play.jobs
    if _has_expired(play, victim, duration):
        return TIME_EXPIRED
    if duration >= 0 and play.policies.expired_only == 1:
        return NONE
    if duration >= 0 and play.policies.by_reservation == 1:
        newer = jobs[victim, STAMP] > jobs[job, CREATED]
    else:
        newer = jobs[victim, QUEUED] > jobs[job, QUEUED]
    return NEWER_EQUAL if newer else NONE


@compiled
def _ground_within(play: TracePlay, job: int, victim: int, place: int) -> int:
    """KQ-040."""
    within, jobs = play.queues[place, WITHIN], play.jobs
    if within == WithinClusterQueue.NEVER or jobs[victim, PRIORITY] > jobs[job, PRIORITY]:
        return NONE
    if jobs[victim, PRIORITY] < jobs[job, PRIORITY]:
        return LOWER_PRIORITY
    if within == WithinClusterQueue.LOWER_PRIORITY:
        return NONE
    return _ground_among_equals(play, job, victim, play.queues[place, DURATION])


@compiled
def _ground_across(play: TracePlay, job: int, victim: int, place: int, advantage: bool) -> int:
    """KQ-320, where the attempt decides whether WITHOUT_BORROWING stands."""
    queues, priority = play.queues, play.jobs[victim, PRIORITY]
    lower = priority < play.jobs[job, PRIORITY]
    if queues[place, RECLAIM] == ReclaimWithinCohort.LOWER_PRIORITY and not lower:
        return NONE
    if advantage:
        return HIERARCHICAL
    if queues[place, BORROW] != BorrowWithinCohort.NEVER and lower and priority <= queues[place, THRESHOLD]:
        return WHILE_BORROWING
    return WITHOUT_BORROWING


@compiled
def _note_candidate(
    play: TracePlay, row: int, job: int, victim: int, place: int, group: int, ground: int
) -> None:
    """Write a candidate down with its key (KQ-230); `group` is 2 for one of the preemptor's ClusterQueue."""
    jobs, candidates = play.jobs, play.candidates
    equal = group == 2 and jobs[victim, PRIORITY] == jobs[job, PRIORITY]
    expired = equal and _has_expired(play, victim, play.queues[place, DURATION])
    around = (0 if jobs[victim, EVICTED] == 1 else 4) + group
    candidates[row, _KEY] = (around << 40) + ((jobs[victim, PRIORITY] + 2**31) << 2) + (0 if expired else 1)
    candidates[row, _RECENCY] = jobs[victim, STAMP] if expired else -jobs[victim, STAMP]
    candidates[row, _TIE] = jobs[victim, RANK]
    candidates[row, _JOB], candidates[row, _PLACE], candidates[row, _GROUND] = victim, place, ground


@compiled
def _candidates_at(play: TracePlay, job: int, place: int, other: int, group: int, row: int) -> int:
    """Write down the candidates of a ClusterQueue; the next free row."""
    first = play.queues[other, FIRST_SLOT]
    for slot in range(first, first + play.queues[other, HOLDERS]):
        victim = play.holders[slot]
        if play.jobs[victim, LEAVES] == 1:
            continue
        if group == 2:
            ground = _ground_within(play, job, victim, place)
        else:
            ground = _ground_across(play, job, victim, place, group == 0)
        if ground != NONE:
            _note_candidate(play, row, job, victim, other, group, ground)
            row += 1
    return row


@compiled
def _candidates_elsewhere(play: TracePlay, job: int, place: int, used: int, advantage: bool, row: int) -> int:
    queues = play.queues
    if queues[place, RECLAIM] == ReclaimWithinCohort.NEVER:
        return row
    for other in range(queues.shape[0] - 1):
        if other != place and not is_within_quota(play.usage[used, other], queues[other, NOMINAL]):
            row = _candidates_at(play, job, place, other, 0 if advantage else 1, row)
    return row


@compiled
def _precedes(candidates: Table, row: int, other: int) -> bool:
    for column in range(3):
        if candidates[row, column] != candidates[other, column]:
            return bool(candidates[row, column] < candidates[other, column])
    return False


@compiled
def _sift(order: Table, size: int, place: int, candidates: Table) -> None:
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and _precedes(candidates, order[child + 1], order[child]):
            child += 1
        if not _precedes(candidates, order[child], order[place]):
            return
        order[place], order[child] = order[child], order[place]
        place = child


@compiled
def _line_up(play: TracePlay, size: int) -> None:
    for row in range(size):
        play.order[row] = row
    for place in range(size // 2 - 1, -1, -1):
        _sift(play.order, size, place, play.candidates)


@compiled
def _stands(play: TracePlay, row: int, place: int, may_borrow: bool) -> bool:
    other = play.candidates[row, _PLACE]
    over = not is_within_quota(play.usage[TRIED, other], play.queues[other, NOMINAL])
    return stands_in_attempt(other == place, over, play.candidates[row, _GROUND], may_borrow)


@compiled
def _move(play: TracePlay, row: int, sign: int) -> None:
    victim, place = play.candidates[row, _JOB], play.candidates[row, _PLACE]
    charge(play.usage, TRIED, play.queues, place, sign * play.jobs[victim, REQUEST])


@compiled
def _remove_until_fits(play: TracePlay, job: int, place: int, size: int, may_borrow: bool) -> int:
    """Remove candidates in order; how many were removed when the request fitted, below 0 if it never did."""
    order, left, removed = play.order, size, 0
    while left > 0:
        row = order[0]
        left -= 1
        order[0] = order[left]
        _sift(order, left, 0, play.candidates)
        if not _stands(play, row, place, may_borrow):
            continue
        _move(play, row, -1)
        play.removed[removed] = row
        removed += 1
        if _fits(play, place, play.jobs[job, REQUEST], may_borrow):
            return removed
    return -1


@compiled
def _fill_back(play: TracePlay, job: int, place: int, removed: int, may_borrow: bool) -> None:
    """Put back those that are not needed, the last removed first; never the very last."""
    for at in range(removed - 2, -1, -1):
        row = play.removed[at]
        _move(play, row, 1)
        if _fits(play, place, play.jobs[job, REQUEST], may_borrow):
            play.removed[at] = _REMOVED_BACK
        else:
            _move(play, row, -1)


@compiled
def _keep_targets(play: TracePlay, removed: int, first: int) -> int:
    """Write the targets down from a row on; how many there are."""
    kept = 0
    for at in range(removed):
        row = play.removed[at]
        if row != _REMOVED_BACK:
            play.found[first + kept, 0] = play.candidates[row, _JOB]
            play.found[first + kept, 1] = play.candidates[row, _GROUND]
            kept += 1
    return kept


@compiled
def _tries_borrowing_first(play: TracePlay, place: int, used: int, elsewhere: bool, advantage: bool) -> bool:
    """Whether the first attempt is one with borrowing (KQ-360)."""
    if not elsewhere or play.queues[place, BORROW] != BorrowWithinCohort.NEVER:
        return True
    return advantage or not is_below_nominal(play.usage[used, place], play.queues[place, NOMINAL])


@compiled
def _tries_twice(play: TracePlay, place: int, used: int, elsewhere: bool) -> bool:
    """Whether there is a second attempt (KQ-360)."""
    if not elsewhere:
        return False
    if play.queues[place, BORROW] != BorrowWithinCohort.NEVER:
        return True
    return is_below_nominal(play.usage[used, place], play.queues[place, NOMINAL])


@compiled
def _attempt(
    play: TracePlay, job: int, used: int, size: int, may_borrow: bool, place: int, first: int
) -> int:
    """How many targets an attempt finds, written down from a row on; below 0 for none that suffice."""
    copy_usage(play.usage, used, TRIED)
    _line_up(play, size)
    removed = _remove_until_fits(play, job, place, size, may_borrow)
    if removed < 0:
        return -1
    _fill_back(play, job, place, removed, may_borrow)
    return _keep_targets(play, removed, first)


@compiled
def _search(play: TracePlay, job: int, place: int, used: int, first: int) -> tuple[int, int, int]:
    """Outcome, level and number of targets of a head for which something would have to leave."""
    request, nominal = play.jobs[job, REQUEST], play.queues[place, NOMINAL]
    advantage = is_within_quota(play.usage[used, place] + request, nominal)
    own = _candidates_at(play, job, place, place, 2, 0)
    size = _candidates_elsewhere(play, job, place, used, advantage, own)
    play.state[LOOKED_AT] += size
    level = 0 if advantage else 1
    if size == 0:
        return NO_CANDIDATES, level, 0
    may_borrow = _tries_borrowing_first(play, place, used, size > own, advantage)
    twice = _tries_twice(play, place, used, size > own)
    targets = _attempt(play, job, used, size, may_borrow, place, first)
    if targets < 0 and twice:
        targets = _attempt(play, job, used, size, not may_borrow, place, first)
    if targets < 0:
        return NO_CANDIDATES, level, 0
    level = 0 if is_within_quota(play.usage[TRIED, place] + request, nominal) else 1
    return PREEMPT, level, targets


@compiled
def decide_for(play: TracePlay, job: int, place: int, used: int, first: int) -> tuple[int, int, int]:
    """Decide about a job beside a row of usage.

    Args:
        play: the play; jobs that leave are no candidates.
        job, place: the job, and its ClusterQueue.
        used: row of the usage.
        first: where its targets are written down.

    Returns:
        the outcome, whether it would borrow (1) or not (0), and the number of targets.
    """
    request, queues = play.jobs[job, REQUEST], play.queues
    potential = queues[place, LOCAL] + play.policies.lent
    if queues[place, LIMIT] < NEVER:
        potential = min(queues[place, NOMINAL] + queues[place, LIMIT], potential)
    if not can_ever_fit(request, potential):
        return NO_FIT, 0, 0
    level = 0 if is_within_quota(play.usage[used, place] + request, queues[place, NOMINAL]) else 1
    if fits_request(request, available_to(play, used, place), level == 1, True):
        return FIT, level, 0
    if request > queues[place, NOMINAL] and queues[place, BORROW] == BorrowWithinCohort.NEVER:
        return NO_FIT, 0, 0
    return _search(play, job, place, used, first)
