"""What `tenure analyze sanity` finds in PreemptionConfigs, on small ones and against random states."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from tenure.model import (
    CandidateScope,
    Cluster,
    Comparison,
    LabelSelector,
    NodeOperator,
    NodeRequirement,
    NumericLabel,
    PreemptionConfig,
    PriorityMode,
    ReclaimWithinCohort,
    Trigger,
    WithinClusterQueue,
)
from tenure.oracle.unmodelled import with_known_configs
from tenure_check.analysis.campaign import draw_configuration
from tenure_check.analysis.configured_sanity import findings_of_configs
from tenure_check.analysis.encoded_decisions import LEVELS
from tenure_check.analysis.matrix import trees_of
from tenure_check.analysis.random_configs import with_configs
from tenure_check.analysis.sanity import findings_of_tree
from tenure_check.analysis.sanity_findings import SanityCheck
from tenure_check.analysis.states import States, decided
from tests.sampling import sample
from tests.tenure_check.test_configured_cells import ANY, READING, TEAM, a_cluster, requires

OWN = replace(ANY, scope=CandidateScope.CLUSTER_QUEUE)
LESS = {"mode": PriorityMode.BASE, "comparison": Comparison.LESS}
NODES = replace(OWN, numbers=(NumericLabel("nodes", Comparison.LESS),))
WITHIN = {"queue": {"within_cluster_queue": WithinClusterQueue.LOWER_PRIORITY}}
SELECTOR = "spec.rules[0].candidateSelectors[0]"
TRIGGER = "spec.rules[0].activationPolicy.trigger"


def found(cluster: Cluster, copied: Any = ()) -> dict[str, str]:
    """The checks that find something, with the field."""
    return {finding.check.value: finding.field for finding in findings_of_configs(cluster, copied)}


@pytest.mark.parametrize(
    ("cluster", "checks"),
    [
        (a_cluster(OWN), {}),
        (a_cluster(ANY), {"NominalNotProtected": f"{SELECTOR}.scope"}),
        (a_cluster(replace(ANY, queues=requires(TEAM))), {"RuleNeverApplies": SELECTOR}),
        (
            a_cluster(
                replace(OWN, workloads=requires(TEAM, NodeRequirement("team", NodeOperator.DOES_NOT_EXIST)))
            ),
            {"RuleNeverApplies": SELECTOR},
        ),
        (a_cluster(OWN, preemptors=LabelSelector(fault="wrong")), {"RuleNeverApplies": SELECTOR}),
        (a_cluster(OWN, trigger=Trigger.INSUFFICIENT_TOPOLOGY), {"RuleNeverApplies": TRIGGER}),
        (a_cluster(OWN, **WITHIN), {"TriedAfterPolicies": TRIGGER}),
        (
            a_cluster(replace(OWN, **LESS), **WITHIN),  # type: ignore[arg-type]
            {"SelectorAddsNothing": SELECTOR, "TriedAfterPolicies": TRIGGER},
        ),
        (a_cluster(replace(OWN, **LESS)), {}),  # type: ignore[arg-type]
    ],
)
def test_each_check_on_a_small_config(cluster: Cluster, checks: dict[str, str]) -> None:
    assert found(cluster) == checks


def test_a_label_that_is_copied_is_set_by_users() -> None:
    at = {"LabelSetByUsers": f"{SELECTOR}.numericLabels[0].key"}
    assert [found(a_cluster(NODES), copied) for copied in ((), ("nodes",), None)] == [{}, at, at]


def test_a_config_does_not_protect_its_own_queue() -> None:
    cluster = a_cluster(OWN)
    reclaims = replace(cluster.cluster_queues["b"], reclaim_within_cohort=ReclaimWithinCohort.ANY)
    other = replace(cluster, cluster_queues={**cluster.cluster_queues, "b": reclaims})
    (finding,) = findings_of_configs(other, ())
    assert (finding.check, finding.object) == (SanityCheck.RECLAIMED_BY_ANY, "ClusterQueue/b")


def test_a_policy_beside_a_config_has_an_effect_though_every_request_borrows() -> None:
    """PCF-090: a config is enough for a search, in which the candidates of the policy come first."""
    cluster = a_cluster(OWN, **WITHIN)
    none = replace(cluster.cluster_queues["a"], resource_groups=_without_quota(cluster))
    configured = replace(cluster, cluster_queues={**cluster.cluster_queues, "a": none})
    plain = {**configured.cluster_queues, "a": replace(none, preemption_config=None)}
    checks = [
        {finding.check for finding in findings_of_tree(known, READING)}
        for known in (configured, replace(configured, cluster_queues=plain))
    ]
    assert [SanityCheck.NEVER_PREEMPTS in names for names in checks] == [False, True]


def _without_quota(cluster: Cluster) -> Any:
    (group,) = cluster.cluster_queues["a"].resource_groups
    (quotas,) = group.flavors
    return (replace(group, flavors=(replace(quotas, nominal={"cpu": 0}),)),)


def test_no_state_contradicts_what_is_found() -> None:
    """No victim of random states is selected by what never selects, or by what adds nothing alone."""
    count = Counter[str]()
    never = SanityCheck.RULE_NEVER_APPLIES, SanityCheck.SELECTOR_ADDS_NOTHING
    for seed in range(sample(25, 150)):
        dice = random.Random(seed)
        cluster = with_known_configs(with_configs(dice, draw_configuration(dice, 3)[0]))
        idle = {
            (finding.object.partition("/")[2], finding.field.removesuffix(".activationPolicy.trigger"))
            for finding in findings_of_configs(cluster, ())
            if finding.check in never
        }
        count["found"] += len(idle)
        configs = cluster.preemption_configs or {}
        for tree in trees_of(cluster):
            states = States(cluster, tree, READING, LEVELS)
            for name in (name for name in tree.places if cluster.cluster_queues[name].preemption_config):
                for _ in range(8):
                    decision = decided(states.drawn(dice, name))
                    for target in decision.targets:
                        for path in _paths(configs, decision.selected_by_config(target.workload)):
                            assert not {path, (path[0], path[1].partition(".candidate")[0])} & idle, (
                                seed,
                                path,
                            )
                            count["selected"] += 1
    assert min(count.values()) > 5


def _paths(configs: Any, selected: Any) -> list[tuple[str, str]]:
    if selected is None:
        return []
    config: PreemptionConfig = configs[selected.config]
    places = {rule.name: number for number, rule in enumerate(config.rules)}
    return [
        (config.name, f"spec.rules[{places[rule]}].candidateSelectors[{place}]")
        for rule, selectors in selected.selectors
        for place in selectors
    ]
