"""KAI-Scheduler's design of a reclaim by steady fair shares: what each accepted reclaim lowers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

import z3

from tenure_kai.steady import SteadyQueue, is_reclaim_accepted, may_lose, missing, with_job, without_taken
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.theorems.standins import same, truth_of
from tenure_proofs.theorems.taken import lemmas_of, modelled
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.defined import NUMBER, OfEveryNumber, Recursion
from tenure_proofs.trusted.induction import Contract, Labelled, Lemma, Part, by_induction
from tenure_proofs.trusted.loops import Loop, Row, State, returned
from tenure_proofs.trusted.specified import GIVEN, LAW, Composed, Specification, Taken
from tenure_proofs.trusted.symbols import SymInt, as_term

CONSTANT = ("what a queue may keep stays the same, and no other job starts or ends", GIVEN)
NO_MORE = "no other queue lacks more than before"
_COUNT, _ANY, _JOB = z3.Ints("other_queues any_queue job")

_BEFORE, _AFTER = z3.IntVal(0), z3.IntVal(1)
_lacks = z3.Function("GPUs that the first queues lack", z3.IntSort(), z3.IntSort(), z3.IntSort())


def _made(number: Callable[[str], Any]) -> Made:
    """A queue, by what its fields are."""
    names = (field.name for field in fields(SteadyQueue))
    return Made(SteadyQueue, {name: SymInt(number(name)) for name in names})


_OWN = _made(lambda name: z3.Int(f"own {name}"))


def _queue(place: Any) -> Made:
    """Another queue."""
    return _made(lambda name: z3.Function(f"{name} of a queue", z3.IntSort(), z3.IntSort())(place))


def _left(queue: Value) -> Any:
    return returned(without_taken, victim=queue)[0]  # type: ignore[arg-type]  # a plain function


def _grown(own: Value, job: Value) -> Any:
    return returned(with_job, reclaimer=own, job=job)[0]  # type: ignore[arg-type]  # a plain function


def _lack(queue: Value) -> Any:
    more = queue.fields["keep"].term - queue.fields["allocated"].term
    return z3.If(more > 0, more, 0)


def _lack_at(when: Any, place: Any) -> Any:
    return z3.If(when == _BEFORE, _lack(_queue(place)), _lack(_left(_queue(place))))


def _inside(place: Any) -> Any:
    return z3.And(place >= 0, place < _COUNT)


SUM = Recursion(_lacks, "what a sum is", lambda _: 0, lambda when, at, before: before + _lack_at(when, at))


def _no_more(place: Any) -> Taken:
    """Of any other queue, where the reclaim is accepted."""
    said = z3.Implies(_inside(place), _lack_at(_AFTER, place) <= _lack_at(_BEFORE, place))
    return Taken(said, NO_MORE, "PO-ANY-395", LAW)


SUMS = OfEveryNumber(
    "the first other queues lack no more than before, and none less than nothing",
    lambda number: z3.Implies(
        number <= _COUNT,
        z3.And(_lacks(_AFTER, number) >= 0, _lacks(_AFTER, number) <= _lacks(_BEFORE, number)),
    ),
    (),
    lambda number: [SUM.at(_BEFORE, number), SUM.at(_AFTER, number), _no_more(number)],
)


def _victim(own: Made, job: Any, queue: Made) -> z3.BoolRef:
    """Rules 2 to 4 of the design, of a queue and what is taken from it."""
    mine, theirs = ({name: value.term for name, value in one.fields.items()} for one in (own, queue))
    left, then = theirs["allocated"] - theirs["taken"], mine["allocated"] + job
    saturated = then * theirs["steady"] < left * mine["steady"]
    overshoots = z3.Implies(then > mine["keep"], saturated)
    return z3.And(theirs["allocated"] > theirs["keep"], left >= theirs["keep"], overshoots)


def _enters(own: Made, job: Any) -> z3.BoolRef:
    """Rule 1."""
    return z3.And(job > 0, own.fields["allocated"].term < own.fields["keep"].term)


def _of_accepted(given: State, accepted: Value) -> Labelled:
    enters = _enters(given["reclaimer"], given["job"].term)
    return [("its queue holds less than it may keep", z3.Implies(truth_of(accepted), enters))]


def _of_victim(given: State, accepted: Value, at: Any) -> Labelled:
    queue = given["others"].at(at)
    loses = z3.And(at >= 0, at < given["others"].size, queue.fields["taken"].term > 0)
    may = _victim(given["reclaimer"], given["job"].term, queue)
    return [("each that loses some may lose them", z3.Implies(z3.And(truth_of(accepted), loses), may))]


ACCEPTED = Specification(
    "PO-ANY-395",
    "an accepted reclaim keeps the rules of the design",
    is_reclaim_accepted,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
    {"reclaimer": _OWN, "job": SymInt(_JOB), "others": Row(_queue, _COUNT, told=(z3.Int("others"),))},
    lambda _, part: part("accepted", bool),
    _of_accepted,
    at=_of_victim,
)


@theorem(
    "PO-ANY-394",
    about=(is_reclaim_accepted, may_lose),
    size="three queues, those of the design's own example",
)
def a_reclaim_that_the_design_accepts_raises_the_sum_of_squares_that_it_says_each_one_lowers(
    function: Callable[..., Any] = is_reclaim_accepted,
) -> Iterator[Part]:
    """KAI-Scheduler, design of steady fair shares, section 6: the sum of allocated² / steady, refuted.

    Queue C holds 90 GPUs of its 100 and asks for 16; A holds 180 of its 100 and loses 2, where 14 free GPUs
    are used as well; B is idle. The sum rises from 405 to 429.2. Where A loses all 16, it falls.
    """
    given = ACCEPTED.takes
    for lost, words, rises in ((2, "2 of A, and 14 free GPUs", True), (16, "16 of A", False)):
        own, *others = map(_example, (90, 180, 0), (0, lost, 0))
        pairs = ((given["reclaimer"], own), *((_queue(at), queue) for at, queue in enumerate(others)))
        example = z3.And(_JOB == 16, _COUNT == 2, *(same(found, queue) for found, queue in pairs))
        contract = Contract(
            lambda *_: [],
            lambda value, *_, example=example: [("it is accepted", z3.Implies(example, truth_of(value)))],
        )
        parts = by_induction(Loop(function, **given), contract)  # type: ignore[arg-type]  # a plain function
        # Nothing holds of each step: what the example comes to is shown where the loop ends.
        yield from (part for part in parts if part.goals)
        then = (_grown(own, SymInt(z3.IntVal(16))), *map(_left, others))
        before, after = (z3.Sum(*map(_square, queues)) for queues in ((own, *others), then))
        moves = ("the sum rises", after > before) if rises else ("the sum falls", after < before)
        yield Part(words, (), (moves,))


def _example(allocated: int, taken: int) -> Made:
    """A queue of the design's example, whose steady fair share is 100, as what it may keep."""
    told = {"allocated": allocated, "taken": taken}
    return _made(lambda name: z3.IntVal(told.get(name, 100)))


