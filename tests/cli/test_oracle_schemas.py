"""The oracle's published schemas against its answers, and against what it refuses."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tenure.cli.bundled import schema
from tenure.conformance.lines import answer_line
from tenure.conformance.protocol import answer
from tenure.conformance.request_types import DecideInput
from tenure.conformance.requests import FIELDS, RECORDED, REQUIRED
from tenure.manifests.conversion import GROUP, VERSIONS
from tests.published import published_vectors
from tests.tenure.conformance.recorded import RANDOM, TESTS, needs_recorded
from tests.tenure.conformance.recorded import lines as recorded

REQUEST, ANSWER = (Draft202012Validator(schema(f"oracle-{name}")) for name in ("request", "answer"))
MOST = 80
"""Recorded lines of each kind; the random ones are all alike."""

NOW = "2026-01-01T00:00:00Z"
BARE: dict[str, Any] = {
    "now": NOW,
    "clusterQueues": [{"metadata": {"name": "a"}}],
    "admitted": [],
    "incoming": {"metadata": {"name": "w"}},
    "targetCQ": "a",
}
"""The least that can be decided."""

_TOLERATION = {"key": "k", "operator": "Equal", "value": "v", "effect": "NoSchedule", "tolerationSeconds": 3}
_EXPRESSION = {"key": "k", "operator": "In", "values": ["v"]}
_AFFINITY = {"nodeSelectorTerms": [{"matchExpressions": [_EXPRESSION]}]}
_FLAVORS = [
    {
        "name": "f",
        "resources": [{"name": "cpu", "nominalQuota": "8", "borrowingLimit": 1, "lendingLimit": "500m"}],
    }
]
_GROUPS = [{"coveredResources": ["cpu"], "flavors": _FLAVORS}]
_QUEUE: dict[str, Any] = {
    "resourceGroups": _GROUPS,
    "preemption": {
        "withinClusterQueue": "LowerPriority",
        "withinClusterQueueConfig": {"minAdmitDuration": "4h"},
        "reclaimWithinCohort": "Any",
        "borrowWithinCohort": {"policy": "LowerPriority", "maxPriorityThreshold": 3},
        "rules": "DefaultPreemptionRules",
    },
    "queueingStrategy": "StrictFIFO",
    "namespaceSelector": {},
    "flavorFungibility": {"whenCanBorrow": "TryNextFlavor", "whenCanPreempt": "TryNextFlavor"},
    "fairSharing": {"weight": "2"},
    "stopPolicy": "None",
}
_WORKLOAD: dict[str, Any] = {
    "metadata": {
        "name": "w",
        "namespace": "n",
        "uid": "u",
        "creationTimestamp": NOW,
        "labels": {"kueue.x-k8s.io/job-uid": "j"},
        "annotations": {},
    },
    "spec": {"priority": 3, "queueName": "q", "active": True},
}
_CONTAINER = {"name": "c", "resources": {"requests": {"cpu": "2"}}}
_TEMPLATE = {
    "spec": {
        "containers": [_CONTAINER],
        "initContainers": [_CONTAINER],
        "overhead": {"cpu": 1},
        "nodeSelector": {"k": "v"},
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": _AFFINITY}},
        "tolerations": [_TOLERATION],
    }
}
_PENDING = {"podSets": [{"name": "main", "count": 2, "minCount": 1, "template": _TEMPLATE}]}
_RESERVED = {
    "type": "QuotaReserved",
    "status": "True",
    "reason": "r",
    "message": "",
    "lastTransitionTime": NOW,
}
_HOLDING: dict[str, Any] = {
    "conditions": [_RESERVED],
    "reclaimablePods": [{"name": "main", "count": 1}],
    "admission": {
        "clusterQueue": "a",
        "podSetAssignments": [
            {"name": "main", "count": 2, "flavors": {"cpu": "f"}, "resourceUsage": {"cpu": "6"}}
        ],
    },
}
_HOLDS = {"podSets": [{"name": "main", "count": 2, "template": {}}]}
_USED = {"flavor": "f", "resource": "cpu"}
FULL = {
    "id": 1,
    "call": "decide",
    "input": {
        "now": NOW,
        "clusterQueues": [{"metadata": {"name": "a"}, "spec": {**_QUEUE, "cohortName": "all"}}],
        "cohorts": [
            {
                "metadata": {"name": "all"},
                "spec": {"parentName": "top", "resourceGroups": _GROUPS, "fairSharing": {"weight": 1}},
            }
        ],
        "resourceFlavors": [
            {
                "metadata": {"name": "f"},
                "spec": {
                    "nodeLabels": {"k": "v"},
                    "nodeTaints": [{"key": "k", "value": "v", "effect": "NoSchedule"}],
                    "tolerations": [_TOLERATION],
                },
            }
        ],
        "localQueues": [
            {
                "metadata": {"name": "q", "namespace": "n"},
                "spec": {"clusterQueue": "a", "stopPolicy": "None", "fairSharing": {"weight": 1}},
            }
        ],
        "workloadPriorityClasses": [{"metadata": {"name": "c"}, "value": 3, "description": ""}],
        "admitted": [
            {
                "metadata": {**_WORKLOAD["metadata"], "name": "v"},
                "spec": {**_WORKLOAD["spec"], **_HOLDS},
                "status": _HOLDING,
            }
        ],
        "incoming": {**_WORKLOAD, "spec": {**_WORKLOAD["spec"], **_PENDING}, "status": {"conditions": []}},
        "targetCQ": "a",
        "jobs": {"n/w": NOW},
        "fairSharing": {"preemptionStrategies": ["LessThanInitialShare"]},
        "featureGates": {"PriorityBoost": True, "ConcurrentAdmission": False},
        "reading": {"preset": "released", "newer_than": "queue_order"},
        "requeuingTimestamp": "Creation",
        "engine": "reference",
        "explain": False,
        "assignment": {
            "usage": [{**_USED, "amount": 4000}],
            "frsNeedPreemption": [_USED],
            "podSets": [{"name": "main", "count": 2, "flavors": {"cpu": {"flavor": "f", "mode": "Preempt"}}}],
            "representativeMode": "Preempt",
        },
    },
}
"""A request with nearly everything that there is."""

_BETA1 = {"apiVersion": f"{GROUP}/v1beta1"}
_CLASS = {"priorityClassName": "c", "priorityClassSource": "kueue.x-k8s.io/workloadpriorityclass"}
OLD = {
    "id": 1,
    "call": "decide",
    "input": {
        "now": NOW,
        "clusterQueues": [
            {
                **_BETA1,
                "metadata": {"name": "a"},
                "spec": {**_QUEUE, "cohort": "all", "admissionChecks": ["c"]},
            }
        ],
        "cohorts": [
            {
                "apiVersion": f"{GROUP}/v1alpha1",
                "metadata": {"name": "all"},
                "spec": {"parent": "top", "resourceGroups": _GROUPS},
            }
        ],
        "admitted": [
            {
                **_BETA1,
                "metadata": {**_WORKLOAD["metadata"], "name": "v"},
                "spec": {**_WORKLOAD["spec"], **_HOLDS, **_CLASS},
                "status": _HOLDING,
            }
        ],
        "incoming": {**_BETA1, **_WORKLOAD, "spec": {**_WORKLOAD["spec"], **_PENDING, **_CLASS}},
        "targetCQ": "a",
        "reading": "guaranteed",
    },
}
"""The objects of older versions."""

FAIR_SHARING = ("input", "fairSharing")
CHECKS = ("input", "clusterQueues", 0, "spec", "admissionChecks")
"""Where the reader takes an unknown field, or what is empty, for nothing; the schema does not."""

MAPS = ("flavors", "resourceUsage", "requests", "nodeLabels", "nodeSelector", "jobs", "labels", "annotations")
"""Objects whose keys are names that a user gives."""

OTHERS: tuple[Any, ...] = (None, "x", 1.5, True, [3], {"x": 1})
"""Values of every type."""


def test_the_shape_of_a_decision_names_the_fields_that_are_read() -> None:
    read = {field.alias: field.is_required() for field in DecideInput.model_fields.values()}
    assert set(read) == {*FIELDS, *RECORDED}
    assert {name for name, required in read.items() if required} == set(REQUIRED)


def test_the_shapes_of_objects_name_the_versions_that_are_read() -> None:
    given = {
        (kind, version): {
            "apiVersion": version,
            "kind": kind,
            "metadata": {"name": "a"},
            **({"value": 1} if kind == "WorkloadPriorityClass" else {}),
            **({"spec": {"clusterQueue": "a"}} if kind == "LocalQueue" else {}),
        }
        for kind, versions in VERSIONS.items()
        for version in (*versions, "", f"{GROUP}/v1")
    }
    for (kind, version), entry in given.items():
        refused = deviations(REQUEST, asked({**BARE, **placed(kind, entry)}))
        assert bool(refused) == (version == f"{GROUP}/v1"), (kind, version, refused)


def test_what_an_older_version_has_is_valid_in_it_alone() -> None:
    old = {"cohort": "all", "admissionChecks": ["ready"], "flavorFungibility": {"whenCanBorrow": "Borrow"}}
    new = {"cohortName": "all", "flavorFungibility": {"whenCanBorrow": "MayStopSearch"}}
    for version, spec, valid in (
        ("v1beta1", old, True),
        ("v1beta1", new, False),
        ("v1beta2", old, False),
        ("v1beta2", new, True),
    ):
        queue = {"apiVersion": f"{GROUP}/{version}", "metadata": {"name": "a"}, "spec": spec}
        request = asked({**BARE, "clusterQueues": [queue]})
        assert ("output" in answer(request), not deviations(REQUEST, request)) == (valid, valid)


@needs_recorded
@pytest.mark.parametrize("names", [TESTS, (RANDOM,)], ids=["tests", "random"])
def test_recorded_requests_and_their_answers_are_as_the_schemas_say(names: tuple[str, ...]) -> None:
    for number, line in enumerate(recorded(*names)[:MOST]):
        request = asked({**line, "explain": number % 2 == 0})
        said = answer(request)
        assert "trace" in said["output"] or number % 2
        assert deviations(REQUEST, request) == deviations(ANSWER, said) == []


@pytest.mark.parametrize("explained", [False, True])
def test_vectors_and_their_answers_are_as_the_schemas_say(explained: bool) -> None:
    for vector in published_vectors():
        request = vector.request(explained=explained)
        said = answer(request)
        assert deviations(ANSWER, said) == []
        assert "error" in said or deviations(REQUEST, request) == []


@pytest.mark.parametrize(
    "line",
    [
        b"decide!",
        b"[1]",
        b"{}",
        b'{"id": [1], "call": "guess", "input": {}}',
        b'{"call": "decide", "input": 3}',
        b'{"call": "decide", "input": {"now": "soon", "nwo": 1}}',
        b'{"call": "decide", "input": {"now": "2026-01-01T00:00:00Z", "engine": "fast"}}',
        b'{"call": "validate", "input": {}}',
        b'{"call": "validate", "input": {"objects": [], "reading": "nonsense"}}',
        b"\xff",
        b'{"id": 1, "id": 2}',
    ],
    ids=str,
)
def test_a_line_that_is_refused_is_invalid_and_its_error_is_as_the_schema_says(line: bytes) -> None:
    said = answer_line(line)
    assert "error" in said
    assert deviations(ANSWER, said) == []
    with suppress(ValueError):
        assert deviations(REQUEST, json.loads(line))


def test_what_validation_answers_is_as_the_schema_says() -> None:
    wrong = {"apiVersion": f"{GROUP}/v1beta2", "kind": "ClusterQueue", "metadata": {"name": "a"}, "spec": 3}
    request = {"id": None, "call": "validate", "input": {"objects": [wrong, 3], "featureGates": None}}
    said = answer(request)
    assert said["output"]["errors"]
    assert deviations(REQUEST, request) == deviations(ANSWER, said) == []


def test_an_unknown_field_is_invalid_exactly_where_the_reader_refuses_it() -> None:
    for request in (FULL, OLD):
        assert "output" in answer(request), answer(request)
        assert deviations(REQUEST, request) == []
        for path, wrong in with_an_unknown_field(request):
            refused = "error" in answer(wrong)
            assert bool(deviations(REQUEST, wrong)) == (refused or path == FAIR_SHARING), path


@pytest.mark.parametrize("request_", [FULL, OLD], ids=["full", "old"])
def test_what_is_invalid_is_refused_whatever_stands_in_place_of_a_value(request_: dict[str, Any]) -> None:
    for path, wrong in with_another_value(request_):
        # The reader is the quicker of the two.
        assert "error" in answer(wrong) or REQUEST.is_valid(wrong), path


def deviations(validator: Draft202012Validator, given: Any) -> list[str]:
    """What a value, as JSON has it, has otherwise than a schema says."""
    return [error.message for error in validator.iter_errors(json.loads(json.dumps(given)))]


def asked(given: dict[str, Any]) -> dict[str, Any]:
    """A request."""
    return {"id": 1, "call": "decide", "input": given}


def placed(kind: str, raw: dict[str, Any]) -> dict[str, Any]:
    """Where an object of a kind is in a request."""
    if kind == "Workload":
        return {"incoming": raw}
    return {f"{kind[0].lower()}{kind[1:]}{'es' if kind.endswith('s') else 's'}": [raw]}


def places(node: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Every value below one, with its path."""
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in children:
        yield (*path, key), value
        yield from places(value, (*path, key))


def replaced(node: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """A copy with another value at a path."""
    if not path:
        return value
    made = copy.copy(node)
    made[path[0]] = replaced(node[path[0]], path[1:], value)
    return made


def with_an_unknown_field(request: dict[str, Any]) -> Iterator[tuple[tuple[str | int, ...], dict[str, Any]]]:
    for path, value in places(request):
        if isinstance(value, dict) and path[-1] not in MAPS:
            yield path, replaced(request, path, {**value, "noSuchField": 1})


def with_another_value(request: dict[str, Any]) -> Iterator[tuple[tuple[str | int, ...], dict[str, Any]]]:
    for path, _ in places(request):
        if path[: len(FAIR_SHARING)] != FAIR_SHARING and path != CHECKS:
            yield from ((path, replaced(request, path, other)) for other in OTHERS)
