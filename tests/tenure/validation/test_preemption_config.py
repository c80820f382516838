"""What `tenure validate` finds in a PreemptionConfig, and in what names one."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.manifests import SourcedObject
from tenure.manifests.preemption_configs import LabelSelectorSpec, label_selector
from tenure.validation.check import validate
from tests.objects import a_queue, an_object

ALPHA = "kueue.x-k8s.io/v1alpha1"
NAMES = {"kueue.x-k8s.io/preemption-config-name": "hero-config"}


def a_config(*rules: dict[str, Any]) -> dict[str, Any]:
    return {**an_object("PreemptionConfig", "hero-config", {"rules": list(rules)}), "apiVersion": ALPHA}


def a_rule(name: str = "r", trigger: str = "Always", **more: Any) -> dict[str, Any]:
    selectors = [{"scope": "WithinCohortTree"}]
    return {"name": name, "activationPolicy": {"trigger": trigger}, "candidateSelectors": selectors, **more}


def selecting(**parts: Any) -> dict[str, Any]:
    return a_rule(candidateSelectors=[{"scope": "WithinCohortTree", **parts}])


def errors(*objects: dict[str, Any]) -> list[tuple[str, str]]:
    report = validate(SourcedObject("", found) for found in objects)
    return [(found.field, found.type) for found in report.errors]


def warnings(*objects: dict[str, Any]) -> list[tuple[str, str]]:
    report = validate(SourcedObject("", found) for found in objects)
    assert not report.errors
    return [(found.field, found.type) for found in report.warnings if found.type != "NotModelled"]


SELECTOR = "spec.rules[0].candidateSelectors[0]"


@pytest.mark.parametrize("name", ["low prio", "Low", "low,high", "low.", "low\n"])
def test_a_name_that_no_priority_class_can_have_is_a_warning(name: str) -> None:
    found = warnings(a_config(selecting(priority={"matchNames": [name], "notMatchNames": ["low.prio"]})))
    assert found == [(f"{SELECTOR}.priority.matchNames[0]", "NoEffect")]


@pytest.mark.parametrize(
    ("rule", "field", "kind"),
    [
        (a_rule(name="Upper"), "spec.rules[0].name", "FieldValueInvalid"),
        (a_rule(trigger="Never"), "spec.rules[0].activationPolicy.trigger", "FieldValueNotSupported"),
        (selecting(scope="Everywhere"), f"{SELECTOR}.scope", "FieldValueNotSupported"),
        (selecting(priority={"mode": "Base"}), f"{SELECTOR}.priority.comparison", "FieldValueRequired"),
        (
            selecting(numericLabels=[{"key": "k", "minValue": 3, "maxValue": 2}]),
            f"{SELECTOR}.numericLabels[0].minValue",
            "FieldValueInvalid",
        ),
        (
            selecting(numericLabels=[{"key": "k", "minValue": -1}]),
            f"{SELECTOR}.numericLabels[0].minValue",
            "FieldValueInvalid",
        ),
    ],
)
def test_what_the_api_server_refuses_is_an_error(rule: dict[str, Any], field: str, kind: str) -> None:
    assert errors(a_config(rule)) == [(field, kind)]


def test_two_rules_of_one_name_are_an_error() -> None:
    ((field, kind),) = errors(a_config(a_rule(), a_rule()))
    assert field.startswith("spec.rules[1]")
    assert kind == "FieldValueDuplicate"


def test_a_right_config_is_neither() -> None:
    named = {**a_queue("hero"), "metadata": {"name": "hero", "annotations": NAMES}}
    assert warnings(a_config(a_rule()), named) == []


@pytest.mark.parametrize("place", ["preemptorSelector", "labelSelector", "clusterQueueSelector"])
def test_a_selector_that_kueue_cannot_build_is_a_warning(place: str) -> None:
    wrong = {"matchExpressions": [{"key": "tier", "operator": "Notin", "values": ["low"]}]}
    own = place == "preemptorSelector"
    rule = a_rule(preemptorSelector=wrong) if own else selecting(**{place: wrong})
    path = f"spec.rules[0].{place}" if own else f"{SELECTOR}.{place}"
    assert warnings(a_config(rule)) == [(f"{path}.matchExpressions[0].operator", "InvalidSelector")]


@pytest.mark.parametrize("key", ["a..b/team", "a\n/team", f"{'a' * 254}/team", "a-/team"])
def test_a_key_below_an_invalid_domain_is_no_key_of_a_label(key: str) -> None:
    wrong = {"matchLabels": {key: "low"}}
    assert [kind for _, kind in warnings(a_config(selecting(labelSelector=wrong)))] == ["InvalidSelector"]
    if key.isprintable():  # others are refused where they are read
        assert label_selector(LabelSelectorSpec.model_validate(wrong)).fault
    right = {"matchLabels": {f"{'a' * 253}/team": "low", "a.b-c/team": "low"}}
    assert warnings(a_config(selecting(labelSelector=right))) == []
    assert not label_selector(LabelSelectorSpec.model_validate(right)).fault


def test_a_missing_config_is_a_warning_of_the_queue() -> None:
    named = {**a_queue("hero"), "metadata": {"name": "hero", "annotations": NAMES}}
    other = {**a_config(a_rule()), "metadata": {"name": "hero-confg"}}
    field = "metadata.annotations[kueue.x-k8s.io/preemption-config-name]"
    assert warnings(named, other) == [(field, "DanglingReference")]


def test_an_unknown_priority_class_is_a_warning() -> None:
    known = {**an_object("WorkloadPriorityClass", "batch"), "value": 1}
    rule = selecting(priority={"notMatchNames": ["batch", "bach"]})
    assert warnings(a_config(rule), known) == [(f"{SELECTOR}.priority.notMatchNames[1]", "DanglingReference")]


def test_a_trigger_that_never_applies_is_a_warning() -> None:
    named = {**a_queue("hero"), "metadata": {"name": "hero", "annotations": NAMES}}
    rule = a_rule(trigger="QuotaFeasibleAndInsufficientTopology")
    plain, placed = (
        an_object("ResourceFlavor", "default", spec)
        for spec in ({}, {"topologyName": "racks", "nodeLabels": {"rack": "a"}})
    )
    assert warnings(a_config(rule), named, plain) == [("spec.rules[0].activationPolicy.trigger", "NoEffect")]
    assert warnings(a_config(rule), named, placed) == []


def test_a_label_that_is_not_copied_is_a_warning() -> None:
    configured = {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "integrations": {"frameworks": ["batch/job"], "labelKeysToCopy": ["team"]},
    }
    rule = selecting(
        labelSelector={"matchLabels": {"team": "a"}}, numericLabels=[{"key": "nodes", "minValue": 1}]
    )
    assert warnings(a_config(rule), configured) == [(f"{SELECTOR}.numericLabels[0].key", "LabelNotCopied")]
    assert warnings(a_config(rule)) == []
