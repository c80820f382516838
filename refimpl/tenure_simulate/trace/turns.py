"""A cycle of the trace engine: its heads are decided, take their turns, are settled; and the whole loop."""

from __future__ import annotations

from typing import NamedTuple

from tenure.model import ReclaimWithinCohort, TurnResult
from tenure.rules import cycle, hero_rank
from tenure_simulate.core.compiled import compiled, compiled_rule, inlined
from tenure_simulate.trace.events import admit, drop_idle_timers, evict, follow_all, keep_at_head, run_out
from tenure_simulate.trace.flavors import decide_for
from tenure_simulate.trace.pending import head_of, pop, requeue
from tenure_simulate.trace.steps import step_due_at, take_steps
from tenure_simulate.trace.tables import (
    ACTIVE,
    AFTER,
    CHARGED,
    CYCLES,
    DIRTY,
    ENTRIES,
    FIT,
    FOUND,
    FULL,
    HEAD_ROWS,
    HEADS,
    HEEDS,
    JOINED,
    LAST_CYCLE,
    MARK,
    NEVER,
    NO_CANDIDATES,
    NO_FIT,
    NO_JOB,
    NOW,
    OVER,
    PAUSED,
    PREEMPT,
    PREEMPTIONS,
    RUNS,
    TAKEN,
    TARGET_ROWS,
    TASKS,
    TIMERS,
    USED,
    WAITS,
    Table,
    TracePlay,
)
from tenure_simulate.trace.tournament import bring_fairest
from tenure_simulate.trace.trees import charge_held, copy_trees, fits_in_trees, keep_in_trees, mark_leaving

awaits_targets = compiled(cycle.awaits_targets)
cycle_due_at = compiled(cycle.cycle_due_at)
has_earlier_turn = compiled_rule(cycle.has_earlier_turn)
has_turn_before = compiled_rule(hero_rank.has_turn_before)
is_decided_again = compiled(cycle.is_decided_again)
keeps_capacity = compiled(cycle.keeps_capacity)
must_still_fit = compiled(cycle.must_still_fit)
result_of_turn = compiled(cycle.result_of_turn)
wants_cycle = compiled(cycle.wants_cycle)


@inlined
def _decide_entry(play: TracePlay, entry: int, used: int) -> None:
    entries, state = play.entries, play.state
    job = entries.job[entry]
    outcome, level, targets = decide_for(play, job, used, state[FOUND])
    entries.outcome[entry], entries.level[entry] = outcome, level
    entries.first[entry], entries.targets[entry] = state[FOUND], targets
    state[FOUND] += targets


@inlined
def _nominate(play: TracePlay) -> None:
    """Take a head out of every queue, and decide about each."""
    state = play.state
    state[ENTRIES], state[FOUND], state[TAKEN] = 0, 0, 0
    copy_trees(play.trees, play.heroes, USED, CHARGED)
    for place in range(len(play.queues.tree) - 1):
        job = NO_JOB if play.queues.inactive[place] == 1 else head_of(play, place, play.lines)
        if job == NO_JOB:
            continue
        entry = state[ENTRIES]
        play.entries.job[entry] = job
        play.entries.kept[entry] = 1 if play.queues.head[place] == job else 0
        pop(play, job, play.lines)
        _decide_entry(play, entry, CHARGED)
        state[ENTRIES] += 1


class _Head(NamedTuple):
    """As `tenure.model.Head`."""

    hero: bool
    cohorts_above: int
    priority: int
    queued_at: int


class _CycleHead(NamedTuple):
    """As `tenure.model.CycleHead`."""

    goes_first: bool
    level: int
    priority: int
    queued_at: int


@compiled
def _head(play: TracePlay, job: int) -> _Head:
    jobs = play.jobs
    above = play.queues.hero[jobs.queue[job]]
    return _Head(above > 0, above, jobs.priority[job], jobs.queued[job])


@compiled
def _cycle_head(play: TracePlay, entry: int) -> _CycleHead:
    jobs, job = play.jobs, play.entries.job[entry]
    return _CycleHead(False, play.entries.level[entry], jobs.priority[job], jobs.queued[job])


