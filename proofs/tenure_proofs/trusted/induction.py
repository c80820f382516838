"""Induction over the steps of a loop that was read from its source: what has to be shown, part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import z3

from tenure_proofs.trusted.ast_lifter import Value
from tenure_proofs.trusted.loops import OWN, Loop, State, Way, every

Labelled: TypeAlias = "list[tuple[str, z3.BoolRef]]"
"""Formulas with what they say."""


@dataclass(frozen=True, slots=True)
class Ghost:
    """A variable that only a proof has.

    Args:
        first: its value before the first step.
        step: its value after a step, of the state before it and the element.
    """

    first: z3.ExprRef
    step: Callable[[State, Value], z3.ExprRef]


@dataclass(frozen=True, slots=True)
class Lemma:
    """A fact about one step.

    Args:
        label: what it says, and by which assumption it follows, where it says more than what it needs.
        needs: what is shown first, of any values of its constants.
        gives: what may be used then.
    """

    label: str
    needs: z3.BoolRef
    gives: z3.BoolRef


@dataclass(frozen=True, slots=True)
class Contract:
    """What is said of a loop.

    Args:
        invariant: of the number of steps taken, the state, and a point: it holds of every point.
        result: what is claimed of what the function returns, of the last state, of every point, of the number
            of whole steps taken, and of whether a step ended the loop.
        facts: what is known of the arguments.
        everywhere: what is known of them at every point; it is used at the same points.
        points: at which points the invariant is used, of the arbitrary point, the number of steps, and the
            arbitrary state.
        ghosts: variables of the proof, by name; none of the function's begins with `$`.
        lemmas: of the state before a step, and the element.
    """

    invariant: Callable[[Any, State, Any], Labelled]
    result: Callable[[Value, State, Any, Any, bool], Labelled]
    facts: Sequence[z3.BoolRef] = ()
    everywhere: Callable[[Any], Sequence[z3.BoolRef]] = lambda _: ()
    points: Callable[[Any, Any, State], Sequence[Any]] = lambda point, *_: [point]
    ghosts: Mapping[str, Ghost] = field(default_factory=dict)
    lemmas: Callable[[State, Value], Sequence[Lemma]] = lambda *_: ()


@dataclass(frozen=True, slots=True)
class Part:
    """What has to be shown in one place: each goal, of the hypotheses, for all values of the constants.

    Args:
        place: `first`, `defined`, `keeps`, `break`, `return`, `ends`, or `lemma`.
        hypotheses: what is known there. When they contradict each other, nothing is shown.
        goals: what must follow.
        shows: what a specification says, where the parts together show that.
        stands: functions for which something stands that no theorem says, by name.
    """

    place: str
    hypotheses: tuple[z3.BoolRef, ...]
    goals: tuple[tuple[str, z3.BoolRef], ...]
    shows: str = ""
    stands: tuple[str, ...] = ()


def by_induction(loop: Loop, contract: Contract) -> Iterator[Part]:
    """The parts of an induction over the steps of a loop. All of them together show the result.

    The arbitrary point is a constant, so what is shown of it holds of every point: the invariant may be used
    at any. The arbitrary state is read from the first, and a step whose state it leaves out is refused.
    """
    point, steps = z3.Int(f"{OWN}point"), z3.Int(f"{OWN}steps")
    ghosts = {name: z3.Const(f"{OWN}{name}", ghost.first.sort()) for name, ghost in contract.ghosts.items()}
    here = {**loop.arbitrary(), **ghosts}
    points = contract.points(point, steps, here)
    instances = [fact for used in points for fact in contract.everywhere(used)]
    facts = (*contract.facts, loop.row.size >= 0, *instances)
    first = {**loop.first, **{name: ghost.first for name, ghost in contract.ghosts.items()}}
    defined = ("defined", every(loop.needed))
    yield Part("first", facts, (defined, *contract.invariant(z3.IntVal(0), first, point)))
    invariant = [formula for used in points for _, formula in contract.invariant(steps, here, used)]
    known = (*facts, every(loop.needed), steps >= 0, *invariant)
    yield from _step(loop, contract, here, (*known, steps < loop.row.size), (point, steps))
    value, needed = loop.result(here)
    goals = (("defined", every(needed)), *contract.result(value, here, point, steps, False))
    yield Part("ends", (*known, steps == loop.row.size), goals)


def _step(
    loop: Loop, contract: Contract, here: State, known: tuple[z3.BoolRef, ...], at: tuple[Any, Any]
) -> Iterator[Part]:
    point, steps = at
    element = loop.row.at(steps)
    ways, needed = loop.step({name: here[name] for name in loop.first}, element)
    yield Part("defined", known, (("defined", every(needed)),))
    lemmas = contract.lemmas(here, element)
    for lemma in lemmas:
        yield Part("lemma", (), ((lemma.label, lemma.needs),))
    ghosts = {name: ghost.step(here, element) for name, ghost in contract.ghosts.items()}
    for way in ways:
        if z3.is_false(z3.simplify(way.condition)):
            continue
        hypotheses = (*known, every(needed), way.condition, *(lemma.gives for lemma in lemmas))
        after = {**way.names, **ghosts}
        if way.ends == "on":
            yield Part("keeps", hypotheses, tuple(contract.invariant(steps + 1, after, point)))
        else:
            yield Part(way.ends, hypotheses, _ended(loop, contract, way, after, at))


def _ended(
    loop: Loop, contract: Contract, way: Way, after: State, at: tuple[Any, Any]
) -> tuple[tuple[str, z3.BoolRef], ...]:
    point, steps = at
    value, needed = (way.value, []) if way.ends == "return" else loop.result(way.names)
    return (("defined", every(needed)), *contract.result(value, after, point, steps, True))
