"""A PreemptionConfig in the past, in plays and in edits: what commands print where rules of it decide."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.command_line import tenure
from tools import libyaml

FILE = Path(__file__).parents[1] / "recorded" / "preemption-config.yaml"
NOW = ("--now", "2026-09-01T10:00:00Z")
AT = "2026-09-01T09:30:00Z"


def printed(*words: str, code: int = 0) -> str:
    """What a command prints, on both streams."""
    done = tenure(*words)
    assert done.returncode == code, done.stderr.decode()
    return (done.stdout + done.stderr).decode()


def changed(folder: Path, name: str, change: Any) -> str:
    """A copy of the cluster in which the object of a name is changed."""
    objects = [raw for raw in libyaml.load_all(FILE.read_text()) if raw]
    kept = [change(raw) if raw["metadata"]["name"] == name else raw for raw in objects]
    copy = folder / "cluster.yaml"
    copy.write_text(libyaml.dump_all(kept))
    return str(copy)


def preempted(message: str) -> Any:
    """A change of a workload: it was preempted by a PreemptionConfig, with that message."""

    def change(raw: Any) -> Any:
        def condition(kind: str, status: str, reason: str, text: str) -> dict[str, str]:
            return {
                "type": kind,
                "status": status,
                "lastTransitionTime": AT,
                "reason": reason,
                "message": text,
            }

        raw["status"] = {
            "conditions": [
                condition("QuotaReserved", "False", "Pending", ""),
                condition("Evicted", "True", "Preempted", message),
                condition("Preempted", "True", "ConfigurablePreemption", message),
            ]
        }
        return raw

    return change


@pytest.mark.parametrize(
    ("rules", "found"),
    [
        ("any/0", "recorded, and confirmed by deciding again"),
        (
            "any/1",
            "recorded, but deciding again contradicts it: hero/incoming preempts b/b1 "
            "(ConfigurablePreemption, by hero-config rule any/0)",
        ),
    ],
)
def test_a_recorded_preemption_is_decided_again(rules: str, found: str, tmp_path: Path) -> None:
    message = f"Preempted by hero/incoming because of preemption config hero-config rule {rules}"
    file = changed(tmp_path, "b1", preempted(message))
    text = printed("why", "b/b1", file, *NOW)
    assert f"b/b1 was preempted at {AT} for hero/incoming, ConfigurablePreemption: {found}" in text
    assert f"PCF-070, PCF-080: a PreemptionConfig selected it: rule {rules} of hero-config" in text
    assert "PreemptionConfigs from the text of Kueue v0.20 and its tests, not run" in text
    assert "whether PreemptionConfig hero-config, queues" in text


def test_a_preemptor_that_is_no_longer_there_is_named(tmp_path: Path) -> None:
    message = "Preempted by hero/gone because of preemption config hero-config rule any/0"
    text = printed("why", "b/b1", changed(tmp_path, "b1", preempted(message)), *NOW)
    assert "for hero/gone, ConfigurablePreemption: recorded; not decided again, because the preemptor" in text


def test_a_play_writes_the_message_and_the_rules_of_the_config(tmp_path: Path) -> None:
    (tmp_path / "cluster.yaml").write_text(FILE.read_text())
    scenario = tmp_path / "scenario.yaml"
    scenario.write_text(libyaml.dump({"until": "20s", "files": ["cluster.yaml"], "start": NOW[1]}))
    text = printed("simulate", str(scenario))
    assert "preempted for hero/incoming" in text
    assert "ConfigurablePreemption (hero-config rule any/0)" in text


RULE = "preemptionconfig/hero-config.spec.rules[name=any]"
ANNOTATION = "clusterqueue/hero.metadata.annotations[kueue.x-k8s.io/preemption-config-name]"


@pytest.mark.parametrize(
    "change",
    [
        ("--set", f"{RULE}.candidateSelectors[0].labelSelector={{matchLabels: {{tier: low}}}}"),
        ("--set", f"{RULE}.candidateSelectors[0].priority={{mode: Base, comparison: LessThan}}"),
        ("--set", "preempcfg/hero-config.spec.rules=[]"),
        ("--set", f"{ANNOTATION}=other"),
        ("--unset", ANNOTATION),
    ],
)
def test_a_difference_of_one_field_shows_who_is_spared(change: tuple[str, str]) -> None:
    text = printed("diff", str(FILE), *change, *NOW)
    assert "Jointly 1 no longer starts (hero/incoming); 1 is no longer preempted (b/b1)" in text
    assert "hero/incoming (hero), taken alone: Preempt, then NoCandidates" in text
    assert text.count("fair sharing off") == 1


def test_a_difference_without_effect_reaches_the_tree() -> None:
    change = ("--set", f"{RULE}.activationPolicy.trigger=InsufficientQuota")
    text = printed("diff", str(FILE), *change, *NOW)
    assert "Taken alone, no decision changes" in text
    assert "no pending workload is in a tree" not in text


def test_a_misspelt_field_of_a_config_is_an_error() -> None:
    text = printed("decide", "-a", str(FILE), "--set", f"{RULE}.candidateSelectors[0].scop=x", code=2)
    assert "did you mean scope?" in text


SELECTOR = f"{RULE}.candidateSelectors[0]"
OF_CONFIG = "of PreemptionConfig hero-config is"


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("{scope: WithinLocalQueue}", f"scope {OF_CONFIG} WithinLocalQueue"),
        (
            "{scope: WithinCohortTree, clusterQueueSelector: {matchLabels: {team: a}}}",
            f"clusterQueueSelector {OF_CONFIG} team=a",
        ),
        (
            "{scope: WithinCohortTree, labelSelector: {matchExpressions: [{key: a, operator: Exists}]}}",
            f"labelSelector {OF_CONFIG} a",
        ),
        (
            "{scope: WithinCohortTree, numericLabels: [{key: nodes, fallbackValue: 1, minValue: 2}]}",
            f"numericLabels[0].minValue {OF_CONFIG} 2",
        ),
        (
            "{scope: WithinCohortTree, numericLabels: [{key: a, fallbackValue: 1, comparison: LessThan}]}",
            f"numericLabels[0].comparison {OF_CONFIG} LessThan",
        ),
        (
            "{scope: WithinCohortTree, priority: {mode: Base, comparison: LessThan}}",
            f"priority.comparison {OF_CONFIG} LessThan",
        ),
        (
            "{scope: WithinCohortTree, priority: {matchNames: [batch]}}",
            f"priority.matchNames {OF_CONFIG} batch",
        ),
    ],
)
def test_the_field_of_a_selector_that_keeps_a_workload_stands_in_the_way(selector: str, found: str) -> None:
    text = printed(
        "why-not", "hero/incoming", str(FILE), "-w", "b/b1", *NOW, "--set", f"{SELECTOR}={selector}"
    )
    first = text.splitlines()[0]
    assert "kept" not in first
    assert f"names it: rules[0].candidateSelectors[0].{found}" in first


@pytest.mark.parametrize(
    ("field", "value", "found"),
    [
        ("preemptorSelector", "{matchLabels: {team: a}}", "preemptorSelector"),
        ("preemptorPriorityClassSelector", "{matchNames: [a]}", "preemptorPriorityClassSelector.matchNames"),
        (
            "activationPolicy.trigger",
            "QuotaFeasibleAndInsufficientTopology",
            "activationPolicy.trigger",
        ),
        (
            "candidateSelectors[0].labelSelector",
            "{matchExpressions: [{key: a, operator: Notin}]}",
            "candidateSelectors[0].labelSelector",
        ),
    ],
)
def test_the_field_of_a_rule_that_is_not_tried_stands_first_in_the_way(
    field: str, value: str, found: str
) -> None:
    text = printed("why-not", "hero/incoming", str(FILE), *NOW, "--set", f"{RULE}.{field}={value}")
    assert f"2 cpu short on default; rules[0].{found} {OF_CONFIG}" in text
    assert "withinClusterQueue is Never" in text


def test_a_config_that_does_not_exist_stands_in_the_way() -> None:
    text = printed("why-not", "hero/incoming", str(FILE), *NOW, "--set", f"{ANNOTATION}=other")
    assert "is other: it does not exist, and counts as none" in text


def test_fields_of_a_config_are_among_the_changes_and_what_is_not_tried_is_named() -> None:
    change = ("--set", f"{SELECTOR}.priority={{mode: Base, comparison: LessThan}}")
    text = printed("why-not", "hero/incoming", str(FILE), *NOW, *change)
    better = "priority.comparison LessThanOrEqual instead of LessThan (PreemptionConfig hero-config): would"
    assert better in text
    assert "not tried: labels, numeric labels and names of priority classes of PreemptionConfigs" in text


def test_an_event_brings_a_config_that_reads_labels_of_workloads_there_at_the_start(tmp_path: Path) -> None:
    def labelled(raw: Any) -> Any:
        raw["metadata"]["labels"] = {"tier": "low"}
        return raw

    parts = Path(changed(tmp_path, "b1", labelled)).read_text().split("---\n")
    named = {"kueue.x-k8s.io/preemption-config-name": "hero-config"}
    objects = [libyaml.load(part) for part in parts if "kind: PreemptionConfig" not in part]
    for raw in objects:
        raw["metadata"].pop("annotations", None)
    selector = {"scope": "WithinCohortTree", "labelSelector": {"matchLabels": {"tier": "low"}}}
    rule = {"name": "low", "activationPolicy": {"trigger": "Always"}, "candidateSelectors": [selector]}
    config = {"kind": "PreemptionConfig", "metadata": {"name": "hero-config"}, "spec": {"rules": [rule]}}
    queue = {"kind": "ClusterQueue", "metadata": {"name": "hero", "annotations": named}}
    scenario = {
        "start": NOW[1],
        "until": "1m",
        "objects": objects,
        "events": [{"at": "1s", "edit": config}, {"at": "2s", "edit": queue}],
        "timing": {"eviction": "5s"},
        "expect": [{"at": "1s", "running": ["b1", "a1"]}, {"at": "5s", "evicted": "b1", "running": "a1"}],
    }
    file = tmp_path / "scenario.yaml"
    file.write_text(libyaml.dump(scenario))
    assert "ConfigurablePreemption (hero-config rule low/0)" in printed("simulate", str(file))


@pytest.mark.parametrize(
    ("selector", "who"),
    [
        (
            "{scope: WithinParentCohort}",
            "any priority: ConfigurablePreemption, by PCF-070, PCF-080; one that",
        ),
        (
            "{scope: WithinCohortTree, priority: {mode: Base, comparison: LessThan}}",
            "priority 1 or more: ConfigurablePreemption",
        ),
        (
            "{scope: WithinCohortTree, priority: {mode: Base, comparison: GreaterThanOrEqual}}",
            "priority 0 or less: ConfigurablePreemption",
        ),
        (
            "{scope: WithinCohortTree, numericLabels: [{key: n, fallbackValue: 3, comparison: LessThan}]}",
            "one that requests 1m cpu on default with labels n=4 preempts it",
        ),
        (
            "{scope: WithinCohortTree, priority: {matchNames: [batch]}}",
            "no workload: its reclaimWithinCohort is Never, and no rule of PreemptionConfig hero-config",
        ),
    ],
)
def test_why_lists_who_could_preempt_by_a_config(selector: str, who: str) -> None:
    text = printed("why", "b/b1", str(FILE), *NOW, "--set", f"{SELECTOR}={selector}")
    (seen,) = (line for line in text.splitlines() if line.startswith("  hero: "))
    assert who in seen
    assert ("No new workload" in text) == ("no workload" in who)


def test_of_a_config_that_is_not_given_the_possible_preemptors_are_not_known(tmp_path: Path) -> None:
    parts = FILE.read_text().split("---\n")
    file = tmp_path / "cluster.yaml"
    file.write_text("---\n".join(part for part in parts if "kind: PreemptionConfig" not in part))
    text = printed("why", "b/b1", str(file), *NOW)
    assert "hero: not known: PreemptionConfig hero-config of ClusterQueue hero is not given" in text
    assert "No new workload" not in text


def test_who_preempts_and_does_not_get_the_quota_is_not_admitted(tmp_path: Path) -> None:
    """Upstream's case: the victim borrows less than its preemptor, and has its turn first."""
    kept = [raw for raw in libyaml.load_all(FILE.read_text()) if raw["metadata"]["name"] != "waits"]
    file = tmp_path / "cluster.yaml"
    file.write_text(libyaml.dump_all(kept))
    text = printed("why-not", "hero/incoming", str(file), *NOW)
    assert text.splitlines()[0] == "hero/incoming preempts b/b1, and does not get the quota"
    assert "later: hero/incoming has no known start" in text
    assert "feature gate PrioritizePreemptorWorkloads on: hero/incoming would be admitted" in text
    gate = ("--feature-gates", "PrioritizePreemptorWorkloads=true")
    assert "hero/incoming is admitted once b/b1 leaves" in printed(
        "why-not", "hero/incoming", str(file), *NOW, *gate
    )


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (
            f"{SELECTOR}={{scope: WithinCohortTree, priority: {{mode: Base, comparison: LessThan}}}}",
            "PCF-020 rule any/0: 0 is not LessThan 0",
        ),
        (f"{RULE}.preemptorSelector={{matchLabels: {{a: b}}}}", "PCF-050 rule any does not apply: preempto"),
        (f"{RULE}.preemptorPriorityClassSelector={{matchNames: [a]}}", "PCF-040 rule any does not apply: t"),
        (
            f"{RULE}.preemptorSelector={{matchExpressions: [{{key: a, operator: Notin}}]}}",
            "PCF-100 rule any does not apply: preemptorSelector is invalid",
        ),
        (
            f"{SELECTOR}.labelSelector={{matchExpressions: [{{key: a, operator: Notin}}]}}",
            "PCF-100 rule any/0",
        ),
        (
            f"{RULE}.activationPolicy.trigger=QuotaFeasibleAndInsufficientTopology",
            "PCF-080 rule any/0: its tier QuotaFeasibleAndInsufficientTopology is not tried",
        ),
    ],
)
def test_what_keeps_a_workload_is_listed_by_policy_and_by_selector(change: str, found: str) -> None:
    text = printed("why-not", "hero/incoming", "b/b1", str(FILE), *NOW, "--set", change)
    _, _, rules = text.partition("The rules that decide, of spec.preemption and of the PreemptionConfig")
    policy, selector, *_ = rules.splitlines()[1:]
    assert policy.strip() == "KQ-200  ClusterQueue b is within its quota: uses 2 of 2 cpu on default"
    assert selector.strip().startswith(found)


