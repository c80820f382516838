"""KEP-8522 over time: places that change hands in one ClusterQueue, for any number of workloads.

By invariants over one arbitrary step. What a step is made of, and the schemas, are in `trusted.transitions`;
which preemptions are allowed and from when a victim queues are the rules themselves. Every assumption has a
name here; the claims without it, which are false, are in `without.py` beside this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tenure.model import MINUTE, Basis, Evidence, Kin, Reason, WithinClusterQueue, Workload
from tenure.oracle.door import take_target
from tenure.readings import Wake
from tenure.rules.time_based import requeue_timestamp
from tenure_proofs.premises import any_terms
from tenure_proofs.registry import PROVED, REFUTED, obligation, proved_under
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import (
    all_of,
    any_of,
    equal_fields,
    has_value,
    implies,
    is_set,
    negation,
    quotient,
    value_of,
)
from tenure_proofs.trusted.transitions import (
    EVICTION_STAMPS,
    OneQueue,
    is_evicted,
    is_reserved,
    is_served_within,
    one_fewer_is_ahead,
    through_every_history,
)

DOOR_RULES = ["KQ-010", "KQ-030", "KQ-040", "KQ-300", "TBP-010", "TBP-020", "TBP-040", "TBP-050"]
"""What the door asks about two workloads of one ClusterQueue."""
KEPT_BY_THE_GUARANTEE = proved_under("guaranteed")
NO_RETURN_BESIDE = {
    "guaranteed+same_priority_gate=either": REFUTED,
    "guaranteed+newer_than=reserved_after_created": PROVED,
    "guaranteed+requeue_order=creation": PROVED,
    "guaranteed+wake=events": PROVED,
}
"""What the guarantee rests on, choice by choice, as far as it is about single places."""

FEATURE = "the feature is on"
ONE_QUEUE = "every workload is in one ClusterQueue"
EQUALS = "all priorities are equal"
AGEING = "no priority changes while a workload waits"
CLOCK = "no stamp is earlier than what it follows"
STAMP = "the victim's stamp is kept"
HEAD = "the head of the queue is served"
ARRIVALS = "a workload that arrives is created after those that wait began to"
PAST = "no workload queues from an instant that is still to come"
AWAKE = "a scheduling cycle runs when a duration has passed"


@dataclass(frozen=True, slots=True)
class World:
    """One ClusterQueue and what is assumed of it.

    Args:
        without: the assumption that is dropped; empty when none is.
    """

    claim: Claim
    terms: Any
    queue: OneQueue
    duration: Any
    without: str

    def given(self, assumption: str, *facts: Any) -> None:
        """Facts that hold unless their assumption is dropped."""
        if assumption != self.without:
            self.claim.assume(*facts)

    def feature_is_on(self) -> None:
        """Gate and policy, beside the duration."""
        policy = self.terms.within_cluster_queue
        self.given(
            FEATURE,
            policy == WithinClusterQueue.LOWER_OR_NEWER_EQUAL_PRIORITY,
            self.terms.time_based_preemption,
        )

    def pending(self, name: str) -> Any:
        """A workload that waits."""
        made = self.claim.record(name, Workload)
        self.claim.assume(self.queue.is_pending(made))
        return made

    def holder(self, name: str) -> Any:
        """A workload that holds a place."""
        made = self.claim.record(name, Workload)
        self.claim.assume(
            is_set(made, "cluster_queue"), is_set(made, "quota_reserved_at"), negation(made.evicted)
        )
        self.given(ONE_QUEUE, self.queue.holds_a_place(made))
        return made

    def equals(self, first: Any, *others: Any) -> None:
        """All of one priority."""
        self.given(EQUALS, *(first.priority == other.priority for other in others))

    def later(self, workload: Any, name: str) -> Any:
        """The same pending workload at a later decision."""
        made = self.claim.record(name, Workload)
        self.claim.assume(equal_fields(workload, made, "priority"))
        self.given(AGEING, workload.priority == made.priority)
        return made

    def taken(self, preemptor: Any, target: Any, now: Any, evidence: str) -> Any:
        """That the door opens now, and whether because the target's time has passed."""
        target_made = self.queue.takes(preemptor, target, self.claim.record(evidence, Evidence), now)
        by_time = target_made.field("reason") == Reason.IN_CLUSTER_QUEUE_TIME_BASED
        return target_made.defined, by_time

    def reserved(self, pending: Any, name: str, at: Any, since: Any) -> Any:
        """A pending workload after its reservation, at an instant that is not before another."""
        made = self.claim.record(name, Workload)
        self.claim.assume(is_reserved(pending, made, self.terms.cluster_queue, at))
        self.given(CLOCK, at >= since)
        return made


