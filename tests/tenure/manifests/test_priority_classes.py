"""WorkloadPriorityClasses, as released and as KEP-754 proposes them."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.manifests import read_priority_class
from tenure.model import DynamicPriorityPolicy, WorkloadPriorityClass
from tests.objects import Object, an_object, refused

HOUR = 3_600_000_000_000
POLICY: Object = {"step": 400, "max": 1000, "delayForStep": "1h"}
GROWING = DynamicPriorityPolicy(step=400, max=1000, delay_for_step=HOUR)


def a_class(**fields: Any) -> Object:
    return an_object("WorkloadPriorityClass", "c", **fields)


def test_the_released_form_and_the_proposal_s_say_the_same() -> None:
    released = read_priority_class(a_class(value=100, dynamicPriorityPolicy=POLICY))
    proposed = read_priority_class(a_class(spec={"priority": 100, "dynamicPriorityPolicy": POLICY}))
    assert (released.base, released.policy) == (proposed.base, proposed.policy) == (100, GROWING)
    assert (released.policy_path, proposed.policy_path) == (
        "dynamicPriorityPolicy",
        "spec.dynamicPriorityPolicy",
    )


@pytest.mark.parametrize("empty", [{}, None])
def test_an_empty_policy_is_what_go_writes_where_there_is_none(empty: object) -> None:
    read = read_priority_class(a_class(value=1, dynamicPriorityPolicy=empty))
    assert read == WorkloadPriorityClass("c", 1)


def test_a_max_of_zero_is_a_value_and_an_absent_one_is_none() -> None:
    written = read_priority_class(a_class(value=-5, dynamicPriorityPolicy={**POLICY, "max": 0}))
    absent = read_priority_class(a_class(value=-5, dynamicPriorityPolicy={"step": 1, "delayForStep": "1h"}))
    assert written.policy is not None
    assert absent.policy is not None
    assert (written.policy.max, absent.policy.max) == (0, None)


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({}, "value: found nothing, expected a value: the field is required"),
        ({"value": 1, "spec": {"priority": 2}}, "spec.priority: found 2, expected the same as value, 1"),
        (
            {
                "value": 1,
                "dynamicPriorityPolicy": POLICY,
                "spec": {"dynamicPriorityPolicy": {**POLICY, "step": 1}},
            },
            "spec.dynamicPriorityPolicy: found {",
        ),
        (
            {"value": 1, "dynamicPriorityPolicy": {**POLICY, "delayForStep": 3600}},
            "dynamicPriorityPolicy.delayForStep: found 3600, expected a duration",
        ),
        (
            {"value": 1, "dynamicPriorityPolicy": {**POLICY, "deleyForStep": "1h"}},
            "dynamicPriorityPolicy.deleyForStep: found ",
        ),
        ({"value": 2**31}, "value: found 2147483648, expected at most 2147483647"),
    ],
)
def test_what_is_wrong_is_said_with_its_path(fields: Object, wrong: str) -> None:
    said = refused(read_priority_class, a_class(**fields))
    assert any(name.startswith(f"WorkloadPriorityClass/c: {wrong}") for name in said), said
