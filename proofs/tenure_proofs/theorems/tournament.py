"""Fair sharing: whom the tournament visits, and what one of its rounds changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import is_
from typing import Any

import z3

from tenure.model import Basis, Evidence
from tenure.oracle import fair
from tenure.oracle.fair import Contender, Round, Tournament
from tenure.oracle.question import Question
from tenure.oracle.shares import SharesOf
from tenure.oracle.tree import Node, Tree
from tenure.rules.share import Share, cohort_wins, queue_wins, stays_in_tournament
from tenure_proofs.theorems.decision import handed, said, seeing
from tenure_proofs.theorems.registry import BELIEVED, GIVEN, theorem
from tenure_proofs.theorems.rounds import POPPED, steps_keep
from tenure_proofs.theorems.searching import A_TURN, ONE_ORDER, gives_a_turn, in_one_order
from tenure_proofs.theorems.standins import BOOL, INT, PARTIAL, TOLD, known_as, same, telling, token
from tenure_proofs.theorems.taken import standing
from tenure_proofs.theorems.tree import LAID_OUT
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.loops import Row, State, Way, every
from tenure_proofs.trusted.procedures import POINT, Held, Invariant, Law, Table, read_procedure
from tenure_proofs.trusted.specified import Taken
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymOptional, SymToken, as_term

NODES, OWN, COHORT = z3.Int("nodes"), z3.Int("own place"), z3.Int("cohort")
PATH = z3.Const("path", z3.ArraySort(INT, BOOL))
COUNT = z3.Int("count")
STATE, CHARGED, WAITING = token("state"), token("charged"), token("queues where one waits")
ONE, OTHER, THIRD = z3.Ints("one another third")

_borrows = z3.Function("borrows", INT, BOOL)
_share = z3.Function("share of a node", INT, z3.RealSort())
_place = z3.Function("place of the one after some", INT, INT)
_share_of = z3.Function("share by what is in use", INT, INT, INT)
_queues, _cohorts = z3.Function("queues in", INT, INT), z3.Function("cohorts in", INT, INT)
_has_parent = z3.Function("has a parent", INT, BOOL)
_is_queue = z3.Function("is a queue of it where one waits", INT, BOOL)
_is_cohort = z3.Function("is a cohort of it", INT, BOOL)
_turn = z3.Function("turn of the first candidate", INT, z3.RealSort())
_height = z3.Function("height of a cohort", INT, INT)
_waits = z3.Function("a candidate waits", INT, BOOL)
_visits = z3.Function("a queue is visited below", INT, BOOL)
_visited = z3.Function("who is visited below", INT, INT)


NO_ONE = token("no contender")


def contender(place: Any) -> Made:
    """A node with its share."""
    share = Made(Share, {"borrowing": SymBool(_borrows(place)), "ratio": SymInt(place)})
    return Made(Contender, {"place": SymInt(place), "share": share})


def compared(first: Any, second: Any) -> Any:
    """KQ-450 of two nodes."""
    mine, other = _share(first), _share(second)
    return z3.If(mine > other, 1, z3.If(mine == other, 0, -1))


@standing(("two shares compare as their places in one order", BELIEVED))
def _comparing(_: State, first: Value, second: Value) -> SymInt:
    """`compare_shares`; the places stand for the shares, which no one looks into."""
    return SymInt(compared(*(share.fields["ratio"].term for share in (first, second))))


COMPARING = Law(_comparing)


def queue_stays(place: Any) -> Any:
    """KQ-480 of a queue."""
    return said(stays_in_tournament, borrowing=SymBool(_borrows(place)), on_path=SymBool(place == OWN))


def cohort_stays(place: Any) -> Any:
    """KQ-480 of a cohort below which a queue is visited."""
    stays = said(stays_in_tournament, borrowing=SymBool(_borrows(place)), on_path=SymBool(PATH[place]))
    return z3.And(stays, _visits(place))


def queue_beats(first: Any, second: Any) -> Any:
    """KQ-490 of two queues, with KQ-220 of their first candidates."""
    before = SymBool(_turn(first) < _turn(second))
    return said(queue_wins, share=SymInt(compared(first, second)), first_candidate_stands_before=before)


def cohort_beats(first: Any, second: Any) -> Any:
    """KQ-500 of a cohort and what it is compared with."""
    return said(cohort_wins, share=SymInt(compared(first, second)))


def queue_not_behind(first: Any, second: Any) -> Any:
    """The order of queues: by share, and then by their first candidates' turns."""
    equal = z3.And(_share(first) == _share(second), _turn(first) <= _turn(second))
    return z3.Or(_share(first) > _share(second), equal)


