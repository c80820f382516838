"""Random functions, lifted and run: `python -m tests.tenure_proofs.fuzz_lifter --n 100000 --seed 1`.

What is liftable must be lifted, by both lifters, and both formulas must say what plain execution does. What
no lifter may read is put into such functions, kind by kind, and must be refused wherever it is reached.
"""

from __future__ import annotations

import dataclasses
import linecache
import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from tenure_proofs.crosscheck import tracer
from tenure_proofs.trusted import ast_lifter, source
from tenure_proofs.trusted.domains import LiftError, domain_of
from tenure_proofs.trusted.symbols import SymRecord, symbol
from tests.tenure_proofs import programs
from tests.tenure_proofs.evaluated import RAISES, Evaluator
from tests.tenure_proofs.foreign import KINDS
from tests.tenure_proofs.fuzzing import run
from tests.tenure_proofs.written import Function, function_of, value_of

EXECUTIONS = 12
"""Of each function."""

TEXTS = "abc"

OF_A_CALL = "a call that never returns"
"""What a random function may come to that is liftable otherwise."""


@dataclass
class Tally:
    """What came of some functions.

    Args:
        functions: how many were lifted.
        executions: how often a formula was compared with plain execution.
        refused: how many functions with a foreign construct were refused, by its kind.
        dead: how many of these were lifted and are right, since nothing reaches the construct.
        wrong: what is wrong, in words.
    """

    functions: int = 0
    executions: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    dead: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Count what came of others, too."""
        self.functions += other.functions
        self.executions += other.executions
        self.refused += other.refused
        self.dead += other.dead
        self.wrong += other.wrong


def fuzz(numbers: Iterable[int], seed: int) -> Tally:
    """Some functions, each of its own number: of eight seven are liftable."""
    tally = Tally()
    for number in numbers:
        draw = random.Random(f"{seed} {number}")
        one = _a_foreign if number % 8 == 7 else _a_function
        try:
            with warnings.catch_warnings():
                # A number may be compared with None here.
                warnings.simplefilter("ignore", SyntaxWarning)
                one(draw, number // 8, tally)
        finally:
            # Nobody asks for any of this again.
            source._definition.cache_clear()
            source.types_of.cache_clear()
            for file in [name for name in linecache.cache if name.startswith("<written ")]:
                del linecache.cache[file]
    return tally


def _a_function(draw: random.Random, number: int, tally: Tally) -> None:
    function = function_of(draw)
    _compare(function, _lifted_both, draw, tally)


def _a_foreign(draw: random.Random, number: int, tally: Tally) -> None:
    kind = sorted(KINDS)[number % len(KINDS)]
    function = KINDS[kind](draw)
    before = len(tally.wrong)
    try:
        _compare(function, _lifted_by_syntax, draw, tally)
    except LiftError:
        tally.refused[kind] += 1
    else:
        tally.dead[kind] += len(tally.wrong) == before


def _lifted_both(function: Callable[..., Any], arguments: list[Any]) -> Evaluator:
    read = ast_lifter.lift(function, *arguments)
    try:
        return Evaluator(read, tracer.trace(function, *arguments))
    except LiftError as error:
        if "paths" not in str(error):
            raise
        return Evaluator(read)


def _lifted_by_syntax(function: Callable[..., Any], arguments: list[Any]) -> Evaluator:
    return Evaluator(ast_lifter.lift(function, *arguments))


def _compare(
    written: Function,
    lifted: Callable[[Callable[..., Any], list[Any]], Evaluator],
    draw: random.Random,
    tally: Tally,
) -> None:
    """Lift a function with the arguments of some claim, and run it on some values of them."""
    function = programs.written(written.source)
    given = [_Given.drawn(name, kind, draw) for name, kind in written.parameters.items()]
    try:
        evaluator = lifted(function, [argument.symbol for argument in given])
    except LiftError as error:
        if lifted is _lifted_by_syntax:
            raise
        if "never returns" not in str(error):
            tally.wrong.append(f"refused ({error}):\n{written.source}")
        if not str(error).startswith("written never returns"):
            tally.refused[OF_A_CALL] += 1
            return
        evaluator = Evaluator()
    except Exception as error:  # noqa: BLE001 - whatever it is, a lifter that breaks is wrong
        tally.wrong.append(f"a lifter breaks ({error!r}):\n{written.source}")
        return
    tally.functions += 1
    for _ in range(EXECUTIONS):
        values = {name: value_of(kind, draw, vars(programs)) for name, kind in written.parameters.items()}
        arguments = {argument.name: argument.value(values) for argument in given}
        plain = programs.executed(function, arguments)
        said = evaluator.say(_constants(values)) or [RAISES]
        tally.executions += 1
        if any(_told(item) != _told(plain) for item in said):
            tally.wrong.append(f"{arguments}: Python {plain!r}, formulas {said!r}\n{written.source}")
            return


def _told(said: object) -> object:
    """With its type, since Python takes True for 1."""
    if isinstance(said, dict):
        return {name: _told(inner) for name, inner in said.items()}
    return (type(said).__name__, said)


@dataclass(frozen=True)
class _Given:
    """An argument of a claim's call: the symbol of its name or another, a sum, or known in part or whole."""

    name: str
    symbol: Any
    value: Callable[[Mapping[str, Any]], Any]

    @staticmethod
    def drawn(name: str, kind: str, draw: random.Random) -> _Given:
        own = symbol(name, domain_of(_HINTS[kind]))
        way = draw.random()
        if way > 0.3 or kind == "text":
            return _Given(name, own, lambda values: values[name])
        if kind == "job":
            fixed = dict(list(vars_of(value_of("job", draw, vars(programs))).items())[draw.randint(0, 2) :])
            record = SymRecord(name, own._domain, fixed)
            return _Given(name, record, lambda values: dataclasses.replace(values[name], **fixed))
        if kind == "int" and way < 0.1:
            return _Given(name, symbol("a", domain_of(int)), lambda values: values["a"])
        if kind == "int" and way < 0.2:
            return _Given(name, symbol("a", domain_of(int)) + 1, lambda values: values["a"] + 1)
        known = value_of(kind, draw, vars(programs))
        return _Given(name, known, lambda _: known)


