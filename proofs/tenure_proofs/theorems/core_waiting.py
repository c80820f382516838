"""The optimized core, who waits: candidates side by side or queue by queue, and whose turn it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from tenure.fast import rounds
from tenure.fast.tables import Policy, Work
from tenure_proofs.theorems import core_world as world
from tenure_proofs.theorems.core_search import given_search
from tenure_proofs.theorems.core_steps import BOOL, GRID, INT, NUMBERS, together
from tenure_proofs.theorems.core_tree import ENDS
from tenure_proofs.theorems.core_world import (
    ARRAYS,
    NODES,
    ROWS,
    SIZE,
    SIZES,
    TOP,
    between,
    handed,
    number,
    of,
    seeing,
)
from tenure_proofs.theorems.registry import BELIEVED, theorem
from tenure_proofs.trusted.ast_lifter import Made
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.kernels import LEAST, MOST, POINT, Invariant, Law, Room, read_kernel
from tenure_proofs.trusted.loops import State, Way
from tenure_proofs.trusted.symbols import SymBool, SymInt, as_term

CANDIDATES = z3.Int("room for candidates")
HALVES = z3.Int("room for halves")
POLICY = Made(Policy, {})
GROUPS = between("work.group", -1, 3, NODES)
LINES = Made(
    Work, {"group": GROUPS, "keys": Room("keys", (CANDIDATES,)), "rows": Room("candidates", (CANDIDATES,))}
)
SEARCH = given_search(policy=POLICY, work=LINES)
BY_NODE = ("start", "next", "end", "top", "settled")
ROUNDS = Made(
    rounds.Rounds,
    {**{name: Room(name, (NODES,)) for name in BY_NODE}, "ends": Room("ends", (NODES, HALVES))},
)
BEFORE = {
    **{name: z3.Const(f"{name} before", NUMBERS) for name in (*BY_NODE, "keys", "candidates")},
    "ends": z3.Const("ends before", GRID),
}
ROOM_FOR_ALL = "there is room for every candidate"

OFFERED = z3.Function("is offered", INT, BOOL)
_KEY = z3.Function("key in a group", INT, INT, INT)


def key_of(row: Any, group: Any) -> Any:
    """The key of a row in a group, as a term of 64 bits."""
    return world.within(_KEY(row, group), LEAST, MOST + 1)


def queue_of(row: Any) -> Any:
    """The node of a row's ClusterQueue, as a term."""
    return of(ROWS, "queue", row)


def key_in_group(row: Any) -> Any:
    """The key of a row in the group of its queue."""
    return key_of(row, GROUPS.at(queue_of(row)).term)


def _offering(_: State, given: Any, row: Any) -> SymBool:
    handed((given, SEARCH))
    return SymBool(OFFERED(row.term))


def _keying(_: State, rows: Any, row: Any, group: Any, policy: Any, order: Any) -> SymInt:
    handed((rows, ROWS), (policy, POLICY), (order, None))
    return SymInt(key_of(row.term, group.term))


WHO_WAITS = {"_offers": Law(_offering), "offers": Law(_offering), "key_of": Law(_keying)}
OFFERS = {"who is a candidate": "PO-ANY-530"}
KEYS = {"a key is of a row and its group": BELIEVED}

HOW_MANY = z3.Function("candidates of a queue among the first rows", INT, INT, INT)
STARTS = z3.Function("candidates of all queues before", INT, INT)


def counts(node: Any, row: Any) -> Any:
    """What it is to count a queue's candidates: none of no rows, one more for each."""
    one = z3.If(z3.And(OFFERED(row), queue_of(row) == node), 1, 0)
    more = HOW_MANY(node, row + 1) == HOW_MANY(node, row) + one
    few = HOW_MANY(node, row) <= row
    return z3.And(HOW_MANY(node, 0) == 0, z3.Implies(z3.And(row >= 0, row < SIZE), z3.And(more, few)))