def cohort_not_behind(first: Any, second: Any) -> Any:
    """The order of cohorts: by share."""
    return _share(first) >= _share(second)


TAKING_PART = ((_is_queue, queue_stays(OTHER)), (_is_cohort, cohort_stays(OTHER)))
"""The queues and the cohorts of a cohort, and which of them stay."""

QUEUES, COHORTS = SymToken(_queues(COHORT)), SymToken(_cohorts(COHORT))
HAS_PARENT = _has_parent(OWN)


def _node(place: Any) -> Made:
    children = {"queues": SymToken(_queues(place)), "cohorts": SymToken(_cohorts(place))}
    return Made(Node, {**children, "parent": SymOptional(SymBool(_has_parent(place)), SymInt(0))})


def _share_of_one(_: State, charged: Value, place: Value) -> SymToken:
    return SymToken(_share_of(charged.term, place.term))


THIS = Made(
    Tournament,
    {
        "tree": Made(Tree, {"nodes": Table(_node, NODES)}),
        "own": SymInt(OWN),
        "path": Held(PATH),
        "question": token("question"),
        "shares": Made(SharesOf, {"of": Law(_share_of_one)}),
    },
)
"""The tournament, as far as it says who is visited."""

BEST = "of all beside each other the best is found"
AMONG = "the queues among which one is chosen are those at which a candidate waits"
FACTS = (COHORT >= 0, NODES > COHORT, OWN >= 0, NODES > OWN, COUNT >= 0)


@theorem(
    "PO-ANY-105",
    about=(
        fair.next_queue,
        fair._winner,
        fair._best_queue,
        fair._queue_stays,
        fair._queue_beats,
        fair._best_cohort,
        fair._cohort_stays,
        fair._cohort_beats,
        fair._contenders,
    ),
    size="any tree, any number of ClusterQueues and cohorts in it",
)
def the_queue_that_is_visited_is_found_from_the_root_down_by_the_highest_share_and_a_candidate_waits_there(  # noqa: PLR0913 - all that it is about
    next_queue: Callable[..., Any] = fair.next_queue,
    winner: Callable[..., Any] = fair._winner,
    best_queue: Callable[..., Any] = fair._best_queue,
    queue_stay: Callable[..., Any] = fair._queue_stays,
    queue_beat: Callable[..., Any] = fair._queue_beats,
    best_cohort: Callable[..., Any] = fair._best_cohort,
    cohort_stay: Callable[..., Any] = fair._cohort_stays,
    cohort_beat: Callable[..., Any] = fair._cohort_beats,
    contenders: Callable[..., Any] = fair._contenders,
) -> Iterator[Part]:
    """Kueue main of August 2026, order of target ClusterQueues: from the root down, at each cohort by share.

    At each cohort those of its queues take part at which a candidate waits and that borrow or are the
    preemptor's own, and those of its cohorts that borrow or are on the preemptor's path, and below which a
    queue is visited. One of highest share is chosen: of queues with equal shares one whose first
    candidate stands first, and of a queue and a cohort the cohort. One is visited exactly if one takes part.
    By induction over the height of the tree: a cohort's cohorts are lower.
    """
    yield from _at_a_queue(queue_stay, queue_beat)
    yield from _at_a_cohort(cohort_stay, cohort_beat)
    yield from _beside_each_other(contenders)
    yield from _best(best_queue, "_queue", QUEUES, queue_stays, queue_beats)
    yield from _best(best_cohort, "_cohort", COHORTS, cohort_stays, cohort_beats)
    yield from _winning(winner)
    yield from _from_the_root(next_queue)


