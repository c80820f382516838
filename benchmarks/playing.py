"""How long `tenure simulate` takes with many jobs, and its memory: `python -m benchmarks.playing --help`.

The jobs are drawn, or those of a trace as CSV with the columns job_id, submit_s, duration_s, gpus and queue,
such as Philly's. Nine ClusterQueues of one cohort share 512 GPUs. Every play runs in a process of its own, so
that its peak of memory is its own as well.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

SIZES = (1_000, 4_000, 10_777)
QUEUES, NOMINAL, REST = 8, 60, 32
OTHER = "rest"
PARTS = {"everything": {}, "events": {"heads": False, "story": False, "loop": False}}
"""What is written down beside runs, waits and preemptions."""
CHILD = """
import json, resource, sys, time
from tenure.readings import preset
from tenure_play import parse_scenario, play
from tenure_play.record import RecordParts
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
scenario = parse_scenario(json.load(open(sys.argv[1])))
loaded, busy = peak(), time.process_time()
record = play(scenario, preset(sys.argv[2]), RecordParts(**json.loads(sys.argv[3])))
busy = time.process_time() - busy
print(busy, loaded, peak(), len(record.cycles), len(record.preemptions), len(record.story))
"""

Object = dict[str, Any]


def main() -> None:
    """Play each number of jobs, with everything written down and with little."""
    given = _arguments()
    jobs = list(read(given.trace) if given.trace else drawn(given.seed, max(given.jobs)))
    head = f"{'jobs':>7} {'written':10} {'CPU s':>7} {'loaded MB':>9} {'peak MB':>8}"
    print(f"{head} {'cycles':>7} {'preempted':>9}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "scenario.json")
        for count in given.jobs:
            path.write_text(json.dumps(scenario_of(jobs[:count], given.duration)), encoding="utf-8")
            for name, parts in PARTS.items():
                _report(count, name, [str(path), given.reading, json.dumps(parts)])


def drawn(seed: int, count: int) -> Iterator[Object]:
    """Jobs by chance: most of them small and short, a few large or long, and more than fit at times."""
    dice, at = Random(seed), 0.0
    for number in range(count):
        at += dice.expovariate(1 / 30)
        yield {
            "job_id": str(number),
            "submit_s": str(int(at)),
            "duration_s": str(int(min(dice.lognormvariate(7.5, 2), 500_000)) + 1),
            "gpus": str(dice.choices((1, 2, 4, 8, 16), (70, 8, 8, 12, 2))[0]),
            "queue": f"vc{int(dice.paretovariate(1)) % 14}",
        }


def read(path: str) -> Iterator[Object]:
    """The jobs of a trace, a CSV file that may be in gzip."""
    raw = Path(path).read_bytes()
    text = (gzip.decompress(raw) if path.endswith(".gz") else raw).decode()
    yield from csv.DictReader(text.splitlines())


def scenario_of(jobs: list[Object], duration: str | None) -> Object:
    """The jobs as a scenario: the queues with the most jobs have a ClusterQueue each, all others one."""
    largest = [name for name, _ in Counter(job["queue"] for job in jobs).most_common(QUEUES)]
    queues = {name: f"q{number}" for number, name in enumerate(largest)}
    objects: list[Object] = [{"kind": "ResourceFlavor", "metadata": {"name": "gpu"}}]
    for name in (*queues.values(), OTHER):
        objects += _queue(name, REST if name == OTHER else NOMINAL, duration)
    return {
        "title": f"{len(jobs)} jobs",
        "until": f"{int(jobs[-1]['submit_s']) + 3600}s",
        "objects": objects,
        "events": [_submitted(job, queues.get(job["queue"], OTHER)) for job in jobs],
        "timing": {"eviction": "30s"},
    }


def _queue(name: str, nominal: int, duration: str | None) -> Iterator[Object]:
    preemption: Object = {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"}
    if duration is not None:
        preemption["withinClusterQueue"] = "LowerOrNewerEqualPriority"
        preemption["withinClusterQueueConfig"] = {"minAdmitDuration": duration}
    resources = [{"name": "nvidia.com/gpu", "nominalQuota": nominal}]
    groups = [{"coveredResources": ["nvidia.com/gpu"], "flavors": [{"name": "gpu", "resources": resources}]}]
    spec = {"cohortName": "all", "preemption": preemption, "resourceGroups": groups}
    yield {"kind": "ClusterQueue", "metadata": {"name": name}, "spec": spec}
    local = {"namespace": "default", "name": name}
    yield {"kind": "LocalQueue", "metadata": local, "spec": {"clusterQueue": name}}


def _submitted(job: Object, queue: str) -> Object:
    submit = {
        "name": f"j{job['job_id']}",
        "queue": queue,
        "work": f"{job['duration_s']}s",
        "requests": {"nvidia.com/gpu": int(job["gpus"])},
    }
    return {"at": f"{job['submit_s']}s", "submit": submit}


def _report(count: int, name: str, asked: list[str]) -> None:
    done = subprocess.run([sys.executable, "-c", CHILD, *asked], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{count}: {done.stderr.strip()}")
    busy, loaded, peak, cycles, preempted, _ = done.stdout.split()
    print(
        f"{count:7} {name:10} {float(busy):7.1f} {loaded:>9} {peak:>8} {cycles:>7} {preempted:>9}", flush=True
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--trace", metavar="FILE", help="play these jobs, the earliest first")
    parser.add_argument("--jobs", type=int, nargs="+", default=SIZES, metavar="N", help="how many of them")
    parser.add_argument("--seed", type=int, default=1, help="of jobs that are drawn (default: 1)")
    parser.add_argument("--duration", help="minAdmitDuration of the ClusterQueues (default: none)")
    parser.add_argument("--reading", default="guaranteed", help="see tenure.readings (default: guaranteed)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
