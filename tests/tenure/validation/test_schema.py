"""Shapes beside the CustomResourceDefinitions that they come from, and what departs from them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tenure.manifests.served import Fields, Items, Named, Shape, changed, kueue_shape
from tenure.validation.kai_pod_group import POD_GROUP
from tenure.validation.kai_queue import QUEUE
from tenure.validation.shapes import KUEUE, shape
from tests.tenure.validation.objects import errors, group, queue, thing
from tools import libyaml
from tools.served import FILE, crds_in, text_of

CRDS = Path(__file__).resolve().parents[4] / "shared" / "data" / "crds"
needs_crds = pytest.mark.skipif(
    not CRDS.is_dir(), reason="the CustomResourceDefinitions are not beside the repository"
)
DELIBERATE = {
    "ClusterQueue": {
        "spec.preemption.rules": "KEP-8826 adds it",
        "spec.preemption.withinClusterQueueConfig": "KEP-8522 adds it",
        "spec.resourceGroups[].flavors": "the webhook reports a flavor that is there twice, with its name",
    },
    "LocalQueue": {"spec.fairSharing.weight": "no webhook reads it: what is no quantity may pass"},
    "Workload": {"status.conditions[]": "what a test or a dump leaves out decides nothing"},
    "WorkloadPriorityClass": {
        "": "value is not required: KEP-754 has spec.priority instead; a rule asks for one of them",
        "dynamicPriorityPolicy": "KEP-754 adds it",
        "spec": "KEP-754 adds it",
    },
}
"""Where a shape is another than the schema's, and why; metadata aside, of which a schema says nothing."""

NEWER_LIMITS = ("podSetSliceSize of at least 1", "subGroupCount of at least 0")
"""What the main branch of August 2026 demands and v0.19 does not, of the topologyRequest of a Workload."""


@needs_crds
def test_the_schemas_of_the_release_are_those_of_the_main_branch_but_for_two_limits() -> None:
    released, newer = FILE.read_text(encoding="utf-8"), text_of(crds_in(CRDS / "kueue"))
    limit = re.compile(r',"minimum":[01]')
    assert limit.sub("", released) == limit.sub("", newer)
    assert len(limit.findall(newer)) - len(limit.findall(released)) == len(NEWER_LIMITS)


def apart(ours: Shape | None, theirs: Shape | None, path: str = "") -> set[str]:
    """The paths at which two shapes differ, the outermost of each."""
    if ours == theirs:
        return set()
    if isinstance(ours, Fields) and isinstance(theirs, Fields):
        own = {path} if ours._replace(fields={}) != theirs._replace(fields={}) else set()
        return own | {
            found
            for name in ours.fields.keys() | theirs.fields.keys()
            for found in apart(ours.fields.get(name), theirs.fields.get(name), f"{path}.{name}".strip("."))
        }
    if isinstance(ours, Items) and isinstance(theirs, Items) and ours.key == theirs.key:
        return apart(ours.item, theirs.item, f"{path}[]")
    return {path}


@pytest.mark.parametrize("kind", KUEUE)
def test_a_shape_departs_from_the_schema_only_where_a_reason_is_given(kind: str) -> None:
    ours, theirs = (changed(one, ("metadata",), None) for one in (shape(kind), kueue_shape(kind)))
    assert apart(ours, theirs) == set(DELIBERATE.get(kind, ()))


@needs_crds
@pytest.mark.parametrize(("ours", "file"), [(QUEUE, "queues"), (POD_GROUP, "podgroups")])
def test_a_shape_of_kai_scheduler_has_the_fields_of_the_schema(ours: Fields, file: str) -> None:
    parsed = libyaml.load((CRDS / "kai" / f"scheduling.run.ai_{file}.yaml").read_text(encoding="utf-8"))
    stored = next(version for version in parsed["spec"]["versions"] if version["storage"])
    assert fields_apart(ours, stored["schema"]["openAPIV3Schema"], "") == set()


def fields_apart(ours: Shape, schema: dict[str, Any], path: str) -> set[str]:
    """The fields that one of the two has, or requires, and the other does not."""
    if isinstance(ours, Items):
        return fields_apart(ours.item, schema["items"], f"{path}[]")
    if isinstance(ours, Named):
        return fields_apart(ours.value, schema["additionalProperties"], f"{path}{{}}")
    if not isinstance(ours, Fields):
        return set()
    properties = schema.get("properties", {})
    found = {f"{path}.{name} required" for name in set(ours.required) ^ set(schema.get("required", ()))}
    names = ours.fields.keys() - properties.keys() if ours.open else ours.fields.keys() ^ properties.keys()
    found |= {f"{path}.{name}" for name in names}
    for name in ours.fields.keys() & properties.keys():
        found |= fields_apart(ours.fields[name], properties[name], f"{path}.{name}")
    return found


def test_a_value_that_does_not_decode_is_an_error_with_its_field() -> None:
    path = "spec.resourceGroups[0].flavors[0].resources[0].nominalQuota"
    for value, type_ in (
        ("eight", "Invalid"),
        (["8"], "TypeInvalid"),
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
