"""What the repairs of fair sharing compare, read from their code: in the end, and at a victim's turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import z3

from tenure.model import Basis, Evidence
from tenure.oracle import fair_repairs
from tenure.oracle.fair import Tournament, compared
from tenure.oracle.fair_repairs import SearchEnd
from tenure.oracle.leaving import Leaving
from tenure.oracle.question import Candidate, Question, SharesCompared
from tenure.oracle.shares import SharesOf
from tenure.readings import FairSharingRepair
from tenure.rules.terms import PreemptionTerms
from tenure_proofs.theorems.decision import seeing
from tenure_proofs.theorems.registry import BELIEVED, theorem
from tenure_proofs.theorems.standins import BOOL, INT, same, token, truth_of
from tenure_proofs.theorems.taken import modelled, standing
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.loops import MEMBERS, Row, State, Way
from tenure_proofs.trusted.procedures import POINT, Held, Invariant, Law, read_procedure
from tenure_proofs.trusted.specified import Conclusion, Specification, leaves
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymOptional, SymToken, as_term

CHECKED = (
    FairSharingRepair.POST_CHECK,
    FairSharingRepair.POST_CHECK_THEN_LOCKING,
    FairSharingRepair.OFFENDER_PRUNING,
    FairSharingRepair.LEVEL_LOCKED,
    FairSharingRepair.VERIFIED_REEVALUATION,
)
"""The repairs with a check at the end."""

_many, _member = z3.Function("how many are kept", INT, INT), z3.Function("one that is kept", INT, INT, INT)
_place, _taken_on = (z3.Function(name, INT, INT) for name in ("place of one", "basis that one is taken on"))
_exempt = z3.Function("who is exempt, by what is in use", INT, MEMBERS)
_charged = z3.Function("what is in use with the request without some", INT, INT)
_others = z3.Function("all but one", INT, INT, INT)
_share = z3.Function("share of a node, by what is in use", INT, INT, INT)
_height = z3.Function("place of a share in their order", INT, z3.RealSort())
_judged = z3.Function("basis of a candidate, by a strategy and a comparison", INT, INT, INT, INT)
_counts = z3.Function("whether the check goes by a strategy", INT, INT, BOOL)
_mine, _theirs = (z3.Function(f"{name} side beside the common cohort", INT, INT) for name in ("own", "other"))
_less = z3.Function("what is in use without one", INT, INT, INT)
_spared = z3.Function("those removed who are not kept", INT, INT, INT)
_OWN = z3.Int("own place")


def _one(number: Any) -> Made:
    """A candidate."""
    taken_on = Made(Evidence, {"basis": SymInt(_taken_on(number))})
    return Made(Candidate, {"place": SymInt(_place(number)), "evidence": taken_on, "": SymToken(number)})


def _kept(told: Any) -> Row:
    """Some of them."""
    return Row(lambda at: _one(_member(told, at)), _many(told), told=(told,))


def _number(value: Value) -> Any:
    return leaves(value.value if isinstance(value, SymOptional) else value)[0]


def _judging(_: State, candidate: Value, facts: Value) -> Made:
    """On which basis a candidate of a ClusterQueue over its quota may be preempted."""
    told = facts.fields
    basis = _judged(_number(candidate), z3.IntVal(int(told["basis"])), as_term(told["share"], int))
    plain = told["over_quota"] is True and told["within_nominal"] is False
    return Made(Evidence, {"basis": SymInt(basis if plain else z3.Int("another basis"))})


IN_ONE_ORDER = ("two shares compare as their places in one order", BELIEVED)


@standing(IN_ONE_ORDER)
def _comparing(_: State, first: Value, second: Value) -> SymInt:
    return SymInt(compared_in_order(_height(first.term), _height(second.term)))


_REPAIR = z3.Int("repair")


def _tournament() -> Made:
    terms = Made(PreemptionTerms, {"fair_sharing_repair": SymInt(_REPAIR)})
    shares = Law(lambda _, usage, place: SymToken(_share(_number(usage), _number(place))))
    return Made(
        Tournament,
        {
            "question": Made(Question, {"judged": Law(_judging), "terms": terms}),
            "shares": Made(SharesOf, {"of": shares}),
            "leaving": Made(Leaving, {"usage": token("usage before")}),
            "own": SymInt(_OWN),
            "": token("tournament"),
        },
    )


_TOURNAMENT = _tournament()


def heights_in_the_end(kept: Any, one: Any) -> tuple[Any, Any, Any]:
    """The share of the preemptor's side, of a target's side, and of that with the target alone back."""
    end, alone_back, theirs = _charged(kept), _charged(_others(kept, one)), _theirs(_place(one))
    shares = _share(end, _mine(_place(one))), _share(end, theirs), _share(alone_back, theirs)
    return _height(shares[0]), _height(shares[1]), _height(shares[2])


def heights_at_its_turn(counted: Any, then: Any, one: Any) -> tuple[Any, Any, Any]:
    """The share counted for the preemptor's side, that of a candidate's side without it, and with it."""
    mine, theirs = _mine(_place(one)), _theirs(_place(one))
    shares = _share(counted, mine), _share(_less(then, one), theirs), _share(then, theirs)
    return _height(shares[0]), _height(shares[1]), _height(shares[2])


def runs_at_own_place(one: Any) -> z3.BoolRef:
    """Whether one is of the preemptor's ClusterQueue."""
    own: z3.BoolRef = _place(one) == _OWN
    return own


