"""Fair sharing: whom the tournament visits, and what one of its rounds changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
from tenure_proofs.theorems.layout import LOWER
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.theorems.repairs import IN_ONE_ORDER, compared_in_order
from tenure_proofs.theorems.rounds import (
    COPIED,
    LEAVING,
    TOURNAMENT,
    any_round,
    how_many,
    how_many_wait,
    of_queues,
    steps_keep,
    waits,
)
from tenure_proofs.theorems.searching import A_TURN, best_in, gives_a_turn
from tenure_proofs.theorems.standins import BOOL, INT, PARTIAL, known_as, same, telling, token, truth_of
from tenure_proofs.theorems.taken import known, needed, standing
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.defined import Recursion
from tenure_proofs.trusted.domains import LiftError
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.loops import OWN, Row, State, Way, every
from tenure_proofs.trusted.procedures import POINT, Held, Invariant, Law, Table, read_procedure
from tenure_proofs.trusted.specified import GIVEN, Conclusion, Specification, Taken, leaves, there_is_one
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymOptional, SymToken, as_term

NODES, OWN_PLACE, COHORT, COUNT, NUMBER = z3.Ints("nodes own_place cohort count number")
PATH = z3.Const("path", z3.ArraySort(INT, BOOL))
OWN_NODE = "the ClusterQueue of the preemptor is a node of its tree"

BY = "PO-ANY-105"
AMONG = Conclusion(
    BY, "the queues among which one is chosen are those at which a candidate waits", z3.Implies
)

_place = z3.Function("place of the one after some", INT, INT)
_share_of = z3.Function("share by what is in use", INT, INT, INT)
_borrows = z3.Function("borrows", INT, BOOL)
_height = z3.Function("height of a share", INT, z3.RealSort())
_turn = z3.Function("turn of a candidate", INT, z3.RealSort())
_first = z3.Function("who waits first at a queue", INT, INT, INT)
_has_parent = z3.Function("has a parent", INT, BOOL)
_depth = z3.Function("nodes of its path", INT, INT)


def _share(borrows: Any, ratio: Any) -> Made:
    return Made(Share, {"borrowing": SymBool(borrows), "ratio": SymInt(ratio)})


def contender(state: Made, place: Any) -> Made:
    """A node with its share."""
    share = _share_of(known_as(state.fields["charged"]), place)
    return Made(Contender, {"place": SymInt(place), "share": _share(_borrows(share), share)})


def _any_contender(name: str) -> Made:
    share = _share(z3.Bool(f"{name} borrows"), z3.Int(f"{name} share"))
    return Made(Contender, {"place": SymInt(z3.Int(f"{name} place")), "share": share})


def _share_of_one(_: State, charged: Value, place: Value) -> Made:
    share = _share_of(known_as(charged), known_as(place))
    return _share(_borrows(share), share)


def _children(kind: str, place: Any) -> Row:
    """The ClusterQueues or cohorts of a node: each is lower in the tree."""
    many, child = z3.Function(f"how many {kind}", INT, INT)(place), z3.Function(kind, INT, INT, INT)

    def at(number: Any) -> SymInt:
        one = child(place, number)
        listed = z3.And(number >= 0, number < many)
        known(LOWER.of(listed, one, _depth(one), _depth(place), NODES))
        return SymInt(one)

    return Row(at, many, told=(z3.Function(f"the {kind}", INT, INT)(place),))


def _node(place: Any) -> Made:
    children = {kind: _children(kind, place) for kind in ("queues", "cohorts")}
    return Made(Node, {**children, "parent": SymOptional(SymBool(_has_parent(place)), SymInt(0))})


THIS = Made(
    Tournament,
    {
        "tree": Made(Tree, {"nodes": Table(_node, NODES)}),
        "own": SymInt(OWN_PLACE),
        "path": Held(PATH),
        "question": token("question"),
        "shares": Made(SharesOf, {"of": Law(_share_of_one)}),
        "": token("tournament"),
    },
)
"""The tournament, as far as it says who is visited."""

STATE = Made(Round, {"charged": token("charged"), "waiting": token("waiting")})
VISIT: State = {"tournament": THIS, "state": STATE}
HERE: State = {**VISIT, "cohort": SymInt(COHORT)}


def _those_that_wait(function: Callable[..., Any]) -> Iterator[Part]:
    """Of some queues those at which a candidate waits: at each of them one does, and none is left out."""
    queues, there = Row(lambda at: SymToken(_place(at)), COUNT), z3.Function("how many wait among", INT, INT)

    def counted(at: Any, before: Any) -> Any:
        return before + z3.If(waits(STATE, SymToken(_place(at))), 1, 0)

    many = Recursion(there, "at how many of some queues a candidate waits", lambda: 0, counted)

    def all_wait(found: Value, point: Any, last: Any) -> Labelled:
        inside = z3.And(point >= 0, point < found.size)
        none_left_out = z3.And(found.size >= 0, found.size == there(last))
        one = AMONG.goal(inside, waits(STATE, SymToken(found.term[point])))
        return [one, ("none is left out", none_left_out)]

    loop = Invariant(
        lambda steps, _, here, point: all_wait(here["waiting"], point, steps),
        lambda *_: [POINT],
        lambda _, here: [many.at(as_term(here["#0"], int))],
    )
    yield from read_procedure(
        seeing(function, _waits_at=WAITS),
        {"state": STATE, "queues": queues},
        lambda way: all_wait(way.value, POINT, COUNT),
        facts=(many.at(z3.IntVal(0)), COUNT >= 0),
        loops=(loop,),
    )


WAITS = Law(lambda _, state, place: SymBool(waits(state, place)))


def _waiting_among(state: Value, queues: Row) -> Row:
    """The queues among some at which a candidate waits."""
    told = known_as(state.fields["waiting"]), *queues.told
    many, one = z3.Function("how many queues", INT, INT, INT)(*told), z3.Function("one of them", *[INT] * 4)

    def at(number: Any) -> SymInt:
        place = SymInt(one(*told, number))
        there = z3.And(number >= 0, number < many)
        known(AMONG.of(there, waits(state, place)))
        return place

    return Row(at, many, told=(z3.Function("queues where one waits", INT, INT, INT)(*told),))


@standing(IN_ONE_ORDER)
def _comparing(_: State, first: Value, second: Value) -> SymInt:
    return SymInt(compared(first, second))


def compared(first: Made, second: Made) -> Any:
    """KQ-450 of two shares; their places in an order stand for them, which no one looks into."""
    return compared_in_order(*(_height(share.fields["ratio"].term) for share in (first, second)))


def _stays(one: Made, on_path: z3.BoolRef) -> Any:
    """KQ-480."""
    return said(
        stays_in_tournament, borrowing=one.fields["share"].fields["borrowing"], on_path=SymBool(on_path)
    )


def queue_stays(given: State, one: Made) -> Any:
    """KQ-480 of a queue."""
    return _stays(one, one.fields["place"].term == given["tournament"].fields["own"].term)


def cohort_stays(given: State, one: Made) -> Any:
    """KQ-480 of a cohort, and that a queue is visited below it."""
    place = one.fields["place"]
    below = WINNER.value(given["tournament"], given["state"], place)
    return z3.And(_stays(one, given["tournament"].fields["path"].term[place.term]), truth_of(below.present))


def _turn_at(state: Value, one: Made) -> Any:
    """When the first candidate of a queue has its turn."""
    return _turn(_first(known_as(state.fields["waiting"]), one.fields["place"].term))


def _compared(given: State) -> SymInt:
    return SymInt(compared(*(there(given[name]).fields["share"] for name in ("it", "best"))))


def queue_beats(given: State) -> Any:
    """KQ-490 of two queues, with KQ-220 of their first candidates."""
    before = SymBool(_turn_at(given["state"], given["it"]) < _turn_at(given["state"], given["best"]))
    return said(queue_wins, share=_compared(given), first_candidate_stands_before=before)


def _share_at(one: Made) -> Any:
    return _height(one.fields["share"].fields["ratio"].term)


def queue_not_behind(first: Made, second: Made) -> Any:
    """The order of queues: by share, and then by their first candidates' turns."""
    equal = z3.And(_share_at(first) == _share_at(second), _turn_at(STATE, first) <= _turn_at(STATE, second))
    return z3.Or(_share_at(first) > _share_at(second), equal)


