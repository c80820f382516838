"""KEP-8826: what a hero's usage is billed to whom. One flavor-resource; any number of nodes and heroes.

A bill is shared by a fold over the nodes of a subtree, with the sum of the weights so far; heroes are
credited by a fold over their names; the bills of a node add up over the cohorts above it that have heroes.
What a claim says of the whole is proved by induction over one of these, whose step is the lifted rule.
"""

from __future__ import annotations

from typing import Any

from tenure.readings import AccessibleRounding, HeroBilling, HeroLending
from tenure.rules.hero_billing import (
    bill_of_cohort,
    bill_of_workload,
    billed_usage,
    credit_of_hero,
    left_to_bill,
    lendable,
    share_of_bill,
)
from tenure_proofs.amounts import ordinary
from tenure_proofs.defining import Cases, defines
from tenure_proofs.registry import obligation, proved_under
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import all_of, choose, implies, negation, quotient
from tenure_proofs.trusted.schemas import one_after_the_other, over_every_fold


def _bill(claim: Claim) -> tuple[Any, Any, Any, Any]:
    """A bill of at most the sum of all weights, some weights so far, and one more."""
    bill, weight, before, total = claim.numbers("bill", "weight", "before", "total")
    claim.assume(bill >= 0, weight >= 0, before >= 0, before + weight <= total, bill <= total)
    return bill, weight, before, total


def _rounded_down(claim: Claim, name: str, amount: Any, total: Any) -> tuple[Any, Any]:
    """A quotient by a name of its own, and what the quotient is: a lemma."""
    rounded = claim.number(name)
    claim.assume(rounded == quotient(amount, total))
    return rounded, all_of(total * rounded <= amount, amount < total * rounded + total)


@obligation("PO-UCQ-300", rules=["UCQ-130"])
def a_share_by_sums_is_never_below_zero_nor_above_what_can_be_billed(claim: Claim) -> None:
    """KEP-8826, Implementation: billed proportionally; what is left of a quota is never below zero."""
    bill, weight, before, total = _bill(claim)
    claim.assume(total > 0)
    share = claim.lift(share_of_bill)(bill, weight, before, total, AccessibleRounding.CUMULATIVE).value
    paid, due, over, under = claim.numbers("paid", "due", "over", "under")
    first, first_is = _rounded_down(claim, "first", paid, total)
    second, second_is = _rounded_down(claim, "second", paid + due, total)
    claim.assume(
        paid == bill * before,
        due == bill * weight,
        over == second - first - weight - 1,
        under == second - first + 1,
    )
    one_after_the_other(
        claim,
        all_of(due >= 0, due <= total * weight),
        all_of(first_is, second_is),
        all_of(total * over < 0, total * under > 0),
        all_of(over < 0, under > 0),
    )
    claim.prove(share == second - first)
    claim.prove(
        implies(all_of(over < 0, under > 0, share == second - first), all_of(share <= weight, share >= 0))
    )


@obligation("PO-UCQ-301", rules=["UCQ-130"])
def a_share_rounded_down_alone_or_exact_is_never_below_zero_nor_above_what_can_be_billed(
    claim: Claim,
) -> None:
    """KEP-8826, Implementation: billed proportionally; exact shares count parts of a unit."""
    bill, weight, before, total = _bill(claim)
    claim.assume(total > 0)
    share = claim.lift(share_of_bill)
    floor, exact = (
        share(bill, weight, before, total, rounding).value
        for rounding in (AccessibleRounding.FLOOR, AccessibleRounding.EXACT)
    )
    alone, alone_is = _rounded_down(claim, "alone", bill * weight, total)
    one_after_the_other(
        claim,
        all_of(bill * weight >= 0, bill * weight <= total * weight),
        all_of(exact >= 0, exact <= total * weight),
        alone_is,
        floor == alone,
        all_of(total * (alone - weight) <= 0, total * alone > -total),
        all_of(floor <= weight, floor >= 0),
    )


def _share(bill: Any, weight: Any, before: Any, total: Any, rounding: Any) -> list[tuple[Any, Any]]:
    """A share in proportion to a weight, as each reading rounds it."""
    sums = quotient(bill * (before + weight), total) - quotient(bill * before, total)
    return [
        (all_of(total > 0, rounding == AccessibleRounding.EXACT), bill * weight),
        (all_of(total > 0, rounding == AccessibleRounding.FLOOR), quotient(bill * weight, total)),
        (all_of(total > 0, rounding == AccessibleRounding.CUMULATIVE), sums),
        (total <= 0, 0),
    ]


