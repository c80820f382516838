"""What kernels about heroes are given: books of any size; and what many steps of a loop come to.

A `Fold` is the statement of a loop: what it begins with, and what each step makes of what was before it.
That the loop comes to it is shown at the first state and of an arbitrary step. A `Step` is a kernel that
another one calls: what it returns and writes is determined by the arrays that it reads and the numbers that
it is given; how, its own theorem says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from tenure.fast.heroes.billing import SAFE
from tenure.fast.heroes.tables import (
    AFTER,
    BRANCH,
    BY_NAME,
    DEPTH,
    END,
    FIRST,
    HERO,
    IS_QUEUE,
    PARENT,
    STOP,
    Books,
)
from tenure_proofs.theorems.core_world import (
    AT,
    COLUMNS,
    FAR,
    MINUS,
    NODES,
    PLUS,
    SIZE,
    SIZES,
    Answer,
    between,
    flag,
    flags,
    handed,
    number,
    numbers,
)
from tenure_proofs.theorems.core_world import within as in_range
from tenure_proofs.theorems.registry import BELIEVED
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.induction import Labelled
from tenure_proofs.trusted.kernels import LEAST, MOST, Held, Invariant, Law, Room, Table
from tenure_proofs.trusted.loops import State, Way, every
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymOptional

KINDS, NUMBERS_OF_A_NODE = 8, 13
BRANCHES, HEROES, SINGLES, DEPTHS = (
    z3.Int(f"how many {name}") for name in ("branches", "heroes", "singles", "depths")
)
BOOKED = (*SIZES, *(z3.And(size >= 1, size < FAR) for size in (BRANCHES, HEROES, SINGLES, DEPTHS)))
"""How many of each there may be."""

SMALL = {"sums of quotas, and of what is held, stay below 2^58: others are refused before": BELIEVED}
IN_ORDER = {"parents are before their children, each subtree's nodes together": BELIEVED}

_LEAST_OF = {PARENT: -1, BRANCH: -1, END: 1, AFTER: 1}
_MOST_OF = {
    BRANCH: BRANCHES,
    END: NODES + 1,
    AFTER: NODES + 1,
    FIRST: BRANCHES + 1,
    STOP: BRANCHES + 1,
    IS_QUEUE: 2,
    HERO: 2,
    DEPTH: DEPTHS,
}


def _number_of(row: Any, node: Any) -> SymInt:
    """Kernels name the row; where it is no constant, there is no law."""
    which = row.as_long()
    term = z3.Function(f"number {which} of nodes", z3.IntSort(), z3.IntSort())(node)
    return SymInt(in_range(term, _LEAST_OF.get(which, 0), _MOST_OF.get(which, NODES)))


TREE = Table(_number_of, (z3.IntVal(NUMBERS_OF_A_NODE), NODES))

_ROOMS = {
    "now": Room("now", (z3.IntVal(KINDS), NODES, COLUMNS)),
    "covered": Room("covered", (NODES, COLUMNS)),
    "room": Room("room", (z3.IntVal(2), NODES)),
    "amounts": Room("amounts", (z3.IntVal(2), SINGLES, COLUMNS)),
    "frozen": Room("frozen", (DEPTHS, NODES, COLUMNS)),
    "is_frozen": Room("is_frozen", (DEPTHS, COLUMNS)),
}

BOOKS = Made(
    Books,
    {
        **_ROOMS,
        "tree": TREE,
        "roots": between("roots of branches", 0, NODES, BRANCHES),
        "heroes": between("heroes", 0, NODES, HEROES),
        "heroes_end": between("ends of heroes", 0, HEROES + 1, BRANCHES),
        "given": numbers("amounts as configured", z3.IntVal(5), NODES, COLUMNS),
        "covers": flags("covers", NODES, COLUMNS),
        "singles": between("singles", 0, SINGLES + 1, z3.IntVal(2), NODES),
        "single_of": between("single of rows", -1, SINGLES, SIZE),
        "whole": flag("whole"),
        "floor": flag("floor"),
        "honour": flag("honour"),
    },
)
"""The books; every array that any kernel writes to may be written to."""

OUTER = z3.Int("how many nodes above")
ABOVE = between("the nodes above", 0, NODES, OUTER)
"""Those above the cohort of a hero's branch, up to the root."""

WHOLE, FLOOR, HONOUR = (BOOKS.fields[name].term for name in ("whole", "floor", "honour"))
SUMS_SEEN = {"plus": PLUS, "minus": MINUS}


