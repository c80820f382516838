"""The optimized core, who is looked into: groups of ClusterQueues, and what is looked up of candidates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from tenure.fast import classical
from tenure.fast.tables import ADVANTAGE, ELSEWHERE, OWN, Policy, Work
from tenure.model import WithinClusterQueue
from tenure_proofs.theorems import core_world as world
from tenure_proofs.theorems.core_search import given_search
from tenure_proofs.theorems.core_steps import BOOL, GRID, INT, NUMBERS, together
from tenure_proofs.theorems.core_tree import CELLS, COLUMN, EXCEEDS, IN_ORDER, LOG, LOGGED, exceeding
from tenure_proofs.theorems.core_world import (
    ARRAYS,
    ASK,
    COLUMNS,
    DEPTH,
    FOREST,
    NODES,
    PATH,
    REQUESTED,
    ROWS,
    SIZE,
    SIZES,
    USAGE,
    answering,
    flag,
    handed,
    number,
    of,
    seeing,
)
from tenure_proofs.theorems.registry import BELIEVED, theorem
from tenure_proofs.trusted.ast_lifter import Made
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.kernels import POINT, Invariant, Law, Room, read_kernel
from tenure_proofs.trusted.loops import State, Way
from tenure_proofs.trusted.symbols import SymBool, SymInt, as_term

GROUPS, COMMON = (z3.Const(f"{name} before", NUMBERS) for name in ("groups", "common"))
WORK = Made(
    Work,
    {
        "usage": None,
        "group": Room("groups", (NODES,)),
        "common": Room("common", (NODES,)),
        "log": LOGGED,
    },
)


def end_of(node: Any) -> Any:
    """The first node behind a subtree, as a term."""
    return of(FOREST, "end", node)


LOOKED = z3.Function("is looked into", INT, BOOL)
UNPASSED = z3.Function("the node on its way up that does not pass", INT, INT)


@theorem(
    "PO-ANY-560",
    about=(classical._classify_below,),
    size="any tree",
    assumes={**ARRAYS, IN_ORDER: BELIEVED, "who exceeds its quota": "PO-ANY-415"},
)
def below_a_cohort_queues_are_looked_into_that_exceed_their_quota_on_the_whole_way_up_to_it(
    classify_below: Any = classical._classify_below,
) -> Iterator[Part]:
    """KQ-350: a node that does not exceed, or was looked into before, hides all that is below it.

    Of those, the ClusterQueues that may be preempted get the group and the cohort; nothing else changes.
    """
    cohort, skipped, advantage = number("cohort", 0, NODES), number("skipped", 0, NODES), flag("advantage")
    group = z3.If(advantage.term, ADVANTAGE, ELSEWHERE)
    last = end_of(cohort.term)

    def passes(node: Any) -> Any:
        return z3.And(node != skipped.term, EXCEEDS(node))

    def below(node: Any) -> Any:
        return z3.And(node > cohort.term, node < last)

    def subtrees(point: Any, here: State) -> list[Any]:
        """What it is to be looked into, and how subtrees lie, of a point and the node of the step."""
        node, unpassed = as_term(here["node"], int), UNPASSED(point)
        on_way = z3.And(cohort.term < unpassed, unpassed <= point, point < end_of(unpassed))
        inside = z3.And(node <= point, point < end_of(node))
        return [
            z3.Implies(z3.And(LOOKED(point), cohort.term < node, inside), passes(node)),
            z3.Implies(z3.Not(LOOKED(point)), z3.And(on_way, z3.Not(passes(unpassed)))),
            z3.Implies(inside, end_of(point) <= end_of(node)),
            z3.Implies(below(node), z3.And(node < end_of(node), end_of(node) <= last)),
        ]

    def cells(here: State, done: Any, point: Any) -> Labelled:
        active = FOREST.fields["active"].at(point).term
        new = z3.And(point > cohort.term, point < done, LOOKED(point), active)
        wanted = (("groups", group, GROUPS), ("common", cohort.term, COMMON))
        return [
            (name, here[f"@{name}"].term[point] == z3.If(new, value, before[point]))
            for name, value, before in wanted
        ]

    def holds(steps: Any, _: State, here: State, point: Any) -> Labelled:
        node = as_term(here["node"], int)
        passed_over = z3.And(point > cohort.term, point < node, z3.Not(passes(point)))
        return [
            ("it goes on in the subtree", z3.And(node > cohort.term + steps, node <= last)),
            ("what is passed over is passed over whole", z3.Implies(passed_over, end_of(point) <= node)),
            *cells(here, node, point),
        ]

    def points(_: Any, here: State) -> list[Any]:
        node = as_term(here["node"], int)
        return [POINT, node, UNPASSED(node)]

    yield from read_kernel(
        seeing(classify_below, exceeds=Law(exceeding)),
        {
            "forest": FOREST,
            "usage": USAGE,
            "ask": ASK,
            "cohort": cohort,
            "skipped": skipped,
            "advantage": advantage,
            "work": WORK,
        },
        lambda way: cells(way.names, last, POINT),
        rooms={"groups": GROUPS, "common": COMMON},
        facts=(*SIZES, cohort.term < last, last <= NODES),
        loops=[Invariant(holds, points=points, everywhere=subtrees)],
    )


# A walk up the path, step by step: what is left of the request, and who has been given a group.
LEFT = z3.Function("left of the request after steps up", INT, NUMBERS)
AHEAD = z3.Function("advantage after steps up", INT, BOOL)
GROUPED = z3.Function("groups after steps up", INT, NUMBERS)
JOINED = z3.Function("common cohorts after steps up", INT, NUMBERS)
GOES_UP = z3.Function("goes up from a node", NUMBERS, INT, NUMBERS)
FITS_BELOW = z3.Function("fits a node's quota", NUMBERS, INT, BOOL)
CLASSED = z3.Function("groups of those below", NUMBERS, INT, INT, BOOL, NUMBERS)
COHORTS = z3.Function("cohorts of those below", NUMBERS, INT, INT, BOOL, NUMBERS)
CLEARED = z3.Function("groups once cleared", NUMBERS, NUMBERS)
DIFFER = z3.Function("where two arrays differ", NUMBERS, NUMBERS, INT)


def alike(found: Any, wanted: Any) -> Any:
    """Two arrays of numbers that do not differ where they would are the same."""
    place = DIFFER(found, wanted)
    return z3.Implies(found[place] == wanted[place], found == wanted)


def _fits_below(held: State, *given: Any) -> SymBool:
    *_, node, __ = given
    return SymBool(FITS_BELOW(held["@log"].term[0], node.term))


def _goes_up(held: State, forest: Any, usage: Any, ask: Any, node: Any, left: Any) -> dict[str, Any]:
    handed((forest, FOREST), (usage, USAGE), (ask, ASK))
    if left.name != LOGGED.name or str(left.places) != "(0,)":
        raise LiftError("what is left is kept elsewhere than in the first row of the log")
    log = held["@log"].term
    return {"log": z3.Store(log, 0, GOES_UP(log[0], node.term))}


def _below(held: State, forest: Any, usage: Any, ask: Any, *told: Any) -> dict[str, Any]:
    *nodes, advantage, work = told
    handed((forest, FOREST), (usage, USAGE), (ask, ASK), (work, WORK))
    how = (*(as_term(node, int) for node in nodes), as_term(advantage, bool))
    return {
        "groups": CLASSED(held["@groups"].term, *how),
        "common": COHORTS(held["@common"].term, *how),
    }


def _clear(held: State, forest: Any, path: Any, groups: Any) -> dict[str, Any]:
    handed((forest, FOREST), (path, PATH), (groups, WORK.fields["group"]))
    return {"groups": CLEARED(held["@groups"].term)}


def _one_more(step: Any) -> Any:
    """What a step up is: what is left goes up first, and the cohort's queues are looked into then."""
    node, above = of(ASK, "path", step), of(ASK, "path", step + 1)
    return z3.And(
        LEFT(step + 1) == GOES_UP(LEFT(step), node),
        AHEAD(step + 1) == z3.Or(FITS_BELOW(LEFT(step), node), AHEAD(step)),
        GROUPED(step + 1) == CLASSED(GROUPED(step), above, node, AHEAD(step + 1)),
        JOINED(step + 1) == COHORTS(JOINED(step), above, node, AHEAD(step + 1)),
    )


