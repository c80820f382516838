"""What the rules about heroes found (KEP-8826)."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.explanation.remarks import Remark, remark
from tenure.explanation.shortages import amount
from tenure.model import Amount, FlavorResource, Head, Kin, Workload
from tenure.oracle.decide import Decision
from tenure.oracle.heroes.effective import EffectiveUsage, as_effective, bills_in
from tenure.oracle.heroes.fit import accessible_at, room_at
from tenure.oracle.heroes.plan import kin_between
from tenure.oracle.question import exceeds_any
from tenure.oracle.tree import quota_at
from tenure.rules.eligibility import preemption_reason
from tenure.rules.hero_fit import hero_mode_without_search, hero_request_fits
from tenure.rules.hero_rank import has_turn_before, may_take_from_hero
from tenure.rules.hero_targets import basis_for_hero, group_for_hero, is_immune
from tenure.rules.priority import has_lower_priority
from tenure.rules.terms import terms_of
from tenure.rules.time_based import requeue_timestamp

_GROUPS = ("of a queue beyond its quota", "of a queue within its quota", "of the preemptor's ClusterQueue")


def kin_of(decision: Decision, target: Workload) -> Kin:
    """How a workload's ClusterQueue is related to the preemptor's."""
    snapshot = decision.snapshot
    return kin_between(snapshot.heroes, snapshot.place, snapshot.tree.places[target.cluster_queue or ""])


def is_above_preemptor(decision: Decision, target: Workload) -> bool:
    """Whether a workload runs in a hero that is above the preemptor's."""
    snapshot = decision.snapshot
    theirs = snapshot.tree.places[target.cluster_queue or ""]
    return kin_between(snapshot.heroes, theirs, snapshot.place).above


def taken_by_hero_remarks(decision: Decision, target: Workload) -> Iterator[Remark]:
    """Whether a hero may preempt a workload of another ClusterQueue: what the rules found, outermost first.

    Args:
        decision: one for a workload of a hero.
        target: a workload of another queue that holds quota.
    """
    kin, mine, theirs = kin_of(decision, target), decision.queue.name, target.cluster_queue
    basis = basis_for_hero(decision.preemptor, target, decision.terms, kin)
    may = bool(basis)
    answer = "may be preempted from its ClusterQueue" if may else "may not be preempted from its ClusterQueue"
    yield remark("KQ-300", may, answer)
    where = "inside" if kin.in_scope else "outside"
    yield remark("UCQ-310", basis, f"ClusterQueue {theirs} is {where} the subtree of hero {mine}")
    if kin.hero:
        yield from _between_heroes(decision, target, kin)
    if may:
        group = group_for_hero(False, _exceeds(decision, target))
        yield remark("UCQ-320", group, _GROUPS[group])
        reason = preemption_reason(basis)
        yield remark("UCQ-330", reason, f"reason {reason.label}")
    yield turn_remark(decision, target)


def immunity_remarks(decision: Decision, target: Workload) -> Iterator[Remark]:
    """Whether a workload is kept because it runs in a hero; nothing where its queue is not one.

    Args:
        decision: one for a workload of a standard queue.
        target: a workload of another queue that holds quota.
    """
    kin = kin_of(decision, target)
    if not kin.hero:
        return
    immune = is_immune(decision.preemptor, target, decision.terms, kin)
    hero = f"ClusterQueue {target.cluster_queue} is a hero"
    yield remark("UCQ-340", not immune, f"{hero}: its workloads are immune to standard queues")
    yield turn_remark(decision, target)


def hero_request_remarks(decision: Decision) -> Iterator[Remark]:
    """What the rules found about every flavor-resource that a hero requests."""
    snapshot = decision.snapshot
    usage, place = as_effective(snapshot.usage), snapshot.place
    for at, asked in sorted(decision.assignment.usage.items()):
        most, room = accessible_at(usage.plan, place, at), room_at(usage, place, at)
        used, name = usage.held.used(place, at), f"{at.resource} on {at.flavor}"
        fits = hero_request_fits(used, asked, most, room)
        mode = hero_mode_without_search(asked, fits, most)
        yield remark("UCQ-250", mode, f"{name}: {amount(at, asked)} asked, accessible {amount(at, most)}")
        yield remark(
            "UCQ-240",
            fits,
            f"{name}: {amount(at, used)} in use and {amount(at, asked)} asked, "
            f"accessible {amount(at, most)}, room {amount(at, room)}",
        )


