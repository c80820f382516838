"""A running Kueue does what `tenure next` forecasts, and `tenure why` explains what it did."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.live.over_time.__main__ import over_time, report
from tests.live.over_time.at_once import Burst, drawn
from tests.live.over_time.compare import Course, differences, forecast, holding_of
from tests.live.over_time.draws import API, pods_of
from tests.live.over_time.faults import FAULTS
from tests.live.over_time.races import Situation, explained
from tests.live.over_time.story import Tally
from tests.live.plane import Plane
from tests.live.server import Object

CLUSTERS, SEED = 24, 1
AT = "2026-11-27T12:00:00Z"


@pytest.fixture(scope="module")
def tally(plane: Plane) -> Tally:
    """What some clusters come to; `python -m tests.live.over_time` plays more."""
    found = Tally()
    over_time(plane, list(range(CLUSTERS)), SEED, found)
    print(f"\nseed {SEED}", *report(found), sep="\n")
    return found


def test_kueue_does_as_forecast(tally: Tally) -> None:
    assert tally.unexplained == []
    assert tally.counts["clusters"] == CLUSTERS
    assert tally.counts["preemptions"] > CLUSTERS / 2


def test_why_confirms_every_preemption(tally: Tally) -> None:
    answers = {what: number for what, number in tally.counts.items() if what.startswith("why: ")}
    assert answers.keys() == {"why: confirmed"}


def test_every_fault_is_noticed(tally: Tally) -> None:
    assert tally.noticed.keys() == FAULTS.keys()


def test_many_jobs_at_once_are_forecast_to_the_last_holder(plane: Plane) -> None:
    said, real, _ = drawn("once", 120, SEED).play(plane)
    assert differences(said, real) == []
    assert len(real.holding) > 10


def test_a_strict_head_gets_quota_before_a_workload_that_was_set_aside_is_woken(plane: Plane) -> None:
    jobs = [(0, "p0", 1, 1), (1, "p100", 1, 1)]
    said, real, before = Burst("head", ["StrictFIFO", "BestEffortFIFO"], jobs, (1, 0)).play(plane)
    assert (list(said.holding), list(real.holding)) == (["j1"], ["j0"])
    assert explained(real, Situation(before)) == "woken within a second"


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
    assert at_once.holding == {"w2": ((1, (("example.com/gpu", "f0"),)),)}
    real = replace(at_once, holding={"w2": ((1, (("example.com/gpu", "f1"),)),)})
    assert explained(real, Situation(dump, evicts, drained)) == "evicted one after the other"
    assert explained(replace(real, holding={}), Situation(dump, evicts, drained)) == ""


def cluster() -> list[Object]:
    """A StrictFIFO queue that borrows, and a drained one from which it does."""
    made = [of_kind("ResourceFlavor", name, {}) for name in ("f0", "f1")]
    for i, strategy, nominal in ((0, "StrictFIFO", 0), (1, "BestEffortFIFO", 4)):
        flavors = [
            {"name": name, "resources": [{"name": "example.com/gpu", "nominalQuota": str(nominal)}]}
            for name in ("f0", "f1")
        ]
        spec = {
            "cohortName": "co",
            "namespaceSelector": {},
            "queueingStrategy": strategy,
            "resourceGroups": [{"coveredResources": ["example.com/gpu"], "flavors": flavors}],
            "stopPolicy": "HoldAndDrain" if i else "None",
        }
        made += [
            of_kind("ClusterQueue", f"q{i}", spec),
            of_kind("LocalQueue", f"lq{i}", {"clusterQueue": f"q{i}"}),
        ]
    return made


def workload(name: str, queue: str) -> Object:
    pods = {"name": "main", "count": 1, "template": pods_of({"example.com/gpu": "4"})}
    return of_kind("Workload", f"job-{name}-00000", {"queueName": queue, "priority": 0, "podSets": [pods]})


def holder(name: str, flavor: str) -> Object:
    """The same with quota of the second queue."""
    pods = {
        "name": "main",
        "count": 1,
        "flavors": {"example.com/gpu": flavor},
        "resourceUsage": {"example.com/gpu": "4"},
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
