"""A decision as the protocol writes it."""

from __future__ import annotations

from typing import Any

from tenure.model import Assignment
from tenure.oracle.decide import Decision
from tenure.oracle.effects import Effect, effects_of
from tenure.telling.explain import GROUND_RULES, Explanation, explain
from tenure.telling.findings import Finding


def render_decision(decision: Decision, *, explained: bool = False) -> dict[str, Any]:
    """The `output` of call `decide`.

    Args:
        decision: what was decided.
        explained: whether to add the assignment and the trace of every workload in the queue's tree.
    """
    output: dict[str, Any] = {
        "decision": str(decision.outcome),
        "preempted": [
            {
                "workload": target.workload.key,
                "clusterQueue": target.workload.cluster_queue,
                "reason": target.reason.label,
                "rules": list(GROUND_RULES[target.evidence.ground]),
            }
            for target in decision.targets
        ],
        "reading": decision.reading.written(),
        "engine": str(decision.engine),
        "effects": [_effect(effect) for effect in effects_of(decision)],
    }
    if decision.left:
        output["leftToReference"] = decision.left
    if explained:
        output["trace"] = {"assignment": _assignment(decision.assignment), **_trace(explain(decision))}
    return output


def _assignment(assignment: Assignment) -> dict[str, Any]:
    return {
        "podSets": [
            {"name": pods.name, "count": pods.count, "flavors": dict(sorted(pods.flavors.items()))}
            for pods in assignment.pod_sets
        ],
        "usage": [
            {"flavor": at.flavor, "resource": at.resource, "amount": amount}
            for at, amount in sorted(assignment.usage.items())
        ],
        "frsNeedPreemption": [
            {"flavor": at.flavor, "resource": at.resource} for at in sorted(assignment.needs_preemption)
        ],
    }


def _effect(effect: Effect) -> dict[str, Any]:
    rendered: dict[str, Any] = {
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


def _trace(explanation: Explanation) -> dict[str, Any]:
    return {
        "summary": list(explanation.summary),
        "request": [_finding(finding) for finding in explanation.request],
        "workloads": [
            {
                "workload": each.workload.key,
                "taken": each.taken,
                "verdict": each.verdict,
                "findings": [_finding(finding) for finding in each.findings],
            }
            for each in explanation.workloads
        ],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {"rule": finding.rule, "holds": finding.holds, "text": finding.text}
