"""The first automatic family: every comparison of a function, with another operator."""

from __future__ import annotations

import ast
import copy
import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType
from typing import Any

ALTERNATIVES: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
"""What each comparison becomes: off by one, turned round, or negated."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A function with one place changed.

    Args:
        id: `MU-<rule>-<n>`.
        rule: identifier of the rule, `DOOR`, or the name of a step.
        function: the function that is changed, in place, while the mutant is applied.
        before, after: the place's source.
        code: the changed body.
    """

    id: str
    rule: str
    function: Callable[..., Any]
    before: str
    after: str
    code: CodeType

    @contextmanager
    def applied(self) -> Iterator[None]:
        """The changed body behind the same function object, so that every caller meets it."""
        right = self.function.__code__
        self.function.__code__ = self.code
        try:
            yield
        finally:
            self.function.__code__ = right


def comparison_mutants(rule: str, function: Callable[..., Any]) -> Iterator[Mutant]:
    """Every mutant of one function.

    >>> from tenure.rules.quota import fits_quota
    >>> [mutant.after for mutant in comparison_mutants("KQ-060", fits_quota)]
    ['plus(usage, request) < quota', 'plus(usage, request) >= quota']
    """
    tree = source_tree(function)
    number = 0
    for index, node in enumerate(ast.walk(tree)):
        if not isinstance(node, ast.Compare):
            continue
        for position, operator in enumerate(node.ops):
            for alternative in ALTERNATIVES.get(type(operator), ()):
                number += 1
                changed = copy.deepcopy(tree)
                target = list(ast.walk(changed))[index]
                assert isinstance(target, ast.Compare)
                target.ops[position] = alternative()
                yield Mutant(
                    id=f"MU-{rule}-{number:02d}",
                    rule=rule,
                    function=function,
                    before=ast.unparse(node),
                    after=ast.unparse(target),
                    code=compiled(changed, function),
                )


def source_tree(function: Callable[..., Any]) -> ast.Module:
    """A function's source, read."""
    return ast.parse(textwrap.dedent(inspect.getsource(function)))


def compiled(tree: ast.Module, function: Callable[..., Any]) -> CodeType:
    """The code of a function's changed source, among the names that the function sees."""
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list = []
    # The source was parsed without the module's `from __future__ import annotations`.
    annotations = ast.parse("from __future__ import annotations").body
    module = ast.fix_missing_locations(ast.Module([*annotations, definition], type_ignores=[]))
    namespace: dict[str, Any] = {}
    exec(compile(module, f"<mutant of {function.__name__}>", "exec"), function.__globals__, namespace)
    code: CodeType = namespace[function.__name__].__code__
    return code
