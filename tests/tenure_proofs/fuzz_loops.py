"""Random loops, read and run: `python -m tests.tenure_proofs.fuzz_loops --n 50000 --seed 1`.

Each is read with random invariants and random claims about its result. What is proved of it must hold of
every execution on small inputs: each invariant before each step, each claim at the end, and that nothing
raises. Where it does not, a false claim was proved.
"""

from __future__ import annotations

import ast
import contextlib
import itertools
import linecache
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib import import_module
from typing import Any

import z3

from tenure.oracle.selection import Chain
from tenure_proofs.trusted import source
from tenure_proofs.trusted.ast_lifter import Made
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.induction import Contract, Ghost, Labelled, Lemma, Part, by_induction
from tenure_proofs.trusted.loops import NONE, Cells, Given, Loop, Row, every, returned
from tenure_proofs.trusted.procedures import LEAST, MOST, POINT, Held, Invariant, Law, Table, read_procedure
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymOptional, SymToken, as_term
from tests.tenure_proofs.changed import made
from tests.tenure_proofs.fuzzing import run
from tests.tenure_proofs.written_loops import (
    LINKED,
    NAMES,
    ORDERS,
    PARTS,
    SCALARS,
    STATES,
    Item,
    Place,
    Words,
    Written,
    formula_of,
    written_of,
)

INT, BOOL = z3.IntSort(), z3.BoolSort()

RESOURCES = 100_000
"""Of one answer of the solver; what takes more is unknown."""
MOST_MS = 20_000
"""Of the same, by the clock: the solver does not count all that it does."""

AT_END = "at the end: "
"""How a claim about the result begins."""

LONGEST = 24
"""Steps of a loop, after which an execution is given up: that a `while` ends is not claimed."""


class EndlessError(Exception):
    """A loop takes too many steps."""


# What is claimed.


@dataclass
class Claims:
    """Formulas about a function, as texts.

    Args:
        facts: about the arguments, at every point.
        invariants: of each loop.
        results: of what is returned.
        ghost: what a variable of the proof is after a step; empty where there is none.
        lemma: about a step; empty where there is none.
        bits: whether every sum has to be within 64 bits.
        fixed: arguments that are known.
    """

    facts: list[str] = field(default_factory=list)
    invariants: list[list[str]] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    ghost: str = ""
    lemma: str = ""
    bits: bool = False
    fixed: dict[str, Any] = field(default_factory=dict)


Env = dict[str, Any]

SOLVERS: Env = {
    "no": z3.Not,
    "implies": z3.Implies,
    "both": z3.And,
    "either": z3.Or,
    "iff": lambda one, other: one == other,
    "inside": lambda p, start, end: z3.And(p >= start, p < end),
}
PYTHONS: Env = {
    "no": lambda one: not one,
    "implies": lambda one, other: not one or other,
    "both": lambda one, other: one and other,
    "either": lambda one, other: one or other,
    "iff": lambda one, other: bool(one) == bool(other),
    "inside": lambda p, start, end: start <= p < end,
}

_code = cache(partial(compile, filename="<formula>", mode="eval"))


def term(text: str, env: Env) -> Any:
    """A formula as a solver's term."""
    try:
        found = eval(_code(text), SOLVERS, env)
    except NameError as error:
        raise LiftError(str(error)) from error
    return z3.BoolVal(found) if isinstance(found, bool) else found


def holds(text: str, env: Env) -> bool:
    """Whether a formula holds of values, at every small point."""
    if "(p" not in text:
        return bool(eval(_code(text), PYTHONS, env))
    return all(eval(_code(text), PYTHONS, {**env, "p": p}) for p in range(-1, 5))


def terms_of(name: str, kind: str, value: Any) -> Env:
    """What formulas call the parts of a symbolic value."""
    match kind:
        case "int" | "bool" | "token":
            return {name: as_term(value, {"int": int, "bool": bool, "token": SymToken}[kind])}
        case "cells":
            return {name: lambda p: value.term[p]}
        case "row":
            return {name: _within(value)}
        case "listed":
            chain = NONE if value is None else value
            return {f"{name}_there": chain.there, f"{name}_has": lambda p: chain.members[p]}
        case "two":
            return {**terms_of(f"{name}_0", "int", value[0]), **terms_of(f"{name}_1", "bool", value[1])}
        case "pair" | "both":
            return {
                f"{name}_{part}": as_term(value.fields[part], kind)
                for part, kind in zip(PARTS[kind], (int, bool), strict=True)
            }
    return {}


