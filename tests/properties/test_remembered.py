"""What a play remembers between its decisions changes none of them, whatever the reading.

Every timeline is played twice: as it is, and with all thrown away that only saves work. These are the terms
of ClusterQueues, snapshots of trees, searches that were made for another workload or in an earlier cycle,
answers, shares, and in which order workloads wait. What
Kueue itself remembers (who waits aside, who is kept at the head) stays: it is what the rules of the cycle are
about. And all that wait at an instant of a timeline are decided together, and each alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import pytest

from tenure.choices import Engine
from tenure.engines import Batch, Searches, memo
from tenure.errors import InputError
from tenure.model import Assignment, Cluster, Workload
from tenure.oracle.bounded import with_bounded_usage
from tenure.oracle.decide import Decision
from tenure.oracle.decide import decide as decide_by_reference
from tenure.oracle.door import NotAllowed
from tenure.oracle.question import Question, Selection
from tenure.oracle.search import find_targets
from tenure.oracle.shares import SharesOf
from tenure.oracle.snapshot import Snapshot, take_snapshot
from tenure.readings import CHOICES, PROOFS_ONLY, Reading, preset
from tenure.rules.terms import terms_of
from tenure_play import Record, parse_scenario, play
from tenure_play import cycle as cycles
from tenure_play import state as states
from tenure_play.engine import world_at
from tests.properties.cuts import drawn
from tests.sampling import sample
from tests.tenure_play.plays import queue

ASKED = ("same_priority_gate", "newer_than", "requeue_order")
"""What keys of searches depend on: every combination is played, whatever the other choices are."""

DECIDED_AGAIN = 44
"""A play in which heads are decided again within their cycle; the first ones have none."""

SEEDS = {*range(1, sample(2, 60) + 1), DECIDED_AGAIN}


def choices(key: str) -> list[Any]:
    """The choices of a key that decisions are made under."""
    return [choice for choice in CHOICES[key] if choice != PROOFS_ONLY.get(key)]


def readings(seed: int) -> Iterator[Reading]:
    """Every combination of the keys of ASKED; the others are drawn for each."""
    dice = Random(f"reading {seed}")
    for asked in product(*map(choices, ASKED)):
        others = {key: dice.choice(choices(key)) for key in CHOICES if key not in ASKED}
        yield replace(preset("guaranteed"), name="drawn", **dict(zip(ASKED, asked, strict=True)), **others)


def timeline(seed: int) -> dict[str, Any]:
    """A timeline of several ClusterQueues; in every second one a hero is among them."""
    raw, dice = drawn(seed), Random(f"hero {seed}")
    cohort = any("cohortName" in made.get("spec", {}) for made in raw["objects"])
    if seed % 2 == 0 and cohort:
        hero = queue("hero", dice.randint(0, 2), "all", preemption={"rules": "UberClusterQueueRules"})
        local = {"metadata": {"namespace": "default", "name": "hero"}, "spec": {"clusterQueue": "hero"}}
        raw["objects"] += [hero, {"kind": "LocalQueue", **local}]
        asked = {"queue": "hero", "requests": {"cpu": dice.randint(1, 3)}, "work": "300s"}
        raw["events"] += [
            {"at": f"{dice.randrange(900)}s", "submit": {"name": f"h{number}", "priority": 1, **asked}}
            for number in range(3)
        ]
    return raw


class Counted:
    """Finds targets, and counts how often it is asked."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, question: Question) -> Selection:
        self.times += 1
        return find_targets(question)


class Forgetful(Batch):
    """Decisions of one cycle, each from the objects alone."""

    search = Counted()

    def snapshot(self, queue_name: str) -> Snapshot:
        return with_bounded_usage(take_snapshot(self._cluster, queue_name, self._now, self._reading))

    def decide(self, preemptor: Workload, queue_name: str, assignment: Assignment | None = None) -> Decision:
        asked = self._cluster, preemptor, queue_name, self._now, self._reading, assignment
        return decide_by_reference(*asked, search=self.search)


def snapshots_anew(world: states.PlayState) -> states.Snapshots:
    """What the decisions of a cycle look at, found from all workloads that there are."""
    for known in (world._terms, world._roots, world._trees):
        known.clear()
    for queued in world.queues.values():
        queued.reorder(queued.strategy, queued._order)
    admitted = tuple(actor.workload for actor in world.holders())
    cluster = replace(world.cluster, admitted=admitted, pending=())
    return states.Snapshots(Forgetful(Engine.REFERENCE, cluster, world.clock, world.reading))


def counted_anew(shares: SharesOf, usage: Any, place: int) -> Any:
    """A share, of which nothing was counted before."""
    return OF(SharesOf(shares._tree), usage, place)


OF = SharesOf.of


def played(raw: dict[str, Any], reading: Reading) -> Record | str:
    """The record, or why there is none."""
    try:
        return play(parse_scenario(raw), reading)
    except InputError as error:
        return str(error)


