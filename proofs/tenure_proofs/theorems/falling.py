"""Preemption by shares in a flat cohort: what falls with each, of any number of ClusterQueues and victims.

Shares are whole numbers here, which stand for their order: of exact fractions, or of the floating-point
numbers that Kueue compares. They *fall* from the share of one ClusterQueue if that one ends lower, and every
other one ends below that share or no higher than it was: sorted from the highest, they are a smaller
sequence then. They *rise* the other way round.

What a repair compares is read from its code. Assumed is that the removal of a victim lowers the share of its
ClusterQueue, and that the share of each ClusterQueue depends on its own usage alone. So it is where one
cohort has all of them and they borrow one resource. In a tree each preemption is compared beside the lowest
common cohort alone, and lifts the cohorts above as it likes: scenario kueue-14543-fair-in-a-tree.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import z3

from tenure.model import Basis, Evidence, Kin, TurnResult, Workload
from tenure.readings import preset_names
from tenure.rules.eligibility import basis_for, basis_within_queue
from tenure.rules.quota import fits_request
from tenure.rules.share import basis_by_share
from tenure_proofs.premises import any_terms, is_own, two_workloads
from tenure_proofs.registry import reading_of
from tenure_proofs.theorems.livelock import is_before
from tenure_proofs.theorems.no_loop import STAYS, never_back
from tenure_proofs.theorems.played import BEHIND, LEAVES, better_by_a_turn
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.theorems.repairs import (
    AT_ITS_TURN,
    IN_THE_END,
    compared_in_order,
    heights_at_its_turn,
    heights_in_the_end,
    is_exempt,
    judged_by,
    runs_at_own_place,
)
from tenure_proofs.theorems.taken import modelled
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.induction import Part
from tenure_proofs.trusted.logic import implies, negation
from tenure_proofs.trusted.loops import MEMBERS, every
from tenure_proofs.trusted.specified import GIVEN

COMPARED = ("shares are in one order, and the removal of a victim lowers that of its ClusterQueue", GIVEN)
OWN_USAGE = ("the share of a ClusterQueue changes with its own usage alone", GIVEN)
GETS_IT = ("who preempts is admitted before any other workload is", GIVEN)
NOT_ABOVE = ("a preemption lifts no cohort above the common one", GIVEN)
FALLS = ("the shares fall with each preemption by shares, and never come back", "PO-ANY-380")
FALLS_IN_TREE = (
    "the shares fall where none above the common cohort rises, and never come back",
    "PO-ANY-387",
)
OWN_ORDER = ("inside a ClusterQueue a preemptor is before its victims", "PO-ANY-320")

_SHARES = z3.ArraySort(z3.IntSort(), z3.IntSort())
_POINT, _MINE, _FROM = z3.Ints("any_queue preemptors_queue victims_queue")


def _shares(name: str) -> Any:
    return z3.Const(name, _SHARES)


def _falls(then: Any, now: Any, place: Any, point: Any) -> Any:
    """That shares fall from that of one ClusterQueue, as far as one point says."""
    level = then[place]
    return z3.And(now[place] < level, z3.Or(now[point] < level, now[point] <= then[point]))


@theorem(
    "PO-ANY-380",
    size="any number of ClusterQueues of one cohort, and of victims; one resource; any order of shares",
)
def in_a_flat_cohort_the_shares_fall_with_each_preemption_by_a_repair_and_never_come_back(
    function: Callable[..., Any] = basis_for,
) -> Iterator[Part]:
    """kueue#14543, each of its repairs and the guarded fill-back, cohorts without cohorts.

    The preemptor's ClusterQueue and each one that loses a workload to it end below the share that any of the
    latter had: so the shares fall, falling twice is falling, and no shares fall to themselves. There are
    finitely many states, so preemptions by shares alone come to an end, whatever the strategies, in whatever
    order. Today's search gives own victims back and exceeds what it compared: PO-KQ-447. A victim may still
    preempt its preemptor in the next step; that ends too.
    """
    for premise in (COMPARED, OWN_USAGE):
        modelled(*premise)
    yield from _compared(function)
    yield _preempted()
    yield from _for_good()


def _compared(function: Callable[..., Any]) -> Iterator[Part]:
    """That both sides end below what a victim's side had, whether compared in the end or at its turn."""
    for preset in preset_names():
        for words, known in (("in the end", _in_the_end), ("at its turn", _at_its_turn)):
            claim = Claim(reading_of(preset))
            *facts, goal = known(claim, function)
            yield Part(f"{words}, under {preset}", (*claim.facts, *facts), (("both end below", goal),))