def _within(row: Row) -> Callable[[Any], Any]:
    """The numbers of a row, and 0 beyond."""
    return lambda p: z3.If(z3.And(p >= 0, p < row.size), as_term(_last(row.at(p)), int), 0)


def values_of(name: str, kind: str, value: Any) -> Env:
    """What formulas call the parts of Python's value."""
    match kind:
        case "int" | "bool" | "token":
            return {name: value}
        case "cells" | "row":
            return {name: _at(value)}
        case "listed":
            members = frozenset(value or ())
            return {f"{name}_there": value is not None, f"{name}_has": lambda p: p in members}
        case "two":
            return {f"{name}_0": value[0], f"{name}_1": value[1]}
        case "pair" | "both":
            return {f"{name}_{part}": getattr(value, part) for part in PARTS[kind]}
    return {}


def _at(values: Iterable[Any], default: Any = 0) -> Callable[[int], Any]:
    held = tuple(values)
    return lambda p: held[p] if 0 <= p < len(held) else default


# Arguments, for both sides.


@dataclass(frozen=True)
class Kind:
    """What a parameter may be.

    Args:
        symbolic: the value for the reader, of the parameter's name.
        domain: every small value in Python.
        words: what formulas know of the argument, by our word for its type.
        terms, values: the same for both sides.
    """

    symbolic: Callable[[str], Any]
    domain: tuple[Any, ...]
    words: Callable[[str], dict[str, str]] = lambda _: {}
    terms: Callable[[str], Env] = lambda _: {}
    values: Callable[[str, Any], Env] = lambda *_: {}


def _row(
    kind: str, element: Callable[[str, Any], Any], sort: Any, elements: tuple[Any, ...], most: int
) -> Kind:
    def parts(name: str) -> dict[str, Any]:
        return {f"{name}_size": INT, f"{name}_ready": BOOL} if kind == "item" else {name: sort}

    def values(name: str, value: Any) -> Env:
        items = tuple(value)
        found: Env = {f"len_{name}": len(items)}
        for part, inner in parts(name).items():
            field = part.removeprefix(f"{name}_")
            told = [getattr(item, field) for item in items] if kind == "item" else items
            found[part] = _at(told, inner is not BOOL and 0)
        return found

    def words(name: str) -> dict[str, str]:
        arrays = {part: "set" if inner == BOOL else "row" for part, inner in parts(name).items()}
        return {f"len_{name}": "int", **arrays}

    def terms(name: str) -> Env:
        arrays = {part: z3.Function(part, INT, inner) for part, inner in parts(name).items()}
        return {f"len_{name}": z3.Int(f"len_{name}"), **arrays}

    lists = tuple(made for count in range(most + 1) for made in itertools.product(elements, repeat=count))
    return Kind(
        lambda name: Table(lambda at: element(name, at), z3.Int(f"len_{name}")), lists, words, terms, values
    )


def _function(name: str, *sorts: Any) -> Any:
    return z3.Function(name, *sorts)


def _chain(items: Iterable[Any]) -> Chain[Any]:
    chain = None
    for item in reversed(tuple(items)):
        chain = Chain(item, chain)
    assert chain is not None
    return chain


def _scalar(kind: str, symbol: Callable[[str], Any], domain: tuple[Any, ...]) -> Kind:
    return Kind(
        symbol,
        domain,
        lambda name: {f"arg_{name}": kind},
        lambda name: terms_of(f"arg_{name}", kind, symbol(name)),
        lambda name, value: {f"arg_{name}": value},
    )


def _item(name: str, at: Any) -> Made:
    parts = {"size": SymInt(_function(f"{name}_size", INT, INT)(at))}
    return Made(Item, {**parts, "ready": SymBool(_function(f"{name}_ready", INT, BOOL)(at))})


_TOKENS = _row("token", lambda name, at: SymToken(_function(name, INT, INT)(at)), INT, (0, 1, 2), 3)