def since(holder: Any) -> Any:
    return value_of(holder, "quota_reserved_at")


def world_of(claim: Claim, without: str) -> World:
    terms = any_terms(claim)
    queue = OneQueue(terms, claim.lift(requeue_timestamp), claim.lift(take_target), claim.record("kin", Kin))
    world = World(claim, terms, queue, value_of(terms, "min_admit_duration"), without)
    claim.assume(is_set(terms, "min_admit_duration"), world.duration >= MINUTE)
    return world


def a_place_changes_hands(world: World, evicted_at: Any, at: Any) -> tuple[Any, Any]:
    """A workload is preempted because its time has passed; the victim that waits, and its successor."""
    ran, preemptor = world.holder("ran"), world.pending("preemptor_before")
    taken, by_time = world.taken(preemptor, ran, evicted_at, "first_evidence")
    victim = world.claim.record("victim", Workload)
    world.claim.assume(taken, by_time, is_evicted(ran, victim, by_time, evicted_at))
    return world.later(victim, "returning"), world.reserved(preemptor, "successor", at, evicted_at)


def no_return(claim: Claim, without: str = "") -> None:
    world = world_of(claim, without)
    evicted_at, at, now = claim.numbers("evicted_at", "at", "now")
    returning, successor = a_place_changes_hands(world, evicted_at, at)
    if without == ONE_QUEUE:
        successor = world.holder("elsewhere")
        claim.assume(has_value(successor, "quota_reserved_at", at), successor.priority == returning.priority)
    back, _ = world.taken(returning, successor, now, "second_evidence")
    claim.prove(implies(back, now - evicted_at > world.duration))


def no_return_ever(claim: Claim) -> None:
    world = world_of(claim, "")
    evicted_at, at, now = claim.numbers("evicted_at", "at", "now")
    returning, successor = a_place_changes_hands(world, evicted_at, at)
    holder, other = world.holder("holder"), world.pending("other")
    then, next_at = claim.numbers("then", "next_at")
    world.equals(returning, holder, other)
    taken, _ = world.taken(other, holder, then, "third_evidence")
    claim.assume(taken, then >= since(holder))
    following = world.reserved(other, "following", next_at, then)
    back, _ = world.taken(returning, holder, now, "second_evidence")
    through_every_history(
        claim,
        at_first=(since(successor) >= evicted_at,),
        before=(since(holder) >= evicted_at,),
        after=(since(following) >= evicted_at,),
        ends=(implies(back, now - evicted_at > world.duration),),
    )


def few_preemptions(claim: Claim, without: str = "") -> None:
    world = world_of(claim, without)
    world.feature_is_on()
    first, last, at, now, count, window = claim.numbers("first", "last", "at", "now", "count", "window")
    former = world.holder("former")
    preemptor, taker = world.pending("preemptor_before"), world.pending("taker")
    world.equals(former, preemptor, taker)
    taken, _ = world.taken(preemptor, former, last, "first_evidence")
    holder = world.reserved(preemptor, "holder", at, last)
    if without == ONE_QUEUE:
        holder = world.holder("elsewhere")
        claim.assume(has_value(holder, "quota_reserved_at", at))
        world.equals(taker, holder)
    again, _ = world.taken(world.later(taker, "taker_later"), holder, now, "second_evidence")
    claim.assume(taken, again, count >= 1, window >= 0, last >= first, now >= at)
    most = quotient(window, world.duration)
    through_every_history(
        claim,
        at_first=(world.duration * 0 <= first - first,),
        before=((count - 1) * world.duration <= last - first,),
        after=(count * world.duration <= now - first,),
        ends=(implies(now - first <= window, count + 1 <= most + 1),),
    )


