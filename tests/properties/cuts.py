"""A timeline cut at an instant: the cluster written out and read back, beside a restart of the controller."""

from __future__ import annotations

import argparse
import dataclasses
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import yaml

import tenure
from tenure.errors import InputError
from tenure.manifests import parse_instant
from tenure.model import Cluster, Instant, Workload
from tenure.oracle.snapshot import with_effective_priority
from tenure.readings import Reading, preset, preset_names
from tenure.rules.terms import terms_of
from tenure.rules.time_based import requeue_timestamp
from tenure.units import format_instant
from tenure_play import Record, Scenario, parse_scenario, play
from tenure_play.engine import world_at
from tenure_play.export import cluster_at
from tenure_play.scenario import Restart
from tests.tenure_play.plays import queue, scenario

_EQUAL = "LowerOrNewerEqualPriority"
_STRATEGIES = (["LessThanOrEqualToFinalShare", "LessThanInitialShare"], ["LessThanInitialShare"])
NOTHING = "no head was decided"


def drawn(seed: int) -> dict[str, Any]:
    """A scenario of several queues: cohorts or none, fair sharing or not, classes that grow, edits."""
    dice = Random(seed)
    names = ["a", "b", "c"][: dice.randint(1, 3)]
    queues = [_queue(dice, name, "all" if len(names) > 1 else "") for name in names]
    events = [_submission(dice, f"w{number}", names) for number in range(dice.randint(3, 9))]
    events += [
        {"at": _at(dice), "restart": {"down": f"{dice.choice((0, 90))}s"}}
        for _ in range(dice.choice((0, 0, 1)))
    ]
    if dice.random() < 0.2:
        spec = {
            "preemption": {
                "withinClusterQueue": _EQUAL,
                "withinClusterQueueConfig": {"minAdmitDuration": "2m"},
            }
        }
        events.append(
            {"at": _at(dice), "edit": {"kind": "ClusterQueue", "metadata": {"name": names[0]}, "spec": spec}}
        )
    policy = {"step": dice.choice((1, 5)), "max": 20, "delayForStep": dice.choice(("1m", "150s"))}
    grows = {
        "kind": "WorkloadPriorityClass",
        "metadata": {"name": "grows"},
        "spec": {"priority": 3, "dynamicPriorityPolicy": policy},
    }
    objects: list[dict[str, Any]] = [grows]
    if dice.random() < 0.4:
        fair = {"preemptionStrategies": dice.choice(_STRATEGIES)}
        objects.append(
            {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", "fairSharing": fair}
        )
    timing = {"eviction": f"{dice.choice((1500, 60_000, 150_000))}ms", "cycle": "1ms"}
    return scenario(queues, events, objects=objects, timing=timing, until="20m", maxCycles=3000)


def _queue(dice: Random, name: str, cohort: str) -> dict[str, Any]:
    within = dice.choice((_EQUAL, _EQUAL, "LowerPriority", "Never"))
    preemption: dict[str, Any] = {"withinClusterQueue": within}
    if within == _EQUAL:
        preemption["withinClusterQueueConfig"] = {"minAdmitDuration": dice.choice(("1m", "90s", "3m"))}
    if cohort:
        preemption["reclaimWithinCohort"] = dice.choice(("Any", "LowerPriority", "Never"))
    strategy = dice.choice(("BestEffortFIFO", "StrictFIFO"))
    quotas = {"cpu": dice.randint(1, 6), **({"memory": 8} if dice.random() < 0.3 else {})}
    return queue(name, quotas, cohort, preemption=preemption, queueingStrategy=strategy)


def _submission(dice: Random, name: str, names: list[str]) -> dict[str, Any]:
    """One pod set, or two of which the second may be admitted in part."""
    common: dict[str, Any] = {"progress": dice.choice(("kept", "lost"))}
    if dice.random() < 0.5:
        common["work"] = f"{dice.randint(1, 600)}s"
    to = dice.choice(names)
    if dice.random() < 0.3:
        sets = [
            _pods("one", 1, dice.choice(("500m", "1")), None),
            _pods("many", dice.randint(1, 3), "700m", 1),
        ]
        spec = {"queueName": to, "priority": dice.randint(0, 2), "podSets": sets}
        return {"at": _at(dice), "submit": {"manifest": {"metadata": {"name": name}, "spec": spec}, **common}}
    said = {"name": name, "queue": to, "requests": {"cpu": dice.choice((1, "1500m", 2, 3))}, **common}
    said.update({"priorityClass": "grows"} if dice.random() < 0.3 else {"priority": dice.randint(0, 3)})
    return {"at": _at(dice), "submit": said}


def _pods(name: str, count: int, cpu: str, least: int | None) -> dict[str, Any]:
    containers = [{"name": "main", "resources": {"requests": {"cpu": cpu}}}]
    made: dict[str, Any] = {"name": name, "count": count, "template": {"spec": {"containers": containers}}}
    return made if least is None else {**made, "minCount": least}


def _at(dice: Random) -> str:
    return f"{dice.randrange(900_000)}ms"


def cut_of(seed: int) -> tuple[Scenario, Reading, Instant]:
    """A scenario, a reading and an instant at which it is cut, the same for the same seed."""
    dice = Random(f"cut {seed}")
    made = parse_scenario(drawn(seed))
    reading = preset(dice.choice(preset_names()))
    if dice.random() < 0.3:
        return made, reading, made.start + dice.randrange(made.end - made.start)
    # Most is decided soon after something has happened, while victims leave.
    return made, reading, dice.choice(made.events).at + dice.randrange(1, 60 * 10**9)


def after_a_restart(made: Scenario, reading: Reading, at: Instant) -> Record:
    """The timeline with a restart of the controller at an instant, a second longer than that."""
    events = sorted([*made.events, Restart(at)], key=lambda event: event.at)
    end = min(made.end, at + 10**9)
    return play(dataclasses.replace(made, events=tuple(events), end=end), reading)


def difference(seed: int) -> str:
    """How a cluster that was written out and read back differs from one whose controller restarts.

    Empty where it does not; `NOTHING` where the restarted controller has no head to decide.
    """
    made, reading, at = cut_of(seed)
    try:
        record = after_a_restart(made, reading, at)
    except InputError:
        return NOTHING
    loaded, clock = read_back(made, reading, at)
    lost = _lost(made, reading, at, loaded.cluster)
    if lost:
        return lost
    asked = next((cycle for cycle in record.cycles if cycle.at == at), None)
    if asked is None:
        return NOTHING
    heads = {head.cluster_queue: head.workload for head in asked.heads}
    if heads != heads_of(loaded.cluster, clock, reading):
        return f"heads {heads} and {heads_of(loaded.cluster, clock, reading)}"
    first = asked.heads[0]
    decision = tenure.decide(loaded, first.workload, now=format_instant(clock), reading=reading)
    mine = str(decision.outcome), tuple(target.workload.key for target in decision.targets)
    theirs = first.decision, mine[1] if first.decision != "Preempt" else first.targets
    return "" if mine == theirs else f"{first.workload}: {theirs} after a restart, {mine} read back"


def read_back(made: Scenario, reading: Reading, at: Instant) -> tuple[tenure.Loaded, Instant]:
    """The cluster of an instant, written to a file and read again, and what the clock showed."""
    objects, clock = cluster_at(made, reading, at)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cluster.yaml")
        path.write_text(yaml.dump_all(objects, Dumper=yaml.CSafeDumper), encoding="utf-8")
        return tenure.load(path), parse_instant(format_instant(clock))


def heads_of(cluster: Cluster, clock: Instant, reading: Reading) -> dict[str, str]:
    """Who heads each queue, by what is persisted: priority, the time queued from, uid."""
    waiting: dict[str, list[tuple[int, Instant, str, str]]] = {}
    for workload in cluster.pending:
        name = cluster.local_queues[workload.namespace, workload.queue_name]
        terms = terms_of(cluster.cluster_queues[name], cluster.settings, reading)
        priority = with_effective_priority(workload, cluster, clock, reading).priority
        place = -priority, requeue_timestamp(workload, terms), workload.uid, workload.key
        waiting.setdefault(name, []).append(place)
    return {name: min(places)[3] for name, places in waiting.items()}


def _lost(made: Scenario, reading: Reading, at: Instant, cluster: Cluster) -> str:
    """Which workloads are not the same once they have been read back."""
    before = {key: _comparable(actor.workload) for key, actor in world_at(made, reading, at).alive.items()}
    after = {workload.key: _comparable(workload) for workload in (*cluster.admitted, *cluster.pending)}
    if before == after:
        return ""
    wrong = [key for key in before.keys() | after.keys() if before.get(key) != after.get(key)]
    return "; ".join(f"{before.get(key)} and {after.get(key)}" for key in wrong)


def _comparable(workload: Workload) -> Workload:
    """What pods ask for is not read of one that holds quota."""
    return workload if workload.cluster_queue is None else dataclasses.replace(workload, pod_sets=())


def main() -> int:
    """Cut many: `python -m tests.properties.cuts --n 5000 --seed 1`."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--n", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    found: Counter[str] = Counter()
    for seed in range(asked.seed, asked.seed + asked.n):
        said = difference(seed)
        found[said if said in ("", NOTHING) else "differ"] += 1
        if said not in ("", NOTHING):
            print(f"seed {seed}: {said}", file=sys.stderr)
    print(f"{found['']} states decided alike, {found['differ']} otherwise; in {found[NOTHING]} {NOTHING}")
    return 1 if found["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())
