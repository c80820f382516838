"""Attempts one after the other, and a hero's search, in which each removal may change the order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import z3

from tenure.oracle.selection import attempts_until_one_fits, best_of, remove_in_turn, rounds
from tenure_proofs.theorems.registry import BELIEVED, DEFINED, GIVEN, theorem
from tenure_proofs.theorems.selection import (
    ANY,
    FITS,
    NOBODY_OUT,
    REMOVE,
    fits_of,
    listed,
    usage_of,
    without,
)
from tenure_proofs.theorems.taken import given
from tenure_proofs.trusted.ast_lifter import Value
from tenure_proofs.trusted.induction import Contract, Ghost, Labelled, Lemma, Part, by_induction
from tenure_proofs.trusted.loops import MEMBERS, Given, Loop, Row, State
from tenure_proofs.trusted.symbols import SymToken, as_term

_stays = z3.Function("stays", z3.IntSort(), z3.BoolSort())
_beats = z3.Function("beats", z3.IntSort(), z3.IntSort(), z3.BoolSort())
_not_behind = z3.Function("is not behind", z3.IntSort(), z3.IntSort(), z3.BoolSort())

Order: TypeAlias = Callable[[Any, Any], Any]
"""What is said of two."""

OTHER = z3.Int("any other candidate")

_suffices = z3.Function("an attempt fits", z3.IntSort(), z3.BoolSort())
_next = z3.Function("next", MEMBERS, z3.IntSort())
_rank = z3.Function("rank", MEMBERS, z3.IntSort(), z3.IntSort())
_waiting = z3.Function("how many wait", MEMBERS, z3.IntSort())
_left = z3.Function("how many have had no turn", z3.IntSort(), z3.IntSort())
_ended = z3.Function("has ended", z3.IntSort(), z3.BoolSort())
_step = z3.Function("a round after", z3.IntSort(), z3.IntSort())


ONE_ORDER = "what beats another is not behind it, what does not is not before it, in one order"


def in_one_order(beats: Order, not_behind: Order, first: Any, second: Any, third: Any) -> z3.BoolRef:
    """That, as far as three show it: what PO-ANY-100 asks of its arguments, and PO-ANY-105 shows of them."""
    return z3.And(
        z3.If(beats(first, second), not_behind(first, second), not_behind(second, first)),
        not_behind(first, first),
        z3.Implies(z3.And(not_behind(first, second), not_behind(second, third)), not_behind(first, third)),
    )


@theorem(
    "PO-ANY-100",
    about=(best_of,),
    size="any number of ClusterQueues, or of cohorts, side by side",
)
def of_all_that_stay_one_is_found_that_none_of_them_is_ahead_of(
    function: Callable[..., Any] = best_of,
) -> Iterator[Part]:
    """Kueue main of August 2026, order of target ClusterQueues: of all beside each other the first.

    This is for any order in which whatever beats another is not behind it, and whatever does not is not
    before it. One is found exactly if one stays, and it is not behind any that stays. PO-ANY-105 shows that
    ClusterQueues have such an order, by share and then by turn, and cohorts another, by share.
    """
    count = z3.Int("count")
    loop = Loop(
        function,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
        items=Row(SymToken, count),
        nothing=SymToken(z3.Int("nothing")),
        stays=Given(1, bool, _stays),
        beats=Given(2, bool, _beats),
    )

    def said(found: Any, best: Any, last: Any) -> Labelled:
        among = z3.And(OTHER >= 0, last > OTHER, _stays(OTHER))
        return [
            ("it stays, and is one of them", z3.Implies(found, z3.And(best >= 0, best < last, _stays(best)))),
            ("none is missed", z3.Implies(among, z3.And(found, _not_behind(best, OTHER)))),
        ]

    def invariant(steps: Any, state: State, _: Any) -> Labelled:
        return said(as_term(state["found"], bool), state["best"].term, steps)

    def result(value: Value, *_: Any) -> Labelled:
        return said(as_term(value.present, bool), value.value.term, count)

    def by_order(state: State, item: Value) -> list[Lemma]:
        in_order = in_one_order(_beats, _not_behind, item.term, state["best"].term, OTHER)
        return [given(ONE_ORDER, GIVEN, in_order)]

    return by_induction(loop, Contract(invariant, result, lemmas=by_order))


@theorem("PO-ANY-060", about=(attempts_until_one_fits,), size="any number of attempts")
def attempts_are_made_in_order_up_to_the_first_that_fits(
    function: Callable[..., Any] = attempts_until_one_fits,
) -> Iterator[Part]:
    """Kueue main of August 2026, classical preemption: what is tried, with and without borrowing.

    Every attempt but the last does not fit. The last one fits, or all have been made. None is left out.
    """
    count = z3.Int("count")
    loop = Loop(
        function,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
        choices=Row(SymToken, count),
        attempt_of=Given(1, SymToken, lambda choice: choice),
        fits=Given(1, bool, _suffices),
    )

    def said(made: Any, last: Any, point: Any) -> Labelled:
        return [
            ("none is left out", made.members[point] == z3.And(point >= 0, point < last)),
            ("in order", z3.And(made.falling, made.there == (last > 0))),
            ("the last in front", z3.Implies(last > 0, made.head == last - 1)),
        ]

    def invariant(steps: Any, state: State, point: Any) -> Labelled:
        none = z3.Implies(z3.And(point >= 0, point < steps), z3.Not(_suffices(point)))
        return [*said(listed(state["made"]), steps, point), ("none fits yet", none)]

    def result(value: Value, _state: State, point: Any, steps: Any, ended: bool) -> Labelled:
        last = steps + 1 if ended else steps
        before = z3.Implies(z3.And(point >= 0, point < last - 1), z3.Not(_suffices(point)))
        return [
            *said(listed(value), last, point),
            ("none before the last fits", before),
            ("the last fits, or all have been made", z3.Or(last == count, _suffices(last - 1))),
        ]

    return by_induction(loop, Contract(invariant, result, points=lambda point, steps, _: [point, steps]))


@theorem(
    "PO-ANY-070",
    about=(remove_in_turn,),
    size="any number of candidates",
)
def a_hero_preempts_whoever_comes_first_at_each_turn_until_its_request_fits(
    function: Callable[..., Any] = remove_in_turn,
) -> Iterator[Part]:
    """KEP-8826, Goals, Deterministic Victim Selection, where a removal may change the order of the others.

    Each that is removed had, at its turn, no higher rank than any that was still waiting. None is removed
    twice, the search ends after at most one turn for each candidate, and the last removed is needed unless it
    is the only one. Where the request does not fit in the end, all were removed.
    """
    count = z3.Int("count")
    loop = Loop(
        function,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
        candidates=Row(SymToken, count),
        usage=SymToken(NOBODY_OUT),
        next_of=Given(1, SymToken, _next),
        fits=FITS,
        remove=REMOVE,
    )

    def waits(usage: Any, candidate: Any) -> Any:
        return z3.And(candidate >= 0, count > candidate, z3.Not(usage[candidate]))

    def counted(usage: Any) -> Any:
        return z3.Implies(waits(usage, OTHER), _waiting(usage) > 0)

    def said(state: State, fold: Any, point: Any) -> Labelled:
        usage, removed = usage_of(fold), listed(fold.fields["removed"])
        turn = state["$turn"]
        least = z3.Implies(waits(turn, OTHER), _rank(turn, ANY) <= _rank(turn, OTHER))
        first = z3.And(z3.Not(turn[ANY]), least)
        some = z3.And(removed.there, removed.members[removed.head])
        return [
            ("usage is without those removed", usage[point] == removed.members[point]),
            ("only candidates", z3.Implies(removed.members[point], z3.And(point >= 0, point < count))),
            ("a list of none is None", z3.Or(some, z3.Not(z3.Or(removed.there, removed.members[point])))),
            ("each was first at its turn", z3.Implies(removed.members[ANY], first)),
        ]

    def invariant(steps: Any, state: State, point: Any) -> Labelled:
        fold = state["state"]
        removed = listed(fold.fields["removed"])
        return [
            *said(state, fold, point),
            ("it does not fit yet", z3.Not(as_term(fold.fields["fits"], bool))),
            ("it did not fit", z3.Implies(removed.there, z3.Not(fits_of(usage_of(fold))))),
            ("as many wait as turns are left", _waiting(usage_of(fold)) == count - steps),
            ("who waits is counted", counted(usage_of(fold))),
        ]

    def result(value: Value, state: State, point: Any, steps: Any, ended: bool) -> Labelled:
        usage, removed = usage_of(value), listed(value.fields["removed"])
        fits = as_term(value.fields["fits"], bool)
        alone = removed.members[point] == (point == removed.head)
        needed = z3.Or(z3.Not(fits_of(without(usage, removed.head))), alone)
        return [
            *said(state, value, point),
            ("it says whether the request fits", z3.Implies(removed.there, fits == fits_of(usage))),
            ("the last is needed, unless alone", z3.Implies(fits, needed)),
            ("all had a turn, or it fits", z3.Or(fits, (steps + 1 if ended else steps) == count)),
            ("all were removed, or it fits", z3.Or(fits, z3.Not(waits(usage, OTHER)))),
        ]

    def turn_of(state: State, _: Value) -> list[Lemma]:
        usage = usage_of(state["state"])
        chosen = _next(usage)
        then = z3.Store(usage, chosen, True)
        least = z3.Implies(waits(usage, OTHER), _rank(usage, chosen) <= _rank(usage, OTHER))
        next_waits = z3.Implies(_waiting(usage) > 0, z3.And(waits(usage, chosen), least))
        fewer = z3.Implies(waits(usage, chosen), _waiting(then) == _waiting(usage) - 1)
        same = z3.Implies(z3.Not(usage[chosen]), without(then, chosen) == usage)
        return [
            given(
                "while one waits, the next is the least of those that wait, by ranks as they are then",
                BELIEVED,
                next_waits,
            ),
            given("what a number of those that wait is", DEFINED, z3.And(fewer, counted(then))),
            Lemma("who leaves comes back as it was", same, same),
        ]

    def at_turn(state: State, _: Value) -> Any:
        usage = usage_of(state["state"])
        return z3.If(_next(usage) == ANY, usage, state["$turn"])

    contract = Contract(
        invariant,
        result,
        facts=(_waiting(NOBODY_OUT) == count,),
        points=lambda point, _steps, here: [point, ANY, OTHER, listed(here["state"].fields["removed"]).head],
        ghosts={"$turn": Ghost(NOBODY_OUT, at_turn)},
        lemmas=turn_of,
    )
    return by_induction(loop, contract)


@theorem(
    "PO-ANY-110",
    about=(rounds,),
    size="any number of candidates, both strategies of fair sharing",
)
def the_tournament_ends_within_one_round_for_each_candidate(
    function: Callable[..., Any] = rounds,
) -> Iterator[Part]:
    """Kueue main of August 2026, fair-sharing preemption: queues are visited until the request fits.

    After at most as many rounds as there are candidates the request fits, no ClusterQueue is left to visit,
    or each candidate has had its turn. There is no round after the one that ends it.
    """
    count, start = z3.Int("count"), z3.Int("start")
    loop = Loop(
        function,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
        waiting=Row(SymToken, count),
        state=SymToken(start),
        step=Given(1, SymToken, _step),
        ended=Given(1, bool, _ended),
    )

    def invariant(steps: Any, state: State, _: Any) -> Labelled:
        left = _left(state["state"].term)
        return [
            ("each round gives one its turn", z3.And(left >= 0, left <= count - steps)),
            ("it has not ended", z3.Not(_ended(state["state"].term))),
        ]

    def result(value: Value, *_: Any) -> Labelled:
        return [("it has ended, or each has had its turn", z3.Or(_ended(value.term), _left(value.term) == 0))]

    def turns(state: State, _: Value) -> list[Lemma]:
        now, then = state["state"].term, _step(state["state"].term)
        gives = z3.Or(_ended(then), _left(then) < _left(now))
        label = "a round that does not end the tournament gives a candidate its turn"
        return [given(label, "PO-ANY-115", z3.And(_left(then) >= 0, gives))]

    facts = (_left(start) == count, z3.Not(_ended(start)))
    return by_induction(loop, Contract(invariant, result, facts=facts, lemmas=turns))