def cohort_not_behind(first: Made, second: Made) -> Any:
    """The order of cohorts: by share."""
    return _share_at(first) >= _share_at(second)


def there(value: Value) -> Value:
    """What is there, of what may be None."""
    return value.value if isinstance(value, SymOptional) else value


def _truth(
    words: str, function: Any, names: Mapping[str, str], says: Callable[[State], Any]
) -> Specification:
    """What is said of a function that comes to a truth, by a rule."""
    arguments = {**HERE, **{name: _any_contender(name) for name in ("it", "best")}}

    def by_role(given: State) -> State:
        return {role: given[name] for name, role in names.items()}

    return Specification(
        BY,
        words,
        function,
        {name: arguments[role] for name, role in names.items()},
        lambda _, part: part("truth", bool),
        lambda given, value: [(words, truth_of(value) == says(by_role(given)))],
        lambda given: [
            ("both are there", there_is_one(one)) for one in given.values() if isinstance(one, SymOptional)
        ],
    )


OF_TWO = {"tournament": "tournament", "state": "state"}
QUEUE_STAYS = _truth(
    "KQ-480",
    fair._queue_stays,
    {"tournament": "tournament", "queue": "it"},
    lambda given: queue_stays(given, given["it"]),
)
QUEUE_BEATS = _truth(
    "KQ-490 and KQ-220", fair._queue_beats, {**OF_TWO, "queue": "it", "best": "best"}, queue_beats
)
COHORT_STAYS = _truth(
    "KQ-480, and one is visited below",
    fair._cohort_stays,
    {**OF_TWO, "cohort": "it"},
    lambda given: cohort_stays(given, given["it"]),
)
COHORT_BEATS = _truth(
    "KQ-500",
    fair._cohort_beats,
    {"cohort": "it", "best": "best"},
    lambda given: said(cohort_wins, share=_compared(given)),
)


