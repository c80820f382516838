"""Random small clusters with topologies and nodes: what is answered by quota alone, and what Kueue does.

Before a Job is created the cluster is listed; then Kueue makes its Workload and handles it. The question is
what the cluster as it was decides about that Workload. *NoFit* is final: Kueue neither admits the workload
nor preempts any for it. Where no topology takes part the answer is exact. Where one does, the answer is by
quota alone, and is only counted.

    python -m tests.live.topologies KUBECONFIG --seed 1 --clusters 20

makes the same comparison with a control plane that runs already.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

import tenure
from tenure.manifests import SourcedObject
from tenure.manifests.load import build
from tenure.manifests.structure import true_conditions
from tenure.model import QueueingStrategy
from tenure.oracle.decide import Decision
from tests.live.server import Object, Server

API: Final = "kueue.x-k8s.io/v1beta2"
HOST, RACK = "kubernetes.io/hostname", "example.com/rack"
CLASSES: Final = {"low": 0, "middle": 10, "high": 100}
JOBS: Final = 7
SETTLED: Final = 0.7
"""The cluster counts as settled when for so many seconds no Workload has changed."""
LONGEST: Final = 20.0
KINDS: Final = (
    "clusterqueues",
    "cohorts",
    "resourceflavors",
    "topologies",
    "localqueues",
    "workloads",
    "workloadpriorityclasses",
)
REQUESTS: Final[tuple[dict[str, str], ...]] = (
    {},
    {},
    {"required": RACK},
    {"required": HOST},
    {"preferred": RACK},
    {"unconstrained": "true"},
)


@dataclass
class Tally:
    """What was compared.

    Args:
        counts: by what was answered and what Kueue did.
        contradicted: answers that Kueue contradicts, each with what is needed to make it again.
        preemptions: ClusterQueue and priority of each preemptor and its victim, by cluster.
    """

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    contradicted: list[str] = field(default_factory=list)
    preemptions: list[tuple[str, str]] = field(default_factory=list)


def compare(server: Server, seed: int, tally: Tally) -> None:
    """One cluster: made, filled with Jobs one by one, and removed.

    Args:
        server: the API server of a control plane with Kueue; no other cluster of this kind is in it.
        seed: of everything that is random.
        tally: gets what was compared.
    """
    dice = random.Random(seed)
    space = f"topology-{seed}"
    objects = list(_cluster(dice, space))
    try:
        server.apply([one for one in objects if one["kind"] != "Node"])
        for node in (one for one in objects if one["kind"] == "Node"):
            created = server.create({key: node[key] for key in ("apiVersion", "kind", "metadata")})
            server.patch(server.path_of(created) + "/status", {"status": node["status"]})
            # The API server taints a new node until what watches nodes, which is not here, finds it ready.
            server.patch(server.path_of(created), {"spec": {"taints": None}})
        _until_active(server, space)
        queues = [one["metadata"]["name"] for one in objects if one["kind"] == "LocalQueue"]
        for number in range(JOBS):
            _step(server, dice, space, number, dice.choice(queues), tally)
    finally:
        _remove(server, space, objects)


def _step(server: Server, dice: random.Random, space: str, number: int, queue: str, tally: Tally) -> None:
    before = _dump(server, space)
    job = server.create(_job(dice, space, f"job-{number}", queue))
    after = _settled(server, space)
    found = [one for one in after if _owner(one) == job["metadata"]["name"]]
    if len(found) != 1:
        tally.counts["no Workload", ""] += 1
        return
    new = found[0]
    decision = _decided(before, {key: new[key] for key in new if key != "status"})
    done = _done(new, after)
    by_quota = " by quota alone" if decision.not_modelled else ""
    tally.counts[f"{decision.outcome}{by_quota}", done] += 1
    preempted = sorted(_preempted_for(new, after))
    tally.preemptions += [(queue, victim) for victim in preempted]
    # The head of a StrictFIFO ClusterQueue lets no other pass, whatever would be decided about that.
    is_behind = decision.queue.queueing == QueueingStrategy.STRICT_FIFO and _waits_in(before, queue)
    wrong = "" if is_behind and done == "waits" else _contradicts(decision, done, preempted)
    if wrong:
        asked = new["spec"]["podSets"][0].get("topologyRequest")
        tally.contradicted.append(f"{space}/job-{number} in {queue}, {asked}: {wrong}")


def _contradicts(decision: Decision, done: str, preempted: list[str]) -> str:
    """Whether Kueue did what the answer excludes, in words; empty where it did not."""
    outcome = str(decision.outcome)
    said = f"{outcome}, and Kueue: {done}"
    if outcome == "NoFit":
        return said if done != "waits" else ""
    if decision.not_modelled:
        return ""
    expected = {"Fit": "admitted", "Preempt": "preempts", "NoCandidates": "waits"}[outcome]
    victims = sorted(target.workload.name for target in decision.targets)
    if expected != done and (expected, done) != ("preempts", "admitted"):
        return said
    return f"{said} {preempted}, not {victims}" if outcome == "Preempt" and preempted != victims else ""


def _decided(before: list[Object], new: Object) -> Decision:
    objects = [SourcedObject("", one) for one in (*before, new)]
    name = new["metadata"]["name"]
    return tenure.decide(build(objects), f"{new['metadata']['namespace']}/{name}", now=time.time_ns())


def _done(new: Object, after: list[Object]) -> str:
    if any(_preempted_for(new, after)):
        return "preempts"
    return "admitted" if "QuotaReserved" in true_conditions(new) else "waits"


def _preempted_for(new: Object, after: list[Object]) -> Iterator[str]:
    uid = f"(UID: {new['metadata']['uid']},"
    for one in after:
        conditions = (one.get("status") or {}).get("conditions") or ()
        if any(known["type"] == "Preempted" and uid in known["message"] for known in conditions):
            yield one["metadata"]["name"]


def _waits_in(before: list[Object], queue: str) -> bool:
    workloads = [one for one in before if one["kind"] == "Workload" and one["spec"]["queueName"] == queue]
    return any("QuotaReserved" not in true_conditions(one) for one in workloads)


def _owner(one: Object) -> str:
    owners = one["metadata"].get("ownerReferences") or [{}]
    return str(owners[0].get("name"))


def _dump(server: Server, space: str) -> list[Object]:
    """All of one cluster, as kubectl prints it."""
    found = [one for kind in KINDS for one in server.listed(f"/apis/{API}/{kind}")]
    return [
        one
        for one in found
        if space in (one["metadata"].get("namespace"), one["metadata"]["name"][: len(space)])
    ]


def _settled(server: Server, space: str) -> list[Object]:
    """The Workloads when nothing has changed for a while."""
    path = f"/apis/{API}/namespaces/{space}/workloads"
    known: dict[str, str] = {}
    since = began = time.monotonic()
    while True:
        found = server.listed(path)
        versions = {one["metadata"]["name"]: one["metadata"]["resourceVersion"] for one in found}
        now = time.monotonic()
        if versions != known:
            known, since = versions, now
        if now - began > LONGEST or (known and now - since > SETTLED):
            return found
        time.sleep(0.1)


def _until_active(server: Server, space: str) -> None:
    began = time.monotonic()
    while time.monotonic() - began < LONGEST:
        queues = [
            one
            for one in server.listed(f"/apis/{API}/clusterqueues")
            if one["metadata"]["name"].startswith(space)
        ]
        if all("Active" in true_conditions(one) for one in queues):
            return
        time.sleep(0.1)


def _remove(server: Server, space: str, objects: list[Object]) -> None:
    server.delete(f"/apis/batch/v1/namespaces/{space}/jobs")
    for path in (f"/apis/{API}/namespaces/{space}/workloads",):
        for one in server.listed(path):
            name = one["metadata"]["name"]
            server.patch(f"{path}/{name}", {"metadata": {"finalizers": None}})
            server.delete(f"{path}/{name}")
    for one in reversed(objects):
        server.delete(server.path_of(one))


def _cluster(dice: random.Random, space: str) -> Iterator[Object]:
    """Nodes in racks, a topology, flavors with and without it, ClusterQueues alone and in a cohort."""
    yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}}
    for name, value in CLASSES.items():
        kind = {"apiVersion": API, "kind": "WorkloadPriorityClass"}
        yield {**kind, "metadata": {"name": f"{space}-{name}"}, "value": value}
    levels = [{"nodeLabel": RACK}, {"nodeLabel": HOST}]
    yield {"apiVersion": API, "kind": "Topology", "metadata": {"name": space}, "spec": {"levels": levels}}
    for number in range(dice.randint(2, 4)):
        yield _node(f"{space}-n{number}", space, f"{space}-r{number % 2}", dice.randint(1, 4))
    placed, plain = f"{space}-placed", f"{space}-plain"
    labels = {"example.com/pool": space}
    yield _of_kind("ResourceFlavor", placed, {"nodeLabels": labels, "topologyName": space})
    yield _of_kind("ResourceFlavor", plain, {})
    together = dice.random() < 0.7
    for number in range(dice.randint(1, 3)):
        flavors = dice.choice(([placed], [placed], [plain], [placed, plain], [plain, placed]))
        name = f"{space}-q{number}"
        yield _of_kind("ClusterQueue", name, _queue(dice, flavors, space if together else None))
        place = {"apiVersion": API, "kind": "LocalQueue", "metadata": {"namespace": space, "name": name}}
        yield {**place, "spec": {"clusterQueue": name}}


def _of_kind(kind: str, name: str, spec: Object) -> Object:
    return {"apiVersion": API, "kind": kind, "metadata": {"name": name}, "spec": spec}


def _node(name: str, pool: str, rack: str, cpus: int) -> Object:
    amounts = {"cpu": str(cpus), "memory": "64Gi", "pods": "20"}
    labels = {"example.com/pool": pool, RACK: rack, HOST: name}
    ready = {"type": "Ready", "status": "True", "reason": "Test", "message": ""}
    stamps = dict.fromkeys(("lastHeartbeatTime", "lastTransitionTime"), "2026-01-01T00:00:00Z")
    status = {"capacity": amounts, "allocatable": amounts, "conditions": [{**ready, **stamps}]}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": status,
    }


def _queue(dice: random.Random, flavors: list[str], cohort: str | None) -> Object:
    def quotas(flavor: str) -> Object:
        found: Object = {"name": "cpu", "nominalQuota": str(dice.randint(0, 6))}
        if cohort is not None and dice.random() < 0.4:
            found["borrowingLimit"] = str(dice.randint(0, 3))
        return {"name": flavor, "resources": [found]}

    reclaim = dice.choice(("Never", "LowerPriority", "Any"))
    preemption: Object = {
        "withinClusterQueue": dice.choice(("Never", "LowerPriority", "LowerOrNewerEqualPriority")),
        "reclaimWithinCohort": reclaim,
    }
    if reclaim != "Never" and dice.random() < 0.4:
        preemption["borrowWithinCohort"] = {"policy": "LowerPriority"}
    spec: Object = {
        "namespaceSelector": {},
        "queueingStrategy": dice.choice(("BestEffortFIFO", "StrictFIFO")),
        "preemption": preemption,
        "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [quotas(flavor) for flavor in flavors]}],
    }
    return {**spec, "cohortName": cohort} if cohort is not None else spec


def _job(dice: random.Random, space: str, name: str, queue: str) -> Object:
    asked: dict[str, str] = dice.choice(REQUESTS)
    pods, cpus = dice.randint(1, 3), dice.choice((1, 1, 2, 3))
    labels = {
        "kueue.x-k8s.io/queue-name": queue,
        "kueue.x-k8s.io/priority-class": f"{space}-{dice.choice([*CLASSES])}",
    }
    container = {"name": "main", "image": "none", "resources": {"requests": {"cpu": str(cpus)}}}
    template: Object = {
        "metadata": {
            "annotations": {f"kueue.x-k8s.io/podset-{kind}-topology": value for kind, value in asked.items()}
        },
        "spec": {"restartPolicy": "Never", "containers": [container]},
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"namespace": space, "name": name, "labels": labels},
        "spec": {"suspend": True, "parallelism": pods, "completions": pods, "template": template},
    }


def told(tally: Tally) -> Iterator[str]:
    """What was compared, in lines."""
    for (said, done), count in sorted(tally.counts.items()):
        yield f"{count:5} {said}: {done}"
    yield f"{len(tally.contradicted)} contradicted"
    yield from (f"  {line}" for line in tally.contradicted)


def main() -> int:
    """Compare with the control plane of a kubeconfig."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("kubeconfig", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--clusters", type=int, default=10)
    asked = parser.parse_args()
    known: Any = yaml.safe_load(asked.kubeconfig.read_text(encoding="utf-8"))
    cluster, user = known["clusters"][0]["cluster"], known["users"][0]["user"]
    server = Server(cluster["server"], Path(cluster["certificate-authority"]), user["token"])
    tally = Tally()
    for seed in range(asked.seed, asked.seed + asked.clusters):
        compare(server, seed, tally)
        sys.stdout.write(
            f"{seed}: {sum(tally.counts.values())} Jobs, {len(tally.contradicted)} contradicted\n"
        )
        sys.stdout.flush()
    sys.stdout.write("\n".join(told(tally)) + "\n")
    return 1 if tally.contradicted else 0


if __name__ == "__main__":
    sys.exit(main())