def _square(queue: Value) -> Any:
    allocated, steady = (z3.ToReal(queue.fields[name].term) for name in ("allocated", "steady"))
    return allocated * allocated / steady


@theorem(
    "PO-ANY-395",
    about=(is_reclaim_accepted, may_lose, with_job, without_taken, missing),
    size="any number of queues without departments, and of victims; any free GPUs",
)
def what_queues_lack_of_what_they_may_keep_falls_with_each_reclaim_by_steady_fair_shares(
    function: Callable[..., Any] = is_reclaim_accepted,
) -> Iterator[Part]:
    """KAI-Scheduler, design of steady fair shares, section 4, whatever free GPUs a reclaim uses as well.

    The reclaimer lacks some before and less after; a victim lacks none, before or after. What all lack
    together is a whole number that is never below zero: so at most as many reclaims follow one another as
    GPUs are lacking, while what queues may keep stays the same and no other job starts or ends. The
    comparison of saturation, rule 4, is not needed for that.
    """
    modelled(*CONSTANT)
    yield from _accepted(function)
    yield from _summed(missing)
    given = ACCEPTED.takes
    calls = Composed()
    accepted = truth_of(calls.call(ACCEPTED, *given.values(), points=(NUMBER,)))
    for part in calls.shows("another queue", [(NO_MORE, _no_more(NUMBER))], accepted):
        yield replace(part, shows=NO_MORE)
    yield from SUMS.parts()
    then = _grown(_OWN, given["job"])
    calls = Composed()
    calls.call(ACCEPTED, *given.values())
    more = _lacks(_AFTER, _COUNT) + _lack(then), _lacks(_BEFORE, _COUNT) + _lack(_OWN)
    goals = [("they lack less", more[0] < more[1]), ("nothing less than nothing", more[0] >= 0)]
    yield from calls.shows("all queues", goals, accepted, _COUNT >= 0, SUMS.of(_COUNT))


def _accepted(function: Callable[..., Any]) -> Iterator[Part]:
    """That exactly those are accepted that keep the rules."""
    given = ACCEPTED.takes
    own, job, others = given["reclaimer"], given["job"].term, given["others"]

    def keeps(place: Any) -> z3.BoolRef:
        queue = others.at(place)
        return z3.Or(queue.fields["taken"].term <= 0, _victim(own, job, queue))

    def invariant(steps: Any, _: State, point: Any) -> Labelled:
        return [("so far", z3.Implies(z3.And(point >= 0, point < steps), keeps(point)))]

    def result(value: Value, _state: State, _point: Any, steps: Any, ended: bool) -> Labelled:
        other = z3.Not(keeps(steps)) if ended else _enters(own, job) == truth_of(value)
        return [
            ("it breaks a rule where it is refused", other),
            ("or", z3.Implies(ended, z3.Not(truth_of(value)))),
        ]

    yield from ACCEPTED.of_steps(function, Contract(invariant, result))


def _summed(function: Callable[..., Any]) -> Iterator[Part]:
    """That what the code sums up is the sum."""
    row = Row(_queue, _COUNT, told=(z3.Int("others"),))

    def invariant(steps: Any, state: State, _: Any) -> Labelled:
        return [("the sum so far", as_term(state["total"], int) == _lacks(_BEFORE, steps))]

    def result(value: Value, *_: Any) -> Labelled:
        return [("the sum", as_term(value, int) == _lacks(_BEFORE, _COUNT))]

    def one_more(_: State, queue: Value) -> list[Lemma]:
        return lemmas_of(SUM.at(_BEFORE, queue.fields["keep"].term.arg(0)))  # its place

    contract = Contract(
        invariant,
        result,
        facts=(SUM.at(_BEFORE, z3.IntVal(0)),),
        lemmas=one_more,
    )
    yield from by_induction(Loop(function, queues=row), contract)  # type: ignore[arg-type]  # a plain function
