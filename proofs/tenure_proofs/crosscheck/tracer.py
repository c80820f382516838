"""The path-forking tracer: runs the real function on symbolic arguments.

A run takes one branch at each symbolic condition; every branch not taken is run again from the start. The
paths together are one formula, in which each condition is where the function asked it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from operator import attrgetter, itemgetter
from typing import Any

import z3

from tenure_proofs.crosscheck.parameters import own_symbols
from tenure_proofs.crosscheck.symbols import (
    RUN,
    Condition,
    NoneOperandError,
    Run,
    TracedRecord,
    as_term,
    resolve,
    traced,
)
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.shapes import Built, Formula, Maybe, Passed, Shape

PATH_LIMIT = 5_000
"""More paths than any rule of at most six branches has."""


def trace(function: Callable[..., Any], *arguments: Any) -> Formula:
    """Lift a function by running it along every path.

    Args:
        function: any rule, or the door.
        arguments: symbols of a claim, or concrete values, in order.

    Raises:
        LiftError: it does what a tracer cannot see, has too many paths, or never returns.
    """
    given = [traced(argument) for argument in arguments]
    paths: list[_Path] = []
    stack: list[tuple[bool, ...]] = [()]
    asked: dict[int, Condition] = {}
    while stack:
        if len(paths) >= PATH_LIMIT:
            raise LiftError(f"{function.__name__} has more than {PATH_LIMIT} paths")
        run = Run(function.__name__, stack.pop(), PATH_LIMIT, asked)
        try:
            result = _follow(run, function, given)
        except _Raised:
            result = _NOTHING
        paths.append(_Path(run.taken, run.conditions, result))
        stack.extend(run.pending)
    if all(path.result is _NOTHING for path in paths):
        raise LiftError(f"{function.__name__} never returns")
    tree = _tree(paths, 0)
    returns = _scalar(_each(tree, lambda value: value is not _NOTHING, nothing=False))
    return Formula(_merge(tree), returns)


def formula_of(function: Callable[..., Any]) -> Formula:
    """A function as a formula of its own parameters."""
    return trace(function, *own_symbols(function))


class _Raised(Exception):  # noqa: N818 - it says what the function did
    """The function raises on this path, so it is not defined there."""


def _follow(run: Run, function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """The function's result along one path."""
    token = RUN.set(run)
    try:
        return function(*(resolve(argument) for argument in arguments))
    except LiftError:
        raise
    except NoneOperandError as error:
        raise _Raised from error
    except (TypeError, AttributeError, NameError, RecursionError) as error:
        if "NoneType" in str(error) and "Traced" not in str(error):
            raise _Raised from error
        # Python's own complaint about a symbolic value, not something that the function decides.
        unseen = f"{function.__name__}: a rule may not use what the tracer cannot see: {error}"
        raise LiftError(unseen) from error
    except Exception as error:
        raise _Raised from error
    finally:
        RUN.reset(token)


_NOTHING = object()
"""What a path comes to that raises, or that has no part in a value."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Path:
    """A finished run: which way it took at each fork, on what condition, and what it came to."""

    taken: list[bool]
    conditions: list[z3.BoolRef]
    result: Any


@dataclasses.dataclass(frozen=True, slots=True)
class _Fork:
    """A condition, and what follows on either side of it: another fork, or a result."""

    condition: z3.BoolRef
    yes: Any
    no: Any


def _tree(paths: list[_Path], depth: int) -> Any:
    """The paths as the tree of forks that they are; all of them agree up to a depth."""
    if len(paths) == 1:
        return paths[0].result
    yes = [path for path in paths if path.taken[depth]]
    no = [path for path in paths if not path.taken[depth]]
    return _Fork(yes[0].conditions[depth], _tree(yes, depth + 1), _tree(no, depth + 1))


def _each(tree: Any, change: Callable[[Any], Any], *, nothing: Any = _NOTHING) -> Any:
    """The tree with every result changed; `nothing` becomes of a path that came to nothing."""
    if isinstance(tree, _Fork):
        yes, no = (_each(side, change, nothing=nothing) for side in (tree.yes, tree.no))
        return _Fork(tree.condition, yes, no)
    return nothing if tree is _NOTHING else change(tree)


def _results(tree: Any) -> list[Any]:
    """Everything that some path comes to."""
    if isinstance(tree, _Fork):
        return [*_results(tree.yes), *_results(tree.no)]
    return [] if tree is _NOTHING else [tree]


def _merge(tree: Any) -> Shape:
    values = _results(tree)
    if any(value is None for value in values):
        return _merge_optional(tree, values)
    if all(isinstance(value, TracedRecord) for value in values):
        names = {value._name for value in values}
        if len(names) != 1:
            raise LiftError(f"a rule returns one of several arguments: {sorted(names)}")
        return Passed(names.pop())
    if all(type(value) is tuple for value in values):
        return _merge_tuples(tree, values)
    if dataclasses.is_dataclass(values[0]):
        return _merge_records(tree, values)
    return _scalar(tree)


def _merge_optional(tree: Any, values: list[Any]) -> Maybe:
    present = _scalar(_each(tree, lambda value: value is not None))
    if all(value is None for value in values):
        return Maybe(present, z3.IntVal(0))
    merged = _merge(_each(tree, lambda value: _NOTHING if value is None else value))
    if not isinstance(merged, z3.ExprRef):
        raise LiftError("a rule returns a record or None")
    return Maybe(present, merged)


def _merge_records(tree: Any, values: list[Any]) -> Built:
    classes = {type(value) for value in values}
    if len(classes) != 1:
        raise LiftError(f"a rule returns one of several classes: {sorted(cls.__name__ for cls in classes)}")
    cls = classes.pop()
    return Built(
        cls.__name__,
        tuple((field.name, _merge(_each(tree, attrgetter(field.name)))) for field in dataclasses.fields(cls)),
    )


def _merge_tuples(tree: Any, values: list[Any]) -> Built:
    lengths = {len(value) for value in values}
    if len(lengths) != 1:
        raise LiftError(f"a rule returns tuples of several lengths: {sorted(lengths)}")
    places = range(lengths.pop())
    return Built("tuple", tuple((str(place), _merge(_each(tree, itemgetter(place)))) for place in places))


def _scalar(tree: Any) -> z3.ExprRef:
    """One term for all paths that come to something."""
    term = _term_or_nothing(tree)
    assert term is not None
    return term


def _term_or_nothing(tree: Any) -> z3.ExprRef | None:
    if not isinstance(tree, _Fork):
        return None if tree is _NOTHING else as_term(tree)
    yes, no = _term_or_nothing(tree.yes), _term_or_nothing(tree.no)
    if yes is None or no is None or yes.eq(no):
        return no if yes is None else yes
    if yes.sort() != no.sort():
        raise LiftError(f"a rule returns values of several sorts: {yes.sort()} and {no.sort()}")
    return z3.If(tree.condition, yes, no)
