"""The optimized core: the ground on which a workload may be preempted is what the rules say."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import z3

from tenure.fast import grounds
from tenure.fast.tables import ADVANTAGE, OWN, Policy
from tenure.model import Evidence, Ground, Kin, Workload
from tenure.readings import NewerThan, Reading, RequeueOrder, SamePriorityGate
from tenure.rules import eligibility, hero_targets, reclaim
from tenure.rules.reservation import quota_reservation_time
from tenure.rules.time_based import duration_in_force, is_time_expired, requeue_timestamp
from tenure_proofs.premises import any_terms
from tenure_proofs.registry import reading_of
from tenure_proofs.theorems.core_world import (
    ARRAYS,
    ROWS,
    SIZE,
    SIZES,
    Answer,
    handed,
    number,
    of,
    said,
    seeing,
)
from tenure_proofs.theorems.registry import BELIEVED, theorem
from tenure_proofs.trusted.ast_lifter import Made
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.kernels import MOST, read_kernel
from tenure_proofs.trusted.logic import has_value
from tenure_proofs.trusted.loops import Way, returned
from tenure_proofs.trusted.symbols import SymBool, SymInt, as_term, wrapped

READINGS = tuple(
    "guaranteed+"
    + "+".join(
        f"{key}={choice.name.lower()}"
        for key, choice in zip(("newer_than", "requeue_order", "same_priority_gate"), choices, strict=True)
    )
    for choices in product(NewerThan, RequeueOrder, SamePriorityGate)
)
"""Every reading of what is asked here about a target."""

FARTHEST = 2**62
"""What priorities, instants and durations stay within; of others the core decides nothing."""


def choices_in_force(reading: Reading, in_force: z3.BoolRef) -> dict[str, z3.BoolRef]:
    """What kernels are told of a reading beside a duration: nothing of it counts without one (TBP-010)."""
    chosen = {
        "expired_only": reading.same_priority_gate == SamePriorityGate.EXPIRED_ONLY,
        "by_reservation": reading.newer_than == NewerThan.RESERVED_AFTER_CREATED,
    }
    return {name: z3.And(in_force, z3.BoolVal(choice)) for name, choice in chosen.items()}


class _Asked:
    """A row and the policy as the store writes them, of a workload and the terms that rules are given.

    Args:
        reading: under which.
    """

    def __init__(self, reading: Reading) -> None:
        self.claim = Claim(reading)
        self.terms = any_terms(self.claim)
        self.preemptor, self.target = (self.claim.record(name, Workload) for name in ("preemptor", "target"))
        self.evidence = self.claim.record("evidence", Evidence)
        self.kin = self.claim.record("kin", Kin)
        self.now = number("now", -FARTHEST, FARTHEST)
        self.row = number("row", 0, SIZE)
        duration, _ = returned(duration_in_force, terms=self.terms)  # type: ignore[arg-type]  # a plain function
        self.in_force = duration
        present = as_term(duration.present, bool)
        terms, limit = self.terms, self.terms.max_priority_threshold
        choices = choices_in_force(reading, present)
        queued = z3.If(
            choices["by_reservation"], self.preemptor.created_at.term, self._queued(self.preemptor)
        )
        self.policy = Made(
            Policy,
            {
                "priority": self.preemptor.priority,
                "queued": SymInt(queued),
                "now": self.now,
                **{
                    name: SymInt(getattr(terms, field).term)
                    for name, field in (
                        ("within", "within_cluster_queue"),
                        ("reclaim", "reclaim_within_cohort"),
                        ("borrow", "borrow_within_cohort"),
                    )
                },
                "threshold": SymInt(z3.If(limit.present.term, limit.value.term, MOST)),
                "duration": SymInt(z3.If(present, as_term(duration.value, int), -1)),
                **{name: SymBool(chosen) for name, chosen in choices.items()},
            },
        )
        reserved = said(quota_reservation_time, target=self.target, now=self.now)
        row = self.row.term
        near = (
            reserved,
            self._queued(self.target),
            self.target.priority.term,
            self.preemptor.priority.term,
            queued,
            z3.If(limit.present.term, limit.value.term, 0),
            as_term(duration.value, int),
        )
        self.facts = (
            *SIZES,
            SIZE > 0,
            *self.claim.facts,
            of(ROWS, "priority", row) == self.target.priority.term,
            of(ROWS, "reserved", row) == reserved,
            of(ROWS, "queued", row) == self._queued(self.target),
            *(z3.And(term > -FARTHEST, term < FARTHEST) for term in near),
        )

    def _queued(self, workload: Any) -> Any:
        return said(requeue_timestamp, workload=workload, terms=self.terms)

    def read(self, kernel: Any, rule: Any, more: tuple[Any, ...] = (), **given: Any) -> Iterator[Part]:
        """That a kernel returns what a rule does."""
        row = {"rows": ROWS, "row": self.row, "policy": self.policy}

        def same(way: Way) -> Labelled:
            sort = bool if z3.is_bool(rule) else int
            return [("what the rule says", as_term(way.value, sort) == rule)]

        yield from read_kernel(kernel, {**row, **given}, same, facts=(*self.facts, *more))


@theorem(
    "PO-ANY-420",
    about=(grounds.is_expired, grounds.own_ground, grounds.may_reclaim, grounds.classical_ground),
    size="any workloads, terms and instants that the core counts with, under every reading",
    assumes={
        **ARRAYS,
        "a candidate is of a ClusterQueue that uses more than its quota, and no heroes take part": BELIEVED,
    },
)
def the_core_finds_the_ground_that_the_rules_find(
    is_expired: Any = grounds.is_expired,
    own_ground: Any = grounds.own_ground,
    may_reclaim: Any = grounds.may_reclaim,
    classical_ground: Any = grounds.classical_ground,
) -> Iterator[Part]:
    """TBP-020, KQ-040, KQ-330 and KQ-300, under every choice of `newer_than`, `requeue_order` and the gate.

    The row is what the store writes of the target, and the policy of the preemptor and the terms.
    """
    asked = _Asked(reading_of(READINGS[0]))
    pair = {"preemptor": asked.preemptor, "target": asked.target, "terms": asked.terms}
    expired = said(is_time_expired, target=asked.target, now=asked.now, min_admit_duration=asked.in_force)
    yield from asked.read(is_expired, expired)
    yield from asked.read(may_reclaim, said(reclaim.may_reclaim, **pair))
    group, own = number("group", 0, 3), z3.Int("the ground within the queue")
    evidence, terms = asked.evidence, asked.terms
    here = has_value(asked.target, "cluster_queue", terms.cluster_queue).term
    immune = said(hero_targets.is_immune, **pair, kin=asked.kin)
    plain = (
        here == (group.term == OWN),
        evidence.advantage.term == (group.term == ADVANTAGE),
        evidence.over_quota.term,
        *(
            z3.Not(term)
            for term in (evidence.borrowing.term, terms.hero.term, terms.fair_sharing.term, immune)
        ),
    )
    ground_for = seeing(
        eligibility.ground_for, ground_within_queue=Answer(4, Ground, lambda *_: wrapped(Ground, own))
    )
    ground = said(ground_for, **pair, evidence=evidence, now=asked.now, kin=asked.kin)

    def within_queue(rows: Any, row: Any, policy: Any) -> SymInt:
        handed((rows, ROWS), (row, asked.row), (policy, asked.policy))
        return SymInt(own)

    answer = Answer(3, int, within_queue)
    yield from asked.read(seeing(classical_ground, own_ground=answer), ground, plain, group=group)
    for column in READINGS:
        asked = _Asked(reading_of(column))
        pair = {"preemptor": asked.preemptor, "target": asked.target, "terms": asked.terms}
        yield from asked.read(own_ground, said(eligibility.ground_within_queue, **pair, now=asked.now))


@theorem("PO-ANY-425", about=(grounds.may_reclaim_any,), size="every policy", assumes=ARRAYS)
def the_core_looks_into_other_queues_exactly_where_the_rules_let_some_workload_be_reclaimed(
    may_reclaim_any: Any = grounds.may_reclaim_any,
) -> Iterator[Part]:
    """KQ-330: where the kernel says no, the rule refuses every target; where it says yes, it allows one."""
    asked = _Asked(reading_of(READINGS[0]))
    pair = {"preemptor": asked.preemptor, "target": asked.target, "terms": asked.terms}
    allowed = said(reclaim.may_reclaim, **pair)
    lower = asked.target.priority.term < asked.preemptor.priority.term

    def says(way: Way) -> Labelled:
        found = as_term(way.value, bool)
        return [
            ("where it says no, none may be", z3.Implies(allowed, found)),
            ("where it says yes, one of lower priority may be", z3.Implies(z3.And(found, lower), allowed)),
        ]

    yield from read_kernel(may_reclaim_any, {"policy": asked.policy}, says, facts=asked.facts)
