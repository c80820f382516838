"""Untrusted Kubernetes objects to the model: files, YAML and JSON, Kueue v1beta2."""

from tenure.manifests.convert import (
    LocalQueueEntry,
    read_cluster_queue,
    read_local_queue,
    read_resource_flavor,
    read_workload,
)
from tenure.manifests.durations import parse_duration
from tenure.manifests.instants import parse_instant
from tenure.manifests.load import Loaded, build, load
from tenure.manifests.quantities import MAX_AMOUNT, amount_of, parse_quantity, quota_of
from tenure.manifests.yaml_files import SourcedObject, read_objects

__all__ = [
    "MAX_AMOUNT",
    "Loaded",
    "LocalQueueEntry",
    "SourcedObject",
    "amount_of",
    "build",
    "load",
    "parse_duration",
    "parse_instant",
    "parse_quantity",
    "quota_of",
    "read_cluster_queue",
    "read_local_queue",
    "read_objects",
    "read_resource_flavor",
    "read_workload",
]
