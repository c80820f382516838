"""The optimized core, heroes: what is available and fits beside them, what passes up, whose turn it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from tenure.fast.heroes import billing, effective, search
from tenure.fast.heroes.tables import END, HELD, LOCAL, PARENT, USAGE, Books, Quest
from tenure.model import NodeQuota
from tenure.rules import hero_fit, hero_rank, quota
from tenure_proofs.theorems.core_amounts import walked
from tenure_proofs.theorems.core_books import KINDS, TREE
from tenure_proofs.theorems.core_tree import PLACE_OF, REST, STEPS_UP, UP
from tenure_proofs.theorems.core_world import (
    ARRAYS,
    ASK,
    AT,
    COLUMNS,
    MINUS,
    NODES,
    PATH,
    PLUS,
    REQUESTED,
    SIZES,
    SUMS,
    TOP,
    between,
    handed,
    number,
    numbers,
    of,
    said,
    says_of_all,
    seeing,
    so_far,
)
from tenure_proofs.theorems.registry import BELIEVED, theorem
from tenure_proofs.trusted.ast_lifter import Made
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.kernels import MOST, POINT, Invariant, Law, Room, read_kernel
from tenure_proofs.trusted.loops import State, Way
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymOptional, as_term

NOW = numbers("amounts of nodes now", z3.IntVal(KINDS), NODES, COLUMNS)
BOOKS = Made(Books, {"now": NOW, "tree": TREE})


def _quota(node: Any, at: Any) -> Made:
    """A node's quota with all bills carried out, as rules are given it."""
    nominal, subtree, local, limit = (NOW.at(z3.IntVal(kind), node, at) for kind in range(4))
    limited = SymOptional(SymBool(limit.term != MOST), limit)
    return Made(
        NodeQuota, {"nominal": nominal, "subtree": subtree, "local": local, "borrowing_limit": limited}
    )


def _in_use(node: Any, at: Any) -> SymInt:
    found: SymInt = NOW.at(z3.IntVal(USAGE), node, at)
    return found


@theorem(
    "PO-ANY-500", about=(search._available, search._unused), size="any tree, any path in it", assumes=ARRAYS
)
def what_the_core_finds_available_beside_heroes_is_what_the_rules_say_of_quotas_with_all_bills(
    available: Any = search._available, unused: Any = search._unused
) -> Iterator[Part]:
    """KQ-150 to KQ-180, of the root and then of each node of the path, and KQ-130 and KQ-140 of one node."""
    at, node = AT.term, number("node", 0, NODES)

    def free(where: Any, above: Any) -> Any:
        return said(quota.available, quota=_quota(where, at), usage=_in_use(where, at), above=above)

    given = {"books": BOOKS, "path": PATH, "at": AT}
    yield from walked(available, "free", given, free(TOP, None), free)
    kernel = seeing(unused, minus=MINUS)
    passed_up = seeing(quota.quota_passed_up, minus=MINUS)
    passed = seeing(quota.usage_passed_up, minus=MINUS)
    lends = SymInt(said(passed_up, quota=_quota(node.term, at)))
    uses = SymInt(said(passed, quota=_quota(node.term, at), usage=_in_use(node.term, at)))
    rest = MINUS(lends, uses).term
    yield from read_kernel(
        kernel,
        {"books": BOOKS, "node": node, "at": AT},
        lambda way: [("what it lends and does not use", as_term(way.value, int) == rest)],
        facts=SIZES,
    )


ROOM_FOR = z3.Function("room for the hero", z3.IntSort(), z3.IntSort())


