"""What `tenure analyze` stands on: the lemmas about every state of a configuration.

R: a state is made by admissions alone exactly where nothing less than zero is available at any node. D, less
usage leaves no less available, is PO-KQ-210 and PO-KQ-220. W2: what holds of every target of a search.
Slices: the other children of a node, taken together. Each is of one flavor-resource, any tree and any number
of workloads; several flavor-resources are as many claims, since no rule of quota reads two of them together.
"""

from __future__ import annotations

from typing import Any

from tenure.model import Basis, BorrowWithinCohort, Evidence, FlavorMode, NodeQuota, Workload
from tenure.rules.amounts import minus, plus
from tenure.rules.eligibility import basis_for
from tenure.rules.flavors import may_preempt_while_borrowing, mode_without_search
from tenure.rules.quota import (
    available,
    available_above,
    fits_quota,
    is_within_quota,
    local_available,
    potential_available,
    quota_passed_up,
    usage_passed_up,
)
from tenure.rules.share import basis_by_share, borrowed_amount, claims_nominal
from tenure_proofs.amounts import (
    HIGHEST,
    LARGE,
    bounded_node,
    node_of_a_tree,
    ordinary,
    ordinary_or_unlimited,
)
from tenure_proofs.obligations.quota_tree import AVAILABLE
from tenure_proofs.premises import any_question, any_terms, is_own
from tenure_proofs.registry import REFUTED, everywhere, obligation
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, any_of, iff, implies, is_set, negation, value_of
from tenure_proofs.trusted.schemas import along_every_path, over_every_sum

TWICE = 2 * LARGE


def _is_less_by(after: Any, before: Any, amount: Any) -> Any:
    """So much less, or both without end."""
    return any_of(after == before - amount, all_of(after == HIGHEST, before == HIGHEST))


def _free(claim: Claim, name: str) -> Any:
    """What is available at the node above, which may be less than nothing."""
    free = claim.number(name)
    claim.assume(any_of(all_of(free >= -TWICE, free <= LARGE), free == HIGHEST))
    return free


def _reaches_above(claim: Claim, quota: Any, usage: Any, amount: Any) -> Any:
    """How much of an amount that is added at a node is added at the node above."""
    passed = claim.lift(usage_passed_up)
    more = claim.lift(plus)(usage, amount).value
    return claim.lift(minus)(passed(quota, more).value, passed(quota, usage).value).value


# -- R ----------------------------------------------------------------------------------------------------


@obligation("PO-AN-010", rules=AVAILABLE)
def where_nothing_is_in_use_nothing_less_than_zero_is_available(claim: Claim) -> None:
    """Lemma R, the first state. By induction along a path."""
    quota, free = node_of_a_tree(claim), _free(claim, "free")
    left = claim.lift(available)
    along_every_path(
        claim,
        at_root=left(quota, 0, None).value >= 0,
        above=free >= 0,
        here=left(quota, 0, free).value >= 0,
    )


@obligation("PO-AN-020", rules=AVAILABLE)
def an_admission_takes_from_every_node_on_its_way_what_reaches_it(claim: Claim) -> None:
    """Lemma R, forth and back: of what is available at a node, exactly that. By induction along a path.

    So where more than that was available before, nothing less than zero is afterwards; and where nothing less
    is afterwards, as much was available before: every workload of a state can have been the last.
    """
    quota = node_of_a_tree(claim)
    usage, amount = claim.numbers("usage", "amount")
    before, after = _free(claim, "before"), _free(claim, "after")
    claim.assume(ordinary(usage, amount))
    left, more = claim.lift(available), claim.lift(plus)(usage, amount).value
    along_every_path(
        claim,
        at_root=_is_less_by(left(quota, more, None).value, left(quota, usage, None).value, amount),
        above=_is_less_by(after, before, _reaches_above(claim, quota, usage, amount)),
        here=_is_less_by(left(quota, more, after).value, left(quota, usage, before).value, amount),
    )


@obligation("PO-AN-030", rules=AVAILABLE)
def what_is_available_at_a_node_is_available_above_it_as_far_as_it_reaches(claim: Claim) -> None:
    """Lemma R: from a ClusterQueue up to the root, one node after the other."""
    quota, free = node_of_a_tree(claim), _free(claim, "free")
    usage, amount = claim.numbers("usage", "amount")
    claim.assume(ordinary(usage, amount), free >= 0)
    here = claim.lift(available)(quota, usage, free).value
    claim.prove(implies(amount <= here, _reaches_above(claim, quota, usage, amount) <= free))


