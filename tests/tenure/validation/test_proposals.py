"""The rules that the proposals add."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tenure.validation.objects import errors, queue, report, thing, warnings

CONFIG = "spec.preemption.withinClusterQueueConfig"
LEAST = f"{CONFIG}.minAdmitDuration"
EQUALS = "LowerOrNewerEqualPriority"


def time_based(policy: str | None, config: Any) -> dict[str, Any]:
    """A queue with a configuration for preemption by time."""
    preemption = {"withinClusterQueueConfig": config}
    return queue(preemption={**preemption, **({"withinClusterQueue": policy} if policy else {})})


@pytest.mark.parametrize("policy", [None, "Never", "LowerPriority"])
@pytest.mark.parametrize("config", [{}, {"minAdmitDuration": "4h"}])
def test_time_based_preemption_is_refused_beside_any_other_policy(policy: str | None, config: Any) -> None:
    assert errors(time_based(policy, config)) == [("Forbidden", CONFIG)]


@pytest.mark.parametrize("least", ["59.999999999s", "0s", "0", "-4h"])
def test_less_than_a_minute_is_refused(least: str) -> None:
    assert errors(time_based(EQUALS, {"minAdmitDuration": least})) == [("Invalid", LEAST)]


@pytest.mark.parametrize("least", ["1m", "60s", "4h"])
def test_a_minute_and_more_is_accepted(least: str) -> None:
    assert warnings(time_based(EQUALS, {"minAdmitDuration": least})) == []


def test_a_duration_that_does_not_decode_is_named() -> None:
    assert errors(time_based(EQUALS, {"minAdmitDuration": "four hours"})) == [("Invalid", LEAST)]
    assert errors(time_based(EQUALS, {"minAdmitDuration": 240})) == [("TypeInvalid", LEAST)]


def test_with_its_gate_off_the_duration_is_validated_and_said_to_have_no_effect() -> None:
    off = {"gates": {"TimeBasedSamePriorityPreemption": False}}
    assert errors(time_based(EQUALS, {"minAdmitDuration": "1s"}), **off) == [("Invalid", LEAST)]
    assert warnings(time_based(EQUALS, {"minAdmitDuration": "1h"}), **off) == [("NoEffect", LEAST)]


def test_an_empty_configuration_beside_the_right_policy_is_valid_and_has_no_effect() -> None:
    assert warnings(time_based(EQUALS, {})) == [("NoEffect", CONFIG)]


def test_where_victims_keep_their_place_equals_alternate() -> None:
    given = time_based(EQUALS, {"minAdmitDuration": "1h"})
    assert warnings(given, reading="released") == [("AlternatingVictims", LEAST)]
    assert warnings(given, reading={"preset": "released", "requeue_order": "eviction"}) == []


def hero(**more: Any) -> dict[str, Any]:
    """A hero queue."""
    preemption = {"rules": "UberClusterQueueRules", **more}
    return queue("hero", cohortName="org", preemption=preemption)


def test_a_hero_queue_is_valid_and_other_rules_are_refused() -> None:
    assert warnings(hero()) == []
    assert errors(queue(preemption={"rules": "HeroRules"})) == [("NotSupported", "spec.preemption.rules")]


def test_what_a_hero_ignores_has_no_effect() -> None:
    given = hero(reclaimWithinCohort="Any", borrowWithinCohort={"policy": "LowerPriority"})
    assert warnings(given) == [
        ("NoEffect", "spec.preemption.reclaimWithinCohort"),
        ("NoEffect", "spec.preemption.borrowWithinCohort.policy"),
    ]


def test_a_hero_without_cohort_is_an_ordinary_queue() -> None:
    alone = queue(preemption={"rules": "UberClusterQueueRules"})
    assert warnings(alone) == [("HeroWithoutCohort", "spec.preemption.rules")]


def test_a_hero_uses_what_a_lending_limit_keeps_below_its_cohort_only() -> None:
    limited = {"reclaimWithinCohort": "Any"}
    below = thing("Cohort", "team", {"parentName": "org"})
    groups = [{**queue()["spec"]["resourceGroups"][0]}]
    groups[0] = {**groups[0], "flavors": [lending(groups[0]["flavors"][0])]}
    inside = queue("inside", cohortName="team", resourceGroups=groups, preemption=limited)
    outside = queue("outside", cohortName="else", resourceGroups=groups, preemption=limited)
    other = queue("other", cohortName="else", preemption=limited)
    found = report(hero(), below, inside, outside, other).warnings
    assert [(notice.type, notice.object) for notice in found] == [
        ("LendingLimitBypassed", "ClusterQueue/inside")
    ]


def lending(flavor: dict[str, Any]) -> dict[str, Any]:
    """The flavor with a lending limit."""
    return {**flavor, "resources": [{**item, "lendingLimit": 0} for item in flavor["resources"]]}


def grown(base: int | None = 100, *, below: bool = False, **policy: Any) -> dict[str, Any]:
    """A priority class whose priority grows."""
    policy = {"step": 10, "max": 1000, "delayForStep": "1h", **policy}
    policy = {name: value for name, value in policy.items() if value is not None}
    metadata: dict[str, Any] = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "WorkloadPriorityClass"}
    metadata["metadata"] = {"name": "grows"}
    if below:
        return {**metadata, "spec": {"priority": base, "dynamicPriorityPolicy": policy}}
    return {**metadata, "value": base, "dynamicPriorityPolicy": policy}


@pytest.mark.parametrize("reading", ["as-written", "released", "guaranteed"])
@pytest.mark.parametrize(("delay", "type_"), [("0s", "Invalid"), ("-1h", "Invalid"), (None, "Required")])
def test_a_delay_that_is_not_positive_is_refused_under_every_reading(
    reading: str, delay: str | None, type_: str
) -> None:
    path = "dynamicPriorityPolicy.delayForStep"
    assert errors(grown(delayForStep=delay), reading=reading) == [(type_, path)]
    assert errors(grown(delayForStep=delay, below=True), reading=reading) == [(type_, f"spec.{path}")]


UNGROWN = [
    ({"step": -1}, "Invalid", "step"),
    ({"max": 99}, "Invalid", "max"),
    ({"max": None}, "Required", "max"),
]


@pytest.mark.parametrize(("policy", "type_", "field"), UNGROWN)
def test_a_policy_that_cannot_grow_is_refused_or_warned_of(policy: Any, type_: str, field: str) -> None:
    path = f"dynamicPriorityPolicy.{field}"
    assert errors(grown(**policy)) == [(type_, path)]
    for reading in ("as-written", "released"):
        assert warnings(grown(**policy), reading=reading) == [("InvalidPriorityClass", path)]


def test_a_written_maximum_is_refused_only_below_the_base() -> None:
    assert errors(grown(base=-5, max=0)) == []
    assert errors(grown(base=5, max=0)) == [("Invalid", "dynamicPriorityPolicy.max")]
    assert errors(grown(base=100, max=100)) == []


def test_two_bases_that_differ_and_none_are_errors() -> None:
    both = {**grown(), "spec": {"priority": 7}}
    assert errors(both) == [("Invalid", "spec.priority")]
    assert errors(grown(base=None)) == [("Required", "value")]


def test_a_step_of_nothing_has_no_effect() -> None:
    assert warnings(grown(step=0)) == [("NoEffect", "dynamicPriorityPolicy.step")]


def kai(**spec: Any) -> dict[str, Any]:
    """A Queue of KAI-Scheduler."""
    header = {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": "ml"}}
    return {**header, "spec": {"resources": {}, **spec}}


def pod_group(**spec: Any) -> dict[str, Any]:
    """A PodGroup of KAI-Scheduler."""
    header = {"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup"}
    return {**header, "metadata": {"name": "train", "namespace": "ml"}, "spec": {"queue": "ml", **spec}}


def test_pod_groups_of_kai_are_validated() -> None:
    good = {"minMember": 2, "priorityClassName": "train", "preemptibility": "non-preemptible"}
    parts = [{"name": "all"}, {"name": "workers", "parent": "all", "minMember": 2}]
    assert errors(pod_group(**good, subGroups=parts)) == []
    assert warnings(kai(), pod_group(**good)) == []
    for wrong, expected in (
        ({"minMembers": 2}, ("Forbidden", "spec.minMembers")),
        ({"minMember": 0}, ("Invalid", "spec.minMember")),
        ({"minMember": "2"}, ("TypeInvalid", "spec.minMember")),
        ({"preemptibility": "no"}, ("NotSupported", "spec.preemptibility")),
        ({"priorityClassName": 5}, ("TypeInvalid", "spec.priorityClassName")),
        ({"subGroups": [{"name": "a", "parent": "b"}]}, ("NotSupported", "spec.subGroups[0].parent")),
        ({"subGroups": [{"name": "a"}, {"name": "a"}]}, ("Duplicate", "spec.subGroups[1].name")),
        ({"subGroups": [{"name": "a", "parent": "a"}]}, ("Invalid", "spec.subGroups[0].parent")),
        ({"subGroups": [{"minMember": 1}]}, ("Required", "spec.subGroups[0].name")),
    ):
        assert errors(pod_group(**wrong)) == [expected]
    assert errors({**pod_group(), "apiVersion": "scheduling.run.ai/v2"}) == [("NotSupported", "apiVersion")]


def test_pod_groups_of_kai_v0_17_have_its_fields_and_its_minimums() -> None:
    """The cases are those of v0.17.0's own webhook tests and of its CustomResourceDefinition."""
    newer: Any = {"kai_version": "v0_17"}
    leaf = {"name": "a", "minMember": 0}
    inner = [{"name": "all", "minSubGroup": 1}, {**leaf, "parent": "all"}]
    for right in (
        {"minMember": 2, "preemptionDelay": "30s", "stalenessGracePeriod": "-1s"},
        {"subGroups": inner},
        {"minSubGroup": 1, "subGroups": inner},
    ):
        assert errors(pod_group(**right), reading=newer) == []
        assert warnings(kai(), pod_group(**right), reading=newer) == []
    for wrong, expected in (
        ({"backoffLimit": 2}, ("Forbidden", "spec.backoffLimit")),
        ({"minSubGroup": 0}, ("Invalid", "spec.minSubGroup")),
        ({"preemptionDelay": 30}, ("TypeInvalid", "spec.preemptionDelay")),
        ({"preemptionDelay": "30"}, ("Invalid", "spec.preemptionDelay")),
        ({"subGroups": [{**leaf, "name": "A"}]}, ("Invalid", "spec.subGroups[0].name")),
        ({"minMember": 1, "minSubGroup": 1, "subGroups": [leaf]}, ("Forbidden", "spec.minSubGroup")),
        ({"subGroups": [{**leaf, "minSubGroup": 1}]}, ("Forbidden", "spec.subGroups[0].minSubGroup")),
        ({"subGroups": [{"name": "a"}]}, ("Required", "spec.subGroups[0].minMember")),
        ({"subGroups": [{"name": "a", "minSubGroup": 1}]}, ("Forbidden", "spec.subGroups[0].minSubGroup")),
        (
            {"subGroups": [{"name": "all", "minMember": 1}, inner[1]]},
            ("Forbidden", "spec.subGroups[0].minMember"),
        ),
    ):
        assert errors(pod_group(**wrong), reading=newer) == [expected]
    for unmet, where in (
        ({"minSubGroup": 2, "subGroups": inner}, "spec.minSubGroup"),
        ({"subGroups": [{**inner[0], "minSubGroup": 2}, inner[1]]}, "spec.subGroups[0].minSubGroup"),
    ):
        assert warnings(pod_group(**unmet), reading=newer) == [("NothingFits", where)]


