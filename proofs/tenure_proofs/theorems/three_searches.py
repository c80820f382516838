"""The three searches for targets, from their candidates to what they keep: classical, fair, and a hero's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import z3

from tenure.oracle import classical, fair
from tenure.oracle.fair import Round, Tournament
from tenure.oracle.heroes import search as heroes
from tenure.oracle.leaving import Leaving
from tenure.oracle.question import Attempt, Question, Selection
from tenure.oracle.selection import Chain, Removal, rounds
from tenure_proofs.theorems.deciding import BOOL, INT, TOLD, same, token
from tenure_proofs.theorems.decision import seeing
from tenure_proofs.theorems.keeping import (
    ATTEMPTS,
    CANDIDATES,
    FILLED,
    FITS,
    end_of_removals,
    fitting_of,
    found_of,
    leaving_made,
    selected,
    suffices,
)
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.theorems.taken import Taken, given
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.induction import Contract, Labelled, Lemma, Part, by_induction
from tenure_proofs.trusted.loops import NONE, Given, Listed, Loop, Row, State, Way
from tenure_proofs.trusted.procedures import Law, read_procedure
from tenure_proofs.trusted.symbols import SymBool, SymToken, as_term


def _claimed(way: Way, end: Made, fits: Value, attempts: Value) -> Labelled:
    """What is claimed of each of the three searches."""
    found = way.value.fields
    kept = as_term(found["kept"], int)
    return [
        ("of all candidates", same(found["candidates"], CANDIDATES)),
        ("after these attempts", same(found["attempts"], attempts)),
        ("by what this attempt allows", found["fits"].term == fits.term),
        ("a workload exactly if it fits", (kept > 0) == end.fields["fits"].term),
        ("those suffice", z3.Implies(kept > 0, FITS(fits.term, found["usage"].term))),
    ]


REMOVES, IN_TURN = "an attempt removes until the request fits", "so does a hero, in turn"
ROUND = "a round takes a candidate, or changes neither what is in use nor who was removed"
TAKES = "who is taken is noted, and whether the request fits then"


@theorem(
    "PO-ANY-250",
    about=(
        classical.select_classically,
        classical._attempt,
        fair.select_fairly,
        fair._played,
        heroes.select_for_hero,
    ),
    size="any number of candidates, attempts and rounds",
    assumes={
        "the attempt that is made last is one of them": "PO-ANY-060",
        REMOVES: "PO-ANY-010",
        IN_TURN: "PO-ANY-070",
        FILLED: "PO-ANY-245",
        ROUND: "PO-ANY-115",
        TAKES: "PO-ANY-120",
    },
    modelled=("the attempt that is made last is one of them",),
)
def each_of_the_three_searches_keeps_a_workload_exactly_if_its_last_attempt_fits_and_those_suffice(
    select: Callable[..., Any] = classical.select_classically,
    attempt: Callable[..., Any] = classical._attempt,
    fairly: Callable[..., Any] = fair.select_fairly,
    played: Callable[..., Any] = fair._played,
    for_hero: Callable[..., Any] = heroes.select_for_hero,
) -> Iterator[Part]:
    """Classical preemption, fair sharing, and a hero's search, from the candidates to what is kept.

    Under fair sharing the second strategy goes on with what is in use after the first, and none is forgotten
    that the first has removed.
    """
    yield from _classically(select)
    yield from _attempted(attempt)
    yield from _fairly(fairly)
    yield from _rounds_of(played)
    yield from _for_hero(for_hero)


def _classically(function: Callable[..., Any]) -> Iterator[Part]:
    leaving, end, borrowing = leaving_made(), end_of_removals("end"), SymBool(z3.Bool("may borrow"))
    fits = fitting_of({}, leaving, borrowing)
    last = Made(classical._Tried, {"attempt": Made(Attempt, {"may_borrow": borrowing}), "end": end})
    made = Made(Chain, {"head": last})
    yield from read_procedure(
        seeing(
            function,
            _candidates=Law(lambda *_: CANDIDATES),
            leaving_of=Law(lambda *_: leaving),
            partial=Law(lambda *_: TOLD),
            _attempt=TOLD,
            _in_attempt=TOLD,
            _has_found=TOLD,
            _choices=Law(lambda *_: TOLD),
            attempts_until_one_fits=Law(lambda *_: token("made")),
            some_of=Law(lambda *_: made),
            _attempts_in=Law(lambda *_: ATTEMPTS),
            fitting=Law(fitting_of),
            selection_after=Law(found_of),
        ),
        {"question": token("question")},
        lambda way: _claimed(way, end, fits, ATTEMPTS),
        facts=(
            selected(end, fits, leaving.fields["beside"]),
            Taken(suffices(end, fits), REMOVES, "PO-ANY-010"),
        ),
    )


def _attempted(function: Callable[..., Any]) -> Iterator[Part]:
    """That the end of an attempt is that of its removals, from what is in use at first."""
    leaving, borrowing, end = leaving_made(), SymBool(z3.Bool("may borrow")), end_of_removals("end")
    fits, told = fitting_of({}, leaving, borrowing), leaving.fields
    stands = token("who stands")

    def removals(_: State, *asked: Value) -> Value:
        own = (CANDIDATES, told["usage"], stands, fits, told["without"])
        exact = z3.And([same(mine, theirs) for mine, theirs in zip(asked, own, strict=True)])
        return Made(Removal, {**end.fields, "fits": SymBool(z3.And(exact, end.fields["fits"].term))})

    def of(way: Way) -> Labelled:
        tried, made = way.value.fields, way.value.fields["attempt"].fields
        return [
            (
                "removals of these, from what is in use",
                tried["end"].fields["fits"].term == end.fields["fits"].term,
            ),
            ("it says whether the request fits", as_term(made["fits"], bool) == end.fields["fits"].term),
            ("what is in use then", same(made["usage"], end.fields["usage"])),
            ("whether it borrows", as_term(made["may_borrow"], bool) == borrowing.term),
            ("whose turn it was", same(made["turns"], token("turns"))),
        ]

    turns = Made(classical._Turns, {"may_leave": stands, "made": token("turns")})
    yield from read_procedure(
        seeing(
            function,
            _Turns=Law(lambda *_: turns),
            fitting=Law(fitting_of),
            remove_until_fits=Law(removals),
        ),
        {"leaving": leaving, "candidates": CANDIDATES, "may_borrow": borrowing},
        of,
    )


def _fairly(function: Callable[..., Any]) -> Iterator[Part]:
    leaving, end = leaving_made(), end_of_removals("end")
    fits = fitting_of({}, leaving, True)
    candidates = Row(SymToken, z3.Int("count"))
    found = Made(fair._Played, {"attempts": ATTEMPTS, "end": end})
    tournament = Made(Tournament, {"leaving": leaving})

    def of(way: Way) -> Labelled:
        if isinstance(way.value, SymToken):
            return [("none where there is no candidate", candidates.size <= 0)]
        same_ones = Made(Selection, {**way.value.fields, "candidates": CANDIDATES})
        there = z3.BoolVal(way.value.fields["candidates"] is candidates)
        way = Way(way.path, way.ends, way.names, same_ones)
        return [("the candidates", there), *_claimed(way, end, fits, ATTEMPTS)]

    yield from read_procedure(
        seeing(
            function,
            _candidates=Law(lambda *_: candidates),
            _none_yet=Law(lambda *_: TOLD),
            _tournament_of=Law(lambda *_: tournament),
            _played=Law(lambda *_: found),
            fitting=Law(fitting_of),
            as_it_is=TOLD,
            selection_after=Law(found_of),
        ),
        {"question": token("question")},
        of,
        # That those suffice who are removed in rounds is shown below.
        facts=(selected(end, fits, leaving.fields["beside"]), suffices(end, fits)),
    )


_usage = z3.Function("usage of a round", INT, INT)
_some = z3.Function("a round has removed some", INT, BOOL)
_says = z3.Function("a round says that it fits", INT, BOOL)
_takes = z3.Function("a candidate is taken in the round after", INT, BOOL)
_next = z3.Function("the round after", INT, INT)


def _right(state: Any, fits: Any) -> z3.BoolRef:
    """What has to hold of a round: where it says that the request fits, it does, and some were removed."""
    return z3.Implies(_says(state), z3.And(_some(state), FITS(fits, _usage(state))))


def _rounds_of(function: Callable[..., Any]) -> Iterator[Part]:
    """That a tournament's end is right, by induction over its rounds, and by each strategy in turn."""
    fits = z3.Int("fits")
    start = z3.Int("start")
    loop = Loop(
        rounds,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
        waiting=Row(SymToken, z3.Int("count")),
        state=SymToken(start),
        step=Given(1, SymToken, _next),
        ended=Given(1, bool, z3.Function("has ended", INT, BOOL)),
    )

    def by_taking(state: State, _: Value) -> list[Lemma]:
        now, then = state["state"].term, _next(state["state"].term)
        as_it_was = z3.And(_usage(then) == _usage(now), _some(then) == _some(now), _says(then) == _says(now))
        noted = z3.And(_some(then), _says(then) == FITS(fits, _usage(then)))
        return [
            given(ROUND, "PO-ANY-115", z3.Or(as_it_was, _takes(now))),
            given(TAKES, "PO-ANY-120", z3.Implies(_takes(now), noted)),
        ]

    yield from by_induction(
        loop,
        Contract(
            lambda _, state, __: [("it is right", _right(state["state"].term, fits))],
            lambda value, *_: [("it is right", _right(value.term, fits))],
            facts=(z3.Not(_says(start)),),
            lemmas=by_taking,
        ),
    )
    leaving = leaving_made()
    asked = z3.Bool("goes again")
    strategies = (token("first strategy"), token("second strategy"))
    steps = {"first_step": token("first step"), "second_step": token("second step")}
    of_this = {name: token(f"{name} of this search") for name in steps}
    tournament = Made(
        Tournament,
        {
            "leaving": leaving,
            "charged": token("charged"),
            "strategies": strategies,
            "goes_again": SymBool(asked),
        },
    )
    ends = {name: _round(name) for name in steps}

    def bound(_: State, step: Value, whose: Value) -> Value:
        (name,) = (name for name in steps if steps[name] is step)
        return of_this[name] if whose is tournament else TOLD

    def played(*asked: Any) -> Value:
        begun, first = asked[2].fields, asked[3] is of_this["first_step"]
        its_own = any(asked[3] is step for step in of_this.values())
        one = ends["first_step"].fields
        goes_on = same(begun["usage"], leaving.fields["usage"] if first else one["usage"])
        none_yet = begun["removed"] is (None if first else one["removed"])
        right = z3.And(goes_on, z3.BoolVal(its_own and none_yet and begun["fits"] is False))
        which = one if first else ends["second_step"].fields
        return Made(Round, {**which, "fits": SymBool(z3.And(right, which["fits"].term))})

    def of(way: Way) -> Labelled:
        attempts, end = way.value.fields["attempts"], way.value.fields["end"].fields
        last = ends["second_step" if len(attempts) == 2 else "first_step"].fields
        once = z3.Or(ends["first_step"].fields["fits"].term, z3.Not(asked))
        return [
            ("once, or by both strategies", once == z3.BoolVal(len(attempts) == 1)),
            (
                "it begins with what is in use, and goes on with it",
                as_term(end["fits"], bool) == last["fits"].term,
            ),
            ("what is in use at the end", same(end["usage"], last["usage"])),
            ("all that were removed", z3.BoolVal(end["removed"] is last["removed"])),
        ]

    yield from read_procedure(
        seeing(
            function,
            rounds=Law(played),
            partial=Law(bound),
            **steps,
            by_queue=Law(lambda *_: TOLD),
            _has_ended=TOLD,
            _attempt=Law(lambda *_: Made(Attempt, {"rejected": TOLD})),
        ),
        {"tournament": tournament, "candidates": CANDIDATES},
        of,
    )


