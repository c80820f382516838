"""A running Kueue does what `tenure next` forecasts, and `tenure why` explains what it did."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.live.over_time.__main__ import over_time, report
from tests.live.over_time.at_once import Burst, drawn
from tests.live.over_time.compare import Course, PodSets, differences, forecast, holding_of, repeats_as
from tests.live.over_time.draws import API, PRIORITIES, pods_of
from tests.live.over_time.faults import FAULTS
from tests.live.over_time.ledger import KINDS
from tests.live.over_time.races import Situation, explained
from tests.live.over_time.story import Tally
from tests.live.plane import Plane
from tests.live.server import Object

CLUSTERS, SEED = 24, 1
AT = "2026-11-27T12:00:00Z"
GPU = "example.com/gpu"


@pytest.fixture(scope="module")
def tally(plane: Plane) -> Tally:
    """What some clusters come to; `python -m tests.live.over_time` plays more."""
    found = Tally()
    over_time(plane, list(range(CLUSTERS)), SEED, found)
    print(f"\nseed {SEED}", *report(found), sep="\n")
    return found


def test_kueue_does_as_forecast(tally: Tally, plane: Plane) -> None:
    """A difference counts where it is found again: what a slow machine alone has done is not."""
    numbers = {int(one.cluster.removeprefix(f"t{SEED}x")) for one in tally.unexplained}
    again = Tally()
    over_time(plane, sorted(numbers), SEED, again)
    assert again.unexplained == []
    assert len(numbers) <= CLUSTERS / 8
    assert tally.counts["clusters"] == CLUSTERS
    assert tally.counts["preemptions"] > CLUSTERS / 2


def test_why_confirms_every_preemption(tally: Tally) -> None:
    """Where the cluster had gone on before it was read, what is recorded is all that there is."""
    answers = {what: number for what, number in tally.counts.items() if what.startswith("why: ")}
    assert answers.keys() <= {"why: confirmed", "why: recorded"}
    assert answers["why: confirmed"] > 0.9 * sum(answers.values())


def test_every_fault_is_noticed(tally: Tally) -> None:
    assert tally.noticed.keys() == FAULTS.keys()


@pytest.mark.usefixtures("tally")
def test_every_cluster_is_removed(plane: Plane) -> None:
    paths = ("batch/v1/jobs", *(f"{API}/{kind}" for kind in (*KINDS, "workloadpriorityclasses")))
    left = [one["metadata"] for path in paths for one in plane.get(f"/apis/{path}")["items"]]
    places = [one.get("namespace", one["name"]) for one in left]
    assert [one for one in places if one in PRIORITIES or one.startswith((f"t{SEED}x", "tpulse"))] == []


def test_many_jobs_at_once_are_forecast_to_the_last_holder(plane: Plane) -> None:
    said, real, _ = drawn("once", 120, SEED).play(plane)
    assert differences(said, real) == []
    assert len(real.holding) > 10


def test_a_strict_head_gets_quota_before_a_workload_that_was_set_aside_is_woken(plane: Plane) -> None:
    jobs = [(0, "p0", 1, 1), (1, "p100", 1, 1)]
    said, real, before = Burst("head", ["StrictFIFO", "BestEffortFIFO"], jobs, (1, 0)).play(plane)
    assert (list(said.holding), list(real.holding)) == (["j1"], ["j0"])
    assert explained(real, Situation(before)) == "woken within a second"


@pytest.mark.parametrize(
    ("times", "other", "is_loop"),
    [(5, [], True), (400, [], True), (4, [], False), (5, [("w8", "w3", "", "")], False)],
)
def test_a_forecast_loop_has_begun_where_kueue_repeats_it_and_nothing_else(
    times: int, other: list[tuple[str, str, str, str]], is_loop: bool
) -> None:
    pair = ("w9", "w7", "InCohortFairSharing", "")
    said = Course({}, [pair] * 3, [], repeats=True)
    real = Course({}, [pair] * times + other, [])
    assert repeats_as(said, real) is is_loop
    assert not repeats_as(replace(said, repeats=False), real)


RECORDED = json.loads(Path(__file__).with_name("equivalent.json").read_text(encoding="utf-8"))


def test_a_race_explains_what_it_predicts_and_nothing_else() -> None:
    before = RECORDED["before"]
    kept = {name: pods for name, pods in holding_of(before).items() if name in RECORDED["holding"]}
    assert differences(forecast(before, {}), Course(kept, [], [])) != []
    assert explained(Course(kept, [], []), Situation(before)) == "equivalent to a workload that was set aside"
    assert explained(Course({}, [], []), Situation(before)) == ""


def test_of_several_evictions_each_returns_its_quota_in_its_turn() -> None:
    drained = {name: holder(name, flavor) for name, flavor in (("w0", "f0"), ("w1", "f1"))}
    evicts = dict.fromkeys(drained, "ClusterQueueStopped")
    waiting = workload("w2", "lq0")
    dump = [*cluster(), waiting, *(workload(name, "lq1") for name in drained)]
    at_once = forecast(dump, evicts)
    assert at_once.holding == {"w2": one_pod("f0")}
    real = replace(at_once, holding={"w2": one_pod("f1")})
    assert explained(real, Situation(dump, evicts, drained)) == "evicted one after the other"
    assert explained(replace(real, holding={}), Situation(dump, evicts, drained)) == ""


def test_after_a_skip_the_search_goes_on_with_the_next_flavor() -> None:
    borrowing, own = workload("w0", "lq0"), workload("w1", "lq1")
    borrowing["spec"]["podSets"][0] |= {"count": 2, "minCount": 1, "template": pods_of({GPU: "2"})}
    own["spec"]["podSets"][0]["template"] = pods_of({GPU: "2"})
    dump = [*cluster(lends=(4, 2), stops="None"), borrowing, own]
    said = forecast(dump, {})
    assert (said.skipped, said.holding["w0"]) == ({"w0"}, one_pod("f0"))
    real = replace(said, holding={**said.holding, "w0": one_pod("f1")})
    assert explained(real, Situation(dump)) == "search goes on with the next flavor"
    assert explained(replace(real, holding={"w1": one_pod("f1")}), Situation(dump)) == ""
    alone = [one for one in dump if one is not own]
    assert forecast(alone, {}).skipped == set()
    assert explained(replace(real, holding={"w0": one_pod("f1")}), Situation(alone)) == ""


def test_those_that_wait_are_tried_before_a_workload_is_replaced() -> None:
    larger, waiting = workload("w0", "lq0"), workload("w1", "lq0")
    larger["spec"] |= {"priority": 100}
    larger["spec"]["podSets"][0]["count"] = 3
    dump = [*cluster(stops="None"), larger, waiting]
    said = forecast(dump, {})
    assert said.holding == {}
    real = replace(said, holding={"w1": one_pod("f0")})
    assert explained(real, Situation(dump, replaced="w0")) == "tried before a workload was replaced"
    assert explained(real, Situation(dump)) == ""
    assert explained(replace(real, holding={"w1": one_pod("f1")}), Situation(dump, replaced="w0")) == ""


def one_pod(flavor: str) -> PodSets:
    return ((1, ((GPU, flavor),)),)


def cluster(*, lends: tuple[int, int] = (4, 4), stops: str = "HoldAndDrain") -> list[Object]:
    """A StrictFIFO queue that borrows on two flavors, and one, drained unless said otherwise, that lends."""
    made = [of_kind("ResourceFlavor", name, {}) for name in ("f0", "f1")]
    for i, strategy, nominal in ((0, "StrictFIFO", (0, 0)), (1, "BestEffortFIFO", lends)):
        flavors = [
            {"name": name, "resources": [{"name": GPU, "nominalQuota": str(amount)}]}
            for name, amount in zip(("f0", "f1"), nominal, strict=True)
        ]
        spec = {
            "cohortName": "co",
            "namespaceSelector": {},
            "queueingStrategy": strategy,
            "resourceGroups": [{"coveredResources": [GPU], "flavors": flavors}],
            "stopPolicy": stops if i else "None",
        }
        made += [
            of_kind("ClusterQueue", f"q{i}", spec),
            of_kind("LocalQueue", f"lq{i}", {"clusterQueue": f"q{i}"}),
        ]
    return made


def workload(name: str, queue: str) -> Object:
    pods = {"name": "main", "count": 1, "template": pods_of({GPU: "4"})}
    return of_kind("Workload", f"job-{name}-00000", {"queueName": queue, "priority": 0, "podSets": [pods]})


def holder(name: str, flavor: str) -> Object:
    """The same with quota of the second queue."""
    pods = {
        "name": "main",
        "count": 1,
        "flavors": {GPU: flavor},
        "resourceUsage": {GPU: "4"},
    }
    reserved = {
        "type": "QuotaReserved",
        "status": "True",
        "reason": "QuotaReserved",
        "message": "",
        "lastTransitionTime": AT,
    }
    admission = {"clusterQueue": "q1", "podSetAssignments": [pods]}
    return {**workload(name, "lq1"), "status": {"admission": admission, "conditions": [reserved]}}


def of_kind(kind: str, name: str, spec: Object) -> Object:
    metadata = {"name": name, "namespace": "ml", "uid": name, "creationTimestamp": AT}
    return {"apiVersion": API, "kind": kind, "metadata": metadata, "spec": spec}
