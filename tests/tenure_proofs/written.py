"""Random functions over everything that is liftable, and the values they are run on.

A function is written as source, of a random seed alone; so a seed and a number find it again.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tenure_proofs.bridge import EPOCH

SMALL = (0, 1, 2, 3, -1, -2, 7)
LARGE = (60, 1_000_000, 2**31, -(2**31), EPOCH, EPOCH + 14_400_000_000_000, 2**63 - 1, 2**63, -(2**63))

OPERATORS = ("+", "-", "*", "//", "%")
ORDERS = ("<", "<=", ">", ">=", "==", "!=")

HINTS = {
    "int": "int",
    "bool": "bool",
    "opt": "int | None",
    "colour": "Colour",
    "size": "Size",
    "text": "str",
    "job": "Job",
}
"""What a parameter may be declared, by our word for it."""

RESULTS = {
    **{kind: hint for kind, hint in HINTS.items() if kind != "text"},
    "pair": "tuple[int, bool]",
    "ticket": "Ticket",
}

_Writer = Callable[["Author", int], str]


@dataclass(frozen=True)
class Function:
    """A function that was written.

    Args:
        source: its definition, after those of the functions that it calls.
        parameters: our word for the type of each, by name.
    """

    source: str
    parameters: dict[str, str]


@dataclass(frozen=True)
class Helper:
    """A function that others may call."""

    name: str
    result: str
    parameters: dict[str, str]
    defaults: int


@dataclass
class Author:
    """Writes one function.

    Args:
        draw: the source of chance.
        names: our word for the type of everything that has a name here.
        helpers: functions that may be called.
        foreign: writes what no lifter reads, where it is put in; by our word for its type.
    """

    draw: random.Random
    names: dict[str, str]
    helpers: Sequence[Helper] = ()
    foreign: dict[str, str] = field(default_factory=dict)
    made: int = 0

    def one(self, kind: str, depth: int) -> str:
        """An expression of a type."""
        if kind in self.foreign and self.draw.random() < 0.4:
            return self.foreign.pop(kind)
        known = [name for name, text in self.names.items() if text == kind]
        if known and self.draw.random() < (0.2 if depth > 0 else 0.7):
            return self.draw.choice(known)
        writers = LEAVES[kind] if depth <= 0 else (*LEAVES[kind][:1], *DEEPER[kind], *DEEPER[kind])
        return self.draw.choice(writers)(self, depth - 1)

    def named(self, kind: str) -> list[str]:
        """What has a name here and is of a type."""
        return [name for name, text in self.names.items() if text == kind]

    def number(self, depth: int) -> str:
        """What arithmetic is done with; perhaps None, on which it raises."""
        if self.draw.random() < 0.1:
            return f"({self.one('opt', depth)})"
        return f"({self.one('int', depth)})"

    def call(self, kind: str, depth: int) -> str:
        """A call of a function with a result of a type; another expression where there is none."""
        texts = bool(self.named("text"))
        found = [
            helper
            for helper in self.helpers
            if helper.result == kind and (texts or "text" not in helper.parameters.values())
        ]
        if not found:
            return self.draw.choice(LEAVES[kind])(self, depth)
        helper = self.draw.choice(found)
        given = list(helper.parameters.items())
        if self.draw.random() < 0.5:
            given = given[: len(given) - helper.defaults]
        by_name = self.draw.randint(0, len(given))
        arguments = [self.one(text, depth) for _, text in given[:by_name]]
        rest = [f"{name}={self.one(text, depth)}" for name, text in given[by_name:]]
        self.draw.shuffle(rest)
        return f"{helper.name}({', '.join([*arguments, *rest])})"

    def block(self, result: str, depth: int, indent: str) -> list[str]:
        """Statements that end in a return, or raise."""
        lines: list[str] = []
        for _ in range(self.draw.randint(0, 2)):
            lines += self.draw.choice((self.assignment, self.assignment, self.unpacked, self.branch))(
                result, depth, indent
            )
        if len(indent) > 4 and self.draw.random() < 0.15:
            return [*lines, f"{indent}raise ValueError('no')"]
        return [*lines, f"{indent}return {self.one(result, depth)}"]

    def assignment(self, _: str, depth: int, indent: str) -> list[str]:
        """A name for a value."""
        kind = self.draw.choice(("int", "bool", "opt", "colour", "pair"))
        value = self.one(kind, depth)
        return [f"{indent}{self.name(kind)} = {value}"]

    def unpacked(self, _: str, depth: int, indent: str) -> list[str]:
        """Names for the parts of a tuple."""
        value = self.one("pair", depth)
        return [f"{indent}{self.name('int')}, {self.name('bool')} = {value}"]

    def name(self, kind: str) -> str:
        """A new name."""
        self.made += 1
        name = f"v{self.made}"
        self.names[name] = kind
        return name

    def branch(self, result: str, depth: int, indent: str) -> list[str]:
        """A condition: one side returns, or both, or each gives a name another value."""
        inner = f"{indent}    "
        lines = [f"{indent}if {self.one('bool', depth)}:"]
        outside = dict(self.names)
        way = self.draw.random()
        if way < 0.5:
            lines += self.block(result, depth - 1, inner)
            self.names = outside
            return lines
        if way < 0.65:
            lines += self.block(result, depth - 1, inner)
            self.names = dict(outside)
            lines += [f"{indent}elif {self.one('bool', depth - 1)}:", *self.block(result, depth - 1, inner)]
            self.names = outside
            return lines
        kind = self.draw.choice(("int", "bool", "opt", "colour"))
        name = self.draw.choice(self.named(kind) or [""])
        other = self.one(kind, depth - 1)
        if name:
            return [*lines, f"{inner}{name} = {other}"]
        new = self.one(kind, depth - 1)
        name = self.name(kind)
        return [*lines, f"{inner}{name} = {other}", f"{indent}else:", f"{inner}{name} = {new}"]


def _constant(author: Author, _: int) -> str:
    return str(author.draw.choice(author.draw.choice((SMALL, SMALL, LARGE))))


def _arithmetic(author: Author, depth: int) -> str:
    operator = author.draw.choice(OPERATORS)
    return f"({author.number(depth)} {operator} {author.number(depth)})"


def _extremum(author: Author, depth: int) -> str:
    numbers = ", ".join(author.number(depth) for _ in range(author.draw.randint(2, 3)))
    return f"{author.draw.choice(('min', 'max'))}({numbers})"


def _either(kind: str) -> _Writer:
    def write(author: Author, depth: int) -> str:
        then, condition, otherwise = (
            author.one(kind, depth),
            author.one("bool", depth),
            author.one(kind, depth),
        )
        return f"({then} if {condition} else {otherwise})"

    return write


def _called(kind: str) -> _Writer:
    return lambda author, depth: author.call(kind, depth)


def _field(kind: str, name: str) -> _Writer:
    def write(author: Author, depth: int) -> str:
        jobs = author.named("job")
        return f"{author.draw.choice(jobs)}.{name}" if jobs else LEAVES[kind][-1](author, depth)

    return write


def _text(*texts: str) -> _Writer:
    return lambda author, _: author.draw.choice(texts)


def _numbers_compared(author: Author, depth: int) -> str:
    parts = [author.number(depth)]
    for _ in range(author.draw.choice((1, 1, 1, 2, 3))):
        parts += [author.draw.choice(ORDERS), author.number(depth)]
    return f"({' '.join(parts)})"


def _equality(*kinds: str) -> _Writer:
    def write(author: Author, depth: int) -> str:
        kind = author.draw.choice(kinds)
        sides = f"{author.one(kind, depth)} {author.draw.choice(('==', '!='))} {author.one(kind, depth)}"
        return f"({sides})"

    return write


def _texts_compared(author: Author, depth: int) -> str:
    texts = author.named("text")
    if not texts:
        return _numbers_compared(author, depth)
    return f"({author.draw.choice(texts)} {author.draw.choice(ORDERS)} {author.draw.choice(texts)})"


def _none(author: Author, depth: int) -> str:
    kind = author.draw.choice(("opt", "opt", "opt", "int", "colour", "pair", "bool"))
    return f"({author.one(kind, depth)} {author.draw.choice(('is', 'is not'))} None)"


def _connected(author: Author, depth: int) -> str:
    parts = [author.one("bool", depth) for _ in range(author.draw.randint(2, 3))]
    return f"({author.draw.choice((' and ', ' or ')).join(parts)})"


def _negated(author: Author, depth: int) -> str:
    return f"(not {author.one(author.draw.choice(('bool', 'bool', 'int')), depth)})"


def _pair(author: Author, depth: int) -> str:
    return f"({author.one('int', depth)}, {author.one('bool', depth)})"


def _part(place: int) -> _Writer:
    return lambda author, depth: f"({author.one('pair', depth)})[{place}]"


def _ticket(author: Author, depth: int) -> str:
    # Always the same: a record that is one of several has no formula.
    job = next(iter(author.named("job")), "JOB")
    colour = f", colour={author.one('colour', depth)}" if author.draw.random() < 0.7 else ""
    return f"Ticket({job}, place={author.one('int', depth)}{colour})"


LEAVES: dict[str, tuple[_Writer, ...]] = {
    "int": (_field("int", "priority"), _constant, _text("THRESHOLD"), _constant),
    "bool": (_numbers_compared, _numbers_compared, _field("bool", "evicted"), _text("True", "False")),
    "opt": (_field("opt", "since"), _text("None"), _constant),
    "colour": (_field("colour", "colour"), _text("Colour.RED", "Colour.GREEN", "Colour.BLUE")),
    "size": (_text("Size.SMALL", "Size.LARGE"),),
    "text": (lambda author, _: author.draw.choice(author.named("text")),),
    "job": (_text("JOB"),),
    "pair": (_pair,),
    "ticket": (_ticket,),
}
"""How an expression of a type is written without going deeper."""

DEEPER: dict[str, tuple[_Writer, ...]] = {
    "int": (
        _arithmetic,
        _arithmetic,
        lambda author, depth: f"(-{author.number(depth)})",
        _extremum,
        _either("int"),
        _called("int"),
        _part(0),
    ),
    "bool": (
        _numbers_compared,
        _numbers_compared,
        _equality("colour", "size", "opt", "bool", "pair"),
        _texts_compared,
        _none,
        _connected,
        _connected,
        _negated,
        _either("bool"),
        _called("bool"),
        _part(1),
    ),
    "opt": (_either("opt"), _called("opt")),
    "colour": (_either("colour"), _called("colour")),
    "size": (_either("size"),),
    "text": (_either("text"),),
    "job": (),
    "pair": (_either("pair"), _called("pair")),
    "ticket": (_either("ticket"), _called("ticket")),
}
"""How it is written of others."""


def function_of(draw: random.Random, foreign: dict[str, str] | None = None) -> Function:
    """A random function, after some that it may call.

    Args:
        draw: the source of chance.
        foreign: what no lifter reads, by our word for its type; it is in the last function.
    """
    sources: list[str] = []
    helpers: list[Helper] = []
    for number in range(draw.randint(0, 2)):
        result = draw.choice(("int", "bool", "opt", "colour", "pair"))
        source, parameters, defaults = _definition(draw, f"helper{number}", result, helpers, {})
        sources.append(source)
        helpers.append(Helper(f"helper{number}", result, parameters, defaults))
    result = draw.choice([kind for kind in RESULTS if kind != "job"])
    foreign = dict(foreign or {})
    source, parameters, _ = _definition(draw, "written", result, helpers, foreign)
    return Function("\n\n".join([*sources, source]), parameters)


def _definition(
    draw: random.Random, name: str, result: str, helpers: Sequence[Helper], foreign: dict[str, str]
) -> tuple[str, dict[str, str], int]:
    kinds = [draw.choice(("int", *HINTS)) for _ in range(draw.randint(1, 3))]
    parameters = {f"{'abcd'[place]}": kind for place, kind in enumerate(["int", *kinds])}
    author = Author(draw, dict(parameters), helpers, foreign)
    lines = author.block(result, draw.randint(1, 3), "    ")
    for kind in foreign:
        lines = [f"    foreign_{kind} = {foreign[kind]}", *lines]
    declared = [f"{text}: {HINTS[kind]}" for text, kind in parameters.items()]
    defaults = 0
    if parameters["abcd"[len(kinds)]] in ("int", "opt") and draw.random() < 0.4:
        defaults = 1
        declared[-1] += f" = {draw.choice(SMALL)}"
    head = f"def {name}({', '.join(declared)}) -> {RESULTS[result]}:"
    return "\n".join([head, *lines]) + "\n", parameters, defaults


def value_of(kind: str, draw: random.Random, make: dict[str, Callable[..., Any]]) -> Any:
    """A value of a type.

    Args:
        kind: our word for the type.
        draw: the source of chance.
        make: the classes, by name.
    """
    number = draw.choice(draw.choice((SMALL, LARGE))) + draw.choice((-1, 0, 0, 1))
    if kind == "opt":
        return None if draw.random() < 0.4 else number
    if kind == "job":
        since = value_of("opt", draw, make)
        return make["Job"](number, since, value_of("colour", draw, make), draw.random() < 0.5)
    if kind in ("colour", "size"):
        enum: Any = make[kind.capitalize()]
        return draw.choice(list(enum))
    if kind == "text":
        return draw.choice("abc")
    return number if kind == "int" else draw.random() < 0.5
