"""Classical preemption in whole-array steps, for where kernels are interpreted: the same targets.

One queue, and a flat cohort without lending and borrowing limits: there a queue's own removals decide alone
when it stops being taken from, so that sums along its candidates take the place of steps one by one.
"""

from __future__ import annotations

import numpy as np

from tenure.fast.classical import attempts, classify
from tenure.fast.nodes import copy_tree, is_plain
from tenure.fast.tables import (
    ADVANTAGE,
    HIERARCHICAL,
    LOWER_PRIORITY,
    NEWER_EQUAL,
    NONE,
    OWN,
    TIME_EXPIRED,
    WHILE_BORROWING,
    WITHOUT_BORROWING,
    Array,
    Ask,
    Forest,
    Order,
    Policy,
    Rows,
    Work,
)

_LOWER, _LOWER_OR_NEWER, _ANY = 1, 2, 2
"""Of `ReclaimWithinCohort` and `WithinClusterQueue`, and again of the first."""


def applies(forest: Forest, usage: Array, ask: Ask) -> bool:
    """Whether `select` may be asked."""
    flat = len(ask.path) == 1 or bool(
        (forest.parent[ask.path[-1] + 1 : forest.end[ask.path[-1]]] == ask.path[-1]).all()
    )
    return flat and len(ask.path) <= 2 and bool(is_plain(forest, usage, ask))


def select(
    rows: Rows, forest: Forest, usage: Array, ask: Ask, policy: Policy, order: Order, work: Work
) -> tuple[int, int, bool]:
    """As `classical.select`."""
    classify(forest, usage, ask, policy, work, work.log[0, : len(ask.at)])
    candidates, grounds = _gather(rows, forest, ask, policy, order, work)
    groups = work.group[rows.queue[candidates]]
    elsewhere, advantaged = int((groups != OWN).sum()), int((groups == ADVANTAGE).sum())
    may_borrow, again = attempts(forest, usage, ask, policy, elsewhere, advantaged)
    held = _held(rows, candidates, ask.at)
    for borrows in (may_borrow, not may_borrow) if again else (may_borrow,):
        taken = _taken(rows, forest, usage, ask, work, candidates, grounds, held, bool(borrows))
        if taken is not None:
            count = len(taken)
            work.out[:count], work.ground[:count], work.share[:count] = candidates[taken], grounds[taken], 0
            _leave(forest, rows.queue[candidates[taken]], usage, ask, held[:, taken], work)
            return 0, count, bool(borrows)
        may_borrow = borrows
    copy_tree(forest, usage, ask.path, work.usage)
    return 0, 0, bool(may_borrow)


def _gather(
    rows: Rows, forest: Forest, ask: Ask, policy: Policy, order: Order, work: Work
) -> tuple[Array, Array]:
    """Candidates in their order, and the ground of each."""
    top = ask.path[-1]
    inside = np.flatnonzero((rows.queue >= top) & (rows.queue < forest.end[top]))
    inside = inside[work.group[rows.queue[inside]] >= 0]
    inside = inside[_uses_any(rows, inside, ask.is_needed)]
    group = work.group[rows.queue[inside]].astype(np.int64)
    expired = (policy.duration >= 0) & (policy.now - rows.reserved[inside] > policy.duration)
    ground: Array = np.where(
        group == OWN, _own_grounds(rows, inside, expired, policy), _other_grounds(rows, inside, group, policy)
    )
    keys = rows.key[inside] | (group << order.group)
    late = (group == OWN) & (rows.priority[inside] == policy.priority) & expired
    keys = np.where(late, keys ^ order.expired, keys)
    keys = np.where(rows.evicted[inside], keys, keys | (1 << (order.group + 2)))
    offered = np.flatnonzero(ground != NONE)
    in_order = offered[np.argsort(keys[offered])]
    return inside[in_order], ground[in_order]


def _own_grounds(rows: Rows, inside: Array, expired: Array, policy: Policy) -> Array:
    priority = rows.priority[inside]
    since = (rows.reserved if policy.by_reservation else rows.queued)[inside]
    newer = (since > policy.queued) & (not policy.expired_only)
    equal = np.where(expired, TIME_EXPIRED, np.where(newer, NEWER_EQUAL, NONE))
    if policy.within != _LOWER_OR_NEWER:
        equal = np.full(len(inside), NONE)
    found = np.where(
        priority < policy.priority, LOWER_PRIORITY, np.where(priority == policy.priority, equal, NONE)
    )
    return found if policy.within != NONE else np.full(len(inside), NONE)


def _other_grounds(rows: Rows, inside: Array, group: Array, policy: Policy) -> Array:
    priority = rows.priority[inside]
    may = np.full(len(inside), policy.reclaim == _ANY)
    if policy.reclaim == _LOWER:
        may = priority < policy.priority
    borrowing = (priority < policy.priority) & (priority <= policy.threshold) & (policy.borrow != NONE)
    found = np.where(borrowing, WHILE_BORROWING, WITHOUT_BORROWING)
    return np.where(may, np.where(group == ADVANTAGE, HIERARCHICAL, found), NONE)


