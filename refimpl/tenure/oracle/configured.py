"""Candidates of a PreemptionConfig: tiers that follow the search of `spec.preemption` (KEP-13396).

From the text of Kueue v0.20 and its tests, not run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from tenure.model import (
    Basis,
    CandidateSelector,
    ClassNames,
    Comparison,
    Evidence,
    LabelSelector,
    NumericLabel,
    PreemptionConfig,
    PreemptionRule,
    PriorityMode,
    Selectable,
    SelectedBy,
    SelectorFacts,
    Trigger,
    Workload,
)
from tenure.oracle.classical import Turns, classical_ends, completed_in
from tenure.oracle.fair import fair_end
from tenure.oracle.labels import is_label_set_selected
from tenure.oracle.leaving import Leaving, fitting, leaving_of, selection_after
from tenure.oracle.preemption_limits import is_beyond_limit, within_limits
from tenure.oracle.protection import beside_protection
from tenure.oracle.question import (
    ELSEWHERE,
    OWN,
    Attempt,
    Candidate,
    Question,
    Selection,
    Turn,
    sort_key,
    uses_any,
)
from tenure.oracle.selection import Chain, Removal, in_order, remove_until_fits
from tenure.oracle.tree import Usage, common_place
from tenure.readings import InvalidSelector
from tenure.rules.preemption_config import (
    are_candidates_merged,
    compared_priority,
    compares,
    has_executed,
    is_class_selected,
    is_in_scope,
    is_number_selected,
    is_selected,
    is_tier_in_baseline,
    is_tier_tried,
    is_trigger_stopped,
)

_NOTHING: Final = Selectable()
_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,64}", re.ASCII)


def config_of(question: Question) -> PreemptionConfig:
    """The PreemptionConfig of the preemptor's ClusterQueue; one without rules where there is none."""
    snapshot = question.snapshot
    return snapshot.cluster.config_of(snapshot.queue) or PreemptionConfig("")


def select_beside_config(question: Question) -> Selection:
    """Find targets by `spec.preemption`, and then, where these do not suffice, by a PreemptionConfig.

    Every attempt without fair sharing, and the two strategies of fair sharing together, go on with the
    tiers of the PreemptionConfig; whose removal is not needed is given its quota back, whoever selected it.
    KEP-9876 names no protection from a PreemptionConfig.

    Args:
        question: the search; its ClusterQueue names a PreemptionConfig.

    Source: Kueue of September 2026, classical strategy, fair strategy and evaluator of PreemptionConfigs.
    """
    config, leaving = config_of(question), leaving_of(question)
    if question.terms.fair_sharing:
        candidates, played = fair_end(beside_protection(question))
        whole = _continued(question, config, leaving, played.attempts[-1], played.end)
        return _selection(question, leaving, candidates, (*played.attempts[:-1], whole.attempt), whole.end)
    made: list[Attempt] = []
    merged = are_candidates_merged(question.terms.configured_candidates, question.terms.fair_sharing)
    go_on = _merged if merged else _continued
    candidates, ends = classical_ends(beside_protection(question), leaving)
    for attempt, end in ends:
        whole = go_on(question, config, leaving, attempt, end)
        made.append(whole.attempt)
        if whole.end.fits:
            break
    return _selection(question, leaving, candidates, tuple(made), whole.end)


class _Continued(NamedTuple):
    """An attempt with the tiers of a PreemptionConfig, and what its removals came to."""

    attempt: Attempt
    end: Removal[Usage, Candidate]


def _selection(
    question: Question,
    leaving: Leaving,
    candidates: tuple[Candidate, ...],
    attempts: tuple[Attempt, ...],
    end: Removal[Usage, Candidate],
) -> Selection:
    last = attempts[-1]
    complete = completed_in(last.may_borrow)

    def completed(candidate: Candidate) -> Candidate:
        by_share = candidate.selected is not None or question.terms.fair_sharing
        return candidate if by_share else complete(candidate)

    def fits(usage: Usage) -> bool:
        return leaving.fits(usage, last.may_borrow)

    named = (*candidates, *(found for found in last.waiting if found.selected is not None))
    if are_candidates_merged(question.terms.configured_candidates, question.terms.fair_sharing):
        named = last.waiting
    each = {found.workload.key: found for found in reversed(named)}
    once = tuple(found for found in named if each[found.workload.key] is found)
    found = selection_after(question, once, attempts, end, fits, leaving.beside, completed)
    return within_limits(question, found)


