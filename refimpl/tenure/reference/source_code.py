"""The functions of rules: their source, and which of them call each other."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from functools import cache
from typing import Any

import tenure.rules  # noqa: F401 - registers every rule
from tenure.rules.registry import all_rules


def rule_functions() -> dict[str, Callable[..., Any]]:
    """The function of every rule, by identifier.

    >>> rule_functions()["TBP-020"].__name__
    'is_time_expired'
    """
    return {entry.id: entry.function for entry in all_rules()}


def not_lifted() -> dict[str, str]:
    """The rules that no lifter turns into a formula, and why not."""
    return {entry.id: entry.reason for entry in all_rules() if not entry.lift}


def source_of(function: Callable[..., Any], *, docstring: bool = True) -> str:
    """A function's source, on request without its docstring, every other line as it stands in the file."""
    source = textwrap.dedent(inspect.getsource(function))
    first = _definition(source).body[0]
    if docstring or not (isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)):
        return source
    lines = source.splitlines()
    return "\n".join([*lines[: first.lineno - 1], *lines[first.end_lineno :]])


def neighbours(function: Callable[..., Any]) -> tuple[list[str], list[str]]:
    """The rules that a rule's function calls, and those whose functions call it.

    >>> "TBP-020" in neighbours(rule_functions()["TBP-050"])[0]
    True
    """
    functions = rule_functions()
    uses = [name for name, other in functions.items() if other.__name__ in _called_by(function)]
    used_by = [name for name, other in functions.items() if function.__name__ in _called_by(other)]
    return uses, used_by


@cache
def _called_by(function: Callable[..., Any]) -> set[str]:
    """The names that a function's body calls."""
    tree = _definition(textwrap.dedent(inspect.getsource(function)))
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {node.func.id for node in calls if isinstance(node.func, ast.Name)}


def _definition(source: str) -> ast.FunctionDef:
    definition = ast.parse(source).body[0]
    assert isinstance(definition, ast.FunctionDef)
    return definition