def _array(name: str, room: Room) -> Any:
    sort: Any = z3.BoolSort() if name in ("covered", "is_frozen") else z3.IntSort()
    for _ in room.sizes:
        sort = z3.ArraySort(z3.IntSort(), sort)
    return z3.Const(f"{name} before", sort)


BEFORE = {name: _array(name, room) for name, room in _ROOMS.items()}
"""What is in each array at first."""

AT_FIRST: Mapping[str, Any] = {f"@{name}": term for name, term in BEFORE.items()}
"""The same, as a fold is given it."""


def tree(row: int, node: Any) -> Any:
    """A number of a node, as a term."""
    return TREE.at(z3.IntVal(row), node).term


def part(name: str, *places: Any) -> Any:
    """What is at a place of an array of the books that is only read, as a term."""
    return BOOKS.fields[name].at(*places).term


def given(kind: int, node: Any, at: Any) -> SymInt:
    """An amount as configured."""
    found: SymInt = BOOKS.fields["given"].at(z3.IntVal(kind), node, at)
    return found


def limit(term: Any) -> SymOptional:
    """A limit, as rules are given it."""
    return SymOptional(SymBool(term != MOST), SymInt(term))


LESS_LIMIT = Answer(2, int, lambda first, second: MINUS(first, second.value))
"""A difference that rules take where there is a limit."""


def length(start: Any, end: Any) -> Any:
    """How many there are from the one to before the other."""
    return z3.If(end > start, end - start, 0)


def wide(term: Any) -> Any:
    """That a number has 64 bits."""
    return z3.And(term >= LEAST, term <= MOST)


def put(whole: Any, value: Any, *places: Any) -> Any:
    """An array with another value at a place."""
    if not places:
        return value
    return z3.Store(whole, places[0], put(whole[places[0]], value, *places[1:]))


def term_of(value: Value) -> Any:
    """The term of a number, a truth value, or what is in an array."""
    if isinstance(value, bool):
        return z3.BoolVal(value)
    return z3.IntVal(value) if isinstance(value, int) else value.term


Terms = Mapping[str, Any]
"""What some names stand for, as terms; arrays as `@name`."""


class Fold:
    """What a loop has come to after so many steps.

    Args:
        label: what tells it apart from others.
        first: what its names stand for at first, of the steps of the loops around it.
        step: what they stand for after a step, of the steps around it, the number of steps before, and what
            they stood for then.
        size: how many steps there are, of the steps around it; None where that is not known.
    """

    def __init__(
        self,
        label: str,
        first: Callable[..., Terms],
        step: Callable[..., Terms],
        size: Callable[..., Any] | None = None,
    ) -> None:
        self.label, self.first, self.step, self.size = label, first, step, size

    def at(self, *steps: Any) -> dict[str, Any]:
        """What its names stand for after some steps, those of the loops around it first."""
        sorts = {name: term.sort() for name, term in self.first(*steps[:-1]).items()}
        return {
            name: z3.Function(f"{self.label}: {name}", *[z3.IntSort()] * len(steps), sort)(*steps)
            for name, sort in sorts.items()
        }

    def end(self, *around: Any) -> dict[str, Any]:
        """What its names stand for after all steps."""
        assert self.size is not None
        return self.at(*around, self.size(*around))

    def begins(self, *around: Any) -> list[Any]:
        """That it begins with the first."""
        return _same(self.at(*around, z3.IntVal(0)), self.first(*around))

    def goes_on(self, *steps: Any) -> list[Any]:
        """That after each step it is what the step makes of what was before."""
        *around, count = steps
        there = [count >= 0] if self.size is None else [count >= 0, count < self.size(*around)]
        then = _same(self.at(*around, count + 1), self.step(*around, count, self.at(*steps)))
        return [z3.Implies(z3.And(there), z3.And(then))]

    def holds(self, here: State, *steps: Any) -> Labelled:
        """That the names of a state stand for what they do after some steps."""
        return comes_to(here, self.at(*steps), ": so far")

    def invariant(
        self,
        also: Callable[..., Sequence[Any]] = lambda *_: (),
        around: Sequence[int] = (),
        inner: Sequence[Fold] = (),
    ) -> Invariant:
        """That the loop comes to it.

        Args:
            also: what else is known, of the steps of loops around it and its own, and the state.
            around: the loops around it, by their numbers in the source.
            inner: the folds of loops within its step, which begin at each.
        """

        def outside(here: State) -> list[Any]:
            return [here[f"#{loop}"].term for loop in around]

        def known(count: Any, here: State) -> list[Any]:
            steps = [*outside(here), count]
            begin = [fact for fold in inner for fact in fold.begins(*steps)]
            return [*self.goes_on(*steps), *begin, *also(*steps, here)]

        return Invariant(
            lambda count, _, here, __: self.holds(here, *outside(here), count),
            points=lambda count, _: [count],
            everywhere=known,
        )


