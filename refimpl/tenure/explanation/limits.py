"""Which PreemptionLimit keeps a search from preempting (KEP-13396, FUTURE_WORK), in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tenure.choices import Outcome
from tenure.explanation.remarks import Remark, remark
from tenure.model import PreemptionLimit
from tenure.oracle.decide import Decision, question_about
from tenure.oracle.preemption_limits import limit_without_room
from tenure.oracle.search import find_targets
from tenure.readings import LimitSearch
from tenure.units import counted, format_duration

if TYPE_CHECKING:
    from tenure.explanation.obstacle import Obstacle

_VICTIMS = "its victims"


def limit_text(decision: Decision, victims: str = _VICTIMS) -> str:
    """The PreemptionLimit that has no room for what a workload would preempt; empty where none keeps it.

    Args:
        decision: about the workload.
        victims: what its victims are called.
    """
    limit = _keeping(decision)
    return "" if limit is None else _no_room(limit, victims)


def limit_remarks(decision: Decision) -> Iterator[Remark]:
    """What PreemptionLimits have room for.

    Args:
        decision: one with a search for targets.
    """
    if not decision.snapshot.cluster.limits_in_force or decision.queue.preemption_config is None:
        return
    limit = _keeping(decision)
    if limit is None:
        yield remark("PCF-160", True, "every PreemptionLimit has room for the victims")
        return
    yield remark("PCF-160", False, _no_room(limit))
    passes = decision.terms.limit_search == LimitSearch.EACH
    what = "is passed over" if passes else "makes the search preempt none"
    yield remark("PCF-170", passes, f"a candidate beyond it {what}")


def limit_obstacles(decision: Decision) -> Iterator[Obstacle]:
    """The PreemptionLimit that keeps a workload from preempting.

    Args:
        decision: about the workload.
    """
    from tenure.explanation.obstacle import Obstacle

    limit = _keeping(decision)
    if limit is not None:
        text = f"it has no room for the victims within {format_duration(limit.window)}"
        yield Obstacle(f"PreemptionLimit/{limit.name}", "spec.limit", str(limit.limit), "", text, own=True)


def _keeping(decision: Decision) -> PreemptionLimit | None:
    """The limit without room for the victims or, where a search passes over candidates, for all of these.

    None where the search would find no target without limits either.
    """
    limits = decision.snapshot.cluster.limits_in_force
    if decision.outcome != Outcome.NO_CANDIDATES or decision.selection is None or not limits:
        return None
    if decision.terms.limit_search == LimitSearch.WHOLE:
        return decision.selection.exhausted
    question = question_about(decision)
    unlimited = replace(question.snapshot.cluster, preemption_limits=())
    if not find_targets(replace(question, snapshot=replace(question.snapshot, cluster=unlimited))).kept:
        return None
    return limit_without_room(question, decision.candidates)


def _no_room(limit: PreemptionLimit, victims: str = _VICTIMS) -> str:
    most = f"at most {counted(limit.limit, 'preemption')} within {format_duration(limit.window)}"
    return f"PreemptionLimit {limit.name} has no room for {victims}: {most}"
