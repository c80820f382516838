"""The order in which candidates leave, kept: what a decision adds is where to stop, and who comes back.

Who leaves next depends on who has left, and on nothing of how much is asked for. So the removals are played
once, as far as they are needed, and what is free after each is written down; the next request finds its
place by bisection (fit is monotone), and looks only at those who could come back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tenure.fast.amounts import MOST, minus
from tenure.fast.classical import stands
from tenure.fast.compiled import compiled, inlined
from tenure.fast.fair import refresh
from tenure.fast.grounds import classical_ground
from tenure.fast.nodes import available, copy_part, move, note_held
from tenure.fast.rounds import NO_NODE, Rounds
from tenure.fast.tables import (
    WITHIN_NOMINAL,
    Array,
    SearchInput,
    Work,
)

BLOCK = 64
"""Removals whose least amounts are known together."""


class Steps(NamedTuple):
    """What is known after each removal; `c` counts the columns that are requested.

    Args:
        free: what is available to the preemptor's queue then, int64[c, n].
        rest: what is free at the root, int64[c, n].
        own: what is left of the queue's own nominal quota, int64[c, n].
        held: what the removed one held, int64[c, n].
        least: the least of `held` in each block of removals, int64[c, n / BLOCK + 1].
        mine: whether it was of the queue itself, bool[n].
        room: int64[c], twice.
        back: positions of who comes back, the last first, int32[n].
    """

    free: Array
    rest: Array
    own: Array
    held: Array
    least: Array
    mine: Array
    room: Array
    back: Array


def steps_for(asked: int, count: int) -> Steps:
    """Room for a number of removals.

    Args:
        asked: how many columns are requested.
        count: how many candidates there are.
    """
    return Steps(
        free=np.empty((asked, count), np.int64),
        rest=np.empty((asked, count), np.int64),
        own=np.empty((asked, count), np.int64),
        held=np.empty((asked, count), np.int64),
        least=np.full((asked, count // BLOCK + 1), MOST, np.int64),
        mine=np.empty(count, np.bool_),
        room=np.empty((2, asked), np.int64),
        back=np.empty(count, np.int32),
    )


@compiled
def walk(
    given: SearchInput, count: int, may_borrow: bool, position: int, taken: int, steps: Steps
) -> tuple[int, int]:
    """Go on removing candidates until the request fits.

    Args:
        given: `work.rows` are the candidates in their order, `work.usage` is without those that were removed.
        count: how many candidates there are.
        position, taken: how many were looked at, and how many of them removed.

    Returns:
        the last two again.
    """
    rows, forest, _, ask, policy, _, work = given
    while position < count:
        row = work.rows[position]
        position += 1
        node = rows.queue[row]
        ground = classical_ground(rows, row, work.group[node], policy)
        if not stands(forest, node, ground, ask, may_borrow, work):
            continue
        move(forest, rows, row, ask.watched, work.usage, work.log, False)
        work.out[taken], work.ground[taken], work.share[taken] = row, ground, 0
        taken += 1
        if _note(given, row, may_borrow, taken - 1, steps):
            break
    return position, taken


@inlined
def _note(given: SearchInput, row: int, may_borrow: bool, step: int, steps: Steps) -> bool:
    """Write down what is so after a removal; whether the request fits."""
    rows, forest, ask, usage = given.rows, given.forest, given.ask, given.work.usage
    fit, top = True, ask.path[len(ask.path) - 1]
    steps.mine[step] = rows.queue[row] == ask.own
    note_held(rows, row, ask, steps.held, step)
    for index in range(len(ask.at)):
        at = ask.at[index]
        left = minus(forest.nominal[ask.own, at], usage[ask.own, at])
        free = available(forest, usage, ask.path, at)
        if not may_borrow:
            free = min(free, left)
        steps.free[index, step], steps.own[index, step] = free, left
        steps.rest[index, step] = minus(forest.subtree[top, at], usage[top, at])
        held = steps.held[index, step]
        if held < steps.least[index, step // BLOCK]:
            steps.least[index, step // BLOCK] = held
        if ask.amount[index] > free:
            fit = False
    return fit


@compiled
def walk_fairly(given: SearchInput, rounds: Rounds, taken: int, steps: Steps) -> int:
    """Go on with a tournament in which the preemptor claims its nominal quota, until the request fits.

    Args:
        rounds: candidates by queue, each queue's in their order; `next` is who waits.

    Returns:
        how many are removed.
    """
    rows, forest, _, ask, _, _, work = given
    root = ask.path[len(ask.path) - 1]
    while True:
        node = rounds.winner[root]
        if node == NO_NODE:
            return taken
        row = work.rows[rounds.next[node]]
        rounds.next[node] += 1
        move(forest, rows, row, rounds.every, rounds.charged, work.log, False)
        move(forest, rows, row, ask.watched, work.usage, work.log, False)
        work.out[taken], work.ground[taken], work.share[taken] = row, WITHIN_NOMINAL, 0
        fit = _note(given, row, True, taken, steps)
        taken += 1
        refresh(given, rounds, node, True)
        if fit:
            return taken


@compiled
def stop(steps: Steps, taken: int, amount: Array) -> int:
    """The first removal after which a request fits; `taken` for none."""
    found = 0
    for index in range(len(amount)):
        low, high = found, taken
        while low < high:
            middle = (low + high) // 2
            if steps.free[index, middle] < amount[index]:
                low = middle + 1
            else:
                high = middle
        found = low
    return found


@compiled
def find(
    steps: Steps, taken: int, limit: int, amount: Array, may_borrow: bool, simple: bool
) -> tuple[int, int]:
    """Where a request stops, and how many come back then.

    Args:
        taken: how many removals are known.
        limit: how many of them may be used.
        simple: whether the root alone decides who comes back; otherwise that is left open.

    Returns:
        the removal after which it fits, and how many of `steps.back` come back; where no removal does, the
        first number is that of the known ones, or of the usable ones, or beyond.
    """
    last = stop(steps, taken, amount)
    if last >= min(taken, limit) or not simple:
        return last, 0
    return last, come_back(steps, last, amount, may_borrow)


@compiled
def leave_out(
    steps: Steps, work: Work, end: int, back: int, rows: Array, grounds: Array, shares: Array
) -> None:
    """Write down the removed ones up to an end, less those that come back.

    Args:
        end, back: as `find` says.
        rows, grounds, shares: of who stays removed, int32[k] and int8[k] twice.
    """
    place, start = 0, 0
    for index in range(back, -1, -1):
        behind = steps.back[index - 1] if index > 0 else end
        copy_part(work.out, start, behind, rows, place)
        copy_part(work.ground, start, behind, grounds, place)
        copy_part(work.share, start, behind, shares, place)
        place += behind - start
        start = behind + 1


@compiled
def come_back(steps: Steps, last: int, amount: Array, may_borrow: bool) -> int:
    """Who comes back, where the root alone decides; how many.

    Args:
        last: the removal after which the request fits; the one removed then stays removed.
        may_borrow: otherwise what is of the queue itself needs room in its nominal quota as well.
    """
    count, room = 0, steps.room
    for index in range(len(amount)):
        room[0, index] = steps.rest[index, last] - amount[index]
        room[1, index] = steps.own[index, last] - amount[index]
    step = last - 1
    while step >= 0:
        if step % BLOCK == BLOCK - 1 and not _has_room(steps.least, step // BLOCK, room, 0):
            step -= BLOCK
            continue
        own = steps.mine[step]
        if _has_room(steps.held, step, room, 0) and (
            may_borrow or not own or _has_room(steps.held, step, room, 1)
        ):
            for index in range(len(amount)):
                room[0, index] -= steps.held[index, step]
                if own:
                    room[1, index] -= steps.held[index, step]
            steps.back[count] = step
            count += 1
        step -= 1
    return count


@inlined
def _has_room(held: Array, place: int, room: Array, which: int) -> bool:
    for index in range(room.shape[1]):
        if held[index, place] > room[which, index]:
            return False
    return True