@theorem(
    "PO-ANY-505",
    about=(search.fits, search._is_above),
    size="any number of columns",
    assumes={**ARRAYS, "what there is for the hero is UCQ-230": BELIEVED},
)
def whether_a_heros_request_fits_and_who_is_above_whom_is_what_the_rules_say(
    fits: Any = search.fits, is_above: Any = search._is_above
) -> Iterator[Part]:
    """UCQ-240 of every column that is requested. UCQ-010: nodes of a subtree are together behind its root."""
    own = ASK.fields["own"].term
    accessible = numbers("accessible", REQUESTED)

    def one(index: Any) -> Any:
        at = of(ASK, "at", index)
        return said(
            hero_fit.hero_request_fits,
            usage=NOW.at(z3.IntVal(HELD), own, at),
            request=SymInt(of(ASK, "amount", index)),
            accessible=accessible.at(index),
            room=SymInt(ROOM_FOR(at)),
        )

    quest = Made(Quest, {"root": number("root", 0, NODES), "above": PATH, "accessible": accessible})

    def room_of(_: State, books: Any, node: Any, root: Any, above: Any, at: Any) -> SymInt:
        handed((books, BOOKS), (node, ASK.fields["own"]), (root, quest.fields["root"]), (above, PATH))
        return SymInt(ROOM_FOR(at.term))

    yield from read_kernel(
        seeing(fits, room_of=Law(room_of)),
        {"books": BOOKS, "ask": ASK, "quest": quest},
        lambda way: says_of_all(REQUESTED, one, way),
        facts=SIZES,
        loops=[so_far(one)],
    )
    node = number("node", 0, NODES)
    mine, theirs = (TREE.at(z3.IntVal(PARENT), where).term for where in (own, node.term))
    inside = z3.And(mine < node.term, node.term < TREE.at(z3.IntVal(END), mine).term)
    above = said(hero_rank.is_above, contains_parent=SymBool(inside), same_parent=SymBool(mine == theirs))
    yield from read_kernel(
        is_above,
        {"books": BOOKS, "own": ASK.fields["own"], "node": node},
        lambda way: [("what the rule says", as_term(way.value, bool) == above)],
        facts=(*SIZES, mine >= 0),
    )


CUBE = z3.ArraySort(z3.IntSort(), z3.ArraySort(z3.IntSort(), z3.ArraySort(z3.IntSort(), z3.IntSort())))
BEFORE = z3.Const("all amounts before", CUBE)
COLUMN, KIND = z3.Int("any column"), z3.Int("any kind of amount")


def _up(place: Any) -> Any:
    return UP.at(place).term


def _changed(place: Any, adding: bool) -> tuple[Any, Any]:
    """By the rules: what is in use at a node of the way after a change, and what goes on from it."""
    node, at = _up(place), AT.term
    before, rest = SymInt(BEFORE[USAGE][node][at]), SymInt(REST(place))
    after = (PLUS if adding else MINUS)(before, rest)
    low, high = (before, after) if adding else (after, before)
    local = Made(NodeQuota, {"local": SymInt(BEFORE[LOCAL][node][at])})
    passed = seeing(quota.usage_passed_up, minus=MINUS)
    more = MINUS(*(SymInt(said(passed, quota=local, usage=usage)) for usage in (high, low)))
    return after.term, more.term


@theorem(
    "PO-ANY-510",
    about=(effective.pass_up,),
    size="any way up, any amounts of 64 bits",
    assumes={**SUMS, **ARRAYS, "parents are before their children": BELIEVED},
)
def beside_heroes_a_change_writes_at_every_node_of_the_way_up_what_the_rules_say_and_nowhere_else(
    pass_up: Any = effective.pass_up,
) -> Iterator[Part]:
    """KQ-100, KQ-110 and KQ-140, as far as anything goes on."""
    for adding in (True, False):
        yield from _passing(pass_up, adding)


