"""What a play need not look for: where `finds_no_target` says so, a search keeps no workload."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import z3

from tenure.model import Basis, WithinClusterQueue
from tenure.oracle import candidates, classical
from tenure.oracle.candidates import Offer
from tenure.oracle.classical import finds_no_target
from tenure.oracle.question import OWN, Question
from tenure.oracle.selection import remove_until_fits
from tenure.oracle.snapshot import Snapshot
from tenure.rules.terms import PreemptionTerms
from tenure_proofs.theorems.decision import handed, seeing
from tenure_proofs.theorems.exceeding import ADVANTAGES, OFFERED, QUESTION, SOMEWHERE, advantages, facts_of
from tenure_proofs.theorems.layout import TOKENS
from tenure_proofs.theorems.registry import PYTHON, theorem
from tenure_proofs.theorems.selection import REMOVED, fits_in, taken, usage_of
from tenure_proofs.theorems.standins import BOOL, INT, only_of, same, token, truth_of
from tenure_proofs.theorems.taken import everywhere, given, known, lemmas_of, modelled
from tenure_proofs.theorems.tree import IN_USE, PASSED
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.defined import Recursion
from tenure_proofs.trusted.induction import Contract, Labelled, Lemma, Part, by_induction
from tenure_proofs.trusted.loops import Grown, Loop, Row, State, Way
from tenure_proofs.trusted.procedures import POINT, Invariant, Law, noting_calls, read_procedure
from tenure_proofs.trusted.specified import GIVEN, Conclusion, Taken
from tenure_proofs.trusted.symbols import SymBool, SymEnum, SymInt, SymOptional, SymToken, as_term

IN_VAIN = "who runs elsewhere has no turn, or leaves a request that does not fit"
COMPOSED = {
    "a search keeps a workload exactly if the request fits in its last attempt": "PO-ANY-250",
    "what leaves elsewhere changes nothing that is in use at the ClusterQueue": "PO-ANY-040",
    **dict.fromkeys((PASSED, IN_USE), "PO-ANY-045"),
}
TERMS, HEROES = SymToken(z3.Int("terms")), z3.Bool("there are heroes")
_alone = z3.Function("nominal quota alone is reclaimed", INT, BOOL, BOOL)
ALONE, OF_ITS_OWN = _alone(TERMS.term, HEROES), z3.Bool("a_candidate_of_its_own")
NONE = z3.And(ALONE, z3.Not(SOMEWHERE), z3.Not(OF_ITS_OWN))
"""Where `finds_no_target` says so."""
_number = z3.Function("number of the offer of its ClusterQueue", INT, INT)
_many = z3.Function("how many are offered by an offer", INT, INT)
_sorted = z3.Function("where it was before it was sorted", INT, INT)
OFFERS, OF_OWN, OTHERS = z3.Ints("offers offers_of_its_own offers_elsewhere")
IN_ALL = Recursion(
    z3.Function("how many are offered by the first", INT, INT),
    "how many are offered by the first offers",
    lambda: 0,
    lambda at, before: before + z3.If(_many(at) > 0, _many(at), 0),
)
NOTHING = "where nothing is offered of its own, no offer of it has one"
BY = "PO-ANY-368"
SORTED = ("what is sorted is what was there, in another order", PYTHON)
AMONG = Conclusion(
    BY,
    "each candidate is offered by one of the offers",
    lambda inside, offer, many: z3.Implies(inside, z3.And(offer >= 0, offer < many, _many(offer) > 0)),
)
OF_BOTH = Conclusion(
    BY,
    "the own ClusterQueue is offered first, and then those elsewhere",
    lambda many: many == OF_OWN + OTHERS,
)
SEEN = Conclusion(
    BY,
    "none is offered of the own ClusterQueue where no candidate is seen in it",
    lambda offer, found: z3.Implies(z3.And(offer >= 0, offer < OF_OWN, _many(offer) > 0), found),
)
LISTED = Conclusion(
    BY,
    "a candidate is one of the own ClusterQueue, or of one that is offered elsewhere",
    lambda offer, own, elsewhere, seen: z3.If(offer < own, z3.And(offer >= 0, seen), offer - own < elsewhere),
)
"""Of an offer's number, of how many there are of its own and elsewhere, and of whether its own has one."""


