"""The relations of `trusted.transitions`, asked about real workloads: formulas compiled to Python.

Substituting values into a formula takes the solver milliseconds; a play asks thousands of times. So a formula
is made a Python function once. That both say the same is checked in `test_played_steps.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import z3

from tenure.oracle.door import take_target
from tenure.readings import preset
from tenure.rules.time_based import requeue_timestamp
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.domains import constant, domain_of, leaves, presence
from tenure_proofs.trusted.symbols import SymBool
from tenure_proofs.trusted.transitions import OneQueue, is_evicted, is_reserved, is_served_within

Values = Mapping[str, int | bool]

BINARY = {
    z3.Z3_OP_EQ: "==",
    z3.Z3_OP_IFF: "==",
    z3.Z3_OP_DISTINCT: "!=",
    z3.Z3_OP_LE: "<=",
    z3.Z3_OP_GE: ">=",
    z3.Z3_OP_LT: "<",
    z3.Z3_OP_GT: ">",
    z3.Z3_OP_AND: "and",
    z3.Z3_OP_OR: "or",
    z3.Z3_OP_ADD: "+",
    z3.Z3_OP_SUB: "-",
    z3.Z3_OP_MUL: "*",
}
"""Operators between any number of parts; comparisons have two."""

OTHERS = {
    z3.Z3_OP_TRUE: "True",
    z3.Z3_OP_FALSE: "False",
    z3.Z3_OP_NOT: "not {0}",
    z3.Z3_OP_UMINUS: "-{0}",
    z3.Z3_OP_IMPLIES: "(not {0}) or {1}",
    z3.Z3_OP_ITE: "{1} if {0} else {2}",
}
"""Operators of a fixed number of parts, and constants."""


class Place(NamedTuple):
    """A constant of a formula: the fields down to its value, its name, and the name of its presence."""

    path: tuple[str, ...]
    constant: str
    presence: str


_PLACES: dict[tuple[str, type[Any]], tuple[Place, ...]] = {}


@cache
def relation(reading: str) -> dict[str, SymBool]:
    """The parts of the transition relation, about workloads `before` and `after` and an instant `now`."""
    claim = Claim(preset(reading))
    before, after, now = claim.workload("before"), claim.workload("after"), claim.number("now")
    queue = OneQueue(claim.terms(), claim.lift(requeue_timestamp), claim.lift(take_target), claim.kin())
    taken = queue.takes(before, after, claim.evidence("evidence"), now)
    return {
        "is evicted": is_evicted(before, after, claim.flag("by_time"), now),
        "is reserved": is_reserved(before, after, queue.terms.cluster_queue, now),
        "is ahead": queue.is_ahead(before, after),
        "heads": queue.heads(before, after),
        "waits": queue.is_pending(before),
        "holds": queue.holds_a_place(before),
        "takes": taken.defined,
        "is served in time": is_served_within(
            claim.number("delay"), now, possible=claim.flag("possible"), since=claim.number("since")
        ),
    }


def says(part: str, reading: str, **values: Any) -> bool:
    """What the transition relation says of these values."""
    return compiled(part, reading)(values_of(values))


@cache
def compiled(part: str, reading: str) -> Callable[[Values], bool]:
    """A part of the relation as a Python function of its constants."""
    return function_of(relation(reading)[part].term)


def values_of(values: Mapping[str, Any]) -> dict[str, int | bool]:
    """Every constant of some arguments by name; a text is its rank among those that occur."""
    found = [each for name, value in values.items() for each in _leaves(name, value)]
    texts = sorted({value for _, value in found if isinstance(value, str)})
    ranks = {text: rank for rank, text in enumerate(texts)}
    return {name: ranks[value] if isinstance(value, str) else value for name, value in found}


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    for place in _places(name, type(value)):
        found = value
        for part in place.path:
            found = getattr(found, part)
        if place.presence:
            yield place.presence, found is not None
        if found is not None:
            yield place.constant, found


def _places(name: str, kind: type[Any]) -> tuple[Place, ...]:
    """Where the constants of an argument of a type are found in it."""
    known = _PLACES.get((name, kind))
    if known is None:
        known = _PLACES[name, kind] = tuple(
            Place(
                tuple(leaf.split(".")[1:]),
                constant(leaf, scalar).decl().name(),
                presence(leaf).decl().name() if optional else "",
            )
            for leaf, scalar, optional in leaves(name, domain_of(kind))
        )
    return known


def function_of(term: z3.ExprRef) -> Callable[[Values], bool]:
    """A formula without quantifiers as a Python function; a constant without value counts as 0 or False."""
    lines: list[str] = []
    names: dict[int, str] = {}
    last = _line(term, lines, names)
    body = "\n    ".join([*lines, f"return bool({last})"])
    made: dict[str, Any] = {}
    exec(f"def formula(values):\n    {body}\n", made)
    formula: Callable[[Values], bool] = made["formula"]
    return formula


def _line(term: z3.ExprRef, lines: list[str], names: dict[int, str]) -> str:
    """The name of a term's value, after the lines that compute it; a shared term is computed once."""
    known = names.get(term.get_id())
    if known is not None:
        return known
    text = _text(term, [_line(each, lines, names) for each in term.children()])
    name = names[term.get_id()] = f"v{len(names)}"
    lines.append(f"{name} = {text}")
    return name


def _text(term: z3.ExprRef, parts: list[str]) -> str:
    kind = term.decl().kind()
    if z3.is_int_value(term):
        return str(term.as_string())
    if kind in BINARY:
        return f" {BINARY[kind]} ".join(parts) if parts else "True"
    if kind in OTHERS:
        return OTHERS[kind].format(*parts)
    assert kind == z3.Z3_OP_UNINTERPRETED, f"no translation of {term.decl()}"
    assert not parts, f"no translation of {term.decl()}"
    return f"values.get({term.decl().name()!r}, 0)"