def is_exempt(kept: Any, one: Any) -> z3.BoolRef:
    """Whether one is not checked in the end."""
    exempt: z3.BoolRef = _exempt(_charged(kept))[_taken_on(one)]
    return exempt


def judged_by(one: Any, basis: Basis, share: Any) -> z3.ArithRef:
    """On which basis one may be preempted, by a strategy and by how two shares compare."""
    found: z3.ArithRef = _judged(one, z3.IntVal(int(basis)), share)
    return found


def compared_in_order(mine: Any, theirs: Any) -> Any:
    """How two shares compare, by their places in the order."""
    return z3.If(mine > theirs, 1, z3.If(mine == theirs, 0, -1))


def is_fair(kept: Any, one: Any) -> z3.BoolRef:
    """What the check says of one of those that are kept."""
    mine, end, alone = heights_in_the_end(kept, one)

    def passes(basis: Basis, theirs: Any) -> z3.BoolRef:
        found = judged_by(one, basis, compared_in_order(mine, theirs))
        return z3.And(_counts(one, z3.IntVal(int(basis))), found != int(Basis.NONE))

    by_strategy = passes(Basis.FINAL_SHARE, end), passes(Basis.INITIAL_SHARE, alone)
    return z3.Or(runs_at_own_place(one), is_exempt(kept, one), *by_strategy)


IN_THE_END = Conclusion(
    "PO-ANY-383",
    "each target of a repair with a check is its own, or exempt, or fair in the end",
    lambda checked, kept, one: z3.Implies(checked, is_fair(kept, one)),
)
AT_ITS_TURN = Conclusion(
    "PO-ANY-386",
    "at its turn a candidate is compared with the share then, or with a locked one",
    lambda share, basis, mine, without, beside: (
        share == compared_in_order(mine, without if basis == Basis.FINAL_SHARE else beside)
    ),
)


def _all_fair(given: State, found: Value, at: Any) -> Labelled:
    inside, kept = z3.And(at >= 0, at < given["kept"].size), _number(given["kept"])
    none = z3.Not(truth_of(found.present)) if isinstance(found, SymOptional) else z3.BoolVal(found is None)
    return [("then each is fair", z3.Implies(z3.And(none, inside), is_fair(kept, _member(kept, at))))]


FIRST = Specification(
    "PO-ANY-383",
    "where none is found unfair, each target is fair in the end",
    fair_repairs.first_unfair,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
    {"tournament": _TOURNAMENT, "kept": _kept(z3.Int("kept"))},
    lambda _, part: SymOptional(part("one is unfair", bool), part("who is unfair", SymToken)),
    lambda *_: [],
    at=_all_fair,
)


_LAST = Made(
    SearchEnd,
    {
        "attempts": token("attempts of the last search"),
        "removed": token("removed"),
        "kept": _kept(z3.Int("kept by the last search")),
        "usage": token("usage then"),
        "unfair": SymOptional(SymBool(z3.Bool("found unfair before")), _one(z3.Int("who was"))),
    },
)


def _size(kept: Value) -> Any:
    return z3.IntVal(0) if isinstance(kept, tuple) else kept.size


def _kept_in(end: Value) -> Any:
    kept = end.fields["kept"]
    return z3.IntVal(-1) if isinstance(kept, tuple) else _number(kept)


def _each_is_fair(_: State, end: Value, at: Any) -> Labelled:
    kept = end.fields["kept"]
    if isinstance(kept, tuple):
        return []
    inside = z3.And(at >= 0, at < _size(kept))
    return [("each is fair", z3.Implies(inside, is_fair(_number(kept), _member(_number(kept), at))))]


def _none_or_as_found(given: State, end: Value) -> Labelled:
    kept, found = end.fields["kept"], given["found"].fields["kept"]
    unfair = truth_of(FIRST.value(given["tournament"], found).present)
    as_found = z3.BoolVal(False) if isinstance(kept, tuple) else _number(kept) == _number(found)
    return [("none where one is unfair, else those found", z3.If(unfair, _size(kept) <= 0, as_found))]