def _offering(_: State, question: Value, offer: Value) -> Row:
    """The candidates that an offer has, each by the offer's number."""
    handed((question, QUESTION))
    return Row(lambda _: SymToken(offer.term), _many(offer.term))


def _is_in(found: Any, at: Any) -> z3.BoolRef:
    return z3.And(at >= 0, at < found.size)


@theorem(BY, size="any number of candidates and ClusterQueues")
def each_candidate_is_of_a_queue_that_is_offered_and_has_what_is_known_of_it(
    among: Callable[..., Any] = candidates.candidates_among,
    offered_by: Callable[..., Any] = candidates._offered_by,
    own_offers: Callable[..., Any] = candidates.own_offers,
    candidate: Callable[..., Any] = candidates._candidate,
    all_of: Callable[..., Any] = classical._candidates,
    offers: Callable[..., Any] = classical._offers,
    seen: Callable[..., Any] = classical._has_own_candidate,
) -> Iterator[Part]:
    """Kueue main of August 2026, classical preemption: the candidates are those of all that is offered.

    What is known of an offer is known of its candidates. An offer is its number among all of them, and a
    candidate the number of the offer that has it; those of the own ClusterQueue come first. Candidates
    that were listed before are outside.
    """
    yield from _listed(among, offered_by, candidate)
    yield from _of_its_own(own_offers, seen)
    own, elsewhere = (z3.Const(name, TOKENS) for name in ("own offers", "other offers"))

    def joined(found: Value, point: Any, others: Any) -> Labelled:
        of_own, of_others = z3.And(point >= 0, point < OF_OWN), z3.And(point >= OF_OWN, point < found.size)
        return [
            ("as many", found.size == OF_OWN + others),
            ("the own first", z3.Implies(of_own, found.term[point] == own[point])),
            ("then the others", z3.Implies(of_others, found.term[point] == elsewhere[point - OF_OWN])),
        ]

    laws = {
        "own_offers": only_of(Grown(own, OF_OWN), QUESTION),
        "_offers_elsewhere": only_of(Row(lambda at: SymToken(elsewhere[at]), OTHERS), QUESTION),
    }
    loop = Invariant(lambda steps, _, here, point: joined(here["offers"], point, steps))
    yield from read_procedure(
        seeing(offers, **laws),
        {"question": QUESTION},
        lambda way: [*joined(way.value, POINT, OTHERS), OF_BOTH.goal(way.value.size)],
        facts=(OF_OWN >= 0, OTHERS >= 0),
        loops=(loop,),
    )
    whole, found = token("all offers"), token("all candidates")
    laws = {"_offers": only_of(whole, QUESTION), "candidates_among": only_of(found, QUESTION, whole)}
    yield from read_procedure(
        seeing(all_of, **laws),
        {"question": QUESTION},
        lambda way: [("of all offers", same(way.value, found))],
    )
    one = z3.Int("offer of a candidate")
    shown = (AMONG.of(z3.BoolVal(True), one, OFFERS), OF_BOTH.of(OFFERS), SEEN.of(one, OF_ITS_OWN))
    yield Part("all of them", shown, (LISTED.goal(one, OF_OWN, OTHERS, OF_ITS_OWN),))