@defines("PO-UCQ-305", share_of_bill)
def a_share_is_in_proportion_and_is_zero_where_nothing_can_be_billed(
    bill: Any, weight: Any, before: Any, total: Any, rounding: Any
) -> Cases:
    """KEP-8826, Implementation: the formula divides by a sum that may be zero; each reading rounds it."""
    return _share(bill, weight, before, total, rounding)


@obligation("PO-UCQ-310", rules=["UCQ-130"])
def shares_by_their_sums_add_up_to_the_bill_and_so_do_exact_ones(claim: Claim) -> None:
    """KEP-8826, Implementation: what a hero uses is billed, all of it. By induction over the nodes."""
    bill, weight, before, total = _bill(claim)
    claim.assume(total > 0)
    shared, counted = claim.numbers("shared", "counted")
    share = claim.lift(share_of_bill)
    cumulative, exact = (
        share(bill, weight, before, total, rounding).value
        for rounding in (AccessibleRounding.CUMULATIVE, AccessibleRounding.EXACT)
    )
    last = before + weight == total
    over_every_fold(
        claim,
        before=[shared == quotient(bill * before, total), counted == bill * before],
        after=[
            shared + cumulative == quotient(bill * (before + weight), total),
            counted + exact == bill * (before + weight),
        ],
        ends=[implies(last, all_of(shared + cumulative == bill, counted + exact == bill * total))],
    )


@obligation("PO-UCQ-315", rules=["UCQ-130"], expect=proved_under("guaranteed"))
def the_shares_of_three_equal_nodes_add_up_to_the_bill(claim: Claim) -> None:
    """KEP-8826, Implementation: shares that are rounded down each leave something that no queue pays."""
    bill = claim.number("bill")
    claim.assume(bill >= 0, bill <= 30)
    share = claim.lift(share_of_bill)
    one, other, third = (
        share(bill, 10, before, 30, claim.reading.accessible_rounding).value for before in (0, 10, 20)
    )
    claim.prove(one + other + third == bill)


@obligation("PO-UCQ-320", rules=["UCQ-130"])
def rounding_each_share_down_loses_less_than_one_for_each_node(claim: Claim) -> None:
    """KEP-8826, Implementation: what no queue pays for. By induction over the nodes.

    In parts of a unit, as many as the weights sum up to, at most one less than a unit is lost at each node.
    """
    bill, weight, before, total = _bill(claim)
    claim.assume(total > 0)
    shared, nodes = claim.numbers("shared", "nodes")
    share = claim.lift(share_of_bill)(bill, weight, before, total, AccessibleRounding.FLOOR).value
    alone, alone_is = _rounded_down(claim, "alone", bill * weight, total)
    lost = bill * before - total * shared
    more = bill * before + bill * weight - total * shared - total * alone
    claim.assume(nodes >= 0)
    one_after_the_other(claim, alone_is, share == alone)
    over_every_fold(
        claim,
        before=[alone_is, lost >= 0, lost <= nodes * total - nodes],
        after=[more >= 0, more <= nodes * total - nodes + total - 1],
    )
    everything = bill * total - total * shared
    one_after_the_other(
        claim,
        implies(all_of(nodes >= 1, everything <= nodes * total - nodes), everything < nodes * total),
        implies(everything < nodes * total, total * (bill - shared - nodes) < 0),
        implies(total * (bill - shared - nodes) < 0, bill - shared < nodes),
    )


@obligation("PO-UCQ-325", rules=["UCQ-130"], expect=proved_under("as-written", "released"))
def a_larger_bill_is_no_smaller_for_any_of_five_equal_nodes(claim: Claim) -> None:
    """KEP-8826, Implementation: sums that are rounded down move a unit from node to node."""
    less, more, before = claim.numbers("less", "more", "before")
    claim.assume(less >= 0, less <= more, more <= 50, before >= 0, before <= 40)
    share = claim.lift(share_of_bill)
    rounding = claim.reading.accessible_rounding
    claim.prove(share(less, 10, before, 50, rounding).value <= share(more, 10, before, 50, rounding).value)


@defines("PO-UCQ-330", left_to_bill, where=lambda nominal, usage, _, billed: ordinary(nominal, usage, billed))
def what_a_node_can_be_billed_is_what_it_has_and_a_hero_does_not_use(
    nominal: Any, usage: Any, hero: Any, billed: Any
) -> Cases:
    """KEP-8826, Implementation: over the nominal quotas; a hero that is within its own pays with the rest."""
    own = choose(hero, nominal - usage, nominal)
    return [(billed <= own, own - billed), (billed > own, 0)]