@obligation("PO-AN-040", rules=AVAILABLE)
def a_node_beside_the_way_of_an_admission_keeps_what_is_its_own(claim: Claim) -> None:
    """Lemma R: less is available above it, but not less than zero; from the way down to every other node."""
    quota, usage = node_of_a_tree(claim), claim.number("usage")
    before, after = _free(claim, "before"), _free(claim, "after")
    claim.assume(ordinary(usage))
    left = claim.lift(available)
    claim.prove(
        implies(
            all_of(left(quota, usage, before).value >= 0, after >= 0), left(quota, usage, after).value >= 0
        )
    )


@obligation("PO-AN-050", rules=["KQ-160", *AVAILABLE])
def what_is_in_use_and_what_is_available_are_no_more_than_the_potential(claim: Claim) -> None:
    """Lemma R: so in every state of the scope usage is within the potential. By induction along a path.

    What a node passes up is part of what is in use above it.
    """
    quota, free = node_of_a_tree(claim), _free(claim, "free")
    usage, above, most = claim.numbers("usage", "above", "most")
    claim.assume(ordinary(usage, above), ordinary_or_unlimited(most))
    claim.assume(claim.lift(usage_passed_up)(quota, usage).value <= above)
    left, could = claim.lift(available), claim.lift(potential_available)

    def within(available_here: Any, used: Any, potential: Any) -> Any:
        return any_of(potential == HIGHEST, available_here + used <= potential)

    here, ever = left(quota, usage, free).value, could(quota, most).value
    along_every_path(
        claim,
        at_root=within(left(quota, usage, None).value, usage, could(quota, None).value),
        above=within(free, above, most),
        here=within(here, usage, ever),
    )
    claim.prove(implies(all_of(within(here, usage, ever), here >= 0), usage <= ever))


# -- W2 ---------------------------------------------------------------------------------------------------


@obligation("PO-AN-140", rules=["KQ-200", "KQ-410"], expect=everywhere(REFUTED))
def usage_at_the_turn_of_a_victim_says_all_that_usage_at_the_start_says(claim: Claim) -> None:
    """Lemma W as it was noted first, with one usage; Kueue asks once whether nominal quota is claimed."""
    start, turn, request, nominal = claim.numbers("start", "turn", "request", "nominal")
    gate = claim.flag("gate")
    claim.assume(ordinary(turn, start, request, nominal), turn <= start)
    within, claims = claim.lift(is_within_quota), claim.lift(claims_nominal)
    found = claims(within(start + request, nominal).value, gate).value
    again = claims(within(turn + request, nominal).value, gate).value
    claim.prove(iff(found, again))


# -- slices -----------------------------------------------------------------------------------------------


@obligation("PO-AN-210", rules=AVAILABLE)
def other_children_pass_up_together_at_most_what_they_lend_and_may_borrow(claim: Claim) -> None:
    """Slices, where each of them has a limit. By induction over the children of a cohort."""
    quota, free = node_of_a_tree(claim), _free(claim, "free")
    usage, used, lent, limits = claim.numbers("usage", "used", "lent", "limits")
    claim.assume(ordinary(usage, used), ordinary_or_unlimited(lent, limits), is_set(quota, "borrowing_limit"))
    claim.assume(claim.lift(available)(quota, usage, free).value >= 0)
    add = claim.lift(plus)
    over_every_sum(
        claim,
        lambda passed, lends, may: any_of(lends == HIGHEST, may == HIGHEST, passed <= lends + may),
        before=(used, lent, limits),
        after=(
            add(used, claim.lift(usage_passed_up)(quota, usage).value).value,
            add(lent, claim.lift(quota_passed_up)(quota).value).value,
            add(limits, value_of(quota, "borrowing_limit")).value,
        ),
    )


@obligation("PO-AN-220", rules=["KQ-160", *AVAILABLE])
def every_state_of_the_other_children_is_one_of_the_node_in_their_place(claim: Claim) -> None:
    """Slices: one amount of a node without local quota, in the bounds that PO-AN-050 and PO-AN-210 prove."""
    others, free = claim.record("others", NodeQuota, {"local": 0}), _free(claim, "free")
    usage, most = claim.numbers("usage", "most")
    limit = value_of(others, "borrowing_limit")
    claim.grant(implies(is_set(others, "borrowing_limit"), ordinary_or_unlimited(limit)))
    claim.assume(
        ordinary(usage),
        ordinary_or_unlimited(others.subtree, most),
        free >= 0,
        usage <= most,
        implies(is_set(others, "borrowing_limit"), usage <= others.subtree + limit),
    )
    claim.prove(
        claim.lift(usage_passed_up)(others, usage).value == usage,
        claim.lift(available)(others, usage, free).value >= 0,
        usage <= claim.lift(potential_available)(others, most).value,
    )


