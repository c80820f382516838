"""Two runs compared: inputs in another order, and deciding again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import z3

from tenure.model import Basis, Evidence, FlavorMode, Kin, Workload
from tenure.oracle.selection import fill_back, fill_back_step
from tenure.oracle.tree import climb
from tenure.readings import preset_names
from tenure.rules.eligibility import basis_for
from tenure.rules.flavors import mode_without_search
from tenure.rules.quota import fits_request
from tenure_proofs.premises import any_terms
from tenure_proofs.registry import reading_of
from tenure_proofs.theorems.decision import said
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.theorems.selection import FILLED, LAST, kept_but_one, listed, usage_of
from tenure_proofs.theorems.tree import ADDED, BEFORE, POINTS, QUOTAS, in_a_consistent_tree, upwards
from tenure_proofs.trusted.ast_lifter import Made
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.induction import Contract, Labelled, Part, by_induction
from tenure_proofs.trusted.logic import equal_fields, implies
from tenure_proofs.trusted.loops import Cells, Loop, Row, every
from tenure_proofs.trusted.procedures import Law, noting_calls
from tenure_proofs.trusted.specified import GIVEN, Composed, Conclusion, Taken, there_is_one
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymToken


@theorem(
    "PO-ANY-600",
    about=(fill_back, fill_back_step),
    size="any number of candidates",
)
def filling_back_once_more_spares_no_workload(function: Callable[..., Any] = fill_back) -> Iterator[Part]:
    """Kueue main of August 2026: who is kept after filling back is kept by filling back again."""
    kept_at, many = (
        z3.Function("who is kept, from the last back", z3.IntSort(), z3.IntSort()),
        z3.Int("how many"),
    )
    filled = kept_but_one(LAST)
    given = filled.takes
    once = filled.value(*given.values()).fields
    usage, members = once["usage"].term, once["kept"].members
    loop = Loop(
        function,  # type: ignore[arg-type]  # a plain function, as `body_of` checks
        **{
            **given,
            "removed": Row(lambda place: SymToken(kept_at(place)), many, linked=True),
            "usage": once["usage"],
        },
    )

    def same(fold: Made) -> Labelled:
        spared = listed(fold.fields["spared"])
        return [("usage as it was", usage_of(fold) == usage), ("none is spared", z3.Not(spared.there))]

    def kept(place: Any) -> list[z3.BoolRef]:
        with noting_calls() as calls:
            kept_but_one(kept_at(place)).law()(*given.values())
        is_kept = z3.And(members[kept_at(place)], (kept_at(place) == LAST) == (place == 0))
        in_order = z3.Implies(z3.And(place >= 0, place < many), is_kept)
        return [*calls.known, Taken(in_order, "who is kept is filled back again, from the last back", GIVEN)]

    contract = Contract(
        lambda _, state, __: same(state["state"]),
        lambda value, *_: same(value),
        facts=(many >= 1, *(Taken(formula, words, GIVEN) for words, formula in filled.requires(given))),
        everywhere=kept,
        points=lambda point, steps, _: [point, steps + 1],
    )
    return by_induction(loop, contract)


@theorem(
    "PO-ANY-605",
    about=(fits_request, mode_without_search),
    size="one flavor-resource of a decision",
)
def once_the_targets_have_left_the_same_request_is_fit_without_preemption(
    fits: Callable[..., Any] = fits_request,
) -> Iterator[Part]:
    """Kueue main of August 2026: where a search ends, KQ-190 holds, and so KQ-520 says Fit.

    Whether the attempt let the ClusterQueue borrow does not matter, nor does what the mode were otherwise.
    """
    names = ("request", "potential", "nominal")
    request, potential, nominal = (SymInt(z3.Int(name)) for name in names)
    flags = {name: SymBool(z3.Bool(name)) for name in ("borrows", "may_borrow", "reaches")}
    free_beside = z3.Function("free beside what is in use", z3.IntSort(), z3.IntSort())

    def fitting(_: Any, usage: Any) -> SymBool:
        free = SymInt(free_beside(usage.term))
        borrows = {name: flags[name] for name in ("borrows", "may_borrow")}
        return SymBool(said(fits, request=request, free=free, **borrows))

    takes = FILLED.takes
    removed, ended = there_is_one(takes["removed"]), fitting(None, takes["usage"]).term
    calls = Composed(removed, ended, request.term > 0, request.term <= potential.term)
    filled = calls.call(FILLED, takes["removed"], takes["usage"], Law(fitting, (request.term,)), takes["add"])
    mode = said(
        mode_without_search,
        request=request,
        free=SymInt(free_beside(filled.fields["usage"].term)),
        potential=potential,
        nominal=nominal,
        reaches=flags["reaches"],
    )
    yield from calls.shows("decided again", [("it is Fit", mode == int(FlavorMode.FIT))])


ALIKE = Conclusion("PO-ANY-615", "two come in either order alike", lambda one, other: one == other)


@theorem("PO-ANY-615", about=(climb,), size="any path, any amounts below an unlimited one")
def what_two_workloads_hold_is_in_use_alike_in_whatever_order_they_came() -> Iterator[Part]:
    """By induction from the ClusterQueue up, of what PO-ANY-030 says of each of four changes.

    So a snapshot whose workloads are given in another order is the same.
    """
    first, second = (SymInt(z3.Int(name)) for name in ("first", "second"))
    calls = in_a_consistent_tree(ADDED, first, second)

    def added(before: Cells, amount: SymInt) -> Cells:
        then: Cells = calls.call(ADDED, QUOTAS, before, amount, True, points=POINTS)
        return then

    both, again = added(added(BEFORE, first), second), added(added(BEFORE, second), first)
    yield from upwards(calls, both, again, ALIKE)


@theorem("PO-ANY-630", size="any workloads, terms, evidence and instants, under every preset")
def whom_a_preemptor_may_preempt_one_of_higher_priority_may_preempt_too(
    rule: Callable[..., Any] = basis_for,
) -> Iterator[Part]:
    """KQ-300, of two preemptors that differ in nothing else. Of durations PO-TBP-150 says as much.

    Of whole decisions it does not hold: who is chosen among those that may be preempted is another question.
    """
    for column in preset_names():
        claim = Claim(reading_of(column))
        low, high, target = (claim.record(name, Workload) for name in ("low", "high", "target"))
        rest = (claim.record("evidence", Evidence), any_terms(claim), claim.number("now"))
        kin, basis = claim.record("kin", Kin), claim.lift(rule)
        claim.assume(equal_fields(low, high, "priority"), low.priority <= high.priority)
        may = [basis(who, target, *rest, kin).value != Basis.NONE for who in (low, high)]
        yield Part(
            f"under {column}",
            tuple(claim.facts),
            (("the higher may too", every([*claim.goals, implies(*may).term])),),
        )
