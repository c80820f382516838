"""A test case of a decision as a few sentences with their instants."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import yaml

from tenure.manifests.kueue_api import PREEMPTION_CONFIG
from tenure.manifests.structure import dig

_OBJECTS: Final = (
    ("clusterQueues", "ClusterQueue", "spec.preemption"),
    ("workloadPriorityClasses", "WorkloadPriorityClass", "dynamicPriorityPolicy"),
)
_MOST: Final = 4
"""So many workloads at most have sentences."""


def case_sentences(case: Mapping[str, Any]) -> list[str]:
    """What there is and what is decided, one sentence each, those with an instant in their order.

    Args:
        case: a test case as `spec/vectors` has it.

    Returns:
        nothing where the case is of something else than a decision, or has too many workloads.

    >>> import json
    >>> from tenure.resources import bundled
    >>> text = bundled("spec", "vectors", "time-based.json").read_text(encoding="utf-8")
    >>> cases = json.loads(text)["vectors"]
    >>> *lines, last = case_sentences(next(case for case in cases if "a-newer-equal-loses" in case["id"]))
    >>> for line in lines:
    ...     print(line)
    ClusterQueue cluster-queue: withinClusterQueue LowerOrNewerEqualPriority, minAdmitDuration 4h; 1 cpu
    2026-01-05T09:00:00Z  team-b/target is created with priority 100, for 1 cpu
    2026-01-05T09:00:00Z  team-a/preemptor is created with priority 100, for 1 cpu
    2026-01-05T09:00:01Z  quota is reserved for team-b/target
    >>> last.partition("  ")[2]
    'team-b/target is preempted for team-a/preemptor: InClusterQueue, by KQ-040, TBP-050, TBP-040'
    """
    given, expected = case["input"], case["expect"]
    running = given.get("admitted", [])
    if case["call"] != "decide" or "decision" not in expected or len(running) >= _MOST:
        return []
    events = [*(event for found in [*running, given["incoming"]] for event in _events(found))]
    lines = [*_settings(given), *(f"{at}  {text}" for at, text in sorted(events, key=lambda event: event[0]))]
    return [*lines, *(f"{given['now']}  {text}" for text in _decided(_name(given["incoming"]), expected))]


def _settings(given: Mapping[str, Any]) -> Iterator[str]:
    for key, kind, path in _OBJECTS:
        for found in given.get(key, []):
            fields = [f"{name} {value}" for name, value in _leaves(dig(found, *path.split(".")))]
            if "value" in found:
                fields.insert(0, f"value {found['value']}")
            named = dig(found, "metadata", "annotations", PREEMPTION_CONFIG)
            fields += [f"PreemptionConfig {named}"] if named else []
            quota = [*_quotas(found)]
            parts = [", ".join(part) for part in (fields, quota) if part]
            yield f"{kind} {dig(found, 'metadata', 'name')}: {'; '.join(parts)}"
    for config in given.get("preemptionConfigs", []):
        for rule in dig(config, "spec", "rules") or ():
            rest = {name: value for name, value in rule.items() if name != "name"}
            written = yaml.safe_dump(rest, default_flow_style=True, sort_keys=False, width=math.inf)
            name = dig(config, "metadata", "name")
            yield f"PreemptionConfig {name}, rule {rule['name']}: {written.strip()}"
    for limit in given.get("preemptionLimits", []):
        fields = [f"{name} {value}" for name, value in _leaves(limit["spec"])]
        yield f"PreemptionLimit {dig(limit, 'metadata', 'name')}: {', '.join(fields)}"


def _leaves(fields: object) -> Iterator[tuple[str, object]]:
    for name, value in fields.items() if isinstance(fields, Mapping) else ():
        if isinstance(value, Mapping):
            yield from _leaves(value)
        else:
            yield name, value


def _quotas(queue: Mapping[str, Any]) -> Iterator[str]:
    for group in dig(queue, "spec", "resourceGroups") or ():
        for flavor in group["flavors"]:
            for quota in flavor["resources"]:
                yield f"{quota['nominalQuota']} {quota['name']}"


def _events(workload: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    name, spec = _name(workload), workload["spec"]
    asked = " and ".join(_requests(spec["podSets"]))
    created = dig(workload, "metadata", "creationTimestamp")
    labels = ",".join(f"{key}={value}" for key, value in (dig(workload, "metadata", "labels") or {}).items())
    having = f"priority {spec.get('priority', 0)}{labels and f' and labels {labels}'}"
    yield created, f"{name} is created with {having}{asked and f', for {asked}'}"
    for condition in dig(workload, "status", "conditions") or ():
        if condition["type"] == "QuotaReserved" and condition["status"] == "True":
            yield condition["lastTransitionTime"], f"quota is reserved for {name}"


def _requests(pod_sets: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for pods in pod_sets:
        count = "" if pods.get("count", 1) == 1 else f"{pods['count']} x "
        for container in dig(pods, "template", "spec", "containers") or ():
            for resource, amount in (dig(container, "resources", "requests") or {}).items():
                yield f"{count}{amount} {resource}"


def _name(workload: Mapping[str, Any]) -> str:
    return f"{dig(workload, 'metadata', 'namespace')}/{dig(workload, 'metadata', 'name')}"


def _decided(incoming: str, expected: Mapping[str, Any]) -> Iterator[str]:
    for victim in expected.get("preempted", ()):
        rules = ", ".join(victim.get("rules", ()))
        why = f"{victim['reason']}{rules and f', by {rules}'}"
        yield f"{victim['workload']} is preempted for {incoming}: {why}"
    if not expected.get("preempted"):
        yield f"{incoming}: {expected['decision']}, and none is preempted"