@compiled
def _goes_before(play: TracePlay, entry: int, other: int) -> bool:
    mine = _head(play, play.entries.job[entry])
    theirs = _head(play, play.entries.job[other])
    if has_turn_before(mine, theirs) or has_turn_before(theirs, mine):
        return bool(has_turn_before(mine, theirs))
    return bool(has_earlier_turn(_cycle_head(play, entry), _cycle_head(play, other), True))


@compiled
def _line_up_entries(play: TracePlay) -> None:
    """Order the heads by their turns; equals by the names of their ClusterQueues.

    Under fair sharing the next one is chosen again for every turn, see `contest`.
    """
    turns = play.turns
    for entry in range(play.state[ENTRIES]):
        place = entry
        while place > 0 and _goes_before(play, entry, turns[place - 1]):
            turns[place] = turns[place - 1]
            place -= 1
        turns[place] = entry


@compiled
def _overlaps(play: TracePlay, entry: int) -> bool:
    first = play.entries.first[entry]
    for row in range(first, first + play.entries.targets[entry]):
        if play.jobs.leaves[play.found[row, 0]] == 1:
            return True
    return False


@compiled
def _charge(play: TracePlay, row: int, job: int, sign: int) -> None:
    charge_held(play.trees, play.heroes, row, play.jobs.queue[job], job, sign)


@compiled
def _without_taken(play: TracePlay) -> None:
    """Usage once all that the cycle has preempted have left."""
    copy_trees(play.trees, play.heroes, CHARGED, AFTER)
    for row in range(play.state[TAKEN]):
        _charge(play, AFTER, play.taken[row], -1)


@compiled
def _still_fits(play: TracePlay, entry: int) -> bool:
    """Whether an entry fits once its own targets have left too."""
    entries = play.entries
    _without_taken(play)
    first = entries.first[entry]
    for row in range(first, first + entries.targets[entry]):
        _charge(play, AFTER, play.found[row, 0], -1)
    job = entries.job[entry]
    return fits_in_trees(play.trees, play.heroes, AFTER, play.jobs.queue[job], job)


@compiled
def _reserve(play: TracePlay, entry: int) -> None:
    """Keep quota for a head without candidates (CYC-100, CYC-110)."""
    entries, trees, job = play.entries, play.trees, play.entries.job[entry]
    place = play.jobs.queue[job]
    reclaims_any, hero = play.queues.reclaim[place] == ReclaimWithinCohort.ANY, play.queues.hero[place] > 0
    if keeps_capacity(reclaims_any, hero, False):
        keep_in_trees(trees, play.heroes, CHARGED, place, job, entries.level[entry] > 0)


@compiled
def _take(play: TracePlay, entry: int) -> None:
    """The targets of a head leave."""
    state, first = play.state, play.entries.first[entry]
    for row in range(first, first + play.entries.targets[entry]):
        victim = play.found[row, 0]
        play.taken[state[TAKEN]] = victim
        mark_leaving(play.trees, play.jobs, victim, True)
        state[TAKEN] += 1


@inlined
def _result(play: TracePlay, entry: int) -> TurnResult:
    """Decide again where that is due, and say what becomes of a head on its turn."""
    entries = play.entries
    job, defers = entries.job[entry], False
    if is_decided_again(_overlaps(play, entry), True):
        _without_taken(play)
        _decide_entry(play, entry, AFTER)
        defers = entries.outcome[entry] == FIT
    outcome = entries.outcome[entry]
    nothing = outcome in (NO_FIT, NO_CANDIDATES)
    is_checked = must_still_fit(nothing, defers, _overlaps(play, entry))
    fits = is_checked and _still_fits(play, entry)
    strict = play.queues.strict[play.jobs.queue[job]] == 1
    return result_of_turn(nothing, strict, defers, fits, outcome == PREEMPT)


@inlined
def _take_turn(play: TracePlay, entry: int) -> None:
    entries = play.entries
    job, result = entries.job[entry], _result(play, entry)
    entries.result[entry] = result
    if result == TurnResult.ADMITTED or result == TurnResult.PREEMPTING:
        _take(play, entry)
    if result == TurnResult.ADMITTED or awaits_targets(result):
        _charge(play, CHARGED, job, 1)
    elif entries.outcome[entry] == NO_CANDIDATES:
        _reserve(play, entry)


