"""Random functions with loops, and random formulas about them, for `tests.tenure_proofs.fuzz_loops`."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tenure.oracle.selection import Chain


@dataclass(frozen=True)
class Pair:
    """A record as a state or a result."""

    total: int
    seen: bool


class Both(NamedTuple):
    """A named tuple, which only functions of many statements build."""

    total: int
    seen: bool


@dataclass(frozen=True)
class Item:
    """A record as an element."""

    size: int
    ready: bool


def halved(number: int) -> int:
    """A function that loops call."""
    if number > 1:
        return number // 2
    return number


def positive(number: int) -> int:
    """A function that raises."""
    if number < 0:
        raise ValueError(number)
    return number


NAMES = {each.__name__: each for each in (Chain, Pair, Both, Item, halved, positive)}
"""What the functions see."""

ELEMENTS = ("int", "int", "int", "bool", "item", "token")
"""What a loop goes through."""

EXTRAS = {
    "m": "int",
    "flag": "bool",
    "limit": "opt",
    "wanted": "set",
    "ask": "law",
    "out": "cells",
    "u": "token",
}
"""Further parameters, by name."""

ORDERS = (
    *(
        "{}",
        "tuple({})",
        "list({})",
        "reversed({})",
        "{}[::-1]",
        "{}[1:]",
        "{}[:-1]",
        "{}[:-2]",
        "enumerate({})",
    ),
    *("enumerate({}[1:])", "reversed({}[1:])", "tuple({}[:-1])[::-1]", "list(reversed({}))[1:]"),
    *("enumerate(reversed({}))", "tuple(enumerate({}))[1:]"),
)
"""Orders of sequences, for `Loop`."""

NO_ORDERS = ("reversed({})[1:]", "enumerate({})[::-1]", "reversed(enumerate({}))", "reversed(reversed({}))")
"""Orders that raise in Python."""

LINKED = ("{}", "{}.rest or ()", "tuple({})", "reversed(tuple({}))", "reversed(tuple({}.rest or ()))")
"""Orders of chains, for `Loop`."""

LOOPS = ("for ", "while ")
SCALARS = ("int", "bool", "token")
RESULTS = ("token", "cells", "pair", "both", "listed")
STATES = ("int", "bool", *RESULTS)
"""What formulas about a state speak of."""

PARTS = {"pair": ("total", "seen"), "both": ("total", "seen")}


@dataclass
class Place:
    """A loop of a function, or its end, as far as formulas go.

    Args:
        kinds: the names that have a value there before it, with our word for their type.
        order: what a `for` of a one-loop function goes through.
        target: the element's name, where it is a number.
        within: the loops around it, by their number.
    """

    kinds: dict[str, str]
    order: str = ""
    target: str = ""
    within: tuple[int, ...] = ()


@dataclass
class Written:
    """A random function.

    Args:
        way: how it is read: `procedure`, `loop` or `mapping`.
        source: its definition.
        parameters: our word for the type of each.
        loops: in the order of the source.
        end: where it returns.
        result: our word for the type of its result.
    """

    way: str
    source: str
    parameters: dict[str, str]
    loops: list[Place]
    end: Place
    result: str

    @property
    def counted(self) -> bool:
        """Whether every way to the end of many statements is through the first loop."""
        first = next((line for line in self.source.split("\n") if line.strip().startswith(LOOPS)), "")
        return self.way == "procedure" and first.startswith(tuple(f"    {word}" for word in LOOPS))


def written_of(draw: random.Random) -> Written:
    """A random function with loops."""
    way = draw.choice(("procedure",) * 5 + ("loop",) * 4 + ("mapping",))
    element = draw.choice(ELEMENTS)
    linked = way == "loop" and element == "token" and draw.random() < 0.5
    parameters = {"values": "chain" if linked else f"row of {element}", "n": "int"}
    extras = ["m", "flag", "limit", "out", "u"] if way == "loop" else list(EXTRAS)
    for name in draw.sample(extras, draw.choice((0, 1, 1, 2))):
        parameters[name] = EXTRAS[name]
    if element == "token" and "u" not in parameters:
        parameters["u"] = "token"
    if way == "loop" and "u" in parameters:
        parameters |= {name: name for name in draw.sample(("fits", "stands", "change"), 2)}
    author = Author(draw, way, element, parameters, dict(parameters))
    if way == "mapping":
        return author.mapping()
    return author.function()


@dataclass
class Author:
    """Writes one function."""

    draw: random.Random
    way: str
    element: str
    parameters: dict[str, str]
    kinds: dict[str, str]
    loops: list[Place] = field(default_factory=list)
    indices: list[str] = field(default_factory=list)
    result: str = "int"
    around: tuple[int, ...] = ()

    def mapping(self) -> Written:
        """`return (tuple(… for … in values), 1 if values else 0)`."""
        inside = dict(self.kinds)
        self.kinds["x"] = self.element
        order = (
            self.order() if "token" not in self.element or self.parameters["values"] != "chain" else "values"
        )
        each = self.number(2)
        self.kinds = inside
        result = f"(tuple({each} for x in {order}), 1 if values else {self.number(1)})"
        source = f"def written({', '.join(self.parameters)}):\n    return {result}\n"
        return Written("mapping", source, self.parameters, [], Place(dict(self.parameters), order), "row")

    def function(self) -> Written:
        """First values, loops, and a result."""
        draw = self.draw
        lines = self.first_values()
        outer = dict(self.kinds)
        kinds = ["int", "int", "int", "bool", *(kind for kind in outer.values() if kind in RESULTS)]
        self.result = draw.choice(kinds)
        for _ in range(1 if self.way == "loop" else draw.choice((1, 1, 1, 2))):
            if self.way == "loop":
                lines += self.one_loop()
            elif draw.random() < 0.15:
                lines += [f"    if {self.truth(1)}:", *self.some_loop("        ", 0)]
            else:
                lines += self.some_loop("    ", 0)
            if self.way == "procedure" and draw.random() < 0.3:
                lines += self.statements("    ", 0, 1, loops=False)
        lines.append(f"    return {self.value(self.result, 1)}")
        source = "\n".join([f"def written({', '.join(self.parameters)}):", *lines, ""])
        return Written(self.way, source, self.parameters, self.loops, Place(outer), self.result)

    def first_values(self) -> list[str]:
        """Numbers and truth values, and now and then a chain or a record, to begin with."""
        draw, lines = self.draw, list[str]()
        for name, kind in (("a", "int"), ("b", "bool"), ("c", "int")):
            if name != "c" or draw.random() < 0.4:
                value = self.value(kind, 1) if draw.random() < 0.5 else self.constant(kind)
                lines.append(f"    {name} = {value}")
                self.kinds[name] = kind
        if self.way == "loop" and "u" in self.kinds and draw.random() < 0.6:
            lines.append("    kept = None")
            self.kinds["kept"] = "listed"
        if draw.random() < 0.15:
            kind = "both" if self.way == "procedure" and draw.random() < 0.5 else "pair"
            lines.append(f"    pair = {self.value(kind, 1)}")
            self.kinds["pair"] = kind
        return lines

    def order(self) -> str:
        if self.parameters["values"] == "chain":
            return self.draw.choice(LINKED).format("values")
        if self.way != "loop":
            return "values"
        return self.draw.choice(NO_ORDERS if self.draw.random() < 0.05 else ORDERS).format("values")

    def one_loop(self) -> list[str]:
        order, lines = self.order(), []
        if self.element != "token" and self.draw.random() < 0.12:
            before = dict(self.kinds)
            self.kinds["y"] = self.element
            lines.append(f"    mapped = tuple({self.number(2)} for y in values)")
            self.kinds, self.element = before, "int"
            order = self.draw.choice(ORDERS).format("mapped")
        counted = order.replace("tuple(", "").startswith("enumerate")
        target = "i, x" if counted else "x"
        self.loops.append(Place(dict(self.kinds), order, "x" if self.element == "int" else ""))
        inside = dict(self.kinds)
        self.kinds["x"] = self.element
        if counted:
            self.kinds["i"] = "int"
        if "out" in self.kinds and counted:
            self.indices.append("i")
        body = self.statements("        ", 1, 2)
        self.kinds = inside
        return [*lines, f"    for {target} in {order}:", *body]

    def some_loop(self, indent: str, depth: int) -> list[str]:
        """A loop of a function of many statements."""
        inside, known, around = dict(self.kinds), len(self.indices), self.around
        name, inner = f"x{len(self.loops)}", indent + "    "
        self.around = (*around, len(self.loops))
        self.loops.append(Place(inside, within=around))
        way = self.draw.choice((self.through, self.through, self.ranging, self.waiting))
        head, body = way(name, inner, depth + 1)
        self.kinds, self.indices, self.around = inside, self.indices[:known], around
        return [f"{indent}{head}:", *body]

    def through(self, name: str, indent: str, depth: int) -> tuple[str, list[str]]:
        """`for … in values`; now and then the element has the name of a variable."""
        if self.element == "int" and self.draw.random() < 0.04:
            name = self.draw.choice(("n", "a"))
        self.kinds = {**self.kinds, name: self.element}
        return f"for {name} in values", self.statements(indent, depth, 2)

    def ranging(self, name: str, indent: str, depth: int) -> tuple[str, list[str]]:
        """`for … in range(…)`."""
        every = ["len(values)"] * 2 + ["len(values) - 1, -1, -1", "n, -1, -1", "1, n", self.number(0)]
        bounds = self.draw.choice(every)
        self.kinds = {**self.kinds, name: "int"}
        self.indices += [name] * ("len" in bounds)
        return f"for {name} in range({bounds})", self.statements(indent, depth, 2)

    def waiting(self, _: str, indent: str, depth: int) -> tuple[str, list[str]]:
        """`while …`, which counts a number up, mostly to an end."""
        draw = self.draw
        step = draw.choice([name for name in self.named("int") if name != "m"])
        stop = draw.choice(("n", "len(values)", self.constant("int")))
        below = f"{step} < {stop}"
        self.indices += [step] * (stop == "len(values)" and step not in self.parameters)
        test = draw.choice(
            (below, below, f"{below} and {self.truth(1)}", f"{below} or {self.truth(1)}", "True")
        )
        body = self.statements(indent, depth, 2)
        if test == "True":
            end = draw.choice(("break", f"return {self.value(self.result, 1)}"))
            body = [f"{indent}if {step} >= {stop}:", f"{indent}    {end}", *body]
        ahead = f"{indent}{step} = {step} + 1"
        return f"while {test}", [*body, ahead] if test == "True" or draw.random() < 0.6 else [ahead, *body]

    def statements(self, indent: str, loop: int, depth: int, *, loops: bool = True) -> list[str]:
        """Some statements; `loop` says in how many loops they are."""
        draw, lines = self.draw, list[str]()
        for _ in range(draw.choice((1, 1, 2) if depth < 2 else (1, 2, 2, 3))):
            way = draw.random()
            if way < 0.35 and depth:
                outside = dict(self.kinds)
                lines += [
                    f"{indent}if {self.truth(1)}:",
                    *self.branch(indent + "    ", loop, depth - 1, loops),
                ]
                self.kinds = dict(outside)
                if draw.random() < 0.3:
                    lines += [f"{indent}else:", *self.branch(indent + "    ", loop, depth - 1, loops)]
                    self.kinds = dict(outside)
            elif way < 0.45 and self.way == "procedure" and loops and loop < 2:
                lines += self.some_loop(indent, loop)
            else:
                lines.append(indent + self.assignment())
        return lines

    def branch(self, indent: str, loop: int, depth: int, loops: bool) -> list[str]:
        lines = self.statements(indent, loop, depth, loops=loops) if self.draw.random() < 0.7 else []
        if lines and self.draw.random() < 0.6:
            return lines
        ends = ["return " + self.value(self.result, 1)] * 2 + (["break"] * 4 + ["continue"]) * bool(loop)
        return [*lines, indent + self.draw.choice(ends)]

    def assignment(self) -> str:
        draw = self.draw
        if "out" in self.kinds and draw.random() < (0.4 if self.indices else 0.1):
            place = draw.choice([*self.indices * 4, "0", self.number(0)])
            return f"out[{place}] = {self.number(1)}"
        every: tuple[str, ...] = ("a", "b", "c", "u", "kept", "pair")
        own = [name for name in every if name in self.kinds]
        if draw.random() < 0.1:
            own = ["n"]
        name = draw.choice(own)
        if draw.random() < 0.02:
            return f"{name} = {self.value(draw.choice(('int', 'bool')), 1)}"
        if draw.random() < 0.04 and "c" in self.kinds:
            return "a, c = c, a"
        if draw.random() < 0.1 and "ask" in self.kinds:
            return f"ask({self.number(0)})"
        if draw.random() < 0.04:
            return f"b: bool = {self.truth(1)}"
        if self.kinds[name] == "int" and draw.random() < 0.6:
            other = draw.choice((self.number(0), "1"))
            how = draw.choice(("{0} + {1}", "{0} + 1", "{0} - 1", "max({0}, {1})", "min({0}, {1})", "{1}"))
            return f"{name} = {how.format(name, other)}"
        return f"{name} = {self.value(self.kinds[name], 2)}"

    def constant(self, kind: str) -> str:
        return self.draw.choice(("True", "False") if kind == "bool" else ("0", "0", "1", "2", "-1"))

    def value(self, kind: str, depth: int) -> str:
        """An expression of a type."""
        if kind == "bool":
            return self.constant(kind) if self.draw.random() < 0.4 else self.truth(depth)
        if kind == "token":
            return self.token()
        if kind == "listed":
            return f"Chain({self.token()}, kept)" if self.draw.random() < 0.8 else "kept"
        if kind in PARTS:
            return f"{kind.capitalize()}({self.number(depth - 1)}, {self.truth(0)})"
        if kind == "cells":
            return "out"
        if kind == "two":
            return f"({self.number(depth)}, {self.truth(depth)})"
        return self.number(depth)

    def named(self, kind: str) -> list[str]:
        return [name for name, own in self.kinds.items() if own == kind]

    def token(self) -> str:
        heads = ["values.head"] * (self.parameters["values"] == "chain")
        known = self.draw.choice([*self.named("token"), *heads])
        if "change" in self.kinds and self.draw.random() < 0.5:
            return f"change({known}, {self.draw.choice(self.named('token'))})"
        return known

    def number(self, depth: int) -> str:
        """An expression that is a number."""
        draw = self.draw
        leaves = [self.constant("int"), *self.named("int"), *self.named("int")]
        leaves += [f"{name}.size" for name in self.named("item")]
        leaves += [f"{name}.total" for kind in PARTS for name in self.named(kind)]
        if self.way == "procedure":
            leaves.append("len(values)")
            if self.element == "int":
                leaves += [f"values[{place}]" for place in self.indices for _ in range(6)]
            if draw.random() < 0.03 and depth and self.element == "int":
                leaves.append(f"values[{self.number(0)}]")
        elif "out" in self.kinds and self.indices:
            leaves += [f"out[{place}]" for place in self.indices]
        leaf = draw.choice(leaves)
        if depth <= 0 or draw.random() < 0.3:
            return leaf
        one, other = self.number(depth - 1), self.number(depth - 1)
        small = draw.choice((1, 2, 3, -1, -2)) if draw.random() < 0.9 else other
        deeper = [f"{leaf} + 1", f"{leaf} + 1", f"{leaf} - 1", f"({one} + {other})", f"({one} - {other})"]
        deeper += [f"min({one}, {other})", f"max({one}, {other})", f"({one} if {self.truth(0)} else {other})"]
        deeper += [f"({one} * {small})", f"({one} // {small})", f"({one} % {small})", f"-{leaf}"]
        deeper += [f"halved({one})", f"positive({draw.choice((one, one, f'max({one}, 0)'))})"]
        if "ask" in self.kinds:
            deeper += [f"ask({one})"] * 2
        return draw.choice(deeper)

    def truth(self, depth: int) -> str:
        """An expression that is a truth value."""
        draw = self.draw
        one, other = self.number(depth - 1), self.number(depth - 1)
        compared = f"{one} {draw.choice(('<', '<=', '>', '>=', '==', '!='))} {other}"
        leaves = [compared, compared, *self.named("bool"), *self.named("bool")]
        leaves += [f"{name}.ready" for name in self.named("item")]
        leaves += [f"{name}.seen" for kind in PARTS for name in self.named(kind)]
        if "limit" in self.kinds:
            leaves += [f"(limit is not None and {one} < limit)", "limit is None"]
        if "wanted" in self.kinds:
            leaves += [f"{one} in wanted"] * 2
        tokens = self.named("token")
        if "fits" in self.kinds:
            leaves += [f"fits({draw.choice(tokens)})"] * 2
        if "stands" in self.kinds:
            leaves += [f"stands({draw.choice(tokens)}, {draw.choice(tokens)})"] * 2
        leaf = draw.choice(leaves)
        if depth <= 0 or draw.random() < 0.6:
            return leaf
        less = depth - 1
        return draw.choice(
            (
                f"not ({self.truth(less)})",
                f"({self.truth(less)} and {self.truth(less)})",
                f"({self.truth(less)} or {self.truth(less)})",
                f"{one} < {other} <= {self.number(0)}",
            )
        )


@dataclass
class Words:
    """What formulas about a place may speak of, by our word for its type."""

    ints: Sequence[str]
    bools: Sequence[str] = ()
    tokens: Sequence[str] = ()
    arrays: Sequence[str] = ()
    sets: Sequence[str] = ()
    upto: Sequence[str] = ()

    @staticmethod
    def of(kinds: Mapping[str, str], more: Mapping[str, str]) -> Words:
        """The words for the names of a state, and some more."""
        every = {name: kind for name, kind in kinds.items() if kind in STATES} | dict(more)
        for name, kind in tuple(every.items()):
            for part, inner in zip(PARTS.get(kind, ()), ("int", "bool"), strict=False):
                every[f"{name}_{part}"] = inner
            if kind == "two":
                every |= {f"{name}_0": "int", f"{name}_1": "bool"}
            if kind == "listed":
                every |= {f"{name}_there": "bool", f"{name}_has": "set"}

        def some(*wanted: str) -> list[str]:
            return [name for name, kind in every.items() if kind in wanted]

        upto = [name for name in some("int") if name.startswith(("steps", "size", "len"))]
        return Words(some("int"), some("bool"), some("token"), some("cells", "row"), some("set"), upto)


def formula_of(draw: random.Random, words: Words, depth: int = 1) -> str:
    """A random formula, of a point `p` where it is about arrays or sets."""
    kinds = [_of_numbers] * 4 + [_of_flags] * 3 * bool(words.bools)
    kinds += [_of_arrays] * 4 * bool(words.arrays and words.upto) + [_of_tokens] * bool(words.tokens)
    kinds += [_of_cases] * 3 * depth
    return draw.choice(kinds)(draw, words)


def _of_numbers(draw: random.Random, words: Words) -> str:
    one, other = draw.choice(words.ints), draw.choice((*words.ints, "0"))
    order = draw.choice(("<=", ">=", "=="))
    return draw.choice(
        (
            f"{one} {draw.choice((order, order, '!='))} {draw.choice((-1, 0, 0, 1, 2))}",
            f"{one} {order} {other}",
            f"{one} {order} {other}",
            f"{one} {order} {other} + {draw.choice((-1, 1, *words.ints))}",
        )
    )


def _of_flags(draw: random.Random, words: Words) -> str:
    return draw.choice(("{0}", "no({0})", "iff({0}, {1})")).format(*draw.choices(words.bools, k=2))


def _of_tokens(draw: random.Random, words: Words) -> str:
    return f"{draw.choice(words.tokens)} == {draw.choice(words.tokens)}"


def _of_arrays(draw: random.Random, words: Words) -> str:
    array = draw.choice(words.arrays)
    others = (*words.ints, "0", "1", f"{draw.choice(words.arrays)}(p)")
    about = f"{array}(p) {draw.choice(('<=', '>=', '==', '!='))} {draw.choice(others)}"
    if words.sets and draw.random() < 0.3:
        about = f"{draw.choice(words.sets)}({array}(p))"
    if words.bools and draw.random() < 0.4:
        about = f"implies(no({draw.choice(words.bools)}), {about})"
    return f"implies(inside(p, 0, {draw.choice(words.upto)}), {about})"


def _of_cases(draw: random.Random, words: Words) -> str:
    """One formula, where another one holds."""
    inner = formula_of(draw, words, 0)
    cases = [formula_of(draw, words, 0)]
    cases += [flag.format(draw.choice(words.bools)) for flag in ("{0}", "no({0})") if words.bools]
    cases += [f"{name}(p)" for name in words.sets]
    return f"{draw.choice(('implies', 'implies', 'implies', 'either'))}({draw.choice(cases)}, {inner})"
