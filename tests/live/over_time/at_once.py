"""Jobs that all wait for one change: who holds quota in the end, and with which flavors.

    python -m tests.live.over_time.at_once --jobs 800 --seed 1

Nothing is admitted until the cohort at the root gets quota, by one change: from then on Kueue schedules them
all, and `tenure next` has forecast the last holder.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from tests.live.over_time.compare import Course, differences, forecast, happened
from tests.live.over_time.draws import API, CLASS_LABEL, CLASSES, QUEUE_LABEL, pods_of
from tests.live.over_time.ledger import Ledger, job_of
from tests.live.over_time.pulse import Pulse
from tests.live.plane import Plane, control_plane
from tests.live.server import Object

QUEUES = 4
QUIET = (5.0, 3)
"""Seconds and beats of the pulse without a change after which the cluster has settled."""


@dataclass(frozen=True)
class Burst:
    """A cohort without quota, ClusterQueues that borrow from it, and Jobs that wait.

    Args:
        name: of its namespace; the names of its other objects begin with it.
        strategies: of each ClusterQueue.
        jobs: of each Job the number of its queue, its priority class, its pods, and the GPUs of each.
        gpus: that the cohort gets, on each of two flavors.
        classes: the priority classes.
    """

    name: str
    strategies: Sequence[str]
    jobs: Sequence[tuple[int, str, int, int]]
    gpus: tuple[int, int]
    classes: Sequence[Object] = tuple(CLASSES)

    def play(self, plane: Plane) -> tuple[Course, Course, list[Object]]:
        """What is forecast, what happens, and the objects that the forecast is made of."""
        plane.configure({})
        plane.apply([*self.classes])
        ledger = Ledger(plane.server)
        pulse = Pulse(plane.server, ledger, f"{self.name}pulse")
        try:
            return self._play(plane, ledger, pulse)
        finally:
            pulse.stop()
            ledger.stop()
            for one in self.classes:
                plane.server.delete(plane.server.path_of(one))

    def _play(self, plane: Plane, ledger: Ledger, pulse: Pulse) -> tuple[Course, Course, list[Object]]:
        for one in (*self._cluster(), *self._jobs()):
            plane.server.create(one)
        self._settle(ledger, pulse)
        fields = {"resourceGroups": [self._quota(self.gpus)]}
        ahead = [*copy.deepcopy(ledger.objects(self.name)), *self.classes]
        root = next(one for one in ahead if one["metadata"]["name"] == f"{self.name}-root")
        root["spec"].update(fields)
        said = forecast(ahead, {}, "--cycles", str(2 * len(self.jobs) + 10))
        seen = len(ledger.changes(self.name))
        plane.server.patch(plane.server.path_of(root), {"spec": fields})
        self._settle(ledger, pulse)
        after = ledger.objects(self.name)
        changes = ledger.changes(self.name)[seen:]
        is_gone = ledger.clear(self.name)
        while not is_gone():
            time.sleep(0.1)
        jobs = {one["metadata"]["uid"]: job_of(one) for one in after if one["kind"] == "Workload"}
        return said, happened(changes, after, jobs), ahead

    def _settle(self, ledger: Ledger, pulse: Pulse) -> None:
        began = time.monotonic()
        while not self._is_settled(ledger, pulse, began):
            time.sleep(0.1)

    def _is_settled(self, ledger: Ledger, pulse: Pulse, began: float) -> bool:
        seconds, beats = QUIET
        since = max(began, ledger.changed_at(self.name))
        kinds = [one["kind"] for one in ledger.objects(self.name)]
        quiet = time.monotonic() - since > seconds and pulse.since(since) >= beats
        return quiet and kinds.count("Workload") == len(self.jobs)

    def _cluster(self) -> Iterator[Object]:
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.name}}
        for flavor in self._flavors():
            yield {"apiVersion": API, "kind": "ResourceFlavor", "metadata": {"name": flavor}}
        root = f"{self.name}-root"
        yield self._of_kind("Cohort", {"name": root}, {"resourceGroups": [self._quota((0, 0))]})
        for i, strategy in enumerate(self.strategies):
            spec = {
                "namespaceSelector": {},
                "cohortName": root,
                "queueingStrategy": strategy,
                "resourceGroups": [self._quota((0, 0))],
            }
            yield self._of_kind("ClusterQueue", {"name": f"{self.name}-q{i}"}, spec)
            place = {"namespace": self.name, "name": f"lq{i}"}
            yield self._of_kind("LocalQueue", place, {"clusterQueue": f"{self.name}-q{i}"})

    @staticmethod
    def _of_kind(kind: str, metadata: Object, spec: Object) -> Object:
        return {"apiVersion": API, "kind": kind, "metadata": metadata, "spec": spec}

    def _flavors(self) -> tuple[str, str]:
        return f"{self.name}-f0", f"{self.name}-f1"

    def _quota(self, amounts: tuple[int, int]) -> Object:
        return {
            "coveredResources": ["example.com/gpu"],
            "flavors": [
                {"name": flavor, "resources": [{"name": "example.com/gpu", "nominalQuota": str(amount)}]}
                for flavor, amount in zip(self._flavors(), amounts, strict=True)
            ],
        }

    def _jobs(self) -> Iterator[Object]:
        for number, (queue, priority, pods, gpus) in enumerate(self.jobs):
            labels = {QUEUE_LABEL: f"lq{queue}", CLASS_LABEL: priority}
            yield {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "metadata": {"namespace": self.name, "name": f"j{number}", "labels": labels},
                "spec": {
                    "parallelism": pods,
                    "completions": 4,
                    "suspend": True,
                    "template": pods_of({"example.com/gpu": str(gpus)}),
                },
            }


def drawn(name: str, jobs: int, seed: int) -> Burst:
    """A burst of random Jobs.

    All ClusterQueues have the same strategy: a StrictFIFO queue would have tried what it holds before another
    one, which has set its workloads aside, is woken; see `races.py`. No priority occurs in two ClusterQueues:
    Kueue leaves the order of their heads to chance where those are as old as each other, to the second.
    """
    chance = Random(seed)
    strategy = chance.choice(["BestEffortFIFO", "StrictFIFO"])
    those = []
    for _ in range(jobs):
        queue = chance.randrange(QUEUES)
        priority = QUEUES * chance.randrange(3) + queue
        those.append((queue, f"{name}{priority}", chance.choice([1, 2, 3]), chance.choice([1, 2, 4])))
    classes = [
        {
            "apiVersion": API,
            "kind": "WorkloadPriorityClass",
            "metadata": {"name": f"{name}{value}"},
            "value": value,
        }
        for value in range(3 * QUEUES)
    ]
    return Burst(name, [strategy] * QUEUES, those, (jobs // 4, jobs // 8), classes)


def main() -> int:
    """Ask and compare; 0 where the forecast is right."""
    parser = argparse.ArgumentParser("python -m tests.live.over_time.at_once", description=__doc__)
    parser.add_argument("--jobs", type=int, default=800)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with control_plane() as plane:
        said, real, _ = drawn("once", options.jobs, options.seed).play(plane)
    found = differences(said, real)
    print(f"{options.jobs} Jobs, {len(real.holding)} of them admitted, {len(found)} differences")
    print(json.dumps(found, indent=1))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
