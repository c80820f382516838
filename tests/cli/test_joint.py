"""The joint effect: the headline of `diff` and `decide --all-pending`, and preemptions in vain."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tenure import registration
from tenure.cli.bundled import schema
from tests.command_line import tenure
from tests.objects import a_group, a_list, a_local_queue, a_queue, a_workload, admitted_to, an_object

NOW = ("--now", "2026-03-02T14:00:00Z")
GPU = "nvidia.com/gpu"
CONFIGURED = Path(__file__).parents[1] / "recorded" / "preemption-config.yaml"
Raw = dict[str, Any]


def asking(name: str, queue: str, gpus: int, priority: int, *, created: str = "12:00", **spec: Any) -> Raw:
    at = f"2026-03-02T{created}:00Z"
    return a_workload(name, {GPU: str(gpus)}, created=at, queueName=queue, priority=priority, **spec)


def dump(folder: Path, *, spare: int = 0, late: bool = True, name: str = "cluster.json") -> str:
    """A queue that borrows, whose preemptor loses the quota to another one that comes while pods end.

    Args:
        folder: where the file is.
        spare: GPUs that nothing holds.
        late: whether the other one is still in back-off when the preemption begins.
    """
    preemption = {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"}
    queues = [
        a_queue(
            queue,
            a_group("a100", resource=GPU, quota=str(quota)),
            cohortName="all",
            preemption=preemption,
            namespaceSelector={},
        )
        for queue, quota in (("research", 4 + spare), ("dev", 2))
    ]
    owner = asking("owner", "dev", 2, 100)
    if late:
        owner["status"] = {"requeueState": {"count": 1, "requeueAt": "2026-03-02T14:00:10Z"}}
    objects = [
        an_object("ResourceFlavor", "a100"),
        *queues,
        *(a_local_queue(queue, "ml", queue) for queue in ("research", "dev")),
        admitted_to("research", asking("low", "research", 4, 10), "a100", "2026-03-02T13:00:00Z"),
        admitted_to("research", asking("keep", "research", 2, 1000), "a100", "2026-03-02T13:00:00Z"),
        asking("old", "research", 4, 100),
        owner,
    ]
    file = folder / name
    file.write_text(json.dumps(a_list(objects)), encoding="utf-8")
    return str(file)


def answered(command: str, name: str, *words: str) -> Raw:
    done = tenure(command, *words, *NOW, "-o", "json")
    assert done.returncode == 0, done.stderr.decode()
    answer: Raw = json.loads(done.stdout)
    assert [error.message for error in Draft202012Validator(schema(name)).iter_errors(answer)] == []
    return answer


def lines(*words: str) -> list[str]:
    done = tenure(*words, *NOW)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines()


VAIN = "! ml/low is preempted for ml/old, which does not get the quota: ml/owner does"


@pytest.mark.parametrize("words", [("next",), ("decide", "-a")])
def test_a_preemption_in_vain_is_flagged_below_the_headline(words: tuple[str, ...], tmp_path: Path) -> None:
    assert lines(*words, dump(tmp_path))[1] == VAIN


def test_a_difference_flags_what_is_in_vain_after_the_change(tmp_path: Path) -> None:
    file, more = dump(tmp_path), dump(tmp_path, spare=2, name="more.json")
    assert lines("diff", more, file)[1] == f"{VAIN}."
    ended = lines("diff", file, more)
    assert not any(line.startswith("!") for line in ended)
    assert ended[1] == "No preemption for ml/old is in vain any more; before, that of ml/low was."
    joint = answered("diff", "diff", file, more)["joint"]
    assert joint["noLongerInVain"] == joint["before"]["inVain"] != []
    raised = ("--set", "clusterqueue/research.spec.preemption.reclaimWithinCohort=LowerPriority")
    assert lines("diff", file, *raised)[1] == f"{VAIN}; before too."
    assert f"{VAIN}." in lines("diff", more, file, "-o", "markdown")


def test_json_names_victims_preemptor_and_who_gets_the_quota(tmp_path: Path) -> None:
    file = dump(tmp_path)
    expected = {
        "preemptor": "ml/old",
        "victims": ["ml/low"],
        "instead": ["ml/owner"],
        "text": VAIN.removeprefix("! "),
    }
    assert answered("next", "next", file)["inVain"] == [expected]
    assert answered("decide", "pending", "-a", file)["joint"]["inVain"] == [expected]


@pytest.mark.parametrize("spare", [2, 4])
def test_a_preemptor_that_gets_the_quota_is_not_in_vain(spare: int, tmp_path: Path) -> None:
    answer = answered("next", "next", dump(tmp_path, spare=spare))
    assert answer["inVain"] == []
    admitted = {
        head["workload"] for cycle in answer["cycles"] for head in cycle["heads"] if head["assignment"]
    }
    assert admitted == {"ml/old", "ml/owner"}


def test_a_preemptor_that_is_preempted_after_its_admission_was_not_in_vain(tmp_path: Path) -> None:
    file = Path(dump(tmp_path, spare=2))
    boss = asking("boss", "research", 4, 1000)
    boss["status"] = {"requeueState": {"count": 1, "requeueAt": "2026-03-02T14:02:00Z"}}
    raw = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**raw, "items": [*raw["items"], boss]}), encoding="utf-8")
    answer = answered("next", "next", str(file))
    heads = [head for cycle in answer["cycles"] for head in cycle["heads"]]
    assert {"ml/old"} <= {each["workload"] for head in heads for each in head["preempts"]}
    assert answer["inVain"] == []


def test_a_preemption_whose_pods_have_not_ended_is_not_in_vain_yet(tmp_path: Path) -> None:
    answer = answered("next", "next", dump(tmp_path), "--eviction", "2h", "--until", "1h")
    assert answer["inVain"] == []


def test_a_forecast_for_one_workload_leaves_open_what_becomes_of_others(tmp_path: Path) -> None:
    answer = answered("next", "next", "ml/owner", dump(tmp_path))
    assert (answer["ended"], answer["inVain"]) == ("admitted", [])


def test_all_pending_workloads_start_wait_or_are_not_decided(tmp_path: Path) -> None:
    answer = answered("decide", "pending", "-a", dump(tmp_path))
    joint = answer["joint"]
    started = [start["workload"] for start in joint["starts"]]
    assert (started, joint["waiting"], joint["notDecided"]) == (["ml/owner"], ["ml/old"], [])
    assert joint["summary"] == (
        "Jointly 1 of 2 pending workloads starts (ml/owner); 1 is preempted (ml/low); 1 still waits"
    )
    assert sorted(row["workload"] for row in answer["pending"]) == sorted([*started, *joint["waiting"]])


def test_one_cluster_queue_has_the_joint_effect_on_its_workloads(tmp_path: Path) -> None:
    file = dump(tmp_path)
    research = ("decide", "-a", "--cluster-queue", "research", file)
    first, vain, *_ = lines(*research)
    assert first == (
        "Jointly 0 of 1 pending workload of ClusterQueue research start; "
        "1 is preempted for these or in this ClusterQueue (ml/low); 1 still waits"
    )
    assert vain == VAIN
    joint = answered("decide", "pending", *research[1:])["joint"]
    assert (joint["clusterQueue"], joint["starts"], joint["waiting"]) == ("research", [], ["ml/old"])
    first, *_ = lines("decide", "-a", "--cluster-queue", "dev", dump(tmp_path, late=False))
    assert first == (
        "Jointly 1 of 1 pending workload of ClusterQueue dev starts (ml/owner); "
        "1 is preempted for these or in this ClusterQueue (ml/low); 0 still wait"
    )
    assert "clusterQueue" not in answered("decide", "pending", "-a", file)["joint"]


def test_a_verbose_decision_has_what_becomes_of_the_workload_and_its_victims(tmp_path: Path) -> None:
    file = dump(tmp_path)
    found = lines("decide", "-w", "ml/old", "-v", file)
    place = found.index("  Jointly ml/old still waits; it preempts its victim")
    assert found[place + 1] == f"  {VAIN}"
    outcome = answered("decide", "decide", "-w", "ml/old", "-v", file)["jointly"]
    assert outcome["admittedAt"] is None
    assert [each["workload"] for each in outcome["preempted"]] == ["ml/low"]
    assert (outcome["kept"], [each["preemptor"] for each in outcome["inVain"]]) == ([], ["ml/old"])
    assert "jointly" not in answered("decide", "decide", "-w", "ml/old", file)


def test_a_victim_that_another_workload_preempts_is_counted_so(tmp_path: Path) -> None:
    file = dump(tmp_path, late=False)
    found = lines("decide", "-w", "ml/old", "-v", file)
    assert "  Jointly ml/old still waits; others preempt its victim (ml/low)" in found
    found = lines("decide", "-w", "ml/owner", "-v", file)
    assert "  Jointly ml/owner starts in about 30s; it preempts its victim" in found


def test_without_a_package_that_plays_cycles_all_else_is_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = dump(tmp_path)
    before = answered("decide", "pending", "-a", file)
    table = lines("decide", "-a", file)
    monkeypatch.setattr("tenure.cli.decide_run.added", lambda *_: None)
    after = answered("decide", "pending", "-a", file)
    assert {**after, "joint": before["joint"]} == before
    assert lines("decide", "-a", file) == table[table.index("") + 1 :]


def test_the_package_that_plays_cycles_is_registered() -> None:
    assert registration.added("tenure.forecasts", "joint").__module__ == "tenure_play.forecast.joint"


def test_the_joint_effect_of_a_change_comes_first_and_each_job_alone_below(tmp_path: Path) -> None:
    quota = "clusterqueue/research.spec.resourceGroups[0].flavors[0].resources[0].nominalQuota=10"
    words = ("diff", dump(tmp_path, late=False), "--set", quota)
    first, alone, *rest = lines(*words)
    assert first == (
        "Jointly 1 more starts (ml/old); 1 is no longer preempted (ml/low); 0 still wait, before 1."
    )
    assert alone.startswith("Each taken alone: 2 of 2 pending workloads are decided otherwise; 0 more and 1 ")
    listed = rest[rest.index("Decided otherwise, each job taken alone") :]
    assert len(listed) == 3
    assert all("taken alone: " in line for line in listed[1:])
    joint = answered("diff", "diff", *words[1:])["joint"]
    assert [start["workload"] for start in joint["starts"]] == ["ml/old"]
    assert [each["workload"] for each in joint["noLongerPreempted"]] == ["ml/low"]
    assert (joint["noLongerStarts"], joint["preempted"]) == ([], [])
    markdown = lines(*words, "-o", "markdown")
    assert markdown[2] == first
    assert "### Start with the change only, jointly" in markdown


def test_no_pending_workload_in_a_tree_that_is_reached_is_no_number(tmp_path: Path) -> None:
    file = dump(tmp_path)
    assert lines("diff", file, file)[0] == (
        "Jointly nothing changes: no pending workload is in a tree that the change reaches."
    )


def test_a_change_that_changes_no_course_counts_what_stays(tmp_path: Path) -> None:
    raised = ("--set", "workload/ml/old.spec.priority=101")
    assert lines("diff", dump(tmp_path), *raised)[0] == (
        "Jointly nothing changes: 1 starts, 1 is preempted, 1 waits on either side."
    )


def test_a_side_that_cannot_be_played_is_not_known_and_keeps_the_answers_taken_alone(tmp_path: Path) -> None:
    file = dump(tmp_path)
    items = json.loads(Path(file).read_text(encoding="utf-8"))["items"]
    configuration = {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "waitForPodsReady": {"timeout": "5m", "blockAdmission": True},
    }
    blocked = tmp_path / "blocked.json"
    changed = copy.deepcopy(items)
    changed[1]["spec"]["preemption"]["withinClusterQueue"] = "Never"
    blocked.write_text(json.dumps(a_list([*changed, configuration])), encoding="utf-8")
    first, alone, *_ = lines("diff", file, str(blocked))
    assert first.startswith("Jointly not known: ")
    assert "blockAdmission" in first
    assert alone.startswith("Each taken alone: 1 of 2 pending workloads is decided otherwise; ")
    joint = answered("diff", "diff", file, str(blocked))["joint"]
    assert (joint["starts"], joint["preempted"]) == ([], [])
    assert joint["after"]["notDecided"] == ["ml/old", "ml/owner"]
    assert lines("decide", "-a", str(blocked))[0].startswith("Jointly 2 not known: ")


def test_a_tree_that_is_not_modelled_is_counted_apart(tmp_path: Path) -> None:
    now, file = ("--now", "2026-09-01T10:00:00Z"), tmp_path / "cluster.yaml"
    parts = CONFIGURED.read_text().split("---\n")
    file.write_text("---\n".join(part for part in parts if "kind: PreemptionConfig" not in part))
    done = tenure("decide", str(file), "-a", *now, "-o", "json")
    joint = json.loads(done.stdout)["joint"]
    known = {*(start["workload"] for start in joint["starts"]), *joint["waiting"]}
    assert "hero/incoming" in joint["notDecided"]
    assert known.isdisjoint(joint["notDecided"])
    assert "PreemptionConfig" in " ".join(joint["notKnown"])
    change = ("--set", "clusterqueue/hero.spec.preemption.withinClusterQueue=LowerPriority")
    done = tenure("diff", str(file), *change, *now, "-o", "json")
    joint = json.loads(done.stdout)["joint"]
    assert "not known" in joint["summary"]
    assert joint["before"]["notDecided"] == joint["after"]["notDecided"] != []


def line_of(folder: Path, *priorities: int) -> str:
    """A full ClusterQueue of 4 GPUs in which workloads of one GPU wait, w0 first, which may preempt none."""
    queue = a_queue("lab", a_group("a100", resource=GPU, quota="4"), namespaceSelector={})
    objects = [
        an_object("ResourceFlavor", "a100"),
        queue,
        a_local_queue("lab", "ml", "lab"),
        admitted_to("lab", asking("runs", "lab", 4, 10), "a100", "2026-03-02T13:00:00Z"),
        *(
            asking(f"w{number}", "lab", 1, priority, created=f"12:0{number}")
            for number, priority in enumerate(priorities)
        ),
    ]
    file = folder / "line.json"
    file.write_text(json.dumps(a_list(objects)), encoding="utf-8")
    return str(file)


def of_field(answer: Raw, end: str) -> Raw:
    found: Raw
    (found,) = [each for each in answer["counterfactuals"]["nearest"] if each["field"].endswith(end)]
    return found


def test_a_change_that_would_help_one_job_alone_lets_in_those_before_it(tmp_path: Path) -> None:
    answer = answered("why-not", "why-not", "ml/w2", line_of(tmp_path, 10, 10, 10))
    quota = of_field(answer, "nominalQuota")
    assert (quota["new"], quota["after"]) == ("5", "fits")
    assert quota["jointly"] == {
        "admittedAt": None,
        "first": ["ml/w0"],
        "text": "jointly it still waits: 2 others are before it in ClusterQueue lab; ml/w0 goes first",
    }
    assert quota["text"].endswith(f", taken alone; {quota['jointly']['text']}")
    played = answered("next", "next", line_of(tmp_path, 10, 10, 10), "--set", f"{LAB}=5")
    assert [
        head["workload"] for cycle in played["cycles"] for head in cycle["heads"] if head["assignment"]
    ] == ["ml/w0"]


LAB = "clusterqueue/lab.spec.resourceGroups[0].flavors[0].resources[0].nominalQuota"


def test_a_change_that_lets_the_head_in_starts_it(tmp_path: Path) -> None:
    quota = of_field(answered("why-not", "why-not", "ml/w0", line_of(tmp_path, 10, 10)), "nominalQuota")
    assert quota["jointly"] == {
        "admittedAt": NOW[1],
        "first": [],
        "text": "jointly it starts now",
    }


def test_who_is_admitted_after_it_in_the_same_cycle_does_not_go_first(tmp_path: Path) -> None:
    file = Path(line_of(tmp_path, 10, 10))
    items = json.loads(file.read_text(encoding="utf-8"))["items"]
    items[1]["spec"]["cohortName"] = "all"
    own = a_group("a100", resource=GPU, quota="1", lendingLimit="0")
    later = asking("later", "other", 1, 10, created="12:30")
    items += [a_queue("other", own, namespaceSelector={}, cohortName="all"), later]
    items.append(a_local_queue("other", "ml", "other"))
    file.write_text(json.dumps(a_list(items)), encoding="utf-8")
    nearest = answered("why-not", "why-not", "ml/w0", str(file))["counterfactuals"]["nearest"]
    (quota,) = [each for each in nearest if each["object"] == "ClusterQueue/lab" and each["new"] == "5"]
    assert (quota["jointly"]["text"], quota["jointly"]["first"]) == ("jointly it starts now", [])


def test_a_job_that_waits_alone_has_no_joint_fate(tmp_path: Path) -> None:
    quota = of_field(answered("why-not", "why-not", "ml/w0", line_of(tmp_path, 10)), "nominalQuota")
    assert quota["jointly"] is None
    assert "taken alone" not in quota["text"]


def test_why_not_of_a_victim_has_no_joint_fate(tmp_path: Path) -> None:
    answer = answered("why-not", "why-not", "ml/w0", "ml/runs", line_of(tmp_path, 20, 10))
    assert answer["counterfactuals"]["nearest"]
    assert all(each["jointly"] is None for each in answer["counterfactuals"]["nearest"])
