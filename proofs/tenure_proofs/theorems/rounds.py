"""Fair sharing: what each round keeps, whichever strategy it is of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import z3

from tenure.model import Evidence
from tenure.oracle import fair
from tenure.oracle.fair import Round, Tournament
from tenure.oracle.question import Question
from tenure_proofs.theorems.decision import seeing
from tenure_proofs.theorems.keeping import fitting_of, leaving_made, suffices
from tenure_proofs.theorems.registry import PYTHON, theorem
from tenure_proofs.theorems.standins import INT, known_as, same, telling, token, truth_of
from tenure_proofs.theorems.taken import known
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.loops import MEMBERS, Listed, Row, State, Way
from tenure_proofs.trusted.procedures import Invariant, Law, Table
from tenure_proofs.trusted.specified import Closure, Specification, Taken, there_is_one
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymOptional, SymToken

LEAVING = leaving_made()
BORROWING = fitting_of({}, LEAVING, True)
"""Whether the request fits, by the search that leaves; under fair sharing it may borrow."""

COPIED = ("a copy of a dict with another value of one key has that there, and the others as before", PYTHON)


def goes_on(state: Made) -> z3.BoolRef:
    """What holds after any round: where the request fits, it does without those removed."""
    return suffices(state, BORROWING)[0][1]


STRATEGIES = tuple(SymInt(z3.If(z3.Bool(f"{name} strategy"), 1, 0)) for name in ("first", "second"))
"""Each is one of both."""

_judged, _evidence = telling("basis", known_as, known_as), telling("evidence", known_as, known_as)


def _judging(_: State, candidate: Value, facts: Value) -> Made:
    basis = SymInt(_judged(candidate, facts).term)
    return Made(Evidence, {"basis": basis, "": _evidence(candidate, facts)})


_QUESTION = Made(Question, {"without": Closure(z3.Int("uncharged"), 2, SymToken), "judged": Law(_judging)})
TOURNAMENT = Made(
    Tournament,
    {
        "leaving": LEAVING,
        "charged": token("charged"),
        "strategies": STRATEGIES,
        "goes_again": SymBool(z3.Bool("goes again")),
        "question": _QUESTION,
        "own": SymInt(z3.Int("own place")),
        "claims_nominal": SymBool(z3.Bool("claims nominal")),
        "": token("tournament"),
    },
)


def round_of(_: State, part: Callable[..., Any]) -> Made:
    """A round, made of its parts."""
    names = ("usage", "charged", "waiting", "turns")
    removed = SymOptional(part("whether some are removed", bool), part("removed", SymToken))
    flags = {name: part(name, bool) for name in ("fits", "over")}
    return Made(Round, {**{name: part(name, SymToken) for name in names}, "removed": removed, **flags})


def any_round(name: str) -> Made:
    """A round of which nothing is known."""

    def part(of: str, kind: type) -> Any:
        return SymBool(z3.Bool(f"{name} {of}?")) if kind is bool else token(f"{name} {of}")

    flags = (z3.Bool(f"{name} {of}") for of in ("there", "rising", "falling"))
    there, rising, falling = flags
    head, members = z3.Int(f"{name} head"), z3.Const(f"{name} members", MEMBERS)
    removed = Listed(there, head, members, rising, falling)
    return Made(Round, {**round_of({}, part).fields, "removed": removed})


def _taking(_: State, then: Value) -> Labelled:
    fits = truth_of(BORROWING(then.fields["usage"]))
    return [
        ("it is noted", there_is_one(then.fields["removed"])),
        ("whether the request fits then", truth_of(then.fields["fits"]) == fits),
    ]


TAKEN = Specification(
    "PO-ANY-120",
    "who is taken is noted, and whether the request fits then",
    fair._take,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
    {
        "tournament": TOURNAMENT,
        "state": any_round("state"),
        **{name: token(name) for name in ("candidate", "evidence", "shares")},
    },
    round_of,
    _taking,
)


@theorem("PO-ANY-120", size="any candidate, after any number of rounds")
def who_is_taken_in_a_round_is_in_use_no_more_and_is_noted_and_none_before_it_is_forgotten(
    function: Callable[..., Any] = fair._take,
) -> Iterator[Part]:
    """Kueue main of August 2026, fair-sharing preemption: what a round that takes a candidate changes.

    The round says whether the request fits without the candidate, and it does not end the tournament.
    """
    given = TAKEN.takes
    state, before = given["state"].fields, given["state"].fields["removed"]
    candidate, evidence, shares = (given[name] for name in ("candidate", "evidence", "shares"))
    found_of = telling("found", known_as, known_as)
    turned = telling("turned", known_as, truth_of, known_as, known_as)

    def claimed(way: Way) -> Labelled:
        then, member, found = way.value.fields, z3.Int("member"), found_of(candidate, evidence)
        left = LEAVING.fields["without"](state["usage"], candidate)
        uncharged = TOURNAMENT.fields["question"].fields["without"](state["charged"], candidate)
        removed = then["removed"]
        return [
            ("it leaves", same(then["usage"], left)),
            ("nor is it charged", same(then["charged"], uncharged)),
            ("who waits elsewhere waits on", same(then["waiting"], state["waiting"])),
            ("its turn is noted", same(then["turns"], turned(found, True, shares, state["turns"]))),
            ("it is removed", removed.members[found.term]),
            ("none is forgotten", z3.Implies(before.members[member], removed.members[member])),
            ("in order", removed.head == found.term),
            ("it goes on", z3.BoolVal(then["over"] is False)),
        ]

    yield from TAKEN.of_statements(seeing(function, _found=found_of, _turned=turned), claimed)


def _keeping(words: str, function: Any) -> Specification:
    def keeps(given: State, then: Value) -> Labelled:
        return [("it keeps what holds", z3.Implies(goes_on(given["state"]), goes_on(then)))]

    takes = {"tournament": TOURNAMENT, "state": any_round("state")}
    return Specification("PO-ANY-115", words, function, takes, round_of, keeps)


STEPS = (
    _keeping("a round of the first strategy says that it fits only where it does", fair.first_step),
    _keeping("a round of the second strategy says that it fits only where it does", fair.second_step),
)
"""What either strategy keeps."""


_waiting = z3.Function("how many wait at a queue", INT, INT, INT)


def how_many_wait(state: Value, place: Value) -> Any:
    """At a queue."""
    return _waiting(known_as(state.fields["waiting"]), known_as(place))


def waits(state: Value, place: Value) -> z3.BoolRef:
    """Whether a candidate waits at a queue."""
    return how_many_wait(state, place) > 0


def _waiting_at(_: State, state: Made, place: Value) -> Table:
    told = known_as(state.fields["waiting"]), known_as(place)
    who = z3.Function("who waits at a queue", *[INT] * 4)
    return Table(lambda at: SymToken(who(*told, at)), _waiting(*told))


def _left_with(_: State, state: Made, place: Value, those: Row | tuple[()]) -> Made:
    """The same round with others waiting at a queue, as many as it is handed."""
    told, many = (known_as(state.fields["waiting"]), known_as(place)), how_many(those)
    then = z3.Function("who waits then", *[INT] * 4)(*told, many)
    known(Taken(_waiting(then, told[1]) == many, *COPIED))
    return Made(Round, {**state.fields, "waiting": SymToken(then)})


def how_many(those: Row | tuple[()]) -> Any:
    """Of those that are to wait."""
    return those.size if isinstance(those, Row) else z3.IntVal(len(those))


QUEUES = (fair._waits_at, fair._first_at, fair._pop, fair._pop_all)
"""What looks at who waits at a queue, and takes them out of it."""


def of_queues(functions: Sequence[Callable[..., Any]], **laws: Law) -> dict[str, Any]:
    """These functions, where something stands for the dict of all queues."""
    waits_at, first_at, pop, pop_all = functions
    first = seeing(first_at, **laws)
    read = {"_waits_at": waits_at, "_pop": pop, "_pop_all": pop_all}
    return {name: seeing(function, **laws, _first_at=first) for name, function in read.items()}


def steps_keep(
    first: Callable[..., Any],
    second: Callable[..., Any],
    queues: Sequence[Callable[..., Any]] = QUEUES,
    **own: Any,
) -> Iterator[Part]:
    """That both strategies do.

    Args:
        first, second: their steps, as they are now.
        queues: as `QUEUES`.
        own: functions that they call and that are read with them.
    """
    found = telling("found", known_as, known_as)
    turned = telling("turned", known_as, truth_of, known_as, known_as)
    facts, shares = (telling(name, *[known_as] * 4) for name in ("facts", "shares compared"))

    def compared(_: State, *given: Value) -> tuple[Value, Value]:
        return facts(*given), shares(*given)

    laws: dict[str, Any] = {
        "_take": TAKEN.law(),
        "compared": Law(compared),
        "_rejecting": seeing(own.pop("rejecting"), _turned=turned, _found=found),
        **own,
    }
    strategies = Table(lambda at: SymInt(z3.Function("basis of a strategy", INT, INT)(at)), 2)
    alone = telling("found without comparison", known_as, known_as)
    at_queues = of_queues(queues, _waiting_at=Law(_waiting_at), left_with=Law(_left_with))

    def holds(_: Any, __: State, here: State, ___: Any) -> Labelled:
        state = here["state"]
        as_before = goes_on(STEPS[0].takes["state"]) == goes_on(state)
        return [("as before", as_before)]

    def left(here: State) -> z3.ArithRef:
        term: z3.ArithRef = how_many_wait(here["state"], here["place"])
        return term

    seen = seeing(first, **laws, **at_queues, BASES=strategies, _without_comparison=alone)
    yield from STEPS[0].of_statements(seen, loops=(Invariant(holds, measure=left),))
    yield from STEPS[1].of_statements(seeing(second, **laws, **at_queues))