def _at_a_queue(stay: Callable[..., Any], beat: Callable[..., Any]) -> Iterator[Part]:
    first, second = contender(ONE), contender(OTHER)
    yield from read_procedure(
        stay,
        {"tournament": THIS, "queue": first},
        lambda way: [("KQ-480", as_term(way.value, bool) == queue_stays(ONE))],
    )

    @standing(
        ("candidates of all groups are in one strict order", "PO-KQ-105"),
        ("two candidates of different uid are never tied", "PO-KQ-110"),
    )
    def in_its_order(_: State, question: Value, one: Value, other: Value) -> SymBool:
        known = question is THIS.fields["question"]
        return SymBool(z3.And(z3.BoolVal(known), _turn(one.term) < _turn(other.term)))

    def in_order(way: Way) -> Labelled:
        beats = as_term(way.value, bool)
        one, other = (_share(ONE), _turn(ONE)), (_share(OTHER), _turn(OTHER))
        ahead = z3.Or(one[0] > other[0], z3.And(one[0] == other[0], one[1] < other[1]))
        return [
            ("KQ-490 and KQ-220", beats == queue_beats(ONE, OTHER)),
            ("one order", beats == ahead),
            (ONE_ORDER, in_one_order(lambda *_: beats, queue_not_behind, ONE, OTHER, THIRD)),
        ]

    yield from read_procedure(
        seeing(
            beat,
            compare_shares=COMPARING,
            _stands_before=Law(in_its_order),
            _first_at=Law(lambda _, state, place: place if state is STATE else SymInt(-1)),
        ),
        {"tournament": THIS, "state": STATE, "queue": first, "best": second},
        in_order,
        facts=(ONE >= 0, OTHER >= 0),
    )


def _at_a_cohort(stay: Callable[..., Any], beat: Callable[..., Any]) -> Iterator[Part]:
    yield from read_procedure(
        seeing(stay, _winner=Law(_below)),
        {"tournament": THIS, "state": STATE, "cohort": contender(ONE)},
        lambda way: [("KQ-480, and one is visited below", as_term(way.value, bool) == cohort_stays(ONE))],
    )

    def in_order(way: Way) -> Labelled:
        beats = as_term(way.value, bool)
        return [
            ("KQ-500", beats == cohort_beats(ONE, OTHER)),
            (ONE_ORDER, in_one_order(lambda *_: beats, cohort_not_behind, ONE, OTHER, THIRD)),
        ]

    yield from read_procedure(
        seeing(beat, compare_shares=COMPARING),
        {"cohort": contender(ONE), "best": contender(OTHER)},
        in_order,
    )


def _below(_: State, this: Value, state: Value, cohort: Value) -> SymOptional:
    """Who is visited below a cohort, of this search and round."""
    known, place = z3.BoolVal(this is THIS and state is STATE), as_term(cohort, int)
    return SymOptional(SymBool(z3.And(known, _visits(place))), SymInt(_visited(place)))


def _beside_each_other(function: Callable[..., Any]) -> Iterator[Part]:
    def of(way: Way) -> Labelled:
        one = way.value.at(ONE).fields
        return [
            ("as many", way.value.size == COUNT),
            ("its place", one["place"].term == _place(ONE)),
            ("its share, with the request", one["share"].term == _share_of(CHARGED.term, _place(ONE))),
        ]

    yield from read_procedure(
        function,
        {
            "tournament": THIS,
            "state": Made(Round, {"charged": CHARGED}),
            "places": Table(lambda at: SymInt(_place(at)), COUNT),
        },
        of,
        facts=(*FACTS, ONE >= 0, COUNT > ONE),
    )


def _by_place(beats: Callable[[Any, Any], Any], one: Value, other: Value) -> Any:
    return beats(one.fields["place"].term, other.fields["place"].term)


def _are(given: Sequence[Value], *expected: Value) -> bool:
    return len(given) == len(expected) and all(map(is_, given, expected))