_HINTS: dict[str, Any] = {
    "int": int,
    "bool": bool,
    "opt": int | None,
    "colour": programs.Colour,
    "size": programs.Size,
    "text": str,
    "job": programs.Job,
}


def vars_of(record: Any) -> dict[str, Any]:
    """A record's fields, by name."""
    return {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}


def _constants(values: Mapping[str, Any]) -> dict[str, Any]:
    """The value of every solver's constant below some arguments."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if dataclasses.is_dataclass(value):
            found |= _constants({f"{name}.{text}": part for text, part in vars_of(value).items()})
        else:
            found[f"{name}?"] = value is not None
            found[name] = 0 if value is None else TEXTS.index(value) if isinstance(value, str) else value
    return {name: int(value) if type(value) is not bool else value for name, value in found.items()}


def summary(tally: Tally, seed: int) -> str:
    """What came of it, for people."""
    kinds = (f"  {kind}: {tally.refused[kind]:,}" for kind in sorted({*KINDS, *tally.refused}))
    lines = [
        *tally.wrong[:5],
        f"seed {seed}: {tally.functions:,} functions lifted, {tally.executions:,} executions of each, "
        f"{len(tally.wrong)} wrong",
        f"{sum(tally.refused.values()):,} refused; {sum(tally.dead.values()):,} not, since nothing reaches "
        "what would be; refused by kind:",
        *kinds,
    ]
    return "\n".join(lines)


def main() -> None:
    """Fuzz, print, and fail where anything is wrong or a kind was never refused."""

    def missing(tally: Tally) -> object:
        return KINDS.keys() - tally.refused.keys()

    run("tests.tenure_proofs.fuzz_lifter", __doc__, fuzz, Tally(), 500, summary, missing)


if __name__ == "__main__":
    # By its name: a process of a pool finds nothing in `__main__`.
    import_module("tests.tenure_proofs.fuzz_lifter").main()
