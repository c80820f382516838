"""What kernels of the optimized core are given: arrays of any size, as `tenure.fast.layout` writes them.

Numbers have 64 bits; an entry that names a node or a column names one that there is.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import z3

from tenure.fast.tables import Ask, Forest, Rows
from tenure.model import NodeQuota
from tenure_proofs.theorems.decision import handed as handed
from tenure_proofs.theorems.decision import said as said
from tenure_proofs.theorems.registry import BELIEVED
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.induction import Labelled
from tenure_proofs.trusted.kernels import LEAST, MOST, POINT, Invariant, Law, Table, plain
from tenure_proofs.trusted.loops import Given, Way
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymOptional, as_term

NODES, COLUMNS, REQUESTED, NEEDED, DEPTH, SIZE, ENTRIES = z3.Ints(
    "nodes columns requested needed depth rows entries"
)
FAR = 2**31
"""More nodes, columns, rows or entries have no numbers of 32 bits."""

SIZES = tuple(
    z3.And(size >= least, size < FAR)
    for size, least in (
        (NODES, 1),
        (COLUMNS, 1),
        (REQUESTED, 0),
        (NEEDED, 0),
        (DEPTH, 1),
        (SIZE, 0),
        (ENTRIES, 0),
    )
)
"""How many there may be."""

LAID_OUT = "the store's arrays are written as `Rows`, `Forest`, `Ask` and `Policy` say"
ARRAYS = {LAID_OUT: BELIEVED}


def within(term: Any, low: Any, high: Any) -> Any:
    """A number that is at least the one and below the other, and any such number."""
    return z3.If(z3.And(low <= term, term < high), term, low)


def between(name: str, low: Any, high: Any, *sizes: Any) -> Table:
    """An array of numbers that are at least the one and below the other."""
    at = z3.Function(name, *[z3.IntSort()] * (len(sizes) + 1))
    return Table(lambda *places: SymInt(within(at(*places), low, high)), sizes)


def numbers(name: str, *sizes: Any) -> Table:
    """An array of 64 bits."""
    return between(name, LEAST, MOST + 1, *sizes)


def flags(name: str, *sizes: Any) -> Table:
    """An array of truth values."""
    at = z3.Function(name, *[z3.IntSort()] * len(sizes), z3.BoolSort())
    return Table(lambda *places: SymBool(at(*places)), sizes)


def number(name: str, low: Any = LEAST, high: Any = MOST + 1) -> SymInt:
    """A number of 64 bits, or between two."""
    return SymInt(within(z3.Int(name), low, high))


def flag(name: str) -> SymBool:
    """A truth value."""
    return SymBool(z3.Bool(name))


def seeing(kernel: Any, **others: Any) -> FunctionType:
    """A kernel where some of the names that it sees stand for something else."""
    function = plain(kernel)
    names = {**function.__globals__, **others}
    return FunctionType(function.__code__, names, function.__name__, function.__defaults__)


class Answer(Given):
    """What stands for a function in a kernel and in a rule: of both the same is said, and nothing more."""

    def __call__(self, *told: Any) -> Any:
        return self.meaning(*told)


def answering(answer: Value, *expected: Any) -> Law:
    """A law of one call: handed these very arguments, a kernel returns this."""

    def value(_: Any, *found: Any) -> Value:
        handed(*zip(found, expected, strict=True))
        return answer

    return Law(value)


def _sum(name: str) -> Answer:
    found = z3.Function(name, z3.IntSort(), z3.IntSort(), z3.IntSort())

    def meaning(first: Any, second: Any) -> SymInt:
        return SymInt(within(found(as_term(first, int), as_term(second, int)), LEAST, MOST + 1))

    return Answer(2, int, meaning)


PLUS, MINUS = _sum("the sum"), _sum("the difference")
SUMS = {"sums and differences": "PO-ANY-400"}
"""Where it does not matter what sums come to, as long as they are the same and have 64 bits."""


FOREST = Made(
    Forest,
    {
        "parent": between("forest.parent", -1, NODES, NODES),
        "root": between("forest.root", 0, NODES, NODES),
        "end": between("forest.end", 1, NODES + 1, NODES),
        "is_queue": flags("forest.is_queue", NODES),
        "active": flags("forest.active", NODES),
        **{
            name: numbers(f"forest.{name}", NODES, COLUMNS)
            for name in ("nominal", "subtree", "local", "limit")
        },
        "covered": flags("forest.covered", NODES, COLUMNS),
        "resource": between("forest.resource", 0, COLUMNS, COLUMNS),
    },
)

USAGE = numbers("usage of nodes", NODES, COLUMNS)
"""What is in use, where a kernel only reads it."""

PATH = between("ask.path", 0, NODES, DEPTH)

ASK = Made(
    Ask,
    {
        "own": number("ask.own", 0, NODES),
        "path": PATH,
        "at": between("ask.at", 0, COLUMNS, REQUESTED),
        "amount": numbers("ask.amount", REQUESTED),
        "needed": between("ask.needed", 0, COLUMNS, NEEDED),
        "is_needed": flags("ask.is_needed", COLUMNS),
        "watched": flags("ask.watched", COLUMNS),
        "common": number("ask.common", 0, 2),
    },
)

ROWS = Made(
    Rows,
    {
        "size": SymInt(SIZE),
        "queue": between("rows.queue", -2, NODES, SIZE),
        **{name: numbers(f"rows.{name}", SIZE) for name in ("priority", "reserved", "queued", "key")},
        "twin": numbers("rows.twin", SIZE),
        "evicted": flags("rows.evicted", SIZE),
        "first": between("rows.first", 0, ENTRIES + 1, SIZE),
        "width": between("rows.width", 0, ENTRIES + 1, SIZE),
        "at": between("rows.at", 0, COLUMNS, ENTRIES),
        "amount": numbers("rows.amount", ENTRIES),
    },
)


def of(record: Made, name: str, *places: Any) -> Any:
    """A number of a record's array, as a term."""
    return record.fields[name].at(*places).term


AT = number("at", 0, COLUMNS)
"""A column."""

TOP = of(ASK, "path", DEPTH - 1)
"""The root of the tree."""


def quota(node: Any, at: Any) -> Made:
    """A node's quota of a flavor-resource, as rules are given it."""
    limit = of(FOREST, "limit", node, at)
    numbers_of = {name: SymInt(of(FOREST, name, node, at)) for name in ("nominal", "subtree", "local")}
    return Made(
        NodeQuota, {**numbers_of, "borrowing_limit": SymOptional(SymBool(limit != MOST), SymInt(limit))}
    )


def used(node: Any, at: Any) -> Any:
    """What is in use at a node, as a term."""
    return as_term(USAGE.at(node, at), int)


def says_of_all(count: Any, one: Callable[[Any], Any], way: Way) -> Labelled:
    """True exactly where something holds of all: where not, the loop stands at one of which it does not."""
    steps = way.names["#0"].term
    found = as_term(way.value, bool)
    among = z3.And(POINT >= 0, count > POINT)
    return [
        ("true: it holds of all", z3.Implies(found, z3.Implies(among, one(POINT)))),
        (
            "false: of one it does not",
            z3.Implies(z3.Not(found), z3.And(steps >= 0, steps < count, z3.Not(one(steps)))),
        ),
    ]


def so_far(one: Callable[[Any], Any]) -> Invariant:
    """The invariant of a loop that stops at the first of which something does not hold."""
    return Invariant(
        lambda steps, _, __, point: [
            ("it holds of all before", z3.Implies(z3.And(point >= 0, point < steps), one(point)))
        ]
    )