def _best(
    function: Callable[..., Any],
    kind: str,
    among: Value,
    stays: Callable[[Any], Any],
    beats: Callable[[Any, Any], Any],
) -> Iterator[Part]:
    """That the best is looked for among all of them, by the rules."""
    best, unknown = z3.Int("best"), z3.Bool("of something else")

    def waiting(_: State, state: Value, queues: Value) -> Value:
        return WAITING if state is STATE and queues.term.eq(QUEUES.term) else TOLD

    def beside(_: State, this: Value, state: Value, places: Value) -> Value:
        expected = WAITING if among is QUEUES else COHORTS
        own = this is THIS and state is STATE and places.term.eq(expected.term)
        return Row(lambda at: contender(_place(at)), COUNT if own else COUNT + 1)

    def staying(_: State, *given: Value) -> SymBool:
        *known, one = given
        own = _are(known, THIS) if among is QUEUES else _are(known, THIS, STATE)
        return SymBool(stays(one.fields["place"].term) if own else unknown)

    def beating(_: State, *given: Value) -> SymBool:
        *known, one, other = given
        own = _are(known, THIS, STATE) if among is QUEUES else not known
        return SymBool(_by_place(beats, one, other) if own else unknown)

    def best_of(held: State, items: Value, nothing: Value, stay: Value, beat: Value) -> Made:
        one, other = items.at(ONE), items.at(OTHER)
        exact = z3.And(
            items.size == COUNT,
            same(nothing, NO_ONE),
            one.fields["place"].term == _place(ONE),
            as_term(stay.value(held, one), bool) == stays(_place(ONE)),
            as_term(beat.value(held, one, other), bool) == beats(_place(ONE), _place(OTHER)),
        )
        return contender(z3.If(exact, best, best + 1))

    laws = {f"{kind}_stays": Law(staying), f"{kind}_beats": Law(beating)}
    if among is QUEUES:
        laws["_waiting_among"] = Law(waiting)
    yield from read_procedure(
        seeing(
            function,
            _contenders=Law(beside),
            best_of=Law(best_of),
            partial=PARTIAL,
            NO_CONTENDER=NO_ONE,
            **laws,
        ),
        {"tournament": THIS, "state": STATE, "cohort": SymInt(COHORT)},
        lambda way: [("the best of all of them, by the rules", way.value.fields["place"].term == best)],
        facts=FACTS,
    )


def _winning(function: Callable[..., Any]) -> Iterator[Part]:
    """The four ways in which a queue and a cohort are found, or not."""
    queue, cohort = z3.Ints("best_queue best_cohort")
    lower = _height(cohort) < _height(COHORT)
    below = z3.Implies(z3.And(lower, _visits(cohort)), _waits(_visited(cohort)))
    queue_takes_part, cohort_takes_part = (z3.And(among(OTHER), stays) for among, stays in TAKING_PART)
    for is_queue in (False, True):
        for is_cohort in (False, True):
            best = {
                "_best_queue": contender(queue) if is_queue else None,
                "_best_cohort": contender(cohort) if is_cohort else None,
            }
            first_queue = z3.And(z3.BoolVal(is_queue), queue_not_behind(queue, OTHER))
            first_cohort = z3.And(z3.BoolVal(is_cohort), cohort_not_behind(cohort, OTHER))
            known = (
                Taken(z3.Implies(queue_takes_part, first_queue), BEST, "PO-ANY-100"),
                Taken(z3.Implies(cohort_takes_part, first_cohort), BEST, "PO-ANY-100"),
                Taken(_visits(cohort), BEST, "PO-ANY-100"),
                Taken(_waits(queue), AMONG, BELIEVED),
                Taken(lower, LAID_OUT, BELIEVED),
                Taken(below, "what is claimed holds of every cohort that is lower in the tree", GIVEN),
            )

            def of(way: Way, is_queue: bool = is_queue, is_cohort: bool = is_cohort) -> Labelled:
                there, who = _found(way.value)
                goes_down = z3.BoolVal(is_cohort and not is_queue)
                if is_cohort and is_queue:
                    goes_down = cohort_beats(cohort, queue)
                side, visited = z3.If(goes_down, cohort, queue), z3.If(goes_down, _visited(cohort), queue)
                takes_part = z3.Or(queue_takes_part, cohort_takes_part)
                equal = z3.And(queue_takes_part, _share(OTHER) == _share(queue), z3.Not(goes_down))
                return [
                    ("one exactly if one is the best", there == z3.BoolVal(is_queue or is_cohort)),
                    ("none that takes part is forgotten", z3.Implies(takes_part, there)),
                    ("by share, the cohort of equals", z3.Implies(there, who == visited)),
                    ("none has a higher share", z3.Implies(takes_part, _share(OTHER) <= _share(side))),
                    (
                        "of equal queues by turn",
                        z3.Implies(z3.And(there, equal), _turn(queue) <= _turn(OTHER)),
                    ),
                    ("a candidate waits there", z3.Implies(there, _waits(who))),
                ]

            yield from read_procedure(
                seeing(
                    function,
                    _winner=Law(_below),
                    _cohort_beats=Law(lambda _, *pair: SymBool(_by_place(cohort_beats, *pair))),
                    **{name: Law(_only_here(value)) for name, value in best.items()},
                ),
                {"tournament": THIS, "state": STATE, "cohort": SymInt(COHORT)},
                of,
                facts=(*FACTS, *known),
            )


