"""TNL130: the optimized core and the trace engine compare priorities, times and shares by compiled rules."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tools.lints.problem import Problem
from tools.lints.source import all_nodes, modules

_FOLDERS: Final = (Path("refimpl/tenure_simulate/core"), Path("refimpl/tenure_simulate/trace"))
_DUE: Final = "takes out what is due"
_EXCEPT: Final = {
    "refimpl/tenure_simulate/trace/priority_steps.py": "finds whether a priority changes",
    "refimpl/tenure_simulate/trace/events.py": _DUE,
    "refimpl/tenure_simulate/trace/steps.py": _DUE,
}
"""Files that may compare them, by why."""
_WORDS: Final = """
priority priorities created created_at queued queued_at reserved reserved_at quota_reserved_at stamp now
duration threshold max_priority_threshold min_admit_duration share shares ratio
"""
_COMPARED: Final = frozenset(_WORDS.split())


def kernels(root: Path) -> Iterator[Problem]:
    """TNL130: a comparison of priorities, times or shares with each other, or of a share with a number."""
    for folder in _FOLDERS:
        for module in modules(root, folder):
            for node in all_nodes(module.tree):
                if module.path not in _EXCEPT and isinstance(node, ast.Compare) and _compares(node):
                    text = f"{ast.unparse(node)} is for a rule to say: call it by compiled_rule"
                    yield Problem(module.path, node.lineno, "TNL130", text)


def _compares(compare: ast.Compare) -> bool:
    sides = [compare.left, *compare.comparators]
    for operator, left, right in zip(compare.ops, sides, sides[1:], strict=False):
        if isinstance(operator, (ast.Is, ast.IsNot, ast.In, ast.NotIn)):
            continue
        named = {name for side in (left, right) for name in _names(side)} & _COMPARED
        if named and not (_is_constant(left) or _is_constant(right)):
            return True
        orders = not isinstance(operator, (ast.Eq, ast.NotEq))
        if orders and "share" in named and any(isinstance(side, ast.Constant) for side in (left, right)):
            return True
    return False


def _is_constant(side: ast.expr) -> bool:
    """Whether a side is a bound or a sentinel: a number, or the name of one."""
    if isinstance(side, ast.UnaryOp):
        return _is_constant(side.operand)
    return isinstance(side, ast.Constant) or (isinstance(side, ast.Name) and side.id.isupper())


def _names(side: ast.expr) -> Iterator[str]:
    """The names in a side, those of columns of tables among them; `now[…]` is a table of amounts."""
    if isinstance(side, ast.Subscript):
        if not (isinstance(side.value, (ast.Name, ast.Attribute)) and _last(side.value) == "now"):
            yield from _names(side.value)
        yield from (found.id.lower() for found in ast.walk(side.slice) if isinstance(found, ast.Name))
        return
    if isinstance(side, (ast.Name, ast.Attribute)):
        yield _last(side)
    for child in ast.iter_child_nodes(side):
        if isinstance(child, ast.expr):
            yield from _names(child)


def _last(name: ast.Name | ast.Attribute) -> str:
    return (name.id if isinstance(name, ast.Name) else name.attr).lower()