CHECKED_END = Specification(
    "PO-ANY-383",
    "a check leaves none, or those found, of which each is fair in the end",
    fair_repairs._checked,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
    {"tournament": _TOURNAMENT, "found": _LAST},
    lambda _, part: Made(
        SearchEnd,
        {
            "kept": _kept(part("kept", int).term),
            **{name: part(name, SymToken) for name in ("attempts", "removed", "usage")},
            "unfair": SymOptional(part("one is unfair", bool), part("unfair", SymToken)),
        },
    ),
    _none_or_as_found,
    at=_each_is_fair,
)


@theorem("PO-ANY-383", size="any number of targets, however they were searched for; any tree")
def each_target_of_a_repair_with_a_check_is_its_own_or_exempt_or_fair_in_the_end(
    selected: Callable[..., Any] = fair_repairs._selected,
    checked: Callable[..., Any] = fair_repairs._checked,
    first_unfair: Callable[..., Any] = fair_repairs.first_unfair,
    fair: Callable[..., Any] = fair_repairs._is_fair,
    passes: Callable[..., Any] = fair_repairs._passes,
    allows: Callable[..., Any] = fair_repairs._allows,
) -> Iterator[Part]:
    """kueue#14543, repairs 1, 3, 4 and 5, and verified reevaluation: the check at their end.

    Each target is one of the preemptor's ClusterQueue, or exempt, or allowed by a strategy that the check
    goes by. The preemptor's side has the share with the request and without all targets. By
    LessThanOrEqualToFinalShare the target's side has the share without all targets, by LessThanInitialShare
    with this target alone back. Where one is not, none is preempted. The other repairs keep what they found.
    """
    charged = Law(lambda _, *told: SymToken(_charged(_number(told[1]))))
    yield from FIRST.of_statements(
        seeing(
            first_unfair,
            _charged=charged,
            _exempt=Law(lambda _, *told: Held(_exempt(_number(told[1])))),
            _is_fair=seeing(
                fair,
                _charged=charged,
                _without=Law(lambda _, kept, one: SymToken(_others(_number(kept), _number(one)))),
                _passes=seeing(
                    passes,
                    beside_common=Law(_beside),
                    compare_shares=Law(_comparing),
                    _counts=Law(lambda _, *told: SymBool(_counts(_number(told[1]), int(told[2])))),
                    _allows=allows,
                ),
            ),
        ),
        _unfair_is_first,
        loops=(Invariant(_so_far),),
    )
    yield from CHECKED_END.of_statements(seeing(checked, first_unfair=FIRST.law(POINT)))
    given: dict[str, Value] = {"tournament": _TOURNAMENT, "last": _LAST}
    given |= {name: token(name) for name in ("candidates", "attempts")}
    seen = seeing(
        selected,
        _spared=Law(lambda _, end: SymToken(_spared(_number(end.fields["removed"]), _kept_in(end)))),
        _checked=CHECKED_END.law(POINT),
        _CHECKED=_among(fair_repairs._CHECKED),
    )
    yield from read_procedure(seen, given, _of_selection)


def _among(repairs: Sequence[int]) -> Held:
    """The repairs that the code lists."""
    members = z3.K(INT, z3.BoolVal(False))
    for repair in repairs:
        members = z3.Store(members, int(repair), True)
    return Held(members)


def _beside(_: State, *given: Value) -> tuple[SymInt, SymInt]:
    place = given[1]
    return SymInt(_mine(place.term)), SymInt(_theirs(place.term))


def _unfair_is_first(way: Way) -> Labelled:
    if way.value is None:
        return []
    return [("who is found is unfair", z3.Not(is_fair(_number(FIRST.takes["kept"]), _number(way.value))))]


def _so_far(steps: Any, _: State, __: State, point: Any) -> Labelled:
    kept = _number(FIRST.takes["kept"])
    before = z3.And(point >= 0, point < steps)
    return [("all before are fair", z3.Implies(before, is_fair(kept, _member(kept, point))))]


def _of_selection(way: Way) -> Labelled:
    kept = way.value.fields["kept"]
    checked = CHECKED_END.value(_TOURNAMENT, _LAST).fields["kept"]
    by_check = z3.Or(*(int(repair) == _REPAIR for repair in CHECKED))
    found = z3.If(by_check, _number(checked), _number(_LAST.fields["kept"]))
    inside = z3.And(by_check, POINT >= 0, _size(kept) > POINT)
    told = [same(way.value.fields[name], token(name)) for name in ("candidates", "attempts")]
    return [
        ("checked, or as it was found", _number(kept) == found),
        IN_THE_END.goal(inside, _number(kept), _member(_number(kept), POINT)),
        ("of these candidates and attempts", z3.And(told)),
    ]