@theorem(
    "PO-ANY-562",
    about=(classical.classify,),
    size="any way up",
    assumes={
        **ARRAYS,
        "no node of the tree has a group at first": "PO-ANY-485",
        "where the request fits, and what of it goes up": "PO-ANY-470",
        "which queues below a cohort are looked into": "PO-ANY-560",
        "whether anything may be reclaimed": "PO-ANY-425",
    },
)
def from_the_queue_up_to_the_root_each_cohort_is_looked_into_with_advantage_once_the_rest_fits_below(
    classify: Any = classical.classify,
) -> Iterator[Part]:
    """KQ-350: each node that the request fits, as far as it went up, gives its cohort's queues advantage.

    The subtree that the way comes from was looked into before. The preemptor's ClusterQueue comes first,
    with itself in common, unless the policy allows nothing there.
    """
    own = ASK.fields["own"].term
    within, reclaim = number("within", 0, 3), flag("anything may be reclaimed")
    mine = z3.And(within.term != int(WithinClusterQueue.NEVER), FOREST.fields["active"].at(own).term)

    def start(point: Any) -> Any:
        """What is asked for, before the first step up; elsewhere what was there."""
        among = z3.And(point >= 0, point < REQUESTED)
        return LEFT(0)[point] == z3.If(among, of(ASK, "amount", point), LOG[0][point])

    def asking(steps: Any, _: State, here: State, point: Any) -> Labelled:
        before = z3.And(point >= 0, point < steps)
        left = z3.If(before, of(ASK, "amount", point), LOG[0][point])
        return [("what is asked for", here["@log"].term[0][point] == left)]

    def walking(steps: Any, _: State, here: State, __: Any) -> Labelled:
        return together(
            "what is so far",
            [
                ("what is left", here["@log"].term[0] == LEFT(steps)),
                ("advantage", as_term(here["advantage"], bool) == AHEAD(steps)),
                ("groups", here["@groups"].term == GROUPED(steps)),
                ("common", here["@common"].term == JOINED(steps)),
            ],
        )

    def says(way: Way) -> Labelled:
        done = z3.If(reclaim.term, DEPTH - 1, 0)
        return [
            ("groups", way.names["@groups"].term == GROUPED(done)),
            ("common", way.names["@common"].term == JOINED(done)),
        ]

    policy = Made(Policy, {"within": within})
    cleared = CLEARED(GROUPS)
    first = (
        z3.Not(AHEAD(0)),
        GROUPED(0) == z3.If(mine, z3.Store(cleared, own, OWN), cleared),
        JOINED(0) == z3.Store(COMMON, own, own),
    )
    laws = {
        "clear_groups": Law(lambda *_: 0, _clear),
        "may_reclaim_any": answering(reclaim, policy),
        "_fits_below": Law(_fits_below, _goes_up),
        "_classify_below": Law(lambda *_: 0, _below),
    }
    yield from read_kernel(
        seeing(classify, **laws),
        {"given": given_search(policy=policy, work=WORK)},
        says,
        rooms={"groups": GROUPS, "common": COMMON, "log": LOG},
        facts=(*SIZES, *first, REQUESTED <= CELLS),
        loops=[
            Invariant(
                asking,
                points=lambda _, here: [POINT, DIFFER(here["@log"].term[0], LEFT(0))],
                everywhere=lambda point, here: [start(point), alike(here["@log"].term[0], LEFT(0))],
            ),
            Invariant(
                walking,
                points=lambda steps, _: [steps],
                everywhere=lambda step, _: [_one_more(step)],
            ),
        ],
    )


