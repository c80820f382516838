"""Signed divergences: each says of which scenarios it speaks, and predicts nothing for others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tenure.conformance import divergences
from tenure.conformance.divergences import PREDICTIONS, all_divergences, explain, outcome_of
from tenure.conformance.protocol import answer
from tests.objects import Object, a_group, a_queue, a_workload, admitted_to

NOW = "2026-03-02T12:00:00Z"


def queue(name: str, cpu: str = "4", cohort: str | None = None, **preemption: Any) -> Object:
    """A ClusterQueue with one flavor."""
    policy = {"withinClusterQueue": "Never", "reclaimWithinCohort": "Never", **preemption}
    member = {} if cohort is None else {"cohortName": cohort}
    return a_queue(name, a_group("default", quota=cpu), preemption=policy, **member)


def workload(name: str, cpu: str, at: str = "", created: str = NOW, uid: str | None = None) -> Object:
    """A workload, one that holds quota where a ClusterQueue is named."""
    made = a_workload(name, {"cpu": cpu}, created=created)
    made["metadata"]["uid"] = uid or name
    return admitted_to(at, made, "default", NOW) if at else made


def scenario(*queues: Object, admitted: list[Object], incoming: Object, **more: Any) -> Object:
    """A request's input for the first of some queues."""
    return {
        "now": NOW,
        "clusterQueues": list(queues),
        "cohorts": [],
        "resourceFlavors": [{"metadata": {"name": "default"}}],
        "admitted": admitted,
        "incoming": incoming,
        "targetCQ": queues[0]["metadata"]["name"],
        "assignment": None,
        **more,
    }


PLAIN = scenario(queue("q"), admitted=[workload("a", "4", "q")], incoming=workload("w", "1"))


def says(decision: str, *preempted: tuple[str, str, str]) -> Object:
    """What a scheduler answers."""
    rows = [{"workload": who, "clusterQueue": at, "reason": why} for who, at, why in preempted]
    return {"output": {"decision": decision, "preempted": rows}}


def test_words_and_functions_belong_together() -> None:
    assert [divergence.id for divergence in all_divergences()] == list(PREDICTIONS)
    for divergence in all_divergences():
        assert divergence.title
        assert divergence.when
        assert divergence.predicts
        assert divergence.reason
        assert divergence.versions


@pytest.mark.parametrize("identifier", list(PREDICTIONS))
def test_none_speaks_of_a_plain_scenario(identifier: str) -> None:
    assert list(PREDICTIONS[identifier](PLAIN)) == []


def test_nothing_explains_a_difference_in_a_plain_scenario() -> None:
    assert explain(PLAIN, says("Preempt", ("ml/a", "q", "InClusterQueue")), "v0.19.2") is None


@pytest.mark.parametrize(
    ("created", "decision"), [("2026-03-02T12:05:00Z", "NoCandidates"), ("2026-03-02T12:05:01Z", "Preempt")]
)
def test_dv_010_protects_up_to_five_minutes_and_only_in_its_releases(created: str, decision: str) -> None:
    given = scenario(
        queue("q", withinClusterQueue="LowerOrNewerEqualPriority"),
        admitted=[workload("a", "4", "q", created)],
        incoming=workload("w", "1"),
        featureGates={"SchedulerTimestampPreemptionBuffer": True},
    )
    taken = (("ml/a", "q", "InClusterQueue"),) if decision == "Preempt" else ()
    assert explain(given, says(decision, *taken), "v0.19.2") == "DV-010"
    assert explain(given, says(decision, *taken), "v0.18.4") == "DV-010"
    assert explain(given, says(decision, *taken), "v0.20.0") is None
    assert explain(given, says("Fit"), "v0.19.2") is None


def test_dv_020_predicts_either_of_two_equal_cohorts_and_nothing_else() -> None:
    cohorts = [{"metadata": {"name": name}, "spec": {"parentName": "root"}} for name in ("left", "right")]
    given = scenario(
        queue("q", "4", "root", reclaimWithinCohort="Any"),
        queue("l", "0", "left"),
        queue("r", "0", "right"),
        admitted=[workload("a", "2", "l"), workload("b", "2", "r")],
        incoming=workload("w", "2"),
        cohorts=cohorts,
        fairSharing={"preemptionStrategies": []},
    )
    ours = answer({"id": 1, "call": "decide", "input": given})
    assert outcome_of(ours) == outcome_of(says("Preempt", ("ml/b", "r", "InCohortReclamation")))
    assert explain(given, says("Preempt", ("ml/a", "l", "InCohortReclamation")), "v0.19.2") == "DV-020"
    assert explain(given, says("NoCandidates"), "v0.19.2") is None
    classical = {**given, "fairSharing": None}
    assert explain(classical, says("Preempt", ("ml/a", "l", "InCohortFairSharing")), "v0.19.2") is None


def test_dv_020_finds_the_order_among_many_cohorts() -> None:
    """Seven names have 5,040 orders; what decides is the order of two siblings."""
    tree = {"zz": "root", "za": "root", **{f"b{number}": "deep" for number in range(3)}, "deep": "other"}
    given = scenario(
        queue("q", "4", "root", reclaimWithinCohort="Any"),
        queue("l", "0", "za"),
        queue("r", "0", "zz"),
        admitted=[workload("a", "2", "l"), workload("b", "2", "r")],
        incoming=workload("w", "2"),
        cohorts=[{"metadata": {"name": name}, "spec": {"parentName": above}} for name, above in tree.items()],
        fairSharing={"preemptionStrategies": []},
    )
    ours = answer({"id": 1, "call": "decide", "input": given})
    either = [
        says("Preempt", (f"ml/{who}", at, "InCohortReclamation")) for who, at in (("a", "l"), ("b", "r"))
    ]
    (other,) = [entry for entry in either if outcome_of(entry) != outcome_of(ours)]
    assert explain(given, other, "v0.19.2") == "DV-020"


