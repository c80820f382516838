"""A decision as the protocol writes it."""

from __future__ import annotations

from typing import Any

from tenure.conformance.answer_types import (
    ConditionShape,
    DecideOutput,
    EffectShape,
    InputProblem,
    Metric,
    NeededResource,
    ProposedEffect,
    ProposedEvent,
    Trace,
    TraceAssignment,
    TracedWorkload,
    UsedResource,
)
from tenure.errors import Problem
from tenure.explanation.explain import explain
from tenure.explanation.quota_alone import topology_of
from tenure.explanation.shapes import assigned_pods, preempted_workloads
from tenure.model import Assignment
from tenure.oracle.decide import Decision
from tenure.oracle.effects import Effect, effects_of
from tenure.versions import kueue_version


def render_decision(decision: Decision, *, explained: bool = False) -> DecideOutput:
    """The `output` of call `decide`, without warnings.

    Args:
        decision: what was decided.
        explained: whether to add the assignment and the trace of every workload in the queue's tree.
    """
    return DecideOutput(**fields_of(decision, explained=explained))


def fields_of(decision: Decision, *, explained: bool) -> dict[str, Any]:
    """What `DecisionFields` has of a decision; see `render_decision`."""
    return {
        "decision": str(decision.outcome),
        "preempted": preempted_workloads(decision),
        "reading": decision.reading.written(),
        "kueue": kueue_version(None),
        "engine": str(decision.engine),
        "effects": tuple(map(_effect, effects_of(decision))),
        "topology": topology_of(decision.not_modelled),
        "left_to_reference": decision.left or None,
        "trace": _trace(decision) if explained else None,
    }


def _assignment(assignment: Assignment) -> TraceAssignment:
    return TraceAssignment(
        assigned_pods(assignment),
        tuple(UsedResource(*at, amount) for at, amount in sorted(assignment.usage.items())),
        tuple(NeededResource(*at) for at in sorted(assignment.needs_preemption)),
    )


def _effect(effect: Effect) -> EffectShape:
    proposed = None
    if effect.proposed is not None:
        metric = Metric(effect.metric, dict(effect.proposed.labels), 1)
        proposed = ProposedEffect(ProposedEvent(*effect.proposed.event), (metric,))
    return EffectShape(
        effect.workload,
        tuple(ConditionShape(kind, "True", why, effect.message) for kind, why in effect.conditions),
        (Metric(effect.metric, dict(effect.labels), 1),),
        proposed,
    )


def _trace(decision: Decision) -> Trace:
    explanation = explain(decision)
    return Trace(
        _assignment(decision.assignment),
        explanation.summary,
        explanation.request,
        tuple(
            TracedWorkload(found.workload, found.preempted, found.verdict, found.remarks)
            for found in explanation.workloads
        ),
    )


def render_problem(problem: Problem) -> InputProblem:
    """One thing that is wrong with an input."""
    return InputProblem(problem.object, problem.field, problem.found, problem.expected, str(problem.code))
