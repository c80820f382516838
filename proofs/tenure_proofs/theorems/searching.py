"""Attempts one after the other, and a hero's search, in which each removal may change the order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import z3

from tenure.oracle.selection import Chain, attempts_until_one_fits, best_of, remove_in_turn, rounds
from tenure_proofs.theorems.decision import handed, seeing
from tenure_proofs.theorems.registry import PYTHON, theorem
from tenure_proofs.theorems.selection import (
    ANY,
    COUNT,
    EVERY,
    LEFT,
    NOBODY_OUT,
    NONE_OUT,
    ONE,
    OUT,
    fits_in,
    given_back,
    in_use,
    leaves,
    listed,
    removing,
    usage_of,
)
from tenure_proofs.theorems.standins import same, truth_of
from tenure_proofs.theorems.taken import given, lemmas_of
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.defined import OfEveryNumber, Recursion
from tenure_proofs.trusted.induction import Contract, Ghost, Labelled, Lemma, Part, by_induction
from tenure_proofs.trusted.loops import MEMBERS, OWN, Given, Loop, Row, State
from tenure_proofs.trusted.specified import Closure, Specification, there_is_one
from tenure_proofs.trusted.symbols import SymInt, SymOptional, SymToken, as_term

Order: TypeAlias = Callable[[Value, Value], z3.BoolRef]
"""What is said of two."""

OTHER = z3.Int("any other candidate")

_suffices = z3.Function("an attempt fits", z3.IntSort(), z3.BoolSort())
_first = z3.Function("the first of some beside what is in use", MEMBERS, z3.IntSort(), z3.IntSort())
_last = z3.Function("the last that waits of the first", MEMBERS, z3.IntSort(), z3.IntSort())
_waiting = z3.Function("how many wait of the first", MEMBERS, z3.IntSort(), z3.IntSort())
_left = z3.Function("how many have had no turn", z3.IntSort(), z3.IntSort())
_ended = z3.Function("has ended", z3.IntSort(), z3.BoolSort())
_step = z3.Function("a round after", z3.IntSort(), z3.IntSort())


ONE_ORDER = "what beats another is not behind it, what does not is not before it, in one order"


class Picked(SymOptional):
    """One of a row, if there is one, and at which place it is."""

    __slots__ = ("which",)

    def __init__(self, present: Any, value: Any, which: Any) -> None:
        super().__init__(present, value)
        self.which = which


def best_in(not_behind: Order, like: Mapping[str, Value]) -> Specification:
    """The best of a row is not behind any of it that stays, in any order in which what beats is not behind.

    Args:
        not_behind: the order.
        like: three arbitrary items: `first`, `second` and `third`.
    """

    def gives(given: State, part: Callable[..., Any]) -> Picked:
        which = part("which", int).term
        return Picked(part("one is found", bool), given["items"].at(which), which)

    def stays(given: State, at: Any) -> z3.BoolRef:
        return z3.And(at >= 0, at < given["items"].size, truth_of(given["stays"](given["items"].at(at))))

    def in_one_order(given: State, three: Value) -> Labelled:
        first, second, third = (three.fields[name] for name in like)
        beats = truth_of(given["beats"](first, second))
        follows = z3.And(not_behind(first, second), not_behind(second, third))
        order = z3.And(
            z3.If(beats, not_behind(first, second), not_behind(second, first)),
            not_behind(first, first),
            z3.Implies(follows, not_behind(first, third)),
        )
        return [(ONE_ORDER, order)]

    def none_ahead(given: State, best: Value, at: Any) -> Labelled:
        ahead = z3.And(truth_of(best.present), not_behind(best.value, given["items"].at(at)))
        return [("none is missed", z3.Implies(stays(given, at), ahead))]

    return Specification(
        "PO-ANY-100",
        "of all beside each other the best is found",
        best_of,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
        {
            "items": Row(SymToken, z3.Int("count"), told=(z3.Int("items"),)),
            "nothing": SymToken(z3.Int("nothing")),
            "stays": Closure(z3.Int("stays"), 1, bool),
            "beats": Closure(z3.Int("beats"), 2, bool),
        },
        gives,
        lambda given, best: [
            ("it stays, and is one of them", z3.Implies(truth_of(best.present), stays(given, best.which)))
        ],
        like=Made(dict, dict(like)),
        each=in_one_order,
        at=none_ahead,
    )


@theorem("PO-ANY-100", size="any number of ClusterQueues, or of cohorts, side by side")
def of_all_that_stay_one_is_found_that_none_of_them_is_ahead_of(
    function: Callable[..., Any] = best_of,
) -> Iterator[Part]:
    """Kueue main of August 2026, order of target ClusterQueues: of all beside each other the first.

    This is for any order in which whatever beats another is not behind it, and whatever does not is not
    before it. One is found exactly if one stays, and it is not behind any that stays. PO-ANY-105 shows that
    ClusterQueues have such an order, by share and then by turn, and cohorts another, by share.
    """
    not_behind = Closure(z3.Int("is not behind"), 2, bool)
    names = ("first", "second", "third")
    best = best_in(
        lambda *two: not_behind(*two).term, {name: SymToken(z3.Int(f"{OWN}{name}")) for name in names}
    )

    def picked(found: Value, one: Value) -> Picked:
        return Picked(found, one, one.term)  # in this row each is at its own place

    def invariant(steps: Any, state: State, point: Any) -> Labelled:
        so_far = {**best.takes, "items": replace(best.takes["items"], size=steps)}
        found = picked(state["found"], state["best"])
        return [*best.ensures(so_far, found), *best.at(so_far, found, point)]

    def compared(state: State, item: Value) -> list[Value]:
        point = SymToken(z3.Int(f"{OWN}point"))
        return [Made(dict, dict(zip(names, (item, state["best"], point), strict=True)))]

    contract = Contract(invariant, lambda *_: [])
    return best.of_steps(function, contract, lambda value, *_: picked(value.present, value.value), compared)


def _attempts(given: State, part: Callable[..., Any]) -> Made:
    """The last attempt, in front of the others, and which of the choices it was."""
    last, choices = part("last", int), given["choices"]
    choice = choices.at(last.term) if isinstance(choices, Row) else part("choice", SymToken)
    return Made(Chain, {"head": given["attempt_of"](choice), "last": last, "": part("attempts", SymToken)})


def _up_to_one_that_fits(given: State, made: Value) -> Labelled:
    head, last, choices = made.fields["head"], made.fields["last"], given["choices"]
    if not isinstance(choices, Row):
        return []
    at = as_term(last, int)
    fits = truth_of(given["fits"](head))
    return [
        ("the attempt of a choice", same(head, given["attempt_of"](choices.at(at)))),
        ("one of them", z3.And(at >= 0, at < choices.size)),
        ("the last fits, or all are made", z3.Or(fits, at == choices.size - 1)),
    ]


MADE = Specification(
    "PO-ANY-060",
    "attempts are made up to the first that fits, and that is the last",
    attempts_until_one_fits,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
    {
        "choices": Row(SymToken, z3.Int("how many choices"), told=(z3.Int("choices"),)),
        "attempt_of": Closure(z3.Int("attempt of"), 1, SymToken),
        "fits": Closure(z3.Int("fits"), 1, bool),
    },
    _attempts,
    _up_to_one_that_fits,
    lambda given: [("there is a choice", there_is_one(given["choices"]))],
)


def _shown_of_attempts(function: Callable[..., Any]) -> Iterator[Part]:
    """The last attempt is that of a choice, and the last choice where none fits."""
    given = MADE.takes

    def invariant(steps: Any, state: State, _: Any) -> Labelled:
        made = listed(state["made"])
        none = z3.Not(as_term(given["fits"](SymToken(made.head)), bool))
        own = given["attempt_of"](SymToken(steps - 1)).term
        return [
            ("the last in front", z3.Implies(steps > 0, made.head == own)),
            ("one is made with each step", made.there == (steps > 0)),
            ("none fits yet", z3.Implies(made.there, none)),
        ]

    def seen(value: Value, steps: Any, ended: bool) -> Made:
        last = SymInt(steps if ended else steps - 1)
        return Made(Chain, {"head": SymToken(listed(value).head), "last": last})

    return MADE.of_steps(function, Contract(invariant, lambda *_: []), seen)


@theorem("PO-ANY-060", size="any number of attempts")
def attempts_are_made_in_order_up_to_the_first_that_fits(
    function: Callable[..., Any] = attempts_until_one_fits,
) -> Iterator[Part]:
    """Kueue main of August 2026, classical preemption: what is tried, with and without borrowing.

    Every attempt but the last does not fit. The last one fits, or all have been made. None is left out.
    """
    yield from _shown_of_attempts(function)
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

    yield from by_induction(loop, Contract(invariant, result, points=lambda point, steps, _: [point, steps]))


HOW_MANY = Recursion(
    _waiting,
    "how many of the first candidates wait",
    lambda _: 0,
    lambda out, number, before: before + z3.If(out[number], 0, 1),
)


def _waits(out: Any, one: Any, number: Any) -> Any:
    return z3.And(one >= 0, one < number, z3.Not(out[one]))


def _counted(out: Any, one: Any, number: Any) -> Any:
    many = _waiting(out, number)
    return z3.And(many >= 0, z3.Implies(_waits(out, one, number), many > 0))


def _fewer(out: Any, one: Any, number: Any) -> Any:
    less = z3.If(_waits(out, one, number), 1, 0)
    return _waiting(z3.Store(out, one, True), number) == _waiting(out, number) - less


COUNTED = OfEveryNumber(
    "who waits is counted", _counted, (OUT, ONE), lambda out, _, number: [HOW_MANY.at(out, number)]
)
FEWER = OfEveryNumber(
    "where one that waits leaves, one less waits",
    _fewer,
    (OUT, ONE),
    lambda out, one, number: [HOW_MANY.at(out, number), HOW_MANY.at(z3.Store(out, one, True), number)],
)
ALL_WAIT = OfEveryNumber(
    "all wait where none is out",
    lambda number: _waiting(NOBODY_OUT, number) == number,
    (),
    lambda number: [HOW_MANY.at(NOBODY_OUT, number)],
)

THE_LAST = Recursion(
    _last,
    "the last of the first candidates that waits",
    lambda _: -1,
    lambda out, number, before: z3.If(out[number], before, number),
)
ONE_WAITS = OfEveryNumber(
    "where some are counted, one waits",
    lambda out, number: z3.Implies(_waiting(out, number) > 0, _waits(out, _last(out, number), number)),
    (OUT,),
    lambda out, number: [HOW_MANY.at(out, number), THE_LAST.at(out, number)],
)
ITSELF = "a candidate is itself at its turn"
IN_TURN = replace(
    removing(
        "PO-ANY-070",
        "a hero removes in turn until the request fits",
        remove_in_turn,
        rank=Closure(z3.Int("rank"), 2, int),
        at_turn=Closure(z3.Int("at turn"), 2, SymToken),
    ),
    like=Made(dict, {name: SymToken(z3.Int(f"{OWN}any {name}")) for name in ("usage", "one")}),
    each=lambda given, like: [
        (ITSELF, same(given["at_turn"](like.fields["usage"], like.fields["one"]), like.fields["one"]))
    ],
)


class Handed(Given):
    """A function of whatever it is handed."""

    def __call__(self, *handed: Any) -> Any:
        return self.meaning(*handed)


def _rank(usage: Any, one: Any) -> Any:
    return IN_TURN.takes["rank"](SymToken(usage), SymToken(one)).term


LEAST = "`min` with a key finds one whose key no other's is below, and a comprehension leaves out that one"


def _all_of(candidates: Any) -> SymToken:
    handed((candidates, IN_TURN.takes["candidates"]))
    return SymToken(EVERY.term)


def _first_of(waiting: Any, rank: Any, usage: Any) -> tuple[SymToken, SymToken]:
    handed((rank, IN_TURN.takes["rank"]))
    first = _first(waiting.term, usage.term)
    return SymToken(first), SymToken(z3.Store(waiting.term, first, False))


@theorem("PO-ANY-070", size="any number of candidates")
def a_hero_preempts_whoever_comes_first_at_each_turn_until_its_request_fits(
    function: Callable[..., Any] = remove_in_turn,
) -> Iterator[Part]:
    """KEP-8826, Goals, Deterministic Victim Selection, where a removal may change the order of the others.

    Each that is removed had, at its turn, no higher rank than any that was still waiting. None is removed
    twice, the search ends after at most one turn for each candidate, and the last removed is needed unless it
    is the only one. Where the request does not fit in the end, all were removed.
    """
    for induction in (LEFT, NONE_OUT, COUNTED, FEWER, ALL_WAIT, ONE_WAITS):
        yield from induction.parts()

    def waits(out: Any, candidate: Any) -> Any:
        return _waits(out, candidate, COUNT)

    def said(state: State, fold: Any, point: Any) -> Labelled:
        usage, removed = usage_of(fold), listed(fold.fields["removed"])
        turn = state["$turn"]
        least = z3.Implies(waits(turn, OTHER), _rank(in_use(turn), ANY) <= _rank(in_use(turn), OTHER))
        first = z3.And(z3.Not(turn[ANY]), least)
        some = z3.And(removed.there, removed.members[removed.head])
        return [
            ("usage is without those removed", usage == in_use(removed.members)),
            ("only candidates", z3.Implies(removed.members[point], z3.And(point >= 0, point < COUNT))),
            ("a list of none is None", z3.Or(some, z3.Not(z3.Or(removed.there, removed.members[point])))),
            ("each was first at its turn", z3.Implies(removed.members[ANY], first)),
        ]

    def invariant(steps: Any, state: State, point: Any) -> Labelled:
        fold = state["state"]
        removed = listed(fold.fields["removed"])
        return [
            *said(state, fold, point),
            ("it does not fit yet", z3.Not(as_term(fold.fields["fits"], bool))),
            ("it did not fit", z3.Implies(removed.there, z3.Not(fits_in(usage_of(fold))))),
            ("as many wait as turns are left", _waiting(removed.members, COUNT) == COUNT - steps),
            ("who waits is counted", _counted(removed.members, OTHER, COUNT)),
            ("who waits is not out", state["waiting"].term[point] == waits(removed.members, point)),
        ]

    def result(value: Value, state: State, point: Any, steps: Any, ended: bool) -> Labelled:
        usage, removed = usage_of(value), listed(value.fields["removed"])
        fits = as_term(value.fields["fits"], bool)
        alone = removed.members[point] == (point == removed.head)
        needed = z3.Or(z3.Not(fits_in(given_back(usage, removed.head))), alone)
        return [
            *said(state, value, point),
            ("the last is needed, unless alone", z3.Implies(fits, needed)),
            ("all had a turn, or it fits", z3.Or(fits, (steps + 1 if ended else steps) == COUNT)),
            ("all were removed, or it fits", z3.Or(fits, z3.Not(waits(removed.members, OTHER)))),
        ]

    def now(state: State) -> tuple[Any, Any, Any]:
        """Who is out, what is in use, and whose turn it is."""
        usage = usage_of(state["state"])
        return listed(state["state"].fields["removed"]).members, usage, _first(state["waiting"].term, usage)

    def whose_turn(state: State, _: Value) -> list[Value]:
        _, usage, first = now(state)
        return [Made(dict, {"usage": SymToken(usage), "one": SymToken(first)})]

    def turn_of(state: State, _: Value) -> list[Lemma]:
        out, usage, first = now(state)
        waiting = state["waiting"].term
        least = [
            z3.Implies(waiting[one], z3.And(waiting[first], _rank(usage, first) <= _rank(usage, one)))
            for one in (OTHER, _last(out, COUNT))
        ]
        then = z3.Store(out, first, True)
        return [
            given(LEAST, PYTHON, z3.And(*least)),
            *lemmas_of(COUNTED.of(then, OTHER, COUNT), FEWER.of(out, first, COUNT), ONE_WAITS.of(out, COUNT)),
            *leaves(out, first),
        ]

    def at_turn(state: State, _: Value) -> Any:
        out, _, first = now(state)
        return z3.If(first == ANY, out, state["$turn"])

    def points(point: Any, _: Any, here: State) -> list[Any]:
        out, _, first = now(here)
        head = listed(here["state"].fields["removed"]).head
        return [point, ANY, OTHER, head, first, _last(out, COUNT)]

    contract = Contract(
        invariant,
        result,
        facts=(NONE_OUT.of(COUNT), ALL_WAIT.of(COUNT), COUNTED.of(NOBODY_OUT, OTHER, COUNT)),
        everywhere=lambda point: [EVERY.at(point)],
        points=points,
        ghosts={"$turn": Ghost(NOBODY_OUT, at_turn)},
        lemmas=turn_of,
    )
    stands = {"tuple": Handed(1, SymToken, _all_of), "first_of": Handed(3, SymToken, _first_of)}
    seen = seeing(function, **stands)
    yield from IN_TURN.of_steps(seen, contract, each=whose_turn)


A_TURN = "a round that does not end the tournament gives a candidate its turn"


def gives_a_turn(ended: Any, left: Any, left_then: Any) -> z3.BoolRef:
    """What PO-ANY-115 shows of a round: fewer wait after it, or it ends the tournament."""
    return z3.And(left_then >= 0, z3.Or(ended, left_then < left))


def rounds_keep(
    holds: Callable[[Value], z3.BoolRef],
    gives: Callable[[State, Callable[..., Any]], Value],
    like: Value,
) -> Specification:
    """What holds at first and is kept by every step holds in the end, whatever it is.

    Args:
        holds: of a state.
        gives: a state, made of its parts.
        like: an arbitrary state.
    """
    return Specification(
        "PO-ANY-110",
        "rounds keep what each step keeps",
        rounds,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
        {
            "waiting": Row(SymToken, z3.Int("how many wait"), told=(z3.Int("waiting"),)),
            "state": SymToken(z3.Int("state")),
            "step": Closure(z3.Int("step"), 1, SymToken),
            "ended": Closure(z3.Int("ended"), 1, bool),
        },
        gives,
        lambda _, state: [("it holds", holds(state))],
        lambda given: [("it holds at first", holds(given["state"]))],
        like,
        lambda given, state: [("a step keeps it", z3.Implies(holds(state), holds(given["step"](state))))],
    )


@theorem("PO-ANY-110", size="any number of candidates, both strategies of fair sharing")
def the_tournament_ends_within_one_round_for_each_candidate(
    function: Callable[..., Any] = rounds,
) -> Iterator[Part]:
    """Kueue main of August 2026, fair-sharing preemption: queues are visited until the request fits.

    After at most as many rounds as there are candidates the request fits, no ClusterQueue is left to visit,
    or each candidate has had its turn. There is no round after the one that ends it.
    """
    holds = Closure(z3.Int("what holds"), 1, bool)
    keep = rounds_keep(lambda state: holds(state).term, lambda _, part: part("state", SymToken), None)
    kept = Contract(
        lambda _, state, __: [("it holds", holds(state["state"]).term)],
        lambda *_: [],
        points=lambda _, __, here: [here["state"].term],
    )
    yield from keep.of_steps(function, kept)
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
        return [given(A_TURN, "PO-ANY-115", gives_a_turn(_ended(then), _left(now), _left(then)))]

    facts = (_left(start) == count, z3.Not(_ended(start)))
    yield from by_induction(loop, Contract(invariant, result, facts=facts, lemmas=turns))
