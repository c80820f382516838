"""How long commands take on a large dump, beside reading its JSON: `python -m benchmarks.commands --help`.

Every round runs each command once, as a process of its own. Its processor time is divided by what a process
takes that only has `json.load` read the same file, in one line, which Python reads faster than the indented
one of `kubectl get -o json`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.loading import API, Object, an_object, write_yaml
from benchmarks.simulating import used_by
from tenure.processes import python_module

WORKLOADS = 10_000
QUEUES, COHORTS = 20, 4
RUNNING_OF_TEN = 7
CORES_OF_A_GPU = 8
WAITING = (8, 16, 24, 32)
"""GPUs of those that wait; the two smaller ones fit into what is free in the whole tree."""
HOUR = 3600
NOW = "2026-03-20T12:00:00Z"
READ = "import json, sys; json.load(open(sys.argv[1]))"
GOALS = {"decide": 2.5, "decide, YAML": 3.5, "next": 6.0, "why-not": 3.0}


def main() -> None:
    """Write a dump, run each command in turn, and print the medians."""
    given = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        made = list(objects(given.workloads, random.Random(given.seed)))
        as_json, as_yaml = Path(folder, "dump.json"), Path(folder, "dump.yaml")
        as_json.write_text(json.dumps({"apiVersion": "v1", "items": made, "kind": "List"}), encoding="utf-8")
        with as_yaml.open("w", encoding="utf-8") as file:
            write_yaml(file, iter(made))
        small, large = (_first_waiting(made, pods) for pods in (min(WAITING), max(WAITING)))
        commands = {
            "json.load": [sys.executable, "-c", READ, str(as_json)],
            "decide": _tenure("decide", "-w", small, str(as_json)),
            "decide, YAML": _tenure("decide", "-w", small, str(as_yaml)),
            "next": _tenure("next", str(as_json)),
            "why-not": _tenure("why-not", small, str(as_json)),
            "why-not, short": _tenure("why-not", large, str(as_json)),
        }
        _print(_measured(commands, given.rounds), given.workloads)


def objects(count: int, dice: random.Random) -> Iterator[Object]:
    """A cluster that seven of ten workloads fill but for a GPU or two a queue; the rest waits.

    Args:
        count: its workloads.
        dice: draws their queues, sizes, priorities and times.
    """
    running = [_running(number, dice) for number in range(count * RUNNING_OF_TEN // 10)]
    used = sum(int(entry["spec"]["podSets"][0]["count"]) for entry in running)
    yield an_object("ResourceFlavor", "gpu", {"nodeLabels": {"pool": "gpu"}})
    yield from (an_object("Cohort", f"cohort-{i}", {"parentName": "all"}) for i in range(COHORTS))
    for number in range(QUEUES):
        yield _cluster_queue(number, used // QUEUES + 2)
        yield an_object("LocalQueue", "main", {"clusterQueue": f"queue-{number}"}, f"team-{number}")
    yield from running
    yield from (_waiting(number, dice) for number in range(len(running), count))


def _cluster_queue(number: int, gpus: int) -> Object:
    quotas = [
        {"name": "cpu", "nominalQuota": str(gpus * CORES_OF_A_GPU)},
        {"name": "nvidia.com/gpu", "nominalQuota": str(gpus)},
    ]
    spec: Object = {
        "cohortName": f"cohort-{number % COHORTS}",
        "namespaceSelector": {},
        "preemption": {
            "borrowWithinCohort": {"policy": "Never"},
            "reclaimWithinCohort": "Any",
            "withinClusterQueue": "LowerPriority",
        },
        "queueingStrategy": "BestEffortFIFO",
        "resourceGroups": [
            {
                "coveredResources": [quota["name"] for quota in quotas],
                "flavors": [{"name": "gpu", "resources": quotas}],
            }
        ],
    }
    return an_object("ClusterQueue", f"queue-{number}", spec)


def _running(number: int, dice: random.Random) -> Object:
    queue, pods = dice.randrange(QUEUES), dice.choice((1, 1, 1, 2))
    started = dice.uniform(1, 10) * HOUR
    made = _workload(
        number, queue, pods, dice.choice((0, 100, 200, 300)), started + dice.uniform(0, 90) * HOUR
    )
    assignment = {
        "count": pods,
        "flavors": {"cpu": "gpu", "nvidia.com/gpu": "gpu"},
        "name": "main",
        "resourceUsage": {"cpu": str(pods * CORES_OF_A_GPU), "nvidia.com/gpu": str(pods)},
    }
    made["status"] = {
        "admission": {"clusterQueue": f"queue-{queue}", "podSetAssignments": [assignment]},
        "conditions": [
            {
                "lastTransitionTime": _before(started),
                "message": message,
                "observedGeneration": 1,
                "reason": kind,
                "status": "True",
                "type": kind,
            }
            for kind, message in (
                ("QuotaReserved", f"Quota reserved in ClusterQueue queue-{queue}"),
                ("Admitted", "The workload is admitted"),
            )
        ],
    }
    return made


def _waiting(number: int, dice: random.Random) -> Object:
    queue, pods = dice.randrange(QUEUES), dice.choice(WAITING)
    return _workload(number, queue, pods, dice.choice((100, 200, 300)), dice.uniform(0, 8) * HOUR)


def _workload(number: int, queue: int, pods: int, priority: int, age: float) -> Object:
    container = {
        "image": "example.com/train:1.4",
        "name": "main",
        "resources": {
            "limits": {"nvidia.com/gpu": "1"},
            "requests": {"cpu": str(CORES_OF_A_GPU), "nvidia.com/gpu": "1"},
        },
    }
    template = {"metadata": {}, "spec": {"containers": [container], "restartPolicy": "Never"}}
    spec: Object = {
        "active": True,
        "podSets": [{"count": pods, "name": "main", "template": template}],
        "priority": priority,
        "queueName": "main",
    }
    made = an_object("Workload", f"job-train-{number}-{number * 7919 % 99991:05x}", spec, f"team-{queue}")
    job = f"7c5e10d2-0b8e-4a51-9f6d-{number:012x}"
    owner = {
        "apiVersion": "batch/v1",
        "controller": True,
        "kind": "Job",
        "name": f"train-{number}",
        "uid": job,
    }
    made["metadata"] |= {
        "creationTimestamp": _before(age),
        "labels": {"kueue.x-k8s.io/job-uid": job},
        "ownerReferences": [owner],
        "uid": f"0a5cb0fe-6a4b-4f5e-9d3e-{number:012x}",
    }
    return made


def _before(seconds: float) -> str:
    """The time so long before `NOW`, which is noon of the twentieth."""
    minutes, second = divmod(19 * 24 * HOUR + 12 * HOUR - int(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"2026-03-{hours // 24 + 1:02d}T{hours % 24:02d}:{minute:02d}:{second:02d}Z"


def _first_waiting(made: Sequence[Object], pods: int) -> str:
    """The name of the first pending workload of so many pods."""
    return next(
        f"{entry['metadata']['namespace']}/{entry['metadata']['name']}"
        for entry in made
        if entry["kind"] == "Workload"
        and "status" not in entry
        and entry["spec"]["podSets"][0]["count"] == pods
    )


def _tenure(*words: str) -> list[str]:
    return [*python_module("tenure"), *words, "--now", NOW]


def _measured(commands: dict[str, list[str]], rounds: int) -> dict[str, list[float]]:
    """Processor seconds of each command in each round; one round before has Python keep its bytecode."""
    found: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name, command in commands.items():
            seconds = _busy(name, command)
            found[name] += [seconds] if turn else []
    return found


def _busy(name: str, command: Sequence[str]) -> float:
    keeps = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=keeps) as process:
        used = used_by(process, name)
    return used.ru_utime + used.ru_stime


def _print(found: dict[str, list[float]], workloads: int) -> None:
    medians = {name: statistics.median(taken) for name, taken in found.items()}
    print(f"{workloads} workloads in {API}; processor time, medians of {len(found['json.load'])}")
    print(f"{'command':14} {'CPU s':>7} {'x json.load':>12} {'goal':>6}")
    for name, seconds in medians.items():
        goal = f"{GOALS[name]:6.1f}" if name in GOALS else ""
        print(f"{name:14} {seconds:7.3f} {seconds / medians['json.load']:12.2f} {goal}".rstrip())


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--workloads", type=int, default=WORKLOADS, metavar="N", help="workloads of the dump")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="runs of each command that count")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the dump")
    return parser.parse_args()


if __name__ == "__main__":
    main()
