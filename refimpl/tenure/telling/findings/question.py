"""What an attempt to find targets leaves short."""

from __future__ import annotations

from tenure.model import Amount, FlavorResource
from tenure.oracle.decide import Decision, searched_request
from tenure.oracle.heroes.effective import tree_under
from tenure.oracle.question import Attempt
from tenure.oracle.reach import free_at
from tenure.oracle.tree import quota_at
from tenure.rules.quota import fits_quota
from tenure.units import format_amount


def still_short(decision: Decision, attempt: Attempt) -> dict[FlavorResource, Amount]:
    """By how much each flavor-resource of a request is short after an attempt; none where all fit.

    Args:
        decision: the decision.
        attempt: one of its attempts; without borrowing, what exceeds the nominal quota is short too.
    """
    snapshot, usage = decision.snapshot, attempt.usage
    tree, place = tree_under(usage, snapshot.tree), snapshot.place
    short: dict[FlavorResource, Amount] = {}
    for asked, amount in sorted(searched_request(decision.assignment).items()):
        free = max(0, free_at(snapshot, usage, asked))
        used, nominal = usage[place].get(asked, 0), quota_at(tree, place, asked).nominal
        missing = amount - free
        if not attempt.may_borrow and not fits_quota(used, amount, nominal):
            missing = max(missing, used + amount - nominal)
        if missing > 0:
            short[asked] = missing
    return short


def amounts_text(amounts: dict[FlavorResource, Amount]) -> str:
    """Amounts in words.

    >>> amounts_text({FlavorResource("a100", "nvidia.com/gpu"): 3, FlavorResource("a100", "cpu"): 1500})
    '3 nvidia.com/gpu on a100 and 1500m cpu on a100'
    """
    return " and ".join(
        f"{format_amount(at.resource, amount)} {at.resource} on {at.flavor}" for at, amount in amounts.items()
    )