def _passing(kernel: Any, adding: bool) -> Iterator[Part]:
    at, amount = AT.term, number("amount")

    def facts_at(place: Any, _: State) -> list[Any]:
        above = TREE.at(z3.IntVal(PARENT), _up(place)).term
        on = z3.If(place < STEPS_UP, above == _up(place + 1), above < 0)
        goes_on = REST(place + 1) == _changed(place, adding)[1]
        known = z3.And(PLACE_OF(_up(place)) == place, on, goes_on)
        return [z3.Implies(z3.And(place >= 0, place <= STEPS_UP), known)]

    def amounts(now: Any, steps: Any, node: Any, kind: Any, column: Any) -> Any:
        place = PLACE_OF(node)
        way = z3.And(place >= 0, place < steps, place <= STEPS_UP, node == _up(place))
        touched = z3.And(kind == USAGE, column == at, way)
        return now[kind][node][column] == z3.If(
            touched, _changed(place, adding)[0], BEFORE[kind][node][column]
        )

    def holds(steps: Any, _: State, here: State, point: Any) -> Labelled:
        node, now = as_term(here["node"], int), here["@now"].term
        goes = z3.If(steps <= STEPS_UP, node == _up(steps), node < 0)
        return [
            ("it goes up", z3.And(goes, steps <= STEPS_UP + 1)),
            ("what goes on", as_term(here["rest"], int) == REST(steps)),
            ("amounts", amounts(now, steps, point, KIND, COLUMN)),
            ("in use of the column", amounts(now, steps, point, z3.IntVal(USAGE), at)),
            ("kept of the column", amounts(now, steps, point, z3.IntVal(LOCAL), at)),
        ]

    def says(way: Way) -> Labelled:
        steps = way.names["#0"].term
        rest_over = z3.Or(steps == STEPS_UP + 1, REST(steps) == 0)
        changed = amounts(way.names["@now"].term, steps, POINT, KIND, COLUMN)
        return [("until nothing goes on or the root is done", rest_over), ("amounts", changed)]

    books = Made(Books, {"now": Room("now", (z3.IntVal(KINDS), NODES, COLUMNS)), "tree": TREE})
    laws = {"plus": PLUS, "minus": MINUS, "passed": seeing(billing.passed, minus=MINUS)}
    yield from read_kernel(
        seeing(kernel, **laws),
        {"books": books, "node": SymInt(_up(z3.IntVal(0))), "at": AT, "amount": amount, "adding": adding},
        says,
        rooms={"now": BEFORE},
        facts=(*SIZES, STEPS_UP >= 0, STEPS_UP < NODES, REST(0) == amount.term),
        loops=[
            Invariant(
                holds,
                points=lambda steps, _: [POINT, steps, _up(steps), PLACE_OF(POINT)],
                everywhere=facts_at,
            )
        ],
    )


WAITING = z3.Int("how many queues wait")


@theorem("PO-ANY-515", about=(search._turn,), size="any number of queues", assumes=ARRAYS)
def a_hero_takes_from_the_queue_whose_next_candidate_is_the_least_and_of_equals_the_first(
    turn: Any = search._turn,
) -> Iterator[Part]:
    """UCQ-320, by the positions that are recorded: no next candidate is before that of the chosen queue."""
    queues, heads = between("waiting queues", 0, NODES, WAITING), numbers("heads of queues", NODES)

    def key(place: Any) -> Any:
        return heads.at(queues.at(place).term).term

    def least(best: Any, count: Any, point: Any) -> list[tuple[str, Any]]:
        before = z3.And(point >= 0, point < count)
        return [
            ("one of them", z3.And(best >= 0, best < count)),
            ("none is less", z3.Implies(before, key(best) <= key(point))),
            ("none before it is as little", z3.Implies(z3.And(before, point < best), key(best) < key(point))),
        ]

    def holds(steps: Any, _: State, here: State, point: Any) -> Labelled:
        return least(as_term(here["best"], int), steps + 1, point)

    yield from read_kernel(
        turn,
        {"quest": Made(Quest, {"queues": queues, "heads": heads}), "waiting": SymInt(WAITING)},
        lambda way: least(as_term(way.value, int), WAITING, POINT),
        facts=(*SIZES, WAITING >= 1, WAITING <= NODES),
        loops=[Invariant(holds)],
    )
