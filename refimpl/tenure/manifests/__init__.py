"""Untrusted Kubernetes objects to the model: files, YAML and JSON, Kueue v1beta2 and v1beta1."""

from tenure.manifests.cohorts import tree_problems
from tenure.manifests.configuration import Configured, read_configuration, strategies_of
from tenure.manifests.conversion import object_name, place_of
from tenure.manifests.durations import parse_duration
from tenure.manifests.feature_gates import (
    RECLAIMABLE_PODS,
    SETTING_OF_GATE,
    TIME_BASED,
    gate_problems,
    settings_of,
)
from tenure.manifests.files import SourcedObject, noted, read_objects
from tenure.manifests.instants import parse_instant
from tenure.manifests.json_text import decoded_json
from tenure.manifests.limits import MAX_DEVIATIONS, MAX_LINE, in_mebibytes
from tenure.manifests.load import Loaded, build, load
from tenure.manifests.priority_classes import job_created, read_priority_class
from tenure.manifests.quantities import MAX_AMOUNT, amount_of, parse_quantity, quota_of
from tenure.manifests.queues import (
    LocalQueueEntry,
    read_cluster_queue,
    read_cohort,
    read_local_queue,
    read_resource_flavor,
    with_flavors,
)
from tenure.manifests.showing import Place, comma_separated, did_you_mean, printable, show
from tenure.manifests.topologies import read_topology, with_topologies
from tenure.manifests.workloads import WorkloadReader, read_workload

__all__ = [
    "MAX_AMOUNT",
    "MAX_DEVIATIONS",
    "MAX_LINE",
    "RECLAIMABLE_PODS",
    "SETTING_OF_GATE",
    "TIME_BASED",
    "Configured",
    "Loaded",
    "LocalQueueEntry",
    "Place",
    "SourcedObject",
    "WorkloadReader",
    "amount_of",
    "build",
    "comma_separated",
    "decoded_json",
    "did_you_mean",
    "gate_problems",
    "in_mebibytes",
    "job_created",
    "load",
    "noted",
    "object_name",
    "parse_duration",
    "parse_instant",
    "parse_quantity",
    "place_of",
    "printable",
    "quota_of",
    "read_cluster_queue",
    "read_cohort",
    "read_configuration",
    "read_local_queue",
    "read_objects",
    "read_priority_class",
    "read_resource_flavor",
    "read_topology",
    "read_workload",
    "settings_of",
    "show",
    "strategies_of",
    "tree_problems",
    "with_flavors",
    "with_topologies",
]