KINDS: dict[str, Kind] = {
    "int": _scalar("int", lambda name: SymInt(z3.Int(name)), (-1, 0, 1, 2)),
    "bool": _scalar("bool", lambda name: SymBool(z3.Bool(name)), (False, True)),
    "token": _scalar("token", lambda name: SymToken(z3.Int(name)), (0, 1, 2)),
    "opt": Kind(
        lambda name: SymOptional(SymBool(z3.Bool(f"{name}?")), SymInt(z3.Int(name))),
        (None, 0, 1),
        lambda name: {f"{name}_there": "bool", f"arg_{name}": "int"},
        lambda name: {f"{name}_there": z3.Bool(f"{name}?"), f"arg_{name}": z3.Int(name)},
        lambda name, value: {f"{name}_there": value is not None, f"arg_{name}": value or 0},
    ),
    "set": Kind(
        lambda name: Held(z3.Array(name, INT, BOOL)),
        (frozenset(), frozenset({0}), frozenset({-1, 1})),
        lambda name: {f"in_{name}": "set"},
        lambda name: {f"in_{name}": lambda p: z3.Array(name, INT, BOOL)[p]},
        lambda name, value: {f"in_{name}": lambda p: p in value},
    ),
    "cells": Kind(
        lambda name: Cells(z3.Array(name, INT, INT), z3.Int(f"len_{name}")),
        tuple(made for count in range(3) for made in itertools.product((0, 1), repeat=count)),
        lambda name: {f"arg_{name}": "cells", f"len_{name}": "int"},
        lambda name: {
            f"arg_{name}": lambda p: z3.Array(name, INT, INT)[p],
            f"len_{name}": z3.Int(f"len_{name}"),
        },
        lambda name, value: {f"arg_{name}": _at(value), f"len_{name}": len(value)},
    ),
    "law": Kind(
        lambda _: Law(lambda _, number: SymInt(_function("ask", INT, INT)(as_term(number, int)))),
        (lambda number: number % 3, lambda number: -number, lambda _: 7),
    ),
    "fits": Kind(
        lambda _: Given(1, bool, _function("fits", INT, BOOL)),
        (lambda one: one == 1, lambda one: one % 2 == 0),
    ),
    "stands": Kind(
        lambda _: Given(2, bool, _function("stands", INT, INT, BOOL)),
        (lambda one, other: one < other, lambda *_: True),
    ),
    "change": Kind(
        lambda _: Given(2, SymToken, _function("change", INT, INT, INT)),
        (lambda one, other: (one + other) % 3, lambda _, other: other),
    ),
    "row of int": _row("int", lambda name, at: SymInt(_function(name, INT, INT)(at)), INT, (-1, 0, 2), 3),
    "row of bool": _row(
        "bool", lambda name, at: SymBool(_function(name, INT, BOOL)(at)), BOOL, (False, True), 3
    ),
    "row of item": _row(
        "item", _item, None, tuple(itertools.starmap(Item, ((0, True), (1, False), (2, True)))), 3
    ),
    "row of token": _TOKENS,
    "chain": replace(_TOKENS, domain=tuple(_chain(items) for items in _TOKENS.domain if items)),
}

OF_64_BITS = {
    "int": (LEAST, -1, 0, 1, MOST),
    "row of int": tuple(
        made for count in range(3) for made in itertools.product((LEAST, 0, MOST), repeat=count)
    ),
}
"""Values where every sum has to be within 64 bits."""


def arguments_of(written: Written, claims: Claims) -> Env:
    """A symbolic argument for each parameter."""
    found = {name: KINDS[kind].symbolic(name) for name, kind in written.parameters.items()} | claims.fixed
    if written.way != "procedure":
        table, linked = found["values"], written.parameters["values"] == "chain"
        found["values"] = Row(table.at, table.size, linked)
    return found


def terms_of_arguments(written: Written, claims: Claims) -> Env:
    found: Env = {}
    for name, kind in written.parameters.items():
        found |= KINDS[kind].terms(name)
        if name in claims.fixed:
            found |= terms_of(f"arg_{name}", kind, claims.fixed[name])
    return found


def domains_of(written: Written, claims: Claims) -> list[tuple[Any, ...]]:
    """What each parameter may be; many of them have fewer values each."""
    found = []
    for name, kind in written.parameters.items():
        values = OF_64_BITS.get(kind, KINDS[kind].domain) if claims.bits else KINDS[kind].domain
        if len(written.parameters) > 3 and ("row" in kind or kind == "chain"):
            values = tuple(value for value in values if len(tuple(value)) <= 2)
        found.append((claims.fixed[name],) if name in claims.fixed else values)
    return found


def inputs_of(written: Written, claims: Claims) -> Iterator[dict[str, Any]]:
    """All small arguments of which the facts hold."""
    return _of_which_facts_hold(written, claims, itertools.product(*domains_of(written, claims)))


def _of_which_facts_hold(written: Written, claims: Claims, every: Iterable[Any]) -> Iterator[dict[str, Any]]:
    for given in every:
        found = dict(zip(written.parameters, given, strict=True))
        if claims.facts:
            env = values_of_arguments(written, found)
            if not all(holds(fact, env) for fact in claims.facts):
                continue
        yield found


