"""Every step that the timeline plays is one that the transition relations permit, under each preset.

And the other way round: a player that does something else is noticed, and so is a relation that has lost a
part.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import z3
import z3.z3util as z3util
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tenure.model import Duration, Instant, Reason, Workload
from tenure.readings import preset_names
from tenure_play import changes, cycle, engine
from tenure_play.actors import Actor, admitted, evicted, released
from tenure_play.state import PlayState
from tests.sampling import sample
from tests.tenure_proofs.evaluated import truth_of
from tests.tenure_proofs.played import Asked, PlayedQueue
from tests.tenure_proofs.relations import compiled, relation, values_of

QUIET = settings(
    max_examples=sample(1, 12),
    stateful_step_count=25,
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=True,
    # A failing play is short enough as it is.
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
Step = dict[str, int | bool]
"""The values of a relation's constants."""

PARTS = (
    "is evicted",
    "is reserved",
    "is ahead",
    "heads",
    "waits",
    "holds",
    "takes",
    "is served in time",
)


def machine(preset: str, steps: list[Asked] | None = None) -> type[PlayedQueue]:
    """A machine that plays under a preset."""
    return type(f"Played{preset}", (PlayedQueue,), {"reading": preset, "steps": steps})


def play_by_the_script(preset: str, steps: list[Asked] | None = None) -> None:
    """A play in which everything happens at least once, whatever Hypothesis draws."""
    for eviction in (0, 3):
        played = machine(preset, steps)()
        played.start(places=1, eviction=eviction, equals=True)
        played.submit(after=1, high=False)
        played.finish(choice=0)
        for _ in range(3):
            played.submit(after=7, high=False)
        for _ in range(2):
            played.time_passes(seconds=61)
        played.restart(down=5)
        played.write_the_same_quota()
        played.tick()
        played.time_passes(seconds=61)


@pytest.fixture(scope="module")
def asked() -> dict[str, list[Asked]]:
    """All that was asked of the relations in the plays of each preset; the plays themselves are the test."""
    found: dict[str, list[Asked]] = {}
    for preset in preset_names():
        steps: list[Asked] = []
        play_by_the_script(preset, steps)
        run_state_machine_as_test(machine(preset, steps), settings=QUIET)
        found[preset] = steps
    return found


def test_every_part_of_the_relation_was_asked_about_played_steps(asked: dict[str, list[Asked]]) -> None:
    for preset, steps in asked.items():
        parts = {(part, want) for part, _, want in steps}
        awake = {part for part in PARTS if part != "is served in time" or preset == "guaranteed"}
        assert {part for part, want in parts if want} == awake
        assert {"is evicted", "is reserved", "takes"} <= {part for part, want in parts if not want}
    assert ("is ahead", False) in {(part, want) for part, _, want in asked["guaranteed"]}


def test_a_compiled_formula_says_what_the_solver_says(asked: dict[str, list[Asked]]) -> None:
    chance = random.Random(7)
    for preset, steps in asked.items():
        for part in PARTS:
            mine = [step for step in steps if step[0] == part]
            for _, values, want in chance.sample(mine, min(2, len(mine))):
                assert z3.is_true(simplified(relation(preset)[part].term, values)) == want, (part, values)


def simplified(term: z3.ExprRef, values: dict[str, Any]) -> z3.ExprRef:
    """A formula with values put for its constants, as the solver simplifies it."""
    pairs = []
    for name, value in values_of(values).items():
        is_truth = type(value) is bool
        known = z3.Bool(name) if is_truth else z3.Int(name)
        pairs.append((known, z3.BoolVal(value) if is_truth else z3.IntVal(int(value))))
    return z3.simplify(z3.substitute(term, *pairs))


# A relation that has lost a part, or has it the wrong way round.


def conjuncts(part: str, preset: str) -> tuple[z3.BoolRef, ...]:
    """The parts of a relation that all must hold."""
    term = relation(preset)[part].term
    return tuple(_flat(term)) if z3.is_and(term) else (term,)


def _flat(term: z3.BoolRef) -> Iterator[z3.BoolRef]:
    for child in term.children():
        yield from _flat(child) if z3.is_and(child) else (child,)


