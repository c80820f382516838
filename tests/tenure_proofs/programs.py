"""Small functions to lift, one for each construct, and what their formulas are compared with."""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import itertools
import linecache
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeVar

import z3

from tenure_proofs.crosscheck.comparing import same
from tenure_proofs.crosscheck.parameters import parameters_of
from tenure_proofs.trusted.domains import (
    Domain,
    Optional,
    Record,
    Scalar,
    well_typed,
)
from tenure_proofs.trusted.shapes import Formula
from tests.tenure_proofs.evaluated import RAISES, Evaluator

_Usage = TypeVar("_Usage")
_Item = TypeVar("_Item")
TEXTS = ("a", "b", "c")
NUMBERS = (-4, -3, -1, 0, 1, 2, 3)
THRESHOLD = 2
TABLE = {0: 1, 1: 2}


class Colour(IntEnum):
    """An enum."""

    RED = 0
    GREEN = 1
    BLUE = 2


class Size(IntEnum):
    """Another enum with the same numbers."""

    SMALL = 0
    LARGE = 1


@dataclass(frozen=True)
class Job:
    """A record as an argument."""

    priority: int
    since: int | None
    colour: Colour
    evicted: bool

    @property
    def urgency(self) -> int:
        """Computed from a field."""
        return self.priority + 1


@dataclass(frozen=True)
class Ticket:
    """A record as a result."""

    job: Job
    place: int
    colour: Colour = Colour.RED


@dataclass(frozen=True)
class Doubled:
    """A record that is not what it was constructed with."""

    value: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", 2 * self.value)


class _Doubling(type):
    def __call__(cls, value: int) -> Any:
        return super().__call__(2 * value)


@dataclass(frozen=True)
class Twice(metaclass=_Doubling):
    """A record that is constructed by code of its class's class."""

    value: int


@dataclass(frozen=True)
class Loud:
    """A record that is read by code of its own."""

    value: int

    def __getattribute__(self, name: str) -> Any:
        return (
            object.__getattribute__(self, name) + 1
            if name == "value"
            else object.__getattribute__(self, name)
        )


@dataclass
class Mutable:
    """A record that may change."""

    value: int


class Settings:
    """Something with an attribute."""

    limit = 3


JOB = Job(3, None, Colour.GREEN, evicted=False)
"""A record of the module."""


def counting(a: int, seen: list[int] = []) -> int:  # noqa: B006 - what is refused
    seen.append(a)
    return len(seen)


def conjunction(a: int, b: int) -> bool:
    return a > 0 and b > 1


def disjunction(a: int, b: int) -> bool:
    return a > 0 or b > 1 or a == b


def negated(a: int, flag: bool) -> bool:
    return not (a > 0 and not flag)


def chained_comparison(a: int, b: int, c: int) -> bool:
    return a < b <= c != 0


def ternary(a: int, b: int) -> int:
    return a if a > b else -b


def early_return(a: int) -> int:
    if a < 0:
        return -1
    if a == 0:
        return 0
    return 1


def if_elif_else(a: int, b: int) -> int:
    if a < b:
        result = a
    elif a == b:
        result = 0
    else:
        result = b
    return result * 2


def nested_calls(a: int, b: int) -> int:
    return early_return(a - b) + early_return(ternary(a, b))


def keyword_arguments(a: int, b: int) -> int:
    return ternary(b=a, a=b)


def module_constant(a: int) -> bool:
    return a >= THRESHOLD


def truth_of_a_number(a: int) -> int:
    if a:
        return 1
    return 0


def optional_argument(a: int | None, b: int) -> int:
    if a is None:
        return b
    return a + b


def optional_guard(a: int | None, b: int) -> bool:
    return a is not None and a > b


def optional_equality(a: int | None, b: int | None) -> bool:
    return a == b


def optional_result(a: int, b: int) -> int | None:
    if a < b:
        return None
    return a - b


def optional_handed_on(a: int | None, b: int) -> int | None:
    return a if b > 0 else None


def arithmetic_on_none(a: int | None, b: int) -> int:
    return a + b  # type: ignore[operator]  # what plain Python raises makes the formula undefined


def order_of_none(a: int | None, b: int) -> bool:
    return b > 0 or a < b  # type: ignore[operator]  # as above, behind a condition


def enum_equality(colour: Colour, other: Colour) -> bool:
    return colour == Colour.GREEN or colour != other


def enum_result(a: int, colour: Colour) -> Colour:
    return Colour.BLUE if a > 0 else colour


def floor_division(a: int, b: int) -> int:
    return a // b


