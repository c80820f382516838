"""Objects of Kueue with one random change each, drawn along the schemas that the API server has of them."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

API: Final = "kueue.x-k8s.io/v1beta2"
PLURALS: Final = {
    "ClusterQueue": "clusterqueues",
    "Cohort": "cohorts",
    "LocalQueue": "localqueues",
    "ResourceFlavor": "resourceflavors",
    "WorkloadPriorityClass": "workloadpriorityclasses",
    "Workload": "workloads",
}
"""The kinds that Tenure validates, and their names in the paths of the API server."""

DRAWN: Final = (*PLURALS, "ClusterQueue", "ClusterQueue", "Workload")
"""How often a kind is drawn: those with most rules more often."""
NAMESPACE: Final = "verdicts"
NAMESPACED: Final = ("LocalQueue", "Workload")

# fmt: off
_STRINGS: Final = (
    "", "a", "A_b", "x" * 63, "x" * 64, "x" * 253, "x" * 254, "-a", "a-", "a.b", "a/b", "a b", "1", "-1",
    "0", "1.5", "500m", "1e3", "1Ki", "abc", "None", "never", "Never", "Any", "any", "LowerPriority",
    "LowerOrNewerEqualPriority", "Hold", "HoldAndDrain", "Preempt", "Borrow", "TryNextFlavor",
    "BestEffortFIFO", "strictfifo", "NoExecute", "Equal", "Exists", "In", "Gt", "example.com/x",
    "Example.com/X", "kubernetes.io/x", "pods", "cpu", "memory", "+1", "01", "1E", "9223372036854775808",
    "0.0000000001", "1n", " 1", "1 ", "1.", ".5", "1e+30", "1e400", "2026-03-02T14:00:00Z", "2026-03-02",
    "f1", "f3", "main", "kueue.x-k8s.io", "scheduling.k8s.io",
)
_NUMBERS: Final[tuple[float, ...]] = (
    0, 1, -1, 2, 5, 1.0, 1.5, 1000000001, 2**31 - 1, 2**31, 2**63 - 1, 2**63, 2**64, -(2**31) - 1,
    -(2**63) - 1, 1e18, 1e19, 1e30, 1e-12, 0.1,
)
_OTHERS: Final[tuple[Any, ...]] = (
    None, True, False, [], {}, ["a"], ["a", "a"], [None], {"a": "b"}, {"a": 1}, {"a": None}, {"-a": "b"},
)
_MAPS: Final[tuple[Any, ...]] = (
    {}, {"a": "b"}, {"A": ""}, {"x" * 64: "b"}, {"a": "x" * 64}, {"a/b/c": "d"}, {"cpu": "1"}, {"": "x"},
    {"a": None}, {"pods": "1"}, {"cpu": "-1"}, {"a b": "c"}, {"Example.com/x": "y"}, {"memory": 1.5},
    {"a": 1}, {"-a": "b"},
)
# fmt: on
_AMOUNTS: Final = tuple(text for text in _STRINGS if text[:1] in "01-+59. ")
"""What may stand for a quantity, among others."""
_SCALARS: Final[Mapping[str, tuple[Any, ...]]] = {
    "string": _STRINGS,
    "integer": (*_NUMBERS, "1"),
    "number": (*_NUMBERS, "1"),
    "boolean": (True, False, "true", None, 1),
}


def group(chance: random.Random, flavors: tuple[str, ...], resources: tuple[str, ...]) -> dict[str, Any]:
    """A resource group with limits."""

    def quota(name: str) -> dict[str, Any]:
        nominal = chance.choice(("1", "4", "500m", 3, "2Gi"))
        return {"name": name, "nominalQuota": nominal, "borrowingLimit": "1", "lendingLimit": "0"}

    return {
        "coveredResources": list(resources),
        "flavors": [
            {"name": name, "resources": [quota(resource) for resource in resources]} for name in flavors
        ],
    }


def _cluster_queue(chance: random.Random) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "cohortName": "co",
        "namespaceSelector": {
            "matchLabels": {"a": "b"},
            "matchExpressions": [{"key": "k", "operator": "In", "values": ["v"]}],
        },
        "queueingStrategy": "BestEffortFIFO",
        "stopPolicy": "None",
        "preemption": {
            "withinClusterQueue": "LowerPriority",
            "reclaimWithinCohort": "Any",
            "borrowWithinCohort": {"policy": "LowerPriority", "maxPriorityThreshold": 5},
        },
        "flavorFungibility": {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"},
        "fairSharing": {"weight": "1"},
        "resourceGroups": [
            group(chance, ("f1", "f2"), ("cpu", "example.com/gpu")),
            group(chance, ("f3",), ("memory",)),
        ],
    }
    if chance.random() < 0.3:
        spec["admissionChecksStrategy"] = {"admissionChecks": [{"name": "c", "onFlavors": ["f1"]}]}
    if chance.random() < 0.2:
        spec["admissionScope"] = {"admissionMode": "UsageBasedAdmissionFairSharing"}
    if chance.random() < 0.2:
        constraints = {"lastAcceptableFlavorName": "f1"}
        spec["concurrentAdmissionPolicy"] = {
            "migration": {"mode": "TryPreferredFlavors", "constraints": constraints}
        }
    if chance.random() < 0.2:
        spec["flavorFungibility"] = {
            "whenCanBorrow": "TryNextFlavor",
            "whenCanPreempt": "TryNextFlavor",
            "preference": "PreemptionOverBorrowing",
        }
    return spec


def _template(chance: random.Random) -> dict[str, Any]:
    resources = {"requests": {"cpu": "1", "memory": 5}, "limits": {"cpu": "1"}}
    container: dict[str, Any] = {"name": "c", "image": "x", "resources": resources}
    spec: dict[str, Any] = {"restartPolicy": "Never", "containers": [container]}
    template: dict[str, Any] = {"spec": spec}
    if chance.random() < 0.5:
        template["metadata"] = {"labels": {"a": "b"}, "annotations": {"a": "b"}}
    if chance.random() < 0.3:
        spec["volumes"] = [{"name": "v", "emptyDir": {"sizeLimit": "1Gi"}}]
        container["volumeMounts"] = [{"name": "v", "mountPath": "/v"}]
        container["ports"] = [{"containerPort": 80}]
        container["env"] = [
            {"name": "A", "value": "b"},
            {"name": "B", "valueFrom": {"secretKeyRef": {"key": "k"}}},
        ]
        container["livenessProbe"] = {"httpGet": {"port": "http"}, "periodSeconds": 5}
    if chance.random() < 0.3:
        spec["tolerations"] = [{"key": "k", "operator": "Exists", "tolerationSeconds": 3}]
        terms = [{"matchExpressions": [{"key": "k", "operator": "In", "values": ["v"]}]}]
        spec["affinity"] = {
            "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
        }
        spec["nodeSelector"] = {"a": "b"}
        spec["overhead"] = {"cpu": "1"}
        spec["initContainers"] = [copy.deepcopy(container)]
    return template


def _pod_set(name: str, chance: random.Random) -> dict[str, Any]:
    pod_set: dict[str, Any] = {"name": name, "count": 2, "template": _template(chance)}
    if chance.random() < 0.4:
        pod_set["topologyRequest"] = chance.choice(
            (
                {"podIndexLabel": "batch.kubernetes.io/job-completion-index"},
                {"required": "rack", "podSetGroupName": "g"},
                {"preferred": "rack", "podSetSliceRequiredTopology": "host", "podSetSliceSize": 2},
                {"unconstrained": True, "subGroupCount": 2, "subGroupIndexLabel": "i"},
            )
        )
    return pod_set


def _workload(chance: random.Random) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "queueName": "lq",
        "priority": 5,
        "active": True,
        "maximumExecutionTimeSeconds": 60,
        "priorityClassRef": {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": "p"},
        "podSets": [_pod_set(name, chance) for name in ("a", "b")],
    }
    if chance.random() < 0.3:
        spec["preemptionGates"] = [{"name": "g"}]
    if chance.random() < 0.3:
        spec["podSets"][0]["minCount"] = 1
    return spec


def spec_of(kind: str, chance: random.Random) -> dict[str, Any]:
    """The spec of a valid object; of a WorkloadPriorityClass what it has beside its metadata."""
    match kind:
        case "ClusterQueue":
            return _cluster_queue(chance)
        case "Cohort":
            return {
                "parentName": "root",
                "fairSharing": {"weight": "2"},
                "resourceGroups": [group(chance, ("f1", "f2"), ("cpu", "example.com/gpu"))],
            }
        case "LocalQueue":
            return {"clusterQueue": "q", "stopPolicy": "None", "fairSharing": {"weight": "1"}}
        case "ResourceFlavor":
            topology = {"topologyName": "t"} if chance.random() < 0.3 else {}
            return topology | {
                "nodeLabels": {"a": "b"},
                "nodeTaints": [{"key": "k", "value": "v", "effect": "NoSchedule"}],
                "tolerations": [{"key": "k", "operator": "Exists", "effect": "NoSchedule"}],
            }
        case "WorkloadPriorityClass":
            return {"value": 5, "description": "x"}
    return _workload(chance)


def thing(kind: str, name: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    """An object; the fields of a WorkloadPriorityClass are not in a spec."""
    metadata = {"name": name} | ({"namespace": NAMESPACE} if kind in NAMESPACED else {})
    rest = dict(spec) if kind == "WorkloadPriorityClass" else {"spec": dict(spec)}
    return {"apiVersion": API, "kind": kind, "metadata": metadata, **rest}


def _value(schema: Mapping[str, Any], chance: random.Random, depth: int = 0) -> Any:
    """Something for a place: mostly of its type, sometimes anything."""
    if chance.random() < 0.15:
        return copy.deepcopy(chance.choice(_STRINGS + _NUMBERS + _OTHERS))
    if "enum" in schema and chance.random() < 0.6:
        return chance.choice(schema["enum"])
    if schema.get("type") in ("array", "object"):
        return _composed(schema, chance, depth)
    return chance.choice(_SCALARS.get(schema.get("type", ""), (*_AMOUNTS, *_NUMBERS)))


def _composed(schema: Mapping[str, Any], chance: random.Random, depth: int) -> Any:
    if schema["type"] == "array":
        count = chance.choice([0, 1, 1, 2, 2, 17]) if depth < 2 else 1
        return [_value(schema["items"], chance, depth + 1) for _ in range(count)]
    if "properties" not in schema:
        return dict(chance.choice(_MAPS))
    names = [*schema["properties"]]
    needed = set(schema.get("required", []))
    likely = 0.3 if len(names) < 15 else 0.05
    chosen = [name for name in names if name in needed or chance.random() < likely]
    return {name: _value(schema["properties"][name], chance, depth + 1) for name in chosen}


_Path: TypeAlias = tuple[Any, ...]


def places(value: object, schema: Mapping[str, Any], path: _Path = ()) -> Iterator[tuple[_Path, Any]]:
    """Every place at or below a value, and the schema of it; of a field that is absent the field alone."""
    yield path, schema
    if isinstance(value, dict):
        for name, below in schema.get("properties", {}).items():
            yield from places(value.get(name), below, (*path, name))
        if isinstance(below := schema.get("additionalProperties"), dict):
            for name, inner in value.items():
                yield from places(inner, below, (*path, name))
    elif isinstance(value, list) and "items" in schema:
        for i, inner in enumerate(value):
            yield from places(inner, schema["items"], (*path, i))


def mutate(value: Any, schema: Mapping[str, Any], chance: random.Random) -> str:
    """One random change below a value, which is changed; in words, for the report."""
    everywhere = [found for found in places(value, schema) if found[0]]
    inside = [found for found in everywhere if "template" in found[0][:-1]]
    others = [found for found in everywhere if "template" not in found[0][:-1]]
    # A pod template has ten times the places of all the rest.
    path, at = chance.choice(inside if inside and chance.random() < 0.35 else others)
    parent: Any = value
    for step in path[:-1]:
        parent = parent[step]
    there = path[-1] in parent if isinstance(parent, dict) else True
    how = chance.choice(("set", "set", "set", "set", "delete", "unknown", "double"))
    if how == "delete" and there:
        del parent[path[-1]]
        return f"without {_shown(path)}"
    if how == "unknown" and isinstance(parent, dict):
        parent["notThere"] = 1
        return f"unknown field beside {_shown(path)}"
    if how == "double" and isinstance(parent, list):
        parent.append(copy.deepcopy(parent[path[-1]]))
        return f"{_shown(path)} twice"
    parent[path[-1]] = _value(at, chance)
    return f"{_shown(path)} = {parent[path[-1]]!r}"[:160]


def _shown(path: _Path) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


def mutant(
    kind: str, name: str, schemas: Mapping[str, Mapping[str, Any]], chance: random.Random
) -> tuple[dict[str, Any], str]:
    """An object that was valid before one change, and the change.

    Args:
        kind: one of `PLURALS`.
        name: of the object.
        schemas: of whole objects, by kind.
        chance: draws.
    """
    made = thing(kind, name, spec_of(kind, chance))
    return made, change(made, schemas[kind], chance)


def change(made: dict[str, Any], schema: Mapping[str, Any], chance: random.Random, only: str = "") -> str:
    """One random change of an object, one of twelve of its labels or annotations; or of the field `only`."""
    if not only and chance.random() < 1 / 12:
        where = chance.choice(("labels", "annotations"))
        made["metadata"][where] = copy.deepcopy(chance.choice(_MAPS + _OTHERS))
        return f".metadata.{where} = {made['metadata'][where]!r}"
    fields = {
        name: below
        for name, below in schema["properties"].items()
        if (name == only if only else name not in ("metadata", "apiVersion", "kind", "status"))
    }
    inner = {name: made[name] for name in fields if name in made}
    words = mutate(inner, {"properties": fields}, chance)
    for name in fields:
        made.pop(name, None)
    made.update(inner)
    return words