def _round(name: str) -> Made:
    return Made(
        Round,
        {
            "usage": token(f"{name} usage"),
            "charged": token(f"{name} charged"),
            "removed": token(f"{name} removed"),
            "fits": SymBool(z3.Bool(f"{name} fits")),
        },
    )


@theorem("PO-ANY-120", about=(fair._take,), size="any candidate, after any number of rounds")
def who_is_taken_in_a_round_is_in_use_no_more_and_is_noted_and_none_before_it_is_forgotten(
    function: Callable[..., Any] = fair._take,
) -> Iterator[Part]:
    """Kueue main of August 2026, fair-sharing preemption: what a round that takes a candidate changes.

    The round says whether the request fits without the candidate, and it does not end the tournament.
    """
    return _taken(function)


def _taken(function: Callable[..., Any]) -> Iterator[Part]:
    """That who is taken leaves and is noted, and that the round says whether the request fits then."""
    without, fits = z3.Function("without", INT, INT, INT), z3.Function("it fits", INT, BOOL)
    found, state = (
        token("found"),
        {name: token(f"state {name}") for name in ("usage", "charged", "waiting", "turns")},
    )
    law = Law(lambda _, usage, candidate: SymToken(without(usage.term, candidate.term)))

    def fitting(_: State, usage: Value, may_borrow: Value) -> Value:
        return SymBool(z3.And(as_term(may_borrow, bool), fits(usage.term)))

    leaving = Made(Leaving, {"without": law, "fits": Law(fitting)})
    tournament = Made(Tournament, {"leaving": leaving, "question": Made(Question, {"without": law})})
    before = Listed(
        z3.Bool("some"),
        z3.Int("head"),
        z3.Const("members", NONE.members.sort()),
        z3.Bool("up"),
        z3.Bool("down"),
    )
    candidate, turn = token("candidate"), token("its turn")
    left, uncharged = (without(state[name].term, candidate.term) for name in ("usage", "charged"))

    def turned(_: State, who: Value, removed: Value, __: Value, turns: Value) -> SymToken:
        return turn if who is found and removed is True and turns is state["turns"] else TOLD

    def of(way: Way) -> Labelled:
        then = way.value.fields
        member = z3.Int("member")
        removed = then["removed"]
        return [
            ("it leaves", then["usage"].term == left),
            ("nor is it charged", then["charged"].term == uncharged),
            ("it is noted", z3.And(removed.members[found.term], same(then["turns"], turn))),
            ("none is forgotten", z3.Implies(before.members[member], removed.members[member])),
            ("in order", removed.head == found.term),
            ("whether the request fits then", as_term(then["fits"], bool) == fits(left)),
            ("it goes on", z3.BoolVal(then["over"] is False)),
        ]

    yield from read_procedure(
        seeing(
            function,
            _found=Law(lambda *_: found),
            _turned=Law(turned),
        ),
        {
            "tournament": tournament,
            "state": Made(Round, {**state, "removed": before}),
            "candidate": candidate,
            "evidence": TOLD,
            "shares": TOLD,
        },
        of,
    )