def test_dv_020_lets_each_visit_have_an_order_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    # A real scheduler's rarest answer of three: no order that holds for the whole decision predicts it.
    given = json.loads(Path(__file__).with_name("drawn_visits.json").read_text(encoding="utf-8"))
    rare = says("Preempt", ("ns/w11", "q1", "InCohortFairSharing"))
    assert explain(given, rare, "v0.18.4") == "DV-020"
    assert explain(given, says("Preempt", ("ns/w12", "q1", "InCohortFairSharing")), "v0.18.4") is None
    monkeypatch.setattr(divergences, "MOST_DRAWS", 0)
    assert explain(given, rare, "v0.18.4") is None


def test_dv_030_predicts_either_of_two_workloads_of_one_uid() -> None:
    twins = [workload(name, "2", "q", uid="same") for name in ("a", "b")]
    for twin in twins:
        twin["spec"]["priority"] = -1
    given = scenario(
        queue("q", withinClusterQueue="LowerPriority"), admitted=twins, incoming=workload("w", "2")
    )
    ours = answer({"id": 1, "call": "decide", "input": given})
    assert outcome_of(ours) == outcome_of(says("Preempt", ("ml/a", "q", "InClusterQueue")))
    assert explain(given, says("Preempt", ("ml/b", "q", "InClusterQueue")), "v0.19.2") == "DV-030"


@pytest.mark.parametrize(
    ("behind", "answered"),
    [("100", says("Fit")), ("1", says("Fit"))],
)
def test_dv_040_predicts_that_later_pod_sets_are_forgotten(behind: str, answered: Object) -> None:
    nothing = workload("w", "0")["spec"]["podSets"][0]
    nothing["template"]["spec"]["containers"][0]["resources"]["requests"] = {"example.com/x": "0"}
    incoming = workload("w", behind)
    incoming["spec"]["podSets"][0]["name"] = "second"
    incoming["spec"]["podSets"].insert(0, nothing)
    given = scenario(queue("q"), admitted=[workload("a", "4", "q")], incoming=incoming)
    assert explain(given, answered, "v0.19.2") == "DV-040"
    covered = {**given, "targetCQ": "q"}
    covered["incoming"]["spec"]["podSets"].reverse()
    assert explain(covered, answered, "v0.19.2") is None


def test_dv_050_predicts_the_decision_without_who_holds_no_quota() -> None:
    unstamped = workload("a", "4", "q")
    unstamped["status"]["conditions"] = []
    given = scenario(queue("q"), admitted=[unstamped], incoming=workload("w", "1"))
    assert outcome_of(answer({"id": 1, "call": "decide", "input": given}))[0] == "NoCandidates"
    assert explain(given, says("Fit"), "v0.19.2") == "DV-050"
    assert explain(given, says("NoFit"), "v0.19.2") is None


def test_dv_050_speaks_of_scenarios_of_other_divergences_too() -> None:
    unstamped = workload("a", "1", "q")
    unstamped["status"]["conditions"] = []
    given = scenario(
        queue("q", withinClusterQueue="LowerOrNewerEqualPriority"),
        admitted=[unstamped, workload("b", "4", "q", "2026-03-02T12:01:00Z")],
        incoming=workload("w", "1"),
        featureGates={"SchedulerTimestampPreemptionBuffer": True},
    )
    assert explain(given, says("NoCandidates"), "v0.19.2") is not None
    assert explain(given, says("Fit"), "v0.19.2") is None


def test_dv_060_predicts_a_fit_beside_a_resource_without_candidates() -> None:
    """No CPU is left and no workload may be preempted; a device fits, by borrowing."""
    target = queue("q", "4", "root")
    lender = queue("lender", "0", "root")
    for entry, devices in ((target, "0"), (lender, "2")):
        (group,) = entry["spec"]["resourceGroups"]
        group["coveredResources"].append("gpu")
        group["flavors"][0]["resources"].append({"name": "gpu", "nominalQuota": devices})
    target["spec"]["flavorFungibility"] = {"preference": "PreemptionOverBorrowing"}
    incoming = workload("w", "1")
    (container,) = incoming["spec"]["podSets"][0]["template"]["spec"]["containers"]
    container["resources"]["requests"]["gpu"] = "1"
    given = scenario(target, lender, admitted=[workload("a", "4", "q")], incoming=incoming)
    assert outcome_of(answer({"id": 1, "call": "decide", "input": given}))[0] == "NoCandidates"
    assert explain(given, says("Fit"), "v0.18.4") == "DV-060"
    assert explain(given, says("Fit"), "v0.19.2") is None
    assert explain(given, says("NoFit"), "v0.18.4") is None
    target["spec"]["resourceGroups"][0]["flavors"][0]["resources"][1]["nominalQuota"] = "1"
    assert explain(given, says("Fit"), "v0.18.4") is None, "the device no longer has to be borrowed"
