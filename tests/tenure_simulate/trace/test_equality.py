"""The trace engine does what `play` does, event by event, and says what it leaves to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from tenure.readings import preset
from tenure_play import parse_scenario
from tenure_play.record import Result
from tenure_simulate.core.compiled import COMPILED
from tenure_simulate.core.shares import INFINITE
from tenure_simulate.core.uncovered import Uncovered
from tenure_simulate.trace import (
    build,
    events,
    flavors,
    pending,
    simulate,
    steps,
    tournament,
    trees,
    turns,
    waiting_groups,
)
from tenure_simulate.trace.tables import ACTIVE, PARKED, UNPARKED, Lines, TracePlay
from tests.tenure_simulate.trace.drawn import drawn
from tests.tenure_simulate.trace.drawn_growing import drawn_growing
from tests.tenure_simulate.trace.drawn_trees import drawn_in_trees
from tests.tenure_simulate.trace.equality import Compared, difference

SEEDS = (*range(28, 60), 88, 135, 145, 286, 368)
"""Of plays that are quickly played, and together show every result and every reason."""
JOBS = 30


def test_every_event_of_random_plays_is_the_same() -> None:
    compared = Compared()
    for seed in SEEDS:
        assert difference(*drawn(seed, JOBS), compared) == ""
    assert compared.results.keys() == {str(result) for result in Result}
    assert len(compared.reasons) == 4


TREES: Mapping[str, Sequence[int]] = {
    "trees": (100, 101, 102, 103, 104, 105),
    "flavors": (100, 101, 102, 103, 104, 105),
    "resources": (100, 101, 102, 103, 104, 105),
    "both": (100, 101, 102, 103, 104, 105),
    "inactive": (100, 101, 102, 103, 104, 105),
    "fair": (1, 2, 3, 4, 5, 6, 7, 8),
    "fair both": (1, 2, 3, 4, 5, 6, 7, 8),
}
"""Seeds of plays in trees that are quickly played, by kind."""


def test_every_event_of_random_plays_in_trees_is_the_same() -> None:
    compared = Compared()
    for kind, seeds in TREES.items():
        for seed in seeds:
            assert difference(*drawn_in_trees(kind, seed, 25), compared) == ""
    assert compared.reasons.keys() == {
        "InClusterQueue",
        "InClusterQueueTimeBased",
        "InCohortReclamation",
        "InCohortFairSharing",
    }


@pytest.mark.skipif(COMPILED, reason="compiled functions do not look up what they call")
def test_what_fair_sharing_may_be_occurs_in_random_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    beats, cohorts, weights = tournament._beats, Counter[bool](), Counter[bool]()

    def noticed(play: Any, held: Any, node: int, other: int) -> bool:
        is_queue = play.trees.forest.is_queue
        cohorts[not is_queue[node] and not is_queue[other]] += 1
        weights[held.share[node] == INFINITE] += 1
        return beats(play, held, node, other)

    monkeypatch.setattr(tournament, "_beats", noticed)
    strategies, gates = set(), set()
    for kind in ("fair", "fair both"):
        for seed in TREES[kind]:
            scenario, reading = drawn_in_trees(kind, seed, 25)
            simulate(scenario, reading)
            strategies.add(scenario.cluster.settings.fair_sharing)
            gates.add(scenario.cluster.settings.fair_sharing_preempt_within_nominal)
    assert len(strategies) == 3
    assert gates == {False, True}
    assert cohorts[True]
    assert weights[True]


GROWN: Mapping[str, Sequence[int]] = {
    "growing": (1, 2, 4, 6, 7, 8),
    "growing trees": (1, 2, 4, 7, 8),
    "growing both": (1, 4, 5, 6, 7),
    "boosted": (2, 4, 6, 8),
    "growing boosted": (2, 4, 6, 7),
    "growing fair": (1, 2, 3, 4),
}
"""Seeds of plays in which priorities move, by kind."""


def test_every_event_of_random_plays_is_the_same_where_priorities_move() -> None:
    compared = Compared()
    for kind, seeds in GROWN.items():
        for seed in seeds:
            assert difference(*drawn_growing(kind, seed, 25), compared) == ""
    assert compared.plays_stepped > 12
    assert len(compared.reasons) == 4


def test_a_job_that_asks_for_what_no_clusterqueue_has_is_no_job_of_a_flat_cohort() -> None:
    scenario = parse_scenario(_scenario({"requests": {"cpu": 1}}))
    assert difference(scenario, preset("guaranteed"), Compared()) == ""
    assert not len(simulate(scenario, preset("guaranteed")).runs)


def test_clusterqueues_of_different_flavors_share_no_quota() -> None:
    scenario = parse_scenario(_scenario({"flavors": ["gpu", "spot"], "apart": True, "size": 5}))
    assert difference(scenario, preset("guaranteed"), Compared()) == ""
    assert not len(simulate(scenario, preset("guaranteed")).runs)


def test_tables_that_are_full_grow_in_the_middle_of_a_play(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "ROWS", 0)
    assert difference(*drawn(8, JOBS), Compared()) == ""


WRONG: Mapping[str, tuple[Any, str, Callable[..., Any]]] = {
    "the head before stays in no heap": (events, "_displace_head", lambda *_: None),
    "what the cycle gave to others is forgotten": (turns, "_still_fits", lambda *_: True),
    "no quota is kept for a head without candidates": (turns, "_reserve", lambda *_: None),
    "the end of protected time wakes no workload": (turns, "run_out", lambda *_: None),
}
WRONG_IN_TREES: Mapping[str, tuple[Any, str, Callable[..., Any]]] = {
    "nothing is borrowed from above": (flavors, "level_of", lambda *_: (0, False)),
    "a job of a tree is charged nowhere": (trees, "_charge_held", lambda *_: None),
    "an evicted job is like one that runs": (events, "note_evicted", lambda *_: None),
    "what the cycle preempts is preempted again": (turns, "mark_leaving", lambda *_: None),
    "the first flavor is taken": (flavors, "tries_next_flavor", lambda *_: False),
    "no quota is kept in trees": (turns, "keep_in_trees", lambda *_: None),
    "heads take their turns as without fair sharing": (turns, "bring_fairest", lambda *_: None),
    "the first of several siblings wins": (tournament, "_beats", lambda *_: False),
    "a share is counted without the head": (tournament, "charge_held", lambda *_: None),
    "weights count for nothing": (tournament, "weigh", lambda ratio, _: max(ratio, 0.0)),
    "no node would borrow": (tournament, "_borrows", lambda *_: False),
}


def _born_when_it_joins(play: TracePlay, job: int, given: Lines | None) -> None:
    if given is not None:
        steps._follow_course(play, given, job, given.spans[given.members.course[job]])


def _parked_alone(play: TracePlay, given: Lines, job: int, parks: bool) -> None:
    waiting_groups.put_in(given, play.jobs, job, PARKED if parks else UNPARKED)
    play.state[ACTIVE] += not parks


WRONG_WHERE_PRIORITIES_MOVE: Mapping[str, tuple[Any, str, Callable[..., Any]]] = {
    "a step wakes no workload": (steps, "wake_one", lambda *_: None),
    "a fall wakes no workload": (steps, "wake_queue", lambda *_: None),
    "what runs keeps the priority that it began with": (steps, "rank_row", lambda *_: None),
    "every job is born when it joins": (events, "begin_course", _born_when_it_joins),
    "a job parks without those like it": (pending, "requeue_in_lines", _parked_alone),
}
"""Mistakes that only the engine could make: where, what, and what does it wrong."""
NOTICED_BY = {
    "the head before stays in no heap": 16,
    "what the cycle gave to others is forgotten": 37,
    "no quota is kept for a head without candidates": 62,
    "the end of protected time wakes no workload": 40,
}
"""The seed of a play that shows each."""
NOTICED_IN_TREES: Mapping[str, tuple[str, int]] = {
    "nothing is borrowed from above": ("trees", 103),
    "a job of a tree is charged nowhere": ("flavors", 100),
    "an evicted job is like one that runs": ("resources", 140),
    "what the cycle preempts is preempted again": ("trees", 101),
    "the first flavor is taken": ("flavors", 100),
    "no quota is kept in trees": ("trees", 101),
    "heads take their turns as without fair sharing": ("fair", 1),
    "the first of several siblings wins": ("fair both", 1),
    "a share is counted without the head": ("fair", 2),
    "weights count for nothing": ("fair both", 2),
    "no node would borrow": ("fair both", 2),
}

NOTICED_WHERE_PRIORITIES_MOVE: Mapping[str, tuple[str, int]] = {
    "a step wakes no workload": ("growing", 6),
    "a fall wakes no workload": ("growing trees", 2),
    "what runs keeps the priority that it began with": ("growing trees", 4),
    "every job is born when it joins": ("growing", 6),
    "a job parks without those like it": ("growing trees", 4),
}


@pytest.mark.skipif(COMPILED, reason="compiled functions do not look up what they call")
@pytest.mark.parametrize("wrong", WRONG)
def test_a_mistake_of_the_engine_is_noticed(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    module, name, function = WRONG[wrong]
    monkeypatch.setattr(module, name, function)
    assert difference(*drawn(NOTICED_BY[wrong], JOBS), Compared())


@pytest.mark.skipif(COMPILED, reason="compiled functions do not look up what they call")
@pytest.mark.parametrize("wrong", WRONG_IN_TREES)
def test_a_mistake_in_trees_is_noticed(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    module, name, function = WRONG_IN_TREES[wrong]
    monkeypatch.setattr(module, name, function)
    assert difference(*drawn_in_trees(*NOTICED_IN_TREES[wrong], 25), Compared())


@pytest.mark.skipif(COMPILED, reason="compiled functions do not look up what they call")
@pytest.mark.parametrize("wrong", WRONG_WHERE_PRIORITIES_MOVE)
def test_a_mistake_where_priorities_move_is_noticed(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    module, name, function = WRONG_WHERE_PRIORITIES_MOVE[wrong]
    monkeypatch.setattr(module, name, function)
    assert difference(*drawn_growing(*NOTICED_WHERE_PRIORITIES_MOVE[wrong], 25), Compared())


def _twin(number: int) -> dict[str, Any]:
    """A workload whose uid is that of the others."""
    container = {"resources": {"requests": {"nvidia.com/gpu": 1}}}
    pods = {"name": "main", "count": 1, "template": {"spec": {"containers": [container]}}}
    spec = {"queueName": "a", "podSets": [pods]}
    return {"metadata": {"name": f"k{number}", "uid": "same"}, "spec": spec}


QUEUE = {"nominalQuota": 4, "name": "nvidia.com/gpu"}
UNCOVERED: Mapping[str, Mapping[str, Any]] = {
    "an event Tick": {"events": [{"at": "1s", "tick": True}]},
    "evictions that take no time": {"timing": {}},
    "gates of the queues": {"gates": {"PrioritizePreemptorWorkloads": True}},
    "flavors with taints": {"flavors": ["gpu"], "taints": [{"key": "a", "effect": "NoSchedule"}]},
    "fair sharing among workloads that share a uid": {
        "configuration": {"fairSharing": {"preemptionStrategies": ["LessThanInitialShare"]}},
        "events": [{"at": f"{number}s", "submit": {"manifest": _twin(number)}} for number in (3, 4)],
    },
    "heroes beside fair sharing": {
        "configuration": {"fairSharing": {"preemptionStrategies": ["LessThanInitialShare"]}},
        "spec": {"preemption": {"rules": "UberClusterQueueRules"}},
    },
    "a ClusterQueue that counts pods": {"covers": ["nvidia.com/gpu", "pods"]},
    "a class whose priority falls from above its max": {"class": {"step": -1, "max": 0}},
    "a class whose priority takes more steps than are counted": {"class": {"step": 1, "max": 2**30}},
    "durations of decades": {"timing": {"eviction": "400000h"}},
    "pods that ask for nothing, or for more than can be counted": {"requests": {"nvidia.com/gpu": 2**41}},
}
"""What is left to `play`, and what makes it so."""


def _scenario(changes: Mapping[str, Any]) -> dict[str, Any]:
    flavors = changes.get("flavors", ["gpu"])
    objects: list[dict[str, Any]] = [
        {
            "kind": "ResourceFlavor",
            "metadata": {"name": name},
            "spec": {"nodeTaints": changes.get("taints", [])},
        }
        for name in flavors
    ]
    covers = changes.get("covers", ["nvidia.com/gpu"])
    for name, cohort in (("a", "all"), ("b", changes.get("cohort", "all"))):
        resources = [{**QUEUE, "name": resource} for resource in covers]
        mine = flavors if not changes.get("apart") else flavors[:1] if name == "a" else flavors[1:]
        quotas = [{"name": flavor, "resources": resources} for flavor in mine]
        groups = [{"coveredResources": covers, "flavors": quotas}]
        spec = {"cohortName": cohort, "resourceGroups": groups, **changes.get("spec", {})}
        objects.append({"kind": "ClusterQueue", "metadata": {"name": name}, "spec": spec})
        local = {"namespace": "default", "name": name}
        objects.append({"kind": "LocalQueue", "metadata": local, "spec": {"clusterQueue": name}})
    if "configuration" in changes:
        api = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration"}
        objects.append({**api, **changes["configuration"]})
    if "class" in changes:
        policy = {**changes["class"], "delayForStep": "500us"}
        spec = {"priority": 1, "dynamicPriorityPolicy": policy}
        objects.append({"kind": "WorkloadPriorityClass", "metadata": {"name": "c"}, "spec": spec})
    requests = changes.get("requests", {"nvidia.com/gpu": changes.get("size", 1)})
    job: dict[str, Any] = {"name": "j", "queue": "a", "requests": requests, "work": "9s"}
    if "class" in changes:
        job["priorityClass"] = "c"
    return {
        "until": "1m",
        "objects": objects,
        "events": [{"at": "2s", "submit": job}, *changes.get("events", ())],
        "timing": changes.get("timing", {"eviction": "1s"}),
        **({"gates": changes["gates"]} if "gates" in changes else {}),
    }


def test_what_is_covered_is_simulated() -> None:
    found = simulate(parse_scenario(_scenario({})), preset("guaranteed"))
    assert found.runs.shape == (1, 8)


@pytest.mark.parametrize("reason", UNCOVERED)
def test_what_the_engine_does_not_cover_is_left_to_play_by_name(reason: str) -> None:
    scenario = parse_scenario(_scenario(UNCOVERED[reason]))
    with pytest.raises(Uncovered) as refused:
        simulate(scenario, preset("as-written"))
    assert refused.value.what == reason