def grows(node: Any, row: Any, later: Any) -> Any:
    """That no count is less of more rows."""
    inside = z3.And(row >= 0, row <= later, later <= SIZE)
    return z3.Implies(inside, HOW_MANY(node, row) <= HOW_MANY(node, later))


def begins(node: Any, later: Any) -> Any:
    """Where a queue begins: behind the one before it, and no later queue before it."""
    inside = z3.And(node >= 0, node < NODES)
    behind = STARTS(node + 1) == STARTS(node) + HOW_MANY(node, SIZE)
    after = z3.Implies(z3.And(node < later, later <= NODES), STARTS(node + 1) <= STARTS(later))
    return z3.And(STARTS(0) == 0, z3.Implies(inside, z3.And(behind, after)))


def place_of(row: Any) -> Any:
    """Where a candidate lies: behind those of its queue with a lower row."""
    return STARTS(queue_of(row)) + HOW_MANY(queue_of(row), row)


def _begun(point: Any, _: State) -> list[Any]:
    return [
        z3.And(begins(point, NODES), z3.Implies(point >= 0, STARTS(point) >= 0)),
        z3.And(grows(point, z3.IntVal(0), SIZE), HOW_MANY(point, 0) == 0, STARTS(NODES) <= CANDIDATES),
    ]


def _counted(point: Any, here: State) -> list[Any]:
    """How many there are of a node, up to the row whose turn it is; and whose queue that is."""
    turn = here["#3" if "#3" in here else "#1"].term
    node = queue_of(turn)
    there = z3.Implies(z3.And(OFFERED(turn), turn < SIZE), z3.And(node >= 0, node < NODES))
    return [counts(point, turn), grows(point, z3.IntVal(0), turn), there]


def _apart(point: Any, here: State) -> list[Any]:
    """That a row and the one whose turn it is do not come to one place."""
    turn = here["#3"].term
    known = [*_counted(point, here), *_begun(queue_of(turn), here), grows(queue_of(turn), turn + 1, SIZE)]
    if point is not POINT:
        return known
    node, other = queue_of(point), queue_of(turn)
    return [
        *known,
        z3.Implies(z3.And(OFFERED(point), point >= 0), z3.And(node >= 0, node < NODES)),
        z3.And(counts(node, point), grows(node, point + 1, turn), grows(node, point + 1, SIZE)),
        z3.And(begins(node, other), begins(other, node), grows(node, z3.IntVal(0), point)),
    ]


def _inside(point: Any) -> Any:
    return z3.And(point >= 0, point < NODES)


def _end(here: State, point: Any, value: Any, *known: Any) -> tuple[str, Any]:
    return "where it ends", z3.Implies(z3.And(_inside(point), *known), here["@end"].term[point] == value)


def _both(here: State, point: Any, *known: Any) -> tuple[str, Any]:
    begin = z3.And(*(here[f"@{name}"].term[point] == STARTS(point) for name in ("start", "next")))
    return "where it begins", z3.Implies(z3.And(_inside(point), *known), begin)


def _placed(here: State, steps: Any, row: Any) -> tuple[str, Any]:
    done = z3.And(row >= 0, row < steps, OFFERED(row))
    keys, rows = here["@keys"].term, here["@candidates"].term
    here_it_is = z3.And(rows[place_of(row)] == row, keys[place_of(row)] == key_in_group(row))
    return "who is there", z3.Implies(done, here_it_is)


def _clearing(steps: Any, _: State, here: State, point: Any) -> Labelled:
    return [_end(here, point, 0, point < steps)]


def _counting(steps: Any, _: State, here: State, point: Any) -> Labelled:
    return [_end(here, point, HOW_MANY(point, steps))]


def _lining(steps: Any, _: State, here: State, point: Any) -> Labelled:
    return together(
        "what is so far",
        [
            ("how many before", as_term(here["count"], int) == STARTS(steps)),
            _end(here, point, z3.If(point < steps, STARTS(point), HOW_MANY(point, SIZE))),
            _both(here, point, point < steps),
        ],
    )