_CANDIDATE, _THEN, _LOCK = (
    _one(z3.Int("candidate")),
    token("in use at its turn"),
    z3.Int("in use when locked"),
)
_IS_LOCKED = z3.Bool("the share is locked")
_BEGUN = Made(
    Tournament,
    {
        **_TOURNAMENT.fields,
        "question": Made(
            Question,
            {
                "without": Law(lambda _, then, one: SymToken(_less(then.term, _number(one)))),
                "": token("asked"),
            },
        ),
        "charged": token("in use before the first removal"),
        "locked": SymOptional(SymBool(_IS_LOCKED), SymToken(_LOCK)),
    },
)


@theorem("PO-ANY-386", size="any search, any candidate, any tree")
def at_its_turn_a_candidate_is_compared_with_the_share_then_or_with_that_before_the_first_removal(
    function: Callable[..., Any] = compared,
    locked: Callable[..., Any] = fair_repairs._locked,
    stays_below: Callable[..., Any] = fair_repairs._stays_below,
) -> Iterator[Part]:
    """kueue#14543, share locking and guarded fill-back: what allows a target at its turn, and later.

    The preemptor's side counts with the request and without those removed before, with a locked share as
    before the first removal. By LessThanOrEqualToFinalShare the candidate's side counts without the
    candidate, else with it. A target of the guarded fill-back is still allowed by the share that its side
    had at its turn, when its preemptor's side has the share of the end.
    """
    modelled("who is taken at its turn may be, by what is compared", "PO-ANY-115")
    modelled("no other is removed, and what is kept of them suffices where all of them do", "PO-ANY-020")
    laws = {"beside_common": Law(_beside), "compare_shares": Law(_comparing)}
    for basis in (Basis.FINAL_SHARE, Basis.INITIAL_SHARE):
        given = {"tournament": _BEGUN, "charged": _THEN, "candidate": _CANDIDATE, "basis": basis}
        yield from read_procedure(seeing(function, **laws), given, partial(_at_its_turn, basis))

    def replacing(tournament: Value, locked: Value) -> None:
        """The parameters of what stands for `dataclasses.replace`."""

    again = Law(lambda _, this, then: Made(Tournament, {**this.fields, "locked": then}), (), replacing)
    begun = {"tournament": _BEGUN}
    yield from read_procedure(seeing(locked, replace=again), begun, _is_locked)
    allowed = Law(lambda _, *told: SymBool(_may(_number(told[1]), told[2].term, told[3].term)))
    shares = Made(SharesCompared, {"mine": SymInt(z3.Int("its side")), "target": token("share at its turn")})
    for told, goal in ((shares, _still_allowed), (None, _not_compared)):
        given = {"tournament": _BEGUN, "charged": _THEN, "candidate": _CANDIDATE, "shares": told}
        below = seeing(stays_below, compare_shares=Law(_comparing), _allows=allowed)
        yield from read_procedure(below, given, goal)


_may = z3.Function("whether a candidate is allowed", INT, INT, INT, BOOL)


def _at_its_turn(basis: Basis, way: Way) -> Labelled:
    (facts, shares), one = way.value, _number(_CANDIDATE)
    counted = z3.If(_IS_LOCKED, _LOCK, _THEN.term)
    then = _less(_THEN.term, one) if basis == Basis.FINAL_SHARE else _THEN.term
    mine, theirs = _share(counted, _mine(_place(one))), _share(then, _theirs(_place(one)))
    evidence, told = facts.fields, shares.fields
    by_it = evidence["basis"] == basis and evidence["over_quota"] and not evidence["within_nominal"]
    return [
        ("by the strategy, over quota", z3.BoolVal(by_it is True)),
        ("both shares", z3.And(told["preemptor"].term == mine, told["target"].term == theirs)),
        ("of both sides", told["mine"].term == _mine(_place(one))),
        AT_ITS_TURN.goal(evidence["share"].term, basis, *heights_at_its_turn(counted, _THEN.term, one)),
    ]


def _is_locked(way: Way) -> Labelled:
    others = ("charged", "own", "shares", "question", "leaving")
    return [
        ("as before the first removal", same(way.value.fields["locked"], _BEGUN.fields["charged"])),
        ("else as it was", z3.BoolVal(all(way.value.fields[name] is _BEGUN.fields[name] for name in others))),
    ]


def _still_allowed(way: Way) -> Labelled:
    one, share = _number(_CANDIDATE), _share(_THEN.term, z3.Int("its side"))
    by_share = compared_in_order(_height(share), _height(z3.Int("share at its turn")))
    return [("by the share of the end", truth_of(way.value) == _may(one, _taken_on(one), by_share))]


def _not_compared(way: Way) -> Labelled:
    return [("where no share was compared", truth_of(way.value))]
