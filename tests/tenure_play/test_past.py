"""What is said of a preemption that has happened: confirmed, by the record only, or not known."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tenure.manifests import Loaded, SourcedObject, build
from tenure.manifests.history import (
    PreemptionMessage,
    preemption_message,
    previously,
    read_preemption_message,
)
from tenure.readings import preset
from tenure_play import parse_scenario
from tenure_play.export import cluster_at
from tenure_play.postmortem.answer import earlier_text, past_answer, preemption_record
from tenure_play.postmortem.answer_types import Certainty, PastAnswer
from tenure_play.postmortem.text import past_outline
from tests.tenure_play.plays import queue, scenario, submit

RELEASED = preset("released")
HOUR = 3600 * 10**9
RECLAIMS = {"reclaimWithinCohort": "Any"}


def cohort_play() -> dict[str, Any]:
    """Two queues of one cohort: the first borrows, the second reclaims after two hours."""
    events = [
        submit("0s", "old", "a", 1, work="5h"),
        submit("1h", "victim", "a", 1, work="20h"),
        submit("2h", "owner", "b", 1, work="3h"),
    ]
    return scenario([queue("a", 1, "all"), queue("b", 1, "all", preemption=RECLAIMS)], events, until="9h")


def objects_at(raw: dict[str, Any], hours: float) -> list[dict[str, Any]]:
    """The objects of a play, so many hours after its start."""
    made = parse_scenario(raw)
    return copy.deepcopy(cluster_at(made, RELEASED, made.start + int(hours * HOUR))[0])


def loaded_of(objects: list[dict[str, Any]]) -> Loaded:
    return build(SourcedObject("", found) for found in objects)


def named(objects: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(found for found in objects if found["metadata"]["name"] == name)


def condition_of(workload: dict[str, Any], kind: str) -> dict[str, Any]:
    conditions: list[dict[str, Any]] = workload["status"]["conditions"]
    return next(condition for condition in conditions if condition["type"] == kind)


def asked(objects: list[dict[str, Any]], counterfactuals: int = 0) -> PastAnswer:
    """What is answered about the victim."""
    loaded = loaded_of(objects)
    record = preemption_record(loaded, "default/victim")
    assert record is not None
    return past_answer(loaded, record, 10**18, RELEASED, counterfactuals)


def test_the_cause_is_confirmed_hours_later() -> None:
    answer = asked(objects_at(cohort_play(), 3))
    assert answer.certainty == Certainty.CONFIRMED
    assert (answer.preemptor, answer.reason) == ("default/owner", "InCohortReclamation")
    assert (answer.cluster_queue, answer.preemptor_queue) == ("a", "b")
    assert [chain.rules for chain in answer.chains] == [("KQ-320", "KQ-330", "KQ-350")]
    assert answer.replay == "default/owner preempts default/victim (InCohortReclamation)"
    assert past_outline(answer).parts[0] == (
        "default/victim was preempted at 2026-01-05T11:00:00Z for default/owner, InCohortReclamation: "
        "recorded, and confirmed by deciding again"
    )


def test_a_second_chain_is_told_where_it_is_not_excluded() -> None:
    raw = cohort_play()
    for found in raw["objects"]:
        if found["kind"] == "ClusterQueue" and found["metadata"]["name"] == "b":
            found["spec"]["preemption"] = {**RECLAIMS, "withinClusterQueue": "LowerPriority"}
    answer = asked(objects_at(raw, 3))
    assert answer.certainty == Certainty.CONFIRMED
    assert [chain.rules[-1] for chain in answer.chains] == ["KQ-350", "KQ-360"]


def test_nothing_is_said_that_was_only_assumed() -> None:
    answer = asked(objects_at(cohort_play(), 3), counterfactuals=9)
    assert answer.counterfactuals is not None
    assert answer.counterfactuals.nearest
    told = [
        *(remark.text for remark in answer.remarks),
        *(change.text for change in answer.counterfactuals.nearest),
    ]
    assert not [text for text in told if "reserved" in text or "minAdmitDuration" in text]
    assert not [
        change for change in answer.counterfactuals.nearest if change.field.startswith("spec.podSets")
    ]


@pytest.mark.parametrize("gone", ["owner", "old"])
def test_what_is_no_longer_there_leaves_the_record_alone(gone: str) -> None:
    objects = [found for found in objects_at(cohort_play(), 3) if found["metadata"]["name"] != gone]
    answer = asked(objects)
    assert answer.certainty == Certainty.RECORDED
    assert answer.preemptor == (None if gone == "owner" else "default/owner")
    assert answer.preemptor_uid == "default/owner"
    assert ("KQ-320", "KQ-330", "KQ-350") in [chain.rules for chain in answer.chains]
    assert answer.remarks == ()


def test_a_workload_of_the_same_name_and_another_uid_is_not_the_preemptor() -> None:
    objects = objects_at(cohort_play(), 3)
    named(objects, "owner")["metadata"]["uid"] = "another"
    assert asked(objects).preemptor is None


def test_a_finished_preemptor_and_finished_others_count_as_long_as_they_are_there() -> None:
    objects = objects_at(cohort_play(), 3)
    for name in ("owner", "old"):
        ended = {"type": "Finished", "status": "True", "reason": "Succeeded", "message": ""}
        since = {"lastTransitionTime": "2026-01-05T11:30:00Z"}
        named(objects, name)["status"]["conditions"].append({**ended, **since})
    answer = asked(objects)
    assert (answer.certainty, answer.preemptor) == (Certainty.CONFIRMED, "default/owner")


def test_a_tree_that_was_changed_since_is_not_decided_in() -> None:
    objects = objects_at(cohort_play(), 3)
    next(found for found in objects if found["kind"] == "ClusterQueue")["spec"]["cohortName"] = "other"
    answer = asked(objects)
    assert answer.certainty == Certainty.RECORDED
    because = "ClusterQueue a was /all/a then, and is /other/a today"
    assert answer.replay == f"not decided again: {because}"
    assert answer.summary.endswith(f": recorded; not decided again, because {because}")


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("message", "Preempted to accommodate a higher priority Workload"),
        ("message", "Somebody else wrote this (UID: default/old)"),
        (
            "message",
            "Preempted to accommodate a workload (UID: default/owner) due to fair sharing within the cohort",
        ),
        ("reason", "OfAnotherScheduler"),
    ],
)
def test_a_record_that_is_not_understood_names_no_cause(field: str, text: str) -> None:
    objects = objects_at(cohort_play(), 3)
    condition_of(named(objects, "victim"), "Preempted")[field] = text
    answer = asked(objects)
    assert answer.certainty == Certainty.UNKNOWN
    assert answer.remarks == ()
    if field == "message":
        assert answer.preemptor is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Preempted to accommodate a workload (UID: u1) in the cohort", PreemptionMessage("u1")),
        (
            "Preempted to accommodate a workload (UID: u1) due to prioritization in the ClusterQueue",
            PreemptionMessage("u1", reason="InClusterQueue"),
        ),
        (
            "Preempted to accommodate a workload (UID: u1, JobUID: j1) due to Fair Sharing within the cohort",
            PreemptionMessage("u1", "j1", "InCohortFairSharing"),
        ),
        (
            "Preempted to accommodate a workload (UID: UNKNOWN, JobUID: UNKNOWN) due to UNKNOWN; "
            "preemptor path: UNKNOWN; preemptee path: /b",
            PreemptionMessage("", victim_path=("b",)),
        ),
    ],
)
def test_the_messages_of_each_release_are_read(text: str, told: PreemptionMessage) -> None:
    assert read_preemption_message(text) == told
    assert read_preemption_message(previously(text)) == told


@pytest.mark.parametrize("reason", ["InClusterQueue", "InCohortFairSharing", "InCohortReclaimWhileBorrowing"])
def test_a_written_message_is_read_back(reason: str) -> None:
    told = PreemptionMessage("u1", "j1", reason, ("all", "a"), ("all", "b"))
    assert read_preemption_message(preemption_message(reason, told)) == told


def test_who_runs_again_mentions_the_earlier_preemption() -> None:
    loaded = loaded_of(objects_at(cohort_play(), 8))
    victim = next(workload for workload in loaded.cluster.admitted if workload.name == "victim")
    assert preemption_record(loaded, victim.key) is None
    text = earlier_text(loaded, victim)
    assert text is not None
    assert text.startswith("was preempted before 2026-01-05T14:00:01Z, when it got quota again, for ")
    assert text.endswith("a workload that is no longer there (UID default/owner): InCohortReclamation")


def test_all_that_one_workload_preempted_are_named_together() -> None:
    events = [
        submit("0s", "victim", "q", 1),
        submit("0s", "beside", "q", 1),
        submit("1h", "wide", "q", 2, 5),
    ]
    raw = scenario([queue("q", 2, preemption={"withinClusterQueue": "LowerPriority"})], events, until="9h")
    answer = asked(objects_at(raw, 2))
    assert (answer.certainty, answer.together) == (Certainty.CONFIRMED, ("default/beside",))
    assert [chain.rules for chain in answer.chains] == [("KQ-040", "KQ-010")]


def test_a_victim_whose_pods_still_end_is_told_its_cause() -> None:
    raw = {**cohort_play(), "timing": {"eviction": "1h"}}
    assert asked(objects_at(raw, 2.5)).certainty == Certainty.CONFIRMED


def test_a_flavor_that_is_not_known_is_tried() -> None:
    raw = cohort_play()
    for found in raw["objects"]:
        if found["kind"] == "ClusterQueue" and found["metadata"]["name"] == "a":
            more = {"name": "spot", "resources": [{"name": "cpu", "nominalQuota": 0}]}
            found["spec"]["resourceGroups"][0]["flavors"].insert(0, more)
    raw["objects"].append({"kind": "ResourceFlavor", "metadata": {"name": "spot"}})
    answer = asked(objects_at(raw, 3))
    assert answer.certainty == Certainty.CONFIRMED
    assert "on which flavors default/victim ran" in answer.unknown


def test_a_preemptor_of_whom_only_the_admission_is_known_is_decided_on_its_flavors() -> None:
    raw = cohort_play()
    raw["objects"].append({"kind": "ResourceFlavor", "metadata": {"name": "spot"}})
    for found in raw["objects"]:
        if found["kind"] == "ClusterQueue" and found["metadata"]["name"] == "b":
            spot = {"name": "spot", "resources": [{"name": "cpu", "nominalQuota": 5}]}
            found["spec"]["resourceGroups"][0]["flavors"].insert(0, spot)
        if found["metadata"]["name"] == "spot":
            found["spec"] = {"nodeLabels": {"kind": "spot"}}
    owner = raw["events"][2]["submit"]
    manifest = {
        "metadata": {"namespace": "default", "name": "owner"},
        "spec": {
            "queueName": "b",
            "podSets": [
                {
                    "name": "main",
                    "count": 1,
                    "template": {
                        "spec": {
                            "nodeSelector": {"kind": "other"},
                            "containers": [{"name": "main", "resources": {"requests": {"cpu": "1"}}}],
                        }
                    },
                }
            ],
        },
    }
    raw["events"][2]["submit"] = {"manifest": manifest, "work": owner["work"]}
    answer = asked(objects_at(raw, 3), counterfactuals=5)
    assert answer.certainty == Certainty.CONFIRMED
    assert answer.counterfactuals is None
    assert any(text.endswith("is taken, on the same flavors") for text in answer.unknown)


@pytest.mark.parametrize("wrong", ["uid", "created"])
def test_a_preemptor_that_cannot_be_is_not_confirmed(wrong: str) -> None:
    objects = objects_at(cohort_play(), 3)
    if wrong == "uid":
        told = condition_of(named(objects, "victim"), "Preempted")
        told["message"] = told["message"].replace("default/owner", "default/victim")
    else:
        named(objects, "owner")["metadata"]["creationTimestamp"] = "2026-01-05T11:30:00Z"
    answer = asked(objects)
    assert answer.certainty == (Certainty.UNKNOWN if wrong == "uid" else Certainty.RECORDED)
    assert answer.preemptor == (None if wrong == "uid" else "default/owner")


def test_an_eviction_that_is_no_preemption_is_told_as_one() -> None:
    objects = objects_at(cohort_play(), 3)
    victim = named(objects, "victim")
    evicted = condition_of(victim, "Evicted")
    evicted.update(reason="PodsReadyTimeout", message="Exceeded the PodsReady timeout")
    victim["status"]["conditions"] = [condition_of(victim, "QuotaReserved"), evicted]
    answer = asked(objects)
    assert answer.certainty == Certainty.NOT_PREEMPTED
    assert answer.summary == (
        "default/victim was evicted at 2026-01-05T11:00:00Z, PodsReadyTimeout: "
        "that is not a preemption, and no workload took its quota"
    )
    assert (answer.preemptor, answer.chains, answer.unknown) == (None, (), ())
    evicted["reason"] = "Preempted"
    assert asked(objects).certainty == Certainty.UNKNOWN


def test_another_reason_than_the_recorded_one_confirms_nothing() -> None:
    objects = objects_at(cohort_play(), 3)
    condition = condition_of(named(objects, "victim"), "Preempted")
    condition["reason"] = "InCohortReclaimWhileBorrowing"
    condition["message"] = condition["message"].replace("the cohort;", "the cohort while borrowing;")
    answer = asked(objects)
    assert answer.certainty == Certainty.RECORDED
    assert [chain.rules[-1] for chain in answer.chains] == ["KQ-340"]
    found = "default/owner preempts default/victim (InCohortReclamation)"
    assert answer.replay.startswith(f"{found}; the record differs (")
    assert answer.summary.endswith(f": recorded, but deciding again contradicts it: {found}")


def test_a_victim_more_than_is_recorded_confirms_nothing() -> None:
    events = [submit("0s", name, "q", 1) for name in ("victim", "beside")] + [submit("1h", "wide", "q", 2, 5)]
    raw = scenario([queue("q", 2, preemption={"withinClusterQueue": "LowerPriority"})], events, until="9h")
    objects = objects_at(raw, 2)
    others = [found for found in objects if found["metadata"]["name"] != "beside"]
    answer = asked([*others, named(objects_at(raw, 0.5), "beside")])
    assert (answer.certainty, answer.together) == (Certainty.RECORDED, ())
    assert "default/beside (InClusterQueue)" in answer.replay


def test_who_was_admitted_in_the_same_second_may_have_run() -> None:
    objects = objects_at(cohort_play(), 3)
    old = named(objects, "old")
    old["spec"]["priority"] = 5
    condition_of(old, "QuotaReserved")["lastTransitionTime"] = "2026-01-05T11:00:00Z"
    answer = asked(objects)
    assert answer.certainty == Certainty.CONFIRMED
    assert any(text.startswith("whether default/old held quota then") for text in answer.unknown)


@pytest.mark.parametrize(("created", "doubted"), [("10:30", True), ("11:10", False)])
def test_who_is_evicted_later_may_have_run_if_it_was_there(created: str, doubted: bool) -> None:
    objects = objects_at(cohort_play(), 3)
    late = copy.deepcopy(named(objects, "victim"))
    late["metadata"].update(name="late", uid="late", creationTimestamp=f"2026-01-05T{created}:00Z")
    for condition in late["status"]["conditions"]:
        condition["lastTransitionTime"] = "2026-01-05T11:20:00Z"
    answer = asked([*objects, late])
    assert any(text.startswith("whether default/late held quota then") for text in answer.unknown) == doubted


def test_the_preemptor_is_decided_in_the_queue_that_the_record_names() -> None:
    objects = objects_at(cohort_play(), 3)
    named(objects, "owner")["status"]["admission"]["clusterQueue"] = "a"
    answer = asked(objects)
    assert (answer.certainty, answer.preemptor_queue) == (Certainty.CONFIRMED, "b")