def values_of_arguments(written: Written, given: Mapping[str, Any]) -> Env:
    found: Env = {}
    for name, kind in written.parameters.items():
        found |= KINDS[kind].values(name, given[name])
    return found


# The function, read.


def parts_of(written: Written, claims: Claims) -> Iterator[Part]:
    """What has to be shown so that the claims hold."""
    function: Any = made(written.source, "written", NAMES, {})
    arguments = terms_of_arguments(written, claims)
    given = arguments_of(written, claims)
    sizes = [
        size >= (1 if "chain" in written.parameters.values() else 0) for size in [arguments["len_values"]]
    ]
    facts = [*sizes, *([arguments["len_out"] >= 0] if "len_out" in arguments else [])]

    def at(point: Any) -> list[Any]:
        return [term(fact, {**arguments, "p": point}) for fact in claims.facts]

    def state(place: Place, names: Mapping[str, Any], first: Mapping[str, Any] | None = None) -> Env:
        found = dict(arguments)
        for name, kind in place.kinds.items():
            found |= terms_of(name, kind, names[name])
            if first is not None and kind in ("int", "bool"):
                found |= terms_of(f"first_{name}", kind, first[name])
        return found

    def result(value: Any, env: Env) -> Labelled:
        env = {**env, **terms_of("ret", written.result, value)}
        return [(AT_END + text, term(text, env)) for text in claims.results]

    if written.way == "mapping":
        (row, rest), needed = returned(function, **given)
        env = {**arguments, "p": POINT, "rest": as_term(rest, int), "size": row.size}
        goals = result(row, env)
        yield Part("returns", (*facts, *at(POINT)), (("defined", every(needed)), *goals))
    elif written.way == "loop":
        yield from _one_loop(function, given, written, claims, (facts, at, state, result))
    else:
        yield from read_procedure(
            function,
            given,
            lambda way: result(
                way.value, {**state(written.end, way.names), **_counted(written, way.names), "p": POINT}
            ),
            facts=(*facts, *at(POINT)),
            loops=[
                _invariant(number, place, claims.invariants[number], state, at)
                for number, place in enumerate(written.loops)
            ],
            bits=claims.bits,
        )


def _counted(written: Written, names: Mapping[str, Any]) -> Env:
    """How many steps the first loop has taken, at the end."""
    return {"steps_0": as_term(names["#0"], int)} if written.counted else {}


def _invariant(number: int, place: Place, texts: list[str], state: Any, at: Any) -> Invariant:
    def said(steps: Any, first: Mapping[str, Any], here: Mapping[str, Any], point: Any) -> Labelled:
        env = {**state(place, here, first), "steps": steps, "p": point}
        env |= {f"steps_{outer}": as_term(here[f"#{outer}"], int) for outer in place.within}
        return [(text, term(text, env)) for text in texts]

    return Invariant(said, lambda steps, _: [POINT, steps], lambda point, _: at(point), may_not_end=True)


def _one_loop(function: Any, given: Env, written: Written, claims: Claims, by: Any) -> Iterator[Part]:
    facts, at, state, result = by
    (place,) = written.loops
    loop = Loop(function, **given)

    def env_of(names: Mapping[str, Any], point: Any, steps: Any) -> Env:
        found = {**state(place, names), "p": point, "steps": steps, "size": loop.row.size}
        if claims.ghost:
            found["g"] = names["g"]
        return found | ({"seen": _within(loop.row)} if place.target else {})

    def stepped(names: Mapping[str, Any], element: Any) -> Env:
        env = env_of(names, POINT, z3.IntVal(0))
        return env | ({place.target: as_term(_last(element), int)} if place.target else {})

    def lemmas(names: Mapping[str, Any], element: Any) -> list[Lemma]:
        said = term(claims.lemma, stepped(names, element)) if claims.lemma else None
        return [] if said is None else [Lemma("a lemma", said, said)]

    ghosts = {}
    if claims.ghost:
        ghosts["g"] = Ghost(z3.IntVal(0), lambda names, element: term(claims.ghost, stepped(names, element)))
    contract = Contract(
        lambda steps, names, point: [
            (text, term(text, env_of(names, point, steps))) for text in claims.invariants[0]
        ],
        lambda value, names, point, steps, ended: result(
            value, {**env_of(names, point, steps), "ended": z3.BoolVal(ended)}
        ),
        facts=facts,
        everywhere=at,
        points=lambda point, steps, _: [point, steps, loop.row.size - 1 - steps],
        ghosts=ghosts,
        lemmas=lemmas,
    )
    yield from by_induction(loop, contract)


