"""The optimized core, what is kept between decisions: it depends on nothing but what it is kept under."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import z3

from tenure.fast import policy
from tenure.model import ClusterQueue, Settings, Workload
from tenure.readings import Reading
from tenure.rules.reservation import quota_reservation_time
from tenure.rules.time_based import duration_in_force, requeue_timestamp
from tenure_proofs.premises import any_terms
from tenure_proofs.registry import reading_of
from tenure_proofs.theorems.core_grounds import READINGS, choices_in_force
from tenure_proofs.theorems.core_world import said
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.trusted.ast_lifter import Made
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.kernels import plain, read_kernel
from tenure_proofs.trusted.loops import Way, every, returned
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymOptional, as_term


@theorem(
    "PO-ANY-620",
    about=(policy.terms_of, policy._queued),
    size="any workload, ClusterQueue and settings, under every reading",
)
def the_core_counts_with_the_duration_and_the_queueing_time_of_the_rules(
    terms_of: Callable[..., Any] = policy.terms_of, queued: Callable[..., Any] = policy._queued
) -> Iterator[Part]:
    """TBP-010 and TBP-030, of what is written for kernels about a ClusterQueue and a preemptor.

    So is what theorems about grounds take for granted of a reading's other choices.
    """
    for column in READINGS:
        yield from _Known(column, terms_of, queued).parts


class _Known:
    """What rules and the core say of a workload and a ClusterQueue, under one reading."""

    def __init__(
        self, column: str, terms_of: Callable[..., Any], queued: Callable[..., Any] = policy._queued
    ) -> None:
        self.reading = reading = reading_of(column)
        self.claim = Claim(reading)
        terms, workload = any_terms(self.claim), self.claim.record("workload", Workload)
        names = ("within_cluster_queue", "min_admit_duration")
        queue = Made(ClusterQueue, {name: getattr(terms, name) for name in names})
        told = ("time_based_preemption", "requeuing_timestamp", "priority_sorting_within_cohort")
        settings = Made(Settings, {name: getattr(terms, name) for name in told})
        choices = ("same_priority_gate", "newer_than", "requeue_order")
        chosen = Made(Reading, {name: getattr(reading, name) for name in choices})
        self.duration, _ = returned(plain(duration_in_force), terms=terms)
        self.in_force = as_term(self.duration.present, bool)
        self.parts: list[Part] = []
        ways = self._ways(terms_of, {"queue": queue, "settings": settings, "reading": chosen}, self._duration)
        since = z3.Or(
            [z3.And(way.condition, as_term(way.value.fields["since_eviction"], bool)) for way in ways]
        )
        kept = Made(policy.Terms, {"since_eviction": SymBool(since)})
        self.since_eviction = since
        self.requeued = said(requeue_timestamp, workload=workload, terms=terms)
        found, needed = returned(plain(queued), workload=workload, settings=settings, terms=kept)
        goals = (("defined", every(needed)), ("queued since", as_term(found, int) == self.requeued))
        self.parts.append(Part("queued since", tuple(self.claim.facts), goals))

    def _ways(self, function: Any, given: Any, claim: Callable[[Way], Labelled]) -> list[Way]:
        """The ways through a function of the core; what is claimed of them is among the parts."""
        ways: list[Way] = []

        def of_way(way: Way) -> Labelled:
            ways.append(way)
            return claim(way)

        read = read_kernel(function, given, of_way)
        facts = tuple(self.claim.facts)
        self.parts += [Part(part.place, (*facts, *part.hypotheses), part.goals) for part in read]
        return ways

    def _duration(self, way: Way) -> Labelled:
        found = way.value.fields["duration"]
        there = z3.BoolVal(False) if found is None else z3.BoolVal(True)
        if isinstance(found, SymOptional):
            there, found = as_term(found.present, bool), found.value
        same = z3.BoolVal(True) if found is None else as_term(found, int) == self.duration.value.term
        told = choices_in_force(self.reading, self.in_force).items()
        chosen = [(name, as_term(way.value.fields[name], bool) == choice) for name, choice in told]
        return [("in force", there == self.in_force), ("as long", z3.Implies(self.in_force, same)), *chosen]


@theorem(
    "PO-ANY-625",
    about=(requeue_timestamp, quota_reservation_time, policy.terms_of),
    size="any workload, ClusterQueue and settings, under every two readings, at any two instants",
)
def what_the_core_keeps_of_a_workload_depends_on_nothing_but_what_it_is_kept_under(
    terms_of: Callable[..., Any] = policy.terms_of,
) -> Iterator[Part]:
    """Two questions with one key get what a question of their own would get (TBP-030, KQ-030).

    The rows of `tenure.fast.arrays` are kept under whether victims queue from their eviction, the requeuing
    timestamp, and the instant where a stamp is missing. No other choice of a reading is in the key.
    """
    known = {column: _Known(column, terms_of) for column in READINGS}
    for (column, first), (other, second) in combinations(known.items(), 2):
        one_key = first.since_eviction == second.since_eviction
        yield Part(
            f"under {column}, and {other}",
            (*first.claim.facts, one_key),
            (("queued since", first.requeued == second.requeued),),
        )
    target = known[READINGS[0]].claim.arguments["workload"]
    instants = [SymInt(z3.Int(name)) for name in ("one instant", "another instant")]
    one, another = (said(quota_reservation_time, target=target, now=now) for now in instants)
    reserved = target.quota_reserved_at
    yield Part("no stamp is missing", (reserved.present.term,), (("reserved since", one == another),))