def _judged(claim: Claim, function: Callable[..., Any]) -> Iterator[tuple[Basis, Any, Any]]:
    """Each strategy, how it finds that two shares compare, and on which basis it allows a target then."""
    preemptor, target, terms = two_workloads(claim)
    now, kin = claim.number("now"), claim.record("kin", Kin)
    claim.assume(terms.fair_sharing, negation(terms.hero), negation(is_own(target, terms)))
    for basis in (Basis.FINAL_SHARE, Basis.INITIAL_SHARE):
        fixed = {"basis": basis, "over_quota": True, "within_nominal": False}
        evidence = claim.record(f"evidence by {basis.name}", Evidence, fixed)
        found = claim.lift(function)(preemptor, target, evidence, terms, now, kin).value
        yield basis, evidence.share.term, found.term


def _in_the_end(claim: Claim, function: Callable[..., Any]) -> Iterator[Any]:
    """A victim that the check at the end allows, its side with it alone back against that without all."""
    kept, one = z3.Ints("kept_targets one_target")
    (mine, end, alone), at_first = heights_in_the_end(kept, one), z3.Real("at_first")
    for basis, share, found in _judged(claim, function):
        yield share == compared_in_order(mine, end if basis == Basis.FINAL_SHARE else alone)
        yield judged_by(one, basis, share) == found
    yield IN_THE_END.of(True, kept, one)
    # Within its nominal quota a ClusterQueue has the least share that there is.
    yield z3.And(z3.Not(runs_at_own_place(one)), z3.Implies(is_exempt(kept, one), mine <= end))
    yield z3.And(end < alone, alone <= at_first)
    yield z3.And(mine < at_first, end < at_first)


def _at_its_turn(claim: Claim, function: Callable[..., Any]) -> Iterator[Any]:
    """A victim allowed at its turn by a share that its preemptor's side does not exceed in the end."""
    one, *usages = z3.Ints("one_target counted then")
    (counted, after, before), within = (
        heights_at_its_turn(usages[0], usages[1], one),
        z3.Bool("within_nominal"),
    )
    mine, at_first, end = z3.Reals("mine at_first end")
    allowed = [z3.And(within, counted <= after)]
    for basis, share, found in _judged(claim, function):
        yield AT_ITS_TURN.of(share, basis, counted, after, before)
        allowed.append(found != int(Basis.NONE))
    yield z3.Or(allowed)
    yield z3.And(after < before, before <= at_first, mine <= counted, end < at_first)
    yield z3.And(mine < at_first, end < at_first)


def _ends(then: Any, now: Any, losing: Any, at: Any) -> Any:
    """Where a preemption leaves the share of one side: a victim has it, the preemptor, or none of them."""
    ends_below = z3.And(now[_MINE] < then[at], now[at] < then[at])
    other = z3.Implies(at != _MINE, now[at] == then[at])
    return z3.If(z3.And(losing[at], at != _MINE), ends_below, other)


def _preempted() -> Part:
    """What both ends say of all shares, from any ClusterQueue that loses a workload."""
    then, now, losing = _shares("shares_then"), _shares("shares_now"), z3.Const("losing", MEMBERS)
    known = (_ends(then, now, losing, at) for at in (_FROM, _POINT))
    facts = (losing[_FROM], _FROM != _MINE, *known)
    return Part("a preemption", facts, (("the shares fall", _falls(then, now, _FROM, _POINT)),))


def _for_good(
    moves: Callable[..., Any] = _falls, words: str = "fall", first: Callable[[Any, Any], Any] = operator.ge
) -> Iterator[Part]:
    """That moving one way twice is moving so, and that no shares move so to themselves.

    Args:
        moves: that shares fall, or rise, from that of one ClusterQueue.
        words: the same in a word.
        first: of two shares from which they move, whether the one counts rather than the other.
    """
    then, now, last = _shares("shares_then"), _shares("shares_now"), _shares("shares_last")
    later = z3.Int("later_queue")
    both = tuple(
        moves(some, other, by, at)
        for some, other, by in ((then, now, _FROM), (now, last, later))
        for at in (_POINT, _FROM, later)
    )
    place = z3.If(first(then[_FROM], now[later]), _FROM, later)
    yield Part("two steps", both, ((f"the shares {words}", moves(then, last, place, _POINT)),))
    back = z3.Not(moves(then, now, _FROM, _POINT))
    yield Part("the same shares", (then[_FROM] == now[_FROM],), ((f"they do not {words}", back),))


