"""The oracle, and schedulers that get one thing wrong."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import islice

from tenure_proofs.bounded.case import Answer, Decide
from tenure_proofs.bounded.clusters import World
from tenure_proofs.bounded.deciding import decide_with_oracle
from tenure_proofs.bounded.facts import Facts
from tenure_proofs.bounded.families import FAMILIES
from tenure_proofs.bounded.policies import is_protected
from tenure_proofs.bounded.spaces import Size

Break = Callable[[World, str, bool, Answer], Answer]
"""What a wrong scheduler answers instead of the right answer."""


@cache
def oracle(world: World, preset: str, backwards: bool) -> Answer:
    """The oracle; it is asked once for all tests of a process."""
    return decide_with_oracle(world, preset, backwards)


@cache
def small(family: str) -> tuple[tuple[int, World], ...]:
    """The small clusters of a family, numbered."""
    return tuple(islice(enumerate(FAMILIES[family].clusters(Size.SMALL)), None))


def broken(instead: Break) -> Decide:
    """A scheduler that answers something else."""
    return lambda world, preset, backwards: instead(
        world, preset, backwards, oracle(world, preset, backwards)
    )


def says(outcome: str, *, where: str) -> Break:
    """One outcome where another is right; victims only go with Preempt."""

    def instead(_world: World, _preset: str, _backwards: bool, right: Answer) -> Answer:
        return Answer(outcome, (), (), ()) if right.outcome == where else right

    return instead


def takes(world: World, victims: tuple[int, ...]) -> Answer:
    """These victims, for a reason that no rule gives."""
    return Answer("Preempt", victims, ("Whim",) * len(victims), victims)


def all_leave(world: World, _preset: str, _backwards: bool, right: Answer) -> Answer:
    """Whenever one must be preempted, all are."""
    return takes(world, tuple(range(len(world.jobs)))) if right.victims else right


def one_too_few(_world: World, _preset: str, _backwards: bool, right: Answer) -> Answer:
    """The first victim is forgotten."""
    return Answer(right.outcome, right.victims[1:], right.reasons[1:], right.removed)


def in_the_opposite_order(_world: World, _preset: str, _backwards: bool, right: Answer) -> Answer:
    """The last victim first."""
    return Answer(right.outcome, right.victims[::-1], right.reasons[::-1], right.removed)


def by_what_stays(_world: World, _preset: str, _backwards: bool, right: Answer) -> Answer:
    """Only the victims were removed on the way."""
    return Answer(right.outcome, right.victims, right.reasons, right.victims)


def without_filling_back(_world: World, _preset: str, _backwards: bool, right: Answer) -> Answer:
    """Whatever was removed on the way is preempted."""
    return Answer(right.outcome, right.removed, ("Whim",) * len(right.removed), right.removed)


def never_the_protected(world: World, _preset: str, _backwards: bool, right: Answer) -> Answer:
    """Who is protected stays, under every reading."""
    if any(is_protected(world, world.jobs[index]) for index in right.victims):
        return Answer("NoCandidates", (), (), ())
    return right


def an_equal_first(world: World, _preset: str, _backwards: bool, right: Answer) -> Answer:
    """An equal that is large enough goes in place of the one lower priority that would do."""
    if len(right.victims) != 1 or world.jobs[right.victims[0]].priority != 0:
        return right
    facts = Facts(world)
    for index, job in enumerate(world.jobs):
        if job.priority == 1 and job.queue == world.mine and facts.fits(frozenset({index})):
            return takes(world, (index,))
    return right


def by_the_input(world: World, preset: str, backwards: bool, right: Answer) -> Answer:
    """The last workload of the input is preempted."""
    return takes(world, (0 if backwards else len(world.jobs) - 1,)) if right.victims else right


def under_one_preset_nobody(_world: World, preset: str, _backwards: bool, right: Answer) -> Answer:
    """Under one reading no workload is ever preempted."""
    return Answer("NoCandidates", (), (), ()) if preset == "released" and right.victims else right
