"""The optimized core, steps of a search: attempts, candidates, their turn, and what is written down."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from tenure.fast import classical, fair, grounds, nodes, rounds
from tenure.fast.tables import NONE, OWN, Policy, SearchInput, Work
from tenure.model import Attempts, Ground
from tenure.rules import quota, reclaim
from tenure_proofs.premises import any_terms
from tenure_proofs.registry import reading_of
from tenure_proofs.theorems import core_world as world
from tenure_proofs.theorems.core_tree import BEFORE, ENDS, LOGGED, ROOM
from tenure_proofs.theorems.core_world import (
    ARRAYS,
    ASK,
    COLUMNS,
    DEPTH,
    ENTRIES,
    FOREST,
    MINUS,
    NEEDED,
    NODES,
    PATH,
    PLUS,
    REQUESTED,
    ROWS,
    SIZE,
    SIZES,
    SUMS,
    TOP,
    USAGE,
    answering,
    between,
    flag,
    flags,
    handed,
    number,
    numbers,
    of,
    said,
    seeing,
    so_far,
    used,
)
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.trusted.ast_lifter import Made
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.kernels import POINT, Invariant, Law, Room, read_kernel
from tenure_proofs.trusted.loops import State, Way
from tenure_proofs.trusted.symbols import SymBool, SymInt, as_term, wrapped

CANDIDATES = z3.Int("room for candidates")
NODE, ROW = number("node", 0, NODES), number("row", 0, SIZE)
COLUMN = z3.Int("any other point")

WORK = Made(
    Work,
    {
        "usage": ROOM,
        "group": between("work.group", -1, 3, NODES),
        "common": between("work.common", 0, NODES, NODES),
        "keys": Room("keys", (CANDIDATES,)),
        "rows": Room("candidates", (CANDIDATES,)),
        "log": LOGGED,
    },
)


def given_search(**others: Any) -> Made:
    """A search, where some parts are others than usual."""
    policy = Made(Policy, {})
    parts = {
        "rows": ROWS,
        "forest": FOREST,
        "usage": USAGE,
        "ask": ASK,
        "policy": policy,
        "order": None,
        "work": WORK,
    }
    return Made(SearchInput, {**parts, **others})


@theorem("PO-ANY-460", about=(classical.attempts,), size="any number of columns", assumes=ARRAYS)
def the_core_makes_the_attempts_that_the_rules_say_in_their_order(
    attempts: Any = classical.attempts,
) -> Iterator[Part]:
    """KQ-360, where KQ-370 is asked of every needed column."""
    claim = Claim(reading_of("guaranteed"))
    terms, below, least = any_terms(claim), flag("below nominal"), z3.Int("one that is not below")
    elsewhere, advantaged = number("elsewhere", 0, SIZE), number("advantaged", 0, SIZE)
    own = ASK.fields["own"].term

    def is_below(index: Any) -> Any:
        at = of(ASK, "needed", index)
        nominal = SymInt(of(FOREST, "nominal", own, at))
        return said(reclaim.is_below_nominal, usage=SymInt(used(own, at)), nominal=nominal)

    rule = said(
        reclaim.attempts,
        candidates_elsewhere=SymBool(elsewhere.term > 0),
        advantage_somewhere=SymBool(advantaged.term > 0),
        below_nominal=below,
        terms=terms,
    )

    def meaning(point: Any, _: State) -> list[Any]:
        """KQ-370 of all needed columns: where it does not hold, there is one that is not below."""
        among = z3.And(point >= 0, point < NEEDED)
        there = z3.And(least >= 0, least < NEEDED, z3.Not(is_below(least)))
        return [
            z3.Implies(z3.And(below.term, among), is_below(point)),
            z3.Implies(z3.Not(below.term), there),
        ]

    def says(way: Way) -> Labelled:
        borrows, again = (as_term(part, bool) for part in way.value)
        first, other = int(Attempts.BORROWING_THEN_WITHOUT), int(Attempts.WITHOUT_THEN_BORROWING)
        made = z3.If(z3.Not(again), int(Attempts.BORROWING), z3.If(borrows, first, other))
        return [("what the rule says", z3.And(made == rule, z3.Or(again, borrows)))]

    invariant = so_far(is_below)
    borrow = SymInt(terms.borrow_within_cohort.term)
    yield from read_kernel(
        attempts,
        {
            "given": given_search(policy=Made(Policy, {"borrow": borrow})),
            "elsewhere": elsewhere,
            "advantaged": advantaged,
        },
        says,
        facts=(*SIZES, SIZE > 0, *claim.facts, *meaning(z3.IntVal(-1), {})),
        loops=[Invariant(invariant.holds, points=lambda steps, _: [POINT, least, steps], everywhere=meaning)],
    )


@theorem(
    "PO-ANY-465",
    about=(classical.stands,),
    size="any candidate",
    assumes={**ARRAYS, "whether every node on the way exceeds its quota": "PO-ANY-430"},
)
def the_core_lets_a_candidate_stand_at_its_turn_exactly_where_the_rules_do(
    stands: Any = classical.stands,
) -> Iterator[Part]:
    """KQ-380, of any group, ground and attempt."""
    may_borrow, ground = flag("may borrow"), number("ground", 0, len(Ground))
    exceeds = z3.Function("exceeds up to", z3.IntSort(), z3.IntSort(), z3.BoolSort())
    over = SymBool(exceeds(NODE.term, of(WORK, "common", NODE.term)))

    def exceeds_below(_: State, forest: Any, usage: Any, node: Any, common: Any, needed: Any) -> SymBool:
        handed((forest, FOREST), (usage, ROOM), (needed, ASK.fields["needed"]))
        return SymBool(exceeds(node.term, common.term))

    own = SymBool(of(WORK, "group", NODE.term) == OWN)
    rule = said(
        reclaim.stands_in_attempt,
        own=own,
        over_quota=over,
        ground=wrapped(Ground, ground.term),
        may_borrow=may_borrow,
    )
    given = {
        "forest": FOREST,
        "node": NODE,
        "ground": ground,
        "ask": ASK,
        "may_borrow": may_borrow,
        "work": WORK,
    }
    yield from read_kernel(
        seeing(stands, exceeds_below=Law(exceeds_below)),
        given,
        lambda way: [("what the rule says", as_term(way.value, bool) == rule)],
        rooms={"usage": BEFORE},
        facts=SIZES,
    )


REMAINING = z3.Array("remaining", z3.IntSort(), z3.IntSort())


@theorem(
    "PO-ANY-470", about=(classical._fits_below,), size="any number of columns", assumes={**ARRAYS, **SUMS}
)
def the_core_finds_where_a_request_fits_below_and_what_of_it_goes_up_as_the_rules_do(
    fits_below: Any = classical._fits_below,
) -> Iterator[Part]:
    """KQ-060 of every column, and KQ-210 of each: what is left of the request for the node above."""
    fits_all = z3.Bool("every column fits")
    unfit = z3.Int("a column that does not fit")
    fits_quota = seeing(quota.fits_quota, plus=PLUS)
    left = seeing(
        quota.remaining_request,
        minus=MINUS,
        local_available=seeing(quota.local_available, minus=MINUS),
    )

    def fit(index: Any) -> Any:
        at = of(ASK, "at", index)
        limit = SymInt(of(FOREST, "subtree", NODE.term, at))
        return said(
            fits_quota, usage=SymInt(used(NODE.term, at)), request=SymInt(REMAINING[index]), quota=limit
        )

    def goes_up(index: Any) -> Any:
        at = of(ASK, "at", index)
        return said(
            left,
            request=SymInt(REMAINING[index]),
            quota=world.quota(NODE.term, at),
            usage=SymInt(used(NODE.term, at)),
        )

    def meaning(point: Any, _: State) -> list[Any]:
        among = z3.And(point >= 0, point < REQUESTED)
        there = z3.And(unfit >= 0, unfit < REQUESTED, z3.Not(fit(unfit)))
        return [z3.Implies(z3.And(fits_all, among), fit(point)), z3.Implies(z3.Not(fits_all), there)]

    def what_is_left(here: State, steps: Any, point: Any) -> tuple[str, Any]:
        done = z3.And(point >= 0, point < steps)
        return "what goes up", here["@remaining"].term[point] == z3.If(done, goes_up(point), REMAINING[point])

    def holds(steps: Any, _: State, here: State, point: Any) -> Labelled:
        found = as_term(here["fit"], bool)
        before = z3.And(point >= 0, point < steps)
        return [
            ("those before fit", z3.Implies(z3.And(found, before), fit(point))),
            ("one does not fit", z3.Implies(z3.Not(found), z3.Not(fits_all))),
            what_is_left(here, steps, point),
        ]

    def says(way: Way) -> Labelled:
        return [
            ("whether every column fits", as_term(way.value, bool) == fits_all),
            what_is_left(way.names, REQUESTED, POINT),
        ]

    room = Room("remaining", (CANDIDATES,))
    yield from read_kernel(
        seeing(fits_below, plus=PLUS, minus=MINUS),
        {"forest": FOREST, "usage": USAGE, "ask": ASK, "node": NODE, "remaining": room},
        says,
        rooms={"remaining": REMAINING},
        facts=(*SIZES, CANDIDATES >= REQUESTED),
        loops=[Invariant(holds, points=lambda steps, _: [POINT, steps, unfit], everywhere=meaning)],
    )


FIRST, WIDTH = of(ROWS, "first", ROW.term), of(ROWS, "width", ROW.term)
ONE_ROW = (*SIZES, SIZE > 0, FIRST + WIDTH <= ENTRIES)
"""That a row's entries are there."""