def _placing(steps: Any, _: State, here: State, point: Any) -> Labelled:
    return together(
        "what is so far",
        [
            _end(here, point, STARTS(point) + HOW_MANY(point, steps)),
            _both(here, point),
            _placed(here, steps, point),
        ],
    )


def _unsorted(here: State, steps: Any, point: Any) -> tuple[str, Any]:
    cells = (
        here["@ends"].term[point][0] == STARTS(point + 1),
        here["@top"].term[point] == 0,
        here["@settled"].term[point] == STARTS(point),
    )
    return "none is sorted", z3.Implies(z3.And(point >= 0, point < steps), z3.And(cells))


def _ending(steps: Any, _: State, here: State, point: Any) -> Labelled:
    return [*_done(here, point), _unsorted(here, steps, point)]


def _done(here: State, point: Any) -> Labelled:
    return together(
        "every queue and candidate",
        [_end(here, point, STARTS(point + 1)), _both(here, point), _placed(here, SIZE, point)],
    )


def _says(way: Way) -> Labelled:
    return [
        ("how many there are", as_term(way.value, int) == STARTS(NODES)),
        *_done(way.names, POINT),
        _unsorted(way.names, NODES, POINT),
    ]


@theorem(
    "PO-ANY-566",
    about=(rounds.gather_by_queue,),
    size="any number of workloads and ClusterQueues",
    assumes={**ARRAYS, **OFFERS, **KEYS, ROOM_FOR_ALL: BELIEVED},
)
def each_queues_candidates_lie_side_by_side_every_one_of_them_once(
    gather: Any = rounds.gather_by_queue,
) -> Iterator[Part]:
    """Queue by queue in the order of nodes, and in each in the order of rows, each with its key; none sorted.

    A queue begins where the candidates of all queues before it end. So no two have one place, and no place
    is between them.
    """

    yield from _counts_grow()
    turns = {"points": lambda steps, _: [POINT, queue_of(steps)]}
    yield from read_kernel(
        seeing(gather, **WHO_WAITS),
        {"given": SEARCH, "rounds": ROUNDS},
        _says,
        rooms=BEFORE,
        facts=(*SIZES, CANDIDATES < world.FAR, HALVES >= 1),
        loops=[
            Invariant(_clearing, everywhere=_begun),
            Invariant(_counting, **turns, everywhere=_counted),
            Invariant(_lining, points=lambda steps, _: [POINT, steps], everywhere=_begun),
            Invariant(_placing, **turns, everywhere=_apart),
            Invariant(_ending, points=lambda steps, _: [POINT, steps], everywhere=_begun),
        ],
    )


def _counts_grow() -> Iterator[Part]:
    """That counts grow, by induction: of one row more, and of one queue more."""
    node, row, later = (z3.Int(name) for name in ("any node", "any row", "any later row"))
    known = (counts(node, later), grows(node, row, later), row >= 0, row <= later, later < SIZE)
    few = HOW_MANY(node, later + 1) <= later + 1
    yield Part("counts", known, (("it grows", grows(node, row, later + 1)), ("no more than rows", few)))
    after = z3.And(node >= 0, node < later, later < NODES, STARTS(node + 1) <= STARTS(later))
    one_more = STARTS(later + 1) == STARTS(later) + HOW_MANY(later, SIZE)
    yield Part(
        "counts",
        (after, one_more, HOW_MANY(later, SIZE) >= 0, STARTS(later) >= 0),
        (
            ("queues are behind each other", STARTS(node + 1) <= STARTS(later + 1)),
            ("none begins before the first place", STARTS(later + 1) >= 0),
        ),
    )


SORTED = {
    name: z3.Function(f"{name} once settled", NUMBERS, NUMBERS, NUMBERS, INT, INT, NUMBERS)
    for name in ("keys", "candidates", "ends")
}
SORTED_TO = {
    name: z3.Function(f"{name} once settled", NUMBERS, NUMBERS, NUMBERS, INT, INT, INT)
    for name in ("top", "settled")
}
NODE = number("node", 0, NODES)
ARRAYS_OF_ROUNDS = ("keys", "candidates", "ends", "top", "settled")


