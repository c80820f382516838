"""Walks through the tree over arrays: what is available, what leaves and comes back."""

from __future__ import annotations

from typing import NamedTuple

from tenure.rules import quota
from tenure_simulate.core.amounts import MOST, minus, plus
from tenure_simulate.core.compiled import compiled, compiled_rule, inlined
from tenure_simulate.core.tables import Array, Ask, Forest, Rows, Work

FAR = 2**62
"""Sums and differences of two numbers below it need no care."""


class KernelQuota(NamedTuple):
    """As `tenure.model.NodeQuota`; no limit is unlimited."""

    nominal: int
    subtree: int
    local: int
    borrowing_limit: int


available_at = compiled_rule(quota.available, minus=minus, plus=plus)
fits_quota = compiled_rule(quota.fits_quota, plus=plus)
fits_request = compiled_rule(quota.fits_request)
is_within_quota = compiled_rule(quota.is_within_quota)
local_available = compiled_rule(quota.local_available, minus=minus)
potential_available = compiled_rule(quota.potential_available, plus=plus)
usage_passed_up = compiled_rule(quota.usage_passed_up, minus=minus)


@inlined
def quota_at(forest: Forest, node: int, at: int) -> KernelQuota:
    """The quota of a node."""
    return KernelQuota(
        forest.nominal[node, at], forest.subtree[node, at], forest.local[node, at], forest.limit[node, at]
    )


@inlined
def left_of_local(local: int, usage: int) -> int:
    """What is left of a node's local quota."""
    left: int = local_available(KernelQuota(0, 0, local, 0), usage)
    return left


@inlined
def passed_up(local: int, usage: int) -> int:
    """What of a node's usage counts above it."""
    passed: int = usage_passed_up(KernelQuota(0, 0, local, 0), usage)
    return passed


@inlined
def available(forest: Forest, usage: Array, path: Array, at: int) -> int:
    """What is available at the first node of a path."""
    top = path[len(path) - 1]
    free = available_at(quota_at(forest, top, at), usage[top, at], None)
    for step in range(len(path) - 2, -1, -1):
        free = available_at(quota_at(forest, path[step], at), usage[path[step], at], free)
    return int(free)


@compiled
def potential(forest: Forest, path: Array, at: int) -> int:
    """The most that the first node of a path could ever have."""
    most = potential_available(quota_at(forest, path[len(path) - 1], at), None)
    for step in range(len(path) - 2, -1, -1):
        most = potential_available(quota_at(forest, path[step], at), most)
    return int(most)


@inlined
def fits(forest: Forest, usage: Array, ask: Ask, may_borrow: bool) -> bool:
    """Whether the whole request fits (KQ-190)."""
    for index in range(len(ask.at)):
        at, amount = ask.at[index], ask.amount[index]
        borrows = not fits_quota(usage[ask.own, at], amount, forest.nominal[ask.own, at])
        if not fits_request(amount, available(forest, usage, ask.path, at), borrows, may_borrow):
            return False
    return True


@inlined
def exceeds(forest: Forest, usage: Array, node: int, needed: Array) -> bool:
    """Whether a node uses more than its quota of any of some columns (KQ-200)."""
    for at in needed:
        if not is_within_quota(usage[node, at], forest.subtree[node, at]):
            return True
    return False


@inlined
def exceeds_below(forest: Forest, usage: Array, node: int, common: int, needed: Array) -> bool:
    """The same of a node and all above it, up to the common one."""
    while node != common:
        if not exceeds(forest, usage, node, needed):
            return False
        node = forest.parent[node]
    return True


@inlined
def change(
    forest: Forest, usage: Array, node: int, at: int, amount: int, adding: bool, log: Array, known: int
) -> int:
    """Add an amount at a node or take it away, and above it as far as it reaches (KQ-140).

    Args:
        log: the cells that were touched are written behind the first `known`.

    Returns:
        how many cells of the log are known now.
    """
    rest = amount
    while rest != 0 and node >= 0:
        before = usage[node, at]
        after = plus(before, rest) if adding else minus(before, rest)
        usage[node, at] = after
        log[0, known], log[1, known], log[2, known] = node, at, before
        known += 1
        local = forest.local[node, at]
        if local != 0:
            low, high = (before, after) if adding else (after, before)
            rest = minus(passed_up(local, high), passed_up(local, low))
        node = forest.parent[node]
    return known


@compiled
def copy_tree(forest: Forest, usage: Array, path: Array, into: Array) -> None:
    """Copy what is in use at every node of the tree of a path."""
    top = path[len(path) - 1]
    for node in range(top, forest.end[top]):
        for at in range(usage.shape[1]):
            into[node, at] = usage[node, at]


@compiled
def clear_groups(forest: Forest, path: Array, group: Array) -> None:
    """Let no node of the tree of a path have a group."""
    top = path[len(path) - 1]
    for node in range(top, forest.end[top]):
        group[node] = -1


@compiled
def sum_up(forest: Forest, usage: Array, nodes: Array, at: Array, amounts: Array) -> None:
    """Fill what is in use at every node, by sums that stay within 64 bits.

    Args:
        usage: all zero.
        nodes, at, amounts: ClusterQueue, column and amount of all that is held, int32[n] twice and int64[n].
    """
    for index in range(len(amounts)):
        node, column = nodes[index], at[index]
        usage[node, column] = plus(usage[node, column], amounts[index])
    for node in range(len(forest.parent) - 1, -1, -1):
        above = forest.parent[node]
        if above >= 0:
            for column in range(usage.shape[1]):
                passed = passed_up(forest.local[node, column], usage[node, column])
                usage[above, column] = plus(usage[above, column], passed)