def _last(element: Any) -> Any:
    """What an element counts, where its place comes with it."""
    return element[-1] if isinstance(element, tuple) else element


def answered(parts: Iterable[Part], results: list[str]) -> str:
    """`proved`, `refuted` or `unknown`: whether every goal follows; results that do not are left out.

    Hypotheses that contradict each other are no matter here: where the reader is right, what follows from
    them is so.
    """
    for part in parts:
        solver = z3.SimpleSolver()
        solver.set("rlimit", RESOURCES)
        solver.set("timeout", MOST_MS)
        solver.add(*part.hypotheses)
        if solver.check(z3.Not(z3.And([goal for _, goal in part.goals]))) == z3.unsat:
            continue
        for label, goal in part.goals:
            said = solver.check(z3.Not(goal))
            if said != z3.unsat and not label.startswith(AT_END):
                return "refuted" if said == z3.sat else "unknown"
            if said != z3.unsat and label.removeprefix(AT_END) in results:
                results.remove(label.removeprefix(AT_END))
    return "proved" if results else "refuted"


# The function, run.


class _Watched(ast.NodeTransformer):
    """A function that shows its state before each step, after its loops and at its end."""

    def __init__(self, bits: bool) -> None:
        self.loops, self.bits = 0, bits

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.body.append(_shown("_leave(None, locals())"))
        return node

    def _loop(self, node: Any) -> list[ast.stmt]:
        number = self.loops
        self.loops += 1
        self.generic_visit(node)
        node.body.insert(0, _shown(f"_head({number}, locals())"))
        node.orelse = [_shown(f"_over({number}, locals())")]
        return [_shown(f"_enter({number}, locals())"), node]

    visit_For = visit_While = _loop  # noqa: N815

    def visit_Return(self, node: ast.Return) -> ast.Return:
        self.generic_visit(node)
        called: Any = ast.parse("_leave(0, locals())", mode="eval").body
        called.args[0] = node.value
        return ast.Return(called)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if not self.bits:
            return node
        return ast.Call(ast.Name("_within", ast.Load()), [node], [])


def _shown(text: str) -> ast.stmt:
    return ast.Expr(ast.parse(text, mode="eval").body)


