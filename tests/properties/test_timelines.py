"""Timelines by chance: the proved bounds hold, the refuted ones do not, nothing is lost that is persisted.

`python -m tests.properties.timelines` and `python -m tests.properties.cuts` are the long runs; a failure
names the seed that either of them takes.
"""

from __future__ import annotations

import pytest

from tenure_play import parse_scenario, play
from tests.properties.cuts import NOTHING, after_a_restart, cut_of, difference, heads_of, read_back
from tests.properties.timelines import READINGS, broken, campaign, drawn, reading_of
from tests.sampling import sample

FEW = sample(150, 1500)
REFUTED = {
    "as-written": {
        "preempted too early",
        "back too soon",
        "too often",
        "swapping for ever",
    },
    "released": {"preempted too early", "back too soon", "too often", "no turn"},
    "guaranteed, requeue_order: creation": {"no turn"},
    "guaranteed, wake: events": {"no turn", "a delay that nothing explains"},
}


def test_every_proved_bound_holds_under_guaranteed() -> None:
    wrong = {}
    for seed in range(1, FEW + 1):
        problems = [name for name in broken(seed, reading_of("guaranteed"))[0] if not name.startswith("(")]
        if problems:
            wrong[f"seed {seed}"] = problems
    assert wrong == {}


@pytest.mark.parametrize("name", sorted(set(READINGS) - {"guaranteed"}))
def test_what_is_refuted_is_seen_to_fail(name: str) -> None:
    found, _ = campaign(range(1, 26), name)
    assert REFUTED[name] <= set(found)


def test_by_creation_two_have_their_turns_where_the_preemptor_stays_and_three_have_not() -> None:
    # In a StrictFIFO queue, and after a restart, no preemptor stays at the head: there two are enough.
    without_turn = set()
    for seed in range(1, FEW + 1):
        raw, _ = drawn(seed)
        count = sum("submit" in event for event in raw["events"])
        stays = raw["objects"][1]["spec"]["queueingStrategy"] == "BestEffortFIFO"
        if count > 3 or any("restart" in event for event in raw["events"]):
            continue
        problems, _ = broken(seed, reading_of("guaranteed, requeue_order: creation"))
        if any(problem.startswith("no turn") for problem in problems):
            without_turn.add((stays, count))
    assert (True, 2) not in without_turn
    assert {(True, 3), (False, 2)} <= without_turn


def test_a_scenario_played_twice_gives_the_same_record() -> None:
    for seed in range(1, 31):
        made, reading, _ = cut_of(seed)
        assert play(made, reading) == play(made, reading), f"seed {seed}"
        raw, _ = drawn(seed)
        again, _ = drawn(seed)
        mine, theirs = (play(parse_scenario(entry), reading_of("guaranteed")) for entry in (raw, again))
        assert mine == theirs, f"seed {seed}"


def test_a_cluster_that_is_written_out_and_read_back_decides_as_after_a_restart() -> None:
    found = {seed: difference(seed) for seed in range(1, FEW // 2 + 1)}
    assert {f"seed {seed}": said for seed, said in found.items() if said not in ("", NOTHING)} == {}
    assert sum(said == "" for said in found.values()) > FEW // 10


def test_the_head_after_a_restart_is_the_one_that_is_read_back() -> None:
    asked = 0
    for seed in range(1, 41):
        made, reading, at = cut_of(seed)
        record = after_a_restart(made, reading, at)
        loaded, clock = read_back(made, reading, at)
        for cycle in (cycle for cycle in record.cycles if cycle.at == at):
            asked += 1
            heads = {head.cluster_queue: head.workload for head in cycle.heads}
            assert heads == heads_of(loaded.cluster, clock, reading), f"seed {seed}"
    assert asked > 0