def _continued(
    question: Question,
    config: PreemptionConfig,
    leaving: Leaving,
    attempt: Attempt,
    end: Removal[Usage, Candidate],
) -> _Continued:
    """An attempt that goes on with the tiers until the request fits."""

    def fits(usage: Usage) -> bool:
        return leaving.fits(usage, attempt.may_borrow)

    if end.fits:
        return _Continued(attempt, end)
    tiers = removed_by_tiers(question, config, leaving, end, fits, fits)
    before = 0 if end.removed is None else sum(1 for _ in end.removed)
    taken = in_order(tiers.end.removed)[before:]
    turns = (*attempt.turns, *(Turn(candidate, removed=True) for candidate in taken))
    known = {candidate.workload.key for candidate in attempt.waiting}
    more = (candidate for candidate in tiers.named if candidate.workload.key not in known)
    tried = Attempt(
        (*attempt.waiting, *more),
        turns,
        tiers.end.usage,
        tiers.end.fits,
        attempt.may_borrow,
        attempt.strategy,
    )
    return _Continued(tried, tiers.end)


def _merged(
    question: Question,
    config: PreemptionConfig,
    leaving: Leaving,
    attempt: Attempt,
    end: Removal[Usage, Candidate],
) -> _Continued:
    """An attempt that begins again with each tier, sorted among all candidates before it (PCF-110)."""
    whole, stopped = _Continued(attempt, end), False
    for trigger in _triggers_of(config):
        if whole.end.fits and not is_tier_in_baseline(trigger, question.terms.always_trigger):
            break
        if not is_tier_tried(trigger, whole.end.fits, stopped):
            continue
        tier = tier_of(question, config, trigger, ())
        stopped = tier is None
        if tier:
            whole = _begun_again(question, leaving, _pooled(question, whole.attempt.waiting, tier), attempt)
    return whole


def _pooled(
    question: Question, before: Iterable[Candidate], tier: Iterable[Candidate]
) -> tuple[Candidate, ...]:
    """Candidates with those of one more tier, in the order of KQ-220.

    Whom `spec.preemption` names too stays twice, side by side: the second has its turn if the first is no
    longer eligible at its own.
    """
    pool, groups, selected = list(before), dict[str, int](), set[str]()
    for known in pool:
        groups[known.workload.key] = known.group
        if known.selected is not None:
            selected.add(known.workload.key)
    more = (found for found in tier if found.workload.key not in selected)
    pool += (replace(found, group=groups.get(found.workload.key, found.group)) for found in more)
    return tuple(sorted(pool, key=lambda found: sort_key(question, found.workload, found.group)))


def _begun_again(
    question: Question, leaving: Leaving, waiting: tuple[Candidate, ...], attempt: Attempt
) -> _Continued:
    turns, fits = _MergedTurns(question, leaving, attempt.may_borrow), fitting(leaving, attempt.may_borrow)
    end = remove_until_fits(waiting, leaving.usage, turns.may_leave, fits, leaving.without)
    return _Continued(Attempt(waiting, turns.made, end.usage, end.fits, attempt.may_borrow), end)


class _MergedTurns(Turns):
    """The same where a PreemptionConfig selects some of the candidates: each leaves once."""

    def __init__(self, question: Question, leaving: Leaving, may_borrow: bool) -> None:
        super().__init__(leaving, may_borrow)
        self._question = question
        self._left: dict[str, Candidate] = {}

    def may_leave(self, usage: Usage, candidate: Candidate) -> bool:
        """Whether it is still there, and eligible or selected."""
        key = candidate.workload.key
        if key in self._left or is_beyond_limit(self._question, self._left.values(), candidate):
            return False
        may = candidate.selected is not None or super().may_leave(usage, candidate)
        if candidate.selected is not None:
            self._made.append(Turn(candidate, removed=True))
        if may:
            self._left[key] = candidate
        return may