@compiled
def _note_head(play: TracePlay, entry: int) -> None:
    entries, state, heads = play.entries, play.state, play.heads
    row, first = state[HEAD_ROWS], entries.first[entry]
    heads[row, 0], heads[row, 1] = state[NOW], entries.job[entry]
    heads[row, 2], heads[row, 3] = entries.outcome[entry], entries.result[entry]
    heads[row, 4], heads[row, 5] = entries.kept[entry], entries.targets[entry]
    state[HEAD_ROWS] += 1
    for target in range(first, first + entries.targets[entry]):
        play.targets[state[TARGET_ROWS], 0] = play.found[target, 0]
        state[TARGET_ROWS] += 1


@compiled
def _settle(play: TracePlay, entry: int) -> None:
    entries, job = play.entries, play.entries.job[entry]
    result, first = entries.result[entry], entries.first[entry]
    play.state[HEADS] += 1
    if play.policies.journal == 1:
        _note_head(play, entry)
    if result == TurnResult.ADMITTED:
        admit(play, job)
        return
    if result == TurnResult.PREEMPTING:
        for row in range(first, first + entries.targets[entry]):
            evict(play, job, play.found[row, 0], play.found[row, 1])
    if awaits_targets(result):
        keep_at_head(play, job)
    requeue(play, job, result == TurnResult.PARKED, play.lines)


@inlined
def _cycle(play: TracePlay) -> None:
    state = play.state
    state[LAST_CYCLE], state[DIRTY] = state[NOW], 0
    state[CYCLES] += 1
    _nominate(play)
    _line_up_entries(play)
    for turn in range(state[ENTRIES]):
        bring_fairest(play, turn, play.trees.fair)
        _take_turn(play, play.turns[turn])
    for row in range(state[TAKEN]):
        mark_leaving(play.trees, play.jobs, play.taken[row], False)
    for turn in range(state[ENTRIES]):
        _settle(play, play.turns[turn])


@compiled
def _cycle_at(play: TracePlay) -> int:
    """When the next cycle is due; `NEVER` where none is."""
    state = play.state
    if not wants_cycle(state[DIRTY] == 1, False, state[ACTIVE] > 0):
        return NEVER
    return cycle_due_at(state[NOW], state[LAST_CYCLE], play.policies.gap)


@compiled
def _next_at(play: TracePlay) -> int:
    """When something happens next; `NEVER` for never again."""
    state = play.state
    at = _cycle_at(play)
    if state[TASKS] > 0:
        at = min(at, play.tasks[0, 0])
    if state[JOINED] < len(play.jobs.joins):
        at = min(at, play.jobs.joins[state[JOINED]])
    at = min(at, step_due_at(play, play.lines))
    drop_idle_timers(play)
    state[HEEDS] = 1 if play.policies.at_expiry == 1 or state[ACTIVE] > 0 else 0
    if state[HEEDS] == 1 and state[TIMERS] > 0:
        at = min(at, play.timers[0, 0])
    return int(at)


@compiled
def _lacks_room(play: TracePlay, table: Table, rows: int) -> bool:
    return bool(table.shape[0] < play.state[rows] + play.margins[rows])


@compiled
def is_full(play: TracePlay) -> bool:
    """Whether a table might not hold what one more instant writes down."""
    if _lacks_room(play, play.tasks, TASKS) or _lacks_room(play, play.timers, TIMERS):
        return True
    if _lacks_room(play, play.runs, RUNS) or _lacks_room(play, play.waits, WAITS):
        return True
    if _lacks_room(play, play.preemptions, PREEMPTIONS) or _lacks_room(play, play.heads, HEAD_ROWS):
        return True
    return _lacks_room(play, play.targets, TARGET_ROWS)


@compiled
def go_on(play: TracePlay, instants: int) -> int:
    """Let so many instants happen at most.

    Args:
        play: changes.
        instants: how many.

    Returns:
        `OVER`, `PAUSED` or `FULL`.
    """
    state = play.state
    for _ in range(instants):
        if is_full(play):
            return FULL
        at = _next_at(play)
        if at == NEVER or at > play.policies.end:
            return OVER
        state[NOW] = at
        take_steps(play, play.lines)
        run_out(play)
        state[MARK] = max(state[MARK], at)
        follow_all(play)
        if _cycle_at(play) <= at:
            _cycle(play)
    return PAUSED
