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
from tenure_proofs.theorems.decision import seeing
from tenure_proofs.theorems.keeping import (
    ATTEMPTS,
    CANDIDATES,
    FITS,
    end_of_removals,
    fitting_of,
    found_of,
    leaving_made,
    selected,
    suffices,
)
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.theorems.standins import (
    BOOL,
    INT,
    PARTIAL,
    TOLD,
    called,
    known_as,
    only_of,
    same,
    telling,
    token,
    truth_of,
)
from tenure_proofs.theorems.taken import Taken, given
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.induction import Contract, Labelled, Lemma, Part, by_induction
from tenure_proofs.trusted.loops import NONE, Given, Listed, Loop, Row, State, Way, returned
from tenure_proofs.trusted.procedures import Law, read_procedure
from tenure_proofs.trusted.symbols import SymBool, SymOptional, SymToken, as_term

QUESTION, CANDIDATE = token("question"), token("any candidate")
AS_IT_IS = token("as it is")


def _claimed(way: Way, end: Made, fits: Value, attempts: Value) -> Labelled:
    """What is claimed of each of the three searches."""
    found = way.value.fields
    kept = as_term(found["kept"], int)
    return [
        ("of this question", same(found["question"], QUESTION)),
        ("of all candidates", same(found["candidates"], CANDIDATES)),
        ("after these attempts", same(found["attempts"], attempts)),
        ("of whom its last attempt removed", same(found["removed"], end.fields["removed"])),
        ("by what this attempt allows", found["fits"].term == fits.term),
        ("a workload exactly if it fits", (kept > 0) == end.fields["fits"].term),
        ("those suffice", z3.Implies(kept > 0, FITS(fits.term, found["usage"].term))),
    ]


def _evidence_as_it_is(way: Way) -> Labelled:
    return [("with the evidence of its turn", same(way.value.fields["completed"], AS_IT_IS))]


MADE = "attempts are made up to the first that fits, and that is the last"
REMOVES, IN_TURN = "an attempt removes until the request fits", "so does a hero, in turn"
ROUND = "a round takes a candidate, or changes neither what is in use nor who was removed"
TAKES = "who is taken is noted, and whether the request fits then"


@theorem(
    "PO-ANY-250",
    about=(
        classical.select_classically,
        classical._attempt,
        classical._has_found,
        fair.select_fairly,
        fair._played,
        heroes.select_for_hero,
    ),
    size="any number of candidates, attempts and rounds",
)
def each_of_the_three_searches_keeps_a_workload_exactly_if_its_last_attempt_fits_and_those_suffice(
    select: Callable[..., Any] = classical.select_classically,
    attempt: Callable[..., Any] = classical._attempt,
    has_found: Callable[..., Any] = classical._has_found,
    fairly: Callable[..., Any] = fair.select_fairly,
    played: Callable[..., Any] = fair._played,
    for_hero: Callable[..., Any] = heroes.select_for_hero,
) -> Iterator[Part]:
    """Classical preemption, fair sharing, and a hero's search, from the candidates to what is kept.

    Under fair sharing the second strategy goes on with what is in use after the first, and none is forgotten
    that the first has removed.
    """
    yield from _classically(select, has_found)
    yield from _attempted(attempt)
    yield from _fairly(fairly)
    yield from _rounds_of(played)
    yield from _for_hero(for_hero)


_borrows = z3.Function("an attempt may borrow", INT, BOOL)
_end = {
    name: z3.Function(f"{name} in the end of an attempt", INT, INT, BOOL, sort)
    for name, sort in (("usage", INT), ("some removed", BOOL), ("removed", INT), ("fits", BOOL))
}


def _tried(_: State, leaving: Value, candidates: Value, may_borrow: Value) -> Made:
    """An attempt: what its removals come to depends on what leaves, on the candidates, and on borrowing."""
    of_these = known_as(leaving), known_as(candidates), truth_of(may_borrow)
    told = {name: function(*of_these) for name, function in _end.items()}
    fits = SymBool(told["fits"])
    removed = SymOptional(SymBool(told["some removed"]), SymToken(told["removed"]))
    end = Made(Removal, {"usage": SymToken(told["usage"]), "removed": removed, "fits": fits})
    return Made(
        classical._Tried,
        {"attempt": Made(Attempt, {"may_borrow": SymBool(of_these[2]), "fits": fits}), "end": end},
    )


