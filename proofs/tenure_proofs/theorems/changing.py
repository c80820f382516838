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
from tenure_proofs.theorems.taken import needed
from tenure_proofs.theorems.tree import CHANGED
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.loops import State, Way
from tenure_proofs.trusted.procedures import Keyed, Law, Table, read_procedure
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
_nodes, _depth = z3.Function("node of a path", INT, INT, INT), z3.Function("length of a path", INT, INT)


def _path(node: Any) -> Table:
    """Itself at least, and nodes of the tree alone."""

    def at(step: Any) -> SymInt:
        found = _nodes(node, step)
        return SymInt(z3.If(z3.And(found >= 0, found < NODES), found, 0))

    return Table(at, z3.If(_depth(node) >= 1, _depth(node), 1))


def _used(node: Any) -> Keyed:
    return Keyed(lambda key: _covered(node, key), lambda key: SymInt(_in_use(node, key)))


def _of_key(used: Keyed, key: Any) -> Any:
    return z3.If(used.has(key), used.at(key).term, 0)


PATH, USAGE = _path(PLACE), Table(_used, NODES)
TREE = Made(Tree, {"nodes": Table(lambda at: Made(Node, {"place": SymInt(at), "path": _path(at)}), NODES)})
AMOUNTS = Keyed(_asked, lambda key: SymInt(_amount(key)))


def _along(key: Any) -> Table:
    return Table(lambda step: SymInt(_climbed(key, step)), PATH.size)


@theorem("PO-ANY-052", size="any tree, any number of flavor-resources")
def a_change_writes_each_flavor_resource_along_a_path_and_nothing_else(
    function: Callable[..., Any] = tree._change, climbing: Callable[..., Any] = tree._climbed
) -> Iterator[Part]:
    """Kueue main of August 2026, usage of cohorts: of each flavor-resource that a workload holds.

    What PO-ANY-030 and PO-ANY-040 say of one is said of what is in use along the path of the ClusterQueue.
    Every other node, and every other flavor-resource, has in use what it had.
    """
    given = {"tree": TREE, "usage": USAGE}
    facts = (NODES >= 1, PLACE >= 0, PLACE < NODES)
    asked = {"path": PATH, "flavor_resource": SymToken(KEY), "amount": AMOUNT, "adding": ADDING}
    seen = seeing(climbing, climb=Law(_climb, of=climb), quota_at=Law(_quota_at))
    yield from read_procedure(seen, {**given, **asked}, _is_along, facts=facts)

    def written(way: Way) -> Labelled:
        step = PATH.size - _path(NODE).size
        on_path = z3.And(step >= 0, PATH.at(step).term == NODE)
        changes, before = z3.And(_asked(KEY), on_path), _of_key(_used(NODE), KEY)
        there = z3.And(NODE >= 0, NODE < NODES)
        words, changed = CHANGED.goal(changes, _of_key(way.value.at(NODE), KEY), _climbed(KEY, step), before)
        return [("every node", way.value.size == NODES), (words, z3.Implies(there, changed))]

    whole = {**given, "place": SymInt(PLACE), "amounts": AMOUNTS, "adding": ADDING}
    yield from read_procedure(seeing(function, _climbed=Law(_climbs)), whole, written, facts=facts)


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
