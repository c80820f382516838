"""The trace engine does what `play` does, event by event, and says what it leaves to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tenure.fast.compiled import COMPILED
from tenure.fast.tables import NEWER_EQUAL
from tenure.fast.uncovered import Uncovered
from tenure.readings import preset
from tenure.timeline import parse_scenario
from tenure.timeline.record import Result
from tenure.timeline.trace import build, events, search, simulate, turns
from tests.traces.drawn import drawn
from tests.traces.equality import Compared, difference

SEEDS = (*range(28, 60), 88, 145, 286, 368)
"""Of plays that are quickly played, and together show every result and every reason."""
JOBS = 30


def test_every_event_of_random_plays_is_the_same() -> None:
    compared = Compared()
    for seed in SEEDS:
        assert difference(*drawn(seed, JOBS), compared) == ""
    assert compared.results.keys() == {str(result) for result in Result}
    assert len(compared.reasons) == 4


def test_tables_that_are_full_grow_in_the_middle_of_a_play(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "ROWS", 0)
    assert difference(*drawn(8, JOBS), Compared()) == ""


WRONG: Mapping[str, tuple[Any, str, Callable[..., Any]]] = {
    "nothing is put back": (search, "_fill_back", lambda *_: None),
    "all equals are newer": (search, "_ground_among_equals", lambda *_: NEWER_EQUAL),
    "the head before stays in no heap": (events, "_displace_head", lambda *_: None),
    "what the cycle gave to others is forgotten": (turns, "_still_fits", lambda *_: True),
    "no quota is kept for a head without candidates": (turns, "_reserve", lambda *_: None),
    "the end of protected time wakes no workload": (turns, "run_out", lambda *_: None),
}
"""Mistakes that only the engine could make: where, what, and what does it wrong."""
NOTICED_BY = {
    "nothing is put back": 34,
    "all equals are newer": 17,
    "the head before stays in no heap": 16,
    "what the cycle gave to others is forgotten": 37,
    "no quota is kept for a head without candidates": 62,
    "the end of protected time wakes no workload": 40,
}
"""The seed of a play that shows each."""


@pytest.mark.skipif(COMPILED, reason="compiled functions do not look up what they call")
@pytest.mark.parametrize("wrong", WRONG)
def test_a_mistake_of_the_engine_is_noticed(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    module, name, function = WRONG[wrong]
    monkeypatch.setattr(module, name, function)
    assert difference(*drawn(NOTICED_BY[wrong], JOBS), Compared())


QUEUE = {"nominalQuota": 4, "name": "nvidia.com/gpu"}
UNCOVERED: Mapping[str, Mapping[str, Any]] = {
    "an event Tick": {"events": [{"at": "1s", "tick": True}]},
    "evictions that take no time": {"timing": {}},
    "gates of the queues": {"gates": {"PrioritizePreemptorWorkloads": True}},
    "several trees or cohorts in cohorts": {"cohort": "other"},
    "several flavors or resources": {"flavors": ["gpu", "spot"]},
    "fair sharing": {"configuration": {"fairSharing": {"preemptionStrategies": ["LessThanInitialShare"]}}},
    "a ClusterQueue that is a hero, inactive or in no cohort": {"spec": {"stopPolicy": "Hold"}},
    "durations of decades": {"timing": {"eviction": "400000h"}},
    "pods that do not ask for an amount of one resource": {"requests": {"nvidia.com/gpu": 1, "cpu": 1}},
}
"""What is left to `play`, and what makes it so."""


def _scenario(changes: Mapping[str, Any]) -> dict[str, Any]:
    flavors = changes.get("flavors", ["gpu"])
    objects: list[dict[str, Any]] = [
        {"kind": "ResourceFlavor", "metadata": {"name": name}} for name in flavors
    ]
    for name, cohort in (("a", "all"), ("b", changes.get("cohort", "all"))):
        quotas = [{"name": flavor, "resources": [QUEUE]} for flavor in flavors]
        groups = [{"coveredResources": ["nvidia.com/gpu"], "flavors": quotas}]
        spec = {"cohortName": cohort, "resourceGroups": groups, **changes.get("spec", {})}
        objects.append({"kind": "ClusterQueue", "metadata": {"name": name}, "spec": spec})
        local = {"namespace": "default", "name": name}
        objects.append({"kind": "LocalQueue", "metadata": local, "spec": {"clusterQueue": name}})
    if "configuration" in changes:
        api = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration"}
        objects.append({**api, **changes["configuration"]})
    requests = changes.get("requests", {"nvidia.com/gpu": 1})
    submit = {"at": "2s", "submit": {"name": "j", "queue": "a", "requests": requests, "work": "9s"}}
    return {
        "until": "1m",
        "objects": objects,
        "events": [submit, *changes.get("events", ())],
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
        simulate(scenario, preset("guaranteed"))
    assert refused.value.what == reason