@theorem("PO-ANY-475", about=(grounds.uses_any, grounds.offers), size="any number of entries", assumes=ARRAYS)
def a_candidate_is_of_a_queue_that_is_looked_into_with_a_ground_and_a_needed_column(
    uses_any: Any = grounds.uses_any, offers: Any = grounds.offers
) -> Iterator[Part]:
    """KQ-320 and KQ-040 give the ground; of what it holds, some column is needed."""
    wanted = flags("wanted", COLUMNS)

    def one(index: Any) -> Any:
        return wanted.at(of(ROWS, "at", FIRST + index)).term

    def none(index: Any) -> Any:
        return z3.Not(one(index))

    def says(way: Way) -> Labelled:
        found, steps = as_term(way.value, bool), way.names["#0"].term
        among = z3.And(POINT >= 0, POINT < WIDTH)
        there = z3.And(steps >= 0, steps < WIDTH, one(steps))
        return [
            ("true: there is one", z3.Implies(found, there)),
            ("false: there is none", z3.Implies(z3.And(z3.Not(found), among), none(POINT))),
        ]

    given = {"rows": ROWS, "row": ROW, "wanted": wanted}
    yield from read_kernel(uses_any, given, says, facts=ONE_ROW, loops=[so_far(none)])
    node, uses = of(ROWS, "queue", ROW.term), flag("uses a needed column")
    found = z3.Function("ground by group", z3.IntSort(), z3.IntSort())
    ground, search = SymInt(found(of(WORK, "group", node))), given_search()

    def classical_ground(_: State, rows: Any, row: Any, group: Any, policy: Any) -> SymInt:
        handed((rows, ROWS), (row, ROW), (policy, search.fields["policy"]))
        return SymInt(found(group.term))

    inside = z3.And(node >= TOP, node < ENDS, of(WORK, "group", node) >= 0)
    needed = z3.Or(ASK.fields["common"].term == 1, uses.term)
    want = z3.And(inside, ground.term != NONE, needed)
    yield from read_kernel(
        seeing(
            offers,
            classical_ground=Law(classical_ground),
            uses_any=answering(uses, ROWS, ROW, ASK.fields["is_needed"]),
        ),
        {"given": search, "row": ROW},
        lambda way: [("exactly those", as_term(way.value, bool) == want)],
        facts=(*ONE_ROW, ENDS <= NODES),
    )


