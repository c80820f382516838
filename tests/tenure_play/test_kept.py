"""What a play keeps from one cycle to the next is what it would find from scratch; parts of a record."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from random import Random

import pytest

from tenure.choices import Engine
from tenure.conformance.requests import read_decide_request
from tenure.engines import Batch, Searches, memo
from tenure.errors import InputError
from tenure.model import (
    UNLIMITED,
    Cluster,
    ClusterQueue,
    FlavorQuotas,
    FlavorResource,
    Instant,
    ResourceGroup,
    Workload,
)
from tenure.oracle.classical import finds_no_target
from tenure.oracle.decide import decide
from tenure.oracle.question import Attempt, Question, Selection
from tenure.oracle.search import find_targets
from tenure.oracle.snapshot import Snapshot, take_snapshot
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


def test_searches_leave_out_only_candidates_that_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: Counter[str] = Counter()

    def doubted(search: Searches, question: Question) -> Selection:
        found, whole = searched(search, question), find_targets(question)
        if not found.attempts:  # it is known without a search
            assert whole.kept == ()
            return found
        assert (found.kept, found.removed, found.spared) == (whole.kept, whole.removed, whole.spared)
        assert [result_of(made) for made in found.attempts] == [result_of(made) for made in whole.attempts]
        if not found.kept:
            assert found.candidates == whole.candidates
        shorter = len(found.attempts[0].waiting) < len(whole.attempts[0].waiting)
        seen["kept" if found.kept else "none"] += shorter
        return found

    searched = Searches._find
    monkeypatch.setattr(Searches, "_find", doubted)
    for raw in examples(sample(1_000, 8_000), 7, features=ALL_FEATURES, max_workloads=60):
        asked = read_decide_request(raw)
        search = Searches(keep_all=False)
        with suppress(InputError):  # a class whose policy is refused
            decide(asked.cluster, asked.preemptor, asked.queue, asked.now, asked.reading, search=search)
    assert min(seen["kept"], seen["none"]) > 10


def result_of(attempt: Attempt) -> tuple[object, ...]:
    return attempt.removed, attempt.usage, attempt.fits, attempt.may_borrow


def test_a_cycle_takes_off_what_leaves_as_if_it_left_last(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: Counter[bool] = Counter()

    def doubted(cycle: CycleRun, entry: Nominee, snapshots: Snapshots) -> Snapshot:
        made, gone = after(cycle, entry, snapshots), {*cycle.preemptors}
        gone |= {target.workload.key for target in entry.decision.targets}
        charged = snapshots.of(entry.actor.queue)
        running = (one for here in charged.running.values() for one in here if one.key in gone)
        fresh = charged.without(running)
        assert (made.running, made.place, made.queue) == (fresh.running, fresh.place, fresh.queue)
        places = range(len(made.tree.nodes))
        assert [[made.usage[at].get(key, 0) for key in made.usage[0]] for at in places] == [
            [fresh.usage[at].get(key, 0) for key in made.usage[0]] for at in places
        ]
        seen[len(gone) > len(entry.decision.targets)] += 1
        return made

    after = CycleRun._after
    monkeypatch.setattr(CycleRun, "_after", doubted)
    for scenario, reading in plays(range(sample(4, 60))):
        play(scenario, reading)
    assert min(seen.values()) > 10


def test_what_is_used_without_bound_stays_so_whoever_leaves() -> None:
    """Kueue charges earlier heads first; only then do workloads leave, and take nothing from 2^63 - 1."""
    memory, large = FlavorResource("f", "memory"), 2**62
    quotas = ResourceGroup((memory.resource,), (FlavorQuotas(memory.flavor, {memory.resource: UNLIMITED}),))
    held = Workload(
        "ns",
        "w",
        "u",
        priority=0,
        created_at=0,
        cluster_queue="q",
        usage={memory: large},
        quota_reserved_at=0,
    )
    cluster = Cluster({"q": ClusterQueue("q", resource_groups=(quotas,))}, (held,))
    batch = Batch(Engine.REFERENCE, cluster, 0, preset("guaranteed"))
    for amounts, expected in (([1], 1), ([large], UNLIMITED), ([1, large], UNLIMITED)):
        snapshots = Snapshots(batch)
        snapshots.leave("q", [held])
        for amount in amounts:
            snapshots.charge("q", {memory: amount})
        left, last = snapshots.left("q"), snapshots.of("q").without([held])
        assert left.usage == last.usage == ({memory: expected},)
        assert left.running == {0: ()}


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