def _beside(given: State, value: Value, at: Any) -> Labelled:
    inside = z3.And(at >= 0, at < given["places"].size)
    exact = same(value.at(at), contender(given["state"], given["places"].at(at).term))
    return [("its place and share, with the request", z3.Implies(inside, exact))]


CONTENDERS = Specification(
    BY,
    "each of some nodes with its share",
    fair._contenders,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
    {**VISIT, "places": Row(lambda at: SymInt(_place(at)), COUNT, told=(z3.Int("places"),))},
    lambda given, part: Row(
        lambda at: contender(given["state"], given["places"].at(at).term),
        given["places"].size,
        told=(part("contenders", int).term,),
    ),
    lambda given, value: [("as many", value.size == given["places"].size)],
    at=_beside,
)


def _row(given: State, kind: str) -> Row:
    """The queues of a cohort at which a candidate waits, or the cohorts of it."""
    children: Row = given["tournament"].fields["tree"].fields["nodes"].at(given["cohort"].term).fields[kind]
    return _waiting_among(given["state"], children) if kind == "queues" else children


def _best(words: str, function: Any, kind: str, stays: Any, not_behind: Any) -> Specification:
    """That of those that stay one is found, and none is ahead of it."""

    def ensures(given: State, best: Value) -> Labelled:
        one, state = best.value, given["state"]
        place, depth = one.fields["place"], _depth(given["cohort"].term)
        lower = z3.And(
            place.term >= 0, place.term < NODES, _depth(place.term) > depth, _depth(place.term) <= NODES
        )
        goals = [
            ("it stays", stays(given, one)),
            ("its share", same(one, contender(state, place.term))),
            ("a candidate waits there", waits(state, place))
            if kind == "queues"
            else ("lower in the tree", lower),
        ]
        return [(label, z3.Implies(truth_of(best.present), goal)) for label, goal in goals]

    def none_ahead(given: State, best: Value, number: Any) -> Labelled:
        first = z3.And(truth_of(best.present), not_behind(best.value, _other(given, kind, number)))
        return [("none that stays is ahead", z3.Implies(_takes_part(given, kind, stays, number), first))]

    return Specification(
        BY,
        words,
        function,
        HERE,
        lambda given, part: SymOptional(
            part("there", bool), contender(given["state"], part("place", int).term)
        ),
        ensures,
        _in_tree,
        at=none_ahead,
    )


def _other(given: State, kind: str, number: Any) -> Made:
    return contender(given["state"], _row(given, kind).at(number).term)


def _takes_part(given: State, kind: str, stays: Any, number: Any) -> z3.BoolRef:
    inside = z3.And(number >= 0, number < _row(given, kind).size)
    return z3.And(inside, stays(given, _other(given, kind, number)))