@theorem(
    "PO-ANY-382",
    size="any number of ClusterQueues without nominal quota in one cohort; one resource; any order of shares",
)
def with_the_final_share_alone_and_no_preemption_inside_queues_shares_rise_from_the_lowest(
    function: Callable[..., Any] = basis_by_share,
) -> Iterator[Part]:
    """kueue#14543, LessThanOrEqualToFinalShare alone, withinClusterQueue Never: no loop, whatever the repair.

    Today's search is covered: without own victims it compares the preemptor's share of the end, and of its
    victims' ClusterQueues none ends below what was compared. So the preemptor's ClusterQueue rises, and each
    one that loses a workload ends no lower than that: sorted from the lowest, the shares are a greater
    sequence. So they are after an admission without preemption. Rising twice is rising, and no shares rise to
    themselves. Not covered: a reclaim within nominal quota, which compares no shares.
    """
    for premise in (COMPARED, OWN_USAGE, GETS_IT):
        modelled(*premise)
    for preset in preset_names():
        claim = Claim(reading_of(preset))
        mine, after, end = (claim.number(name) for name in ("mine", "after", "end"))
        preemptor, target = claim.record("preemptor", Workload), claim.record("target", Workload)
        evidence = claim.record("evidence", Evidence, {"basis": Basis.FINAL_SHARE, "within_nominal": False})
        claim.assume(
            implies(mine < after, evidence.share == -1),
            implies(mine == after, evidence.share == 0),
            implies(mine > after, evidence.share == 1),
            after <= end,
        )
        basis = claim.lift(function)(preemptor, target, evidence, any_terms(claim)).value
        claim.assume(basis != Basis.NONE)
        claim.prove(mine <= end)
        yield Part(
            f"a victim, under {preset}", tuple(claim.facts), (("its side ends as high", every(claim.goals)),)
        )
    then, now, losing = _shares("shares_then"), _shares("shares_now"), z3.Const("losing", MEMBERS)
    lifted = z3.If(losing[_POINT], now[_POINT] >= now[_MINE], now[_POINT] == then[_POINT])
    facts = (now[_MINE] > then[_MINE], z3.Or(_POINT == _MINE, lifted))
    yield Part("an admission", facts, (("the shares rise", _rises(then, now, _MINE, _POINT)),))
    yield from _for_good(_rises, "rise", operator.le)


def _rises(then: Any, now: Any, place: Any, point: Any) -> Any:
    """That shares rise from that of one ClusterQueue, as far as one point says."""
    level = then[place]
    return z3.And(now[place] > level, z3.Or(now[point] > level, now[point] >= then[point]))


@theorem(
    "PO-ANY-385",
    size="any number of workloads and ClusterQueues of one cohort; one resource; any order of shares",
)
def while_no_admission_lifts_a_queue_to_where_a_preemption_brought_one_down_there_is_no_loop(
    function: Callable[..., Any] = basis_within_queue,
) -> Iterator[Part]:
    """kueue#14543, what ends the loops that its repairs leave: a ceiling until the next preemption by shares.

    The ceiling is the highest share of a ClusterQueue that lost a workload by shares, as it was before. Any
    other admission, with victims of its own ClusterQueue or without, keeps its ClusterQueue below the
    ceiling, or lifts it nowhere. Then the shares before one preemption by shares fall to those before the
    next one; and between two, what holds quota only gets better, as PO-ANY-340 says of the order inside
    ClusterQueues. Where an admission may lift to the ceiling itself a loop is left: scenario
    kueue-14543-at-the-ceiling.
    """
    for premise in (COMPARED, OWN_USAGE, GETS_IT, FALLS, OWN_ORDER, STAYS):
        modelled(*premise)
    then, now, next_ = _shares("shares_then"), _shares("shares_now"), _shares("shares_next")
    admitted = z3.Int("queue_of_the_admitted")

    def kept(at: Any) -> Any:
        ceiling = z3.Or(next_[at] < then[_FROM], next_[at] <= now[at])
        return z3.If(at == admitted, ceiling, next_[at] == now[at])

    known = [known for at in (_POINT, _FROM) for known in (_falls(then, now, _FROM, at), kept(at))]
    goal = ("the shares are still fallen", _falls(then, next_, _FROM, _POINT))
    yield Part("an admission below the ceiling", tuple(known), (goal,))
    yield from _for_good()
    yield from _own_steps(function)


def _own_steps(function: Callable[..., Any]) -> Iterator[Part]:
    """That an admission with own victims alone, or none, makes what holds quota better."""
    for preset in preset_names():
        claim = Claim(reading_of(preset))
        asked = two_workloads(claim)
        basis = claim.lift(function)(*asked, claim.number("now")).value
        before = is_before(claim, *asked)
        leaves = z3.Implies(LEAVES, (basis != Basis.NONE).term)
        known = (*claim.facts, leaves, z3.Implies(before.term, BEHIND))
        yield from better_by_a_turn(TurnResult.PREEMPTING, known, f" under {preset}")
    yield from never_back()


_LEVELS = z3.ArraySort(z3.IntSort(), _SHARES)
_LEVEL, _ANY_LEVEL = z3.Ints("level any_level")


def _falls_in_tree(then: Any, now: Any, level: Any, place: Any, at: tuple[Any, Any]) -> Any:
    """That shares fall at a level, and that no node above rises, as far as one node of one level says."""
    any_level, point = at
    above = z3.Implies(any_level < level, now[any_level][point] <= then[any_level][point])
    return z3.And(_falls(then[level], now[level], place, point), above)


