"""The three searches for targets, from their candidates to what they keep: classical, fair, and a hero's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import z3

from tenure.oracle import classical, fair
from tenure.oracle.fair import Round
from tenure.oracle.heroes import search as heroes
from tenure.oracle.question import Attempt
from tenure_proofs.theorems.decision import seeing
from tenure_proofs.theorems.keeping import CANDIDATES, SELECTED, fitting_of, suffices
from tenure_proofs.theorems.registry import PYTHON, theorem
from tenure_proofs.theorems.rounds import (
    BORROWING,
    LEAVING,
    STEPS,
    STRATEGIES,
    TOURNAMENT,
    any_round,
    goes_on,
    round_of,
)
from tenure_proofs.theorems.searching import IN_TURN, MADE, rounds_keep
from tenure_proofs.theorems.selection import REMOVED, removal_of
from tenure_proofs.theorems.standins import (
    BOOL,
    INT,
    PARTIAL,
    known_as,
    only_of,
    same,
    telling,
    token,
    truth_of,
)
from tenure_proofs.theorems.taken import known
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.loops import OWN, Row, State, Way, returned
from tenure_proofs.trusted.procedures import Law, read_procedure
from tenure_proofs.trusted.specified import Closure, Specification, Taken, leaves, there_is_one
from tenure_proofs.trusted.symbols import SymBool, SymToken

QUESTION, CANDIDATE = token("question"), token("any candidate")
AS_IT_IS = token("as it is")


def _kept(way: Way, end: Made, fits: Value, *given: Value) -> Labelled:
    """What is claimed of each of the three searches: what its last attempt comes to, of exactly these."""
    attempts, beside, completed = given
    found = way.value.fields
    own = SELECTED.value(QUESTION, CANDIDATES, attempts, end, fits, beside, completed).fields
    kept = there_is_one(found["kept"])
    return [
        ("what is kept after these attempts", same(found[""], own[""])),
        ("a workload exactly if it fits", kept == truth_of(end.fields["fits"])),
        ("those suffice", z3.Implies(kept, truth_of(fits(found["usage"])))),
    ]


@theorem("PO-ANY-250", size="any number of candidates, attempts and rounds")
def each_of_the_three_searches_keeps_a_workload_exactly_if_its_last_attempt_fits_and_those_suffice(
    select: Callable[..., Any] = classical.select_classically,
    has_found: Callable[..., Any] = classical._has_found,
    fairly: Callable[..., Any] = fair.select_fairly,
    for_hero: Callable[..., Any] = heroes.select_for_hero,
) -> Iterator[Part]:
    """Classical preemption, fair sharing, and a hero's search, from the candidates to what is kept.

    Each goes on with what PO-ANY-060, PO-ANY-246, PO-ANY-247 and PO-ANY-070 say of the functions that it
    calls, of exactly what it hands them.
    """
    yield from _classically(select, has_found)
    yield from _fairly(fairly)
    yield from _for_hero(for_hero)


_borrows = z3.Function("an attempt may borrow", INT, BOOL)


def _classically(
    function: Callable[..., Any], has_found: Callable[..., Any] = classical._has_found
) -> Iterator[Part]:
    count, asked = z3.Int("choices"), (z3.Int("the choices"),)
    choices = Row(lambda at: SymBool(_borrows(at)), count, told=asked)
    # KQ-360 names at least one attempt for whatever it is asked.
    least = min(map(len, classical.MAY_BORROW.values()))
    stops = Law(
        lambda _, tried: returned(has_found, tried=tried)[0],  # type: ignore[arg-type]  # a plain function
        (z3.Int("the function that stops attempts"),),
    )
    attempt, attempts_in = ATTEMPTED.law(), telling("attempts in", known_as)
    completing = telling("candidate in an attempt", truth_of, known_as)

    def of_these(way: Way) -> Labelled:
        made = MADE.value(choices, PARTIAL(attempt, LEAVING, CANDIDATES), stops)
        last = made.fields["head"].fields
        borrowing = last["attempt"].fields["may_borrow"]
        fits, completed = fitting_of({}, LEAVING, borrowing), PARTIAL(completing, borrowing)
        of_all = z3.Or(truth_of(last["end"].fields["fits"]), made.fields["last"].term == count - 1)
        kept = _kept(way, last["end"], fits, attempts_in(made), LEAVING.fields["beside"], completed)
        return [("the last attempt fits, or all are made", of_all), *kept]

    yield from read_procedure(
        seeing(
            function,
            _candidates=only_of(CANDIDATES, QUESTION),
            leaving_of=only_of(LEAVING, QUESTION),
            partial=PARTIAL,
            _attempt=attempt,
            _in_attempt=completing,
            _has_found=stops,
            _choices=only_of(choices, QUESTION, CANDIDATES),
            attempts_until_one_fits=MADE.law(),
            some_of=Law(lambda _, chain: chain),
            _attempts_in=attempts_in,
            fitting=Law(fitting_of),
            selection_after=SELECTED.law(),
        ),
        {"question": QUESTION},
        of_these,
        facts=(count >= least,),
    )


def _fairly(function: Callable[..., Any]) -> Iterator[Part]:
    none, candidates = token("no attempt"), Row(SymToken, z3.Int("count"), told=(CANDIDATES.term,))
    tournament = PLAYED.takes["tournament"]

    def claimed(way: Way) -> Labelled:
        if isinstance(way.value, SymToken):
            return [("none where there is no candidate", z3.And(candidates.size <= 0, same(way.value, none)))]
        played = PLAYED.value(tournament, candidates).fields
        return _kept(way, played["end"], BORROWING, played["attempts"], LEAVING.fields["beside"], AS_IT_IS)

    yield from read_procedure(
        seeing(
            function,
            candidates_of=only_of(candidates, QUESTION),
            _none_yet=only_of(none, QUESTION),
            _tournament_of=only_of(tournament, QUESTION),
            played=PLAYED.law(),
            fitting=Law(fitting_of),
            as_it_is=AS_IT_IS,
            selection_after=SELECTED.law(),
        ),
        {"question": QUESTION},
        claimed,
    )


_turned = z3.Function("a candidate at its turn", INT, INT, INT)


def _at_turn(_: State, usage: Value, one: Value) -> SymToken:
    found = _turned(known_as(usage), known_as(one))
    words = "a copy of a record with another value of one field has the others as before"
    known(Taken(found == known_as(one), words, PYTHON))
    return SymToken(found)


def _for_hero(function: Callable[..., Any]) -> Iterator[Part]:
    arity = {"rank": (2, int), "fits": (1, bool), "without": (2, SymToken), "beside": (2, SymToken)}
    told: dict[str, Any] = {name: Closure(z3.Int(f"hero {name}"), *kind) for name, kind in arity.items()}
    told["at_turn"] = Law(_at_turn, (z3.Int("hero at turn"),))
    start, turns_of = token("hero start"), telling("turns of", known_as)
    own = Made(heroes.HeroSearch, {"candidates": CANDIDATES, "start": start, **told})
    handed_on = (told[name] for name in ("rank", "at_turn", "fits", "without"))
    removed = IN_TURN.value(CANDIDATES, start, *handed_on)

    def claimed(way: Way) -> Labelled:
        end = removed.fields
        made = Made(
            Attempt,
            {
                "waiting": CANDIDATES,
                "turns": turns_of(end["removed"]),
                "usage": end["usage"],
                "fits": end["fits"],
                "may_borrow": True,
                "strategy": None,
            },
        )
        return _kept(way, removed, told["fits"], (made,), told["beside"], AS_IT_IS)

    yield from read_procedure(
        seeing(
            function,
            HeroSearch=only_of(own, QUESTION),
            remove_in_turn=IN_TURN.law(),
            _turns_of=turns_of,
            as_it_is=AS_IT_IS,
            selection_after=SELECTED.law(),
        ),
        {"question": QUESTION},
        claimed,
    )


def _tried(given: State, part: Callable[..., Any]) -> Made:
    end = removal_of(given, part)
    said = {"may_borrow": given["may_borrow"], "fits": end.fields["fits"], "": part("attempt", SymToken)}
    return Made(classical._Tried, {"attempt": Made(Attempt, said), "end": end})


def _of_attempt(given: State, tried: Value) -> Labelled:
    attempt, end = tried.fields["attempt"].fields, tried.fields["end"]
    borrows = truth_of(attempt["may_borrow"]) == truth_of(given["may_borrow"])
    return [
        *suffices(end, fitting_of({}, given["leaving"], given["may_borrow"])),
        ("it says whether the request fits", truth_of(attempt["fits"]) == truth_of(end.fields["fits"])),
        ("whether it borrows", borrows),
    ]


ATTEMPTED = Specification(
    "PO-ANY-246",
    "an attempt says that the request fits only where it does without those removed",
    classical._attempt,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
    {"leaving": LEAVING, "candidates": CANDIDATES, "may_borrow": SymBool(z3.Bool("may borrow"))},
    _tried,
    _of_attempt,
)


@theorem("PO-ANY-246", size="any number of candidates")
def an_attempt_says_that_the_request_fits_only_where_it_does_without_those_removed(
    attempt: Callable[..., Any] = classical._attempt,
) -> Iterator[Part]:
    """Kueue main of August 2026, classical preemption: the end of an attempt is that of its removals.

    They begin with what is in use at first, and whether it borrows counts for who may leave, and for whether
    the request fits.
    """
    given = ATTEMPTED.takes
    stands = z3.Function("who stands", INT, BOOL, INT)

    def turns_of(_: State, leaving: Value, may_borrow: Value) -> Made:
        may_leave = Closure(stands(known_as(leaving), truth_of(may_borrow)), 2, bool)
        return Made(classical.Turns, {"may_leave": may_leave, "made": token("turns")})

    def claimed(way: Way) -> Labelled:
        tried, made = way.value.fields, way.value.fields["attempt"].fields
        may_leave = turns_of({}, LEAVING, given["may_borrow"]).fields["may_leave"]
        fits, counted = fitting_of({}, LEAVING, given["may_borrow"]), LEAVING.fields
        end = REMOVED.value(CANDIDATES, counted["usage"], may_leave, fits, counted["without"])
        return [
            ("removals of these, from what is in use", same(tried["end"], end)),
            ("of these candidates", same(made["waiting"], CANDIDATES)),
            ("what is in use then", same(made["usage"], end.fields["usage"])),
            ("whose turn it was", same(made["turns"], token("turns"))),
        ]

    seen = seeing(attempt, Turns=Law(turns_of), fitting=Law(fitting_of), remove_until_fits=REMOVED.law())
    yield from ATTEMPTED.of_statements(seen, claimed)


def _played(given: State, part: Callable[..., Any]) -> Made:
    return Made(fair.Played, {"attempts": part("attempts", SymToken), "end": removal_of(given, part)})


PLAYED = Specification(
    "PO-ANY-247",
    "a tournament says that the request fits only where it does without those removed",
    fair.played,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
    {"tournament": TOURNAMENT, "candidates": CANDIDATES},
    _played,
    lambda _, played: suffices(played.fields["end"], BORROWING),
)


@theorem("PO-ANY-247", size="any number of candidates and rounds")
def a_tournament_says_that_the_request_fits_only_where_it_does_without_those_removed(
    played: Callable[..., Any] = fair.played,
) -> Iterator[Part]:
    """Kueue main of August 2026, fair-sharing preemption: both strategies, each in rounds.

    The second goes on with what is in use after the first, where there is a second one and the request does
    not fit, with those whom the first has rejected; and none is forgotten that the first has removed.
    """
    ended, waiting_of = telling("has ended", known_as), telling("by queue", known_as)
    rejected_in = telling("rejected in", known_as)
    keep = rounds_keep(goes_on, round_of, any_round(f"{OWN}any round"))

    def attempt_of(_: State, *asked: Value) -> Value:
        # It depends on every part of a round, which no single token stands for.
        handed = [term for value in asked for term in leaves(value)]
        tried = z3.Function("an attempt", *(term.sort() for term in handed), INT)
        made = SymToken(tried(*handed))
        return Made(Attempt, {"rejected": rejected_in(made), "": made})

    def rounds_of(among: Value, begins: Made, step: Specification) -> Made:
        found: Made = keep.value(among, begins, PARTIAL(step.law(), TOURNAMENT), ended)
        return found

    def begun(usage: Value, charged: Value, among: Value, removed: Value) -> Made:
        told = {"usage": usage, "charged": charged, "waiting": waiting_of(among), "turns": None}
        return Made(Round, {**told, "removed": removed, "fits": False, "over": False})

    def claimed(way: Way) -> Labelled:
        start = begun(LEAVING.fields["usage"], TOURNAMENT.fields["charged"], CANDIDATES, None)
        one = rounds_of(CANDIDATES, start, STEPS[0])
        first = attempt_of({}, CANDIDATES, one, STRATEGIES[0])
        rejected, after = first.fields["rejected"], one.fields
        again = begun(after["usage"], after["charged"], rejected, after["removed"])
        other = rounds_of(rejected, again, STEPS[1])
        attempts, end = way.value.fields["attempts"], way.value.fields["end"].fields
        last = (one, other)[len(attempts) - 1].fields
        made = (first, attempt_of({}, rejected, other, STRATEGIES[1]))[: len(attempts)]
        once = z3.Or(truth_of(after["fits"]), z3.Not(truth_of(TOURNAMENT.fields["goes_again"])))
        return [
            ("once, or by both strategies", z3.BoolVal(len(attempts) in (1, 2))),
            ("once where the first is enough", once == z3.BoolVal(len(attempts) == 1)),
            ("each attempt by its strategy", same(attempts, made)),
            ("it goes on with what is in use", same(end["usage"], last["usage"])),
            ("all that were removed", same(end["removed"], last["removed"])),
            ("it says whether the request fits", truth_of(end["fits"]) == truth_of(last["fits"])),
        ]

    seen = seeing(
        played,
        rounds=keep.law(),
        partial=PARTIAL,
        first_step=STEPS[0].law(),
        second_step=STEPS[1].law(),
        by_queue=waiting_of,
        _has_ended=ended,
        _attempt=Law(attempt_of),
    )
    yield from PLAYED.of_statements(seen, claimed)
