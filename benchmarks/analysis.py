"""`python -m benchmarks.analysis`: how long `tenure analyze` takes, and how many cells are not known.

Each configuration is written as manifests and asked about by the command itself, as a process with an empty
folder of kept answers, and once more with what that has kept. Processor seconds are those of all its
processes: on a busy machine they tell more than the clock.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from tenure.processes import python_module

Object = dict[str, Any]

API = "kueue.x-k8s.io/v1beta2"
CONFIGURATION = "config.kueue.x-k8s.io/v1beta2"
SIZES = (3, 10, 40)
IN_A_COHORT = 4
"""ClusterQueues below each cohort of a nested tree."""


@dataclass(frozen=True, slots=True)
class MatrixCase:
    """One configuration.

    Args:
        queues: how many ClusterQueues it has.
        kind: `classical`, `fair` or `nested`, see `KINDS`; or one of those of which much is not known.
        alike: whether all its queues, and all its cohorts, have the same fields.
    """

    queues: int
    kind: str
    alike: bool

    @property
    def name(self) -> str:
        """How it is called in the table."""
        return f"{self.queues} {self.kind}, {'alike' if self.alike else 'all different'}"

    def objects(self) -> list[Object]:
        """Its manifests."""
        dice = random.Random(22)
        made = [_queue(self, dice, number) for number in range(self.queues)]
        flavors = [
            {"apiVersion": API, "kind": "ResourceFlavor", "metadata": {"name": name}, "spec": {}}
            for name in "fgh"
        ]
        return [*flavors, *made, *KINDS[self.kind](self, dice, made)]


@dataclass(frozen=True, slots=True)
class Measured:
    """What one run took, and what it found.

    Args:
        wall, busy: seconds by the clock, and of the processor.
        counts: cells of each verdict; empty where the run was ended.
    """

    wall: float
    busy: float
    counts: dict[str, int]


def _queue(case: MatrixCase, dice: random.Random, number: int) -> Object:
    different = not case.alike
    quota: Object = {"name": "gpu", "nominalQuota": 7 + 3 * number if different else 16}
    preemption = {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"}
    if different and dice.random() < 0.5:
        quota["borrowingLimit"] = dice.randint(0, 2 * quota["nominalQuota"])
    if different and dice.random() < 0.4:
        quota["lendingLimit"] = dice.randint(0, quota["nominalQuota"])
    if different:
        preemption["reclaimWithinCohort"] = dice.choice(("Any", "LowerPriority", "Never"))
        preemption["withinClusterQueue"] = dice.choice(
            ("Never", "LowerPriority", "LowerOrNewerEqualPriority")
        )
    spec: Object = {
        "cohortName": "root",
        "preemption": preemption,
        "resourceGroups": [{"coveredResources": ["gpu"], "flavors": [{"name": "f", "resources": [quota]}]}],
    }
    return {"apiVersion": API, "kind": "ClusterQueue", "metadata": {"name": f"q{number:02d}"}, "spec": spec}


def _classical(case: MatrixCase, dice: random.Random, queues: Sequence[Object]) -> Iterator[Object]:
    """One cohort; half of the queues that differ preempt while they borrow."""
    for queue in queues:
        preemption = queue["spec"]["preemption"]
        if not case.alike and preemption["reclaimWithinCohort"] != "Never" and dice.random() < 0.5:
            preemption["borrowWithinCohort"] = {"policy": "LowerPriority"}
    yield from ()


def _fair(case: MatrixCase, dice: random.Random, queues: Sequence[Object]) -> Iterator[Object]:
    """One cohort, both strategies, a weight of its own for each queue that differs."""
    for queue in queues:
        if not case.alike:
            queue["spec"]["fairSharing"] = {"weight": str(dice.choice((0, 1, 1, 2, 3)))}
    strategies = ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]
    yield _configuration(fairSharing={"preemptionStrategies": strategies})


def _nested(case: MatrixCase, dice: random.Random, queues: Sequence[Object]) -> Iterator[Object]:
    """Cohorts below a root, with quota and limits of their own, a few queues in each."""
    yield from _classical(case, dice, queues)
    count = -(-len(queues) // IN_A_COHORT)
    for number, queue in enumerate(queues):
        queue["spec"]["cohortName"] = f"c{number % count}"
    for number in range(count):
        quota = {"name": "gpu", "nominalQuota": 2, "borrowingLimit": 5}
        if not case.alike:
            quota |= {"nominalQuota": number, "borrowingLimit": dice.randint(0, 20)}
        groups = [{"coveredResources": ["gpu"], "flavors": [{"name": "f", "resources": [quota]}]}]
        spec = {"parentName": "root", "resourceGroups": groups}
        yield {"apiVersion": API, "kind": "Cohort", "metadata": {"name": f"c{number}"}, "spec": spec}


def _ageing(case: MatrixCase, dice: random.Random, queues: Sequence[Object]) -> Iterator[Object]:
    """As `classical`, and a priority class that grows with age beside one that does not."""
    yield from _classical(case, dice, queues)
    growth = {"step": 10, "max": 200, "delayForStep": "1h"}
    for name, value, policy in (("steady", 100, None), ("growing", 0, growth)):
        made: Object = {"apiVersion": API, "kind": "WorkloadPriorityClass", "metadata": {"name": name}}
        yield made | {"value": value} | ({} if policy is None else {"dynamicPriorityPolicy": policy})


def _flavors(case: MatrixCase, dice: random.Random, queues: Sequence[Object]) -> Iterator[Object]:
    """As `classical`, with three flavors and two resources."""
    yield from _classical(case, dice, queues)
    _with_flavors(queues)


def _with_flavors(queues: Sequence[Object]) -> None:
    for queue in queues:
        group = queue["spec"]["resourceGroups"][0]
        (gpu,) = group["flavors"][0]["resources"]
        group["coveredResources"] = ["cpu", "gpu"]
        group["flavors"] = [
            {"name": name, "resources": [{"name": "cpu", "nominalQuota": 4 * number + 4}, gpu]}
            for number, name in enumerate("fgh")
        ]


def _heroes(case: MatrixCase, dice: random.Random, queues: Sequence[Object]) -> Iterator[Object]:
    """As `classical`, and the first queue is a hero."""
    yield from _classical(case, dice, queues)
    queues[0]["spec"]["preemption"] = {"rules": "UberClusterQueueRules"}


def _everything(case: MatrixCase, dice: random.Random, queues: Sequence[Object]) -> Iterator[Object]:
    """Nested cohorts under fair sharing, three flavors and two resources, and a priority class that grows."""
    yield from _nested(case, dice, queues)
    yield from _ageing(case, dice, ())
    yield from _fair(case, dice, queues)
    for queue in queues:  # which fair sharing ignores
        queue["spec"]["preemption"].pop("borrowWithinCohort", None)
    _with_flavors(queues)


KINDS: dict[str, Callable[[MatrixCase, random.Random, Sequence[Object]], Iterator[Object]]] = {
    "classical": _classical,
    "fair": _fair,
    "nested": _nested,
    "flavors": _flavors,
    "ageing": _ageing,
    "heroes": _heroes,
    "everything": _everything,
}
REPORTED = ("flavors", "ageing", "heroes", "everything")
"""Kinds of which the share of cells that are not known is reported; no goal is set."""


def _configuration(**fields: Any) -> Object:
    return {"apiVersion": CONFIGURATION, "kind": "Configuration", **fields}


def measured(case: MatrixCase, question: str, jobs: int, limit_s: float, folder: Path) -> Measured:
    """One run of the command.

    Args:
        case: what is asked about.
        question: `matrix` or `guarantees`.
        jobs: processes.
        limit_s: seconds by the clock after which it is ended.
        folder: with the manifests and the answers that are kept.
    """
    path = folder / "queues.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": case.objects()}), "utf-8")
    command = [*python_module("tenure"), "analyze", question, str(path), "-o", "json"]
    command += ["--jobs", str(jobs)] if question == "matrix" else []
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    wall, busy = time.perf_counter(), _busy()
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        try:
            answer, _ = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            answer = b""
            process.communicate()
    wall, busy = time.perf_counter() - wall, _busy() - busy
    return Measured(wall, busy, _counts(json.loads(answer)) if answer else {})


def _counts(answer: Object) -> dict[str, int]:
    """Cells of each verdict; of guarantees, who may preempt each queue's workloads of each priority."""
    if "counts" in answer:
        return dict(answer["counts"])
    verdicts = {"can": "attackers", "never": "neverBy", "unknown": "unknownBy"}
    return {name: sum(len(cell[key]) for cell in answer["cells"]) for name, key in verdicts.items()}