def _classically(
    function: Callable[..., Any], has_found: Callable[..., Any] = classical._has_found
) -> Iterator[Part]:
    leaving, count, last, place = leaving_made(), z3.Int("choices"), z3.Int("last"), z3.Int("place")
    choices, made = Row(lambda at: SymBool(_borrows(at)), count), token("attempts made")
    # KQ-360 names at least one attempt for whatever it is asked.
    least = min(map(len, classical.MAY_BORROW.values()))

    def tried(at: Any) -> Made:
        return _tried({}, leaving, CANDIDATES, SymBool(_borrows(at)))

    def fits_at(at: Any) -> z3.BoolRef:
        return as_term(tried(at).fields["end"].fields["fits"], bool)

    def attempts(held: State, among: Value, attempt_of: Value, until: Value) -> Value:
        one, own = called(attempt_of, held, SymBool(_borrows(place))), tried(place)
        stop = truth_of(called(until, held, own))
        exact = z3.And(z3.BoolVal(among is choices), same(one, own), stop == fits_at(place))
        chain = SymToken(z3.If(exact, made.term, token("others").term))
        return Made(Chain, {"head": tried(z3.If(exact, last, z3.Int("another"))), "": chain})

    def stops(_: State, tried: Value) -> Value:
        return returned(has_found, tried=tried)[0]  # type: ignore[arg-type]  # a plain function

    attempts_in = telling("attempts in", known_as)
    completing = telling("candidate in an attempt", truth_of, known_as)
    end, borrowing = tried(last).fields["end"], SymBool(_borrows(last))
    fits = fitting_of({}, leaving, borrowing)

    def of_these(way: Way) -> Labelled:
        expected = completing.value({}, borrowing, CANDIDATE)
        with_evidence = called(way.value.fields["completed"], {}, CANDIDATE)
        return [
            *_claimed(way, end, fits, attempts_in.value({}, made)),
            ("with the evidence of the last attempt", same(with_evidence, expected)),
        ]

    up_to_it = z3.And(last >= 0, last < count, z3.Or(last == count - 1, fits_at(last)))
    none_before = z3.Implies(z3.And(place >= 0, place < last), z3.Not(fits_at(place)))
    yield from read_procedure(
        seeing(
            function,
            _candidates=only_of(CANDIDATES, QUESTION),
            leaving_of=only_of(leaving, QUESTION),
            partial=PARTIAL,
            _attempt=Law(_tried),
            _in_attempt=completing,
            _has_found=Law(stops),
            _choices=only_of(choices, QUESTION, CANDIDATES),
            attempts_until_one_fits=Law(attempts),
            some_of=Law(lambda _, chain: chain),
            _attempts_in=attempts_in,
            fitting=Law(fitting_of),
            selection_after=Law(found_of),
        ),
        {"question": QUESTION},
        of_these,
        facts=(
            count >= least,
            Taken(z3.And(up_to_it, none_before), MADE, "PO-ANY-060"),
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

    def claimed(way: Way) -> Labelled:
        tried, made = way.value.fields, way.value.fields["attempt"].fields
        return [
            ("of these candidates", same(made["waiting"], CANDIDATES)),
            (
                "removals of these, from what is in use",
                tried["end"].fields["fits"].term == end.fields["fits"].term,
            ),
            ("who was removed", same(tried["end"].fields.get("removed"), end.fields["removed"])),
            ("it says whether the request fits", as_term(made["fits"], bool) == end.fields["fits"].term),
            ("what is in use then", same(made["usage"], end.fields["usage"])),
            ("whether it borrows", as_term(made["may_borrow"], bool) == borrowing.term),
            ("whose turn it was", same(made["turns"], token("turns"))),
        ]

    turns = Made(classical._Turns, {"may_leave": stands, "made": token("turns")})
    yield from read_procedure(
        seeing(
            function,
            _Turns=only_of(turns, leaving, borrowing),
            fitting=Law(fitting_of),
            remove_until_fits=Law(removals),
        ),
        {"leaving": leaving, "candidates": CANDIDATES, "may_borrow": borrowing},
        claimed,
    )


def _fairly(function: Callable[..., Any]) -> Iterator[Part]:
    leaving, end, none = leaving_made(), end_of_removals("end"), token("no attempt")
    fits = fitting_of({}, leaving, True)
    candidates = Row(SymToken, z3.Int("count"))
    found = Made(fair._Played, {"attempts": ATTEMPTS, "end": end})
    tournament = Made(Tournament, {"leaving": leaving, "": token("tournament")})

    def claimed(way: Way) -> Labelled:
        if isinstance(way.value, SymToken):
            return [("none where there is no candidate", z3.And(candidates.size <= 0, same(way.value, none)))]
        same_ones = Made(Selection, {**way.value.fields, "candidates": CANDIDATES})
        there = z3.BoolVal(way.value.fields["candidates"] is candidates)
        way = Way(way.path, way.ends, way.names, same_ones)
        return [("the candidates", there), *_claimed(way, end, fits, ATTEMPTS), *_evidence_as_it_is(way)]

    yield from read_procedure(
        seeing(
            function,
            _candidates=only_of(candidates, QUESTION),
            _none_yet=only_of(none, QUESTION),
            _tournament_of=only_of(tournament, QUESTION),
            _played=only_of(found, tournament, candidates),
            fitting=Law(fitting_of),
            as_it_is=AS_IT_IS,
            selection_after=Law(found_of),
        ),
        {"question": QUESTION},
        claimed,
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
    leaving, asked = leaving_made(), z3.Bool("goes again")
    strategies = (token("first strategy"), token("second strategy"))
    charged, ended = token("charged"), token("has ended")
    steps = {name: token(name) for name in ("first_step", "second_step")}
    of_this = {name: token(f"{name} of this search") for name in steps}
    told = {"leaving": leaving, "charged": charged, "strategies": strategies, "goes_again": SymBool(asked)}
    tournament = Made(Tournament, told)
    ends = {name: _round(name) for name in steps}
    waiting_of, tried = telling("by queue", known_as), telling("an attempt", known_as, known_as, known_as)
    rejected_in = telling("rejected in", known_as)

    def bound(_: State, step: Value, whose: Value) -> Value:
        named = [of_this[name] for name in steps if steps[name] is step and whose is tournament]
        return named[0] if named else TOLD

    def attempt_of(_: State, *asked: Value) -> Value:
        made = tried.value({}, *asked)
        return Made(Attempt, {"rejected": rejected_in.value({}, made), "": made})

    first = attempt_of({}, CANDIDATES, ends["first_step"], strategies[0])
    second = attempt_of({}, first.fields["rejected"], ends["second_step"], strategies[1])

    def played(_: State, whose: Value, begun: Value, step: Value, stops: Value) -> Value:
        """What comes of the rounds: that is known where they begin and go on as they have to."""
        is_first = step is of_this["first_step"]
        one = ends["first_step"].fields
        among = CANDIDATES if is_first else first.fields["rejected"]
        expected = {
            "usage": leaving.fields["usage"] if is_first else one["usage"],
            "charged": charged if is_first else one["charged"],
            "waiting": waiting_of.value({}, among),
            "turns": None,
            "removed": None if is_first else one["removed"],
            "fits": False,
            "over": False,
        }
        begins = [same(begun.fields[name], value) for name, value in expected.items()]
        exact = z3.And(
            *begins, same(whose, among), same(step, of_this["first_step" if is_first else "second_step"])
        )
        right = z3.And(exact, same(stops, ended))
        which = ends["first_step" if is_first else "second_step"].fields
        return Made(Round, {**which, "fits": SymBool(z3.And(right, which["fits"].term))})

    def claimed(way: Way) -> Labelled:
        attempts, end = way.value.fields["attempts"], way.value.fields["end"].fields
        last = ends["second_step" if len(attempts) == 2 else "first_step"].fields
        once = z3.Or(ends["first_step"].fields["fits"].term, z3.Not(asked))
        made = zip(attempts, (first, second), strict=False)
        return [
            ("once, or by both strategies", once == z3.BoolVal(len(attempts) == 1)),
            ("each attempt by its strategy", z3.And(*(same(one, own) for one, own in made))),
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
            by_queue=waiting_of,
            _has_ended=ended,
            _attempt=Law(attempt_of),
        ),
        {"tournament": tournament, "candidates": CANDIDATES},
        claimed,
    )


def _round(name: str) -> Made:
    return Made(
        Round,
        {
            "usage": token(f"{name} usage"),
            "charged": token(f"{name} charged"),
            "removed": token(f"{name} removed"),
            "fits": SymBool(z3.Bool(f"{name} fits")),
            "": token(name),
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
    fits = z3.Function("it fits", INT, BOOL)
    state = {name: token(f"state {name}") for name in ("usage", "charged", "waiting", "turns")}
    without, uncharged = (telling(name, known_as, known_as) for name in ("without", "not charged"))

    def fitting(_: State, usage: Value, may_borrow: Value) -> Value:
        return SymBool(z3.And(truth_of(may_borrow), fits(known_as(usage))))

    leaving = Made(Leaving, {"without": without, "fits": Law(fitting)})
    tournament = Made(Tournament, {"leaving": leaving, "question": Made(Question, {"without": uncharged})})
    before = Listed(
        z3.Bool("some"),
        z3.Int("head"),
        z3.Const("members", NONE.members.sort()),
        z3.Bool("up"),
        z3.Bool("down"),
    )
    names = ("found", "candidate", "evidence", "shares", "its turn")
    found, candidate, evidence, shares, turn = map(token, names)
    left = without.value({}, state["usage"], candidate)

    def claimed(way: Way) -> Labelled:
        then = way.value.fields
        member = z3.Int("member")
        removed = then["removed"]
        return [
            ("it leaves", same(then["usage"], left)),
            ("nor is it charged", same(then["charged"], uncharged.value({}, state["charged"], candidate))),
            ("who waits elsewhere waits on", same(then["waiting"], state["waiting"])),
            ("it is noted", z3.And(removed.members[found.term], same(then["turns"], turn))),
            ("none is forgotten", z3.Implies(before.members[member], removed.members[member])),
            ("in order", removed.head == found.term),
            ("whether the request fits then", as_term(then["fits"], bool) == fits(left.term)),
            ("it goes on", z3.BoolVal(then["over"] is False)),
        ]

    yield from read_procedure(
        seeing(
            function,
            _found=only_of(found, candidate, evidence),
            _turned=only_of(turn, found, True, shares, state["turns"]),
        ),
        {
            "tournament": tournament,
            "state": Made(Round, {**state, "removed": before}),
            "candidate": candidate,
            "evidence": evidence,
            "shares": shares,
        },
        claimed,
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

    turns_of = telling("turns of", known_as)

    def claimed(way: Way) -> Labelled:
        (attempt,) = way.value.fields["attempts"]
        made = {"waiting": CANDIDATES, "turns": turns_of.value({}, end.fields["removed"])}
        made |= {name: end.fields[name] for name in ("usage", "fits")}
        return [
            (
                "one attempt says so",
                z3.And(*(same(attempt.fields[name], value) for name, value in made.items())),
            ),
            *_claimed(way, end, fits, way.value.fields["attempts"]),
            *_evidence_as_it_is(way),
        ]

    yield from read_procedure(
        seeing(
            function,
            HeroSearch=only_of(own, QUESTION),
            remove_in_turn=Law(removals),
            _turns_of=turns_of,
            as_it_is=AS_IT_IS,
            selection_after=Law(found_of),
        ),
        {"question": QUESTION},
        claimed,
        facts=(selected(end, fits, told["beside"]), Taken(suffices(end, fits), IN_TURN, "PO-ANY-070")),
    )