def _only_here(value: Value) -> Callable[..., Value]:
    """What is found in this cohort, of this search and round."""

    def found(_: State, this: Value, state: Value, cohort: Value) -> Value:
        handed((this, THIS), (state, STATE))
        if not as_term(cohort, int).eq(COHORT):
            raise LiftError("the best of another cohort")
        return value

    return found


def _found(value: Value) -> tuple[Any, Any]:
    """Whether a place is returned, and which."""
    if value is None:
        return z3.BoolVal(False), z3.IntVal(-1)
    if isinstance(value, SymOptional):
        there = as_term(value.present, bool)
        return there, z3.IntVal(-1) if value.value is None else as_term(value.value, int)
    return z3.BoolVal(True), as_term(value, int)


def _from_the_root(function: Callable[..., Any]) -> Iterator[Part]:
    below = z3.Implies(_visits(0), _waits(_visited(0)))

    def of(way: Way) -> Labelled:
        there, who = _found(way.value)
        return [
            (
                "alone, the ClusterQueue of the preemptor if one waits",
                z3.Implies(z3.Not(HAS_PARENT), there == _waits(OWN)),
            ),
            ("in a tree, from the root down", z3.Implies(HAS_PARENT, there == _visits(0))),
            ("its place", z3.Implies(there, who == z3.If(HAS_PARENT, _visited(0), OWN))),
            ("a candidate waits there", z3.Implies(there, _waits(who))),
        ]

    def waits(_: State, state: Value, place: Value) -> SymBool:
        return SymBool(z3.And(z3.BoolVal(state is STATE), _waits(place.term)))

    yield from read_procedure(
        seeing(function, _winner=Law(_below), _waits_at=Law(waits)),
        {"tournament": THIS, "state": STATE},
        of,
        facts=(*FACTS, below),
    )


AT_ONCE, LEFT, PLACE = z3.Ints("waiting_there waiting_in_all whose_turn")
IS_NEXT, CLAIMS = z3.Bool("one_is_visited"), z3.Bool("no_shares_are_compared")
STRATEGY, SECOND = z3.Ints("first_strategy second_strategy")
_candidate = z3.Function("the candidate before so many", INT, INT)
_basis = z3.Function("basis of what is judged", INT, INT, INT)
_own_basis = z3.Function("basis where no shares are compared", INT, INT)
_found_of = z3.Function("what is found of a candidate", INT, INT, INT, INT)
_shares_of = z3.Function("shares that are compared of a candidate", INT, INT, INT, INT)
_basis_of = z3.Function("basis of a strategy", INT, INT)
FOUND = telling("candidate with what is found of it", known_as, known_as)
CHANGED = ("usage", "charged", "removed")
BEFORE = {name: token(f"{name} before") for name in CHANGED}
TAKEN = {name: token(f"{name} when one is taken") for name in CHANGED}
INITIAL = z3.IntVal(int(Basis.INITIAL_SHARE))
TURNS, FITS_THEN = z3.Int("turns_before"), z3.Bool("it fits when one is taken")
"""How many have had their turn; the rules of folds are about who they are."""


