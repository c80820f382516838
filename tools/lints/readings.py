"""TNL060: the choices in spec/readings.toml are the enums' members, and presets leave no place open."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tools.lints.problem import Problem
from tools.lints.source import parse

_FILE = Path("spec/readings.toml")
_MODULE = Path("refimpl/tenure/readings.py")


def readings(root: Path) -> Iterator[Problem]:
    """TNL060: readings.toml against tenure.readings."""
    lines = (root / _FILE).read_text(encoding="utf-8").splitlines()
    data = tomllib.loads("\n".join(lines))
    enums = enum_choices(root)
    messages = [*_keys(data["keys"], enums), *_presets(data["presets"], enums)]
    if data.get("default") not in data["presets"]:
        messages.append(("default", f"the default {data.get('default')!r} is no preset"))
    for anchor, message in messages:
        yield Problem(_FILE.as_posix(), _line_of(lines, anchor), "TNL060", message)


def enum_choices(root: Path) -> dict[str, list[str]]:
    """The keys of `CHOICES` in tenure.readings, each with its enum's members in lower case."""
    tree = parse(root, _MODULE).tree
    members = {
        node.name: [
            target.id.lower()
            for part in node.body
            if isinstance(part, ast.Assign)
            for target in part.targets
            if isinstance(target, ast.Name)
        ]
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }
    return {key: members.get(name, []) for key, name in _choices_table(tree)}


def _choices_table(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in tree.body:
        match node:
            case ast.AnnAssign(target=ast.Name(id="CHOICES"), value=ast.Dict(keys=keys, values=values)):
                for key, value in zip(keys, values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(value, ast.Name):
                        yield str(key.value), value.id


def _keys(keys: Mapping[str, Any], enums: Mapping[str, list[str]]) -> Iterator[tuple[str, str]]:
    for key in sorted(keys.keys() | enums.keys()):
        stated = list(keys.get(key, {}).get("choices", {}))
        if stated != enums.get(key, []):
            yield (
                f"[keys.{key}",
                f"key {key}: the file has the choices {_shown(stated)}, tenure.readings.CHOICES "
                f"{_shown(enums.get(key, []))}; make them equal, in the same order",
            )


def _presets(presets: Mapping[str, Any], enums: Mapping[str, list[str]]) -> Iterator[tuple[str, str]]:
    for name, preset in presets.items():
        anchor = f"[presets.{name}"
        for key, choices in enums.items():
            if key not in preset:
                yield anchor, f"preset {name} leaves {key} open: set it to one of {_shown(choices)}"
            elif preset[key] not in choices:
                yield anchor, f"preset {name} sets {key} to {preset[key]!r}: no choice of {_shown(choices)}"
        for key in preset.keys() - enums.keys() - {"summary"}:
            yield anchor, f"preset {name} sets {key}, which is no key of tenure.readings.CHOICES"


def _shown(names: list[str]) -> str:
    return ", ".join(names) or "none"


def _line_of(lines: list[str], anchor: str) -> int:
    return next((number for number, text in enumerate(lines, start=1) if text.startswith(anchor)), 1)
