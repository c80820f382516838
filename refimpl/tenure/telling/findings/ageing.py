"""How the priority of a workload came to be what it is, where its class lets it grow."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.model import DynamicPriorityPolicy, Instant, Workload
from tenure.oracle.decide import Decision
from tenure.readings import PrioritySteps
from tenure.rules.dynamic_priority import (
    dynamic_priority,
    elapsed_steps,
    elapsed_time,
    next_step_at,
)
from tenure.telling.findings.finding import Finding
from tenure.units import format_duration, format_instant


def ageing_findings(decision: Decision, workload: Workload, who: str) -> Iterator[Finding]:
    """What KEP-754's rules found about one workload; nothing where its priority does not grow.

    Args:
        decision: the decision.
        workload: the preemptor, or one that holds quota.
        who: how the sentence names it.

    Source: KEP-754, Priority Calculation.

    >>> from tenure.model import Cluster, ClusterQueue, WorkloadPriorityClass
    >>> from tenure.oracle.decide import decide
    >>> from tenure.readings import preset
    >>> hour = 3_600_000_000_000
    >>> growing = WorkloadPriorityClass("aging", 100, DynamicPriorityPolicy(400, 1000, hour))
    >>> cluster = Cluster({"q": ClusterQueue("q")}, growing={"aging": growing})
    >>> waiting = Workload("ns", "w", "u", priority=0, created_at=0, priority_class="aging")
    >>> decided = decide(cluster, waiting, "q", hour, preset("guaranteed"))
    >>> for each in ageing_findings(decided, decided.preemptor, "preemptor"):
    ...     print(each.rule, each.text)
    DYN-050 preemptor has priority 500 by class aging: 100 and 1 step of 400 since 1970-01-01T01:00:00Z
    DYN-060 preemptor has priority 900 from 1970-01-01T02:00:00Z, in 1h
    """
    growing = decision.snapshot.cluster.growing.get(workload.priority_class)
    if growing is None or growing.policy is None:
        return
    policy, base, counting = growing.policy, growing.base, decision.reading.priority_steps
    steps = elapsed_steps(elapsed_time(workload, decision.now), policy.delay_for_step, counting)
    here = dynamic_priority(base, policy, steps)
    taken = f"{steps} step{'' if steps == 1 else 's'} of {policy.step}"
    since = format_instant(_since(workload, policy, steps, counting))
    yield Finding(
        "DYN-050",
        here != base,
        f"{who} has priority {here} by class {growing.name}: "
        f"{base} and {taken} since {since}{_cut(base, policy, steps)}",
    )
    step_at = next_step_at(workload, policy, decision.now, counting)
    then = dynamic_priority(base, policy, steps + 1)
    if then == here:
        yield Finding("DYN-060", False, f"{who} keeps priority {here}: no further step changes it")
        return
    wait = format_duration(step_at - decision.now)
    yield Finding("DYN-060", True, f"{who} has priority {then} from {format_instant(step_at)}, in {wait}")


def _since(workload: Workload, policy: DynamicPriorityPolicy, steps: int, counting: PrioritySteps) -> Instant:
    """When the last step was taken; the creation before the first."""
    start = workload.ages_since
    if steps == 0:
        return start
    if counting == PrioritySteps.FLOOR:
        return start + steps * policy.delay_for_step
    return start + (steps - 1) * policy.delay_for_step + 1


def _cut(base: int, policy: DynamicPriorityPolicy, steps: int) -> str:
    """Where max keeps the priority below what the steps come to."""
    most = 0 if policy.max is None else policy.max
    if base + steps * policy.step <= most:
        return ""
    return ", cut to 0 since max is not set" if policy.max is None else f", cut to max {most}"