@dataclass
class Execution:
    """Executions of one function, one after the other, with what is seen of each.

    Args:
        written: the function.
        claims: what is claimed of it.
        drawing: whether claims are still to be drawn, so that all is looked at.
        heads: the loop and the values of formulas' words before each step and after the last one.
        end: those at the end; None where it never comes.
    """

    written: Written
    claims: Claims
    drawing: bool = False
    heads: list[tuple[int, Env]] = field(default_factory=list)
    end: Env | None = None

    def __post_init__(self) -> None:
        tree = ast.parse(self.written.source)
        tree = ast.fix_missing_locations(_Watched(self.claims.bits).visit(tree))
        watching = {f"_{name}": getattr(self, name) for name in ("enter", "head", "over", "leave", "within")}
        names: dict[str, Any] = {**NAMES, **watching}
        exec(compile(tree, "<watched>", "exec"), names)
        self._function = names["written"]

    def run(self, given: Mapping[str, Any]) -> None:
        """One execution; what it raises is raised, but that it takes too long."""
        self.heads, self.end = [], None
        self._steps: dict[int, int] = {}
        self._first: dict[int, Env] = {}
        self._pending: Env | None = None
        self._ghost, self._ended = 0, True
        self._arguments = values_of_arguments(self.written, given)
        if self.written.way != "procedure":
            order = (self.written.loops[0] if self.written.loops else self.written.end).order
            values = given["values"]
            if order and "mapped" not in order:
                with_places = list(eval(order, {}, {"values": values}))
                self._arguments |= {
                    "size": len(with_places),
                    "seen": _at([_last(item) for item in with_places]),
                }
        own = {
            name: list(value) if self.written.parameters[name] == "cells" else value
            for name, value in given.items()
        }
        with contextlib.suppress(EndlessError):
            self._function(**own)

    def _state(self, place: Place, names: Mapping[str, Any]) -> Env:
        found = dict(self._arguments)
        for name, kind in place.kinds.items():
            if kind in SCALARS:
                found[name] = names[name]
            elif kind in STATES:
                found |= values_of(name, kind, names[name])
        return found

    def enter(self, number: int, names: Mapping[str, Any]) -> None:
        self._steps[number] = -1
        kinds = self.written.loops[number].kinds
        self._first[number] = {
            f"first_{name}": names[name] for name, kind in kinds.items() if kind in ("int", "bool")
        }
        if self.written.way == "loop" and "mapped" in names:
            order = self.written.loops[0].order
            seen = list(eval(order, {}, {"mapped": names["mapped"]}))
            self._arguments |= {"size": len(seen), "seen": _at([_last(item) for item in seen])}

    def head(self, number: int, names: Mapping[str, Any]) -> None:
        self._seen(number, names)
        place = self.written.loops[number]
        if self.claims.ghost:
            self._pending = {
                **self.heads[-1][1],
                **({place.target: names[place.target]} if place.target else {}),
            }
        if self._steps[number] > LONGEST:
            raise EndlessError

    def over(self, number: int, names: Mapping[str, Any]) -> None:
        self._seen(number, names)
        self._ended = False

    def _seen(self, number: int, names: Mapping[str, Any]) -> None:
        place = self.written.loops[number]
        self._steps[number] += 1
        self._step_ghost()
        if not (self.drawing or self.claims.ghost or self.claims.invariants[number]):
            return
        env = {
            **self._state(place, names),
            **self._first[number],
            "steps": self._steps[number],
            "g": self._ghost,
        }
        env |= {f"steps_{outer}": self._steps[outer] for outer in place.within}
        self.heads.append((number, env))

    def _step_ghost(self) -> None:
        if self._pending is not None:
            self._ghost = eval(_code(self.claims.ghost), PYTHONS, self._pending)
            self._pending = None

    def leave(self, value: Any, names: Mapping[str, Any]) -> Any:
        self._step_ghost()
        result = self.written.result
        if self.written.way == "mapping":
            value, rest = value
            end = {**self._arguments, "rest": rest, "size": len(value)}
        else:
            single = self.written.way == "loop"
            end = self._state(self.written.loops[0] if single else self.written.end, names)
            if self.written.counted:
                end["steps_0"] = self._steps[0]
            if single:
                end |= {"ended": self._ended, "g": self._ghost, "steps": self._steps[0]}
        # A value of another kind raises: such an execution has no end.
        self.end = {**end, **values_of("ret", result, value)}
        return value

    def within(self, number: int) -> int:
        if not LEAST <= number <= MOST:
            raise OverflowError(number)
        return number

    def broken(self) -> str:
        """A claim that the execution breaks; empty where there is none."""
        for number, env in self.heads:
            for text in self.claims.invariants[number]:
                if not holds(text, env):
                    return f"{text} before step {env['steps']} of loop {number}"
        for text in self.claims.results if self.end is not None else ():
            if not holds(text, self.end or {}):
                return AT_END + text
        return ""


# Claims, drawn.


def claims_of(written: Written, draw: random.Random) -> Claims:
    """Random claims, most of which some executions do not break."""
    words: dict[str, str] = {}
    for name, kind in written.parameters.items():
        words |= KINDS[kind].words(name)
    claims = _circumstances(written, words, draw)
    execution = Execution(written, claims, drawing=True)
    heads: list[list[Env]] = [[] for _ in written.loops]
    ends: list[Env] = []
    domains = domains_of(written, claims)
    drawn = [[draw.choice(values) for values in domains] for _ in range(draw.choice((1, 2, 4, 8)))]
    for given in _of_which_facts_hold(written, claims, drawn):
        with contextlib.suppress(Exception):  # whatever is raised, it shows no end
            execution.run(given)
        for number, env in execution.heads:
            heads[number].append(env)
        ends += [execution.end] if execution.end is not None else []
    for number, seen in enumerate(heads):
        claims.invariants[number] = _drawn(
            draw, _words_at(written, claims, number, words), seen, (0, 1, 1, 2)
        )
    there = {*PYTHONS, "p", *(ends[0] if ends else ())}
    known = [text for texts in claims.invariants for text in texts if {*_code(text).co_names} <= there]
    known += ["steps == size", "no(ended)"] * (written.way == "loop")
    known += ["steps_0 == len_values"] * written.counted
    known += [f"implies(ended, {claims.lemma})"] * 2 * (claims.lemma in LEMMAS)
    claims.results = _drawn(draw, _words_at_end(written, claims, words), ends, (1, 1, 2, 3), known)
    return claims


LEMMAS = ("a <= n", "a >= 0", "no(b)")
"""Which are false of some states."""


