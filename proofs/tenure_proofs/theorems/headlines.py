"""The headline invariants of decisions: in the words of the obligations, a decision in the place of the door.

Where an obligation asks whether the door returns a target, here the last step of `tenure.oracle.decide` is
read with an arbitrary candidate, at an arbitrary place among any number of them, and the door inside it. So
nothing between the door and what a decision returns is left to prose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import z3

from tenure.model import Assignment
from tenure.oracle import decide
from tenure.oracle.door import take_target
from tenure.oracle.partial import Trial
from tenure.oracle.question import Candidate
from tenure.oracle.snapshot import Snapshot
from tenure.rules.hero_rank import kinship
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.registry import Verdict, reading_of
from tenure_proofs.theorems.decision import OUTCOMES, seeing
from tenure_proofs.theorems.registry import BELIEVED, theorem
from tenure_proofs.theorems.standins import token
from tenure_proofs.theorems.taken import modelled
from tenure_proofs.trusted.ast_lifter import Made
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.induction import Part
from tenure_proofs.trusted.loops import Given, Row, every, returned
from tenure_proofs.trusted.symbols import SymBool, SymToken

ABOUT = (decide._decided, decide._taken, decide._outcome, take_target)
SIZE = "every target of every decision, of any number of candidates, in any cluster"
KIN = {
    "what is above a node is what walking up from it meets": "PO-UCQ-010",
    "`kin_between` tells the truth about how the tree relates two ClusterQueues": BELIEVED,
}


class _Kin(Given):
    """How the tree relates the ClusterQueues of a preemptor and of a candidate, as an obligation has it."""

    def __call__(self, *_: Any) -> Any:
        return self.meaning()


@dataclass(frozen=True, slots=True)
class _Returned:
    """What stands for the door's answer.

    Args:
        defined: whether a decision returns, with a candidate among those that it keeps.
    """

    defined: SymBool


class _OfDecisions(Claim):
    """A claim in which a decision stands for the door."""

    decided: Callable[..., Any]

    def lift(self, function: Callable[..., Any]) -> Any:
        if function is kinship:
            for words, by in KIN.items():
                modelled(words, by)
        return partial(_returned, self.decided) if function is take_target else super().lift(function)


def _returned(
    function: Callable[..., Any], preemptor: Any, target: Any, evidence: Any, terms: Any, now: Any, kin: Any
) -> _Returned:
    """What must hold so that a decision returns with a candidate among its targets."""
    place = token("its place in the tree")
    candidate = Made(Candidate, {"workload": target, "evidence": evidence, "place": place})
    related = _Kin(3, SymToken, lambda: kin)
    taken = seeing(decide._taken, kin_between=related)
    outcome = seeing(decide._outcome, Outcome=OUTCOMES)
    fits, needs = SymBool(z3.Bool("fits")), SymBool(z3.Bool("needs preemption"))
    number, count = z3.Int("any candidate's number"), z3.Int("how many candidates")
    decision, needed = returned(
        seeing(function, _taken=taken, _outcome=outcome),
        snapshot=Made(Snapshot, {"heroes": token("heroes"), "place": token("own place")}),
        preemptor=preemptor,
        trial=Made(Trial, {"assignment": Made(Assignment, {"fits": fits, "needs_preemption": needs})}),
        kept=Row(lambda _: candidate, count),
        terms=terms,
        reading=token("reading"),
        now=now,
        trials=token("trials"),
    )
    decision.fields["targets"].at(number)
    return _Returned(SymBool(every([number >= 0, number < count, *needed])))


def _of_decisions(identifier: str, function: Callable[..., Any]) -> Iterator[Part]:
    """An obligation's statement about decisions, under every reading under which the obligation is proved."""
    obligation = OBLIGATIONS[identifier]
    for column, verdict in {**obligation.expect, **obligation.also}.items():
        if verdict == Verdict.PROVED:
            claim = _OfDecisions(reading_of(column))
            claim.decided = function
            obligation.state(claim)
            yield Part(f"under {column}", tuple(claim.facts), (("it holds", every(claim.goals)),))


@theorem("PO-ANY-210", about=ABOUT, size=SIZE)
def no_decision_preempts_an_equal_of_its_queue_before_min_admit_duration_has_passed(
    function: Callable[..., Any] = decide._decided,
) -> Iterator[Part]:
    """KEP-8522, Story 1: what PO-TBP-010 says of the door, of every target of a decision, as guaranteed."""
    return _of_decisions("PO-TBP-010", function)


@theorem("PO-ANY-220", about=ABOUT, size=SIZE)
def no_decision_preempts_a_heros_workload_but_for_a_hero_above_or_a_peer_of_higher_priority(
    function: Callable[..., Any] = decide._decided,
) -> Iterator[Part]:
    """KEP-8826, Goals, Hierarchical Protection: what PO-UCQ-100 says of the door, of every target."""
    return _of_decisions("PO-UCQ-100", function)


@theorem("PO-ANY-230", about=ABOUT, size=SIZE)
def no_decision_for_a_hero_preempts_outside_the_subtree_of_its_parent_cohort(
    function: Callable[..., Any] = decide._decided,
) -> Iterator[Part]:
    """KEP-8826, Goals, Subtree Containment: what PO-UCQ-110 says of the door, of every target."""
    return _of_decisions("PO-UCQ-110", function)


HEADLINES = {
    "PO-TBP-010": ("PO-ANY-210", "within a ClusterQueue", "any target of the door"),
    "PO-UCQ-100": ("PO-ANY-220", "across ClusterQueues, hero_scope=branch", "any target of the door"),
    "PO-UCQ-110": ("PO-ANY-230", "hero_scope=branch", "any target of the door"),
    "PO-DYN-010": ("PO-ANY-255", "without priority boost", "any workload"),
}
"""By headline invariant: the theorem about decisions, what both assume, and of what it is proved itself."""