def _preempted_in_tree() -> Part:
    """What both ends say beside the highest common cohort, where no cohort above it is lifted."""
    then, now = z3.Const("levels_then", _LEVELS), z3.Const("levels_now", _LEVELS)
    losing = z3.Const("losing", MEMBERS)
    known = (_ends(then[_LEVEL], now[_LEVEL], losing, at) for at in (_FROM, _POINT))
    not_above = z3.Implies(_ANY_LEVEL < _LEVEL, now[_ANY_LEVEL][_POINT] <= then[_ANY_LEVEL][_POINT])
    facts = (losing[_FROM], _FROM != _MINE, *known, not_above)
    goal = _falls_in_tree(then, now, _LEVEL, _FROM, (_ANY_LEVEL, _POINT))
    return Part("a preemption", facts, (("the shares fall", goal),))


@theorem("PO-ANY-387", size="trees of any depth and width; any order of shares beside each cohort")
def in_a_tree_the_shares_fall_where_no_preemption_lifts_a_cohort_above_the_common_one(
    function: Callable[..., Any] = basis_for,
) -> Iterator[Part]:
    """kueue#14543, trees of cohorts: the condition that Kueue's proof leaves open, and that no repair has.

    Levels count from the root. A preemption changes shares on the paths of both sides. Below the highest
    cohort that is the lowest common one with a victim they fall as in PO-ANY-380, and above it none rises
    if the request is at most what the victims free there. Falling twice is falling, at the higher of both
    levels, and no shares fall to themselves.
    """
    for premise in (COMPARED, OWN_USAGE, NOT_ABOVE):
        modelled(*premise)
    yield from _compared(function)
    yield _preempted_in_tree()
    then, now, last = (z3.Const(f"levels_{name}", _LEVELS) for name in ("then", "now", "last"))
    below, later = z3.Int("another_level"), z3.Int("later_victims_side")
    nodes = [(level, place) for level in (_LEVEL, below, _ANY_LEVEL) for place in (_POINT, _FROM, later)]
    both = [
        _falls_in_tree(some, other, level, by, at)
        for some, other, level, by in ((then, now, _LEVEL, _FROM), (now, last, below, later))
        for at in nodes
    ]
    level = z3.If(below >= _LEVEL, _LEVEL, below)
    first = z3.And(below == _LEVEL, then[_LEVEL][_FROM] >= now[_LEVEL][later])
    place = z3.If(z3.Or(below > _LEVEL, first), _FROM, later)
    goal = _falls_in_tree(then, last, level, place, (_ANY_LEVEL, _POINT))
    yield Part("two steps", tuple(both), (("the shares fall", goal),))
    alike = then[_LEVEL][_FROM] == now[_LEVEL][_FROM]
    same = z3.Not(_falls_in_tree(then, now, _LEVEL, _FROM, (_ANY_LEVEL, _POINT)))
    yield Part("the same shares", (alike,), (("they do not fall", same),))


@theorem(
    "PO-ANY-390", size="any number of workloads of one size; trees of any depth without limits; one resource"
)
def where_all_workloads_request_the_same_preemption_in_a_tree_ends(
    fits: Callable[..., Any] = fits_request,
    within: Callable[..., Any] = basis_within_queue,
) -> Iterator[Part]:
    """kueue#14543, workloads of one size, with today's search and with each repair, whatever is configured.

    One victim suffices, so no fill-back gives any back and a victim is compared with the shares of the end.
    The number of workloads that hold quota never falls, and rises with each admission without preemption:
    in a loop there is none. With it unchanged the shares fall with each preemption by shares and stay with
    each one inside a ClusterQueue, which makes what holds quota better.
    """
    for premise in (COMPARED, GETS_IT, FALLS_IN_TREE, OWN_ORDER, STAYS):
        modelled(*premise)
    claim = Claim(reading_of(preset_names()[0]))
    free, size = claim.number("free"), claim.number("size")
    claim.assume(free >= 0, size > 0)
    claim.prove(claim.lift(fits)(size, free + size, False, False).value)
    yield Part("one victim", tuple(claim.facts), (("it suffices", every(claim.goals)),))
    held, victims, admits = z3.Ints("held_quota victims admissions")
    leave = z3.And(admits == 1, victims >= 0, victims <= 1)
    then = held + admits - victims
    never = ("it never falls", then >= held)
    rises = ("it rises without a victim", z3.Implies(victims == 0, then > held))
    yield Part("how many hold quota", (leave,), (never, rises))
    usage, amount = z3.Ints("usage size")
    same = ("the usage stays", usage - amount + amount == usage)
    yield Part("inside a ClusterQueue", (amount > 0,), (same,))
    yield from _own_steps(within)