class Tiers(NamedTuple):
    """What the removals of the tiers came to.

    Args:
        end: all removals of the search.
        named: the candidates of all tiers that were tried, in order; one that was passed over before is named
            again.
    """

    end: Removal[Usage, Candidate]
    named: tuple[Candidate, ...]


def removed_by_tiers(
    question: Question,
    config: PreemptionConfig,
    leaving: Leaving,
    end: Removal[Usage, Candidate],
    fits: Callable[[Usage], bool],
    quota_fits: Callable[[Usage], bool],
) -> Tiers:
    """The removals of a search, continued by those of every tier in turn until the preemptor fits.

    Args:
        question: the search.
        config: the PreemptionConfig.
        leaving: what leaves for the search.
        end: what its removals have come to; the preemptor does not fit.
        fits: whether the preemptor fits beside what is in use.
        quota_fits: whether it does by quota; the same where no topology takes part.
    """
    stopped, named = False, list[Candidate]()
    for trigger in _triggers_of(config):
        if not is_tier_tried(trigger, quota_fits(end.usage), stopped):
            continue
        tier = tier_of(question, config, trigger, {found.workload.key for found in end.removed or ()})
        stopped = tier is None
        named += tier or ()
        for candidate in tier or ():
            if is_beyond_limit(question, end.removed or (), candidate):
                continue
            usage = leaving.without(end.usage, candidate)
            end = Removal(usage, Chain(candidate, end.removed), fits(usage))
            if end.fits:
                return Tiers(end, tuple(named))
    return Tiers(end, tuple(named))


def _triggers_of(config: PreemptionConfig) -> Iterator[Trigger]:
    """The triggers that some rule has, in the order of tiers."""
    return (trigger for trigger in Trigger if any(rule.trigger == trigger for rule in config.rules))


def tier_of(
    question: Question, config: PreemptionConfig, trigger: Trigger, gone: Iterable[str]
) -> tuple[Candidate, ...] | None:
    """The candidates of a trigger, in their order (KQ-220); None where an invalid selector stops it.

    A workload of another cohort tree frees no quota: it would be given its own back. It is left out.

    Args:
        question: the search.
        config: the PreemptionConfig.
        trigger: of the tier.
        gone: keys of the workloads that were removed before.
    """
    snapshot, removed = question.snapshot, frozenset(gone)
    running = (
        workload
        for node in snapshot.tree.nodes
        if node.queue is not None and not node.queue.inactive
        for workload in snapshot.running.get(node.place, ())
        if workload.key not in removed
    )
    found = selected_among(question, config, trigger, running)
    if found is None:
        return None
    candidates = [_candidate(question, workload, selected) for workload, selected in found]
    candidates.sort(key=lambda candidate: sort_key(question, candidate.workload, candidate.group))
    return tuple(candidates)


def _candidate(question: Question, workload: Workload, selected: SelectedBy) -> Candidate:
    tree, own = question.snapshot.tree, question.snapshot.place
    place = tree.places[workload.cluster_queue or ""]
    group, common = (OWN, None) if place == own else (ELSEWHERE, common_place(tree, place, own))
    return Candidate(workload, Evidence(Basis.NONE), place, group, common, selected=selected)


def selected_among(
    question: Question, config: PreemptionConfig, trigger: Trigger, workloads: Iterable[Workload]
) -> list[tuple[Workload, SelectedBy]] | None:
    """Which of some workloads the rules of a trigger select, each once.

    Args:
        question: the search.
        config: the PreemptionConfig.
        trigger: of the rules.
        workloads: workloads that hold quota, with their effective priorities.

    Returns:
        in the order of the workloads; None where invalid selectors stop the trigger (PCF-100).
    """
    applying = [rule for rule in evaluated(config, question.preemptor) if rule.trigger == trigger]
    if is_trigger_stopped(any(map(fault_of, applying)), question.terms.invalid_selector):
        return None
    found = []
    for workload in workloads:
        selected = _selected_by(question, config, trigger, applying, workload)
        if selected is not None:
            found.append((workload, selected))
    return found


