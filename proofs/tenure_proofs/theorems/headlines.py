"""The headline invariants of decisions: in the words of the obligations, a decision in the place of the door.

Where an obligation asks whether the door returns a target, here the last step of `tenure.oracle.decide` is
read with an arbitrary candidate, at an arbitrary place among any number of them, and the door inside it. So
nothing between the door and what a decision returns is left to prose.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import z3

from tenure.model import Assignment, Kin
from tenure.oracle import decide
from tenure.oracle.door import take_target
from tenure.oracle.heroes import plan
from tenure.oracle.partial import Trial
from tenure.oracle.question import Candidate
from tenure.oracle.snapshot import Snapshot
from tenure.oracle.tree import Node, Tree
from tenure.rules.hero_rank import kinship
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.registry import Verdict, reading_of
from tenure_proofs.theorems.decision import OUTCOMES, seeing
from tenure_proofs.theorems.layout import ON_PATH
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.theorems.standins import BOOL, INT, token, truth_of
from tenure_proofs.theorems.taken import modelled
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.claim import Claim, Lifted, Lifting
from tenure_proofs.trusted.induction import Part
from tenure_proofs.trusted.loops import Given, Row, State, every, returned
from tenure_proofs.trusted.procedures import Held, Law, Table, read_procedure
from tenure_proofs.trusted.specified import GIVEN, Conclusion, Taken
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymToken, as_term

ABOUT = (decide._decided, decide._taken, decide._outcome, take_target)
SIZE = "every target that no PreemptionConfig selects, of any number of candidates, in any cluster"
WALKS = ("what is above a node is what walking up from it meets", "PO-UCQ-010")
KINSHIP = ("hero", "in_scope", "above", "peer")
"""What UCQ-060 says of two ClusterQueues."""


def _is_as_said(found: Mapping[str, Value], said: Mapping[str, Value]) -> z3.BoolRef:
    return every([truth_of(found[name]) == truth_of(said[name]) for name in KINSHIP])


RELATED = Conclusion("PO-ANY-205", "two ClusterQueues are related as UCQ-060 says of the tree", _is_as_said)
NO_QUEUE = ("no ClusterQueue is above a node", GIVEN)


_CONTAINS = z3.Function("a cohort is on the path of another", INT, INT, BOOL)
_PARENT, _SCOPE = z3.Function("parent", INT, INT), z3.Function("root of the scope", INT, INT)
_RELATED = ("scope_contains", "parent_contains", "same_parent", "same_queue")


@theorem("PO-ANY-205", size="any two ClusterQueues of any tree")
def the_relation_of_two_clusterqueues_is_that_in_the_tree(
    function: Callable[..., Any] = plan.kin_between,
) -> Iterator[Part]:
    """KEP-8826, Goals: UCQ-060 is asked of the cohorts on the path of the target's parent.

    A cohort contains a ClusterQueue if it is on the path of its parent. Where the tree has no heroes, the two
    are strangers, as UCQ-060 says of two ClusterQueues of which none is a hero.
    """
    for heroes in itertools.product((False, True), repeat=2):
        yield from _related(function, *heroes)
    unrelated = {name: SymBool(z3.Bool(name)) for name in _RELATED}
    none, _ = returned(kinship, preemptor_hero=False, target_hero=False, **unrelated)  # type: ignore[arg-type]  # a plain function

    given = {"plan": None, "mine": SymInt(z3.Int("mine")), "theirs": SymInt(z3.Int("theirs"))}
    yield from read_procedure(function, given, lambda way: [RELATED.goal(way.value.fields, none.fields)])


def _related(function: Callable[..., Any], preemptor_hero: bool, target_hero: bool) -> Iterator[Part]:
    """Of a preemptor's ClusterQueue that is a hero or not, and of a target's."""
    mine, theirs = z3.Ints("mine theirs")
    path, many = z3.Const("path of theirs", z3.ArraySort(INT, BOOL)), z3.Int("nodes")

    def on_path(cohort: Any) -> z3.BoolRef:
        return ON_PATH.of(cohort != theirs, cohort, theirs, path[cohort], _CONTAINS(cohort, _PARENT(theirs)))

    def node(place: Any) -> Made:
        walk = z3.If(place == theirs, path, z3.Const("another path", path.sort()))
        return Made(Node, {"path": Held(walk), "parent": SymInt(_PARENT(place))})

    def branch(_: State, place: Value) -> Made | None:
        own = as_term(place, int)
        is_hero = preemptor_hero if own.eq(mine) else target_hero
        return Made(plan.Branch, {"root": SymInt(_SCOPE(own))}) if is_hero else None

    related = (
        _CONTAINS(_SCOPE(mine), _PARENT(theirs)),
        _CONTAINS(_PARENT(mine), _PARENT(theirs)),
        _PARENT(mine) == _PARENT(theirs),
        mine == theirs,
    )
    asked = {name: SymBool(term) for name, term in zip(_RELATED, related, strict=True)}
    own, _ = returned(kinship, preemptor_hero=preemptor_hero, target_hero=target_hero, **asked)  # type: ignore[arg-type]  # a plain function
    tree = Made(Tree, {"nodes": Table(node, many)})
    heroes = Made(plan.HeroPlan, {"branch_of": Made(dict, {"get": Law(branch)}), "tree": tree})
    there = z3.And(mine >= 0, mine < many, theirs >= 0, theirs < many)

    given = {"plan": heroes, "mine": SymInt(mine), "theirs": SymInt(theirs)}
    cohorts = (_SCOPE(mine), _PARENT(mine))
    leaf = (Taken(cohort != theirs, *NO_QUEUE) for cohort in cohorts)
    facts = (there, *leaf, *map(on_path, cohorts))
    yield from read_procedure(
        function, given, lambda way: [RELATED.goal(way.value.fields, own.fields)], facts=facts
    )


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
    related: Mapping[str, Value] | None = None

    def lift(self, function: Callable[..., Any]) -> Any:
        if function is take_target:
            return partial(_returned, self)
        lifting = super().lift(function)
        return partial(self._related, lifting) if function is kinship else lifting

    def _related(self, lifting: Lifting, *asked: Any) -> Lifted:
        """What UCQ-060 says of the tree that the statement is about."""
        modelled(*WALKS)
        said = lifting(*asked)
        self.related = {name: said.field(name) for name in KINSHIP}
        return said

    def found(self, kin: Any) -> Any:
        """How a decision finds two ClusterQueues related: as the statement says, or as the tree does."""
        if self.related is None:
            return kin
        found = Made(Kin, {name: SymBool(z3.Bool(f"{name} of both")) for name in KINSHIP})
        self.facts.append(RELATED.of(found.fields, self.related))
        return found


def _returned(
    claim: _OfDecisions, preemptor: Any, target: Any, evidence: Any, terms: Any, now: Any, kin: Any
) -> _Returned:
    """What must hold so that a decision returns with a candidate among its targets."""
    place = token("its place in the tree")
    candidate = Made(Candidate, {"workload": target, "evidence": evidence, "place": place, "selected": None})
    found = claim.found(kin)
    related = _Kin(3, SymToken, lambda: found)
    taken = seeing(decide._taken, kin_between=related)
    outcome = seeing(decide._outcome, Outcome=OUTCOMES)
    fits, needs = SymBool(z3.Bool("fits")), SymBool(z3.Bool("needs preemption"))
    number, count = z3.Int("any candidate's number"), z3.Int("how many candidates")
    decision, needed = returned(
        seeing(claim.decided, _taken=taken, _outcome=outcome),
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
