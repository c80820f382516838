"""Objects of any shape get an answer, never an exception."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest

from tenure.conformance.validating import answer_validate
from tenure.errors import InputError
from tenure.manifests import SourcedObject
from tenure.validation import validate
from tenure.validation.answer_types import ValidateOutput
from tests.tenure.validation.objects import holding, queue, thing, workload

ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    10**5000,
    1.5,
    float("inf"),
    "",
    "\x1b[31m",
    "\ud800",
    "x" * 9999,
    [],
    [[]],
    {},
    {"": {}},
]


def samples() -> list[dict[str, Any]]:
    """One object of each kind, with as many fields as there are rules about."""
    preemption = {
        "withinClusterQueue": "LowerOrNewerEqualPriority",
        "withinClusterQueueConfig": {"minAdmitDuration": "1h"},
        "reclaimWithinCohort": "Any",
        "borrowWithinCohort": {"policy": "LowerPriority", "maxPriorityThreshold": 5},
        "rules": "UberClusterQueueRules",
    }
    policy = {"step": 1, "max": 5, "delayForStep": "1h"}
    checks = {"admissionChecks": [{"name": "a", "onFlavors": ["a100"]}]}
    migration = {"mode": "TryPreferredFlavors", "constraints": {"lastAcceptableFlavorName": "a100"}}
    selector = {
        "matchLabels": {"a": "b"},
        "matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}],
    }
    full = queue(
        cohortName="ml",
        preemption=preemption,
        fairSharing={"weight": 1},
        flavorFungibility={"preference": "BorrowingOverPreemption", "whenCanBorrow": "TryNextFlavor"},
        admissionChecksStrategy=checks,
        concurrentAdmissionPolicy={"migration": migration},
        namespaceSelector=selector,
    )
    taint = {"key": "a", "value": "b", "effect": "NoSchedule"}
    flavor = {"nodeLabels": {"a": "b"}, "nodeTaints": [taint], "tolerations": [{"key": "a"}]}
    held = holding(reclaimablePods=[{"name": "main", "count": 1}])
    held["spec"]["priorityClassRef"] = {"group": "g", "kind": "k", "name": "n"}
    kai = {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": "q"}}
    return [
        full,
        thing("Cohort", "ml", {"parentName": "org", "resourceGroups": full["spec"]["resourceGroups"]}),
        thing("LocalQueue", "l", {"clusterQueue": "team-a"}),
        thing("ResourceFlavor", "a100", flavor),
        held,
        workload("pending"),
        {**thing("WorkloadPriorityClass", "p", {"dynamicPriorityPolicy": policy}), "value": 5},
        {
            **kai,
            "spec": {"parentQueue": "q", "preemptMinRuntime": "1h", "resources": {"gpu": {"quota": 1.5}}},
        },
        {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", "featureGates": {}},
    ]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every path in a value."""
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from places(item, (*path, key))


def with_odd(value: Any, path: tuple[Any, ...], odd: object) -> Any:
    """A copy with something else at a path."""
    changed = copy.deepcopy(value)
    here = changed
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = odd
    return changed


def test_whatever_stands_in_one_field_is_answered() -> None:
    given = samples()
    for index, sample in enumerate(given):
        for path in places(sample):
            for odd in ODD:
                changed = [SourcedObject("", entry) for entry in given]
                changed[index] = SourcedObject("", with_odd(sample, path, odd))
                for notice in validate(changed, old=[SourcedObject("", sample)]).errors:
                    assert notice.field.isprintable(), (path, odd)
                    assert notice.message.isprintable(), (path, odd)
                    assert len(notice.message) < 600, (path, odd)


def test_several_odd_fields_at_once_before_and_after_an_update() -> None:
    dice = random.Random(8)
    for _ in range(400):
        given = samples()
        for _ in range(3):
            path = dice.choice([place for place in places(given) if len(place) > 1])
            given = with_odd(given, path, dice.choice(ODD))
        objects = [SourcedObject("", entry) for entry in given]
        validate(objects, old=[SourcedObject("", sample) for sample in samples()])
        validate([SourcedObject("", sample) for sample in samples()], old=objects)


def test_what_is_no_object_is_an_entry_of_errors() -> None:
    found = answer_validate({"objects": [3, None, [], "x"]}).errors
    assert [(error.type, error.field) for error in found] == [
        ("FieldValueTypeInvalid", f"objects[{i}]") for i in range(4)
    ]


def test_a_request_that_is_wrong_is_refused_with_all_that_is_wrong() -> None:
    with pytest.raises(InputError) as caught:
        answer_validate({"object": [], "old": 3, "reading": "strict", "featureGates": {"PriorityBost": True}})
    fields = [problem.field for problem in caught.value.problems]
    assert fields == ["object", "objects", "old", "featureGates.PriorityBost", "reading"]
    with pytest.raises(InputError):
        answer_validate([])


def test_a_gate_of_what_is_not_modelled_may_be_named() -> None:
    found = answer_validate({"objects": [], "featureGates": {"ConcurrentAdmission": True}})
    assert found == ValidateOutput((), ())