@obligation("PO-AN-230", rules=["KQ-110", "KQ-130", "KQ-140", "KQ-200"])
def a_node_within_its_quota_passes_up_at_most_what_it_lends(claim: Claim) -> None:
    """`reaches`: so a Cohort above its quota has a child that is above its own, down to a ClusterQueue."""
    quota, usage = bounded_node(claim), claim.number("usage")
    claim.assume(ordinary(usage), claim.lift(is_within_quota)(usage, quota.subtree).value)
    passed = claim.lift(usage_passed_up)(quota, usage).value
    claim.prove(passed <= claim.lift(quota_passed_up)(quota).value)


# -- analyze sanity ---------------------------------------------------------------------------------------


@obligation("PO-AN-310", rules=["KQ-160", "KQ-170"])
def a_limit_that_no_potential_reaches_is_never_what_bounds_a_request(claim: Claim) -> None:
    """`analyze sanity`, LimitNeverReached: neither of what is available nor of what ever could be."""
    quota, free = bounded_node(claim), claim.number("free")
    usage, above, most = claim.numbers("usage", "above", "most")
    limit = value_of(quota, "borrowing_limit")
    claim.assume(
        ordinary(usage, above, most),
        free >= -TWICE,
        is_set(quota, "borrowing_limit"),
        most <= quota.subtree - quota.local + limit,
        claim.lift(usage_passed_up)(quota, usage).value <= above,
        free + above <= most,
    )
    claim.prove(
        claim.lift(available_above)(quota, usage, free).value == free,
        claim.lift(potential_available)(quota, most).value == claim.lift(plus)(quota.local, most).value,
    )


@obligation("PO-AN-320", rules=["KQ-060", "KQ-110", "KQ-150", "KQ-520", "KQ-530"])
def without_quota_below_the_root_nothing_is_searched_for(claim: Claim) -> None:
    """`analyze sanity`, NeverPreempts: no such subtree fits a request, and all of it reaches the next."""
    quota, terms = bounded_node(claim), any_terms(claim)
    usage, request, free, potential = claim.numbers("usage", "request", "free", "potential")
    claim.assume(ordinary(usage, request), request > 0, quota.subtree == 0)
    claim.assume(terms.borrow_within_cohort == BorrowWithinCohort.NEVER, negation(terms.fair_sharing))
    reaches = claim.lift(may_preempt_while_borrowing)(terms).value
    fits = claim.lift(fits_quota)(usage, request, quota.subtree).value
    rest = claim.lift(minus)(request, claim.lift(local_available)(quota, usage).value).value
    mode = claim.lift(mode_without_search)(request, free, potential, quota.nominal, reaches).value
    claim.prove(negation(fits), rest == request, mode != FlavorMode.NO_CANDIDATES)


@obligation("PO-AN-330", rules=["KQ-010", "KQ-200", "KQ-300", "KQ-320", "KQ-330", "KQ-400", "KQ-470"])
def where_no_other_queue_can_borrow_none_of_their_workloads_is_preempted(claim: Claim) -> None:
    """`analyze sanity`, NothingToReclaim: usage is within the potential (PO-AN-050), which is the quota."""
    _, target, terms, asked = any_question(claim)
    usage, nominal, potential = claim.numbers("usage", "nominal", "potential")
    within = claim.lift(is_within_quota)(usage, nominal).value
    claim.assume(
        negation(is_own(target, terms)),
        negation(any_of(terms.hero, asked.kin.hero)),
        ordinary(usage, nominal),
        usage <= potential,
        potential <= nominal,
        iff(asked.evidence.over_quota, negation(within)),
    )
    claim.prove(
        claim.lift(basis_for)(*asked).value == Basis.NONE,
        claim.lift(borrowed_amount)(usage, nominal).value == 0,
    )


@obligation("PO-AN-340", rules=["KQ-010", "KQ-200", "KQ-330", "KQ-400", "KQ-410", "KQ-420", "KQ-430"])
def an_infinite_share_takes_from_no_finite_one(claim: Claim) -> None:
    """`analyze sanity`, ZeroWeightNeverTakes: a queue without quota is never within it with a request.

    That an infinite share compares as higher is KQ-450, which is in floating point and tested.
    """
    preemptor, target = claim.record("preemptor", Workload), claim.record("target", Workload)
    terms, evidence, gate = any_terms(claim), claim.record("evidence", Evidence), claim.flag("gate")
    usage, request = claim.numbers("usage", "request")
    claim.assume(ordinary(usage, request), request > 0, evidence.share == 1)
    within = claim.lift(is_within_quota)(usage + request, 0).value
    claim.assume(iff(evidence.within_nominal, claim.lift(claims_nominal)(within, gate).value))
    claim.prove(claim.lift(basis_by_share)(preemptor, target, evidence, terms).value == Basis.NONE)
