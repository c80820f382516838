"""About how many candidates a request needs, from a sample: what need not be sorted is put aside at once."""

from __future__ import annotations

from tenure.fast.amounts import minus
from tenure.fast.compiled import compiled
from tenure.fast.grounds import key_of, offers
from tenure.fast.nodes import available, note_held
from tenure.fast.sorting import settle
from tenure.fast.tables import SearchInput

SAMPLES = 256
"""How many workloads are looked at."""

FEWEST = 8192
"""Among so many it is worth it."""

NO_DIVIDER = -1


@compiled
def find_divider(given: SearchInput) -> int:
    """The candidate before which, by a guess, all victims come.

    A wrong guess costs time and changes nothing: who comes after it is sorted when their turn comes.

    Args:
        given: `work.group` is that of every node; its room for candidates is used.

    Returns:
        its row; `NO_DIVIDER` where few run, or few would be put aside.
    """
    rows, _, _, ask, policy, order, work = given
    if rows.size < FEWEST:
        return NO_DIVIDER
    count, apart = 0, rows.size // SAMPLES
    for sample in range(SAMPLES):
        row = sample * apart
        if offers(given, row):
            group = work.group[rows.queue[row]]
            work.keys[count], work.rows[count] = key_of(rows, row, group, policy, order), row
            note_held(rows, row, ask, work.held, count)
            count += 1
    place = _place(given, count)
    if 4 * place >= 3 * count:
        return NO_DIVIDER
    work.ends[0], ends, settled = count, 0, 0
    while settled <= place:
        ends, settled = settle(work.keys, work.rows, work.ends, ends, settled)
    return int(work.rows[place])


@compiled
def _place(given: SearchInput, count: int) -> int:
    """Which one of the sample, in order, is behind all who will leave, with some to spare."""
    rows, forest, usage, ask, _, _, work = given
    leaving = 0
    for index in range(len(ask.at)):
        held = 0
        for sample in range(count):
            held += work.held[index, sample] // count
        lacking = minus(ask.amount[index], max(0, available(forest, usage, ask.path, ask.at[index])))
        leaving = max(leaving, min(lacking // max(1, held), rows.size))
    expected, spare = leaving * SAMPLES // rows.size, 1
    while spare * spare < 4 * expected:
        spare += 1
    return expected + spare