def _uses_any(rows: Rows, inside: Array, wanted: Array) -> Array:
    found = np.zeros(len(inside), np.bool_)
    first, width = rows.first[inside], rows.width[inside]
    for entry in range(int(width.max(initial=0))):
        known = np.flatnonzero(width > entry)
        found[known] |= wanted[rows.at[first[known] + entry]]
    return found


def _held(rows: Rows, candidates: Array, columns: Array) -> Array:
    """What each holds of some columns, int64[c, n]."""
    held = np.zeros((len(columns), len(candidates)), np.int64)
    first, width = rows.first[candidates], rows.width[candidates]
    for entry in range(int(width.max(initial=0))):
        known = np.flatnonzero(width > entry)
        places = first[known] + entry
        for index, at in enumerate(columns):
            held[index, known] += np.where(rows.at[places] == at, rows.amount[places], 0)
    return held


def _taken(
    rows: Rows,
    forest: Forest,
    usage: Array,
    ask: Ask,
    work: Work,
    candidates: Array,
    grounds: Array,
    held: Array,
    may_borrow: bool,
) -> Array | None:
    """Who is taken in one attempt, as places among the candidates; None where it does not suffice."""
    node = rows.queue[candidates]
    own = work.group[node] == OWN
    standing = np.flatnonzero(own | ((grounds != WITHOUT_BORROWING) if may_borrow else True))
    standing = standing[own[standing] | _exceeding(forest, usage, ask, node[standing], held[:, standing])]
    top, amount = ask.path[-1], ask.amount[:, None]
    left = np.cumsum(held[:, standing], axis=1)
    rest = forest.subtree[top, ask.at][:, None] - usage[top, ask.at][:, None] + left - amount
    mine = np.cumsum(np.where(own[standing], held[:, standing], 0), axis=1)
    of_own = forest.nominal[ask.own, ask.at][:, None] - usage[ask.own, ask.at][:, None] + mine - amount
    fit = (rest >= 0).all(axis=0)
    if not may_borrow:
        fit &= (of_own >= 0).all(axis=0)
    if not fit.any():
        return None
    last = int(fit.argmax())
    bounded = own[standing[: last + 1]] & (not may_borrow)
    return standing[: last + 1][
        _stays(held[:, standing[: last + 1]], bounded, rest[:, last], of_own[:, last])
    ]


def _exceeding(forest: Forest, usage: Array, ask: Ask, node: Array, held: Array) -> Array:
    """Whether each one's queue uses more than its quota of something lacking when the turn comes to it."""
    by_node = np.argsort(node, kind="stable")
    sorted_nodes = node[by_node]
    begins = np.flatnonzero(np.r_[True, sorted_nodes[1:] != sorted_nodes[:-1]]) if len(node) else by_node
    lengths = np.diff(np.r_[begins, len(node)]) if len(node) else by_node
    found = np.zeros(len(node), np.bool_)
    lacking = set(ask.needed.tolist())
    for index, at in enumerate(ask.at.tolist()):
        if at in lacking:
            before = np.cumsum(held[index, by_node]) - held[index, by_node]
            before -= np.repeat(before[begins], lengths)
            found[by_node] |= usage[sorted_nodes, at] - before > forest.subtree[sorted_nodes, at]
    return found


def _stays(held: Array, bounded: Array, rest: Array, of_own: Array) -> Array:
    """Who does not come back, the last one removed included.

    Args:
        held: of those removed, int64[c, k].
        bounded: who needs room in the queue's own quota as well, bool[k].
        rest, of_own: what is left at the root and in the queue's own quota, int64[c].
    """
    stays = np.ones(held.shape[1], np.bool_)
    end, rest, of_own = held.shape[1] - 1, rest.copy(), of_own.copy()
    while end > 0:
        fits = (held[:, :end] <= rest[:, None]).all(axis=0)
        fits &= ~bounded[:end] | (held[:, :end] <= of_own[:, None]).all(axis=0)
        places = np.flatnonzero(fits)
        if not len(places):
            break
        end = int(places[-1])
        stays[end] = False
        rest -= held[:, end]
        if bounded[end]:
            of_own -= held[:, end]
    return stays


def _leave(forest: Forest, nodes: Array, usage: Array, ask: Ask, held: Array, work: Work) -> None:
    copy_tree(forest, usage, ask.path, work.usage)
    for index, at in enumerate(ask.at.tolist()):
        np.subtract.at(work.usage[:, at], nodes, held[index])
        if len(ask.path) == 2:
            work.usage[ask.path[-1], at] -= int(held[index].sum())