def _circumstances(written: Written, words: Mapping[str, str], draw: random.Random) -> Claims:
    """Facts, arguments that are known, and what only a proof has."""
    claims = Claims(invariants=[[] for _ in written.loops])
    for name, kind in written.parameters.items():
        if kind in ("int", "bool") and draw.random() < 0.08:
            claims.fixed[name] = draw.choice(KINDS[kind].domain)
    claims.facts = [draw.choice(facts) for facts in _facts(words) if draw.random() < 0.2]
    if "len_out" in words and draw.random() < 0.7:
        claims.facts.append("len_out == len_values")
    if written.way == "procedure" and draw.random() < 0.12:
        claims.bits = True
        claims.facts += [
            f"inside({name}{'(p)' * (kind == 'row')}, {LEAST}, {MOST + 1})"
            for name, kind in words.items()
            if kind in ("int", "row")
        ]
    if written.way == "loop":
        target = written.loops[0].target
        if draw.random() < 0.25:
            claims.ghost = draw.choice(("g + 1", "g - 1", "g + a", *["g + x"] * 3 * bool(target)))
        if draw.random() < 0.15:
            x = target or "n"
            claims.lemma = draw.choice((f"implies(a < {x}, a + 1 <= {x})", f"{x} * {x} >= 0", *LEMMAS))
    return claims


def _facts(words: Mapping[str, str]) -> list[list[str]]:
    """Facts about each argument, of which one may hold."""
    of_numbers = [
        [f"{name} >= {least}" for least in (0, 0, 1)] + [f"{name} <= 1"] * ("len" not in name)
        for name, kind in words.items()
        if kind == "int"
    ]
    of_rows = [name for name, kind in words.items() if kind == "row"]
    return of_numbers + [[f"implies(inside(p, 0, len_values), {name}(p) >= 0)"] for name in of_rows]


def _words_at(written: Written, claims: Claims, number: int, words: Mapping[str, str]) -> Words:
    place = written.loops[number]
    more = {**words, "steps": "int", **{f"steps_{outer}": "int" for outer in place.within}}
    if written.way == "loop":
        more |= _of_one_loop(claims, place)
    else:
        more |= {f"first_{name}": kind for name, kind in place.kinds.items() if kind in ("int", "bool")}
    return Words.of(place.kinds, more)


def _of_one_loop(claims: Claims, place: Place) -> dict[str, str]:
    return {
        "size": "int",
        **({"g": "int"} if claims.ghost else {}),
        **({"seen": "row"} if place.target else {}),
    }


def _words_at_end(written: Written, claims: Claims, words: Mapping[str, str]) -> Words:
    more = {**words, "ret": written.result}
    if written.way == "mapping":
        return Words.of({}, {**more, "rest": "int", "size": "int"})
    if written.way == "loop":
        more |= {**_of_one_loop(claims, written.loops[0]), "steps": "int", "ended": "bool"}
    if written.counted:
        more["steps_0"] = "int"
    return Words.of(written.loops[0].kinds if written.way == "loop" else written.end.kinds, more)


def _drawn(
    draw: random.Random, words: Words, seen: list[Env], counts: Sequence[int], known: Sequence[str] = ()
) -> list[str]:
    """Some random formulas that hold of what was seen, and now and then one that need not."""
    found: list[str] = []
    count = draw.choice(counts) if seen else 0
    for _ in range(8 * count):
        text = draw.choice(known) if known and draw.random() < 0.2 else formula_of(draw, words)
        if len(found) < count and text not in found and all(holds(text, env) for env in seen):
            found.append(text)
    if draw.random() < (0.25 if known else 0.1):
        found.append(draw.choice((*known, formula_of(draw, words))))
    return found


# The comparison.