def known_of(workload: Workload) -> Selectable:
    """What rules read of a workload; of one without, nothing but its priority.

    >>> known_of(Workload("ml", "w", "u", priority=7, created_at=0)).labels
    {}
    """
    return workload.selectable or _NOTHING


def evaluated(config: PreemptionConfig, preemptor: Workload) -> Iterator[PreemptionRule]:
    """The rules that Kueue evaluates: those that accept a preemptor, or that it cannot tell of."""
    for rule in config.rules:
        if rule.preemptors.fault or accepts(rule, preemptor):
            yield rule


def fault_of(rule: PreemptionRule) -> str:
    """Why Kueue cannot evaluate a rule that accepts the preemptor; empty where it can."""
    faults = (rule.preemptors.fault, *(selector.fault for selector in rule.candidates))
    return next(filter(None, faults), "")


def first_stopped(config: PreemptionConfig, invalid_selector: InvalidSelector) -> Trigger | None:
    """The first trigger that invalid selectors stop for every preemptor, with all later ones (PCF-100).

    Args:
        config: the PreemptionConfig.
        invalid_selector: as the reading has it.

    Returns:
        None where they stop none, or only for preemptors of some labels and priority classes.

    >>> from tenure.model import CandidateScope
    >>> wrong = CandidateSelector(CandidateScope.COHORT_TREE, queues=LabelSelector(fault="wrong"))
    >>> rule = PreemptionRule("all", Trigger.INSUFFICIENT_QUOTA, candidates=(wrong,))
    >>> first_stopped(PreemptionConfig("c", (rule,)), InvalidSelector.STOPS).label
    'InsufficientQuota'
    >>> low = replace(rule, preemptor_classes=ClassNames(("low",)))
    >>> first_stopped(PreemptionConfig("c", (low,)), InvalidSelector.STOPS) is None
    True
    """
    for_all = (
        rule.trigger
        for rule in config.rules
        if is_trigger_stopped(bool(fault_of(rule)), invalid_selector)
        # Whatever the labels, no preemptor is accepted by what cannot be built: it is evaluated all the same.
        and (rule.preemptors.fault or accepts_all(rule))
    )
    return min(for_all, default=None)


def accepts_all(rule: PreemptionRule) -> bool:
    """Whether a rule accepts every preemptor.

    >>> accepts_all(PreemptionRule("all", Trigger.ALWAYS))
    True
    """
    return (rule.preemptors, rule.preemptor_classes) == (LabelSelector(), ClassNames())


def accepts(rule: PreemptionRule, preemptor: Workload) -> bool:
    """Whether a rule accepts a preemptor by its labels and by the name of its priority class.

    Args:
        rule: the rule; its `preemptorSelector` is valid.
        preemptor: the pending workload.
    """
    labels = known_of(preemptor).labels
    return is_label_set_selected(rule.preemptors, labels) and is_class_named(
        rule.preemptor_classes, preemptor
    )


def _selected_by(
    question: Question,
    config: PreemptionConfig,
    trigger: Trigger,
    rules: Iterable[PreemptionRule],
    workload: Workload,
) -> SelectedBy | None:
    by: dict[str, tuple[int, ...]] = {}
    first: SelectorFacts | None = None
    for rule in rules:
        if rule.preemptors.fault:
            continue
        for place, selector in enumerate(rule.candidates):
            if selector.fault:
                continue
            facts = facts_of(question, rule, selector, workload)
            if is_selected(facts) and has_run(question, selector, workload):
                by[rule.name] = (*by.get(rule.name, ()), place)
                first = first or facts
    return None if first is None else SelectedBy(config.name, trigger, tuple(sorted(by.items())), first)


def has_run(question: Question, selector: CandidateSelector, workload: Workload) -> bool:
    """Whether a workload has run as long as a selector demands (PCF-130).

    Args:
        question: the search.
        selector: of a PreemptionConfig.
        workload: one that holds quota.
    """
    return has_executed(workload, question.now, selector.min_execution, question.terms.execution_start)