def test_what_another_version_of_kai_takes_is_named() -> None:
    older, newer = ({"kai_version": version} for version in ("march_2026", "v0_17"))
    for reading, spec, version in (
        (older, {"preemptionDelay": "30s"}, "v0_17"),
        (newer, {"parallelism": 3}, "march_2026"),
    ):
        found = report(pod_group(**spec), reading=reading).errors
        assert [notice.message.rpartition("; ")[2] for notice in found] == [
            f"right with --override kai_version={version}"
        ]
    for unknown, hint in (("minMembers", "did you mean minMember?"), ("wild", "there are ")):
        (notice,) = report(pod_group(**{unknown: 2})).errors
        assert notice.message.rpartition("; ")[2].startswith(hint)


def test_a_new_minimum_of_members_above_sub_groups_is_refused_and_an_old_one_is_not() -> None:
    groups = [{"name": "all", "minMember": 1}, {"name": "a", "parent": "all", "minMember": 1}]
    both = pod_group(subGroups=groups)
    assert errors(both, old=[both], reading={"kai_version": "v0_17"}) == []


def test_a_pod_group_whose_queue_is_not_there_is_warned_of() -> None:
    assert warnings(kai(), pod_group(queue="mll")) == [("DanglingReference", "spec.queue")]
    assert warnings(pod_group(queue="mll")) == []


def test_minimum_runtimes_of_kai_are_durations() -> None:
    assert warnings(kai(preemptMinRuntime="4h", reclaimMinRuntime="0s")) == []
    assert errors(kai(preemptMinRuntime="1d")) == [("Invalid", "spec.preemptMinRuntime")]
    assert warnings(kai(reclaimMinRuntime="-1s")) == [("NegativeDuration", "spec.reclaimMinRuntime")]
    assert errors(kai(resources=None)) == [("Required", "spec.resources")]