HELD = z3.Const("held before", GRID)
SHARES, GROUNDS, QUEUES = (z3.Const(f"{name} before", NUMBERS) for name in ("shares", "grounds", "queues"))
CANDIDATES = z3.Int("room for candidates")
GROUND_OF = z3.Function("the ground of a row in a group", INT, INT, INT)
HOLDS = z3.Function("what a row holds of a requested column", INT, INT, INT)
NOTED = z3.Function("what is noted of a row at a place", HELD.sort(), INT, INT, HELD.sort())


def noted(held: Any, row: Any, place: Any, column: Any, point: Any) -> Any:
    """PO-ANY-492 of one cell."""
    there = z3.And(column >= 0, column < REQUESTED, point == place)
    cell = NOTED(held, row, place)[column][point]
    return cell == z3.If(there, HOLDS(row, column), held[column][point])


@theorem(
    "PO-ANY-564",
    about=(classical.load,),
    size="any number of candidates and columns",
    assumes={
        **ARRAYS,
        "on what ground": "PO-ANY-420",
        "what is noted of a workload": "PO-ANY-492",
        "candidates are of ClusterQueues that there are": "PO-ANY-475",
    },
)
def what_is_looked_up_of_candidates_is_their_queue_their_ground_and_what_they_hold(
    load: Any = classical.load,
) -> Iterator[Part]:
    """Of each from the one place up to the other, with no share yet; of others nothing changes."""
    start, end = number("start", 0, CANDIDATES), number("end", 0, CANDIDATES + 1)
    candidates = world.between("candidates", 0, SIZE, CANDIDATES)
    group = world.between("groups", -1, 3, NODES)
    search = given_search(
        work=Made(
            Work,
            {
                "rows": candidates,
                "group": group,
                "node": Room("node", (CANDIDATES,)),
                "ground": Room("ground", (CANDIDATES,)),
                "share": Room("share", (CANDIDATES,)),
                "held": (held_room := Room("held", (COLUMNS, CANDIDATES))),
            },
        )
    )

    def row_at(place: Any) -> Any:
        return candidates.at(place).term

    def queue_at(place: Any) -> Any:
        return of(ROWS, "queue", row_at(place))

    def ground(_: State, rows: Any, row: Any, its_group: Any, policy: Any) -> SymInt:
        handed((rows, ROWS), (policy, search.fields["policy"]))
        return SymInt(GROUND_OF(row.term, its_group.term))

    def note(state: State, rows: Any, row: Any, ask: Any, held: Any, place: Any) -> dict[str, Any]:
        handed((rows, ROWS), (ask, ASK), (held, held_room))
        return {"held": NOTED(state["@held"].term, row.term, place.term)}

    def cells(here: State, steps: Any, point: Any) -> Labelled:
        done = z3.And(point >= start.term, point < start.term + steps)
        node = queue_at(point)
        wanted = {
            "node": (node, QUEUES[point]),
            "ground": (GROUND_OF(row_at(point), group.at(node).term), GROUNDS[point]),
            "share": (z3.IntVal(0), SHARES[point]),
        }
        column = z3.And(done, COLUMN >= 0, COLUMN < REQUESTED)
        held = z3.If(column, HOLDS(row_at(point), COLUMN), HELD[COLUMN][point])
        return [
            *(
                (name, here[f"@{name}"].term[point] == z3.If(done, new, old))
                for name, (new, old) in wanted.items()
            ),
            ("what is held", here["@held"].term[COLUMN][point] == held),
        ]

    def facts(point: Any, here: State) -> list[Any]:
        place = start.term + here["#0"].term
        return [queue_at(place) >= 0, noted(here["@held"].term, row_at(place), place, COLUMN, point)]

    count = z3.If(end.term > start.term, end.term - start.term, 0)
    yield from read_kernel(
        seeing(load, classical_ground=Law(ground), note_held=Law(lambda *_: 0, note)),
        {"given": search, "start": start, "end": end},
        lambda way: cells(way.names, count, POINT),
        rooms={"node": QUEUES, "ground": GROUNDS, "share": SHARES, "held": HELD},
        facts=(*SIZES, SIZE > 0, CANDIDATES > 0, CANDIDATES < world.FAR),
        loops=[Invariant(lambda steps, _, here, point: cells(here, steps, point), everywhere=facts)],
    )
