"""One name, one thing: no two public classes of the library share a name."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "refimpl"


def shared_names(root: Path) -> dict[str, list[str]]:
    """The modules, by every name that public classes of several of them have."""
    modules: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(root.rglob("*.py")):
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(statement, ast.ClassDef) and not statement.name.startswith("_"):
                modules[statement.name].append(path.relative_to(root).as_posix())
    return {name: where for name, where in modules.items() if len(where) > 1}


def test_no_two_public_classes_share_a_name() -> None:
    assert shared_names(ROOT) == {}


def test_a_shared_name_is_found_with_its_modules(tmp_path: Path) -> None:
    for name, text in {
        "a": "class Report: ...",
        "b": "class Report: ...\nclass _Own: ...",
        "c": "class _Own: ...",
    }.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    assert shared_names(tmp_path) == {"Report": ["a.py", "b.py"]}