def _settling(lines: Made) -> Law:
    """What `settle` leaves of what it is given."""

    def told(held: State, ends: Any, top: Any, position: Any) -> list[Any]:
        halves = held["@ends"].term[ends.places[0]]
        return [
            held["@keys"].term,
            held["@candidates"].term,
            halves,
            as_term(top, int),
            as_term(position, int),
        ]

    def value(held: State, *given: Any) -> Any:
        last = told(held, *given[2:])
        return tuple(SymInt(SORTED_TO[name](*last)) for name in ("top", "settled"))

    def writes(held: State, keys: Any, rows: Any, ends: Any, top: Any, position: Any) -> dict[str, Any]:
        handed((keys, lines.fields["keys"]), (rows, lines.fields["rows"]), (ends.name, "ends"))
        given = told(held, ends, top, position)
        halves = z3.Store(held["@ends"].term, ends.places[0], SORTED["ends"](*given))
        return {"keys": SORTED["keys"](*given), "candidates": SORTED["candidates"](*given), "ends": halves}

    return Law(value, writes)


@theorem(
    "PO-ANY-568",
    about=(rounds.sort_next, rounds.find_next),
    size="any number of candidates",
    assumes={
        **ARRAYS,
        **OFFERS,
        **KEYS,
        "what sorts brings the least to its place": BELIEVED,
    },
)
def whose_turn_it_is_in_a_queue_is_the_first_that_is_a_candidate_of_those_that_wait_once_sorted(
    sort_next: Any = rounds.sort_next, find_next: Any = rounds.find_next
) -> Iterator[Part]:
    """The next one is sorted to its place unless it is there; who is no candidate is passed over for good.

    Where none waits nothing is sorted. No other queue's turn changes.
    """
    node = NODE.term
    position, end, settled = (BEFORE[name][node] for name in ("next", "end", "settled"))
    given = [BEFORE[name] for name in ("keys", "candidates")]
    told = [*given, BEFORE["ends"][node], BEFORE["top"][node], position]
    sorts = z3.And(settled <= position, position < end)
    by_node = {name: z3.Store(BEFORE[name], node, SORTED_TO[name](*told)) for name in ("top", "settled")}
    halves = {"ends": z3.Store(BEFORE["ends"], node, SORTED["ends"](*told))}
    after = {name: SORTED[name](*told) for name in ("keys", "candidates")} | by_node | halves
    wanted = {name: z3.If(sorts, after[name], BEFORE[name]) for name in ARRAYS_OF_ROUNDS}
    here = (*SIZES, HALVES >= 1, CANDIDATES < world.FAR, SIZE > 0)

    yield from read_kernel(
        seeing(sort_next, settle=_settling(LINES)),
        {"work": LINES, "rounds": ROUNDS, "node": NODE},
        lambda way: [(name, way.names[f"@{name}"].term == wanted[name]) for name in ARRAYS_OF_ROUNDS],
        rooms=BEFORE,
        facts=here,
    )

    def sort(held: State, work: Any, tournament: Any, its_node: Any) -> dict[str, Any]:
        handed((work, LINES), (tournament, ROUNDS), (its_node, NODE))
        for name in (*BY_NODE, *ARRAYS_OF_ROUNDS):
            handed((held[f"@{name}"].term, BEFORE[name]))
        return wanted

    def row_at(place: Any) -> Any:
        return wanted["candidates"][place]

    def rows(point: Any, _: State) -> list[Any]:
        return [z3.And(row_at(point) >= 0, row_at(point) < SIZE)]

    def holds(steps: Any, _: State, state: State, point: Any) -> Labelled:
        passed = z3.And(point >= position, point < position + steps)
        return together(
            "what is so far",
            [
                ("its turn", state["@next"].term == z3.Store(BEFORE["next"], node, position + steps)),
                ("no key is changed", state["@keys"].term == wanted["keys"]),
                ("not behind the last", z3.Or(steps == 0, position + steps <= end)),
                ("none of those passed over is one", z3.Implies(passed, z3.Not(OFFERED(row_at(point))))),
            ],
        )

    def says(way: Way) -> Labelled:
        turn, keys = way.names["@next"].term[node], way.names["@keys"].term
        found = z3.And(turn < end, OFFERED(row_at(turn)))
        key = key_of(row_at(turn), GROUPS.at(node).term)
        passed = z3.And(position <= POINT, turn > POINT)
        return [
            ("a candidate, or none waits", z3.Or(found, turn == z3.If(position > end, position, end))),
            ("it has its key", keys == z3.If(found, z3.Store(wanted["keys"], turn, key), wanted["keys"])),
            ("none before it is one", z3.Implies(passed, z3.Not(OFFERED(row_at(POINT))))),
            ("not before those that wait", turn >= position),
            ("no other's turn", way.names["@next"].term == z3.Store(BEFORE["next"], node, turn)),
        ]

    yield from read_kernel(
        seeing(find_next, sort_next=Law(lambda *_: 0, sort), **WHO_WAITS),
        {"given": SEARCH, "rounds": ROUNDS, "node": NODE},
        says,
        rooms=BEFORE,
        facts=(*here, position >= 0, end <= CANDIDATES),
        loops=[Invariant(holds, points=lambda steps, _: [POINT, position + steps], everywhere=rows)],
    )


