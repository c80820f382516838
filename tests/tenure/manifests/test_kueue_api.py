"""Every name of Kueue's API is in spec/kueue-api.toml, with the effect that the table says."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

from tenure.errors import ErrorCode, InputError
from tenure.manifests import SourcedObject, build, read_cluster_queue, read_cohort
from tenure.manifests.feature_gates import SETTING_OF_GATE
from tenure.manifests.kueue_api import ApiEntry, api_entries
from tests.command_line import run_program
from tools.served import NAMES, names_in

ROOT: Final = Path(__file__).resolve().parents[3]
OLD: Final = NAMES.read_text().splitlines()
NEW: Final = Path(__file__).with_name("kueue-api-0.20.txt").read_text().splitlines()
EFFECTS: Final = {
    *("modelled", "not-known", "refused", "over-time", "by-usage", "by-quota", "noted", "assumed", "none"),
}
EXAMPLES: Final[list[dict[str, Any]]] = tomllib.loads((ROOT / "spec" / "kueue-api.toml").read_text())["entry"]


def meaning(name: str) -> list[ApiEntry]:
    """The entries whose pattern is the longest that means a name."""
    kind, _, path = name.partition(" ")
    if path in ("metadata",):
        return [api_entries()[0]]
    found = [
        (len(pattern), entry)
        for entry in api_entries()
        for pattern in entry.fields
        if entry.object == kind
        and (path == pattern or (pattern.endswith("*") and _begins(path, pattern[:-1])))
    ]
    longest = max((length for length, _ in found), default=0)
    return [entry for length, entry in found if length == longest]


def _begins(path: str, prefix: str) -> bool:
    return path.startswith(prefix) or path == prefix.rstrip(".")


@pytest.mark.parametrize("name", [*OLD, *NEW])
def test_each_name_of_the_api_is_in_the_table_once(name: str) -> None:
    assert len(meaning(name)) == 1, f"{name}: say in spec/kueue-api.toml what Tenure makes of it"


def test_the_table_names_nothing_else() -> None:
    proposed = "gate TimeBasedSamePriorityPreemption", "gate PreemptionProtection"
    known = [line.split(" ", 1) for line in (*OLD, *NEW, *proposed)]
    superfluous = [
        (entry.object, pattern)
        for entry in api_entries()
        for pattern in entry.fields
        if entry.object != "Configuration"
        and not any(
            kind == entry.object and (path == pattern or _begins(path, pattern.rstrip("*")))
            for kind, path in known
        )
    ]
    assert superfluous == []


def test_every_entry_has_an_effect_and_a_reason() -> None:
    assert {entry.effect for entry in api_entries()} <= EFFECTS
    assert all(entry.why for entry in api_entries())
    assert all(entry.what and entry.gate for entry in api_entries() if entry.effect == "not-known")
    twice = Counter((entry.object, field) for entry in api_entries() for field in entry.fields)
    assert [name for name, count in twice.items() if count > 1] == []


def test_the_recorded_names_are_those_of_the_release() -> None:
    try:
        found = run_program(
            "go",
            "list",
            "-m",
            "-f",
            "{{.Dir}}",
            "sigs.k8s.io/kueue",
            cwd=ROOT / "tests" / "live",
            environment={"GOFLAGS": "-mod=mod", "GOPROXY": "off", **_environment()},
        ).stdout.strip()
    except FileNotFoundError:
        pytest.skip("go is not installed")
    if not found:
        pytest.skip("Kueue's module is not in the cache of Go")
    assert [*names_in(Path(found))] == OLD


def _environment() -> dict[str, str]:
    import os

    return {name: os.environ[name] for name in ("HOME", "PATH", "GOPATH", "GOMODCACHE") if name in os.environ}


@pytest.mark.parametrize("entry", [entry for entry in api_entries() if entry.effect == "not-known"], ids=str)
def test_what_is_not_known_is_read_from_the_object(entry: ApiEntry) -> None:
    kind = entry.object
    for field in entry.fields:
        above, name = field.removesuffix(".*").split(".")
        raw = {"metadata": {"name": "a"}, above: {name: {}}}
        queue = read_cluster_queue(raw) if kind == "ClusterQueue" else read_cohort(raw)
        (found,) = queue.unmodelled
        assert found.text == f"{entry.what.format(object=f'{kind} a')} is not modelled"
        assert found.gate == entry.gate


@pytest.mark.parametrize(
    "entry",
    [
        entry
        for entry in EXAMPLES
        if entry["effect"] == "refused" and "example" in entry and entry["object"] == "Workload"
    ],
    ids=lambda entry: entry["fields"][0],
)
def test_a_waiting_workload_is_refused(entry: dict[str, Any]) -> None:
    raw = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Workload",
        "metadata": {"name": "w", "namespace": "ml", "creationTimestamp": "2026-01-01T00:00:00Z"},
        **entry["example"],
    }
    (problems,) = build([SourcedObject("", raw)]).set_aside.values()
    assert [problem.code for problem in problems] == [ErrorCode.NOT_MODELLED]
    with pytest.raises(InputError):
        build([SourcedObject("", raw)], strict=True)


def test_gates_that_are_settings_are_modelled() -> None:
    modelled = {gate for entry in api_entries() if entry.effect == "modelled" for gate in entry.fields}
    assert SETTING_OF_GATE.keys() <= modelled


def test_what_a_newer_kueue_writes_is_warned_of_once() -> None:
    def queue(name: str, **status: object) -> SourcedObject:
        raw = {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "ClusterQueue",
            "metadata": {"name": name, "uid": name, "annotations": {"kueue.x-k8s.io/of-tomorrow": "a"}},
            "spec": {"preferenceOfTomorrow": 1},
            "status": status,
        }
        return SourcedObject("", raw)

    queues = [queue(name, quotasOfTomorrow=[]) for name in "cab"]
    for objects in (queues, queues[::-1]):
        assert [said for said in build(objects).warnings if "does not know" in said] == [
            f"ClusterQueue/a: {field} is not looked at: Tenure does not know this field "
            "(and of 2 more ClusterQueues)"
            for field in (
                "metadata.annotations[kueue.x-k8s.io/of-tomorrow]",
                "spec.preferenceOfTomorrow",
                "status.quotasOfTomorrow",
            )
        ]
