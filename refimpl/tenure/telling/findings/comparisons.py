"""Under fair sharing: which shares were compared for whom, with their numbers."""

from __future__ import annotations

from collections.abc import Mapping

from tenure.model import Ground
from tenure.oracle.decide import Decision
from tenure.oracle.question import Turn
from tenure.oracle.tree import Node, Tree
from tenure.rules.share import Share, weighted_share


def comparisons(decision: Decision) -> Mapping[str, Turn]:
    """The turn at which shares were last compared for each workload, by name; empty without fair sharing."""
    attempts = () if decision.selection is None else decision.selection.attempts
    return {
        turn.candidate.workload.key: turn
        for attempt in attempts
        for turn in attempt.turns
        if turn.shares is not None
    }


def comparison_text(tree: Tree, turn: Turn) -> str:
    """The shares that were compared at a candidate's turn, in words.

    Args:
        tree: around the preemptor's ClusterQueue.
        turn: one at which shares were compared.
    """
    shares = turn.shares
    assert shares is not None
    moment = "after" if turn.candidate.evidence.ground == Ground.FINAL_SHARE else "before"
    relation = {-1: "lower", 0: "equal", 1: "higher"}[shares.compared]
    return (
        f"share of {_named(tree.nodes[shares.mine])} with the request {share_text(shares.preemptor)}, "
        f"of {_named(tree.nodes[shares.theirs])} {moment} the removal {share_text(shares.target)}: {relation}"
    )


def _named(node: Node) -> str:
    return f"{'ClusterQueue' if node.queue else 'Cohort'} {node.name}"


def share_text(share: Share) -> str:
    """A share as a number: thousandths of what the cohort can lend, divided by the weight.

    >>> share_text(Share(True, 500.0, 1.0)), share_text(Share(True, 1.0, 0.0))
    ('500', 'infinite (1 over weight 0)')
    >>> share_text(Share(True, 1e3, 3.0))
    '333.333 (1000 over weight 3)'
    """
    number = weighted_share(share)
    shown = "infinite" if number == float("inf") else _rounded(number)
    if share.weight == 1 or share.ratio == 0:
        return shown
    return f"{shown} ({_rounded(share.ratio)} over weight {_rounded(share.weight)})"


def _rounded(number: float) -> str:
    return f"{number:.3f}".rstrip("0").rstrip(".")
