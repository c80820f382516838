"""What the kernels are given: arrays and numbers in records, nothing else."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

Array: TypeAlias = Any
"""A NumPy array, or within compiled code what numba makes of one."""

NO_STAMP = -(2**63)
"""Stands for an instant that is not known."""

NONE, LOWER_PRIORITY, NEWER_EQUAL, TIME_EXPIRED, HIERARCHICAL = 0, 1, 2, 3, 4
WITHOUT_BORROWING, WHILE_BORROWING, WITHIN_NOMINAL, FINAL_SHARE, INITIAL_SHARE = 5, 6, 7, 8, 9
HERO_TAKES = 10
"""Bases, by the numbers of `tenure.model.Basis`."""

ADVANTAGE, ELSEWHERE, OWN = 0, 1, 2
"""Groups of candidates, in their order."""


class Rows(NamedTuple):
    """The workloads that hold quota.

    Args:
        size: how many rows there are.
        queue: node of its ClusterQueue, int32[n]; below zero where the row is free or its queue not known.
        priority: the effective one, int64[n].
        reserved: since when it holds its quota, ns, int64[n].
        queued: the time it queues from, ns, int64[n].
        key: its place in the order within a group, int64[n]; see `tenure_simulate.core.sorting`.
        twin: rank of its uid, int32[n]; the same for all that share one.
        evicted: bool[n].
        first, width: its entries in `at` and `amount`, int64[n] and int32[n].
        at: column of a flavor-resource, int32[entries].
        amount: how much of it is held, int64[entries].
    """

    size: int
    queue: Array
    priority: Array
    reserved: Array
    queued: Array
    key: Array
    twin: Array
    evicted: Array
    first: Array
    width: Array
    at: Array
    amount: Array


class Forest(NamedTuple):
    """All trees of quota, parents before their children.

    Args:
        parent: node above, int32[nodes]; -1 at a root.
        root: of its tree, int32[nodes].
        end: the first node behind its subtree, int32[nodes].
        is_queue: bool[nodes].
        active: whether it is a ClusterQueue whose workloads may be candidates, bool[nodes].
        nominal, subtree, local, limit: as `NodeQuota`, int64[nodes, columns]; no limit is unlimited.
        covered: whether the node has a quota of the flavor-resource, bool[nodes, columns].
        resource: number of each column's resource, int32[columns].
        weight: fair-sharing weight, float64[nodes].
    """

    parent: Array
    root: Array
    end: Array
    is_queue: Array
    active: Array
    nominal: Array
    subtree: Array
    local: Array
    limit: Array
    covered: Array
    resource: Array
    weight: Array


class Ask(NamedTuple):
    """A request.

    Args:
        own: node of the preemptor's ClusterQueue.
        path: from it up to the root, int32[depth].
        at, amount: the request, int32[r] and int64[r], each amount above zero.
        needed: columns that lack quota, int32[k].
        is_needed: the same, bool[columns].
        watched: columns that are needed or requested, bool[columns].
        common: 1 where every workload holds one of the needed columns, else 0.
    """

    own: int
    path: Array
    at: Array
    amount: Array
    needed: Array
    is_needed: Array
    watched: Array
    common: int


class Policy(NamedTuple):
    """Everything else that decides who may be preempted.

    Args:
        priority: the preemptor's effective one.
        queued: the time it queues from; its creation where `by_reservation`.
        now: the cycle's clock, ns.
        within: `WithinClusterQueue`.
        reclaim: `ReclaimWithinCohort`.
        borrow: `BorrowWithinCohort`.
        threshold: the highest priority that may be preempted while borrowing.
        duration: minAdmitDuration in force, ns; below zero where none is.
        expired_only: whether equals have to be expired.
        by_reservation: whether an equal is newer by its reservation.
    """

    priority: int
    queued: int
    now: int
    within: int
    reclaim: int
    borrow: int
    threshold: int
    duration: int
    expired_only: bool
    by_reservation: bool


class Order(NamedTuple):
    """How the keys of `Rows` are made.

    Args:
        group: the bit above which the group is kept.
        expired: what is flipped in the key of an equal that has exceeded its time.
        tie: the bit above which everything but uid and name is kept.
    """

    group: int
    expired: int
    tie: int


class Work(NamedTuple):
    """Room for one search; what was in it before does not matter.

    Args:
        usage: what is in use at every node, int64[nodes, columns].
        group: group of every node, int8[nodes]; below zero for no candidate.
        common: lowest node that contains it and the preemptor's, int32[nodes].
        keys, rows: candidates, int64[n] and int32[n].
        out: the victims, int32[n].
        basis, share: of the victims, int8[n].
        node: of candidates, int32[n].
        held: what candidates, and then victims, hold of each requested column, int64[columns, n].
        ends: of `tenure_simulate.core.sorting`, int64[...].
        log: cells that the last change of `usage` touched and what was in them, int64[3, ...].
    """

    usage: Array
    group: Array
    common: Array
    keys: Array
    rows: Array
    out: Array
    basis: Array
    share: Array
    node: Array
    held: Array
    ends: Array
    log: Array


def work_for(forest: Forest, rows: int, widest: int, deepest: int, room: int) -> Work:
    """Room for a search.

    Args:
        forest: the trees.
        rows: how many workloads there are at most.
        widest: how many flavor-resources one of them has at most.
        deepest: how many nodes are on the longest path to a root.
        room: of `tenure_simulate.core.sorting`.
    """
    nodes, columns = forest.nominal.shape
    return Work(
        usage=np.zeros((nodes, columns), np.int64),
        group=np.full(nodes, -1, np.int8),
        common=np.full(nodes, -1, np.int32),
        keys=np.zeros(rows, np.int64),
        rows=np.zeros(rows, np.int32),
        out=np.zeros(rows, np.int32),
        basis=np.zeros(rows, np.int8),
        share=np.zeros(rows, np.int8),
        node=np.zeros(rows, np.int32),
        held=np.zeros((columns, rows), np.int64),
        ends=np.zeros(room, np.int64),
        log=np.zeros((3, max((widest + 1) * (deepest + 1), columns + 1)), np.int64),
    )


class TierTables(NamedTuple):
    """The tiers of a PreemptionConfig, in the order in which they are tried, and room for one of them.

    Args:
        selected: whom the rules of each tier select, of those in the preemptor's tree, bool[tiers, n];
            whether it holds a needed column is left out.
        trigger: of each tier, int64[tiers].
        stops: whether an invalid selector stops it and all later ones, bool[tiers].
        waits: whether the candidates before each tier must not have sufficed, bool[tiers].
        merged: whether a tier is sorted among the candidates before it, and the search begins again.
        gone: room, bool[n].
        keys, rows, ends: as in `Work`, of a tier's candidates.
    """

    selected: Array
    trigger: Array
    stops: Array
    waits: Array
    merged: bool
    gone: Array
    keys: Array
    rows: Array
    ends: Array


class SearchInput(NamedTuple):
    """One search for targets.

    Args:
        rows, forest: the workloads and the trees.
        usage: what is in use at every node; it stays as it is, `work.usage` is without the victims.
        ask, policy, order: the request, who may be preempted, and in which order.
        work: room.
    """

    rows: Rows
    forest: Forest
    usage: Array
    ask: Ask
    policy: Policy
    order: Order
    work: Work