def _for_hero(function: Callable[..., Any]) -> Iterator[Part]:
    end = end_of_removals("end")
    names = ("start", "in_turn", "fits", "without", "beside")
    told = {name: token(f"hero {name}") for name in names}
    own = Made(heroes.HeroSearch, {"candidates": CANDIDATES, **told})
    fits = told["fits"]

    def removals(_: State, *asked: Value) -> Value:
        expected = (CANDIDATES, *(told[name] for name in ("start", "in_turn", "fits", "without")))
        exact = z3.And([same(mine, theirs) for mine, theirs in zip(asked, expected, strict=True)])
        return Made(Removal, {**end.fields, "fits": SymBool(z3.And(exact, end.fields["fits"].term))})

    def of(way: Way) -> Labelled:
        (attempt,) = way.value.fields["attempts"]
        said = as_term(attempt.fields["fits"], bool) == end.fields["fits"].term
        return [
            ("one attempt says so", said),
            *_claimed(way, end, fits, way.value.fields["attempts"]),
        ]

    yield from read_procedure(
        seeing(
            function,
            HeroSearch=Law(lambda *_: own),
            remove_in_turn=Law(removals),
            _turns_of=Law(lambda *_: TOLD),
            as_it_is=TOLD,
            selection_after=Law(found_of),
        ),
        {"question": token("question")},
        of,
        facts=(selected(end, fits, told["beside"]), Taken(suffices(end, fits), IN_TURN, "PO-ANY-070")),
    )
