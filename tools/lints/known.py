"""The names that pages of the specification may refer to, by kind, read as text."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from tools.lints.pages import findings, pages
from tools.lints.source import OBLIGATIONS, ORACLE, modules, parse

SCENARIOS = Path("spec/vectors/scenarios")
VECTORS = Path("spec/vectors")

Names: TypeAlias = Callable[[Path], set[str]]
"""From the repository's root to the names of one kind."""

_OBLIGATION = re.compile(r'^@(?:obligation|defines)\(\s*"(PO-[A-Z]+-[0-9]{3})"', re.MULTILINE)
_VALIDATION = Path("refimpl/tenure/validation")
_MANIFESTS = (Path("refimpl/tenure/manifests"), Path("refimpl/tenure_kai"))


def rules(root: Path) -> set[str]:
    """Every rule's page."""
    return {page.id for page in pages(root)}


def all_findings(root: Path) -> set[str]:
    """Every finding's page."""
    return {page.id for page in findings(root)}


def readings(root: Path) -> dict[str, str]:
    """The keys of `spec/readings.toml`, each with its source."""
    path = root / "spec/readings.toml"
    if not path.exists():
        return {}
    keys = tomllib.loads(path.read_text(encoding="utf-8"))["keys"]
    return {key: str(entry.get("source", "")) for key, entry in keys.items()}


def obligations(root: Path) -> set[str]:
    """Every obligation that a module registers."""
    return {
        identifier
        for path in sorted((root / OBLIGATIONS).glob("*.py"))
        for identifier in _OBLIGATION.findall(path.read_text(encoding="utf-8"))
    }


def vectors(root: Path) -> set[str]:
    """Every published vector."""
    return {vector["id"] for _, vectors in vector_files(root) for vector in vectors}


def vector_files(root: Path) -> Iterator[tuple[Path, list[dict[str, Any]]]]:
    """Every file of vectors, with what is in it."""
    for path in sorted((root / VECTORS).glob("*.json")):
        if path.name != "schema.json":
            yield path, json.loads(path.read_text(encoding="utf-8"))["vectors"]


def played_rules(root: Path) -> Mapping[str, Mapping[str, str]]:
    """The scenario that exercises a rule of a play, by rule and verdict."""
    path = root / VECTORS / "plays.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def scenarios(root: Path) -> set[str]:
    """Every scenario that can be played, by its file's name."""
    return {path.stem for path in (root / SCENARIOS).glob("*.yaml")}


def validations(root: Path) -> set[str]:
    """What validation says: `cluster_queue.time_based_config FieldValueInvalid`.

    A function is assumed to speak of every type of fault; which one it yields, its own tests say.
    """
    types = {
        str(stmt.value.value)
        for node in _body(root, _VALIDATION / "faults.py")
        if isinstance(node, ast.ClassDef) and node.name in {"ErrorType", "WarningType"}
        for stmt in node.body
        if isinstance(stmt, ast.Assign) and isinstance(stmt.value, ast.Constant)
    }
    return {f"{name} {type_}" for name in _definitions(root, _VALIDATION) for type_ in types}


def effects(root: Path) -> set[str]:
    """The fields of an effect: what the cluster would show of a decision."""
    return {
        field.target.id
        for node in _body(root, ORACLE / "effects.py")
        if isinstance(node, ast.ClassDef) and node.name == "Effect"
        for field in node.body
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
    }


def manifests(root: Path) -> set[str]:
    """What reads manifests: `schema.WithinClusterQueueConfig`."""
    return {name for folder in _MANIFESTS for name in _definitions(root, folder)}


KINDS: Mapping[str, Names] = {
    "rule": rules,
    "finding": all_findings,
    "reading": lambda root: set(readings(root)),
    "obligation": obligations,
    "vector": vectors,
    "scenario": scenarios,
    "validation": validations,
    "effect": effects,
    "manifest": manifests,
}
"""Every kind of name with what there is of it."""


def _definitions(root: Path, folder: Path) -> set[str]:
    return {
        f"{module.name}.{node.name}"
        for module in modules(root, folder)
        for node in module.tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }


def _body(root: Path, path: Path) -> list[ast.stmt]:
    return parse(root, path).tree.body if (root / path).exists() else []