def every_workload_gets_a_turn(claim: Claim, without: str = "") -> None:
    world = world_of(claim, without)
    world.feature_is_on()
    begin, last, now, at, waiting = claim.numbers("begin", "last", "now", "at", "waiting")
    ahead, ahead_after, delay, own_at = claim.numbers("ahead", "ahead_after", "delay", "own_at")
    watched, head, arrival = (world.pending(name) for name in ("watched", "head", "arrival"))
    holder, neighbour = world.holder("holder"), world.holder("neighbour")
    world.equals(watched, head, arrival, holder)
    claim.assume(delay >= 0, head.uid != watched.uid, now >= last, since(neighbour) <= last)
    world.given(HEAD, world.queue.heads(head, watched))
    world.given(PAST, world.queue.queues_from(watched) <= now)
    claim.assume(*(negation(is_set(arrival, stamp)) for stamp in EVICTION_STAMPS))
    world.given(ARRIVALS, arrival.created_at > world.queue.queues_from(watched))

    taken, by_time = world.taken(head, holder, now, "evidence")
    victim = claim.record("victim", Workload)
    kept = claim.flag("stamped") if without == STAMP else by_time
    claim.assume(taken, is_evicted(holder, victim, kept, now))
    successor = world.reserved(head, "successor", at, now)
    for one, served_at, evidence in ((head, at, "offered"), (watched, own_at, "offered_to_watched")):
        offered, possible_at = claim.record(evidence, Evidence), last + world.duration + 1
        possible = world.queue.takes(one, holder, offered, possible_at).defined
        claim.assume(offered.basis == Basis.TIME_EXPIRED)
        if claim.reading.wake == Wake.AT_EXPIRY:
            # Who heads the queue from the last reservation on is served in time.
            world.given(AWAKE, is_served_within(delay, served_at, possible=possible, since=possible_at))

    one_fewer_is_ahead(
        claim,
        joins=(
            world.queue.is_ahead(world.later(victim, "victim_later"), watched),
            world.queue.is_ahead(arrival, watched),
        ),
        leaves=world.queue.is_ahead(head, watched),
        ahead=ahead,
        ahead_after=ahead_after,
    )
    # The longest from one reservation to the next.
    turn = world.duration + delay
    latest = begin + waiting * turn
    through_every_history(
        claim,
        at_first=(implies(all_of(last <= begin, ahead <= waiting), last + ahead * turn <= latest),),
        before=(last + ahead * turn <= latest, since(holder) <= last),
        after=(
            at + ahead_after * turn <= latest,
            since(successor) <= at,
            since(neighbour) <= at,
        ),
        ends=(own_at <= latest,),
    )


@obligation("PO-TBP-300", rules=DOOR_RULES, expect=KEPT_BY_THE_GUARANTEE, also=NO_RETURN_BESIDE)
def a_victim_cannot_preempt_its_successor_before_the_duration_has_passed(claim: Claim) -> None:
    """KEP-8522, Story 1: "each job is guaranteed 4 hours of runtime before it can be preempted"."""
    no_return(claim)


@obligation(
    "PO-TBP-310",
    rules=DOOR_RULES,
    expect=KEPT_BY_THE_GUARANTEE,
    also=NO_RETURN_BESIDE,
    irrespective_of={
        "take_target(other, holder, third_evidence, terms, then, kin)": "each was preempted by the "
        "next; had it left the place in another way, nothing would change"
    },
)
def no_return_before_the_duration_has_passed_whichever_workloads_ran_since(claim: Claim) -> None:
    """KEP-8522, Story 1, through any number of successors, each of whom was preempted by the next."""
    no_return_ever(claim)


@obligation(
    "PO-TBP-320",
    rules=DOOR_RULES,
    expect=KEPT_BY_THE_GUARANTEE,
    also=NO_RETURN_BESIDE,
    irrespective_of={
        "take_target(preemptor_before, former, first_evidence, terms, last, kin)": "of the "
        "preemption before only the instant counts"
    },
)
def preemptions_are_at_most_one_per_duration_plus_one(claim: Claim) -> None:
    """KEP-8522, Risks, Rapid Preemption Cycles: in a window W at most W // minAdmitDuration + 1 times."""
    few_preemptions(claim)


@obligation(
    "PO-TBP-330",
    rules=["TBP-030", "KQ-020", *DOOR_RULES],
    expect=KEPT_BY_THE_GUARANTEE,
    also={
        "guaranteed+same_priority_gate=either": REFUTED,
        "guaranteed+newer_than=reserved_after_created": PROVED,
        "guaranteed+requeue_order=creation": REFUTED,
        "guaranteed+wake=events": REFUTED,
    },
    irrespective_of={
        f"requeue_timestamp({waiting}, terms)": "a workload that joins the queue comes after it, "
        "from whichever earlier instant it queues"
        for waiting in ("watched", "head")
    },
)
def each_of_n_pending_workloads_runs_within_n_durations_and_delays(claim: Claim) -> None:
    """KEP-8522, Story 2: "Resource access rotates fairly among all pending workloads".

    A delay is the time from the end of a protected time to the successor's reservation. How many workloads
    hold a place does not matter, nor how many arrive.
    """
    every_workload_gets_a_turn(claim)