def _listed(among: Any, offered_by: Any, candidate: Any) -> Iterator[Part]:
    """That each candidate is one of an offer's, with what is known of that."""
    offers = Row(SymToken, OFFERS)

    def holds(found: Any, point: Any, before: Any, own: Any = None) -> Labelled:
        many, more = (before, 0) if own is None else (before + 1, own)
        in_all = z3.And(found.size >= 0, found.size == IN_ALL.function(before) + more)
        return [("none is left out", in_all), AMONG.goal(_is_in(found, point), found.term[point], many)]

    def inside(steps: Any, _: State, here: State, point: Any) -> Labelled:
        return holds(here["found"], point, as_term(here["#0"], int), steps)

    yield from read_procedure(
        seeing(offered_by, offered=Law(_offering)),
        {"question": QUESTION, "offers": offers},
        lambda way: holds(way.value, POINT, OFFERS),
        facts=(OFFERS >= 0, IN_ALL.at(z3.IntVal(0))),
        loops=(
            Invariant(
                lambda steps, _, here, point: holds(here["found"], point, steps),
                lambda *_: [POINT],
                lambda _, here: [IN_ALL.at(as_term(here["#0"], int))],
            ),
            Invariant(inside),
        ),
    )
    all_of = Grown(z3.Const("candidates of all offers", TOKENS), z3.Int("how many candidates"))
    those = Row(lambda at: SymToken(all_of.term[at]), all_of.size)

    def listing(_: State, question: Value, by: Value) -> Row:
        handed((question, question_of), (by, offers))
        known(AMONG.of(_is_in(all_of, _sorted(POINT)), all_of.term[_sorted(POINT)], OFFERS))
        return those

    def in_order(_: State, question: Value, found: Value) -> Row:
        handed((question, question_of), (found, those))
        before = z3.Implies(_is_in(all_of, POINT), _is_in(all_of, _sorted(POINT)))
        known(Taken(before, *SORTED))
        return Row(lambda at: those.at(_sorted(at)), those.size)

    question_of = Made(Question, {**QUESTION.fields, "listing": None})
    yield from read_procedure(
        seeing(among, _offered_by=Law(listing), in_order=Law(in_order)),
        {"question": question_of, "offers": offers},
        lambda way: [AMONG.goal(_is_in(way.value, POINT), way.value.at(POINT).term, OFFERS)],
    )
    numbers = {name: SymInt(z3.Int(f"{name} of the offer")) for name in ("place", "group", "common")}
    flags = {name: SymBool(z3.Bool(f"{name}?")) for name in ("over_quota", "advantage", "by_share")}
    offer, workload = Made(Offer, {**numbers, **flags, "kin": token("kin")}), token("workload")

    def of(way: Way) -> Labelled:
        fields, evidence = way.value.fields, way.value.fields["evidence"].fields
        basis = z3.If(flags["by_share"].term, int(Basis.NONE), z3.Int("basis"))
        names = (*numbers, "kin")
        return [
            ("who it is", same(fields["workload"], workload)),
            *((f"its {name}", same(fields[name], offer.fields[name])) for name in names),
            *((name, same(evidence[name], flags[name])) for name in ("over_quota", "advantage")),
            ("its basis, unless shares decide", as_term(evidence["basis"], Basis) == basis),
        ]

    given = {"workload": workload, "basis": SymEnum(Basis, z3.Int("basis")), "offer": offer}
    yield from read_procedure(candidate, given, of)


def _of_its_own(own_offers: Any, seen: Any) -> Iterator[Part]:
    """Which offer the own ClusterQueue is, and whether a candidate is seen in it."""
    policy, own = SymEnum(WithinClusterQueue, z3.Int("policy")), z3.Function("the own offer", INT, INT, INT)
    never = policy.term == int(WithinClusterQueue.NEVER)
    terms = Made(PreemptionTerms, {"within_cluster_queue": policy})
    question = Made(Question, {**QUESTION.fields, "terms": terms})
    place = QUESTION.fields["snapshot"].fields["place"].term

    def one(way: Way) -> Labelled:
        its_own = z3.Or(never, way.value.term[0] == own(place, OWN))
        return [("one, unless none is preempted", way.value.size == z3.If(never, 0, 1)), ("its own", its_own)]

    made = Law(lambda _, place, group: SymToken(own(as_term(place, int), as_term(group, int))))
    yield from read_procedure(seeing(own_offers, Offer=made), {"question": question}, one)

    empty = z3.Bool("nothing is offered of its own")

    def nothing(_: Any, here: State) -> z3.BoolRef:
        return z3.Implies(empty, _many(as_term(here["#0"], int)) <= 0)

    def none(steps: Any, _: State, __: State, point: Any) -> Labelled:
        return [("none so far", z3.Implies(z3.And(point >= 0, point < steps), _many(point) <= 0))]

    yield from read_procedure(
        seeing(seen, own_offers=only_of(Row(SymToken, OF_OWN), QUESTION), offered=Law(_offering)),
        {"question": QUESTION},
        lambda way: [
            SEEN.goal(POINT, as_term(way.value, bool)),
            ("none is seen of nothing", z3.Implies(empty, z3.Not(as_term(way.value, bool)))),
        ],
        facts=(OF_OWN >= 0,),
        loops=(
            Invariant(none, everywhere=everywhere((NOTHING, GIVEN, nothing))),
            Invariant(lambda steps, *_: [("none", steps == 0)]),
        ),
    )