def _judged(_: State, candidate: Value, facts: Value) -> Made:
    return Made(Evidence, {"basis": SymInt(_basis(candidate.term, facts.term))})


HELD_ON = Made(
    Tournament,
    {
        "own": SymInt(OWN),
        "claims_nominal": SymBool(CLAIMS),
        "strategies": (SymInt(STRATEGY), SymInt(SECOND)),
        "question": Made(Question, {"judged": Law(_judged)}),
    },
)
"""The tournament, as far as a round asks it."""


def _waiting(there: Any, in_all: Any, popped: Any, basis: Any) -> Made:
    """How many wait at the queue whose turn it is, and in all; who waits no more, and why it is taken."""
    told = {"there": there, "in all": in_all, "popped": popped, "basis": basis}
    return Made(dict, {name: SymInt(term) for name, term in told.items()})


NO = SymBool(z3.BoolVal(False))
START = Made(
    Round,
    {
        "usage": BEFORE["usage"],
        "charged": BEFORE["charged"],
        "waiting": _waiting(AT_ONCE, LEFT, z3.IntVal(-1), z3.IntVal(0)),
        "turns": SymInt(TURNS),
        "removed": BEFORE["removed"],
        "fits": NO,
        "over": NO,
    },
)


def _counts(state: Made) -> tuple[Any, Any]:
    counts = state.fields["waiting"].fields
    return counts["there"].term, counts["in all"].term


def _at_its_turn(place: Value) -> None:
    if not as_term(place.value if isinstance(place, SymOptional) else place, int).eq(PLACE):
        raise LiftError("another queue than the one whose turn it is")


@standing(POPPED)
def _popped(state: Made, gone: Any) -> tuple[SymToken, Made]:
    there, in_all = _counts(state)
    candidate = _candidate(there)
    waiting = _waiting(there - gone, in_all - gone, candidate, z3.IntVal(0))
    return SymToken(candidate), Made(Round, {**state.fields, "waiting": waiting})


def _popping(_: State, state: Made, place: Value) -> tuple[SymToken, Made]:
    """The first of those who wait there; where none waits, none leaves, and no claim holds of that."""
    _at_its_turn(place)
    return _popped(state, z3.If(_counts(state)[0] > 0, 1, 0))


def _popping_all(_: State, state: Made, place: Value) -> tuple[SymToken, Made]:
    _at_its_turn(place)
    return _popped(state, _counts(state)[0])


def _waits_there(_: State, state: Made, place: Value) -> SymBool:
    _at_its_turn(place)
    return SymBool(_counts(state)[0] > 0)


def _visiting(_: State, this: Value, state: Value) -> SymOptional:
    handed((this, HELD_ON), (state, START))
    return SymOptional(SymBool(IS_NEXT), SymInt(PLACE))


def _compared_at(candidate: Any, basis: Any) -> tuple[Any, Any, Any]:
    """What a strategy finds a candidate by: what is in use, whom, and on which basis."""
    return BEFORE["charged"].term, candidate, basis


def _noting(basis: Any) -> Law:
    """One turn more, of the one whose turn it is and who stays; no claim holds of another turn."""

    def noting(_: State, who: Value, removed: Value, shares: Value, turns: Value) -> SymInt:
        candidate = _candidate(AT_ONCE - (turns.term - TURNS))
        own = _compared_at(candidate, basis)
        noted = FOUND.value({}, SymToken(candidate), SymToken(_found_of(*own)))
        exact = z3.And(same(who, noted), known_as(shares) == _shares_of(*own), z3.BoolVal(removed is False))
        return SymInt(turns.term + z3.If(exact, 1, 2))

    return Law(noting)


