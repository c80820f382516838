"""Under fair sharing: which shares were compared for whom, with their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tenure.model import Ground
from tenure.oracle.decide import Decision
from tenure.oracle.fair import Round, Tournament, by_queue
from tenure.oracle.question import Candidate, Question
from tenure.oracle.selection import Chain
from tenure.oracle.shares import Shares
from tenure.oracle.tree import Node
from tenure.rules.share import Share, weighted_share
from tenure.telling.findings.question import question_of

Strategy = Literal["LessThanOrEqualToFinalShare", "LessThanInitialShare", ""]
STRATEGY_OF: Mapping[Ground, Strategy] = {
    Ground.FINAL_SHARE: "LessThanOrEqualToFinalShare",
    Ground.INITIAL_SHARE: "LessThanInitialShare",
}
"""The strategy that a ground belongs to."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The shares of the two sides when a workload of another queue had its turn.

    Args:
        strategy: by which strategy.
        own_side, other_side: the nodes below the common cohort, as `ClusterQueue ads`.
        preemptor: the share of the preemptor's side, the request included.
        target: the share of the target's side, after the removal for LessThanOrEqualToFinalShare, before it
            for LessThanInitialShare.
        compared: -1 where the preemptor's is lower, 0 where they are equal, 1 where it is higher.

    A share is in thousandths of what the cohort can lend, divided by the weight.
    """

    strategy: Strategy
    own_side: str
    other_side: str
    preemptor: Share
    target: Share
    compared: int

    @property
    def text(self) -> str:
        """The comparison in words."""
        moment = "after" if self.strategy == "LessThanOrEqualToFinalShare" else "before"
        relation = {-1: "lower", 0: "equal", 1: "higher"}[self.compared]
        return (
            f"share of {self.own_side} with the request {share_text(self.preemptor)}, "
            f"of {self.other_side} {moment} the removal {share_text(self.target)}: {relation}"
        )


@dataclass(frozen=True, slots=True)
class Turn:
    """One candidate's turn in the tournament.

    Args:
        candidate: who, with the evidence that was found.
        taken: whether it was removed.
        comparison: None for workloads of the own queue, and where nominal quota is claimed.
    """

    candidate: Candidate
    taken: bool
    comparison: Comparison | None


@dataclass(frozen=True, slots=True)
class Phase:
    """One strategy's part of the tournament.

    Args:
        second: whether it is the second strategy, used on those whom the first refused.
        turns: in order.
        end: the state after it.
    """

    second: bool
    turns: tuple[Turn, ...]
    end: Round


def comparisons(decision: Decision) -> Mapping[str, Comparison]:
    """The last comparison made for each workload, by name; empty without fair sharing."""
    if decision.selection is None or not decision.terms.fair_sharing:
        return {}
    return {
        turn.candidate.workload.key: turn.comparison
        for phase in phases(question_of(decision), decision.selection.candidates)
        for turn in phase.turns
        if turn.comparison is not None
    }


def phases(question: Question, candidates: tuple[Candidate, ...]) -> tuple[Phase, ...]:
    """The tournament played once more, turn by turn.

    Args:
        question: the search, under fair sharing.
        candidates: those that the search found, in order.
    """
    if not candidates:
        return ()
    snapshot = question.snapshot
    charged = question.charged()
    tournament = Tournament(question, charged)
    first = _play(question, tournament, Round(snapshot.usage, charged, by_queue(candidates)), second=False)
    if first.end.fits or len(tournament.strategies) == 1:
        return (first,)
    return (first, _play(question, tournament, first.end.started_again(), second=True))


def _play(question: Question, tournament: Tournament, state: Round, *, second: bool) -> Phase:
    turns: list[Turn] = []
    while not (state.fits or state.over):
        after = tournament.second_step(state) if second else tournament.first_step(state)
        turns += (
            Turn(each, taken=False, comparison=_compared(question, tournament, state, each))
            for each in _new(after.rejected, state.rejected)
        )
        turns += (
            Turn(each, taken=True, comparison=_compared(question, tournament, state, each))
            for each in _new(after.taken, state.taken)
        )
        state = after
    return Phase(second, tuple(turns), state)


def _new(after: Chain[Candidate] | None, before: Chain[Candidate] | None) -> list[Candidate]:
    fresh: list[Candidate] = []
    while after is not None and after is not before:
        fresh.append(after.head)
        after = after.rest
    return fresh[::-1]


def _compared(
    question: Question, tournament: Tournament, before: Round, candidate: Candidate
) -> Comparison | None:
    ground = candidate.evidence.ground
    if ground not in STRATEGY_OF:
        return None
    tree = question.snapshot.tree
    mine, theirs = tournament.beside_common(candidate.place)
    final = ground == Ground.FINAL_SHARE
    usage = question.without(before.charged, candidate) if final else before.charged
    shares = Shares(tree)
    return Comparison(
        strategy=STRATEGY_OF[ground],
        own_side=_named(tree.nodes[mine]),
        other_side=_named(tree.nodes[theirs]),
        preemptor=shares.of(before.charged, mine),
        target=shares.of(usage, theirs),
        compared=candidate.evidence.share,
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