@inlined
def move(forest: Forest, rows: Rows, row: int, watched: Array, usage: Array, log: Array, adding: bool) -> int:
    """Let a workload leave or come back, as far as some columns go; how many cells the log has."""
    known, node = 0, rows.queue[row]
    for entry in range(rows.first[row], rows.first[row] + rows.width[row]):
        if watched[rows.at[entry]]:
            known = change(forest, usage, node, rows.at[entry], rows.amount[entry], adding, log, known)
    return known


@inlined
def undo(usage: Array, log: Array, known: int) -> None:
    """Put back what the log's cells held."""
    for index in range(known - 1, -1, -1):
        usage[log[0, index], log[1, index]] = log[2, index]


@inlined
def note_held(rows: Rows, row: int, ask: Ask, held: Array, place: int) -> None:
    """Write down what a workload holds of each column that is requested.

    Args:
        held: int64[c, n] for c such columns; `place` is where.
    """
    for index in range(len(ask.at)):
        held[index, place] = 0
    for entry in range(rows.first[row], rows.first[row] + rows.width[row]):
        for index in range(len(ask.at)):
            if rows.at[entry] == ask.at[index]:
                held[index, place] = rows.amount[entry]


@compiled
def asks_for_needed(ask: Ask) -> bool:
    """Whether every column that lacks quota is requested, so that no other has to be followed."""
    for at in ask.needed:
        found = False
        for requested in ask.at:
            found = found or requested == at
        if not found:
            return False
    return True


@compiled
def is_simple(forest: Forest, ask: Ask) -> bool:
    """Whether what is available is what the root has left: no local quota, no borrowing limit on the path."""
    for at in ask.at:
        for step in range(len(ask.path) - 1):
            if forest.limit[ask.path[step], at] != MOST:
                return False
    return is_lossless(forest, ask)


@compiled
def is_plain(forest: Forest, usage: Array, ask: Ask) -> bool:
    """Whether `leave_plainly` and `fits_plainly` may be called: the same, in numbers that cannot overflow."""
    top = ask.path[len(ask.path) - 1]
    for index in range(len(ask.at)):
        if ask.amount[index] >= FAR:
            return False
        for node in range(top, forest.end[top]):
            if not -FAR < usage[node, ask.at[index]] < FAR:
                return False
    return asks_for_needed(ask) and is_simple(forest, ask)


@inlined
def leave_plainly(forest: Forest, ask: Ask, work: Work, node: int, place: int) -> None:
    """Take away what `work.held` has at a place, in a plain tree."""
    while node >= 0:
        for index in range(len(ask.at)):
            work.usage[node, ask.at[index]] -= work.held[index, place]
        node = forest.parent[node]


@inlined
def fits_plainly(forest: Forest, usage: Array, ask: Ask, may_borrow: bool) -> bool:
    """As `fits`, in a plain tree."""
    top = ask.path[len(ask.path) - 1]
    for index in range(len(ask.at)):
        at, amount = ask.at[index], ask.amount[index]
        if amount > forest.subtree[top, at] - usage[top, at]:
            return False
        if not may_borrow and usage[ask.own, at] + amount > forest.nominal[ask.own, at]:
            return False
    return True


@inlined
def _cannot_return(forest: Forest, place: int, ask: Ask, work: Work) -> bool:
    """Whether the root alone has no room for a workload beside the request; without local quota only."""
    top = ask.path[len(ask.path) - 1]
    for index in range(len(ask.at)):
        at = ask.at[index]
        rest = minus(minus(forest.subtree[top, at], work.usage[top, at]), ask.amount[index])
        if rest < work.held[index, place]:
            return True
    return False


@compiled
def is_lossless(forest: Forest, ask: Ask) -> bool:
    """Whether all that is in use anywhere in the tree counts at its root: no node keeps local quota."""
    top = ask.path[len(ask.path) - 1]
    for node in range(top, forest.end[top]):
        for at in ask.at:
            if forest.local[node, at] != 0:
                return False
    return True


@compiled
def fill_back(forest: Forest, rows: Rows, ask: Ask, may_borrow: bool, count: int, work: Work) -> int:
    """Give back, from the second last removed to the first, what is not needed; how many stay removed.

    Args:
        count: how many of `work.out` were removed; `work.held` has what each holds.
    """
    lossless, usage = is_lossless(forest, ask), work.usage
    kept = count - 1
    for index in range(count - 2, -1, -1):
        row = work.out[index]
        stays = lossless and _cannot_return(forest, index, ask, work)
        if not stays:
            known = move(forest, rows, row, ask.watched, usage, work.log, True)
            stays = not fits(forest, usage, ask, may_borrow)
            if stays:
                undo(usage, work.log, known)
        if stays:
            kept -= 1
            work.out[kept], work.basis[kept], work.share[kept] = row, work.basis[index], work.share[index]
    # The last one removed stays where it is; who stays removed comes before it, now moved to the front.
    return count - kept
