"""Our shapes beside the CustomResourceDefinitions that they come from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tenure.manifests.releases import ADDITIONS
from tenure.manifests.served import Anything, Fields, Items, Named, Number, Quantity, Shape, Text, Word
from tenure.validation.rules import SHAPES
from tests.unit.validation.objects import errors, group, queue, thing

CRDS = Path(__file__).resolve().parents[4] / "shared" / "data" / "crds"
FILES = {
    "ClusterQueue": "kueue/kueue.x-k8s.io_clusterqueues.yaml",
    "Cohort": "kueue/kueue.x-k8s.io_cohorts.yaml",
    "LocalQueue": "kueue/kueue.x-k8s.io_localqueues.yaml",
    "ResourceFlavor": "kueue/kueue.x-k8s.io_resourceflavors.yaml",
    "Workload": "kueue/kueue.x-k8s.io_workloads.yaml",
    "WorkloadPriorityClass": "kueue/kueue.x-k8s.io_workloadpriorityclasses.yaml",
    "Queue": "kai/scheduling.run.ai_queues.yaml",
    "PodGroup": "kai/scheduling.run.ai_podgroups.yaml",
}
DELIBERATE = {
    ("spec.resourceGroups[].flavors", "key"): "the webhook says it with the path of the name",
    ("", "required"): "KEP-754 has spec.priority instead; a rule asks for one of them",
    ("status.conditions[]", "required"): "what a test or a dump leaves out decides nothing",
    ("status.conditions[].type", "pattern"): "any type passes; only QuotaReserved and Evicted decide",
}
"""Where a shape is wider than the schema, and why."""


def crd(kind: str) -> dict[str, Any]:
    """The schema of the stored version."""
    parsed = yaml.safe_load((CRDS / FILES[kind]).read_text(encoding="utf-8"))
    version = next(item for item in parsed["spec"]["versions"] if item["storage"])
    found: dict[str, Any] = version["schema"]["openAPIV3Schema"]
    return found


def differences(shape: Shape, schema: dict[str, Any], path: str) -> Iterator[str]:
    """What one of the two says, and the other does not."""
    ours, theirs = limits_of(shape), limits_in(schema, shape)
    for limit in sorted(ours.keys() | theirs.keys()):
        if ours.get(limit) != theirs.get(limit) and (path, limit) not in DELIBERATE:
            yield f"{path}: {limit} {ours.get(limit)}, in the schema {theirs.get(limit)}"
    if isinstance(shape, Fields):
        yield from fields_apart(shape, schema.get("properties", {}), path)
    elif isinstance(shape, Items):
        yield from differences(shape.item, schema["items"], f"{path}[]")
    elif isinstance(shape, Named):
        yield from differences(shape.value, schema["additionalProperties"], f"{path}{{}}")


def fields_apart(shape: Fields, properties: dict[str, Any], path: str) -> Iterator[str]:
    at = {name: f"{path}.{name}" if path else name for name in shape.fields.keys() | properties.keys()}
    for name, inner in shape.fields.items():
        if name in properties:
            yield from differences(inner, properties[name], at[name])
        else:
            yield f"{at[name]}: no such field in the schema"
    if not shape.open:
        yield from (f"{at[name]}: missing here" for name in properties if name not in shape.fields)


def limits_of(shape: Shape) -> dict[str, Any]:
    """What a shape demands, in the words of a schema."""
    found: dict[str, Any]
    match shape:
        case Text():
            found = {"maxLength": shape.longest, "minLength": shape.shortest, "pattern": shape.pattern}
        case Word():
            found = {"enum": sorted(shape.words)}
        case Items():
            found = {"minItems": shape.least, "maxItems": shape.most, "key": shape.key}
        case Named():
            found = {"maxProperties": shape.most}
        case Number():
            found = {"minimum": shape.least if shape.least in (0, 1) else None}
        case Fields():
            found = {"required": sorted(shape.required)}
        case _:
            found = {}
    return {name: value for name, value in found.items() if value not in (None, 0, (), [])}


def limits_in(schema: dict[str, Any], shape: Shape) -> dict[str, Any]:
    """The same of a schema."""
    if isinstance(shape, Anything | Quantity):
        return {}
    names = ("maxLength", "minLength", "pattern", "enum", "minItems", "maxItems", "maxProperties")
    found = {name: schema[name] for name in (*names, "minimum", "required") if name in schema}
    if isinstance(shape, Word):
        found = {"enum": sorted(schema["enum"])}
    if "required" in found:
        found["required"] = sorted(found["required"])
    kind = schema.get("x-kubernetes-list-type")
    if kind in ("map", "set"):
        found["key"] = tuple(schema.get("x-kubernetes-list-map-keys", ("",)))
    return {name: value for name, value in found.items() if value not in (0, [])}


@pytest.mark.skipif(not CRDS.is_dir(), reason="the CustomResourceDefinitions are not beside the repository")
@pytest.mark.parametrize("kind", SHAPES)
def test_a_shape_demands_what_the_schema_demands_and_adds_what_proposals_add(kind: str) -> None:
    added = {
        f"{addition.field}: no such field in the schema" for addition in ADDITIONS if addition.kind == kind
    }
    assert set(differences(SHAPES[kind], crd(kind), "")) == added


def test_a_value_that_does_not_decode_is_an_error_with_its_field() -> None:
    path = "spec.resourceGroups[0].flavors[0].resources[0].nominalQuota"
    for value, type_ in (
        ("eight", "Invalid"),
        (["8"], "TypeInvalid"),
        (1.5, "TypeInvalid"),
        (True, "TypeInvalid"),
    ):
        assert errors(queue(resourceGroups=[group(nominalQuota=value)])) == [(type_, path)], value


def test_a_word_that_there_is_not_names_the_word_that_was_meant() -> None:
    path = "spec.preemption.withinClusterQueue"
    assert errors(queue(preemption={"withinClusterQueue": "LowerPriorty"})) == [("NotSupported", path)]


def test_a_field_that_there_is_not_is_forbidden() -> None:
    assert errors(queue(cohort="all")) == [("Forbidden", "spec.cohort")]


def test_counts_and_lengths_have_the_types_of_kubernetes() -> None:
    many = [group(f"f{i}") for i in range(17)]
    assert ("TooMany", "spec.resourceGroups") in errors(queue(resourceGroups=many))
    assert errors(queue(cohortName="c" * 254)) == [("TooLong", "spec.cohortName")]
    assert errors(queue(cohortName="Team A")) == [("Invalid", "spec.cohortName")]
    assert ("Required", "spec.resourceGroups[0].flavors") in errors(
        queue(resourceGroups=[{"coveredResources": []}])
    )


def test_every_error_of_every_object_is_reported_at_once() -> None:
    first = queue("a", cohortName=3, stopPolicy="Stop")
    second = thing("Cohort", "B", {"fairSharing": {"weight": "-1"}})
    assert errors(first, second) == [
        ("TypeInvalid", "spec.cohortName"),
        ("NotSupported", "spec.stopPolicy"),
        ("Invalid", "metadata.name"),
        ("Invalid", "spec.fairSharing"),
    ]


def test_an_older_version_is_told_with_its_own_names() -> None:
    old = queue(cohort=3)
    old["apiVersion"] = "kueue.x-k8s.io/v1beta1"
    assert errors(old) == [("TypeInvalid", "spec.cohort")]
    alone = queue(resourceGroups=[group(borrowingLimit=1)])
    alone["apiVersion"] = "kueue.x-k8s.io/v1beta1"
    assert errors(alone) == [("Invalid", "spec.resourceGroups[0].flavors[0].resources[0].borrowingLimit")]


def test_header_and_name_are_looked_at_and_other_kinds_pass() -> None:
    assert errors({"kind": "ClusterQueue"}) == [("Required", "apiVersion")]
    assert errors({"apiVersion": "kueue.x-k8s.io/v1beta9", "kind": "Cohort", "metadata": {"name": "a"}}) == [
        ("NotSupported", "apiVersion")
    ]
    assert errors({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueu"}) == [
        ("NotSupported", "kind")
    ]
    assert errors({"apiVersion": "apps/v1", "kind": "Deployment"}) == []
    assert errors({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Topology"}) == []
    assert errors(queue(), queue()) == [("Duplicate", "metadata.name")]