def _in_tree(given: State) -> Labelled:
    cohort = as_term(given["cohort"], int)
    return [("a node of the tree", z3.And(cohort >= 0, cohort < NODES))]


BEST_QUEUE = _best("the best queue", fair._best_queue, "queues", queue_stays, queue_not_behind)
BEST_COHORT = _best("the best cohort", fair._best_cohort, "cohorts", cohort_stays, cohort_not_behind)


def _visited(_: State, part: Callable[..., Any]) -> SymOptional:
    return SymOptional(part("one is visited", bool), part("who is visited", int))


def _waits_there(given: State, found: Value) -> Labelled:
    one, place = _found(found)
    return [("a candidate waits there", z3.Implies(one, waits(given["state"], SymInt(place))))]


WINNER = Specification(
    BY,
    "at the queue that is visited below a cohort a candidate waits",
    fair._winner,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
    HERE,
    _visited,
    _waits_there,
    _in_tree,
)
NEXT = Specification(
    BY,
    "at the queue that is visited a candidate waits",
    fair.next_queue,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
    VISIT,
    _visited,
    _waits_there,
)


@theorem("PO-ANY-105", size="any tree, any number of ClusterQueues and cohorts in it")
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
    waiting: Callable[..., Any] = fair._waiting_among,
) -> Iterator[Part]:
    """Kueue main of August 2026, order of target ClusterQueues: from the root down, at each cohort by share.

    At each cohort those of its queues take part at which a candidate waits and that borrow or are the
    preemptor's own, and those of its cohorts that borrow or are on the preemptor's path, and below which a
    queue is visited. One of highest share is chosen: of queues with equal shares one whose first
    candidate stands first, and of a queue and a cohort the cohort. One is visited exactly if one takes part.
    By induction over the height of the tree: a cohort's cohorts are lower.
    """
    laws = {"compare_shares": Law(_comparing)}
    yield from QUEUE_STAYS.of_statements(queue_stay)
    in_turn = {"_stands_before": Law(_in_its_order), "_first_at": Law(_first_at)}
    yield from QUEUE_BEATS.of_statements(seeing(queue_beat, **laws, **in_turn))
    below = Law(lambda _, *given: WINNER.value(*given))
    yield from COHORT_STAYS.of_statements(seeing(cohort_stay, _winner=below))
    yield from COHORT_BEATS.of_statements(seeing(cohort_beat, **laws))
    yield from CONTENDERS.of_statements(contenders)
    yield from _those_that_wait(waiting)
    given = {"partial": PARTIAL, "NO_CONTENDER": token("no contender"), "_contenders": CONTENDERS.law()}
    three = {name: _any_contender(f"{OWN}{name}") for name in ("first", "second", "third")}
    queues = {
        "_waiting_among": Law(lambda _, *handed: _waiting_among(*handed)),
        "_queue_stays": QUEUE_STAYS.law(),
        "_queue_beats": QUEUE_BEATS.law(),
        "best_of": best_in(queue_not_behind, three).law(POINT),
    }
    yield from BEST_QUEUE.of_statements(seeing(best_queue, **given, **queues))
    cohorts = {
        "_cohort_stays": COHORT_STAYS.law(),
        "_cohort_beats": COHORT_BEATS.law(),
        "best_of": best_in(cohort_not_behind, three).law(POINT),
    }
    yield from BEST_COHORT.of_statements(seeing(best_cohort, **given, **cohorts))
    best = {"_best_queue": BEST_QUEUE.law(NUMBER), "_best_cohort": BEST_COHORT.law(NUMBER)}
    seen = seeing(winner, **best, _cohort_beats=COHORT_BEATS.law())
    yield from WINNER.of_statements(
        seen, _chosen, falls=lambda given: NODES - _depth(as_term(given["cohort"], int))
    )
    there_is = (Taken(z3.And(OWN_PLACE >= 0, OWN_PLACE < NODES), OWN_NODE, GIVEN),)
    seen = seeing(next_queue, _winner=WINNER.law(), _waits_at=WAITS)
    yield from NEXT.of_statements(seen, _from_the_root, there_is)


@standing(
    ("candidates of all groups are in one strict order", "PO-KQ-105"),
    ("two candidates of different uid are never tied", "PO-KQ-110"),
)
def _in_its_order(_: State, question: Value, one: Value, other: Value) -> SymBool:
    handed((question, THIS.fields["question"]))
    return SymBool(_turn(one.term) < _turn(other.term))