def floor_division_of_a_constant(a: int) -> int:
    return 7 // a


def floor_division_by_negative_constant(a: int) -> int:
    return a // -3


def modulo(a: int, b: int) -> int:
    return a % b


def modulo_by_negative_constant(a: int) -> int:
    return a % -3


def smallest_of_three(a: int, b: int, c: int) -> int:
    return min(a, b, c)


def largest_beside_smallest(a: int, b: int) -> int:
    return max(a, b, 0) - min(a, b)


def text_order(first: str, second: str) -> bool:
    return first < second or first == second


def record_fields(job: Job, now: int) -> bool:
    if job.evicted or job.colour == Colour.RED:
        return job.priority > 0
    return job.since is not None and now - job.since > job.priority


def record_construction(job: Job, a: int) -> Ticket:
    return Ticket(job, colour=job.colour if a > 0 else Colour.BLUE, place=a + 1)


def one_of_two_records(job: Job, a: int) -> Ticket:
    if a > 0:
        return Ticket(job=job, place=a, colour=Colour.RED)
    return Ticket(job=job, place=-a, colour=job.colour)


def record_handed_on(job: Job, a: int) -> Job:
    if a < 0:
        raise ValueError(a)
    return job


def raising(a: int) -> int:
    if a < 0:
        raise ValueError(a)
    return a


def raising_in_a_call(a: int, b: int) -> bool:
    return b > 0 and raising(a) > 1


LIFTABLE: tuple[Callable[..., Any], ...] = (
    conjunction,
    disjunction,
    negated,
    chained_comparison,
    ternary,
    early_return,
    if_elif_else,
    nested_calls,
    keyword_arguments,
    module_constant,
    truth_of_a_number,
    optional_argument,
    optional_guard,
    optional_equality,
    optional_result,
    optional_handed_on,
    arithmetic_on_none,
    order_of_none,
    enum_equality,
    enum_result,
    floor_division,
    floor_division_of_a_constant,
    floor_division_by_negative_constant,
    modulo,
    modulo_by_negative_constant,
    smallest_of_three,
    largest_beside_smallest,
    text_order,
    record_fields,
    record_construction,
    one_of_two_records,
    record_handed_on,
    raising,
    raising_in_a_call,
)
"""What both lifters read."""


def chained_comparison_that_stops_early(a: int, b: int, c: int | None) -> bool:
    return a < b < c  # type: ignore[operator]  # Python does not look at c unless a < b


def modulo_of_a_constant(a: int) -> int:
    return 7 % a


def with_default(a: int, step: int = 3) -> int:
    return a + step


def call_with_a_default(a: int) -> int:
    return with_default(a)


def record_with_a_default(job: Job, a: int) -> Ticket:
    return Ticket(job, a)


def identity_of_an_enum(colour: Colour) -> bool:
    return colour is Colour.RED


def true_division(a: int) -> bool:
    return a / 2 > 1


def float_call(a: int) -> bool:
    return float(a) > 1


def int_call(a: int) -> int:
    return int(a)


def isinstance_dependent(a: int) -> int:
    return 1 if isinstance(a, int) else 0


def absolute_value(a: int) -> int:
    return abs(a)


def dictionary_look_up(a: int) -> int:
    return TABLE[a]


def dictionary_look_up_on_one_branch(a: int) -> int:
    if a < 0:
        return 0
    return TABLE[a]


def text_against_a_literal(first: str) -> bool:
    return first == "team-a"


def assignment_to_a_field(job: Job) -> int:
    job.priority = 3  # type: ignore[misc]  # what is refused
    return job.priority


def enums_of_two_classes(colour: Colour, size: Size) -> bool:
    return colour == size  # type: ignore[comparison-overlap]  # what is refused


def enum_against_a_foreign_member(colour: Colour) -> bool:
    return colour == Size.SMALL  # type: ignore[comparison-overlap]  # what is refused


def never_returning(a: int) -> int:
    raise ValueError(a)


def computed_property(job: Job) -> int:
    return job.urgency


def loop(a: int) -> int:
    for index in range(3):
        a = a + index
    return a


def augmented_assignment(a: int) -> int:
    a += 1
    return a


def forgotten_return(a: int) -> int | None:  # type: ignore[return]  # noqa: RET503 - what is refused
    if a > 0:
        return a


def many_branches(a: int, b: int, c: int, d: int) -> int:
    first = 1 if a > 0 else 0
    second = 1 if b > 0 else 0
    third = 1 if c > 0 else 0
    fourth = 1 if d > 0 else 0
    return first + second + third + fourth


