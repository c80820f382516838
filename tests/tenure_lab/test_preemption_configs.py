"""PreemptionConfigs, and what they read of other objects, are read as they were written."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tenure.conformance.requests import DecideRequest, read_decide_request
from tenure.model import (
    CandidateScope,
    CandidateSelector,
    ClassNames,
    Cluster,
    ClusterQueue,
    Comparison,
    FlavorQuotas,
    LabelSelector,
    NodeOperator,
    NodeRequirement,
    NumericLabel,
    PreemptionConfig,
    PreemptionRule,
    PriorityMode,
    ResourceFlavor,
    ResourceGroup,
    Selectable,
    Trigger,
    Workload,
)
from tenure.readings import preset
from tenure_lab.generators.writing import write_request

SELECTOR = CandidateSelector(
    CandidateScope.COHORT_TREE,
    queues=LabelSelector((NodeRequirement("tier", NodeOperator.IN, ("low", "mid")),)),
    workloads=LabelSelector((NodeRequirement("keep", NodeOperator.DOES_NOT_EXIST),)),
    numbers=(NumericLabel("nodes", Comparison.AT_MOST, 1, 9, 0), NumericLabel("size")),
    mode=PriorityMode.BOOSTED,
    comparison=Comparison.LESS,
    classes=ClassNames(("batch",), ("hero",)),
)
RULE = PreemptionRule(
    "r",
    Trigger.INSUFFICIENT_QUOTA,
    LabelSelector((NodeRequirement("team", NodeOperator.NOT_IN, ("a",)),)),
    ClassNames((), ("batch",)),
    (SELECTOR, CandidateSelector(CandidateScope.ANYWHERE)),
)


def a_request(*rules: PreemptionRule) -> DecideRequest:
    quotas = (ResourceGroup(("cpu",), (FlavorQuotas("default", {"cpu": 1000}),)),)
    queue = ClusterQueue("a", quotas, preemption_config="c", labels={"tier": "low"})
    read = Selectable({"nodes": "4"}, "batch", 7)
    waiting = Workload("ml", "w", "u", priority=7, created_at=0, selectable=read)
    configs = {"c": PreemptionConfig("c", rules)}
    cluster = Cluster(
        {"a": queue}, flavors={"default": ResourceFlavor("default")}, preemption_configs=configs
    )
    return DecideRequest(cluster, waiting, "a", 10**18, preset("released"), assignment=None, explained=False)


def test_a_config_is_read_as_it_was_written() -> None:
    request = a_request(RULE, PreemptionRule("none", Trigger.ALWAYS))
    again = read_decide_request(write_request(request))
    assert again.cluster.preemption_configs == request.cluster.preemption_configs
    queue = again.cluster.cluster_queues["a"]
    assert (queue.preemption_config, queue.labels) == ("c", {"tier": "low"})
    assert again.preemptor.selectable == request.preemptor.selectable


FAULT = LabelSelector(fault="wrong")


@pytest.mark.parametrize("wrong", [replace(SELECTOR, queues=FAULT), replace(SELECTOR, workloads=FAULT)])
def test_a_selector_that_cannot_be_built_stays_one(wrong: CandidateSelector) -> None:
    again = read_decide_request(write_request(a_request(replace(RULE, candidates=(wrong,)))))
    assert again.cluster.preemption_configs is not None
    assert again.cluster.preemption_configs["c"].rules[0].candidates[0].fault