@obligation(
    "PO-TBP-350",
    rules=DOOR_RULES,
    expect=proved_under("as-written"),
    also={
        "as-written+same_priority_gate=expired_only": REFUTED,
        "as-written+requeue_order=eviction": PROVED,
    },
)
def two_equals_can_swap_for_ever_without_running(claim: Claim) -> None:
    """KEP-8522, Preemption Eligibility, condition 1, as written: who waits is newer than who was admitted.

    Each may preempt the other at the very instant of its reservation, and is preempted in the same way.
    """
    world = world_of(claim, "")
    world.feature_is_on()
    now, at = claim.numbers("now", "at")
    holder, pending = world.holder("holder"), world.pending("pending")
    world.equals(holder, pending)
    newer, expired = claim.record("newer", Evidence), claim.record("expired", Evidence)
    claim.assume(newer.basis == Basis.NEWER_EQUAL, expired.basis == Basis.TIME_EXPIRED)
    as_newer = world.queue.takes(pending, holder, newer, now).defined
    as_expired = world.queue.takes(pending, holder, expired, now).defined
    victim = claim.record("victim", Workload)
    claim.assume(is_evicted(holder, victim, as_expired, now), now >= since(holder))
    successor = world.reserved(pending, "successor", at, now)
    through_every_history(
        claim,
        at_first=(),
        before=(since(holder) > pending.created_at, since(holder) > holder.created_at),
        after=(since(successor) > victim.created_at, since(successor) > successor.created_at),
        ends=(any_of(as_newer, as_expired),),
    )


@obligation(
    "PO-TBP-355",
    rules=["TBP-030", "KQ-020", *DOOR_RULES],
    expect=proved_under("as-written", "released"),
    also={"released+requeue_order=eviction": REFUTED},
)
def an_older_victim_can_preempt_its_preemptor_at_once(claim: Claim) -> None:
    """KEP-8522, Preemption Eligibility, condition 1, as released too: so a newcomer runs zero time."""
    world = world_of(claim, "")
    evicted_at, at = claim.numbers("evicted_at", "at")
    returning, successor = a_place_changes_hands(world, evicted_at, at)
    newer = claim.record("newer", Evidence)
    claim.assume(
        newer.basis == Basis.NEWER_EQUAL,
        returning.created_at < successor.created_at,
        returning.created_at < evicted_at,
    )
    claim.prove(world.queue.takes(returning, successor, newer, at).defined)


@obligation(
    "PO-TBP-360",
    rules=["TBP-030", "KQ-020", *DOOR_RULES],
    expect=proved_under("as-written", "released"),
    also={"guaranteed+requeue_order=creation": PROVED, "released+requeue_order=eviction": REFUTED},
)
def the_two_oldest_of_three_equals_alternate_for_ever(claim: Claim) -> None:
    """KEP-8522 does not say where a victim queues; by its creation, as in Kueue, the third waits for ever.

    Whichever of the two waits is queued before the third, and may preempt the other when its time has passed.
    """
    world = world_of(claim, "")
    world.feature_is_on()
    now = claim.number("now")
    holder, waiting, third = world.holder("holder"), world.pending("waiting"), world.pending("third")
    world.equals(holder, waiting, third)
    by_other_reasons = (stamp for stamp in EVICTION_STAMPS if stamp != "time_based_preempted_at")
    claim.assume(
        *(negation(is_set(item, stamp)) for stamp in by_other_reasons for item in (waiting, third)),
        holder.created_at < third.created_at,
        waiting.created_at < third.created_at,
        now > since(holder) + world.duration,
    )
    expired, victim = claim.record("expired", Evidence), claim.record("victim", Workload)
    taken = world.queue.takes(waiting, holder, expired, now).defined
    claim.assume(expired.basis == Basis.TIME_EXPIRED, is_evicted(holder, victim, taken, now))
    claim.prove(taken, world.queue.is_ahead(waiting, third), world.queue.is_ahead(victim, third))
