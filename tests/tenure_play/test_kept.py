"""What a play keeps from one cycle to the next is what it would find from scratch; parts of a record."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from random import Random

import pytest

from tenure.conformance.requests import read_decide_request
from tenure.engines import memo
from tenure.errors import InputError
from tenure.model import Instant
from tenure.oracle.classical import finds_no_target
from tenure.oracle.decide import decide
from tenure.oracle.question import Question, Selection
from tenure.oracle.search import find_targets
from tenure.oracle.snapshot import take_snapshot
from tenure.readings import Reading, preset, preset_names
from tenure.rules.cycle import protection_ended_at
from tenure.rules.reservation import quota_reservation_time
from tenure_lab.generators.options import ALL_FEATURES
from tenure_lab.generators.scenarios import examples
from tenure_play import Scenario, parse_scenario, play
from tenure_play.cycle import CycleRun, Nominee
from tenure_play.record import RecordParts
from tenure_play.state import PlayState, Snapshots
from tenure_play.timers import timers_after
from tests.properties import cuts, past
from tests.sampling import sample
from tests.tenure_simulate.trace.drawn import drawn
from tests.tenure_simulate.trace.drawn_trees import drawn_in_trees

LITTLE = RecordParts(heads=False, story=False, loop=False)


def plays(seeds: range) -> Iterator[tuple[Scenario, Reading]]:
    """One cohort, trees with several flavors, classes that grow with edits and restarts, deletions."""
    for seed in seeds:
        yield drawn(seed, 30)
        yield drawn_in_trees("both", seed, 20)
        reading = preset(Random(seed).choice(list(preset_names())))
        yield parse_scenario(cuts.drawn(seed)), reading
        yield parse_scenario(past.crowded(Random(seed))), reading


def holding(world: PlayState) -> Iterator[Instant]:
    """When the protected time of each who holds quota ends, on the scenario's clock."""
    for actor in world.alive.values():
        duration = world.protection(actor.queue)
        if actor.holds and duration is not None:
            reserved = quota_reservation_time(actor.workload, world.clock)
            yield protection_ended_at(reserved, duration) - world.offset


def test_what_is_kept_is_what_is_found_from_scratch(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[str] = Counter()
    nominated = CycleRun._nominated

    def doubted(cycle: CycleRun, snapshots: Snapshots) -> list[Nominee]:
        entries, world = nominated(cycle, snapshots), cycle.world
        running = tuple(actor.workload for actor in world.alive.values() if actor.holds)
        cluster = dataclasses.replace(world.cluster, admitted=running)
        for entry in entries:
            queue = entry.actor.queue
            kept, fresh = snapshots.of(queue), take_snapshot(cluster, queue, world.clock, world.reading)
            assert dataclasses.replace(kept, cluster=cluster) == fresh
            alone = decide(cluster, entry.actor.workload, queue, world.clock, world.reading)
            assert (entry.outcome, entry.decision.targets) == (alone.outcome, alone.targets)
            assert (entry.decision.assignment, entry.decision.now) == (alone.assignment, alone.now)
            asked[str(entry.outcome)] += 1
        if not world.cluster.growing:
            later = [at for at in holding(world) if at > world.now]
            assert [timer.at for timer in timers_after(world, world.now)] == [
                at for at in later if at == min(later)
            ]
            asked["timers"] += bool(later)
        return entries

    monkeypatch.setattr(CycleRun, "_nominated", doubted)
    for scenario, reading in plays(range(sample(4, 60))):
        play(scenario, reading)
    assert min(asked[outcome] for outcome in ("Fit", "Preempt", "NoCandidates", "NoFit", "timers")) > 10


def test_whoever_a_play_does_not_look_for_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: Counter[bool] = Counter()

    def doubted(question: Question) -> bool:
        hopeless = finds_no_target(question)
        if hopeless:
            assert find_targets(question).kept == ()
        seen[hopeless] += 1
        return hopeless

    def searched(question: Question) -> Selection:
        doubted(question)
        return find_targets(question)

    monkeypatch.setattr(memo, "finds_no_target", doubted)
    for scenario, reading in plays(range(sample(6, 40))):
        play(scenario, reading)
    for raw in examples(sample(400, 6_000), 5, features=ALL_FEATURES):
        asked = read_decide_request(raw)
        with suppress(InputError):  # a class whose policy is refused
            decide(asked.cluster, asked.preemptor, asked.queue, asked.now, asked.reading, search=searched)
    assert min(seen.values()) > 100


@pytest.mark.parametrize("seed", range(sample(3, 30)))
def test_a_record_has_the_parts_that_are_asked_for(seed: int) -> None:
    for scenario, reading in plays(range(seed, seed + 1)):
        whole, little = play(scenario, reading), play(scenario, reading, LITTLE)
        assert (little.story, little.loop) == ((), None)
        assert [cycle.heads for cycle in little.cycles] == [()] * len(whole.cycles)
        cycles = [dataclasses.replace(cycle, heads=()) for cycle in whole.cycles]
        expected = dataclasses.replace(whole, story=(), loop=None, cycles=tuple(cycles))
        assert dataclasses.replace(little, story=()) == expected
        assert len(whole.story) == len(list(whole.story))
        assert whole.story[: len(whole.story)] == tuple(whole.story)


def test_a_story_of_a_million_lines_holds_the_name_of_a_workload_once() -> None:
    story = play(*next(plays(range(1, 2)))).story
    names = Counter(name for name in {id(line.workload): line.workload for line in story}.values() if name)
    assert len(story) > 2 * len(names) > 0
    assert set(names.values()) == {1}
