"""What a play need not look for: where `finds_no_target` says so, a search keeps no workload."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import z3

from tenure.oracle import classical
from tenure.oracle.classical import finds_no_target
from tenure.oracle.question import OWN, Question
from tenure.oracle.selection import remove_until_fits
from tenure.oracle.snapshot import Snapshot
from tenure_proofs.theorems.decision import seeing
from tenure_proofs.theorems.exceeding import ADVANTAGES, OFFERED, QUESTION, SOMEWHERE, advantages, facts_of
from tenure_proofs.theorems.registry import BELIEVED, theorem
from tenure_proofs.theorems.selection import REMOVED, fits_in, taken, usage_of
from tenure_proofs.theorems.standins import BOOL, INT, only_of, truth_of
from tenure_proofs.theorems.taken import given, modelled
from tenure_proofs.theorems.tree import IN_USE, PASSED
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.induction import Contract, Labelled, Lemma, Part, by_induction
from tenure_proofs.trusted.loops import Loop, State, Way
from tenure_proofs.trusted.procedures import Law, noting_calls, read_procedure
from tenure_proofs.trusted.symbols import SymBool, SymOptional, SymToken, as_term

IN_VAIN = "who runs elsewhere has no turn, or leaves a request that does not fit"
LISTED = ("a candidate is one of the own ClusterQueue, or of one that is offered elsewhere", BELIEVED)
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
_runs_elsewhere = z3.Function("runs in another ClusterQueue", INT, BOOL)
_number = z3.Function("number of the offer of its ClusterQueue", INT, INT)


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
        elsewhere, number = _runs_elsewhere(one), _number(one)
        with noting_calls() as calls:
            offers = OFFERED.law(number)(QUESTION)
        offer = facts_of(SymToken(offers.term[number]))
        listed = z3.If(elsewhere, z3.And(number >= 0, number < offers.size), OF_ITS_OWN)
        no_advantage = z3.And(z3.Not(SOMEWHERE), z3.Not(truth_of(offer["advantage"])))
        leaves = truth_of(REMOVED.takes["stands"](SymToken(usage), candidate))
        helps = z3.And(leaves, fits_in(taken(usage, one)))
        of_another = z3.And(elsewhere, as_term(offer["group"], int) != OWN)
        in_vain = z3.Implies(z3.And(ALONE, no_advantage, of_another), z3.Not(helps))
        known = [Lemma(fact.words, z3.BoolVal(True), fact) for fact in calls.known]
        return [*known, given(*LISTED, listed), given(IN_VAIN, "PO-KQ-395", in_vain)]

    contract = Contract(
        lambda _, state, __: fails(state["state"]), lambda value, *_: fails(value), lemmas=in_vain
    )
    return by_induction(loop, contract)