def bill_remarks(decision: Decision) -> Iterator[Remark]:
    """What the preemptor's ClusterQueue is billed for heroes; nothing where it is not."""
    snapshot = decision.snapshot
    for at, column in sorted(bills_in(snapshot.usage).items()):
        usage = as_effective(snapshot.usage)
        bill = column.bill[snapshot.place]
        if bill:
            nominal = quota_at(usage.plan.tree, snapshot.place, at).nominal
            heroes = ", ".join(_billing(usage, snapshot.place, at))
            left = quota_at(snapshot.tree, snapshot.place, at).nominal
            yield remark(
                "UCQ-160",
                left,
                f"{at.resource} on {at.flavor}: billed {amount(at, bill)} of "
                f"{amount(at, nominal)} for {heroes}",
                nominal=nominal,
            )


def turn_remark(decision: Decision, target: Workload) -> Remark:
    """Who has its turn first in a cycle because of heroes, should the target wait again."""
    mine, theirs = (
        _head(decision, decision.preemptor, decision.queue.name),
        _head(decision, target, target.cluster_queue or ""),
    )
    first = has_turn_before(mine, theirs)
    if first:
        return remark("UCQ-030", True, "in a cycle its turn would be after the preemptor's, a hero's")
    answer = "a hero's turn comes before" if has_turn_before(theirs, mine) else "neither comes before"
    return remark("UCQ-030", False, f"in a cycle, should it wait again: {answer}")


def _between_heroes(decision: Decision, target: Workload, kin: Kin) -> Iterator[Remark]:
    preemptor, terms = decision.preemptor, decision.terms
    lower = has_lower_priority(preemptor, target)
    allowed = may_take_from_hero(kin, lower, terms.hero_precedence)
    if kin.above:
        relation = f"below hero {decision.queue.name}"
    elif kin.peer:
        relation = f"a peer of hero {decision.queue.name}"
    elif is_above_preemptor(decision, target):
        relation = f"above hero {decision.queue.name}"
    else:
        relation = f"of another branch than hero {decision.queue.name}"
    compared = f"priority {target.priority} against {preemptor.priority}"
    yield remark("UCQ-010", kin.above, f"hero {target.cluster_queue} is {relation}")
    yield remark("UCQ-020", allowed, compared)
    immune = is_immune(preemptor, target, terms, kin)
    yield remark("UCQ-340", not immune, f"hero, {relation}: {'immune' if immune else 'not immune'}")


def _exceeds(decision: Decision, target: Workload) -> bool:
    snapshot = decision.snapshot
    place = snapshot.tree.places[target.cluster_queue or ""]
    quotas = [(at, quota_at(snapshot.tree, place, at).subtree) for at in decision.assignment.needs_preemption]
    return exceeds_any(snapshot.usage[place], quotas)


def _head(decision: Decision, workload: Workload, queue: str) -> Head:
    snapshot = decision.snapshot
    found = snapshot.cluster.cluster_queues[queue]
    terms = terms_of(found, snapshot.cluster.settings, decision.reading)
    cohorts = len(snapshot.tree.nodes[snapshot.tree.places[queue]].path) - 1
    return Head(terms.hero, cohorts, workload.priority, requeue_timestamp(workload, terms))


def _billing(usage: EffectiveUsage, place: int, at: FlavorResource) -> Iterator[str]:
    """The heroes that bill a node, by name."""
    for branch in usage.plan.branches:
        share: Amount = usage.bills.get((branch.root, at), {}).get(place, 0)
        if share:
            for hero in branch.heroes:
                if usage.held.used(hero, at):
                    yield usage.plan.tree.nodes[hero].name