def one_condition_many_times(a: int) -> int:
    first = 1 if a > 0 else 0
    second = 1 if a > 0 else 0
    third = 0 if not a > 0 else 1
    return first + second + third


def many_forks_on_fresh_terms(a: int, b: int, c: int) -> int:
    """Each condition is a new term that nothing else holds, as the trap of freed numbers needs."""
    if a + b > c:
        if b + c > a:
            if a + c > b:
                return 1
            return 2 if a * 2 > b * 3 else 3
        return 4 if a - c > 1 else 5
    if a - b > c:
        return 6 if b - c > a else 7
    if b - a > c:
        return 8 if c - b > a + 1 else 9
    return 10 if a + b + c > 0 else 11


def written(source: str) -> Callable[..., Any]:
    """The function that a source defines, where lifters that read the source find it.

    Args:
        source: one definition; it sees the names of this module.
    """
    file = f"<written {hashlib.sha256(source.encode()).hexdigest()}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names = dict(globals())
    names["__name__"] = __name__
    exec(compile(source, file, "exec"), names)
    definition = ast.parse(source).body[-1]
    assert isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef)
    made: Callable[..., Any] = names[definition.name]
    return made


def drawn(domain: Domain) -> Iterator[Any]:
    """Every value of a domain, within small ranges."""
    match domain:
        case Record(cls, fields):
            names = [name for name, _ in fields]
            for values in itertools.product(*(list(drawn(inner)) for _, inner in fields)):
                yield cls(**dict(zip(names, values, strict=True)))
        case Optional(inner):
            yield None
            yield from drawn(inner)
        case Scalar(sort):
            if sort is bool:
                yield from (False, True)
            elif sort is str:
                yield from TEXTS
            else:
                yield from NUMBERS if sort is int else list(sort)  # type: ignore[call-overload]


def pinned(name: str, domain: Domain, value: Any) -> Iterator[tuple[str, Any]]:
    """The solver's constants below an argument, by name, each with its value."""
    match domain:
        case Record(_, fields):
            for text, inner in fields:
                yield from pinned(f"{name}.{text}", inner, getattr(value, text))
        case Optional(inner):
            yield f"{name}?", value is not None
            yield from pinned(name, inner, value if value is not None else 99)
        case Scalar(sort):
            yield name, TEXTS.index(value) if sort is str else value if sort is bool else int(value)


def executed(function: Callable[..., Any], arguments: dict[str, Any]) -> object:
    """What plain Python does, in the words of an `Evaluator`."""
    try:
        result = function(**arguments)
    except Exception:  # noqa: BLE001 - whatever is raised means: not defined
        return RAISES
    return _plain(result, {id(value): name for name, value in arguments.items()})


def _plain(result: object, arguments: dict[int, str]) -> object:
    if dataclasses.is_dataclass(result):
        if id(result) in arguments:
            return arguments[id(result)]
        fields = dataclasses.fields(result)
        return {field.name: _plain(getattr(result, field.name), arguments) for field in fields}
    if isinstance(result, tuple):
        return {str(place): _plain(item, arguments) for place, item in enumerate(result)}
    return int(result) if isinstance(result, IntEnum) else result


def differences(function: Callable[..., Any], formula: Formula, limit: int = 400) -> list[str]:
    """Where a formula says otherwise than plain execution, over all small arguments up to a limit."""
    parameters = parameters_of(function)
    found = []
    domains = [list(drawn(domain)) for domain in parameters.values()]
    every = list(itertools.product(*domains))
    evaluator = Evaluator(formula)
    for row in every[:: max(1, len(every) // limit)]:
        arguments = dict(zip(parameters, row, strict=True))
        values = dict(
            pair for name, domain in parameters.items() for pair in pinned(name, domain, arguments[name])
        )
        wanted, (got,) = executed(function, arguments), evaluator.say(values)
        if wanted != got or type(wanted) is not type(got):
            found.append(f"{arguments}: Python {wanted!r}, formula {got!r}")
    return found


def named(function: Callable[..., Any]) -> str:
    """The id of a test that is parametrised by functions."""
    return function.__name__


def unequal(function: Callable[..., Any], first: Formula, second: Formula) -> str:
    """Values for which two formulas of one function differ; empty when they are proved equal."""
    solver = z3.Solver()
    for name, domain in parameters_of(function).items():
        solver.add(*well_typed(name, domain))
    agree = z3.Implies(first.defined, same(first.value, second.value))
    solver.add(z3.Not(z3.And(first.defined == second.defined, agree)))
    said = solver.check()
    return "" if said == z3.unsat else f"{said}: {solver.model() if said == z3.sat else ''}"