def _array(name: str, sort: Any = None) -> Any:
    return z3.Array(name, z3.IntSort(), z3.IntSort() if sort is None else sort)


@theorem("PO-ANY-480", about=(classical._put, rounds.reject), size="any number of candidates", assumes=ARRAYS)
def a_candidate_is_put_in_its_place_and_what_was_there_is_not_lost(
    put: Any = classical._put, reject: Any = rounds.reject
) -> Iterator[Part]:
    """Who was in the place goes behind the last; who is rejected joins those rejected before it, in order."""
    keys, rows = _array("keys before"), _array("candidates before")
    key, row, count, place = number("key"), number("row", 0, SIZE), z3.Int("count"), z3.Int("place")

    def says(way: Way) -> Labelled:
        return [
            (
                name,
                way.names[f"@{name}"].term
                == z3.Store(z3.Store(before, count, before[place]), place, value.term),
            )
            for name, before, value in (("keys", keys, key), ("candidates", rows, row))
        ]

    given = {"work": WORK, "key": key, "row": row, "count": SymInt(count), "place": SymInt(place)}
    yield from read_kernel(
        put,
        given,
        says,
        rooms={"keys": keys, "candidates": rows},
        facts=(*SIZES, SIZE > 0, place >= 0, place <= count, count < CANDIDATES),
    )
    rejected, following = _array("rejected before"), _array("next before")
    start = numbers("rounds.start", NODES)
    node = NODE.term
    to, turn = start.at(node).term + rejected[node], following[node]
    tournament = Made(
        rounds.Rounds,
        {
            "start": start,
            "rejected": Room("rejected", (NODES,)),
            "next": Room("next", (NODES,)),
        },
    )
    there = (to >= 0, to <= turn, turn < CANDIDATES, rejected[node] >= 0, CANDIDATES < world.FAR)

    def moved(way: Way) -> Labelled:
        after = {name: way.names[f"@{name}"].term for name in ("keys", "candidates", "rejected", "next")}
        return [
            ("its key", after["keys"] == z3.Store(keys, to, keys[turn])),
            ("its row", after["candidates"] == z3.Store(rows, to, rows[turn])),
            ("one more is rejected", after["rejected"] == z3.Store(rejected, node, rejected[node] + 1)),
            ("the next one's turn", after["next"] == z3.Store(following, node, turn + 1)),
        ]

    yield from read_kernel(
        reject,
        {"work": WORK, "rounds": tournament, "node": NODE},
        moved,
        rooms={"keys": keys, "candidates": rows, "rejected": rejected, "next": following},
        facts=(*SIZES, *there, start.at(node).term >= 0),
    )


