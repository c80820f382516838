"""TNL001: a rule module imports the model, the readings, other rules, and nothing that could do more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tools.lints.problem import Problem
from tools.lints.source import RULES, Module, imports, modules, rule_functions

_ALLOWED = re.compile(
    r"(__future__|typing|dataclasses|enum|tenure\.model|tenure\.readings|tenure\.rules)(\.|$)"
)
_SOLVERS = {"z3", "cvc5"}

# They hold the rules and import them, and state none.
_NO_RULES = ("registry", "__init__")


def rule_imports(root: Path) -> Iterator[Problem]:
    """TNL001: imports of rule modules."""
    families: dict[str, set[str]] = {}
    for function in rule_functions(root):
        families.setdefault(function.module.name, set()).add(function.id.split("-")[0])
    for module in modules(root, RULES):
        if module.name not in _NO_RULES:
            yield from _imports_of(module, "/".join(sorted(families.get(module.name, {"rule"}))))


def _imports_of(module: Module, family: str) -> Iterator[Problem]:
    for name, _, statement in imports(module.tree, package="tenure.rules"):
        if _ALLOWED.match(name):
            continue
        shown = name.split(".")[0] if statement.__class__.__name__ == "Import" else name.rpartition(".")[0]
        why = "no solver" if name.split(".")[0] in _SOLVERS else "and need only the model and the readings"
        yield Problem(
            module.path,
            statement.lineno,
            "TNL001",
            f"{family} module {module.name} imports {shown}: rules are plain Python, {why}",
        )