@obligation("PO-UCQ-335", rules=["KQ-110", "UCQ-110", "UCQ-120"])
def all_that_a_node_is_ever_billed_is_at_most_its_quota(claim: Claim) -> None:
    """KEP-8826, Implementation: accessible is what is left. By induction over the cohorts that have heroes.

    Of the bill of each its share is between nothing and what it can be billed (PO-UCQ-300), given that the
    bill is at most what all can be billed together.
    """
    nominal, usage, billed = (claim.number(name) for name in ("nominal", "usage", "billed"))
    hero, used, others = claim.flag("hero"), claim.number("used"), claim.number("others")
    claim.assume(ordinary(nominal, usage, used, others))
    left = claim.lift(left_to_bill)(nominal, usage, hero, billed).value
    bill = claim.lift(bill_of_cohort)(used, left + others).value
    share = claim.number("share")
    claim.assume(share >= 0, share <= left)
    claim.prove(bill >= 0, bill <= left + others, bill <= used)
    over_every_fold(
        claim,
        before=[billed >= 0, billed <= nominal],
        after=[billed + share >= 0, billed + share <= nominal],
        ends=[implies(all_of(hero, usage + billed <= nominal), usage + billed + share <= nominal)],
    )


@defines("PO-UCQ-340", bill_of_cohort)
def heroes_are_billed_to_others_in_full_unless_these_have_less_left(used: Any, left: Any) -> Cases:
    """KEP-8826, Implementation: billed, all of it, as far as there is quota to bill."""
    return [(used <= left, used), (used > left, left)]


@defines("PO-UCQ-345", billed_usage, where=lambda usage, nominal, _: ordinary(usage, nominal))
def a_hero_bills_its_excess_or_all_of_its_usage(usage: Any, nominal: Any, choice: Any) -> Cases:
    """KEP-8826, Implementation, the formula: Workload[k] is all of it; its other reading, the excess."""
    return [
        (choice == HeroBilling.WHOLE, usage),
        (all_of(choice == HeroBilling.EXCESS, usage <= nominal), 0),
        (all_of(choice == HeroBilling.EXCESS, usage > nominal), usage - nominal),
    ]


@obligation("PO-UCQ-350", rules=["KQ-110", "UCQ-100"], expect=proved_under("guaranteed"))
def a_hero_within_its_own_quota_bills_no_other_queue(claim: Claim) -> None:
    """KEP-8826, Implementation: under the formula as it stands it is, as if it used the others' quota."""
    usage, nominal = claim.numbers("usage", "nominal")
    claim.assume(ordinary(usage, nominal), usage <= nominal)
    claim.prove(claim.lift(billed_usage)(usage, nominal, claim.reading.hero_billing).value == 0)


@obligation("PO-UCQ-360", rules=["UCQ-120", "UCQ-140"])
def heroes_are_credited_all_that_was_billed_and_none_more_than_it_bills(claim: Claim) -> None:
    """KEP-8826, Implementation: what is paid for leaves with the quota. By induction over the heroes."""
    bill, rest, credited, mine, others = claim.numbers("bill", "rest", "credited", "mine", "others")
    left = claim.number("left")
    claim.assume(ordinary(mine, others, left), mine >= 0)
    credit = claim.lift(credit_of_hero)(rest, mine).value
    first = claim.lift(bill_of_cohort)(mine + others, left).value
    claim.prove(first <= mine + others, first >= 0)
    over_every_fold(
        claim,
        before=[credited + rest == bill, rest >= 0, rest <= mine + others],
        after=[
            credited + credit + rest - credit == bill,
            credit >= 0,
            credit <= mine,
            rest - credit >= 0,
            rest - credit <= others,
        ],
        ends=[
            implies(others == 0, credited + credit == bill),
            implies(rest >= mine, credit == mine),
            implies(rest < mine, credit == rest),
        ],
    )


@defines("PO-UCQ-370", bill_of_workload)
def a_workload_is_billed_to_queues_in_proportion_and_to_cohorts_not_at_all(
    amount: Any, weight: Any, is_queue: Any, total: Any, rounding: Any
) -> Cases:
    """KEP-8826, Implementation, the formula: Sum(Workload[k] * Nominal/Total), of all CQs in the subtree."""
    shares = _share(amount, weight, 0, total, rounding)
    return [(negation(is_queue), 0), *((all_of(is_queue, case), share) for case, share in shares)]


@defines("PO-UCQ-380", lendable)
def a_hero_may_use_all_there_is_or_what_may_be_lent_of_it(amount: Any, limit: Any, lending: Any) -> Cases:
    """KEP-8826, Goals, Bypass Limits; Lending Limits: ignored, or honoured for the first version."""
    limited = all_of(lending == HeroLending.HONOUR, limit.present, limit.value <= amount)
    return [(limited, limit.value), (negation(limited), amount)]
