"""The search for targets behind a decision, put once more."""

from __future__ import annotations

from tenure.model import Amount, Assignment, FlavorResource
from tenure.oracle.decide import Decision, searched_request
from tenure.oracle.question import Question
from tenure.oracle.reach import free_at
from tenure.oracle.tree import Usage, quota_at
from tenure.rules.quota import fits_quota
from tenure.units import format_amount


def question_of(decision: Decision, assignment: Assignment | None = None) -> Question:
    """The search for targets of a decision.

    Args:
        decision: the decision.
        assignment: the flavors to make room for; None for those that were decided on.
    """
    given = decision.assignment if assignment is None else assignment
    return Question(
        snapshot=decision.snapshot,
        preemptor=decision.preemptor,
        needed=given.needs_preemption,
        request=searched_request(given),
        terms=decision.terms,
        now=decision.now,
    )


def still_short(question: Question, usage: Usage, *, may_borrow: bool) -> dict[FlavorResource, Amount]:
    """By how much each flavor-resource of a request is short beside what is in use; none where all fit.

    Args:
        question: the search.
        usage: what is in use.
        may_borrow: without borrowing, what exceeds the nominal quota is short too.
    """
    tree, place = question.tree_under(usage), question.snapshot.place
    short: dict[FlavorResource, Amount] = {}
    for asked, amount in sorted(question.request.items()):
        free = max(0, free_at(question.snapshot, usage, asked))
        used, nominal = usage[place].get(asked, 0), quota_at(tree, place, asked).nominal
        missing = amount - free
        if not may_borrow and not fits_quota(used, amount, nominal):
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