@theorem(
    "PO-ANY-370",
    size="any number of candidates, in any tree without heroes, without fair sharing",
)
def where_no_target_is_looked_for_a_search_would_keep_none(
    function: Callable[..., Any] = finds_no_target,
    loop: Callable[..., Any] = remove_until_fits,
    advantage: Callable[..., Any] = classical._has_advantage_somewhere,
) -> Iterator[Part]:
    """Classical preemption: none is kept where `finds_no_target` says so, as plays and sessions rely on.

    It says so exactly where nominal quota alone is reclaimed, no subtree gives an advantage, and the
    ClusterQueue itself has no candidate. All candidates run elsewhere then, in ClusterQueues that are offered
    without an advantage, and after any number of them the request does not fit.
    """
    for words, by in COMPOSED.items():
        modelled(words, by)
    yield from _said(function)
    somewhere = Law(lambda _, values: SymBool(SOMEWHERE if values is ADVANTAGES else z3.Bool("of others")))
    yield from read_procedure(
        seeing(advantage, advantages_around=Law(advantages), any=somewhere),
        {"question": QUESTION},
        lambda way: [("one in a subtree around", as_term(way.value, bool) == SOMEWHERE)],
    )
    yield from _in_vain(loop)


def _said(function: Callable[..., Any]) -> Iterator[Part]:
    snapshot = Made(Snapshot, {"heroes": SymOptional(SymBool(HEROES), SymToken(z3.Int("heroes")))})
    question = Made(Question, {"terms": TERMS, "snapshot": snapshot})

    def of(way: Way) -> Labelled:
        return [("exactly where none can be found", as_term(way.value, bool) == NONE)]

    yield from read_procedure(
        seeing(
            function,
            reclaims_nominal_quota_alone=Law(
                lambda _, asked, beside: SymBool(_alone(asked.term, as_term(beside, bool)))
            ),
            _has_advantage_somewhere=only_of(SymBool(SOMEWHERE), question),
            _has_own_candidate=only_of(SymBool(OF_ITS_OWN), question),
        ),
        {"question": question},
        of,
    )


def _in_vain(function: Callable[..., Any]) -> Iterator[Part]:
    loop = Loop(
        function,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
        **REMOVED.takes,
    )

    def fails(fold: Value) -> Labelled:
        return [("it does not fit", z3.Implies(NONE, z3.Not(as_term(fold.fields["fits"], bool))))]

    def in_vain(state: State, candidate: Value) -> list[Lemma]:
        usage, one = usage_of(state["state"]), candidate.term
        number = _number(one) - OF_OWN
        elsewhere = number >= 0
        with noting_calls() as calls:
            offers = OFFERED.law(number)(QUESTION)
        offer = facts_of(SymToken(offers.term[number]))
        listed = LISTED.of(_number(one), OF_OWN, offers.size, OF_ITS_OWN)
        no_advantage = z3.And(z3.Not(SOMEWHERE), z3.Not(truth_of(offer["advantage"])))
        leaves = truth_of(REMOVED.takes["stands"](SymToken(usage), candidate))
        helps = z3.And(leaves, fits_in(taken(usage, one)))
        of_another = z3.And(elsewhere, as_term(offer["group"], int) != OWN)
        in_vain = z3.Implies(z3.And(ALONE, no_advantage, of_another), z3.Not(helps))
        return [*lemmas_of(*calls.known, listed), given(IN_VAIN, "PO-KQ-395", in_vain)]

    contract = Contract(
        lambda _, state, __: fails(state["state"]), lambda value, *_: fails(value), lemmas=in_vain
    )
    return by_induction(loop, contract)