def _same(terms: Terms, others: Terms) -> list[Any]:
    return [term == others[name] for name, term in terms.items()]


def comes_to(names: State, expected: Terms, when: str = "") -> Labelled:
    """That names stand for terms."""
    words = ", ".join(name.strip("@") for name in expected)
    return [(f"{words}{when}", every([term_of(names[name]) == term for name, term in expected.items()]))]


def ends(way: Way, expected: Terms, value: Any = None) -> Labelled:
    """That a kernel ends with arrays of the books in a state, the others as they were, and returns this."""
    written = {name: expected.get(name, term) for name, term in AT_FIRST.items()}
    found = [] if value is None else [("returns", term_of(way.value) == value)]
    return [*found, *comes_to(way.names, written)]


@dataclass(frozen=True, eq=False)
class Step:
    """A kernel that another one calls.

    Args:
        name: what tells it apart.
        expected: what it has to be handed, parameter by parameter; None for any number or truth value.
        reads: arrays on which depends what it returns and writes.
        writes: arrays that it writes to.
        returns: for each number that it returns its least and what it is below, or `bool`.
    """

    name: str
    expected: tuple[Any, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...] = ()
    returns: tuple[Any, ...] = ()

    def value(self, state: Terms, *told: Any) -> Any:
        """What it returns, of what is in arrays before it and the numbers it is given."""
        found = [self._returned(f"{place}", kind, state, told) for place, kind in enumerate(self.returns)]
        return found[0] if len(found) == 1 else tuple(found)

    def after(self, state: Terms, *told: Any) -> dict[str, Any]:
        """What is in which arrays after it, and in others as before."""
        written = {name: self._applied(name, state[name].sort(), state, told) for name in self.writes}
        return {**state, **written}

    def law(self) -> Law:
        """What stands for it in a kernel that calls it."""

        def value(held: State, *arguments: Any) -> Value:
            return self.value(_contents(held), *self._numbers(arguments)) if self.returns else None

        def writes(held: State, *arguments: Any) -> dict[str, Any]:
            after = self.after(_contents(held), *self._numbers(arguments))
            return {name.strip("@"): after[name] for name in self.writes}

        return Law(value, writes if self.writes else None)

    def _numbers(self, arguments: Sequence[Value]) -> list[Any]:
        pairs = list(zip(arguments, self.expected, strict=True))
        handed(*((found, expected) for found, expected in pairs if expected is not None))
        return [term_of(found) for found, expected in pairs if expected is None]

    def _returned(self, what: str, kind: Any, state: Terms, told: Sequence[Any]) -> Value:
        if kind is bool:
            return SymBool(self._applied(what, z3.BoolSort(), state, told))
        return SymInt(in_range(self._applied(what, z3.IntSort(), state, told), *kind))

    def _applied(self, what: str, sort: Any, state: Terms, told: Sequence[Any]) -> Any:
        terms = [
            *(state[name] for name in self.reads),
            *(z3.IntVal(x) if type(x) is int else x for x in told),
        ]
        terms = [z3.BoolVal(term) if isinstance(term, bool) else term for term in terms]
        return z3.Function(f"{self.name}: {what}", *(term.sort() for term in terms), sort)(*terms)


def _contents(held: State) -> dict[str, Any]:
    return {name: value.term for name, value in held.items() if isinstance(value, Held)}


ANY_SUM = (-(2**62), 2**62)
"""Sums of amounts: far from 64 bits, as each stays below `SAFE`."""

assert ANY_SUM[1] > SAFE

SUM = Step("the sum", (BOOKS, None, None, None), ("@room",), returns=(ANY_SUM,))
OVER = Step("times over", (None, None, None), (), returns=((LEAST, MOST + 1),))
SHARE_OUT = Step("shared out", (BOOKS, None, None, None, None, None), ("@room",), ("@room",))