def differing(patch: pytest.MonkeyPatch, seeds: Iterable[int]) -> tuple[list[str], int, int]:
    """Which plays come out otherwise where nothing is remembered, and how often targets were searched for."""
    found: list[str] = []
    remembering, forgetting = Counted(), Counted()
    for seed in seeds:
        for reading in readings(seed):
            with patch.context() as remembered:
                remembered.setattr(memo, "find_targets", remembering)
                as_it_is = played(timeline(seed), reading)
            with patch.context() as forgotten:
                forgotten.setattr(Forgetful, "search", forgetting)
                forgotten.setattr(states.PlayState, "snapshots", snapshots_anew)
                forgotten.setattr(cycles, "Searches", lambda **_: forgetting)
                forgotten.setattr(SharesOf, "of", counted_anew)
                forgotten.setattr(
                    states.PlayState,
                    "terms",
                    lambda world, name: terms_of(
                        world.cluster.cluster_queues[name], world.cluster.settings, world.reading
                    ),
                )
                anew = played(timeline(seed), reading)
            if as_it_is != anew:
                found.append(f"seed {seed}, {reading.choices()}")
    return found, remembering.times, forgetting.times


def test_what_is_remembered_between_decisions_changes_none_under_any_combination_of_choices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found, remembering, forgetting = differing(monkeypatch, SEEDS)
    assert found == []
    # Something was remembered.
    assert 0 < remembering < forgetting


def test_terms_that_are_kept_when_a_cluster_queue_is_edited_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(states.PlayState, "take_objects", keeping_terms)
    found = (differing(monkeypatch, range(seed, seed + 1))[0] for seed in range(1, 61))
    assert any(found)


class Lasting(dict[str, Any]):
    """Terms that are never thrown away."""

    def clear(self) -> None:
        pass


def keeping_terms(world: states.PlayState, cluster: Any) -> None:
    world._terms = Lasting(world._terms)
    TAKE(world, cluster)


TAKE = states.PlayState.take_objects


def waiting_at(seed: int, reading: Reading) -> tuple[Cluster, int, list[tuple[Workload, str]]]:
    """The cluster and the clock at an instant of a timeline that a seed draws, and many that could wait then.

    Of each ClusterQueue those that wait, and its running workloads as if they waited, each as old as whatever
    its age may be compared with, and one second more or less.
    """
    made, dice = parse_scenario(timeline(seed)), Random(f"at {seed}")
    world = world_at(made, reading, made.start + dice.randrange(made.end - made.start))
    admitted = tuple(actor.workload for actor in world.holders())
    cluster = replace(world.cluster, admitted=admitted, pending=())
    waiting = []
    for name, queued in world.queues.items():
        running = [workload for workload in admitted if workload.cluster_queue == name]
        stamps = {at for one in running for at in (one.created_at, one.quota_reserved_at) if at is not None}
        here = (*queued.active.values(), *queued.parked.values(), *queued.resting.values())
        for template in [*(actor.workload for actor in here), *running]:
            asks = replace(
                template, name="asks", uid="asks", quota_reserved_at=None, cluster_queue=None, usage={}
            )
            waiting += [
                (replace(asks, created_at=at + later), name)
                for at in sorted(stamps)
                for later in (-(10**9), 0, 10**9)
            ]
    dice.shuffle(waiting)
    return cluster, world.clock, waiting[:60]


def told(decision: Decision) -> object:
    return decision.outcome, [(target.workload.key, target.reason) for target in decision.targets]


def _together(batch: Batch, workload: Workload, name: str) -> object:
    try:
        return told(batch.decide(workload, name))
    except NotAllowed as error:
        return str(error)


def decided_otherwise(seeds: range) -> tuple[set[str], int]:
    """Under which choices some workload is decided otherwise together with others; how many were decided."""
    found: set[str] = set()
    decided = 0
    for seed in seeds:
        for reading in readings(seed):
            try:
                cluster, now, waiting = waiting_at(seed, reading)
            except InputError:
                continue
            batch = Batch(Engine.AUTO, cluster, now, reading)
            for workload, name in waiting:
                decided += 1
                alone = decide_by_reference(cluster, workload, name, now, reading)
                if _together(batch, workload, name) != told(alone):
                    found.add(", ".join(f"{key}: {reading.choices()[key]}" for key in ASKED))
    return found, decided


def test_those_that_wait_are_decided_together_as_each_is_alone() -> None:
    found, decided = decided_otherwise(range(1, sample(10, 200) + 1))
    assert found == set()
    assert decided > 500


def test_a_search_that_is_kept_whatever_the_age_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Searches, "age", lambda *_: 0)
    found = (decided_otherwise(range(seed, seed + 1))[0] for seed in range(1, 101))
    assert any(found)
