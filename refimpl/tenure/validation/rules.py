"""Every rule of validation, by the kind of object that it is about, with who states it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tenure.manifests.selectable import KIND, LIMIT_KIND
from tenure.validation import (
    cluster_queue,
    cross_object_warnings,
    flavor,
    kai_pod_group,
    kai_queue,
    labels,
    object_warnings,
    preemption_config,
    preemption_limit,
    priority_class,
    quotas,
    updates,
    workload,
)
from tenure.validation.cross_object_warnings import Together
from tenure.validation.faults import Rule, Source, Sourced

ERRORS: Final[Mapping[str, tuple[Sourced, ...]]] = {
    "ClusterQueue": (
        (Source.WEBHOOK, quotas.cluster_queue_quotas),
        (Source.SCHEMA, quotas.as_many_as_covered),
        (Source.WEBHOOK, cluster_queue.namespace_selector),
        (Source.WEBHOOK, cluster_queue.borrowing_needs_reclaiming),
        (Source.WEBHOOK, cluster_queue.preference_needs_trying),
        (Source.TIME_BASED, cluster_queue.time_based_config),
        (Source.WEBHOOK, quotas.fair_sharing_weight),
        (Source.WEBHOOK, quotas.totals),
        (Source.WEBHOOK, cluster_queue.concurrent_admission),
        (Source.WEBHOOK, cluster_queue.checks_on_flavors),
        (Source.WEBHOOK, updates.concurrent_admission_stays),
    ),
    "Cohort": (
        (Source.WEBHOOK, quotas.fair_sharing_weight),
        (Source.WEBHOOK, quotas.cohort_quotas),
        (Source.SCHEMA, quotas.as_many_as_covered),
    ),
    "LocalQueue": ((Source.SCHEMA, updates.cluster_queue_stays),),
    "ResourceFlavor": (
        (Source.WEBHOOK, flavor.node_labels),
        (Source.WEBHOOK, flavor.node_taints),
        (Source.WEBHOOK, flavor.toleration_keys),
        (Source.SCHEMA, flavor.schema_rules),
        (Source.SCHEMA, updates.topology_stays),
    ),
    "Workload": (
        (Source.WEBHOOK, workload.pod_counts),
        (Source.WEBHOOK, workload.pod_metadata),
        (Source.WEBHOOK, workload.topology_slices),
        (Source.WEBHOOK, workload.requested_resources),
        (Source.SCHEMA, workload.priority_reference),
        (Source.WEBHOOK, workload.priority_boost),
        (Source.WEBHOOK, workload.condition_types),
        (Source.WEBHOOK, workload.admission),
        (Source.WEBHOOK, workload.reclaimable_pods),
        (Source.WEBHOOK, updates.workload_stays),
    ),
    "WorkloadPriorityClass": (
        (Source.SCHEMA, priority_class.base_priority),
        (Source.DYNAMIC_PRIORITY, priority_class.one_policy),
        (Source.DYNAMIC_PRIORITY, priority_class.step_delay),
        (Source.DYNAMIC_PRIORITY, priority_class.refused_growth),
    ),
    KIND: ((Source.SCHEMA, preemption_config.numbers_and_priorities),),
    LIMIT_KIND: ((Source.SCHEMA, preemption_limit.windows_and_selectors),),
    "Queue": ((Source.WEBHOOK, kai_queue.resources_given),),
    "PodGroup": (
        (Source.WEBHOOK, kai_pod_group.sub_groups),
        (Source.WEBHOOK, kai_pod_group.minimums),
    ),
}
"""What makes an object invalid, beside its schema."""

OF_ALL: Final[Sourced] = (Source.SCHEMA, labels.metadata_labels)
"""The same of every kind."""

WARNINGS: Final[Mapping[str, tuple[Rule, ...]]] = {
    "ClusterQueue": (
        object_warnings.not_modelled,
        object_warnings.limits,
        object_warnings.unlimited_lends_nothing,
        object_warnings.unused_policies,
        object_warnings.unused_time_based_config,
        object_warnings.alternating_victims,
        object_warnings.hero_queue,
        object_warnings.zero_weight,
        cluster_queue.concurrent_admission_later,
    ),
    "Cohort": (
        object_warnings.not_modelled,
        object_warnings.unlimited_lends_nothing,
        object_warnings.zero_weight,
    ),
    "LocalQueue": (object_warnings.unreadable_weight,),
    "WorkloadPriorityClass": (priority_class.computed_growth, priority_class.no_growth),
    KIND: (
        preemption_config.invalid_selectors,
        preemption_config.rules_without_candidates,
        preemption_config.names_of_no_class,
    ),
    LIMIT_KIND: (preemption_limit.selectors_of_either,),
    "Queue": (kai_queue.negative_runtimes,),
    "PodGroup": (kai_pod_group.unreachable_minimums,),
}
"""What one object hardly means."""

TOGETHER: Final[tuple[Together, ...]] = (
    cross_object_warnings.flavors,
    cross_object_warnings.cluster_queues,
    cross_object_warnings.local_queues,
    cross_object_warnings.priority_classes,
    cross_object_warnings.cohorts,
    cross_object_warnings.cycles,
    cross_object_warnings.parent_queues,
    cross_object_warnings.pod_group_queues,
    cross_object_warnings.thresholds,
    cross_object_warnings.lent_for_good,
    cross_object_warnings.cohort_quota_on_top,
    cross_object_warnings.borrowing_under_fair_sharing,
    cross_object_warnings.fair_sharing_loop,
    cross_object_warnings.bypassed_lending_limits,
    preemption_config.named_configs,
    preemption_config.named_classes,
    preemption_config.triggers_without_topology,
    preemption_config.labels_not_copied,
)
"""What the objects hardly mean together."""