@pytest.mark.parametrize("part", ["is evicted", "is reserved", "waits", "holds"])
def test_a_relation_without_one_of_its_parts_is_noticed(asked: dict[str, list[Asked]], part: str) -> None:
    preset = "guaranteed"
    whole = compiled(part, preset)
    steps = [values_of(values) for name, values, want in asked[preset] if name == part and want][::5][:12]
    refused = [entry for step in steps for entry in perturbed(part, preset, step) if not whole(entry)]
    parts = conjuncts(part, preset)
    assert len(parts) > 1
    for index, item in enumerate(parts):
        rest = truth_of(z3.And(*parts[:index], *parts[index + 1 :]))
        turned = truth_of(z3.And(*parts[:index], z3.Not(item), *parts[index + 1 :]))
        assert any(rest(step) for step in refused), f"nothing tells that {item} is missing"
        assert not any(turned(step) for step in steps), item


def perturbed(part: str, preset: str, step: Step) -> Iterator[Step]:
    """The same step with one constant another, or with a field that both workloads have, and differently."""
    known = {str(var): var for var in z3util.get_vars(relation(preset)[part].term)}
    whole = {name: step.get(name, False if z3.is_bool(item) else 0) for name, item in known.items()}
    for name, item in known.items():
        yield {**whole, name: not whole[name] if z3.is_bool(item) else whole[name] + 1}
        after = name.replace("before.", "after.")
        if after != name and name.endswith("?") and after in known:
            field = name.removesuffix("?")
            other = whole[field] + 1
            yield {**whole, name: not whole[name], after: not whole[after], after.removesuffix("?"): other}


@pytest.mark.parametrize("part", ["is ahead", "heads", "takes", "is served in time"])
def test_a_relation_that_is_the_other_way_round_is_noticed(asked: dict[str, list[Asked]], part: str) -> None:
    mine = [row for row in asked["guaranteed"] if row[0] == part]
    turned = truth_of(z3.Not(relation("guaranteed")[part].term))
    assert mine
    assert all(turned(values_of(values)) != want for _, values, want in mine)


# A player that does something else.


def keeps_its_stamp(workload: Workload, *rest: Any) -> Workload:
    """A reservation leaves what was said of the last eviction."""
    return dataclasses.replace(
        admitted(workload, *rest), time_based_preempted_at=workload.time_based_preempted_at
    )


def by_the_exact_clock(workload: Workload, queue: str, assignment: Any, clock: Instant) -> Workload:
    """A reservation is stamped a second late."""
    late = admitted(workload, queue, assignment, clock)
    return dataclasses.replace(late, quota_reserved_at=(late.quota_reserved_at or 0) + 10**9)


def leaves_no_stamp(workload: Workload, _reason: Reason, clock: Instant) -> Workload:
    """A preemption by time is written down as any other."""
    return evicted(workload, Reason.IN_CLUSTER_QUEUE, clock)


def keeps_its_quota(workload: Workload) -> Workload:
    """A victim whose pods are gone is still said to hold quota since then."""
    return dataclasses.replace(released(workload), quota_reserved_at=workload.quota_reserved_at)


def last_come_first(self: PlayState, actor: Actor) -> tuple[object, ...]:
    """Whoever came last heads the queue."""
    return not self.queues[actor.queue].sticky(actor.key), -actor.workload.created_at, actor.key


def nobody_is_awake(_world: PlayState, _mark: Instant) -> list[Any]:
    """Nobody looks when a duration has passed."""
    return []


def protects_nobody(_self: PlayState, _queue: str) -> Duration | None:
    """What is in force is not known to the clock."""
    return None


BROKEN: list[tuple[Any, str, Callable[..., Any]]] = [
    (cycle, "admitted", keeps_its_stamp),
    (cycle, "admitted", by_the_exact_clock),
    (cycle, "evicted", leaves_no_stamp),
    (changes, "released", keeps_its_quota),
    (PlayState, "place", last_come_first),
    (PlayState, "protection", protects_nobody),
    (engine, "timers_after", nobody_is_awake),
]


@pytest.mark.parametrize(("owner", "name", "wrong"), BROKEN, ids=lambda item: getattr(item, "__name__", item))
def test_a_player_that_does_something_else_is_noticed(
    monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, wrong: Callable[..., Any]
) -> None:
    monkeypatch.setattr(owner, name, wrong)
    with pytest.raises(AssertionError):
        play_by_the_script("guaranteed")
