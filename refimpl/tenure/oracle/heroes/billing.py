"""Billing one flavor-resource: a fold over the branches, the deepest first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from tenure.model import Amount, FlavorResource
from tenure.oracle.heroes.column import Column
from tenure.oracle.heroes.held import Held
from tenure.oracle.heroes.plan import Branch, HeroPlan
from tenure.readings import AccessibleRounding, HeroBilling
from tenure.rules.hero_billing import (
    bill_of_cohort,
    bill_of_workload,
    billed_usage,
    credit_of_hero,
    left_to_bill,
    lendable,
    share_of_bill,
)
from tenure.rules.hero_tree import (
    effective_nominal,
    effective_usage,
    fallen_lending_limit,
    unlocked,
    widened_borrowing_limit,
)

Shares: TypeAlias = Mapping[int, Amount]
"""What each node of a branch is billed, by place."""

Frozen: TypeAlias = Mapping[tuple[int, FlavorResource], Shares]
"""Bills that stay as they were, by the root of their branch and flavor-resource."""


def bill_branch(
    plan: HeroPlan,
    branch: Branch,
    held: Held,
    flavor_resource: FlavorResource,
    column: Column,
    frozen: Frozen,
) -> Shares:
    """Bill the nodes of one branch for its heroes; one step of the fold, which changes the column.

    Args:
        plan: the heroes of the tree.
        branch: whose turn it is.
        held: what runs.
        flavor_resource: the flavor-resource.
        column: as deeper branches left it.
        frozen: the bills that are not made again.

    Returns:
        what each node is billed; nothing where no node is.

    Source: KEP-8826, Implementation.
    """
    whole = plan.reading.hero_billing == HeroBilling.WHOLE
    kept = frozen.get((branch.root, flavor_resource))
    if whole:
        shares = _whole_shares(plan, branch, held, flavor_resource)
    elif kept is not None:
        shares = kept
    else:
        shares = _excess_shares(plan, branch, held, flavor_resource, column)
    if not any(shares.values()):
        return {}
    limited = [
        place for place in branch.nodes if place != branch.root and column.borrowing[place] is not None
    ]
    before = column.quotas() if limited else []
    _take_quota(plan, branch, column, shares)
    if whole:
        _move_to_heroes(plan, branch, held, flavor_resource, column)
    else:
        _credit_heroes(plan, branch, held, flavor_resource, column, sum(shares.values()))
    after = column.quotas() if limited else []
    for place in limited:
        column.borrowing[place] = widened_borrowing_limit(
            column.borrowing[place], before[place].subtree, after[place].subtree
        )
    return shares


def unlock_branch(
    plan: HeroPlan, branch: Branch, held: Held, flavor_resource: FlavorResource, column: Column
) -> None:
    """Raise the lending limits of one branch, as far as its heroes use what is kept behind them.

    Args:
        plan: the heroes of the tree.
        branch: whose turn it is.
        held: what runs.
        flavor_resource: the flavor-resource.
        column: as all bills left it; its limits rise.

    Source: KEP-8826, Lending Limits.
    """
    if all(column.lending[place] is None for place in branch.nodes if place != branch.root):
        return
    allowance = sum(held.used(place, flavor_resource) for place in branch.nodes if place in plan.branch_of)
    quotas = column.quotas()
    usage = column.usage(quotas)
    for place in branch.nodes:
        if place == branch.root:
            continue
        rise = unlocked(
            usage[branch.root],
            quotas[branch.root].subtree,
            column.idle(quotas, usage, place),
            allowance,
        )
        if rise == 0:
            continue
        allowance -= rise
        for index in plan.tree.nodes[place].path:
            if index == branch.root:
                break
            limit = column.lending[index]
            column.lending[index] = None if limit is None else limit + rise
        quotas = column.quotas()
        usage = column.usage(quotas)


def counted_on(
    plan: HeroPlan, branch: Branch, amounts: Mapping[int, Amount], lending: list[Amount | None]
) -> dict[int, Amount]:
    """How much of amounts at the nodes of a branch may be counted on, where lending limits are honoured.

    Args:
        plan: the heroes of the tree.
        branch: the branch.
        amounts: by place.
        lending: the lending limit of every node of the tree.
    """
    made = dict(amounts)
    nodes, choice = plan.tree.nodes, plan.reading.hero_lending
    for place in reversed(branch.nodes):  # children come after their parents
        if place == branch.root:
            continue
        if nodes[place].queue is not None:
            made[place] = lendable(made[place], lending[place], choice)
            continue
        below = [index for index in branch.nodes if place in nodes[index].path]
        total = sum(made[index] for index in below)
        allowed = lendable(total, lending[place], choice)
        if allowed < total:
            made.update(_shared(allowed, {index: made[index] for index in below}))
    return made


def _shared(
    bill: Amount, weights: Mapping[int, Amount], rounding: AccessibleRounding = AccessibleRounding.CUMULATIVE
) -> dict[int, Amount]:
    total, before = sum(weights.values()), 0
    shares: dict[int, Amount] = {}
    for place, weight in weights.items():
        shares[place] = share_of_bill(bill, weight, before, total, rounding)
        before += weight
    return shares


def _excess_shares(
    plan: HeroPlan, branch: Branch, held: Held, flavor_resource: FlavorResource, column: Column
) -> Shares:
    bills = sum(amount for _, amount in _billed_usage(plan, branch, held, flavor_resource))
    if bills == 0:
        return {}
    nodes = plan.tree.nodes
    left: dict[int, Amount] = {}
    for place in branch.nodes:
        quota = nodes[place].quotas.get(flavor_resource)
        nominal = 0 if quota is None else quota.nominal
        hero = place in plan.branch_of
        left[place] = left_to_bill(nominal, held.used(place, flavor_resource), hero, column.bill[place])
    weights = counted_on(plan, branch, left, column.lending)
    return _shared(bill_of_cohort(bills, sum(weights.values())), weights, plan.reading.accessible_rounding)


def _whole_weights(plan: HeroPlan, branch: Branch, flavor_resource: FlavorResource) -> dict[int, Amount]:
    nodes = plan.tree.nodes
    nominal: dict[int, Amount] = {}
    for place in branch.nodes:
        quota = nodes[place].quotas.get(flavor_resource)
        nominal[place] = 0 if quota is None or nodes[place].queue is None else quota.nominal
    return counted_on(plan, branch, nominal, [node.lends.get(flavor_resource) for node in nodes])


def _whole_shares(plan: HeroPlan, branch: Branch, held: Held, flavor_resource: FlavorResource) -> Shares:
    rounding = plan.reading.accessible_rounding
    counts = [(amount, count) for _, amount, count in _counts(branch, held, flavor_resource)]
    if not counts:
        return {}
    weights = _whole_weights(plan, branch, flavor_resource)
    if rounding == AccessibleRounding.CUMULATIVE:
        return _shared(
            sum(amount for _, amount in _billed_usage(plan, branch, held, flavor_resource)), weights
        )
    total = sum(weights.values())
    return {
        place: sum(_workload_bill(plan, place, amount, weight, total) * count for amount, count in counts)
        for place, weight in weights.items()
    }


def _workload_bill(plan: HeroPlan, place: int, amount: Amount, weight: Amount, total: Amount) -> Amount:
    is_queue = plan.tree.nodes[place].queue is not None
    return bill_of_workload(amount, weight, is_queue, total, plan.reading.accessible_rounding)


def _billed_usage(
    plan: HeroPlan, branch: Branch, held: Held, flavor_resource: FlavorResource
) -> Iterator[tuple[int, Amount]]:
    for place in branch.heroes:
        quota = plan.tree.nodes[place].quotas.get(flavor_resource)
        nominal = 0 if quota is None else quota.nominal
        yield place, billed_usage(held.used(place, flavor_resource), nominal, plan.reading.hero_billing)


def _counts(branch: Branch, held: Held, flavor_resource: FlavorResource) -> Iterator[tuple[int, Amount, int]]:
    """How many workloads of a hero hold an amount, of every hero and amount."""
    for place in branch.heroes:
        for amount, count in held.counts.get(place, {}).get(flavor_resource, {}).items():
            if amount and count:
                yield place, amount, count


def _take_quota(plan: HeroPlan, branch: Branch, column: Column, shares: Shares) -> None:
    for place, share in shares.items():
        column.bill[place] += share
        column.nominal[place] = effective_nominal(column.nominal[place], share, 0)
    nodes, choice = plan.tree.nodes, plan.reading.hero_lending
    for place in branch.nodes:
        if place != branch.root and column.lending[place] is not None:
            below = sum(share for index, share in shares.items() if place in nodes[index].path)
            column.lending[place] = fallen_lending_limit(column.lending[place], below, choice)


def _credit_heroes(
    plan: HeroPlan, branch: Branch, held: Held, flavor_resource: FlavorResource, column: Column, bill: Amount
) -> None:
    rest = bill
    for place, amount in _billed_usage(plan, branch, held, flavor_resource):
        credit = credit_of_hero(rest, amount)
        rest -= credit
        column.credit[place] += credit
        column.used[place] = effective_usage(column.used[place], credit)


def _move_to_heroes(
    plan: HeroPlan, branch: Branch, held: Held, flavor_resource: FlavorResource, column: Column
) -> None:
    weights = _whole_weights(plan, branch, flavor_resource)
    total = sum(weights.values())
    for hero, amount, count in _counts(branch, held, flavor_resource):
        if plan.reading.accessible_rounding == AccessibleRounding.CUMULATIVE:
            received = amount if total else 0
        else:
            received = sum(
                _workload_bill(plan, place, amount, weight, total) for place, weight in weights.items()
            )
        for _ in range(count):
            column.nominal[hero] = effective_nominal(column.nominal[hero], 0, received)