def _busy() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure them all, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--queues", type=int, nargs="+", default=SIZES, metavar="N")
    parser.add_argument("--kinds", choices=tuple(KINDS), nargs="+", default=tuple(KINDS))
    parser.add_argument("--only", choices=("alike", "different"), help="queues of one sort")
    parser.add_argument("--question", choices=("matrix", "guarantees"), default="matrix")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=600, metavar="S", help="by the clock, of one run")
    given = parser.parse_args(arguments)
    # A shell's background jobs ignore the signal by which a run is ended, and so would all that they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print(
        f"{'configuration':28} {'wall':>7} {'busy':>7} {'kept':>6} {'cells':>6} {'can':>6} {'?':>5} {'%':>6}"
    )
    for queues, kind, alike in product(given.queues, given.kinds, (False, True)):
        if given.only in (None, "alike" if alike else "different"):
            _show(MatrixCase(queues, kind, alike), given.question, given.jobs, given.limit)


def _show(case: MatrixCase, question: str, jobs: int, limit_s: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        first = measured(case, question, jobs, limit_s, Path(folder))
        again = measured(case, question, jobs, limit_s, Path(folder)) if first.counts else first
    cells = sum(first.counts.values())
    found = (
        f"{again.busy:6.1f} {cells:6} {first.counts['can']:6} {first.counts['unknown']:5}"
        f" {100 * first.counts['unknown'] / cells:6.2f}"
        if first.counts
        else "ended"
    )
    print(f"{case.name:28} {first.wall:7.1f} {first.busy:7.1f} {found}", flush=True)


if __name__ == "__main__":
    main()