def _first_at(_: State, state: Value, place: Value) -> SymToken:
    return SymToken(_first(known_as(state.fields["waiting"]), known_as(place)))


def _chosen(way: Way) -> Labelled:
    """Of the best queue and the best cohort: where there is one, it or who is visited below it."""
    queue, cohort = (best.value(*HERE.values()) for best in (BEST_QUEUE, BEST_COHORT))
    is_queue, is_cohort = truth_of(queue.present), truth_of(cohort.present)
    ahead = said(cohort_wins, share=_compared({"it": cohort.value, "best": queue.value}))
    goes_down = z3.And(is_cohort, z3.Or(z3.Not(is_queue), ahead))
    (one, who), own = _found(way.value), queue.value.fields["place"].term
    below = WINNER.value(THIS, STATE, cohort.value.fields["place"]).value.term
    queues = _takes_part(HERE, "queues", queue_stays, NUMBER)
    cohorts = _takes_part(HERE, "cohorts", cohort_stays, NUMBER)
    highest = z3.If(goes_down, _share_at(cohort.value), _share_at(queue.value))
    another = _other(HERE, "queues", NUMBER)
    equal = z3.And(queues, _share_at(another) == highest, z3.Not(goes_down))
    in_turn = _turn_at(STATE, queue.value) <= _turn_at(STATE, another)
    return [
        ("one exactly if one is the best", one == z3.Or(is_queue, is_cohort)),
        ("none that takes part is forgotten", z3.Implies(z3.Or(queues, cohorts), one)),
        ("by share, the cohort of equals", z3.Implies(one, who == z3.If(goes_down, below, own))),
        ("no queue has a higher share", z3.Implies(queues, _share_at(another) <= highest)),
        (
            "no cohort has a higher share",
            z3.Implies(cohorts, _share_at(_other(HERE, "cohorts", NUMBER)) <= highest),
        ),
        ("of equal queues by turn", z3.Implies(equal, in_turn)),
    ]


def _found(value: Value) -> tuple[Any, Any]:
    """Whether a place is returned, and which."""
    if value is None:
        return z3.BoolVal(False), z3.IntVal(-1)
    if isinstance(value, SymOptional):
        one = as_term(value.present, bool)
        return one, z3.IntVal(-1) if value.value is None else as_term(value.value, int)
    return z3.BoolVal(True), as_term(value, int)


def _from_the_root(way: Way) -> Labelled:
    (one, who), alone = _found(way.value), z3.Not(_has_parent(OWN_PLACE))
    below = WINNER.value(THIS, STATE, 0)
    return [
        (
            "alone, the ClusterQueue of the preemptor if one waits",
            z3.Implies(alone, one == waits(STATE, SymInt(OWN_PLACE))),
        ),
        ("in a tree, from the root down", z3.Implies(z3.Not(alone), one == truth_of(below.present))),
        ("its place", z3.Implies(one, who == z3.If(alone, OWN_PLACE, below.value.term))),
    ]


LEFT, CLAIMS = z3.Int("waiting_in_all"), z3.Bool("no_shares_are_compared")
STRATEGY, SECOND = z3.Ints("first_strategy second_strategy")
_candidate = z3.Function("the candidate before so many", INT, INT)
_basis = z3.Function("basis of what is judged", INT, INT, INT)
_own_basis = z3.Function("basis where no shares are compared", INT, INT)
_found_of = z3.Function("what is found of a candidate", INT, INT, INT, INT)
_shares_of = z3.Function("shares that are compared of a candidate", INT, INT, INT, INT)
_basis_of = z3.Function("basis of a strategy", INT, INT)
FOUND = telling("candidate with what is found of it", known_as, known_as)
_evidence = z3.Function("evidence of what is judged", INT, INT, INT)
_alone = z3.Function("evidence where no shares are compared", INT, INT)
BEFORE = {name: any_round("before").fields[name] for name in ("usage", "charged", "removed")}
ROUND = Made(Round, {"charged": BEFORE["charged"], "waiting": token("waiting before")})
VISITED = NEXT.value(THIS, ROUND)
IS_NEXT, PLACE, AT_ONCE = truth_of(VISITED.present), VISITED.value.term, how_many_wait(ROUND, VISITED.value)
"""Who is visited in a round, and how many wait there."""
INITIAL, TURNS = z3.IntVal(int(Basis.INITIAL_SHARE)), z3.Int("turns_before")
"""How many have had their turn; the rules of folds are about who they are."""
UNCHARGED = TOURNAMENT.fields["question"].fields["without"]


