"""The answers of `why`, `why-not` and `next`: one way to them, for the command line, Python and the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tenure.answer import Answer
from tenure.api import Decision, Loaded, in_line
from tenure.choices import DEFAULT_LIMIT
from tenure.errors import InputError
from tenure.inquiry import Inquiry
from tenure.manifests.naming import LIVE, pending_key, running_key, workload_key
from tenure.manifests.premises import configured_premises
from tenure.manifests.structure import dig
from tenure.model import Workload
from tenure_play.forecast.answer_types import NextAnswer
from tenure_play.forecast.joint import gates_over_time
from tenure_play.from_cluster import manifests_of

if TYPE_CHECKING:
    from tenure.explanation.answers import Locate
    from tenure_play.forecast.answer import Horizon
    from tenure_play.forecast.coming import Outlook


@dataclass(frozen=True, slots=True)
class Detailing:
    """How much of an answer is listed.

    Args:
        verbose: everything that the rules found, not only what decides.
        every: all workloads one by one.
        counterfactuals: how many changes are named that would change the answer.
    """

    verbose: bool = False
    every: bool = False
    counterfactuals: int = DEFAULT_LIMIT


BRIEF = Detailing()


@dataclass(frozen=True)
class WorkloadQuestions:
    """Questions about the workloads of a cluster.

    Args:
        asked: the cluster with its objects, the clock, the reading.
        files: where the lines of fields are looked up.
        outlook: the coming cycles; None where they are not looked at.
    """

    asked: Inquiry
    files: Sequence[str | Path] = ()
    outlook: Outlook | None = None

    def why(self, victim: str, pending: str | None = None, detailing: Detailing = BRIEF) -> Answer[Any]:
        """Why a workload was preempted, or which pending ones could preempt a running one.

        Args:
            victim: what the running workload is called, or one that was preempted.
            pending: the pending one; None for all of them.
            detailing: how much is listed.

        Raises:
            InputError: there is no such workload, or it cannot be decided about.
        """
        from tenure.explanation.answers import why_answer
        from tenure.explanation.risk.answer import exposure_answer
        from tenure.explanation.text import why_outline
        from tenure_play.postmortem.answer import earlier_text

        asked = self.asked
        if pending is None:
            past = self._past(victim, detailing)
            if past is not None:
                return past
        target = _running(asked.loaded, victim)
        undecided: list[tuple[str, str]] = []
        if pending is not None:
            decisions = [asked.decided(pending_key(asked.loaded, pending))]
        else:
            decisions, undecided = _decided_all(asked)
        answer = why_answer(
            target,
            decisions,
            asked.now,
            asked.reading,
            undecided,
            detailing.counterfactuals,
            worse=detailing.every,
        )
        configured = configured_premises(asked.loaded, (decision.queue.name for decision in decisions))
        premises = tuple(dict.fromkeys((*asked.premises(target.cluster_queue), *configured)))
        answer = replace(answer, earlier=earlier_text(asked.loaded, target), premises=premises)
        if pending is None:
            exposure = exposure_answer(asked.loaded.cluster, target, asked.now, asked.reading)
            coming = None
            if self.outlook is not None and not any(case.preempted for case in answer.cases):
                coming = self.outlook.of_victim(target)
            if coming is not None:
                summary = f"{answer.summary}, each taken alone; {coming.text}"
                answer = replace(answer, summary=summary, coming=coming)
            answer = replace(answer, exposure=exposure)
        outline = why_outline(answer, every=detailing.every, verbose=detailing.verbose)
        return asked.answered("why", answer, outline)

    def _past(self, victim: str, detailing: Detailing) -> Answer[Any] | None:
        """Why a workload was preempted; None where it was not."""
        from tenure_play.postmortem.answer import past_answer, preemption_record
        from tenure_play.postmortem.text import past_outline

        loaded = self.asked.loaded
        ended = {*loaded.history, *loaded.events}
        key = workload_key(loaded, victim, LIVE, field="VICTIM", otherwise=ended)
        record = preemption_record(loaded, key)
        if record is None:
            return None
        past = past_answer(loaded, record, self.asked.now, self.asked.reading, detailing.counterfactuals)
        past = replace(past, premises=self.asked.premises(past.preemptor_queue or past.cluster_queue))
        return self.asked.answered("why", past, past_outline(past, verbose=detailing.verbose))

    def why_not(self, pending: str, victim: str | None = None, detailing: Detailing = BRIEF) -> Answer[Any]:
        """Why a workload is not admitted, or why it does not preempt a running one.

        Args:
            pending: what the pending workload is called.
            victim: the running one; None for why the pending one is not admitted.
            detailing: how much is listed; with `verbose` what each rule found about every running workload.

        Raises:
            InputError: as `why`.
        """
        from tenure.explanation.answers import why_not_answer
        from tenure.explanation.text import why_not_outline
        from tenure_play.forecast.joint_outcome import JointFates
        from tenure_play.postmortem.answer import earlier_text

        if victim is None:
            other = self._not_queued(pending)
            if other is not None:
                return other
        asked = self.asked
        target = None
        if victim is not None:
            target = _running(asked.loaded, victim, "a file or folder that exists")
        decision = asked.decided(pending_key(asked.loaded, pending))
        ahead = _ahead(asked, decision) if target is None else ()
        outlook = self.outlook if target is None else None
        answer = why_not_answer(
            decision,
            target,
            detailing.counterfactuals,
            ahead,
            worse=detailing.every,
            every_workload=detailing.verbose,
            locate=self._locate,
            jointly=None if outlook is None else JointFates(outlook, decision).of_change,
        )
        coming = None if outlook is None else outlook.of_decision(decision, self._locate)
        if coming is not None:
            answer = replace(answer, summary=coming.summary, coming=coming)
        earlier, premises = (
            earlier_text(asked.loaded, decision.preemptor),
            asked.premises(decision.queue.name),
        )
        answer = replace(answer, earlier=earlier, premises=premises)
        outline = why_not_outline(answer, every=detailing.every, verbose=detailing.verbose)
        return asked.answered("why-not", answer, outline)

    def _not_queued(self, workload: str) -> Answer[Any] | None:
        """Why a workload that does not wait for quota does not run; None where it waits for quota."""
        from tenure_play.not_queued import NotQueued, key_of_any, not_queued_answer

        asked = self.asked
        key = key_of_any(asked.loaded, workload)
        queues = {
            str(dig(sourced.object, "metadata", "name")): sourced.object
            for sourced in asked.loaded.objects
            if dig(sourced.object, "kind") == "ClusterQueue"
        }
        manifest = self._manifests.get(key, {})
        found = NotQueued(asked.loaded, key, manifest, queues, asked.now, asked.cluster_queue)

        def coming() -> str | None:
            return None if self.outlook is None else self.outlook.summary(key)

        answer = not_queued_answer(found, asked.reading, self._locate, coming)
        return None if answer is None else asked.answered("why-not", answer, answer.outline())

    def next(self, workload: str | None, horizon: Horizon, *, every: bool = False) -> Answer[NextAnswer]:
        """What comes next in the cluster, or for one workload.

        Args:
            workload: the pending workload; None for the whole cluster.
            horizon: how far is looked ahead.
            every: whether the text lists everything.

        Raises:
            InputError: as `tenure_play.forecast.answer.look_ahead`, and as `without_unknown_trees`.
        """
        from tenure_play.forecast.answer import look_ahead
        from tenure_play.forecast.text import outline_of
        from tenure_play.forecast.unknown_trees import left_out, without_unknown_trees

        loaded = without_unknown_trees(self.asked.loaded, workload)
        more = (text for text in left_out(self.asked.loaded, loaded) if text not in loaded.warnings)
        asked = replace(self.asked, loaded=replace(loaded, warnings=(*loaded.warnings, *more)))
        answer = look_ahead(asked.loaded, self._manifests, asked.now, asked.reading, horizon, workload)
        return asked.answered("next", answer, outline_of(answer, every=every))

    @cached_property
    def _manifests(self) -> Mapping[str, Mapping[str, Any]]:
        return manifests_of(self.asked.loaded.objects) if self.outlook is None else self.outlook.manifests

    @cached_property
    def _locate(self) -> Locate:
        from tenure.manifests.source_lines import SourceLines

        lines = SourceLines()

        def locate(name: str, field: str) -> tuple[str, int]:
            file, _ = lines.of_object(self.files, name)
            return (file, lines.of_field(file, name, field)) if file else ("", 0)

        return locate


def outlook_of(asked: Inquiry) -> Outlook | None:
    """The coming cycles of a cluster; None where another ClusterQueue is asked about, or a gate decides about
    them that is not modelled.

    Args:
        asked: the cluster with its objects, the clock, the reading.
    """
    from tenure_play.forecast.coming import Outlook

    if asked.cluster_queue is not None:
        return None
    try:
        known = gates_over_time(asked.loaded)
    except InputError:
        return None
    return Outlook(asked.loaded, manifests_of(asked.loaded.objects), asked.now, asked.reading, known)


def _ahead(asked: Inquiry, decision: Decision) -> list[str]:
    """Who is ahead of a pending workload in its ClusterQueue; none where that is not known."""
    line = [queued.key for queued in in_line(asked.loaded, decision.queue.name, asked.now, asked.reading)]
    return line[: line.index(decision.preemptor.key)] if decision.preemptor.key in line else []


def _decided_all(asked: Inquiry) -> tuple[list[Decision], list[tuple[str, str]]]:
    """The decisions about all pending workloads, and who could not be decided about, with the reason."""
    decisions: list[Decision] = []
    undecided: list[tuple[str, str]] = []
    # A verdict about the victim needs every finding, also where it is not preempted.
    for pending_decision in asked.of_many(None, explained=True).decided_all():
        if pending_decision.decision is not None:
            decisions.append(pending_decision.decision)
        else:
            undecided.append((pending_decision.workload, "; ".join(map(str, pending_decision.problems))))
    return decisions, undecided


def _running(loaded: Loaded, name: str, beside: str = "") -> Workload:
    key = running_key(loaded, name, field="VICTIM", beside=beside)
    return next(workload for workload in loaded.cluster.admitted if workload.key == key)
