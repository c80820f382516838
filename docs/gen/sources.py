"""What the generated pages are made from: rules, obligations, vectors, and where each is explained."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from docs.gen.markdown import Places, anchor
from tenure.conformance.vectors import Vector, load_vectors
from tenure.lab.divergences import all_divergences
from tenure.rules.registry import all_rules
from tenure_proofs.obligations import OBLIGATIONS
from tools.lints.pages import findings, pages

ROOT = Path(__file__).resolve().parents[2]
OBLIGATIONS_PAGE = "proofs/obligations.md"
VECTORS_PAGE = "vectors/index.md"
DIVERGENCES_PAGE = "reference/divergences.md"

FAMILIES = {
    "KQ": "Kueue as released",
    "TBP": "KEP-8522, time-based preemption",
    "UCQ": "KEP-8826, Uber and Hero ClusterQueues",
    "DYN": "KEP-754, time-dependent priority",
    "KMR": "KAI's MinRuntime plugin",
}
"""The families of rules, and what they are about."""


def places() -> Places:
    """Where every rule, finding, obligation, vector and divergence is explained."""
    of_rules = {page.id: f"rules/{page.name}" for page in pages(ROOT)}
    of_findings = {page.id: f"findings/{page.name}" for page in findings(ROOT)}
    obligations = {
        obligation: f"{obligations_page(family_of(obligation))}#{anchor(obligation)}"
        for obligation in OBLIGATIONS
    }
    cases = {vector.id: f"{vectors_page(vector.file.stem)}#{anchor(vector.id)}" for vector in vectors()}
    divergences = {
        divergence.id: f"{DIVERGENCES_PAGE}#{anchor(divergence.id)}" for divergence in all_divergences()
    }
    return of_rules | of_findings | obligations | cases | divergences


def family_of(identifier: str) -> str:
    """The family of a rule or of an obligation.

    >>> family_of("TBP-020"), family_of("PO-TBP-020")
    ('TBP', 'TBP')
    """
    return identifier.removeprefix("PO-").partition("-")[0]


def obligations_page(family: str) -> str:
    """Where the obligations of a family stand."""
    return f"proofs/obligations-{family.lower()}.md"


def vectors_page(area: str) -> str:
    """Where the vectors of an area stand."""
    return f"vectors/{area}.md"


def written_pages() -> list[str]:
    """The pages that are written by hand, by their paths below `docs/`."""
    return sorted(path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md"))


@cache
def vectors() -> tuple[Vector, ...]:
    """The published vectors; there may be none."""
    return load_vectors(ROOT / "spec" / "vectors")


def not_lifted() -> dict[str, str]:
    """The rules that no lifter turns into a formula, and why not."""
    return {entry.id: entry.reason for entry in all_rules() if not entry.lift}


def rule_functions() -> dict[str, Callable[..., Any]]:
    """The function of every rule, by identifier."""
    return {entry.id: entry.function for entry in all_rules()}


def place_of(function: Callable[..., Any]) -> str:
    """The file that a function stands in, from the root of the repository."""
    return Path(inspect.getsourcefile(function) or "").resolve().relative_to(ROOT).as_posix()


def source_of(function: Callable[..., Any], *, docstring: bool = True) -> str:
    """A function's source, on request without its docstring, every other line as it stands in the file."""
    source = textwrap.dedent(inspect.getsource(function))
    first = _definition(source).body[0]
    if docstring or not _is_text(first):
        return source
    lines = source.splitlines()
    return "\n".join([*lines[: first.lineno - 1], *lines[first.end_lineno :]])


@cache
def called_by(function: Callable[..., Any]) -> set[str]:
    """The names that a function's body calls."""
    tree = _definition(textwrap.dedent(inspect.getsource(function)))
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {node.func.id for node in calls if isinstance(node.func, ast.Name)}


def _definition(source: str) -> ast.FunctionDef:
    definition = ast.parse(source).body[0]
    assert isinstance(definition, ast.FunctionDef)
    return definition


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
