"""LeaderWorkerSets, StatefulSets, Deployments and Pods: the pods they request."""

from __future__ import annotations

from tenure.manifests.jobs.requested_pods import Manifest, RequestedPods


def leader_worker_set(manifest: Manifest) -> list[RequestedPods]:
    """One group of a LeaderWorkerSet; each group is a Workload.

    Source: Kueue v0.19.2, pkg/controller/jobs/leaderworkerset, podSets.
    """
    template = ("spec", "leaderWorkerTemplate")
    size = manifest.count(*template, "size", default=1)
    label = "leaderworkerset.sigs.k8s.io/worker-index"
    if manifest.at(*template, "leaderTemplate") is None:
        return [manifest.pods("main", size, *template, "workerTemplate", podIndexLabel=label)]
    return [
        manifest.pods("leader", 1, *template, "leaderTemplate"),
        manifest.pods("worker", max(0, size - 1), *template, "workerTemplate", podIndexLabel=label),
    ]


def replicas(manifest: Manifest) -> int:
    """Of how many Workloads a LeaderWorkerSet or a Deployment consists."""
    return manifest.count("spec", "replicas", default=1)


def stateful_set(manifest: Manifest) -> list[RequestedPods]:
    """A StatefulSet: all its replicas at once.

    Source: Kueue v0.19.2, pkg/controller/jobs/statefulset, constructWorkload.
    """
    count = manifest.count("spec", "replicas", default=1)
    return [manifest.pods("main", count, "spec", "template", podIndexLabel="apps.kubernetes.io/pod-index")]


def one_pod(manifest: Manifest) -> list[RequestedPods]:
    """One of the pods of a Deployment; each is a Workload.

    Source: Kueue v0.19.2, pkg/controller/jobs/deployment, Default; pkg/controller/jobs/pod, PodSets.
    """
    label = "kueue.x-k8s.io/pod-group-pod-index"
    return [manifest.pods("main", 1, "spec", "template", podIndexLabel=label)]


def pod(manifest: Manifest) -> list[RequestedPods]:
    """A single Pod, whose annotations request the topology.

    Source: Kueue v0.19.2, pkg/controller/jobs/pod, constructPodSet.
    """
    return [manifest.pods("main", 1, podIndexLabel="kueue.x-k8s.io/pod-group-pod-index")]
