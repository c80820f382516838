"""What a play need not look for: where `finds_no_target` says so, a search keeps no workload."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import z3

from tenure.oracle.classical import finds_no_target
from tenure.oracle.question import Question
from tenure.oracle.selection import remove_until_fits
from tenure.oracle.snapshot import Snapshot
from tenure_proofs.theorems.decision import seeing
from tenure_proofs.theorems.registry import BELIEVED, theorem
from tenure_proofs.theorems.selection import REMOVED, fits_in, taken, usage_of
from tenure_proofs.theorems.standins import only_of
from tenure_proofs.theorems.taken import given, modelled
from tenure_proofs.theorems.tree import IN_USE, PASSED
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.induction import Contract, Labelled, Lemma, Part, by_induction
from tenure_proofs.trusted.loops import Loop, State, Way
from tenure_proofs.trusted.procedures import Law, read_procedure
from tenure_proofs.trusted.symbols import SymBool, SymOptional, SymToken, as_term

IN_VAIN = "who runs elsewhere has no turn, or leaves a request that does not fit"
NONE = z3.Bool("finds_no_target")
COMPOSED = {
    "a search keeps a workload exactly if the request fits in its last attempt": "PO-ANY-250",
    "what leaves elsewhere changes nothing that is in use at the ClusterQueue": "PO-ANY-040",
    **dict.fromkeys((PASSED, IN_USE), "PO-ANY-045"),
    "candidates are what the ClusterQueue and the subtrees around it offer": BELIEVED,
}


@theorem("PO-ANY-370", size="any number of candidates, in any tree without heroes, without fair sharing")
def where_no_target_is_looked_for_a_search_would_keep_none(
    function: Callable[..., Any] = finds_no_target, loop: Callable[..., Any] = remove_until_fits
) -> Iterator[Part]:
    """Classical preemption: none is kept where `finds_no_target` says so, as plays and sessions rely on.

    It says so exactly where nominal quota alone is reclaimed, no subtree gives an advantage, and the
    ClusterQueue itself has no candidate. All candidates run elsewhere then, and after any number of them the
    request does not fit.
    """
    for words, by in COMPOSED.items():
        modelled(words, by)
    yield from _said(function)
    yield from _in_vain(loop)


def _said(function: Callable[..., Any]) -> Iterator[Part]:
    heroes, terms = z3.Bool("there are heroes"), SymToken(z3.Int("terms"))
    alone = z3.Function("nominal quota alone is reclaimed", z3.IntSort(), z3.BoolSort(), z3.BoolSort())
    advantage, own = z3.Bools("an_advantage a_candidate_of_its_own")
    snapshot = Made(Snapshot, {"heroes": SymOptional(SymBool(heroes), SymToken(z3.Int("heroes")))})
    question = Made(Question, {"terms": terms, "snapshot": snapshot})

    def of(way: Way) -> Labelled:
        none = z3.And(alone(terms.term, heroes), z3.Not(advantage), z3.Not(own))
        return [("exactly where none can be found", as_term(way.value, bool) == none)]

    yield from read_procedure(
        seeing(
            function,
            reclaims_nominal_quota_alone=Law(
                lambda _, asked, beside: SymBool(alone(asked.term, as_term(beside, bool)))
            ),
            _has_advantage_somewhere=only_of(SymBool(advantage), question),
            _has_own_candidate=only_of(SymBool(own), question),
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
        usage = usage_of(state["state"])
        leaves = REMOVED.takes["stands"](SymToken(usage), candidate).term
        fits = fits_in(taken(usage, candidate.term))
        return [given(IN_VAIN, "PO-KQ-395", z3.Implies(NONE, z3.Not(z3.And(leaves, fits))))]

    contract = Contract(
        lambda _, state, __: fails(state["state"]), lambda value, *_: fails(value), lemmas=in_vain
    )
    return by_induction(loop, contract)