COUNT_ON_GIVEN = Step(
    "counted on as configured", (BOOKS, BOOKS.fields["given"], None, None), ("@room",), ("@room",)
)
COUNT_ON_NOW = Step("counted on now", (BOOKS, BOOKS.fields["now"], None, None), ("@room", "@now"), ("@room",))
WHOLE_WEIGHTS = Step("weights by the letter", (BOOKS, None, None), ("@room",), ("@room",), (ANY_SUM,))
FLOORED = Step("bills of a hero's workloads", (BOOKS, *[None] * 4), ("@amounts",), (), ((0, 2**62),))
EXCESS_SHARES = Step("shares of the excess", (BOOKS, None, None), ("@room", "@now"), ("@room",))
WHOLE_SHARES = Step("shares by the letter", (BOOKS, None, None), ("@room", "@now", "@amounts"), ("@room",))
SHARES = Step(
    "shares",
    (BOOKS, None, None, None),
    ("@room", "@now", "@amounts", "@frozen", "@is_frozen"),
    ("@room",),
    (bool,),
)
TAKE_QUOTA = Step("quota taken", (BOOKS, None, None), ("@room", "@now"), ("@now",))
CREDIT = Step("heroes credited", (BOOKS, None, None), ("@room", "@now"), ("@now",))
MOVE = Step("quota moved", (BOOKS, None, None), ("@room", "@now", "@amounts"), ("@now", "@room"))
COUNT_QUOTAS = Step("quotas counted", (BOOKS, None, None), ("@now",), ("@now",))


_TURNS = ("@room", "@now", "@amounts", "@frozen", "@is_frozen")
BILL_BRANCH = Step(
    "a branch billed", (BOOKS, *[None] * 4), _TURNS, ("@room", "@now", "@frozen", "@is_frozen")
)
CLEAR = Step("no node billed", (BOOKS, None, None), ("@now", "@covered"), ("@now", "@covered"), (bool,))
COVER = Step("nodes covered", (BOOKS, None, None), ("@now", "@covered"), ("@covered",))
RAISE = Step("limits raised", (BOOKS, *[None] * 4), ("@now",), ("@now",))
UNLOCK = Step("limits unlocked", (BOOKS, None, None), ("@now",), ("@now",))
ALL = tuple(AT_FIRST)
SETTLE = Step("a tree counted", (BOOKS, *[None] * 4), ALL, ALL)
PASS_UP = Step("an amount passed up", (BOOKS, *[None] * 4), ("@now",), ("@now",))

AVAILABLE = Step("available above", (BOOKS, ABOVE, None), ("@now",), (), ((LEAST, MOST + 1),))

ROOT, THIS_BRANCH = number("root", 0, NODES), number("branch", 0, BRANCHES)
OF_BRANCH = part("roots", THIS_BRANCH.term)
"""The cohort of the branch."""

FIRST_HERO = z3.If(THIS_BRANCH.term > 0, part("heroes_end", THIS_BRANCH.term - 1), 0)
HEROES_OF_BRANCH = length(FIRST_HERO, part("heroes_end", THIS_BRANCH.term))
GIVEN = {"books": BOOKS, "branch": THIS_BRANCH, "at": AT}


def hero(count: Any) -> Any:
    """A hero of the branch."""
    return part("heroes", FIRST_HERO + count)


def subtree(root: Any) -> Any:
    """How many nodes a subtree has."""
    return length(root, tree(END, root))


def whether(condition: Any, then: Terms, otherwise: Terms) -> dict[str, Any]:
    """What names stand for, by a condition."""
    return {name: z3.If(condition, term, otherwise[name]) for name, term in then.items()}


def only(state: Terms, *names: str) -> dict[str, Any]:
    """A part of a state."""
    return {name: state[name] for name in names}


def also(state: Terms, **others: Any) -> dict[str, Any]:
    """All arrays as they were at first, but those of a state and some others."""
    return {**AT_FIRST, **state, **{f"@{name}": term for name, term in others.items()}}


def below(fold: Fold, name: str, *steps: Any) -> list[Any]:
    """That what a name stands for stays far from 64 bits."""
    *around, count = steps
    return [
        z3.And(fold.at(*around, then)[name] > -(2**62), fold.at(*around, then)[name] < 2**62)
        for then in (count, count + 1)
    ]


def at_place(place: Any) -> Any:
    """The node at a place by name."""
    return tree(BY_NAME, place)
