"""TNL024, TNL025: what a new rule still lacks."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tools.lints.known import VECTORS
from tools.lints.pages import PAGES
from tools.lints.problem import Problem, relative
from tools.lints.source import OBLIGATIONS, ORACLE, RULES, all_nodes, modules, rule_functions

_LIBRARY = Path("refimpl")
_MARK = "TODO"


def stubs(root: Path) -> Iterator[Problem]:
    """TNL024: a sentence of a rule, or a statement, that still has to be written."""
    for folder, ending in ((PAGES, "md"), (RULES, "py"), (OBLIGATIONS, "py"), (VECTORS, "json")):
        for path in sorted((root / folder).glob(f"*.{ending}")):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                if _MARK in line or "def todo_" in line:
                    yield Problem(
                        relative(path, root), number, "TNL024", f"still to be written: {line.strip()}"
                    )


def unused_rules(root: Path) -> Iterator[Problem]:
    """TNL025: a rule that nothing calls decides nothing. A tree without the oracle is not judged."""
    if not (root / ORACLE / "decide.py").exists():
        return
    used = {
        name
        for module in modules(root, _LIBRARY)
        for node in all_nodes(module.tree)
        if (name := _used(node)) is not None
    }
    for function in rule_functions(root):
        if function.node.name not in used:
            yield Problem(
                function.path,
                function.node.lineno,
                "TNL025",
                f"{function.label}: nothing calls it; call it where the decision is made",
            )


def _used(node: ast.AST) -> str | None:
    match node:
        case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name):
            return name
    return None