@theorem(
    "PO-ANY-485",
    about=(nodes.copy_part, nodes.copy_tree, nodes.clear_groups),
    size="any tree, any part of an array",
    assumes=ARRAYS,
)
def what_is_copied_or_cleared_is_that_part_and_nothing_else(
    copy_part: Any = nodes.copy_part, copy_tree: Any = nodes.copy_tree, clear: Any = nodes.clear_groups
) -> Iterator[Part]:
    """Of every place of an array: inside the part what was copied there, outside it what was there."""
    into = _array("into before")
    start, end, place, length = (z3.Int(name) for name in ("start", "end", "to", "length of both"))
    values = numbers("values", length)

    def part(here: State, count: Any, point: Any) -> Any:
        inside = z3.And(point >= place, point < place + count, start >= 0, place >= 0)
        copied = values.at(start + (point - place)).term
        return here["@into"].term[point] == z3.If(inside, copied, into[point])

    copies = {"start": SymInt(start), "end": SymInt(end), "place": SymInt(place)}
    sizes = (length < world.FAR, end <= length, place + (end - start) <= length, end >= start)
    yield from read_kernel(
        copy_part,
        {**copies, "values": values, "into": Room("into", (length,))},
        lambda way: [("that part", part(way.names, end - start, POINT))],
        rooms={"into": into},
        facts=(*sizes, *(z3.And(term > -world.FAR, term < world.FAR) for term in (start, end, place))),
        loops=[Invariant(lambda steps, _, here, point: [("that part", part(here, steps, point))])],
    )
    inside = z3.And(POINT >= TOP, POINT < ENDS)
    groups = _array("groups before")

    def cleared(here: State, count: Any, point: Any) -> Any:
        done = z3.And(point >= TOP, point < TOP + count)
        return here["@groups"].term[point] == z3.If(done, -1, groups[point])

    yield from read_kernel(
        clear,
        {"forest": FOREST, "path": PATH, "group": Room("groups", (NODES,))},
        lambda way: [("no node of the tree has a group", cleared(way.names, ENDS - TOP, POINT))],
        rooms={"groups": groups},
        facts=(*SIZES, TOP < ENDS, ENDS <= NODES),
        loops=[Invariant(lambda steps, _, here, point: [("so far", cleared(here, steps, point))])],
    )
    among = z3.And(COLUMN >= 0, COLUMN < COLUMNS)

    def copied(here: State, done: Any, point: Any) -> Any:
        value = z3.If(done, used(point, COLUMN), BEFORE[point][COLUMN])
        return z3.Implies(among, here["@usage"].term[point][COLUMN] == value)

    def outer(steps: Any, _: State, here: State, point: Any) -> Labelled:
        return [("so far", copied(here, z3.And(point >= TOP, point < TOP + steps), point))]

    def inner(steps: Any, _: State, here: State, point: Any) -> Labelled:
        node = TOP + here["#0"].term
        before = z3.And(point >= TOP, point < node)
        return [("so far", copied(here, z3.Or(before, z3.And(point == node, steps > COLUMN)), point))]

    yield from read_kernel(
        copy_tree,
        {"forest": FOREST, "usage": USAGE, "path": PATH, "into": ROOM},
        lambda way: [("what is in use in the tree", copied(way.names, inside, POINT))],
        rooms={"usage": BEFORE},
        facts=(*SIZES, TOP < ENDS, ENDS <= NODES),
        loops=[Invariant(outer), Invariant(inner)],
    )


