"""KEP-8826: the quota tree with the bills of heroes carried out. One flavor-resource, any number of nodes."""

from __future__ import annotations

from typing import Any

from tenure.model import Kin, NodeQuota, ReclaimWithinCohort
from tenure.oracle.door import take_target
from tenure.readings import HeroBilling, HeroLending
from tenure.rules.hero_billing import bill_of_workload, billed_usage, credit_of_hero, lendable, share_of_bill
from tenure.rules.hero_tree import (
    effective_nominal,
    effective_usage,
    fallen_lending_limit,
    unlocked,
    widened_borrowing_limit,
)
from tenure.rules.quota import is_within_quota, local_available, local_quota, quota_passed_up, usage_passed_up
from tenure_proofs.amounts import LARGE, ordinary
from tenure_proofs.defining import Cases, defines
from tenure_proofs.premises import any_question, is_own
from tenure_proofs.registry import REFUTED, everywhere, obligation, proved_under
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, choose, iff, implies, negation
from tenure_proofs.trusted.schemas import over_every_fold

AMOUNTS = ["KQ-100", "KQ-110"]


@obligation("PO-UCQ-500", rules=[*AMOUNTS, "UCQ-130", "UCQ-160"], expect=proved_under("guaranteed"))
def no_bill_makes_an_effective_quota_negative(claim: Claim) -> None:
    """KEP-8826, Implementation, the formula: two heroes, one above the other, each with its own subtree.

    As written (UCQ-150) each bills the node's whole quota again; otherwise the outer hero bills what the
    inner one has left, as PO-UCQ-335 says of any number of heroes.
    """
    nominal, inner, outer = claim.numbers("nominal", "inner", "outer")
    claim.assume(nominal >= 0, nominal <= 20, inner >= 0, inner <= 20, outer >= 0, outer <= 40)
    if claim.reading.hero_billing == HeroBilling.WHOLE:
        bill, rounding = claim.lift(bill_of_workload), claim.reading.accessible_rounding
        billed = (
            bill(inner, nominal, True, 20, rounding).value + bill(outer, nominal, True, 40, rounding).value
        )
    else:
        share, rounding = claim.lift(share_of_bill), claim.reading.accessible_rounding
        first = share(inner, nominal, 0, 20, rounding).value
        billed = first + share(outer, nominal - first, 0, 40, rounding).value
    claim.prove(claim.lift(effective_nominal)(nominal, billed, 0).value >= 0)


@defines("PO-UCQ-505", effective_nominal, where=ordinary)
def a_quota_falls_by_what_it_is_billed_and_rises_by_what_it_receives(
    nominal: Any, bill: Any, received: Any
) -> Any:
    """KEP-8826, Implementation, the formula for Accessible."""
    return nominal - bill + received


@obligation("PO-UCQ-510", rules=["KQ-110", "UCQ-100", "UCQ-140", "UCQ-170"])
def the_effective_usage_of_a_hero_is_at_least_what_it_does_not_bill_and_at_most_all(claim: Claim) -> None:
    """KEP-8826, Implementation: what others pay for is theirs to pay; never less than nothing."""
    usage, nominal, rest = claim.numbers("usage", "nominal", "rest")
    claim.assume(ordinary(usage, nominal, rest))
    billed, credit = claim.lift(billed_usage), claim.lift(credit_of_hero)
    counted = claim.lift(effective_usage)
    whole, excess = (
        counted(usage, credit(rest, billed(usage, nominal, choice).value).value).value
        for choice in (HeroBilling.WHOLE, HeroBilling.EXCESS)
    )
    claim.prove(
        whole >= 0,
        whole <= usage,
        excess <= usage,
        implies(usage <= nominal, excess == usage),
        implies(usage > nominal, excess >= nominal),
        implies(all_of(usage > nominal, rest >= usage - nominal), excess == nominal),
        implies(all_of(usage > nominal, rest < usage - nominal), excess == usage - rest),
    )