def _judged(_: State, candidate: Value, facts: Value) -> Made:
    told = candidate.term, facts.term
    return Made(Evidence, {"basis": SymInt(_basis(*told)), "": SymToken(_evidence(*told))})


HELD_ON = Made(
    Tournament,
    {
        "own": SymInt(OWN_PLACE),
        "claims_nominal": SymBool(CLAIMS),
        "strategies": (SymInt(STRATEGY), SymInt(SECOND)),
        "leaving": LEAVING,
        "question": Made(Question, {"judged": Law(_judged), "without": UNCHARGED}),
    },
)
"""The tournament, as far as a round asks it."""


def _counted(**counts: Any) -> Made:
    """How many wait, at the queue whose turn it is and in all; how many turns are noted, and who is taken."""
    return Made(dict, {name: SymInt(term) for name, term in counts.items()})


NO = SymBool(z3.BoolVal(False))
START = Made(
    Round,
    {
        "usage": BEFORE["usage"],
        "charged": BEFORE["charged"],
        "waiting": _counted(there=AT_ONCE, in_all=LEFT),
        "turns": _counted(noted=TURNS, taken=z3.IntVal(0)),
        "removed": BEFORE["removed"],
        "fits": NO,
        "over": NO,
    },
)


def _counts(state: Made) -> tuple[Any, Any]:
    counts = state.fields["waiting"].fields
    return counts["there"].term, counts["in_all"].term


def _noted(state: Made) -> tuple[Any, Any]:
    """How many turns, and of how many who are taken."""
    counts = state.fields["turns"].fields
    return counts["noted"].term, counts["taken"].term


def _at_its_turn(place: Value) -> None:
    if not as_term(place.value if isinstance(place, SymOptional) else place, int).eq(PLACE):
        raise LiftError("another queue than the one whose turn it is")


def _waiting_at(_: State, state: Made, place: Value) -> Table:
    """Who waits at the queue, each by how many wait from it on."""
    _at_its_turn(place)
    there, _ = _counts(state)
    return Table(lambda at: SymToken(_candidate(there - at)), there)


@standing(COPIED)
def _left_with(_: State, state: Made, place: Value, those: Row | tuple[()]) -> Made:
    """The same round with others waiting at the queue: the last of those who did."""
    _at_its_turn(place)
    (there, in_all), many = _counts(state), how_many(those)
    if isinstance(those, Row):
        inside = z3.And(POINT >= 0, many > POINT)
        needed(z3.Implies(inside, those.at(POINT).term == _candidate(many - POINT)))
    waiting = _counted(there=many, in_all=in_all - there + many)
    return Made(Round, {**state.fields, "waiting": waiting})


def _visiting(_: State, this: Value, state: Value) -> SymOptional:
    handed((this, HELD_ON), (state, START))
    found: SymOptional = NEXT.law()(THIS, ROUND)
    return found


def _compared_at(candidate: Any, basis: Any) -> tuple[Any, Any, Any]:
    """What a strategy finds a candidate by: what is in use, whom, and on which basis."""
    return BEFORE["charged"].term, candidate, basis


def _why(candidate: Any, basis: Any) -> SymToken:
    """What allows a candidate whose shares are compared, as it is judged."""
    return SymToken(_evidence(candidate, _found_of(*_compared_at(candidate, basis))))


def _noting(basis: Any) -> Law:
    """One turn more, of the one whose turn it is, as it is found; no claim holds of another turn."""

    def noting(_: State, who: Value, removed: Value, shares: Value, turns: Made) -> Made:
        noted, taken = (turns.fields[name].term for name in ("noted", "taken"))
        candidate = _candidate(AT_ONCE - (noted - TURNS))
        own = _compared_at(candidate, basis)
        compared = SymToken(_found_of(*own)) if removed is False else _why(candidate, basis)
        found = SymToken(_alone(candidate)) if shares is None else compared
        by_these = shares is None or known_as(shares) == _shares_of(*own)
        exact = z3.And(same(who, FOUND.value({}, SymToken(candidate), found)), by_these)
        return _counted(noted=noted + z3.If(exact, 1, 2), taken=taken + int(removed is not False))

    return Law(noting)


