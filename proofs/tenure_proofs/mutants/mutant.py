"""A function with one place changed."""

from __future__ import annotations

import ast
import copy
import inspect
import linecache
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from types import CodeType
from typing import Any

from tenure.keeping import digest


@dataclass(frozen=True, slots=True)
class Change:
    """One place of a function's body, and what is put there.

    Args:
        place: the expression, by its number in the walk over the function's source.
        before, after: the expression, right and wrong.
    """

    place: int
    before: ast.expr
    after: ast.expr


@dataclass(frozen=True, slots=True)
class Mutant:
    """A function with one place changed.

    Args:
        id: `MU-<rule>-<n>`.
        rule: identifier of the rule, `DOOR`, or the name of a step.
        function: the function that is changed, in place, while the mutant is applied.
        before, after: the place's source.
        place: number of the place in the walk over the function's source.
    """

    id: str
    rule: str
    function: Callable[..., Any]
    before: str
    after: str
    place: int

    @property
    def change(self) -> tuple[str, str, str]:
        """The rule, and the place's source, right and wrong."""
        return self.rule, self.before, self.after

    @contextmanager
    def applied(self) -> Iterator[None]:
        """The changed body behind the same function object, so that every caller meets it."""
        right = self.function.__code__
        self.function.__code__ = _changed(self.function, self.place, self.before, self.after)
        try:
            yield
        finally:
            self.function.__code__ = right


def mutants_of(
    rule: str, function: Callable[..., Any], families: tuple[Callable[..., Iterator[Change]], ...]
) -> Iterator[Mutant]:
    """Every mutant of one function, each once.

    Args:
        rule: what stands for the function.
        function: the function.
        families: what makes changes of a function and its source.
    """
    said: set[tuple[int, str]] = set()
    definition = source_of(function)
    for family in families:
        for change in family(function, definition):
            after = ast.unparse(change.after)
            if (change.place, after) in said:
                continue
            said.add((change.place, after))
            number = f"{len(said):03d}"
            yield Mutant(
                f"MU-{rule}-{number}", rule, function, ast.unparse(change.before), after, change.place
            )


@cache
def source_of(function: Callable[..., Any]) -> ast.FunctionDef:
    """A function's source, read. It must not be changed."""
    definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(definition, ast.FunctionDef)
    return definition


def places(definition: ast.FunctionDef) -> Iterator[tuple[int, ast.expr]]:
    """Every expression that decides what a function returns, with its number; what is raised says nothing."""
    body = definition.body[1:] if ast.get_docstring(definition) else definition.body
    inside = {id(node) for statement in body for node in ast.walk(statement)}
    for node in [node for statement in body for node in ast.walk(statement)]:
        if isinstance(node, ast.Raise):
            inside -= {id(part) for part in ast.walk(node)}
    for number, node in enumerate(ast.walk(definition)):
        if isinstance(node, ast.expr) and id(node) in inside:
            yield number, node


def whole(definition: ast.FunctionDef) -> dict[int, tuple[int, ast.expr]]:
    """For every expression the number and source of the whole expression that it is a part of, by its id."""
    found: dict[int, tuple[int, ast.expr]] = {}
    for number, node in places(definition):
        if id(node) not in found:
            found |= {id(part): (number, node) for part in ast.walk(node)}
    return found


def with_part(expression: ast.expr, part: ast.expr, wrong: ast.expr) -> ast.expr:
    """A copy of an expression in which a part is another."""
    place = next(place for place, node in enumerate(ast.walk(expression)) if node is part)
    copied = copy.deepcopy(expression)
    right = list(ast.walk(copied))[place]
    assert isinstance(right, ast.expr)
    changed: ast.expr = _Put(right, wrong).visit(copied)
    return changed


@cache
def _changed(function: Callable[..., Any], place: int, before: str, after: str) -> CodeType:
    definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(definition, ast.FunctionDef)
    right = list(ast.walk(definition))[place]
    assert isinstance(right, ast.expr)
    assert ast.unparse(right) == before, "the source is not the one that the mutant was made of"
    changed = _Put(right, ast.parse(after, mode="eval").body).visit(definition)
    return _compiled(changed, function)


def _compiled(definition: ast.FunctionDef, function: Callable[..., Any]) -> CodeType:
    """The code of a function's changed source, among the names that the function sees."""
    definition.decorator_list = []
    # The source was parsed without the module's `from __future__ import annotations`.
    source = f"from __future__ import annotations\n{ast.unparse(ast.fix_missing_locations(definition))}\n"
    file = f"<mutant {digest(source)} of {function.__name__}>"
    # Some of what lifts a function reads its source; without it every mutant would be an error.
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {}
    exec(compile(source, file, "exec"), function.__globals__, namespace)
    code: CodeType = namespace[function.__name__].__code__
    return code


class _Put(ast.NodeTransformer):
    """Puts a wrong expression in the place of a right one."""

    def __init__(self, right: ast.expr, wrong: ast.expr) -> None:
        self._right = right
        self._wrong = wrong

    def visit(self, node: ast.AST) -> Any:
        """The wrong expression at the place, everything else as it is."""
        return self._wrong if node is self._right else self.generic_visit(node)