def facts_of(
    question: Question, rule: PreemptionRule, selector: CandidateSelector, workload: Workload
) -> SelectorFacts:
    """What a selector of a rule finds of a workload (PCF-070).

    Args:
        question: the search.
        rule, selector: valid ones.
        workload: one that holds quota, with its effective priority.
    """
    known, preemptor = known_of(workload), question.preemptor
    queue = question.snapshot.cluster.cluster_queues.get(workload.cluster_queue or "")
    return SelectorFacts(
        preemptor=accepts(rule, preemptor),
        uses_needed=uses_any(workload, question.needed),
        in_scope=_is_in_scope(question, selector, workload),
        cluster_queue=queue is not None and is_label_set_selected(selector.queues, queue.labels),
        labels=is_label_set_selected(selector.workloads, known.labels),
        numbers=all(is_label_number_selected(number, workload, preemptor) for number in selector.numbers),
        priority=_is_priority_selected(selector.mode, selector.comparison, workload, preemptor),
        priority_class=is_class_named(selector.classes, workload),
    )


def _is_in_scope(question: Question, selector: CandidateSelector, workload: Workload) -> bool:
    tree, own, preemptor = question.snapshot.tree, question.snapshot.place, question.preemptor
    place = tree.places.get(workload.cluster_queue or "")
    parent = tree.nodes[own].parent
    return is_in_scope(
        selector.scope,
        same_queue=place == own,
        same_local_queue=(workload.namespace, workload.queue_name)
        == (preemptor.namespace, preemptor.queue_name),
        same_parent=place is not None and parent is not None and tree.nodes[place].parent == parent,
        same_root=place is not None,
    )


def is_class_named(names: ClassNames, workload: Workload) -> bool:
    """Whether names accept the priority class of a workload (PCF-040)."""
    name = known_of(workload).priority_class
    return is_class_selected(bool(names.match), name in names.match, name in names.exclude)


def number_of(label: NumericLabel, workload: Workload) -> int | None:
    """The number of a workload: its label as a 32-bit integer, or else the fallback; None without either.

    >>> number_of(NumericLabel("nodes", fallback=1), Workload("ml", "w", "u", priority=0, created_at=0))
    1
    """
    return number_in(label, known_of(workload).labels.get(label.key))


def number_in(label: NumericLabel, value: str | None) -> int | None:
    """The number that a value of a label counts as; None where that is none and the label has no fallback.

    >>> number_in(NumericLabel("nodes", fallback=1), "4"), number_in(NumericLabel("nodes"), "four")
    (4, None)
    """
    number = whole_number(value or "")
    return label.fallback if number is None else number


def whole_number(text: str) -> int | None:
    """The number that a label's value is, as a 32-bit integer in base 10; None where it is none.

    >>> whole_number("08"), whole_number("3.14")
    (8, None)
    """
    return int(text) if _WHOLE.fullmatch(text) and -(2**31) <= int(text) < 2**31 else None


def is_label_number_selected(label: NumericLabel, workload: Workload, preemptor: Workload) -> bool:
    """Whether a numeric label selects a workload (PCF-060).

    Args:
        label: of a selector.
        workload: one that holds quota.
        preemptor: the pending workload.
    """
    mine, theirs = number_of(label, preemptor), number_of(label, workload)
    return is_number_selected(theirs, mine, label.comparison, label.minimum, label.maximum)


def _is_priority_selected(
    mode: PriorityMode | None, comparison: Comparison | None, workload: Workload, preemptor: Workload
) -> bool:
    if mode is None or comparison is None:
        return True
    theirs, mine = (priority_of(each, mode) for each in (workload, preemptor))
    return compares(comparison, theirs, mine)


def priority_of(workload: Workload, mode: PriorityMode) -> int:
    """The priority of a workload that a mode compares (PCF-030).

    >>> priority_of(Workload("ml", "w", "u", priority=7, created_at=0), PriorityMode.BASE)
    7
    """
    base = known_of(workload).priority
    return compared_priority(mode, workload.priority if base is None else base, workload.priority)


def stopped_by(question: Question, config: PreemptionConfig) -> Iterator[tuple[PreemptionRule, str]]:
    """The rules that an invalid selector of theirs makes stop their trigger, with what is wrong."""
    for rule in evaluated(config, question.preemptor):
        fault = fault_of(rule)
        if is_trigger_stopped(bool(fault), question.terms.invalid_selector):
            yield rule, fault
