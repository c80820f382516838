"""What makes a share: the resource borrowed most, on which flavors, and what the cohort can lend of it."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.explanation.other_queues import kind_and_name, share_text
from tenure.explanation.shortages import amount
from tenure.model import Amount, Basis, FlavorResource
from tenure.oracle.decide import Decision, question_about, searched_request
from tenure.oracle.heroes.effective import charged_usage, tree_under
from tenure.oracle.question import Attempt
from tenure.oracle.shares import SharesOf, lendable_at
from tenure.oracle.tree import Tree, Usage
from tenure.rules.share import borrowed_amount, borrowed_ratio
from tenure.units import format_amount


def share_lines(decision: Decision) -> Iterator[tuple[str, ...]]:
    """For each attempt to find targets, the parts of the shares that it compared first at each node.

    Args:
        decision: any; without fair sharing no share is compared.
    """
    attempts = decision.attempts
    snapshot, request = decision.snapshot, searched_request(decision.assignment)
    charged = charged_usage(snapshot.tree, snapshot.usage, snapshot.place, request)
    for attempt in attempts:
        lines: dict[int, str] = {}
        for place, used in _compared(decision, attempt, charged):
            if place not in lines:
                lines[place] = _parts(decision, used, place)
        yield tuple(filter(None, lines.values()))
        charged = _after(decision, attempt, charged)


def _compared(decision: Decision, attempt: Attempt, charged: Usage) -> Iterator[tuple[int, Usage]]:
    """The places whose shares an attempt compares, each with the usage of which it is the share."""
    question = question_about(decision)
    for turn in attempt.turns:
        left = question.without(charged, turn.candidate)
        if turn.shares is not None:
            yield turn.shares.mine, charged
            after = turn.candidate.evidence.basis == Basis.FINAL_SHARE
            yield turn.shares.theirs, left if after else charged
        if turn.removed:
            charged = left


def _after(decision: Decision, attempt: Attempt, charged: Usage) -> Usage:
    question = question_about(decision)
    for candidate in attempt.removed:
        charged = question.without(charged, candidate)
    return charged


def _parts(decision: Decision, usage: Usage, place: int) -> str:
    """A share with what makes it; empty for a node that borrows nothing."""
    tree = tree_under(usage, decision.snapshot.tree)
    node = tree.nodes[place]
    borrowed = _borrowed(tree, usage, place)
    if node.parent is None or not borrowed:
        return ""
    lendable = lendable_at(tree, node.parent)
    totals: dict[str, Amount] = {}
    for at, number in borrowed.items():
        totals[at.resource] = totals.get(at.resource, 0) + number
    resource = max(totals, key=lambda name: (borrowed_ratio(totals[name], lendable.get(name, 0)), name))
    flavors = {at.flavor: number for at, number in borrowed.items() if at.resource == resource}
    where = ", ".join(f"{format_amount(resource, number)} on {flavor}" for flavor, number in flavors.items())
    can_lend = amount(FlavorResource("", resource), lendable.get(resource, 0))
    needed = {at.flavor for at in decision.assignment.needs_preemption if at.resource == resource}
    together = "; a share adds up all flavors of a resource" if {*flavors} - needed else ""
    return (
        f"share {share_text(SharesOf(tree).of(usage, place))} of {kind_and_name(node)}: "
        f"it borrows {format_amount(resource, totals[resource])} {resource} ({where}) of the {can_lend} that "
        f"{kind_and_name(tree.nodes[node.parent])} can lend{together}"
    )


def _borrowed(tree: Tree, usage: Usage, place: int) -> dict[FlavorResource, Amount]:
    used = usage[place]
    beyond = {
        at: borrowed_amount(used.get(at, 0), quota.subtree) for at, quota in tree.nodes[place].quotas.items()
    }
    return {at: number for at, number in sorted(beyond.items()) if number}
