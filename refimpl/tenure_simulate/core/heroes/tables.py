"""What the kernels about heroes are given, beside the records of `tenure_simulate.core.tables`.

Few and large arrays: every array that a compiled function is given costs time when it is compiled.
"""

from __future__ import annotations

from typing import NamedTuple

from tenure_simulate.core.tables import Array

NOMINAL, SUBTREE, LOCAL, LIMIT, LENDING, USAGE, BILL, HELD = 0, 1, 2, 3, 4, 5, 6, 7
"""Amounts of a node: as in `Forest`; its lending limit, unlimited for none; what is in use, beside what
others pay for; what it is billed; what the workloads of a ClusterQueue hold, paid for by others or not."""

PARENT, END, IS_QUEUE, ACTIVE, HERO, DEPTH, BRANCH, BY_NAME, PLACE, AFTER, FIRST, STOP, UNLOCKS = range(13)
"""Numbers of a node: as in `Forest`; whether it is a hero; cohorts above it; the branch of a hero, else -1;
all nodes, each before those below it, children by name; where the node is there, and where what is below
it ends; and of a root the branches of its tree, and whether lending limits may rise there."""

WEIGHT, SHARE = 0, 1
"""Rows of `Books.room`."""


class Books(NamedTuple):
    """Who pays for heroes, in all trees.

    A branch is the subtree that some heroes share; branches are in the order in which they are billed.

    Args:
        tree: numbers of every node, int32[13, nodes].
        roots: the cohort of each branch, int32[branches].
        heroes: the heroes of all branches, by name in each, int32[heroes].
        heroes_end: where those of each branch end, int32[branches].
        given: amounts as they are configured, up to `LENDING`, int64[5, nodes, columns].
        covers: whether the node has a quota then, bool[nodes, columns].
        now: amounts with all bills carried out, int64[8, nodes, columns].
        covered: whether the node has a quota then, bool[nodes, columns].
        room: int64[2, nodes].
        singles: where the workloads of each hero begin and end in `amounts`, int64[2, nodes].
        single_of: where each row is there, int32[rows]; -1 of rows that are no hero's.
        amounts: what they hold when all run, and now, int64[2, k, columns].
        frozen: bills that are not made again, by depth of their branch's root, int64[depths, nodes, columns].
        is_frozen: which there are, bool[depths, columns].
        billing, lending: the choices of readings `hero_billing` and `hero_lending`.
        floor: whether that of `accessible_rounding` is FLOOR.
    """

    tree: Array
    roots: Array
    heroes: Array
    heroes_end: Array
    given: Array
    covers: Array
    now: Array
    covered: Array
    room: Array
    singles: Array
    single_of: Array
    amounts: Array
    frozen: Array
    is_frozen: Array
    billing: int
    lending: int
    floor: bool


class Quest(NamedTuple):
    """What a hero's search is about, beside what every search is.

    Args:
        root: the cohort of its branch.
        above: the nodes above that, up to the root of the tree, int32[...].
        accessible: the most that the hero may use of each request, int64[r].
        rank_first: whether reading `hero_precedence` lets rank come first.
        queues: room for the queues that have candidates, int32[nodes].
        heads: room for the keys of their first ones, int64[nodes].
    """

    root: int
    above: Array
    accessible: Array
    rank_first: bool
    queues: Array
    heads: Array