@obligation("PO-UCQ-520", rules=[*AMOUNTS, "UCQ-160", "UCQ-170"])
def bills_preserve_what_a_subtree_has_available(claim: Claim) -> None:
    """KEP-8826, Implementation: the remaining capacity is still there. By induction over the nodes.

    Quota less usage, summed up, with all bills and without, given that what is billed is what heroes are
    credited (PO-UCQ-360) or receive.
    """
    nominal, usage, bill, credit = claim.numbers("nominal", "usage", "bill", "credit")
    received, without, with_bills = claim.numbers("received", "without", "with_bills")
    billed, paid_back = claim.numbers("billed", "paid_back")
    claim.assume(ordinary(nominal, usage, bill, credit, received))
    quota = claim.lift(effective_nominal)(nominal, bill, received).value
    counted = claim.lift(effective_usage)(usage, credit).value
    now_without, now_with = without + nominal - usage, with_bills + quota - counted
    now_billed, now_paid = billed + bill, paid_back + credit + received
    over_every_fold(
        claim,
        before=[with_bills + billed == without + paid_back],
        after=[now_with + now_billed == now_without + now_paid],
        ends=[implies(now_billed == now_paid, now_with == now_without)],
    )


@defines(
    "PO-UCQ-530",
    widened_borrowing_limit,
    where=lambda limit, before, after: all_of(ordinary(limit.value, before), after >= -LARGE, after <= LARGE),
)
def a_node_within_its_borrowing_limit_stays_within_it(limit: Any, before: Any, after: Any) -> Cases:
    """KEP-8826, Implementation: never "rightfully running" and "completely outside of quota"."""
    return [
        (negation(limit.present), None),
        (all_of(limit.present, after <= before), before + limit.value - after),
        (all_of(limit.present, after > before), limit.value),
    ]


@defines("PO-UCQ-540", fallen_lending_limit, where=lambda limit, bill, _: ordinary(limit.value, bill))
def a_lending_limit_falls_by_the_bill_where_it_is_honoured_and_never_below_zero(
    limit: Any, bill: Any, lending: Any
) -> Cases:
    """KEP-8826, Goals, Bypass Limits: adhering to lending limits, the allowance for the first version."""
    honoured = all_of(limit.present, lending == HeroLending.HONOUR)
    return [
        (negation(limit.present), None),
        (all_of(limit.present, lending == HeroLending.IGNORE), limit.value),
        (all_of(honoured, bill <= limit.value), limit.value - bill),
        (all_of(honoured, bill > limit.value), 0),
    ]


@obligation("PO-UCQ-545", rules=["KQ-110", "KQ-120", "KQ-130", "UCQ-190", "UCQ-260"])
def where_limits_are_honoured_a_node_is_billed_and_lends_together_no_more_than_its_limit(
    claim: Claim,
) -> None:
    """KEP-8826, Goals, Bypass Limits: a lending limit counts what heroes use, and what others borrow."""
    quota, limit = claim.record("quota", NodeQuota), claim.optional_number("limit")
    subtree, bill, fallen = claim.numbers("subtree", "bill", "fallen")
    claim.assume(ordinary(subtree, limit.value, bill), limit.present)
    most = claim.lift(lendable)(subtree, limit, HeroLending.HONOUR).value
    after = claim.lift(fallen_lending_limit)(limit, bill, HeroLending.HONOUR)
    claim.assume(
        bill <= most,
        fallen == after.some,
        quota.subtree == subtree - bill,
        quota.local == claim.lift(local_quota)(subtree - bill, fallen).value,
    )
    claim.prove(after.is_set, bill + claim.lift(quota_passed_up)(quota).value <= limit.value)


