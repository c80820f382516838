"""The outcome of a decision in a line, what is short or is there, and who decided under which reading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from tenure.choices import Outcome
from tenure.explanation.configured import config_remarks, nothing_selected
from tenure.explanation.heroes import bill_remarks, hero_request_remarks
from tenure.explanation.limits import limit_text
from tenure.explanation.quota_alone import quota_alone
from tenure.explanation.remarks import Remark, remark
from tenure.explanation.shortages import (
    Beyond,
    amount,
    amounts_text,
    beyond_potential,
    borrowed_while_short,
    quota_sum,
)
from tenure.model import Amount, Assignment, FlavorResource, ReclaimWithinCohort, WithinClusterQueue
from tenure.oracle.assignment import Assigner
from tenure.oracle.decide import Decision
from tenure.oracle.heroes.effective import as_effective
from tenure.oracle.heroes.fit import accessible_at
from tenure.oracle.partial import try_counts
from tenure.oracle.reach import free_at, if_no_hero_ran, if_nothing_ran, most_at, running_heroes
from tenure.oracle.snapshot import Snapshot
from tenure.oracle.topology import has_topology, takes_part
from tenure.oracle.tree import available_at, potential_at, quota_at
from tenure.readings import Reading, default_preset, preset, preset_names
from tenure.rules.flavors import may_preempt_while_borrowing
from tenure.rules.quota import can_ever_fit, fits_quota, fits_request
from tenure.units import counted, format_amount, format_names

_MOST_VICTIMS = 3
"""Victims of an attempt that a line names."""
_NO_COHORT = "it is in no cohort (spec.cohortName), so it can borrow nothing"


def summarize(decision: Decision) -> tuple[str, ...]:
    """The outcome and what was short, or where it fits, without looking at any workload.

    Args:
        decision: any decision.

    >>> from tenure.model import Cluster, ClusterQueue, Workload
    >>> from tenure.oracle.decide import decide
    >>> from tenure.readings import preset
    >>> nothing = Workload("ns", "w", "u", priority=0, created_at=0)
    >>> summarize(decide(Cluster({"q": ClusterQueue("q")}), nothing, "q", 0, preset("guaranteed")))
    ('Fit: ns/w fits in ClusterQueue q beside 0 running workloads',)
    """
    return tuple(_summary(decision))


def outcome_text(outcome: str, decision: Decision) -> str:
    """A decision's outcome in words, for a line that names the workload already.

    Args:
        outcome: the first line of `summarize`.
        decision: the decision.
    """
    words = outcome.partition(": ")[2]
    name = f"{decision.preemptor.key} "
    return f"it {words.removeprefix(name)}" if words.startswith(name) else words


def _summary(decision: Decision) -> Iterator[str]:
    yield f"{decision.outcome}{quota_alone(decision.not_modelled)}: {_outcome(decision)}"
    match decision.outcome:
        case Outcome.FIT:
            yield from _served(decision)
        case Outcome.NO_FIT:
            yield from _impossible(decision)
        case Outcome.NO_CANDIDATES | Outcome.PREEMPT:
            yield from _shortfalls(decision)
            yield from _on_nodes(decision)


def _outcome(decision: Decision) -> str:
    where = f"ClusterQueue {decision.queue.name}"
    if decision.queue.cohort is not None:
        where += f" and its cohort {decision.snapshot.tree.nodes[0].name}"
    count = sum(map(len, decision.snapshot.running.values()))
    running = counted(count, "running workload")
    preemptor, taken = decision.preemptor.key, len(decision.targets)
    reduced = _reduced(decision, decision.assignment)
    match decision.outcome:
        case Outcome.FIT:
            return f"{preemptor} fits in {where} beside {running}{reduced}"
        case Outcome.NO_FIT:
            return _hopeless(decision, where)
        case Outcome.NO_CANDIDATES:
            alone = "" if decision.queue.cohort is not None else f"; {_NO_COHORT}"
            return f"of {running} in {where} {_too_few(decision)}{alone}"
        case Outcome.PREEMPT:
            are = "is" if taken == 1 else "are"
            return f"{taken} of {running} in {where} {are} preempted for {preemptor}{reduced}"


def _hopeless(decision: Decision, where: str) -> str:
    queue, preemptor = decision.queue, decision.preemptor.key
    if decision.held:
        return decision.held
    if queue.inactive:
        return f"ClusterQueue {queue.name} is inactive: {queue.inactive}"
    heroes = running_heroes(decision.snapshot)
    if heroes and _served_beside(decision, if_no_hero_ran(decision.snapshot)):
        runs = f"hero {heroes[0]} runs" if len(heroes) == 1 else f"heroes {' and '.join(heroes)} run"
        return f"{preemptor} is refused in {where} while {runs}, and only for that"
    if served := _served_beside(decision, if_nothing_ran(decision.snapshot)):
        fits = f"{preemptor} would fit in {where} if nothing ran{_reduced(decision, served)}"
        return f"{fits}, and may not preempt for that{_by_policy(decision)}"
    if queue.cohort is None:
        return f"{preemptor} could not run in {where} even if it were empty; {_NO_COHORT}"
    return f"{preemptor} could not run in {where} even if the whole cohort were empty"


def _by_policy(decision: Decision) -> str:
    """The fields of the ClusterQueue by which it does not preempt for a request that borrows (KQ-530)."""
    if may_preempt_while_borrowing(decision.terms):
        return ""
    policies = "borrowWithinCohort.policy is"
    if decision.terms.fair_sharing:
        policies = "borrowWithinCohort.policy and reclaimWithinCohort are"
    return f": it would borrow, and spec.preemption.{policies} Never"


def _too_few(decision: Decision) -> str:
    count, preemptor = len(decision.candidates), decision.preemptor.key
    if decision.selection is None:
        return f"preempting all candidates for {preemptor} would not free enough quota"
    if not count:
        return f"none may be preempted for {preemptor}{_forbidding(decision)}"
    if text := limit_text(decision):
        return f"{count} may be considered for {preemptor}, but {text}"
    if (unfair := decision.selection.unfair) is not None:
        repair = decision.terms.fair_sharing_repair.name.lower()
        return (
            f"{count} may be considered for {preemptor}, but {repair} refuses the victims that were found: "
            f"with them gone the shares would not allow to preempt {unfair.workload.key}"
        )
    if is_by_share_alone(decision) and decision.queue.cohort is not None:
        return f"{count} may be considered for {preemptor}, but shares allow too few of them to be preempted"
    if beyond := _beyond_nominal(decision):
        return f"{count} may be preempted for {preemptor} only while it does not borrow: {beyond}"
    turns, borrowing = len(removed_in_turn(decision)), without_borrowing(decision)
    if turns == count:
        return f"{count} may be preempted for {preemptor}, which does not free enough quota{borrowing}"
    few = f"only {turns} may be preempted, which does not free enough quota{borrowing}"
    in_turn = f"in their turn {few if turns else 'none may be preempted'}"
    return f"{count} may be considered for {preemptor}, but {in_turn}"


def is_by_share_alone(decision: Decision) -> bool:
    """Whether fair sharing decides who may be preempted, and no PreemptionConfig does.

    Args:
        decision: any.
    """
    return decision.terms.fair_sharing and decision.queue.preemption_config is None


def removed_in_turn(decision: Decision) -> frozenset[str]:
    """Whom a search that found no target removed, by name: under fair sharing by any of its strategies.

    Args:
        decision: one with a search.
    """
    counted_in = decision.attempts if decision.terms.fair_sharing else decision.attempts[-1:]
    return frozenset(gone.workload.key for attempt in counted_in for gone in attempt.removed)


def without_borrowing(decision: Decision) -> str:
    """What the last attempt is without, where one before it let the ClusterQueue borrow.

    Args:
        decision: any.
    """
    made = decision.attempts
    return " without borrowing" if len(made) > 1 and not made[-1].may_borrow else ""


def _beyond_nominal(decision: Decision) -> str:
    """What a request borrows that is free, where preemption would free all that is short if it did not."""
    borrowed = borrowed_while_short(decision)
    if not borrowed or decision.selection is None:
        return ""
    removed = next(attempt.removed for attempt in decision.selection.attempts if not attempt.may_borrow)
    victims = format_names([candidate.workload.key for candidate in removed], _MOST_VICTIMS)
    freed = " and ".join(at.resource for at in sorted(decision.assignment.needs_preemption))
    policy = f"spec.preemption.borrowWithinCohort.policy is {decision.terms.borrow_within_cohort.label}"
    return f"{victims} would free its {freed}, but it borrows {amounts_text(borrowed)}, and {policy}"


def _forbidding(decision: Decision) -> str:
    """The policies that allow no preemption at all."""
    terms = decision.terms
    if terms.hero or terms.within_cluster_queue != WithinClusterQueue.NEVER:
        return ""
    beside = nothing_selected(decision)
    if decision.queue.cohort is None:
        return f": spec.preemption.withinClusterQueue is Never{beside}"
    if terms.reclaim_within_cohort not in (ReclaimWithinCohort.NEVER, ReclaimWithinCohort.UNSET):
        return ""
    return f": spec.preemption.withinClusterQueue and reclaimWithinCohort are Never{beside}"


def _served_beside(decision: Decision, otherwise: Snapshot) -> Assignment | None:
    """What a request that no flavor serves would get if something else ran, perhaps with fewer pods."""
    assigner = Assigner(otherwise, decision.preemptor, decision.terms, decision.now)
    _, trials = try_counts(assigner, lambda _: None)
    return next((trial.assignment for trial in trials if trial.assignment.fits), None)


def _reduced(decision: Decision, assignment: Assignment) -> str:
    """How many pods are left of each pod set that partial admission reduced."""
    asked = {pods.name: pods.count for pods in decision.preemptor.pod_sets}
    fewer = [
        f"{pods.count} of {asked[pods.name]} pods of {pods.name}"
        for pods in assignment.pod_sets
        if pods.count < asked.get(pods.name, pods.count)
    ]
    return f", with {' and '.join(fewer)}" if fewer else ""


def _impossible(decision: Decision) -> Iterator[str]:
    if decision.otherwise is not None:
        yield f"if it were not held: {summarize(decision.otherwise)[0]}"
        return
    snapshot = decision.snapshot
    unbilled = if_no_hero_ran(snapshot)
    for at, asked in sorted(decision.assignment.usage.items()):
        potential = most_at(snapshot, at)
        if not can_ever_fit(asked, potential):
            yield Beyond("", at, asked, 0, potential, most_at(unbilled, at)).text
    if decision.queue.inactive:
        return
    covered = {
        covered_resource
        for group in decision.queue.resource_groups
        for covered_resource in group.covered_resources
    }
    requested = {
        name for pods in decision.preemptor.pod_sets for name, amount in pods.requests.items() if amount
    }
    for resource in sorted(requested - covered):
        yield f"{resource} asked, which the ClusterQueue does not cover"
    if not has_topology(decision.queue, snapshot.cluster) and takes_part(
        decision.preemptor, decision.queue, snapshot.cluster
    ):
        yield "it requests a topology, and no flavor of the ClusterQueue has one (KQ-630)"
    if not decision.assignment.usage:
        yield from (beyond.text for beyond in beyond_potential(decision))
    yield from (bill_remark.text for bill_remark in bill_remarks(decision))


def _served(decision: Decision) -> Iterator[str]:
    """Where a request fits: what is requested, and what is available without it."""
    for at, asked in sorted(decision.assignment.usage.items()):
        if asked:
            there = f"{amount(at, _free(decision, at))} available; {_own(decision, at)}"
            used, quota = _used(decision, at)
            total = "" if fits_quota(used, asked, quota) else quota_sum(decision, at)
            most = f"; in all {amount(at, most_at(decision.snapshot, at))}{total}" if total else ""
            yield f"{at.resource} on {at.flavor}: {amount(at, asked)} asked, {there}{most}"


def _shortfalls(decision: Decision) -> Iterator[str]:
    for at in sorted(decision.assignment.needs_preemption):
        asked = decision.assignment.usage.get(at, 0)
        used, quota = _used(decision, at)
        short, free = max(0, asked - _free(decision, at)), amount(at, _free(decision, at))
        if decision.queue.cohort is None:
            short = used + asked - quota
            there = f"{amount(at, used)} of {amount(at, quota)} in use"
        else:
            there = f"{free} available; {_own(decision, at)}"
        yield f"{amount(at, short)} {at.resource} short on {at.flavor}: {amount(at, asked)} asked, {there}"
    yield from (bill_remark.text for bill_remark in bill_remarks(decision))


def _on_nodes(decision: Decision) -> Iterator[str]:
    """Where a pod requests more than any victim holds: quota that is freed may be on several nodes.

    The pods of running workloads are not in the model, so that a victim counts with all of them together.
    """
    if has_topology(decision.queue, decision.snapshot.cluster):
        return
    for at in sorted(decision.assignment.needs_preemption):
        held = [target.workload.usage.get(at, 0) for target in decision.targets]
        largest = max(
            (pods.requests.get(at.resource, 0) // max(1, pods.count) for pods in decision.preemptor.pod_sets),
            default=0,
        )
        if held and max(held) < largest:
            asked, most = f"{amount(at, largest)} {at.resource}", amount(at, max(held))
            yield (
                f"quota, not nodes: a pod asks for {asked}, and no victim holds more than {most} "
                f"with all its pods; Kueue does not check that one node has {asked} free"
            )


def _own(decision: Decision, at: FlavorResource) -> str:
    used, quota = _used(decision, at)
    heroes, place = decision.snapshot.heroes, decision.snapshot.place
    if heroes is not None:
        if decision.terms.hero:
            held = as_effective(decision.snapshot.usage).held.used(place, at)
            most = accessible_at(heroes, place, at)
            return f"the hero uses {amount(at, held)} of the {amount(at, most)} accessible to it"
        nominal = quota_at(heroes.tree, place, at).nominal
        if nominal != quota:
            left = f"{amount(at, quota)} left of its {amount(at, nominal)}"
            return f"the queue uses {amount(at, used)} of the {left}"
    return f"the queue uses {amount(at, used)} of its {amount(at, quota)}"


def _used(decision: Decision, at: FlavorResource) -> tuple[Amount, Amount]:
    """What is in use at the queue, and its nominal quota."""
    snapshot = decision.snapshot
    place = snapshot.place
    return snapshot.usage[place].get(at, 0), quota_at(snapshot.tree, place, at).nominal


def _free(decision: Decision, at: FlavorResource) -> Amount:
    snapshot = decision.snapshot
    return max(0, free_at(snapshot, snapshot.usage, at))


def request_remarks(decision: Decision) -> Iterator[Remark]:
    """What the quota rules found about every flavor-resource that is requested."""
    if decision.terms.hero:
        yield from hero_request_remarks(decision)
        return
    yield from bill_remarks(decision)
    yield from config_remarks(decision)
    snapshot = decision.snapshot
    tree, place, usage = snapshot.tree, snapshot.place, snapshot.usage
    alone = snapshot.queue.cohort is None
    for asked, request in sorted(decision.assignment.usage.items()):
        used, quota = usage[place].get(asked, 0), quota_at(tree, place, asked).nominal
        name, show = f"{asked.resource} on {asked.flavor}", partial(format_amount, asked.resource)
        potential = potential_at(tree, place, asked)
        ever = can_ever_fit(request, potential)
        most = f"the quota of {show(quota)}" if alone else f"the {show(potential)} that it could ever have"
        most += quota_sum(decision, asked)
        yield remark("KQ-070", ever, f"{name}: {show(request)} asked, {_at_most(ever)} {most}")
        fits = fits_quota(used, request, quota)
        total = show(used + request)
        limit = show(quota) if alone else f"the nominal quota of {show(quota)}"
        yield remark("KQ-060", fits, f"{name}: {total} with this request, {_at_most(fits)} {limit}")
        if not alone:
            free = available_at(tree, usage, place, asked)
            enough = fits_request(request, free, not fits, may_borrow=True)
            beyond = f"{_at_most(enough)} the {show(max(0, free))} available"
            yield remark("KQ-190", enough, f"{name}: {show(request)} asked, {beyond}")


def _at_most(holds: bool) -> str:
    return "at most" if holds else "more than"


def engine_of(engines: Iterable[str]) -> str:
    """The engine that made some decisions: `auto` where several did, the reference where there are none.

    >>> engine_of(["fast", "reference"]), engine_of(["fast", "fast"]), engine_of([])
    ('auto', 'fast', 'reference')
    """
    seen = {*engines}
    return "auto" if len(seen) > 1 else next(iter(seen), "reference")


def assumed_lines(premises: Iterable[str]) -> Iterator[str]:
    """The line of an answer that names what it assumes; none where it assumes nothing.

    >>> list(assumed_lines(["fair sharing off"])), list(assumed_lines([]))
    (['  assumed: fair sharing off'], [])
    """
    text = "; ".join(premises)
    if text:
        yield f"  assumed: {text}"


def reading_text(reading: Reading) -> str:
    """A preset's name, and every key in which the reading differs from it.

    Args:
        reading: the preset is the one that it was made of; of one made of none, the one that is nearest.

    >>> from tenure.readings import parse_reading
    >>> reading_text(parse_reading({"requeue_order": "creation"}))
    'guaranteed with requeue_order: creation'
    >>> reading_text(parse_reading({"preset": "released", "requeue_order": "creation"}))
    'released'
    """
    base = reading.name.partition("+")[0]
    if base not in preset_names():
        names = (default_preset(), *preset_names())
        base = min(names, key=lambda name: len(_differing(reading, name)))
    differing = ", ".join(f"{key}: {choice}" for key, choice in _differing(reading, base).items())
    return f"{base} with {differing}" if differing else base


def _differing(reading: Reading, name: str) -> dict[str, str]:
    usual = preset(name).choices()
    return {key: choice for key, choice in reading.choices().items() if choice != usual[key]}
