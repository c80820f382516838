"""What comes with Tenure: examples, scenarios, published schemas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tenure.errors import bad_input
from tenure.resources import bundled

_ENDING = ".schema.json"


def example_names() -> list[str]:
    """The bundled examples.

    >>> "two-teams" in example_names()
    True
    """
    return sorted(path.name for path in bundled("examples").iterdir() if path.is_dir())


def example_folder(name: str) -> Path:
    """The folder of a bundled example.

    Raises:
        InputError: there is no such example.
    """
    names = example_names()
    if name not in names:
        raise bad_input("example", name, f"one of {', '.join(names)}")
    return bundled("examples") / name


def scenario_names() -> list[str]:
    """The bundled scenarios.

    >>> "tbp-it-2-rotation" in scenario_names()
    True
    """
    return sorted(path.stem for path in _scenario_folder().glob("*.yaml"))


def scenario_file(name: str) -> Path:
    """The file of a bundled scenario.

    Raises:
        InputError: there is no scenario of this name.
    """
    known = scenario_names()
    if name not in known:
        from tenure.manifests import did_you_mean

        raise bad_input("--scenario", name, f"one of {', '.join(known)}{did_you_mean(name, known)}")
    return _scenario_folder() / f"{name}.yaml"


def _scenario_folder() -> Path:
    return bundled("spec", "vectors", "scenarios")


def schema_names() -> list[str]:
    """The published schemas, by the command or the line that they describe.

    >>> "decide" in schema_names()
    True
    """
    folder = bundled("spec", "schemas")
    return sorted(path.name.removesuffix(_ENDING) for path in folder.glob(f"*{_ENDING}"))


def schema(name: str) -> dict[str, Any]:
    """A published schema.

    Raises:
        InputError: there is no such schema.

    >>> schema("decide")["$schema"]
    'https://json-schema.org/draft/2020-12/schema'
    """
    if name not in schema_names():
        raise bad_input("schema", name, f"one of {', '.join(schema_names())}")
    text = bundled("spec", "schemas", f"{name}{_ENDING}").read_text(encoding="utf-8")
    parsed: dict[str, Any] = json.loads(text)
    return parsed
