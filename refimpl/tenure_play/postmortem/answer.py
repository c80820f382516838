"""Why a workload was preempted: by its record, and by the cluster as it was."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Final

from tenure.choices import DEFAULT_LIMIT
from tenure.explanation.answer_types import CounterfactualsShape
from tenure.explanation.answers import counterfactuals_shape
from tenure.explanation.counterfactuals import IsKept
from tenure.explanation.explain import explain_workload
from tenure.explanation.proposals import proposals_in
from tenure.explanation.remarks import BASIS_RULES, CONFIG_RULES, Remark
from tenure.explanation.shortages import amount
from tenure.explanation.summary import reading_text, summarize
from tenure.manifests import Loaded
from tenure.manifests.history import (
    EVICTED_BY,
    PENDING,
    PREEMPTED,
    ConditionNote,
    WorkloadEvent,
    read_preemption_message,
)
from tenure.manifests.naming import finished_text, key_of_raw
from tenure.manifests.structure import dig
from tenure.model import Basis, Instant, Reason, Target, WithinClusterQueue, Workload
from tenure.oracle.decide import Decision
from tenure.oracle.tree import quota_at
from tenure.readings import Reading
from tenure.units import format_instant, format_names
from tenure_play.postmortem.answer_types import (
    Certainty,
    CountedEvictions,
    PastAnswer,
    PastEvent,
    PastEventKind,
    RecordedEvent,
    RuleChain,
)
from tenure_play.postmortem.record import (
    PreemptionRecord,
    Preemptor,
    eviction_of,
    later_eviction_of,
    noted,
    preemptor_of,
    record_of,
    uids_of,
)
from tenure_play.postmortem.replay import Replay, bases_of, preempted_by, replayed

_MOST_NAMES = 5
_BY_TIME = frozenset({"KQ-020", "KQ-030", "TBP-020", "TBP-030", "TBP-040", "TBP-050", "TBP-060"})
"""Rules whose findings show since when a workload held its quota."""
_OF_TIME = ("now", "minAdmitDuration", "creationTimestamp", "lastTransitionTime")
"""Fields whose nearest change is measured from that."""


def preemption_record(loaded: Loaded, victim: str) -> PreemptionRecord | None:
    """What is recorded of a workload that was preempted or evicted and does not run; None of any other.

    Args:
        loaded: the cluster.
        victim: `namespace/name`.

    >>> from tenure.model import Cluster
    >>> preemption_record(Loaded(Cluster({})), "ml/train") is None
    True
    """
    record = record_of(loaded, victim, uids_of(loaded).get(victim, ""))
    if record is None:
        return eviction_of(loaded, victim)
    running = next((workload for workload in loaded.cluster.admitted if workload.key == victim), None)
    if running is None or later_eviction_of(loaded, record) is not None:
        return record
    runs_again = (running.quota_reserved_at or 0) > (record.at or 0) and not running.evicted
    return None if runs_again or record.again is not None else record


def past_answer(
    loaded: Loaded,
    record: PreemptionRecord,
    now: Instant,
    reading: Reading,
    counterfactuals: int = DEFAULT_LIMIT,
) -> PastAnswer:
    """Why a workload was preempted.

    Args:
        loaded: the cluster, at any later instant.
        record: of the preemption.
        now: the clock of the question, ns since the epoch.
        reading: what is decided under.
        counterfactuals: how many of the nearest counterfactuals at most; 0 searches for none.
    """
    parsed = record.parsed
    preemptor = preemptor_of(loaded, parsed) if parsed else Preemptor()
    replay = replayed(loaded, record, preemptor, reading)
    certainty = _certainty(record, replay)
    confirmed = replay.decision if certainty == Certainty.CONFIRMED else None
    others = sorted(other.victim for other in preempted_by(loaded, record))
    later = later_eviction_of(loaded, record)
    return PastAnswer(
        victim=record.victim,
        cluster_queue=parsed.victim_path[-1] if parsed and parsed.victim_path else None,
        at=None if record.at is None else format_instant(record.at),
        reason=record.reason,
        message=record.message,
        certainty=certainty,
        preemptor=preemptor.key or None,
        preemptor_uid=parsed.uid if parsed else "",
        preemptor_queue=_preemptor_queue(record, replay),
        chains=_chains(record, replay if certainty == Certainty.CONFIRMED else None),
        together=tuple(key for key in others if key != record.victim),
        since=tuple(_since(loaded, record, later)),
        evictions=tuple(
            CountedEvictions(counted.reason, counted.cause, counted.count)
            for counted in loaded.evictions.get(record.victim, ())
        ),
        events=tuple(_events(loaded, record.victim)),
        present=_present(loaded, record.victim),
        summary=_summary(record, preemptor, certainty, replay, later),
        replay=_replay_text(preemptor, replay),
        unknown=tuple(_unknown(record, preemptor, replay)),
        remarks=_remarks(confirmed, record.victim, replay) if confirmed else (),
        counterfactuals=_counterfactuals(confirmed, preemptor, record.victim, replay, counterfactuals)
        if confirmed and counterfactuals
        else None,
        now=format_instant(now),
        proposals=proposals_in(loaded.cluster),
        reading=reading.written(),
        reading_text=reading_text(reading),
    )


def earlier_text(loaded: Loaded, workload: Workload) -> str | None:
    """The last preemption of a workload in a line; None where none is recorded.

    Args:
        loaded: the cluster.
        workload: one of it.
    """
    record = record_of(loaded, workload.key, workload.uid)
    if record is None:
        return None
    when = _when(record)
    parsed = record.parsed
    preemptor = preemptor_of(loaded, parsed) if parsed else Preemptor()
    reason = f": {record.reason}" if record.reason else ""
    runs = workload.cluster_queue is not None and later_eviction_of(loaded, record) is None
    asked = "" if runs else f"; ask tenure why {workload.key}"
    return f"was preempted{when}, {_who(record, preemptor)}{reason}{asked}"


def _certainty(record: PreemptionRecord, replay: Replay) -> Certainty:
    if record.other:
        return Certainty.NOT_PREEMPTED
    parsed = record.parsed
    if parsed is None or not (parsed.uid or parsed.key) or record.known_reason is None:
        return Certainty.UNKNOWN
    return Certainty.CONFIRMED if replay.matches else Certainty.RECORDED


def _preemptor_queue(record: PreemptionRecord, replay: Replay) -> str | None:
    """The preemptor's ClusterQueue by the message, or by today's objects where that does not name it."""
    parsed = record.parsed
    if parsed is not None and parsed.preemptor_path:
        return parsed.preemptor_path[-1]
    return replay.decision.queue.name if parsed is not None and parsed.config and replay.decision else None


def _since(loaded: Loaded, record: PreemptionRecord, later: ConditionNote | None) -> Iterator[PastEvent]:
    """What has happened to a workload since it was preempted."""
    if record.again is not None:
        at = format_instant(record.again)
        yield PastEvent(at, PastEventKind.RESERVED, "", "quota was reserved for it again")
    if later is not None:
        text = f"it was evicted, {later.reason}: {later.message}; that is not a preemption"
        yield PastEvent(_stamp(later), PastEventKind.EVICTED, later.reason, text)
    raw = _out_of_play(loaded, record.victim)
    ended = noted(loaded, record.victim, "Finished")
    if ended is not None and ended.holds:
        text = f"it finished: {ended.message}" if ended.message else "it finished"
        yield PastEvent(_stamp(ended), PastEventKind.FINISHED, ended.reason, text)
    elif dig(raw, "spec", "active") is False and (record.other or later is None):
        yield PastEvent(None, PastEventKind.DEACTIVATED, "", "it was deactivated: spec.active is false")


def _events(loaded: Loaded, key: str) -> Iterator[RecordedEvent]:
    """The Events about a workload; of those like one another in a row the last."""
    events = loaded.events.get(key, ())
    for number, event in enumerate(events):
        after = events[number + 1].reason if number + 1 < len(events) else ""
        # The same eviction has two.
        repeats = event.reason == after == PENDING or event.reason == f"{EVICTED_BY}{PREEMPTED}"
        if not repeats:
            text = _event_text(loaded, event)
            at, last = format_instant(event.at), format_instant(event.last)
            yield RecordedEvent(at, last, event.count, event.reason, event.message, text)


def _event_text(loaded: Loaded, event: WorkloadEvent) -> str:
    """An Event, in few words where they are known."""
    parsed = read_preemption_message(event.message) if event.reason == PREEMPTED else None
    if parsed is None:
        return f"{event.reason}: {event.message}"
    preemptor = preemptor_of(loaded, parsed).key or f"a workload that is no longer there (UID {parsed.uid})"
    return f"{event.reason} for {preemptor}{f', {parsed.reason}' if parsed.reason else ''}"


def _present(loaded: Loaded, key: str) -> str:
    """What a workload does now, and the command that explains it."""
    raw = _out_of_play(loaded, key)
    if raw is not None:
        return f"it {finished_text(raw)}"
    if any(workload.key == key for workload in loaded.cluster.admitted):
        return "it holds quota while its pods end"
    return f"it is pending: `why-not {key}` explains what it waits for"


def _out_of_play(loaded: Loaded, key: str) -> object:
    return next((raw for raw in loaded.out_of_play if key_of_raw(raw) == key), None)


def _stamp(note: ConditionNote) -> str | None:
    return None if note.since is None else format_instant(note.since)


def _remarks(decision: Decision, victim: str, replay: Replay) -> tuple[Remark, ...]:
    """What each rule found, without what is made of a time that had to be assumed."""
    then = next(workload for workload in decision.running if workload.key == victim)
    remarks = explain_workload(decision, then).remarks
    if not _is_vague(replay, victim):
        return remarks
    return tuple(remark for remark in remarks if remark.rule not in _BY_TIME and "reserv" not in remark.text)


def _counterfactuals(
    decision: Decision, preemptor: Preemptor, victim: str, replay: Replay, limit: int
) -> CounterfactualsShape | None:
    """The changes after which it would have been kept, without those of fields that had to be assumed."""
    assumed = _OF_TIME if _is_vague(replay, victim) else ()
    if replay.on_flavors:
        # Each of them would be decided on the flavors that come out.
        return None
    admitted = preemptor.workload is not None and preemptor.workload.cluster_queue is not None
    pods = f"Workload/{preemptor.key}" if admitted else ""
    found = counterfactuals_shape(decision, victim, limit, IsKept(victim))
    kept = tuple(
        change
        for change in found.nearest
        if not any(word in change.field for word in assumed)
        and not (change.object == pods and change.field.startswith("spec.podSets"))
    )
    return dataclasses.replace(found, nearest=kept)


def _is_vague(replay: Replay, victim: str) -> bool:
    """Whether it is not known since when a workload held its quota."""
    restored = replay.restored
    return restored is None or any(
        holding.workload.key == victim and holding.since is None for holding in restored.vague
    )


_ALLOWS: Final = {
    Basis.LOWER_PRIORITY: "its priority was lower",
    Basis.NEWER_EQUAL: "its priority was equal, and it was newer",
    Basis.TIME_EXPIRED: "its priority was equal, and its minAdmitDuration had passed",
    Basis.HIERARCHICAL: "its ClusterQueue had borrowed; the preemptor's request fitted the quota of its own "
    "ClusterQueue or of a nearer Cohort",
    Basis.WITHOUT_BORROWING: "its ClusterQueue had borrowed; the preemptor's request fitted without "
    "borrowing, once workloads of its own ClusterQueue had left",
    Basis.WHILE_BORROWING: "its priority was lower, and the preemptor's borrowWithinCohort is LowerPriority",
    Basis.WITHIN_NOMINAL: "under fair sharing: the preemptor's request fitted the nominal quota of its own "
    "ClusterQueue",
    Basis.FINAL_SHARE: "its side's share was still at least the preemptor's after it was removed",
    Basis.INITIAL_SHARE: "its side's share was higher than the preemptor's before it was removed",
    Basis.HERO: "the preemptor's ClusterQueue is a hero, to which it gave way",
}
"""What allows a preemption, by its basis."""


def _chains(record: PreemptionRecord, confirmed: Replay | None) -> tuple[RuleChain, ...]:
    """The rules of the bases that the replay finds, then of those that it cannot exclude.

    Without a replay those of all bases that the reason stands for.
    """
    reason, parsed = record.known_reason, record.parsed
    if reason is None:
        return ()
    if reason == Reason.CONFIGURABLE_PREEMPTION:
        by = f" rule {parsed.rules} of {parsed.config}" if parsed is not None else ""
        return (RuleChain(CONFIG_RULES, f"a PreemptionConfig selected it{by and ':'}{by}"),)
    if confirmed is None:
        return tuple(_chain(basis) for basis in bases_of(reason))
    found = sorted(confirmed.bases)
    return tuple(_chain(basis) for basis in dict.fromkeys((*found, *_not_excluded(confirmed))))


def _not_excluded(replay: Replay) -> Iterator[Basis]:
    """The bases of the same reason that workloads which are gone since may have made the case.

    Without borrowing (KQ-360) the request fits only when workloads of the preemptor's own ClusterQueue leave.
    Which of two strategies of fair sharing allows it hangs on the shares.
    """
    decision = replay.decision
    assert decision is not None
    terms, strategies = decision.terms, decision.snapshot.cluster.settings.fair_sharing
    across = (Basis.HIERARCHICAL, Basis.WITHOUT_BORROWING)
    shares = (Basis.FINAL_SHARE, Basis.INITIAL_SHARE)
    if replay.bases & {*across} and terms.within_cluster_queue != WithinClusterQueue.NEVER:
        yield from across
    if replay.bases & {*shares} and len(strategies or ()) > 1:
        yield from shares


def _chain(basis: Basis) -> RuleChain:
    return RuleChain(BASIS_RULES[basis], _ALLOWS[basis])


def _when(record: PreemptionRecord) -> str:
    if record.at is not None:
        return f" at {format_instant(record.at)}"
    return "" if record.again is None else f" before {format_instant(record.again)}, when it got quota again"


def _who(record: PreemptionRecord, preemptor: Preemptor) -> str:
    if record.parsed is None or not (record.parsed.uid or record.parsed.key):
        return "for a workload that the record does not name"
    if preemptor.key:
        return f"for {preemptor.key}"
    return f"for a workload that is no longer there (UID {record.parsed.uid})"


def _summary(
    record: PreemptionRecord,
    preemptor: Preemptor,
    certainty: Certainty,
    replay: Replay,
    later: ConditionNote | None,
) -> str:
    if record.other:
        text = "that is not a preemption, and no workload took its quota"
        return f"{record.victim} was evicted{_when(record)}, {record.reason}: {text}"
    reason = f", {record.reason}" if record.reason else ""
    comma = "," if record.at is None and record.again is not None else ""
    preempted = f"was preempted{_when(record)}{comma} {_who(record, preemptor)}{reason}"
    if later is not None:
        at = _stamp(later)
        evicted = f"was evicted{f' at {at}' if at else ''}, {later.reason}, which is not a preemption"
        confirmed = ", which deciding again confirms" if certainty == Certainty.CONFIRMED else ""
        if certainty == Certainty.RECORDED and replay.decision is not None:
            confirmed = ", which deciding again contradicts"
        return f"{record.victim} {evicted}; before that it {preempted}{confirmed}"
    again = f"; not decided again, because {replay.why_not}"
    if replay.decision is not None:
        again = f", but deciding again contradicts it: {_outcome_text(preemptor, replay.decision)}"
    why = {
        Certainty.CONFIRMED: "recorded, and confirmed by deciding again",
        Certainty.RECORDED: f"recorded{again}",
        Certainty.UNKNOWN: "the record says no more",
    }[certainty]
    return f"{record.victim} {preempted}: {why}"


def _replay_text(preemptor: Preemptor, replay: Replay) -> str:
    decision = replay.decision
    if decision is None:
        return f"not decided again: {replay.why_not}"
    text = _outcome_text(preemptor, decision)
    if replay.matches:
        return text
    return f"{text}; the record differs ({replay.tried} restorations were decided)"


def _outcome_text(preemptor: Preemptor, decision: Decision) -> str:
    """What the restored cluster decides."""
    named = ", ".join(f"{target.workload.key} ({_reason(decision, target)})" for target in decision.targets)
    return f"{preemptor.key} preempts {named}" if named else summarize(decision)[0]


def _reason(decision: Decision, target: Target) -> str:
    selected = decision.selected_by_config(target.workload)
    by = "" if selected is None else f", by {selected.config} rule {selected.words}"
    return f"{target.reason.label}{by}"


def _unknown(record: PreemptionRecord, preemptor: Preemptor, replay: Replay) -> Iterator[str]:
    """What could not be restored, the particular before what holds of every dump."""
    if record.other:
        return
    if record.parsed is None:
        yield "the message: it is not understood"
    elif record.known_reason is None:
        yield f"which rule it was: {record.reason or 'the reason'} is no reason that a rule gives"
    if preemptor.same_job:
        yield f"the preemptor's object; of the same Job there is {', '.join(preemptor.same_job)} today"
    if replay.restored is not None:
        yield from _not_restored(replay)
        if preemptor.workload is not None and preemptor.workload.cluster_queue is not None:
            flavors = ", on the same flavors" if replay.on_flavors else ""
            yield f"what {preemptor.key} asked for: what it was admitted with later is taken{flavors}"
    yield "workloads that have finished or were deleted since then, and are not among the objects"
    config = record.parsed.config if record.parsed is not None else ""
    of_config = f"PreemptionConfig {config}, " if config else ""
    edited = f"{of_config}queues, cohorts, flavors, classes, priorities or Kueue's Configuration"
    yield f"whether {edited} were edited since: today's are taken"


def _not_restored(replay: Replay) -> Iterator[str]:
    restored = replay.restored
    assert restored is not None
    sure = [holding for holding in restored.vague if holding.sure]
    undated = [holding.workload.key for holding in sure if holding.since is None]
    if undated:
        yield f"since when {_names(undated)} held quota"
    fewer = [
        holding.workload
        for holding in sure
        if any(pods.min_count is not None for pods in holding.workload.pod_sets)
    ]
    if fewer:
        yield f"with how many pods {_names(workload.key for workload in fewer)} ran: all are taken"
    flavors = [holding.workload.key for holding in sure if len(holding.options) > 1]
    if flavors:
        yield f"on which flavors {_names(flavors)} ran"
    yield from _impossible(replay)
    doubted = [holding.workload.key for holding in restored.vague if not holding.sure]
    if doubted:
        yield f"whether {_names(doubted)} held quota then: evicted or admitted in the same second or later"


def _impossible(replay: Replay) -> Iterator[str]:
    """Where the workloads that held quota by the objects held more than there is."""
    if replay.decision is None:
        return
    snapshot = replay.decision.snapshot
    for at, held in sorted(snapshot.usage[0].items()):
        quota = quota_at(snapshot.tree, 0, at).subtree
        if held > quota:
            exceeds = (
                f"{amount(at, held)} {at.resource} on {at.flavor}, of {amount(at, quota)} that there are"
            )
            yield f"who held quota: by the objects {exceeds}"


def _names(keys: Iterable[str]) -> str:
    return format_names(sorted(keys), _MOST_NAMES)
