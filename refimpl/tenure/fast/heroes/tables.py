"""What the kernels about heroes are given, beside the records of `tenure.fast.tables`."""

from __future__ import annotations

from typing import NamedTuple

from tenure.fast.tables import Array, Forest, Rows


class Plan(NamedTuple):
    """The heroes of all trees, as far as it does not depend on what runs.

    A branch is the subtree that some heroes share; branches stand in the order in which they are billed.

    Args:
        hero: whether the node is a hero, bool[nodes].
        branch: of each hero, int32[nodes]; -1 of any other node.
        depth: cohorts above each node, int32[nodes].
        by_name: all nodes, each before those below it, children by name, int32[nodes].
        place: where each node stands there, int32[nodes].
        after: and where what is below it ends, int32[nodes].
        first, end: the branches of the tree of each root, int32[nodes].
        root: the cohort of each branch, int32[branches].
        heroes: the heroes of all branches, by name in each, int32[heroes].
        heroes_end: where those of each branch end, int32[branches].
        lends: lending limits, int64[nodes, columns]; unlimited for none.
        unlocks: whether lending limits may rise in the tree of each root, bool[nodes].
        whole, floor, honour: the choices of readings `hero_billing`, `accessible_rounding`, `hero_lending`.
    """

    hero: Array
    branch: Array
    depth: Array
    by_name: Array
    place: Array
    after: Array
    first: Array
    end: Array
    root: Array
    heroes: Array
    heroes_end: Array
    lends: Array
    unlocks: Array
    whole: bool
    floor: bool
    honour: bool


class Singles(NamedTuple):
    """The single workloads of heroes.

    Args:
        rows: hero by hero, int32[k].
        first, end: those of each node, int64[nodes].
    """

    rows: Array
    first: Array
    end: Array


class Standing(NamedTuple):
    """Quotas and usage while heroes run, one column a flavor-resource.

    Args:
        nominal, subtree, local, limit, covered: as in `Forest`, with all bills carried out.
        lending: lending limits, int64[nodes, columns]; unlimited for none.
        usage: what is in use at every node, beside what others pay for, int64[nodes, columns].
        bill: what each node is billed, int64[nodes, columns].
        held: what the workloads of each ClusterQueue hold, paid for by others or not, int64[nodes, columns].
        gone: hero workloads that have left, bool[rows].
        weight, share: room, int64[nodes].
        frozen: bills that are not made anew, by depth of their branch's root, int64[depths, nodes, columns].
        is_frozen: which there are, bool[depths, columns].
    """

    nominal: Array
    subtree: Array
    local: Array
    limit: Array
    covered: Array
    lending: Array
    usage: Array
    bill: Array
    held: Array
    gone: Array
    weight: Array
    share: Array
    frozen: Array
    is_frozen: Array


class Scene(NamedTuple):
    """A store in which workloads leave and come back.

    Args:
        forest: the trees with the quotas as they are configured.
        seen: the trees with the quotas of `now`.
        plan: the heroes.
        rows: the workloads that hold quota.
        singles: those of heroes.
        now: quotas and usage without those who have left.
    """

    forest: Forest
    seen: Forest
    plan: Plan
    rows: Rows
    singles: Singles
    now: Standing


class Quest(NamedTuple):
    """What a hero's search is about, beside what every search is.

    Args:
        root: the cohort of its branch.
        above: the nodes above that, up to the root of the tree, int32[...].
        accessible: the most that the hero may use of each that is asked for, int64[r].
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