FEATURES: dict[str, str] = {
    **{
        f"through {order.format('…')}": rf"in {re.escape(order.format('values'))}:"
        for order in (*ORDERS, *LINKED)
    },
    **{f"a {word}": rf"^ +{word}\b" for word in ("while", "break", "continue")},
    "a range": r"in range\([^,]*\):",
    "a range from somewhere": r"in range\([^,]*, [^,]*\):",
    "a range backwards": r"-1, -1\):",
    "while True": "while True",
    "a loop in a loop": r"^        +(for|while)\b",
    "a loop after another": r"^    (for|while)\b[\s\S]*\n    (for|while)\b",
    "a loop on one of two ways": r"^    if[^\n]*\n        (for|while)\b",
    "a return from a loop": r"^         +return\b",
    "an element of an array": r"values\[x?\d?\w*\]",
    "a list that is written to": r"^ +out\[",
    "a list that is returned": r"return out$",
    "a chain that is built": r"Chain\(",
    "a record": r"pair\.|item|\.size",
    "a named tuple": r"Both\(",
    "a tuple": r"return \(",
    "a tuple of what each element comes to": r"tuple\([^\n]* for ",
    "a function of tokens": r"(fits|stands|change)\(\w",
    "a law": r"ask\([^\n)]",
    "a law for its effect": r"^ +ask\(",
    "the head of a chain": r"values\.head",
    "a set": "in wanted",
    "None": "limit is",
    "a call": r"halved\(",
    "a call that may raise": r"positive\(",
    "a variable of the proof": r"ghost='g",
    "a lemma": r"lemma='\w",
    "numbers of 64 bits": "bits=True",
    "an argument that is known": r"fixed=\{'",
}
"""What is read, by what it looks like in a source and its claims; of each some have to be proved."""


@dataclass
class Tally:
    """What came of some functions.

    Args:
        said: how many were proved, refuted, unknown and refused, by how they are read.
        proved: how many of the proved have something, by what it is.
        executions: how many executions of the proved were compared.
        wrong: what is proved and is not so, in words.
    """

    said: Counter[tuple[str, str]] = field(default_factory=Counter)
    proved: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    executions: int = 0
    wrong: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Count what came of others, too."""
        self.said += other.said
        self.proved += other.proved
        self.refused += other.refused
        self.executions += other.executions
        self.wrong += other.wrong

    def share(self, said: str) -> float:
        """Of all functions, how many of which this was said."""
        found = sum(count for (_, own), count in self.said.items() if own == said)
        return found / max(1, sum(self.said.values()))


def fuzz(numbers: Iterable[int], seed: int) -> Tally:
    """Some functions, each of its own number."""
    tally, others = Tally(), set(linecache.cache)
    for number in numbers:
        draw = random.Random(f"{seed} {number}")
        written = written_of(draw)
        try:
            _compare(written, claims_of(written, draw), number, tally)
        finally:
            source._definition.cache_clear()
            _code.cache_clear()
            for file in [name for name in linecache.cache.keys() - others if name.startswith("<changed ")]:
                del linecache.cache[file]
    return tally


def _compare(written: Written, claims: Claims, number: int, tally: Tally) -> None:
    try:
        said = answered(list(parts_of(written, claims)), claims.results)
    except LiftError as error:
        tally.said[written.way, "refused"] += 1
        tally.refused[" ".join(str(error).split()[-3:])] += 1
        return
    tally.said[written.way, said] += 1
    if said != "proved":
        return
    text = f"{written.source}\n{claims}"
    tally.proved.update(name for name, looks in FEATURES.items() if re.search(looks, text, re.MULTILINE))
    execution = Execution(written, claims)
    for given in inputs_of(written, claims):
        tally.executions += 1
        try:
            execution.run(given)
            broken = execution.broken()
        except Exception as error:  # noqa: BLE001 - whatever is raised, it was proved that nothing is
            broken = f"raises {error!r}"
        if broken:
            tally.wrong.append(f"{number}: {broken}\n{given}\n{claims}\n{written.source}")
            return


def summary(tally: Tally, seed: int) -> str:
    """What came of it, for people."""
    ways = sorted({way for way, _ in tally.said})
    answers = ("proved", "refuted", "unknown", "refused")
    return "\n".join(
        [
            *tally.wrong[:5],
            f"seed {seed}: {sum(tally.said.values()):,} functions, {tally.executions:,} executions of those "
            f"that are proved, {len(tally.wrong)} falsely proved",
            ", ".join(f"{answer} {tally.share(answer):.1%}" for answer in answers),
            *(
                f"  {way}: " + ", ".join(f"{answer} {tally.said[way, answer]:,}" for answer in answers)
                for way in ways
            ),
            "proved with: " + ", ".join(f"{name} {tally.proved[name]:,}" for name in FEATURES),
        ]
    )


def main() -> None:
    """Fuzz, print, and fail where something false is proved, or where nothing that is read so is proved."""

    def missing(tally: Tally) -> object:
        return FEATURES.keys() - tally.proved.keys()

    run("tests.tenure_proofs.fuzz_loops", __doc__, fuzz, Tally(), 100, summary, missing)


if __name__ == "__main__":
    # By its name: a process of a pool finds nothing in `__main__`.
    import_module("tests.tenure_proofs.fuzz_loops").main()
