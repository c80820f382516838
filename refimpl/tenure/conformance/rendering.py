"""A decision as the protocol writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tenure.errors import Problem
from tenure.model import Assignment
from tenure.oracle.decide import Decision
from tenure.oracle.effects import Effect, effects_of
from tenure.telling.explain import Explanation, explain
from tenure.telling.quota_alone import topology_of
from tenure.telling.remarks import GROUND_RULES, Remark
from tenure.versions import kueue_asked

if TYPE_CHECKING:
    from tenure.conformance import answer_types as written


def render_decision(decision: Decision, *, explained: bool = False) -> written.DecideOutput:
    """The `output` of call `decide`, without warnings.

    Args:
        decision: what was decided.
        explained: whether to add the assignment and the trace of every workload in the queue's tree.
    """
    output: written.DecideOutput = {
        "decision": str(decision.outcome),
        "preempted": [
            {
                "workload": target.workload.key,
                "clusterQueue": target.workload.cluster_queue or "",
                "reason": target.reason.label,
                "rules": list(GROUND_RULES[target.evidence.ground]),
            }
            for target in decision.targets
        ],
        "reading": decision.reading.written(),
        "kueue": kueue_asked(None),
        "engine": str(decision.engine),
        "effects": [_effect(effect) for effect in effects_of(decision)],
    }
    topology = topology_of(decision.not_modelled)
    if topology is not None:
        output["topology"] = topology
    if decision.left:
        output["leftToReference"] = decision.left
    if explained:
        output["trace"] = _trace(decision.assignment, explain(decision))
    return output


def render_pod_sets(assignment: Assignment) -> list[written.WrittenPods]:
    """The pod sets of an assignment: how many pods each gets, on which flavors.

    Args:
        assignment: of a decision.
    """
    return [
        {"name": pods.name, "count": pods.count, "flavors": dict(sorted(pods.flavors.items()))}
        for pods in assignment.pod_sets
    ]


def _assignment(assignment: Assignment) -> written.TraceAssignment:
    return {
        "podSets": render_pod_sets(assignment),
        "usage": [
            {"flavor": at.flavor, "resource": at.resource, "amount": amount}
            for at, amount in sorted(assignment.usage.items())
        ],
        "frsNeedPreemption": [
            {"flavor": at.flavor, "resource": at.resource} for at in sorted(assignment.needs_preemption)
        ],
    }


def _effect(effect: Effect) -> written.EffectShape:
    rendered: written.EffectShape = {
        "workload": effect.workload,
        "conditions": [
            {"type": kind, "status": "True", "reason": why, "message": effect.message}
            for kind, why in effect.conditions
        ],
        "metrics": [{"name": effect.metric, "labels": dict(effect.labels), "increment": 1}],
    }
    if effect.proposed is not None:
        kind, why, message = effect.proposed.event
        rendered["proposed"] = {
            "event": {"type": kind, "reason": why, "message": message},
            "metrics": [{"name": effect.metric, "labels": dict(effect.proposed.labels), "increment": 1}],
        }
    return rendered


def _trace(assignment: Assignment, explanation: Explanation) -> written.Trace:
    return {
        "assignment": _assignment(assignment),
        "summary": list(explanation.summary),
        "request": [_remark(remark) for remark in explanation.request],
        "workloads": [
            {
                "workload": workload.workload,
                "preempted": workload.preempted,
                "verdict": workload.verdict,
                "remarks": [_remark(remark) for remark in workload.remarks],
            }
            for workload in explanation.workloads
        ],
    }


def render_problem(problem: Problem) -> written.InputProblem:
    """One thing that is wrong with an input."""
    return {
        "object": problem.object,
        "field": problem.field,
        "found": problem.found,
        "expected": problem.expected,
        "code": str(problem.code),
    }


def _remark(remark: Remark) -> written.RemarkShape:
    return {"rule": remark.rule, "holds": remark.holds, "text": remark.text}