@theorem(
    "PO-ANY-487",
    about=(fair.follow_path, fair.wait_again),
    size="any tree",
    assumes=ARRAYS,
)
def a_tournament_begins_with_the_path_marked_and_goes_on_with_all_that_were_rejected(
    follow_path: Any = fair.follow_path, wait_again: Any = fair.wait_again
) -> Iterator[Part]:
    """A node is marked exactly if it is on the preemptor's path; each queue's rejected wait, in order."""
    marked = z3.Array("marked before", z3.IntSort(), z3.BoolSort())
    names = ("rejected", "next", "end", "settled")
    before = {name: _array(f"{name} before") for name in names}
    start = numbers("rounds.start", NODES)
    tournament = Made(
        rounds.Rounds,
        {
            "start": start,
            "on_path": Room("on_path", (NODES,)),
            **{name: Room(name, (NODES,)) for name in names},
        },
    )
    step_of, is_above = (
        z3.Function("its step on the path", z3.IntSort(), z3.IntSort()),
        z3.Function("is on the path", z3.IntSort(), z3.BoolSort()),
    )

    def meaning(point: Any, _: State) -> list[Any]:
        """What it is to be on the path: of a step of it, and of a node that is."""
        there = z3.And(step_of(point) >= 0, step_of(point) < DEPTH, of(ASK, "path", step_of(point)) == point)
        return [
            z3.Implies(z3.And(point >= 0, point < DEPTH), is_above(of(ASK, "path", point))),
            z3.Implies(is_above(point), there),
        ]

    def clearing(steps: Any, _: State, here: State, point: Any) -> Labelled:
        done = z3.And(point >= 0, point < steps)
        none = z3.And(here["@rejected"].term[point] == 0, z3.Not(here["@on_path"].term[point]))
        return [("none rejected, none marked", z3.Implies(done, none))]

    def marking(steps: Any, _: State, here: State, point: Any) -> Labelled:
        node, on_path = z3.And(point >= 0, point < NODES), here["@on_path"].term
        step = z3.And(point >= 0, point < steps)
        return [
            ("marked: it is on the path", z3.Implies(z3.And(node, on_path[point]), is_above(point))),
            ("the steps so far are marked", z3.Implies(step, on_path[of(ASK, "path", point)])),
            ("none rejected", z3.Implies(node, here["@rejected"].term[point] == 0)),
        ]

    def says(way: Way) -> Labelled:
        node = z3.And(POINT >= 0, POINT < NODES)
        exactly = way.names["@on_path"].term[POINT] == is_above(POINT)
        return [
            ("marked exactly if it is on the path", z3.Implies(node, exactly)),
            ("none rejected", z3.Implies(node, way.names["@rejected"].term[POINT] == 0)),
        ]

    contents = {**before, "on_path": marked}
    yield from read_kernel(
        follow_path,
        {"ask": ASK, "rounds": tournament},
        says,
        rooms=contents,
        facts=(*SIZES, *meaning(POINT, {})),
        loops=[
            Invariant(clearing),
            Invariant(marking, points=lambda steps, _: [POINT, steps, step_of(POINT)], everywhere=meaning),
        ],
    )
    behind = start.at(POINT).term + before["rejected"][POINT]

    def waits(here: State, done: Any) -> Labelled:
        inside = z3.And(POINT >= TOP, TOP + done > POINT)
        wanted = {"next": start.at(POINT).term, "end": behind, "settled": behind}
        return [
            (name, here[f"@{name}"].term[POINT] == z3.If(inside, value, before[name][POINT]))
            for name, value in wanted.items()
        ]

    def few(point: Any, _: State) -> list[Any]:
        rejected = before["rejected"][TOP + point]
        near = z3.And(rejected >= 0, rejected < world.FAR, start.at(TOP + point).term < world.FAR)
        return [near]

    yield from read_kernel(
        wait_again,
        {"given": given_search(), "rounds": tournament},
        lambda way: waits(way.names, ENDS - TOP),
        rooms=contents,
        facts=(*SIZES, TOP < ENDS, ENDS <= NODES),
        loops=[
            Invariant(
                lambda steps, _, here, __: waits(here, steps),
                points=lambda steps, _: [steps],
                everywhere=few,
            )
        ],
    )