@pytest.mark.parametrize("command", [("decide", "-a", *NOW), ("analyze", "matrix"), ("analyze", "sanity")])
def test_that_boosts_are_off_is_assumed_where_a_rule_compares_them(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    boosted = "{scope: WithinParentCohort, priority: {mode: Boosted, comparison: LessThan}}"
    file = tmp_path / "cluster.yaml"
    file.write_text(FILE.read_text().replace("{scope: WithinParentCohort}", boosted))
    assumed = "gate PriorityBoost off, as by default: mode Boosted is Base"
    assert assumed in printed(*command, str(file))
    assert assumed not in printed(*command, str(FILE))
    config = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration"}
    gates = tmp_path / "config.yaml"
    gates.write_text(libyaml.dump({**config, "featureGates": {"PriorityBoost": False}}))
    assert assumed not in printed(*command, str(file), str(gates))


def test_what_an_invalid_preemptor_selector_stops_could_preempt_no_workload() -> None:
    wrong = "{matchExpressions: [{key: a, operator: Notin}]}"
    stopped = (
        "[{name: bad, activationPolicy: {trigger: Always}, preemptorSelector: %s}, "
        "{name: any, activationPolicy: {trigger: InsufficientQuota}, "
        "candidateSelectors: [{scope: WithinParentCohort}]}]"
    )
    change = ("--set", f"preemptionconfig/hero-config.spec.rules={stopped % wrong}")
    text = printed("why", "b/b1", str(FILE), *NOW, *change)
    assert "hero: no workload: its reclaimWithinCohort is Never, and no rule of PreemptionConfig" in text
    passed = printed("why", "b/b1", str(FILE), *NOW, *change, "--override", "invalid_selector=passed_over")
    assert "hero: any priority: ConfigurablePreemption" in passed


def test_of_a_config_that_is_not_given_the_error_expects_one(tmp_path: Path) -> None:
    parts = FILE.read_text().split("---\n")
    file = tmp_path / "cluster.yaml"
    file.write_text("---\n".join(part for part in parts if "kind: PreemptionConfig" not in part))
    text = printed("decide", "-w", "hero/incoming", str(file), *NOW, code=2)
    assert "expected the name of a PreemptionConfig that is given and valid, or feature gate Config" in text
    assert "is not given: add it" in text


def test_why_leaves_out_rules_that_an_invalid_selector_stops_for_every_preemptor(tmp_path: Path) -> None:
    wrong = {"matchExpressions": [{"key": "a", "operator": "Notin", "values": ["x"]}]}
    stopping = {
        "name": "wrong",
        "activationPolicy": {"trigger": "Always"},
        "candidateSelectors": [{"scope": "WithinParentCohort", "labelSelector": wrong}],
    }

    def with_rule(raw: Any) -> Any:
        return {**raw, "spec": {"rules": [stopping, *raw["spec"]["rules"]]}}

    file = changed(tmp_path, "hero-config", with_rule)
    refused = "no rule of PreemptionConfig hero-config selects it"
    assert refused in printed("why", "b/b1", file, *NOW)
    stopping["preemptorSelector"] = {"matchLabels": {"tier": "low"}}
    assert refused not in printed("why", "b/b1", changed(tmp_path, "hero-config", with_rule), *NOW)


@pytest.mark.parametrize(
    ("words", "code", "text", "premise"),
    [
        ((), 5, "any victim, whatever its numbers", "gate ConfigurablePreemptions on, which v0.20"),
        (("true",), 5, "any victim, whatever its numbers", "PreemptionConfigs from the text"),
        (
            ("false",),
            0,
            "no ClusterQueue preempts a workload",
            "fair sharing off, no Configuration was given",
        ),
    ],
)
def test_loops_follow_the_gates_of_the_command_line(
    words: tuple[str, ...], code: int, text: str, premise: str
) -> None:
    gates = [("--feature-gates", f"ConfigurablePreemptions={on}") for on in words]
    found = printed("analyze", "loops", str(FILE), *(word for each in gates for word in each), code=code)
    assert text in found
    # What is assumed without a Configuration stays assumed.
    assert "assumed: fair sharing off, no Configuration was given (--fair-sharing sets it)" in found
    assert premise in found
    assert ("gate ConfigurablePreemptions on" in found) == (not words)
    # By the rules alone workloads preempt each other in turn; the theorem says nothing of quota.
    assert ("for example, if quota allows it, one of hero preempts one of hero" in found) == bool(code)


def test_gates_of_loops_are_above_those_of_a_configuration_and_are_checked(tmp_path: Path) -> None:
    configured = {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "featureGates": {"ConfigurablePreemptions": False, "PriorityBoost": True},
    }
    file = tmp_path / "cluster.yaml"
    file.write_text(f"{FILE.read_text()}\n---\n{libyaml.dump(configured)}")
    off = printed("analyze", "loops", str(file))
    assert "assumed" not in off
    on = printed("analyze", "loops", str(file), "--feature-gates", "ConfigurablePreemptions=true", code=5)
    assert "any victim, whatever its numbers" in on
    for command in ("loops", "sanity"):
        assert "expected a feature gate of Kueue; did you mean PriorityBoost?" in printed(
            "analyze", command, str(FILE), "--feature-gates", "PriorityBost=true", code=2
        )
    refill = ("--fair-sharing", "default", "--feature-gates", "FairSharingRefill=true")
    assert "FairSharingRefill: found True" in printed("analyze", "loops", str(FILE), *refill, code=2)


def test_sanity_looks_at_no_config_whose_gate_is_off(tmp_path: Path) -> None:
    def never(raw: Any) -> Any:
        rule = {**raw["spec"]["rules"][0]}
        rule["activationPolicy"] = {"trigger": "QuotaFeasibleAndInsufficientTopology"}
        return {**raw, "spec": {"rules": [rule]}}

    file = changed(tmp_path, "hero-config", never)
    assert "the rule never applies" in printed("analyze", "sanity", file)
    off = printed("analyze", "sanity", file, "--feature-gates", "ConfigurablePreemptions=false")
    assert "the rule never applies" not in off


@pytest.mark.parametrize("command", ["loops", "matrix", "guarantees", "sanity"])
def test_what_holds_of_every_state_is_not_claimed_beside_a_limit(command: str, tmp_path: Path) -> None:
    limit = tmp_path / "limit.yaml"
    limit.write_text(
        "apiVersion: kueue.x-k8s.io/v1alpha1\n"
        "kind: PreemptionLimit\n"
        "metadata: {name: calm}\n"
        "spec: {scope: PreemptingClusterQueue, limit: 1, limitWindowDuration: 2m}\n",
        encoding="utf-8",
    )
    found = printed("analyze", command, str(FILE), str(limit), code=2)
    assert "PreemptionLimit/calm: kind: found a PreemptionLimit, expected none" in found
