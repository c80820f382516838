"""The table of what Kueue's integrations write into Workloads, and which of it decides.

The page docs/reference/jobs.md has it. The Workloads are those that Kueue's own code made of samples, as
recorded in tests/live/integrations. A field decides where a Workload without it is read as another one, or is
no longer refused.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tenure.errors import ErrorCode, InputError
from tenure.manifests import read_workload

ROOT: Final = Path(__file__).resolve().parents[1]
RECORDED: Final = ROOT / "tests" / "live" / "integrations" / "workloads.json"
_WHOLE: Final = frozenset(
    {
        "affinity",
        "claims",
        "env",
        "finalizers",
        "limits",
        "nodeSelector",
        "ownerReferences",
        "priorityClassRef",
        "requests",
        "resourceClaims",
        "schedulingGates",
        "securityContext",
        "tolerations",
    }
)
"""Fields that are listed as a whole."""
_HEADER: Final = ("apiVersion", "kind", "metadata.name", "metadata.namespace", "status")
"""What every object has."""


def kinds_and_fields() -> dict[str, tuple[set[str], str]]:
    """By field: the kinds of jobs whose Workloads have it, and whether it decides."""
    found: dict[str, tuple[set[str], str]] = {}
    recorded: dict[str, list[dict[str, Any]]] = json.loads(RECORDED.read_text(encoding="utf-8"))
    for sample, workloads in recorded.items():
        for workload in workloads:
            # The Workloads of a Deployment belong to its pods.
            owner = workload["metadata"]["ownerReferences"][0]["kind"]
            kind = "Deployment" if sample == "deployment" else owner
            for path in fields_of(workload):
                kinds, effect = found.get(path, (set(), "no"))
                found[path] = kinds | {kind}, effect if effect != "no" else effect_of(workload, path)
    return found


def fields_of(raw: object, path: str = "") -> Iterator[str]:
    """The fields that have a value, each once for all items of a list.

    >>> list(fields_of({"spec": {"podSets": [{"name": "a"}, {"name": "b", "count": 1}]}}))
    ['spec.podSets[].name', 'spec.podSets[].count']
    """
    name = path.rpartition(".")[2]
    if isinstance(raw, dict) and name not in _WHOLE and raw:
        inner = [f for key, value in raw.items() for f in fields_of(value, _below(path, key))]
    elif isinstance(raw, list) and name not in _WHOLE and any(isinstance(item, dict) for item in raw):
        inner = [f for value in raw for f in fields_of(value, f"{path}[]")]
    else:
        inner = [path] if raw not in ({}, [], None) and path not in _HEADER else []
    yield from dict.fromkeys(inner)


def _below(path: str, key: str) -> str:
    if path in ("metadata.annotations", "metadata.labels"):
        return f"{path}[{key}]"
    return f"{path}.{key}" if path else key


def effect_of(workload: dict[str, Any], path: str) -> str:
    """`yes`, `no`, or what refuses it.

    >>> workload = {"metadata": {"name": "w"}, "spec": {"queueName": "a", "podSets": [{"template": {}}]}}
    >>> effect_of(workload, "spec.queueName"), effect_of(workload, "spec.podSets[].template")
    ('yes', 'no')
    """
    without = copy.deepcopy(workload)
    _remove(without, _steps(path))
    before, after = _read(workload), _read(without)
    if before == after:
        return "no"
    return "refused: it is not modelled" if isinstance(before, list) else "yes"


def _steps(path: str) -> list[str]:
    steps = path.replace("[]", ".[]").split(".")
    for begin in ("metadata.annotations[", "metadata.labels["):
        if path.startswith(begin):
            steps = ["metadata", begin[9:-1], path[len(begin) : -1]]
    return steps


def _remove(raw: Any, steps: list[str]) -> None:
    first, rest = steps[0], steps[1:]
    if first == "[]":
        for item in raw:
            _remove(item, rest)
    elif rest:
        if isinstance(raw, dict) and first in raw:
            _remove(raw[first], rest)
    elif isinstance(raw, dict):
        raw.pop(first, None)


def _read(workload: dict[str, Any]) -> object:
    try:
        return read_workload(workload)
    except InputError as error:
        return [problem.field for problem in error.problems if problem.code == ErrorCode.NOT_MODELLED]


def table() -> str:
    """What Kueue writes, by field; then what of the pod templates decides, which it takes from the job."""
    found = kinds_and_fields()
    everyone = set().union(*(kinds for kinds, _ in found.values()))
    begin = "spec.podSets[].template."
    lines = ["| Field | Written for | Decides |", "|---|---|---|"]
    for path, (kinds, effect) in sorted(found.items()):
        if not path.startswith(begin):
            lines.append(f"| `{path}` | {_named(kinds, everyone)} | {effect} |")
    lines += ["", "| Field of a pod template | Decides |", "|---|---|"]
    templates = {path.removeprefix(begin): effect for path, (_, effect) in found.items() if begin in path}
    lines += [f"| `{path}` | {effect} |" for path, effect in sorted(templates.items()) if effect != "no"]
    others = ", ".join(f"`{path}`" for path, effect in sorted(templates.items()) if effect == "no")
    return "\n".join([*lines, f"| {others} | no |"]) + "\n"


def _named(kinds: set[str], everyone: set[str]) -> str:
    if kinds == everyone:
        return "every kind"
    if 2 * len(kinds) > len(everyone):
        return f"every kind but {', '.join(sorted(everyone - kinds))}"
    return ", ".join(sorted(kinds))
