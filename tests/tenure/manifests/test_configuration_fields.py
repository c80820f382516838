"""Every field of Kueue's Configuration has the effect that spec/kueue-api.toml says."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from tenure.errors import ErrorCode, InputError
from tenure.manifests import Configured, read_configuration

ROOT: Final = Path(__file__).resolve().parents[3]
ENTRIES: Final[list[dict[str, Any]]] = [
    entry
    for entry in tomllib.loads((ROOT / "spec" / "kueue-api.toml").read_text())["entry"]
    if entry["object"] == "Configuration"
]
OF_THE_TYPE: Final = Path(__file__).with_name("configuration-fields.txt").read_text().split()
"""All leaves of the type, as the source of Kueue v0.19.2 has them."""


def read(**fields: Any) -> Configured:
    return read_configuration(
        {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", **fields}
    )


def is_meant(path: str, pattern: str) -> bool:
    return path.startswith(pattern[:-1]) if pattern.endswith("*") else path == pattern


def effects(configured: Configured, default: Configured) -> dict[str, Any]:
    """What differs from the default, by the word of the table."""
    found = {
        "modelled": (configured.settings, configured.gates, configured.reclaimable),
        "over-time": configured.over_time,
        "by-usage": configured.by_usage,
        "noted": configured.notes,
    }
    before = {
        "modelled": (default.settings, default.gates, default.reclaimable),
        "over-time": default.over_time,
        "by-usage": default.by_usage,
        "noted": default.notes,
    }
    return {word: value for word, value in found.items() if value != before[word]}


@pytest.mark.parametrize("path", OF_THE_TYPE)
def test_each_field_of_the_type_is_in_the_table_once(path: str) -> None:
    assert sum(is_meant(path, pattern) for entry in ENTRIES for pattern in entry["fields"]) == 1


def test_the_table_names_no_other_field() -> None:
    """Beside what proposals add."""
    patterns = [pattern for entry in ENTRIES for pattern in entry["fields"] if "kep" not in entry]
    assert [pattern for pattern in patterns if not any(is_meant(path, pattern) for path in OF_THE_TYPE)] == []


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["fields"][0])
def test_a_field_has_the_effect_that_the_table_says(entry: dict[str, Any]) -> None:
    if entry["effect"] == "refused":
        with pytest.raises(InputError) as caught:
            read(**entry["example"])
        (problem,) = caught.value.problems
        assert problem.code == ErrorCode.NOT_MODELLED
        assert entry["fields"][0].replace("[]", "").startswith(problem.field)
        return
    expected = set() if entry["effect"] in ("none", "assumed") else {entry["effect"]}
    gates = {"featureGates": {entry["gate"]: True}} if "gate" in entry else {}
    assert effects(read(**entry["example"], **gates), read(**gates)).keys() == expected


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["fields"][0])
def test_the_example_of_an_entry_sets_a_field_of_it(entry: dict[str, Any]) -> None:
    first = {pattern.removesuffix("*").split(".")[0].removesuffix("[]") for pattern in entry["fields"]}
    assert entry["example"].keys() <= first