def _taking(strategy: Any) -> Law:
    """Who is taken, with the shares that were compared; no claim holds of another."""

    @standing(("what is taken, and what is in use then", "PO-ANY-120"))
    def taking(_: State, this: Value, state: Made, candidate: Value, why: Made, shares: Value) -> Made:
        handed((this, HELD_ON))
        there, in_all = _counts(state)
        told, basis = state.fields["waiting"].fields, why.fields["basis"]
        if basis.term.eq(_own_basis(candidate.term)):
            by_these = z3.BoolVal(shares is None)
        else:
            by_these = known_as(shares) == _shares_of(*_compared_at(candidate.term, strategy))
        own = z3.And(candidate.term == told["popped"].term, by_these)
        turns, fits = SymInt(state.fields["turns"].term + 1), SymBool(FITS_THEN)
        waiting = _waiting(there, in_all, z3.If(own, candidate.term, -1), basis.term)
        return Made(Round, {**TAKEN, "waiting": waiting, "turns": turns, "fits": fits, "over": NO})

    return Law(taking)


def _not_compared(_: State, this: Value, candidate: Value) -> Made:
    handed((this, HELD_ON))
    return Made(Evidence, {"basis": SymInt(_own_basis(candidate.term))})


def _finding(_: State, this: Value, charged: Value, candidate: Value, basis: Value) -> tuple[Value, Value]:
    handed((this, HELD_ON))
    number = z3.IntVal(int(basis)) if isinstance(basis, Basis) else basis.term
    own = charged.term, candidate.term, number
    return SymToken(_found_of(*own)), SymToken(_shares_of(*own))


def _basis_at(count: Any, basis: Any) -> Any:
    """On which basis the candidate may be preempted before which so many wait, itself included."""
    candidate = _candidate(count)
    return _basis(candidate, _found_of(BEFORE["charged"].term, candidate, basis))


def _is(state: Made, these: Mapping[str, SymToken]) -> z3.BoolRef:
    return every([state.fields[name].term == value.term for name, value in these.items()])


@theorem(
    "PO-ANY-115",
    about=(fair.first_step, fair.second_step, fair._ended, fair._rejecting),
    size="any number of candidates and ClusterQueues",
)
def a_round_ends_the_tournament_or_gives_a_candidate_its_turn_and_takes_one_or_changes_no_usage(
    first_step: Callable[..., Any] = fair.first_step,
    second_step: Callable[..., Any] = fair.second_step,
    ended: Callable[..., Any] = fair._ended,
    rejecting: Callable[..., Any] = fair._rejecting,
) -> Iterator[Part]:
    """Kueue main of August 2026, fair-sharing preemption: one visit, by each of the strategies.

    It ends the tournament exactly if no queue is left to visit. Otherwise fewer candidates wait after it: by
    the first strategy those up to the first that it takes, by the second all of the queue. One is taken
    exactly if it is allowed on some basis; who is rejected changes neither what is in use nor who was
    removed, and is noted.
    """
    laws = {"next_queue": Law(_visiting), "compared": Law(_finding), "_ended": ended}

    def by(basis: Any) -> dict[str, Any]:
        return {
            "_take": _taking(basis),
            "_rejecting": seeing(rejecting, _turned=_noting(basis), _found=FOUND),
        }

    facts = (
        z3.And(STRATEGY >= 0, STRATEGY < 2, SECOND >= 0, SECOND < 2),
        z3.And(AT_ONCE >= 0, LEFT >= AT_ONCE),
        Taken(
            z3.Implies(IS_NEXT, AT_ONCE > 0), "at the queue that is visited a candidate waits", "PO-ANY-105"
        ),
        BEFORE["removed"].term != TAKEN["removed"].term,
    )
    given = {"tournament": HELD_ON, "state": START}
    yield from read_procedure(
        seeing(
            first_step,
            **laws,
            **by(_basis_of(STRATEGY)),
            _pop=Law(_popping),
            _waits_at=Law(_waits_there),
            _without_comparison=Law(_not_compared),
            BASES=Table(lambda at: SymInt(_basis_of(at)), 2),
        ),
        given,
        _after_the_first,
        facts=facts,
        loops=[Invariant(_all_rejected, measure=lambda here: _counts(here["state"])[0])],
    )
    yield from read_procedure(
        seeing(second_step, **laws, **by(INITIAL), _pop_all=Law(_popping_all)),
        given,
        _after_the_second,
        facts=facts,
    )
    yield from steps_keep(first_step, second_step, ended=ended, rejecting=rejecting)