def _not_compared(_: State, this: Value, candidate: Value) -> Made:
    handed((this, HELD_ON))
    evidence = SymToken(_alone(candidate.term))
    return Made(Evidence, {"basis": SymInt(_own_basis(candidate.term)), "": evidence})


def _finding(_: State, this: Value, charged: Value, candidate: Value, basis: Value) -> tuple[Value, Value]:
    handed((this, HELD_ON))
    number = z3.IntVal(int(basis)) if isinstance(basis, Basis) else basis.term
    own = charged.term, candidate.term, number
    return SymToken(_found_of(*own)), SymToken(_shares_of(*own))


def _basis_at(count: Any, basis: Any) -> Any:
    """On which basis the candidate may be preempted before which so many wait, itself included."""
    candidate = _candidate(count)
    return _basis(candidate, _found_of(BEFORE["charged"].term, candidate, basis))


def _is(state: Made, these: Mapping[str, Value]) -> z3.BoolRef:
    found = (leaves(state.fields[name]) for name in these)
    return every(
        [
            one == other
            for own, value in zip(found, these.values(), strict=True)
            for one, other in zip(own, leaves(value), strict=True)
        ]
    )


@theorem("PO-ANY-115", size="any number of candidates and ClusterQueues")
def a_round_ends_the_tournament_or_gives_a_candidate_its_turn_and_takes_one_or_changes_no_usage(  # noqa: PLR0913 - all that it is about
    first_step: Callable[..., Any] = fair.first_step,
    second_step: Callable[..., Any] = fair.second_step,
    ended: Callable[..., Any] = fair._ended,
    rejecting: Callable[..., Any] = fair._rejecting,
    take: Callable[..., Any] = fair._take,
    waits_at: Callable[..., Any] = fair._waits_at,
    first_at: Callable[..., Any] = fair._first_at,
    pop: Callable[..., Any] = fair._pop,
    pop_all: Callable[..., Any] = fair._pop_all,
) -> Iterator[Part]:
    """Kueue main of August 2026, fair-sharing preemption: one visit, by each of the strategies.

    It ends the tournament exactly if no queue is left to visit. Otherwise fewer candidates wait after it: by
    the first strategy those up to the first that it takes, by the second all of the queue. One is taken
    exactly if it is allowed on some basis: it leaves, is noted, and the round says whether the request fits
    then. Who is rejected changes neither what is in use nor who was removed, and is noted.
    """
    queues = (waits_at, first_at, pop, pop_all)
    laws = {
        **of_queues(queues, _waiting_at=Law(_waiting_at), left_with=Law(_left_with)),
        "next_queue": Law(_visiting),
        "compared": Law(_finding),
        "_ended": ended,
    }

    def by(basis: Any) -> dict[str, Any]:
        noting = {"_turned": _noting(basis), "_found": FOUND}
        return {"_take": seeing(take, **noting), "_rejecting": seeing(rejecting, **noting)}

    facts = (
        z3.And(STRATEGY >= 0, STRATEGY < 2, SECOND >= 0, SECOND < 2),
        z3.And(AT_ONCE >= 0, LEFT >= AT_ONCE),
    )
    given = {"tournament": HELD_ON, "state": START}
    yield from read_procedure(
        seeing(
            first_step,
            **laws,
            **by(_basis_of(STRATEGY)),
            _without_comparison=Law(_not_compared),
            BASES=Table(lambda at: SymInt(_basis_of(at)), 2),
        ),
        given,
        _after_the_first,
        facts=facts,
        loops=[Invariant(_all_rejected, measure=lambda here: _counts(here["state"])[0])],
    )
    yield from read_procedure(
        seeing(second_step, **laws, **by(INITIAL)),
        given,
        _after_the_second,
        facts=facts,
    )
    yield from steps_keep(
        first_step, second_step, queues, next_queue=NEXT.law(), _ended=ended, rejecting=rejecting
    )


