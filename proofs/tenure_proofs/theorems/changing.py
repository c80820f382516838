"""A change of whole usage, of each flavor-resource; dicts of `tenure.oracle.tree` are read by their keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import z3

from tenure.oracle import tree
from tenure.oracle.tree import Node, Tree, climb
from tenure_proofs.theorems.decision import handed, seeing
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.theorems.standins import BOOL, INT
from tenure_proofs.theorems.taken import known, needed
from tenure_proofs.theorems.tree import CHANGED, ONE_PLACE, POSITION
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.loops import Cells, State, Way
from tenure_proofs.trusted.procedures import Invariant, Keyed, Law, Table, read_procedure
from tenure_proofs.trusted.specified import GIVEN, Taken
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymToken

NODES, PLACE, NODE, KEY, STEP = z3.Ints("nodes place any_node any_flavor_resource any_step")
AMOUNT, ADDING = SymInt(z3.Int("amount")), SymBool(z3.Bool("adding"))
_amount = z3.Function("how much of a flavor-resource", INT, INT)
_asked = z3.Function("has an amount of a flavor-resource", INT, BOOL)
_covered = z3.Function("has an amount in use", INT, INT, BOOL)
_in_use, _quota, _climbed = (
    z3.Function(name, INT, INT, INT)
    for name in ("in use at a node", "quota of a node", "in use after a change, along the path")
)
_on_path, _new, _elsewhere = (
    z3.Function(name, INT, INT) for name in ("node on the path", "written", "another place")
)


def _at_path(step: Any) -> SymInt:
    """Nodes of the tree alone."""
    found = _on_path(step)
    return SymInt(z3.If(z3.And(found >= 0, found < NODES), found, 0))


def _used(node: Any) -> Keyed:
    return Keyed(lambda key: _covered(node, key), lambda key: SymInt(_in_use(node, key)))


def _of_key(used: Keyed, key: Any) -> Any:
    return z3.If(used.has(key), used.at(key).term, 0)


PATH, USAGE = Table(_at_path, z3.Int("nodes of the path")), Table(_used, NODES)
TREE = Made(Tree, {"nodes": Table(lambda _: Made(Node, {"path": PATH}), NODES)})
AMOUNTS = Keyed(_asked, lambda key: SymInt(_amount(key)))


def _along(key: Any) -> Table:
    return Table(lambda step: SymInt(_climbed(key, step)), PATH.size)


@theorem("PO-ANY-052", size="any tree, any number of flavor-resources")
def a_change_writes_each_flavor_resource_along_a_path_and_nothing_else(
    function: Callable[..., Any] = tree._change,
    climbing: Callable[..., Any] = tree._climbed,
    writing: Callable[..., Any] = tree.write_at,
) -> Iterator[Part]:
    """Kueue main of August 2026, usage of cohorts: of each flavor-resource that a workload holds.

    What PO-ANY-030 and PO-ANY-040 say of one is said of what is in use along the path of the ClusterQueue.
    Every other node, and every other flavor-resource, has in use what it had.
    """
    given = {"tree": TREE, "usage": USAGE}
    facts = (NODES >= 1, PLACE >= 0, PLACE < NODES, PATH.size >= 1)
    asked = {"path": PATH, "flavor_resource": SymToken(KEY), "amount": AMOUNT, "adding": ADDING}
    seen = seeing(climbing, climb=Law(_climb, of=climb), quota_at=Law(_quota_at))
    yield from read_procedure(seen, {**given, **asked}, _is_along, facts=facts)

    yield from _written(writing)

    def changed(way: Way) -> Labelled:
        step = POSITION(NODE)
        changes, before = z3.And(_asked(KEY), _is_on_path(NODE)), _of_key(_used(NODE), KEY)
        there = z3.And(NODE >= 0, NODE < NODES)
        words, then = CHANGED.goal(changes, _of_key(way.value.at(NODE), KEY), _climbed(KEY, step), before)
        return [("every node", way.value.size == NODES), (words, z3.Implies(there, then))]

    whole = {**given, "place": SymInt(PLACE), "amounts": AMOUNTS, "adding": ADDING}
    stands = seeing(function, _climbed=Law(_climbs), write_at=Law(_writes))
    yield from read_procedure(stands, whole, changed, facts=facts)


def _is_on_path(node: Any) -> z3.BoolRef:
    step = POSITION(node)
    return z3.And(step >= 0, step < PATH.size, PATH.at(step).term == node)


def _written(function: Callable[..., Any]) -> Iterator[Part]:
    """An item is the one that is written at its place, if any is: each place is there once.

    Numbers stand for items. A step is the one, if there is one, at which the place in question has its turn.
    A list of one item has no other place, so that at most one is written.
    """
    before = Cells(z3.Const("items", z3.ArraySort(INT, INT)), NODES)

    def place(step: Any) -> SymInt:
        found, other = _elsewhere(step), z3.If(NODE == 0, 1, 0)
        within = z3.And(found >= 0, found < NODES, found != NODE)
        return SymInt(z3.If(step == STEP, NODE, z3.If(within, found, other)))

    def then(count: Any) -> Any:
        return z3.If(z3.And(STEP >= 0, count > STEP), _new(STEP), before.term[NODE])

    size, there = z3.Int("places"), z3.And(NODE >= 0, NODE < NODES)
    alone = z3.Or(size == 0, z3.And(size == 1, STEP == 0))
    yield from read_procedure(
        function,
        {
            "places": Table(place, size),
            "new": Table(lambda step: SymInt(_new(step)), size),
            "items": before,
        },
        lambda way: [
            ("as many items", way.value.size == NODES),
            ("what is written, or what was there", way.value.term[NODE] == then(size)),
        ],
        facts=(size >= 0, there, z3.Or(NODES > 1, alone)),
        loops=[Invariant(lambda steps, _, here, __: [("so far", here["items"].term[NODE] == then(steps))])],
    )


def _is_along(way: Way) -> Labelled:
    alike = way.value.at(STEP).term == _along(KEY).at(STEP).term
    return [("what climbing comes to", z3.And(way.value.size == PATH.size, alike))]


def _quota_at(_: State, of: Value, place: Value, key: Value) -> SymToken:
    handed((of, TREE))
    return SymToken(_quota(place.term, key.term))


def _climb(_: State, quotas: Value, used: Value, amount: Value, adding: Value) -> Table:
    """It is handed the quotas, and what is in use, of every node of the path."""
    handed((amount, AMOUNT), (adding, ADDING))
    node = PATH.at(STEP).term
    here = z3.And(quotas.at(STEP).term == _quota(node, KEY), used.at(STEP).term == _of_key(_used(node), KEY))
    needed(z3.And(quotas.size == PATH.size, used.size == PATH.size))
    needed(z3.Implies(z3.And(STEP >= 0, PATH.size > STEP), here))
    return _along(KEY)


def _climbs(
    _: State, of: Value, usage: Value, path: Value, key: Value, amount: Value, adding: Value
) -> Table:
    handed((of, TREE), (usage, USAGE), (adding, ADDING))
    same_path = z3.And(path.size == PATH.size, path.at(STEP).term == PATH.at(STEP).term)
    needed(z3.And(same_path, z3.Implies(_asked(key.term), amount.term == _amount(key.term))))
    return _along(key.term)


def _writes(_: State, places: Value, new: Value, items: Value) -> Table:
    """What stands at each place; a node has one step of the path."""
    handed((places, PATH), (items, USAGE))
    here = z3.And(STEP >= 0, PATH.size > STEP)
    known(Taken(z3.Implies(here, POSITION(PATH.at(STEP).term) == STEP), ONE_PLACE, GIVEN))
    needed(new.size == PATH.size)
    needed(
        z3.Implies(
            z3.And(here, PATH.at(STEP).term == NODE), z3.And(_is_on_path(NODE), POSITION(NODE) == STEP)
        )
    )

    def at(place: Any) -> Keyed:
        then, before, is_written = new.at(POSITION(place)), USAGE.at(place), _is_on_path(place)
        return Keyed(
            lambda key: z3.If(is_written, then.has(key), before.has(key)),
            lambda key: SymInt(z3.If(is_written, then.at(key).term, before.at(key).term)),
        )

    return Table(at, NODES)