COPIED = z3.Function("candidates once copied", NUMBERS, INT, INT, INT, NUMBERS)


@theorem(
    "PO-ANY-570",
    about=(rounds.line_up,),
    size="any number of workloads and ClusterQueues",
    assumes={**ARRAYS, "that part is copied": "PO-ANY-485", "a subtree's nodes are together": BELIEVED},
)
def where_all_are_sorted_already_each_queue_that_is_looked_into_waits_with_all_of_its_workloads(
    line_up: Any = rounds.line_up,
) -> Iterator[Part]:
    """The tree's part of all workloads is copied to the same places; of other queues none waits."""
    workloads = z3.Int("workloads of all queues")
    starts = between("starts", 0, workloads + 1, NODES + 1)
    by_queue = between("by queue", 0, SIZE, workloads)
    first, end = starts.at(TOP).term, starts.at(ENDS).term

    def copy(held: State, values: Any, begin: Any, last: Any, into: Any, place: Any) -> dict[str, Any]:
        handed((values, by_queue), (into, LINES.fields["rows"]))
        return {"candidates": COPIED(held["@candidates"].term, begin.term, last.term, place.term)}

    def cells(here: State, steps: Any, point: Any) -> Labelled:
        begin = starts.at(point).term
        looked = z3.And(point >= TOP, point < ENDS, GROUPS.at(point).term >= 0)
        behind = z3.If(looked, starts.at(point + 1).term, begin)
        new = {"start": begin, "next": begin, "end": behind, "settled": behind}
        done = z3.And(point >= 0, point < steps)
        return together(
            "where each queue begins and ends",
            [
                (name, here[f"@{name}"].term[point] == z3.If(done, value, BEFORE[name][point]))
                for name, value in new.items()
            ],
        )

    copied = COPIED(BEFORE["candidates"], first, end, first)
    yield from read_kernel(
        seeing(line_up, copy_part=Law(lambda *_: 0, copy)),
        {"by_queue": by_queue, "starts": starts, "given": SEARCH, "rounds": ROUNDS},
        lambda way: [
            ("that part", way.names["@candidates"].term == copied),
            *cells(way.names, NODES, POINT),
        ],
        rooms=BEFORE,
        facts=(*SIZES, TOP < ENDS, ENDS <= NODES, workloads >= 0),
        loops=[Invariant(lambda steps, _, here, point: cells(here, steps, point))],
    )