def _all_rejected(steps: Any, _: State, here: State, point: Any) -> Labelled:
    """Whoever has had its turn in this round is rejected, and noted."""
    state = here["state"]
    there, in_all = _counts(state)
    had_its_turn = z3.And(point > there, point <= AT_ONCE)
    return [
        ("each step gives one its turn", z3.And(there == AT_ONCE - steps, there >= 0)),
        ("who waits elsewhere waits on", in_all == LEFT - steps),
        ("each is noted", z3.And(_noted(state)[0] == TURNS + steps, _noted(state)[1] == 0)),
        ("on no basis", z3.Implies(had_its_turn, _basis_at(point, _basis_of(STRATEGY)) == 0)),
        ("nothing in use changes, and none is removed", _is(state, BEFORE)),
        ("it goes on", z3.Not(_has_ended(state))),
    ]


def _has_ended(state: Made) -> Any:
    return z3.Or(*(as_term(state.fields[name], bool) for name in ("fits", "over")))


def _after_a_round(state: Made, count: Any, why: SymToken) -> Labelled:
    """What is claimed of either strategy: who is taken is the candidate before which so many wait."""
    over = as_term(state.fields["over"], bool)
    _, in_all = _counts(state)
    as_it_was = z3.And(_is(state, BEFORE), _noted(state)[1] == 0, z3.Not(truth_of(state.fields["fits"])))
    return [
        ("it ends exactly if no queue is left to visit", over == z3.Not(IS_NEXT)),
        (A_TURN, gives_a_turn(_has_ended(state), LEFT, in_all)),
        ("it ends, or fewer wait", z3.Or(over, in_all < LEFT)),
        ("no more wait than before", in_all <= LEFT),
        ("one is taken, or nothing changes", z3.Or(as_it_was, _is_taken(state, count, why))),
    ]


def _is_taken(state: Made, count: Any, why: SymToken) -> Any:
    """Whether who is taken is the candidate before which so many wait, as that allows it."""
    candidate, fits = SymToken(_candidate(count)), LEAVING.fields["fits"]
    usage = LEAVING.fields["without"](BEFORE["usage"], candidate)
    charged = UNCHARGED(BEFORE["charged"], candidate)
    removed = BEFORE["removed"].behind(FOUND.value({}, candidate, why).term)
    then = {"usage": usage, "charged": charged, "removed": removed, "fits": fits(usage, True)}
    return z3.And(_noted(state)[1] == 1, _is(state, then))


def _after_the_first(way: Way) -> Labelled:
    state: Made = way.value
    (there, in_all), (noted, removed) = _counts(state), _noted(state)
    turn, compares = IS_NEXT, z3.And(PLACE != OWN_PLACE, z3.Not(CLAIMS))
    last, basis = _basis_at(there + 1, _basis_of(STRATEGY)), _basis_at(POINT, _basis_of(STRATEGY))
    rejected = z3.And(there + removed < POINT, POINT <= AT_ONCE)
    without, why = SymToken(_alone(_candidate(AT_ONCE))), _why(_candidate(there + 1), _basis_of(STRATEGY))
    alone = z3.And(_is_taken(state, AT_ONCE, without), there == AT_ONCE - 1)
    taken = removed == 1
    may_be = z3.And(_is_taken(state, there + 1, why), last != 0)
    by = SymToken(z3.If(compares, why.term, without.term))
    return [
        *_after_a_round(state, there + 1, by),
        ("as many are noted as have had their turn", noted - TURNS == LEFT - in_all),
        ("all of them at the queue", AT_ONCE - there == LEFT - in_all),
        ("where no shares are compared the first is taken", z3.Implies(turn, z3.Or(compares, alone))),
        ("who is taken may be", z3.Implies(z3.And(turn, compares, taken), may_be)),
        ("who is rejected may not be", z3.Implies(z3.And(turn, compares, rejected), basis == 0)),
        ("one is taken, or none waits there", z3.Implies(z3.And(turn, compares), z3.Or(taken, there == 0))),
    ]


def _after_the_second(way: Way) -> Labelled:
    state: Made = way.value
    (there, _), basis = _counts(state), _basis_at(AT_ONCE, INITIAL)
    why = _why(_candidate(AT_ONCE), INITIAL)
    by_basis = z3.If(basis != 0, _is_taken(state, AT_ONCE, why), _noted(state)[1] == 0)
    return [
        *_after_a_round(state, AT_ONCE, why),
        ("all of the queue had their turn", z3.Implies(IS_NEXT, there == 0)),
        ("the first is noted", z3.Implies(IS_NEXT, _noted(state)[0] == TURNS + 1)),
        ("it is taken exactly if it may be", z3.Implies(IS_NEXT, by_basis)),
    ]