@defines(
    "PO-UCQ-550",
    unlocked,
    where=lambda usage, quota, idle, allowance: all_of(
        ordinary(usage, quota, idle), allowance >= -LARGE, allowance <= LARGE
    ),
)
def a_lending_limit_rises_by_what_is_lacking_as_far_as_it_is_idle_and_heroes_use_it(
    usage: Any, quota: Any, idle: Any, allowance: Any
) -> Cases:
    """KEP-8826, Lending Limits: a hero can use what others keep idle; no other queue gains by it."""
    lacking = choose(usage - quota < idle, usage - quota, idle)
    rise = choose(lacking < allowance, lacking, allowance)
    return [(rise >= 0, rise), (rise < 0, 0)]


@obligation("PO-UCQ-560", rules=["KQ-110", "KQ-120", "KQ-130", "KQ-140", "KQ-150", "UCQ-200"])
def what_is_unlocked_reaches_the_root_of_the_subtree_and_no_usage_follows_it(claim: Claim) -> None:
    """KEP-8826, Lending Limits. At the node itself, and at a node above it, whose limit rises too.

    The node passes up so much more quota and no more usage, since it does not use what is unlocked.
    """
    quota, raised = claim.record("quota", NodeQuota), claim.record("raised", NodeQuota)
    limit, more, usage, lacking = claim.numbers("limit", "more", "usage", "lacking")
    allowance, short = claim.numbers("allowance", "short")
    claim.assume(ordinary(quota.subtree, limit, usage, lacking, short, allowance))
    local = claim.lift(local_quota)
    idle = claim.lift(local_available)(quota, usage).value
    rise = claim.lift(unlocked)(short, lacking, idle, allowance).value
    claim.assume(
        quota.local == local(quota.subtree, limit).value,
        raised.subtree == quota.subtree,
        raised.local == local(quota.subtree, limit + rise).value,
        more >= 0,
        more <= LARGE,
    )
    passed, used = claim.lift(quota_passed_up), claim.lift(usage_passed_up)
    claim.prove(
        passed(raised).value == passed(quota).value + rise,
        used(raised, usage).value == used(quota, usage).value,
        local(quota.subtree + more, limit + more).value == local(quota.subtree, limit).value,
    )


@obligation("PO-UCQ-580", rules=["KQ-300", "UCQ-340"])
def between_two_standard_queues_the_door_decides_as_kueue_does(claim: Claim) -> None:
    """KEP-8826, API: DefaultPreemptionRules is the standard behaviour, whatever heroes are around."""
    _, target, terms, asked = any_question(claim)
    other = claim.record("other", Kin)
    claim.assume(negation(terms.hero), negation(asked.kin.hero), negation(other.hero))
    door = claim.lift(take_target)
    one, another = door(*asked), door(*asked._replace(kin=other))
    claim.prove(
        iff(one.defined, another.defined),
        implies(one.defined, one.field("reason") == another.field("reason")),
        implies(
            all_of(
                terms.reclaim_within_cohort == ReclaimWithinCohort.ANY,
                negation(is_own(target, terms)),
                negation(terms.fair_sharing),
                negation(asked.evidence.over_quota),
            ),
            negation(one.defined),
        ),
    )


@obligation("PO-UCQ-590", rules=["KQ-110", "KQ-200", "KQ-300", "UCQ-160"], expect=everywhere(REFUTED))
def a_queue_within_its_nominal_quota_loses_no_workload_to_a_standard_queue(claim: Claim) -> None:
    """KEP-8826, Drawbacks: "Nominal quotas stop to be guaranteed": what is billed counts as borrowed."""
    _, target, terms, asked = any_question(claim)
    usage, nominal, bill = claim.numbers("usage", "nominal", "bill")
    claim.assume(ordinary(nominal, bill), bill <= nominal, usage >= 0, usage <= nominal)
    quota = claim.lift(effective_nominal)(nominal, bill, 0).value
    within = claim.lift(is_within_quota)(usage, quota).value
    claim.assume(
        negation(terms.hero),
        negation(asked.kin.hero),
        negation(is_own(target, terms)),
        iff(asked.evidence.over_quota, negation(within)),
    )
    claim.prove(negation(claim.lift(take_target)(*asked).defined))
