"""The latest start of `tenure next`, against plays in which jobs run to their limits, or end earlier."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from tenure.api import Loaded, find_pending, load, queue_of
from tenure.errors import InputError
from tenure.manifests import parse_instant
from tenure.model import SECOND, Duration, Instant
from tenure.oracle.tree import build_tree
from tenure.readings import Reading, preset
from tenure_lab.generators.scenarios import examples
from tenure_play import play
from tenure_play.forecast.answer import Horizon, look_ahead
from tenure_play.forecast.answer_types import LatestStart
from tenure_play.forecast.limits import AssumedRuntime
from tenure_play.from_cluster import scenario_from
from tenure_play.record import Record
from tenure_play.scenario import QueueGates, Submission, Timing
from tests.properties.edits_by_hand import objects_of
from tests.properties.test_next_by_play import READINGS, configuration
from tests.sampling import sample

SEED = 40
CLUSTERS = sample(15, 120)
"""Clusters of which a workload has a bound."""
EARLIER = 6
"""Plays of each cluster in which jobs end earlier."""
EVICTION = 30 * SECOND
PERIOD = 3600 * SECOND
"""So long is played beyond a bound."""

Raw: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Bounded:
    """A workload with a latest start, and the cluster."""

    name: str
    loaded: Loaded
    manifests: dict[str, Raw]
    now: Instant
    reading: Reading
    workload: str
    found: LatestStart
    runtime: Duration


def with_limits(items: list[Raw], dice: random.Random) -> list[Raw]:
    """The objects, most workloads with a limit, some of them admitted for a part of it already."""
    for item in items:
        if item.get("kind") != "Workload" and "podSets" not in item.get("spec", {}):
            continue
        if dice.random() < 0.8:
            item["spec"]["maximumExecutionTimeSeconds"] = dice.randint(30, 1500)
        conditions = item.get("status", {}).get("conditions", [])
        reserved = [found for found in conditions if found["type"] == "QuotaReserved"]
        if reserved and not any(found["type"] == "Admitted" for found in conditions):
            conditions.append({**reserved[0], "type": "Admitted", "reason": "Admitted"})
    return items


def bounded(folder: Path, count: int) -> Iterator[Bounded]:
    """Random clusters, of each one workload that has a bound."""
    made, seen = 0, Counter[str]()
    for index, drawn in enumerate(examples(100 * count, SEED, max_workloads=12, max_queues=4)):
        dice = random.Random(f"{SEED}/{index}")
        file = folder / "dump.json"
        items = [*with_limits(objects_of(drawn, dice), dice), *configuration(drawn)]
        file.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": items}))
        manifests = {
            f"{item['metadata'].get('namespace', 'default')}/{item['metadata']['name']}": item
            for item in items
            if "podSets" in item.get("spec", {})
        }
        now, reading = parse_instant(drawn["now"]), preset(READINGS[index % len(READINGS)])
        runtime = AssumedRuntime(2000 * SECOND, "")
        horizon = Horizon(eviction=EVICTION, runtime=runtime)
        loaded = load(file)
        for pending in dice.sample(loaded.cluster.pending, len(loaded.cluster.pending)):
            try:
                answer = look_ahead(loaded, manifests, now, reading, horizon, pending.key)
            except InputError:
                seen["refused"] += 1
                continue
            assert answer.asked is not None
            found = answer.asked.at_latest
            seen["admitted" if found is None else "no bound" if found.latest is None else "bound"] += 1
            if found is not None and found.latest is not None:
                name = f"seed {SEED}, index {index}, {pending.key}"
                yield Bounded(name, loaded, manifests, now, reading, pending.key, found, runtime.length)
                made += 1
                break
        if made == count:
            break
    print(f"seed {SEED}: {dict(seen)}")


def test_no_play_exceeds_the_latest_start(tmp_path: Path) -> None:
    seen = Counter[str]()
    for case in bounded(tmp_path, CLUSTERS):
        dice = random.Random(case.name)
        for number in range(EARLIER + 1):
            fate = exceeds(case, played(case, dice if number else None))
            seen[fate] += 1
            assert not fate.startswith("later"), f"{case.name}, play {number}: {fate}"
    print(dict(seen))
    assert seen["in time"] > CLUSTERS


def played(case: Bounded, dice: random.Random | None) -> Record:
    """A play of a cluster in which jobs run to their limits, or end earlier at random."""
    assert case.found.latest is not None
    end = case.found.latest + PERIOD
    scenario = scenario_from(
        case.loaded, case.manifests, case.now, end, Timing(eviction=EVICTION), QueueGates()
    )
    present = tuple(limited(case, entry, dice) for entry in scenario.present)
    return play(replace(scenario, present=present), case.reading)


def limited(case: Bounded, entry: Submission, dice: random.Random | None) -> Submission:
    """A workload that runs for as long as its limit, or for a part of that."""
    workload = entry.workload
    declared = case.manifests[workload.key]["spec"].get("maximumExecutionTimeSeconds")
    total = case.runtime if declared is None else declared * SECOND + EVICTION
    if workload.cluster_queue is not None and workload.quota_reserved_at is not None and declared is not None:
        total = max(total, case.now - workload.quota_reserved_at + EVICTION)
    if dice is not None and dice.random() < 0.7:
        total = int(total * dice.random() ** dice.choice((1, 3)))
    return replace(entry, work=max(1, total))


def exceeds(case: Bounded, record: Record) -> str:
    """Whether the workload starts in time, with what each preemption adds."""
    assert case.found.latest is not None
    started = min(
        (run.start for run in record.runs if run.workload == case.workload and run.start >= case.now),
        default=None,
    )
    until = record.end if started is None else started
    cluster = case.loaded.cluster
    queue = cluster.cluster_queues[queue_of(case.loaded, find_pending(case.loaded, case.workload))]
    tree = build_tree(cluster, queue).places
    preempted = sum(1 for found in record.preemptions if found.cluster_queue in tree and found.at <= until)
    more = max(0, preempted - case.found.preemptions)
    if more and case.found.per_preemption is None:
        return f"later: {more} preemptions where none is possible"
    latest = case.found.latest + more * (case.found.per_preemption or 0)
    if until > latest:
        return f"later: {(until - latest) / SECOND} s with {more} more preemptions"
    if started is None:
        return "preempted too often"
    exact = case.found.if_exact
    return "in time, later than if all run to their limits" if exact and started > exact else "in time"