def _all_rejected(steps: Any, _: State, here: State, point: Any) -> Labelled:
    """Whoever has had its turn in this round is rejected, and noted."""
    state = here["state"]
    there, in_all = _counts(state)
    had_its_turn = z3.And(point > there, point <= AT_ONCE)
    return [
        ("each step gives one its turn", z3.And(there == AT_ONCE - steps, there >= 0)),
        ("who waits elsewhere waits on", in_all == LEFT - steps),
        ("each is noted", state.fields["turns"].term == TURNS + steps),
        ("on no basis", z3.Implies(had_its_turn, _basis_at(point, _basis_of(STRATEGY)) == 0)),
        ("nothing in use changes, and none is removed", _is(state, BEFORE)),
        ("it goes on", z3.Not(_has_ended(state))),
    ]


def _has_ended(state: Made) -> Any:
    return z3.Or(*(as_term(state.fields[name], bool) for name in ("fits", "over")))


def _after_a_round(state: Made) -> Labelled:
    """What is claimed of either strategy."""
    fits, over = (as_term(state.fields[name], bool) for name in ("fits", "over"))
    _, in_all = _counts(state)
    as_it_was = z3.And(_is(state, BEFORE), z3.Not(fits))
    one_taken = z3.And(_is(state, TAKEN), fits == FITS_THEN)
    return [
        ("it ends exactly if no queue is left to visit", over == z3.Not(IS_NEXT)),
        (A_TURN, gives_a_turn(_has_ended(state), LEFT, in_all)),
        ("it ends, or fewer wait", z3.Or(over, in_all < LEFT)),
        ("no more wait than before", in_all <= LEFT),
        ("one is taken, or nothing changes", z3.Or(as_it_was, one_taken)),
    ]


def _is_taken(state: Made, count: Any, basis: Any) -> Any:
    """Whether who is taken is the candidate before which so many wait, on that basis."""
    told = state.fields["waiting"].fields
    own = z3.And(told["popped"].term == _candidate(count), told["basis"].term == basis)
    return z3.And(_is(state, TAKEN), own)


def _after_the_first(way: Way) -> Labelled:
    state: Made = way.value
    (there, in_all), taken = _counts(state), _is(state, TAKEN)
    turn, compares = IS_NEXT, z3.And(PLACE != OWN, z3.Not(CLAIMS))
    last, basis = _basis_at(there + 1, _basis_of(STRATEGY)), _basis_at(POINT, _basis_of(STRATEGY))
    rejected = z3.And(there + z3.If(taken, 1, 0) < POINT, POINT <= AT_ONCE)
    alone = z3.And(_is_taken(state, AT_ONCE, _own_basis(_candidate(AT_ONCE))), there == AT_ONCE - 1)
    may_be = z3.And(_is_taken(state, there + 1, last), last != 0)
    return [
        *_after_a_round(state),
        ("as many are noted as have had their turn", state.fields["turns"].term - TURNS == LEFT - in_all),
        ("all of them at the queue", AT_ONCE - there == LEFT - in_all),
        ("where no shares are compared the first is taken", z3.Implies(turn, z3.Or(compares, alone))),
        ("who is taken may be", z3.Implies(z3.And(turn, compares, taken), may_be)),
        ("who is rejected may not be", z3.Implies(z3.And(turn, compares, rejected), basis == 0)),
        ("one is taken, or none waits there", z3.Implies(z3.And(turn, compares), z3.Or(taken, there == 0))),
    ]


def _after_the_second(way: Way) -> Labelled:
    state: Made = way.value
    (there, _), basis = _counts(state), _basis_at(AT_ONCE, INITIAL)
    by_basis = z3.If(basis != 0, _is_taken(state, AT_ONCE, basis), _is(state, BEFORE))
    return [
        *_after_a_round(state),
        ("all of the queue had their turn", z3.Implies(IS_NEXT, there == 0)),
        ("the first is noted", z3.Implies(IS_NEXT, state.fields["turns"].term == TURNS + 1)),
        ("it is taken exactly if it may be", z3.Implies(IS_NEXT, by_basis)),
    ]
