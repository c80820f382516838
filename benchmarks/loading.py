"""How long it takes to load a large cluster, and how much memory: `python benchmarks/loading.py --help`.

The dump is what `kubectl get clusterqueues,cohorts,resourceflavors,localqueues,workloads -A` prints, without
managed fields. Every load runs in a process of its own, so that its peak of memory is its own as well.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import yaml

API = "kueue.x-k8s.io/v1beta2"
QUEUES, COHORTS, FLAVORS, NAMESPACES = 40, 8, 4, 25
ADMITTED_OF_TEN = 8
ROUNDS = (1_000, 10_000, 100_000)
CHILD = """
import resource, sys, time
from tenure.manifests import load
start, busy = time.perf_counter(), time.process_time()
cluster = load([sys.argv[1]]).cluster
seconds, busy = time.perf_counter() - start, time.process_time() - busy
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
from tenure_simulate.core import Arrays
arrays = time.process_time()
built = Arrays(cluster)
arrays = time.process_time() - arrays
print(seconds, busy, arrays, peak // 1024, len(cluster.admitted), len(cluster.pending))
"""

Object = dict[str, Any]


def main() -> None:
    """Generate, load and report each size in each format."""
    arguments = _arguments()
    print(
        f"{'format':6} {'workloads':>9} {'file MB':>8} {'seconds':>8} {'CPU s':>8}"
        f" {'arrays s':>8} {'peak MB':>8} {'admitted':>9} {'pending':>8}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for count in arguments.workloads:
            for kind in arguments.format:
                path = Path(folder, f"dump.{kind}")
                with path.open("w", encoding="utf-8") as file:
                    WRITERS[kind](file, objects(count))
                _report(kind, count, path)
                path.unlink()


def objects(count: int) -> Iterator[Object]:
    """A cluster with so many workloads, eight of ten of them admitted."""
    yield from (
        an_object("ResourceFlavor", f"flavor-{i}", {"nodeLabels": {"pool": f"p{i}"}}) for i in range(FLAVORS)
    )
    yield from (an_object("Cohort", f"cohort-{i}", {"parentName": "root"}) for i in range(COHORTS))
    yield from (cluster_queue(i) for i in range(QUEUES))
    for i in range(NAMESPACES):
        for j in range(QUEUES):
            yield an_object("LocalQueue", f"queue-{j}", {"clusterQueue": f"cluster-queue-{j}"}, f"team-{i}")
    yield from (workload(i, admitted=i % 10 < ADMITTED_OF_TEN) for i in range(count))


def an_object(kind: str, name: str, spec: Object, namespace: str | None = None) -> Object:
    """An object with the metadata that the API server adds."""
    metadata: Object = {"creationTimestamp": _time(len(name)), "generation": 1, "name": name}
    if namespace is not None:
        metadata["namespace"] = namespace
    metadata |= {
        "resourceVersion": "184467",
        "uid": f"0a5cb0fe-6a4b-4f5e-9d3e-{abs(hash(name)) % 10**12:012d}",
    }
    return {"apiVersion": API, "kind": kind, "metadata": metadata, "spec": spec}


def cluster_queue(number: int) -> Object:
    """A queue of a cohort, with limits and two resource groups."""
    limits = {"borrowingLimit": "200", "lendingLimit": "100"}
    cpu = [{"name": "cpu", "nominalQuota": "1k", **limits}, {"name": "memory", "nominalQuota": "4Ti"}]
    gpu = [{"name": "nvidia.com/gpu", "nominalQuota": "512"}]
    groups = [
        {"coveredResources": ["cpu", "memory"], "flavors": [{"name": "flavor-0", "resources": cpu}]},
        {
            "coveredResources": ["nvidia.com/gpu"],
            "flavors": [{"name": f"flavor-{i}", "resources": gpu} for i in range(1, FLAVORS)],
        },
    ]
    spec: Object = {
        "cohortName": f"cohort-{number % COHORTS}",
        "flavorFungibility": {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"},
        "namespaceSelector": {},
        "preemption": {
            "borrowWithinCohort": {"policy": "Never"},
            "reclaimWithinCohort": "Any",
            "withinClusterQueue": "LowerPriority",
        },
        "queueingStrategy": "BestEffortFIFO",
        "resourceGroups": groups,
        "stopPolicy": "None",
    }
    return an_object("ClusterQueue", f"cluster-queue-{number}", spec)


def workload(number: int, *, admitted: bool) -> Object:
    """A job of one pod set, with its owner, its template and, once admitted, its whole status."""
    name = f"job-training-run-{number:06d}-{number * 7919 % 99991:05d}"
    pods = number % 8 + 1
    spec: Object = {
        "active": True,
        "podSets": [{"count": pods, "name": "main", "template": _template(number)}],
        "priority": number % 5 * 100,
        "priorityClassRef": {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": "normal"},
        "queueName": f"queue-{number % QUEUES}",
    }
    made = an_object("Workload", name, spec, f"team-{number % NAMESPACES}")
    made["metadata"]["creationTimestamp"] = _time(number)
    made["metadata"] |= {
        "finalizers": ["kueue.x-k8s.io/resource-in-use"],
        "labels": {"kueue.x-k8s.io/job-uid": made["metadata"]["uid"]},
        "ownerReferences": [
            {
                "apiVersion": "batch/v1",
                "blockOwnerDeletion": True,
                "controller": True,
                "kind": "Job",
                "name": name,
                "uid": made["metadata"]["uid"],
            }
        ],
    }
    made["status"] = _status(number, pods) if admitted else _waiting(number)
    return made


def _template(number: int) -> Object:
    requests = {"cpu": f"{number % 4 + 1}", "memory": f"{number % 16 + 1}Gi", "nvidia.com/gpu": "1"}
    container = {
        "args": ["--epochs", "10", "--config", "base.yaml"],
        "command": ["python", "train.py"],
        "env": [{"name": "RUN", "value": str(number)}],
        "image": "example.com/train:1.4",
        "imagePullPolicy": "IfNotPresent",
        "name": "main",
        "resources": {"limits": {"nvidia.com/gpu": "1"}, "requests": requests},
        "terminationMessagePath": "/dev/termination-log",
    }
    return {
        "metadata": {"labels": {"app": "train"}},
        "spec": {
            "containers": [container],
            "dnsPolicy": "ClusterFirst",
            "nodeSelector": {"pool": "p1"},
            "restartPolicy": "Never",
            "schedulerName": "default-scheduler",
            "securityContext": {},
            "terminationGracePeriodSeconds": 30,
            "tolerations": [{"effect": "NoSchedule", "key": "gpu", "operator": "Exists"}],
        },
    }


def _status(number: int, pods: int) -> Object:
    usage = {
        "cpu": str(pods * (number % 4 + 1)),
        "memory": f"{pods * (number % 16 + 1)}Gi",
        "nvidia.com/gpu": str(pods),
    }
    assignment = {
        "count": pods,
        "flavors": {"cpu": "flavor-0", "memory": "flavor-0", "nvidia.com/gpu": f"flavor-{number % 3 + 1}"},
        "name": "main",
        "resourceUsage": usage,
    }
    conditions = [
        _condition("QuotaReserved", "QuotaReserved", number + 20, "Quota reserved in ClusterQueue"),
        _condition("Admitted", "Admitted", number + 20, "The workload is admitted"),
        _condition(
            "PodsReady", "Started", number + 65, "All pods reached readiness and the workload is running"
        ),
    ]
    admission = {"clusterQueue": f"cluster-queue-{number % QUEUES}", "podSetAssignments": [assignment]}
    return {"admission": admission, "conditions": conditions}


def _waiting(number: int) -> Object:
    message = (
        "couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu, 3 more needed"
    )
    return {"conditions": [_condition("QuotaReserved", "Pending", number + 5, message, "False")]}


def _condition(kind: str, reason: str, second: int, message: str, status: str = "True") -> Object:
    return {
        "lastTransitionTime": _time(second),
        "message": message,
        "observedGeneration": 1,
        "reason": reason,
        "status": status,
        "type": kind,
    }


def _time(second: int) -> str:
    minutes, seconds = divmod(second * 3, 60)
    hours, minutes = divmod(minutes, 60)
    return f"2026-03-{hours // 24 % 28 + 1:02d}T{hours % 24:02d}:{minutes:02d}:{seconds:02d}Z"


def write_json(file: TextIO, made: Iterator[Object]) -> None:
    """As `kubectl get -o json` writes a List: indented, its own kind after the items."""
    json.dump({"apiVersion": "v1", "items": list(made), "kind": "List"}, file, indent=4, sort_keys=True)


def write_yaml(file: TextIO, made: Iterator[Object]) -> None:
    """As `kubectl get -o yaml` writes a List: sequences not indented below their key."""
    file.write("apiVersion: v1\nitems:\n")
    for entry in made:
        apart = json.loads(json.dumps(entry))  # what is there twice is written twice
        yaml.dump([apart], file, yaml.CSafeDumper, width=1_000_000)
    file.write("kind: List\n")


WRITERS = {"json": write_json, "yaml": write_yaml}


def _report(kind: str, count: int, path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(path)], capture_output=True, text=True, check=False
    )
    size = path.stat().st_size / 1e6
    if done.returncode:
        sys.exit(f"{kind} {count}: {done.stderr.strip()}")
    seconds, busy, arrays, peak, admitted, pending = done.stdout.split()
    print(
        f"{kind:6} {count:9} {size:8.1f} {float(seconds):8.2f} {float(busy):8.2f}"
        f" {float(arrays):8.2f} {peak:>8} {admitted:>9} {pending:>8}",
        flush=True,
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--workloads", type=int, nargs="+", default=ROUNDS, metavar="N", help="sizes to load")
    parser.add_argument(
        "--format", choices=tuple(WRITERS), nargs="+", default=tuple(WRITERS), help="formats to load from"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
