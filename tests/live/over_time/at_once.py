"""Many Jobs that wait at once: who holds quota in the end, and with which flavors.

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
from collections.abc import Iterator
from random import Random

from tests.live.over_time.compare import differences, forecast, happened
from tests.live.over_time.draws import API, CLASS_LABEL, CLASSES, PRIORITIES, QUEUE_LABEL, pods_of
from tests.live.over_time.ledger import Ledger
from tests.live.over_time.pulse import Pulse
from tests.live.plane import Plane, control_plane
from tests.live.server import Object

CLUSTER, FLAVORS, QUEUES = "once", ("once-f0", "once-f1"), 4
QUIET = (5.0, 3)
"""Seconds and beats of the pulse without a change after which the cluster has settled."""


def at_once(plane: Plane, jobs: int, seed: int) -> list[str]:
    """What forecast and cluster differ in; empty where the forecast is right."""
    plane.configure({})
    plane.apply(CLASSES)
    server, chance = plane.server, Random(seed)
    ledger = Ledger(server)
    pulse = Pulse(server, ledger, f"{CLUSTER}pulse")
    try:
        for one in _cluster(chance):
            server.create(one)
        for number in range(jobs):
            server.create(_job(number, chance))
        _settle(ledger, pulse, jobs + 1)
        root = next(one for one in ledger.objects(CLUSTER) if one["metadata"]["name"] == f"{CLUSTER}-root")
        fields = {"resourceGroups": [_quota(jobs // 4, jobs // 8)]}
        ahead = [*copy.deepcopy(ledger.objects(CLUSTER)), *CLASSES]
        next(one for one in ahead if one["metadata"]["name"] == f"{CLUSTER}-root")["spec"].update(fields)
        began = time.monotonic()
        said = forecast(ahead, {}, "--cycles", str(jobs * 2))
        print(f"{jobs} Jobs: {len(said.holding)} admitted by a forecast of {time.monotonic() - began:.1f} s")
        seen = len(ledger.changes(CLUSTER))
        server.patch(server.path_of(root), {"spec": fields})
        _settle(ledger, pulse, jobs + 1)
        return differences(said, happened(ledger.changes(CLUSTER)[seen:], ledger.objects(CLUSTER), {}))
    finally:
        pulse.stop()
        ledger.stop()


def _settle(ledger: Ledger, pulse: Pulse, least: int) -> None:
    began = time.monotonic()
    while len(ledger.objects(CLUSTER)) < least or not _is_quiet(ledger, pulse, began):
        time.sleep(0.1)


def _is_quiet(ledger: Ledger, pulse: Pulse, began: float) -> bool:
    seconds, beats = QUIET
    since = max(began, ledger.changed_at(CLUSTER))
    return time.monotonic() - since > seconds and pulse.since(since) >= beats


def _cluster(chance: Random) -> Iterator[Object]:
    yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": CLUSTER}}
    for flavor in FLAVORS:
        yield {"apiVersion": API, "kind": "ResourceFlavor", "metadata": {"name": flavor}}
    root = f"{CLUSTER}-root"
    yield {
        "apiVersion": API,
        "kind": "Cohort",
        "metadata": {"name": root},
        "spec": {"resourceGroups": [_quota(0, 0)]},
    }
    # One for all: StrictFIFO queues try what they hold at once, others a second later what they set aside.
    strategy = chance.choice(["BestEffortFIFO", "StrictFIFO"])
    for i in range(QUEUES):
        spec = {
            "namespaceSelector": {},
            "cohortName": root,
            "queueingStrategy": strategy,
            "resourceGroups": [_quota(0, 0)],
        }
        yield {
            "apiVersion": API,
            "kind": "ClusterQueue",
            "metadata": {"name": f"{CLUSTER}-q{i}"},
            "spec": spec,
        }
        yield {
            "apiVersion": API,
            "kind": "LocalQueue",
            "metadata": {"namespace": CLUSTER, "name": f"lq{i}"},
            "spec": {"clusterQueue": f"{CLUSTER}-q{i}"},
        }


def _quota(*amounts: int) -> Object:
    return {
        "coveredResources": ["example.com/gpu"],
        "flavors": [
            {"name": flavor, "resources": [{"name": "example.com/gpu", "nominalQuota": str(amount)}]}
            for flavor, amount in zip(FLAVORS, amounts, strict=True)
        ],
    }


def _job(number: int, chance: Random) -> Object:
    labels = {
        QUEUE_LABEL: f"lq{chance.randrange(QUEUES)}",
        CLASS_LABEL: chance.choice(sorted(PRIORITIES)),
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"namespace": CLUSTER, "name": f"j{number}", "labels": labels},
        "spec": {
            "parallelism": chance.choice([1, 2, 3]),
            "completions": 4,
            "suspend": True,
            "template": pods_of({"example.com/gpu": str(chance.choice([1, 2, 4]))}),
        },
    }


def main() -> int:
    """Ask and compare; 0 where the forecast is right."""
    parser = argparse.ArgumentParser("python -m tests.live.over_time.at_once", description=__doc__)
    parser.add_argument("--jobs", type=int, default=800)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with control_plane() as plane:
        found = at_once(plane, options.jobs, options.seed)
    print(json.dumps(found, indent=1))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
