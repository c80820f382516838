"""What `tenure diff` says of random changes, and deciding both clusters by hand.

`python -m tests.properties.edits_by_hand --n 500 --seed 21` writes the cluster before and after each change
to files, changed by hand, asks `tenure decide --all-pending` of either, also at later instants, and compares.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from tenure.manifests import parse_instant
from tenure.units import format_instant
from tenure_lab.generators.options import KUEUE_FEATURES, Feature
from tenure_lab.generators.scenarios import examples
from tests.command_line import tenure

API = "kueue.x-k8s.io/v1beta2"
FEATURES = KUEUE_FEATURES | {Feature.DURATIONS, Feature.AGEING}
LATER = (1, 10**9, 3600 * 10**9, 30 * 24 * 3600 * 10**9)
"""After so many ns it is asked whether a spell without end has ended."""

Raw: TypeAlias = dict[str, Any]
Change: TypeAlias = tuple[list[str], Callable[[Raw], None]]
"""Words of a command line, and the same done to the object by hand."""
Decisions: TypeAlias = dict[str, tuple[str, dict[str, str]]]
"""By pending workload the decision in a word, and reasons by victim."""


@dataclass(frozen=True)
class Case:
    """A change of a cluster.

    Args:
        number: of the draw.
        before, after: the objects.
        words: the change, for `tenure diff`.
        now: the clock.
        flags: what else is on all command lines.
    """

    number: int
    before: list[Raw]
    after: list[Raw]
    words: list[str]
    now: str
    flags: tuple[str, ...]


def cases(count: int, seed: int) -> Iterator[Case]:
    """Random changes that leave a cluster which can be decided about."""
    made = 0
    for number, drawn in enumerate(
        examples(20 * count, seed, max_workloads=16, max_queues=4, features=FEATURES)
    ):
        dice = random.Random(f"{seed}/{number}")
        before = objects_of(drawn, dice)
        words, place, by_hand = change_of(before, drawn, dice)
        after = copy.deepcopy(before)
        by_hand(after[place])
        flags: tuple[str, ...] = (
            "--reading",
            dice.choice(("guaranteed", "guaranteed", "as-written", "released")),
        )
        if dice.random() < 0.3:
            flags = (*flags, "--fair-sharing", "default")
        if all(is_decided(side, drawn["now"]) for side in (before, after)):
            yield Case(number, before, after, words, drawn["now"], flags)
            made += 1
            if made == count:
                return


def objects_of(drawn: Raw, dice: random.Random) -> list[Raw]:
    """A scenario as objects of a cluster, in which some workloads wait again."""
    queues = [queue["metadata"]["name"] for queue in drawn["clusterQueues"]]
    admitted, waiting = [], [(drawn["incoming"], drawn["targetCQ"])]
    for workload in copy.deepcopy(drawn["admitted"]):
        place = workload["status"]["admission"]["clusterQueue"]
        if dice.random() < 0.25 and place in queues:
            workload.pop("status")
            waiting.append((workload, place))
        else:
            admitted.append(workload)
    namespaces = {workload["metadata"].get("namespace", "default") for workload, _ in waiting}
    local_queues = [
        {
            "apiVersion": API,
            "kind": "LocalQueue",
            "metadata": {"name": f"to-{queue}", "namespace": namespace},
            "spec": {"clusterQueue": queue},
        }
        for queue in queues
        for namespace in sorted(namespaces)
    ]
    pending = [
        {**workload, "spec": {**workload["spec"], "queueName": f"to-{queue}"}} for workload, queue in waiting
    ]
    return [
        *drawn["clusterQueues"],
        *drawn["cohorts"],
        *drawn["resourceFlavors"],
        *drawn.get("workloadPriorityClasses", []),
        *local_queues,
        *admitted,
        *pending,
    ]


def assigned(name: str, path: tuple[str, ...], value: str) -> Change:
    """A field of the spec, set."""

    def by_hand(raw: Raw) -> None:
        inner = raw["spec"]
        for key in path[:-1]:
            inner = inner.setdefault(key, {})
        inner[path[-1]] = int(value) if path == ("priority",) else value

    return ["--set", f"{name}.spec.{'.'.join(path)}={value}"], by_hand


def unset(name: str, key: str) -> Change:
    """A field of the spec, removed."""
    return ["--unset", f"{name}.spec.{key}"], lambda raw: raw["spec"].pop(key)


def quota(name: str, raw: Raw, dice: random.Random) -> Change:
    """Another nominal quota, by the names of flavor and resource."""
    g = dice.randrange(len(raw["spec"]["resourceGroups"]))
    flavor = dice.choice(raw["spec"]["resourceGroups"][g]["flavors"])
    resource, amount = dice.choice(flavor["resources"])["name"], str(dice.randrange(4))
    path = f"resourceGroups[{g}].flavors[name={flavor['name']}].resources[name={resource}].nominalQuota"

    def by_hand(changed: Raw) -> None:
        for entry in changed["spec"]["resourceGroups"][g]["flavors"]:
            for found in entry["resources"]:
                if (entry["name"], found["name"]) == (flavor["name"], resource):
                    found["nominalQuota"] = amount

    return ["--set", f"{name}.spec.{path}={amount}"], by_hand


def change_of(
    objects: list[Raw], drawn: Raw, dice: random.Random
) -> tuple[list[str], int, Callable[[Raw], None]]:
    """One random change: of the ClusterQueue that is asked about, of another one, or of a workload."""
    kinds = [raw.get("kind", "") for raw in objects]
    queues = [queue["metadata"]["name"] for queue in drawn["clusterQueues"]]
    if dice.random() < 0.15:
        place = dice.choice([i for i, kind in enumerate(kinds) if kind == "Workload"])
        metadata = objects[place]["metadata"]
        name = f"workload/{metadata.get('namespace', 'default')}/{metadata['name']}"
        return (*_placed(assigned(name, ("priority",), str(dice.randrange(-2, 300))), place),)
    place = queues.index(drawn["targetCQ"]) if dice.random() < 0.7 else dice.randrange(len(queues))
    return (*_placed(of_queue(objects[place], dice), place),)


def _placed(change: Change, place: int) -> tuple[list[str], int, Callable[[Raw], None]]:
    return change[0], place, change[1]


def of_queue(raw: Raw, dice: random.Random) -> Change:
    """One random change of a ClusterQueue."""
    name = f"clusterqueue/{raw['metadata']['name']}"
    kind = dice.randrange(7)
    if kind == 0 and "preemption" in raw["spec"]:
        return unset(name, "preemption")
    if kind in (1, 2):
        minutes = f"{dice.choice((1, 5, 60, 240, 1440))}m"
        return assigned(name, ("preemption", "withinClusterQueueConfig", "minAdmitDuration"), minutes)
    if kind == 3:
        policy = dice.choice(("Never", "LowerPriority", "LowerOrNewerEqualPriority"))
        return assigned(name, ("preemption", "withinClusterQueue"), policy)
    if kind == 4:
        return assigned(name, ("preemption", "reclaimWithinCohort"), dice.choice(("LowerPriority", "Any")))
    if kind == 5:
        return assigned(name, ("cohortName",), f"c{dice.randrange(4)}")
    return quota(name, raw, dice)


def is_decided(objects: list[Raw], now: str) -> bool:
    """Whether the objects make a cluster."""
    done = tenure("decide", "-", "-a", "--now", now, stdin=listed(objects))
    return done.returncode == 0


def listed(objects: list[Raw]) -> bytes:
    """The objects as kubectl prints them."""
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}).encode()


def decided(file: Path, now: str, flags: tuple[str, ...]) -> Decisions:
    """Every pending workload by itself, as `tenure decide` decides it."""
    done = tenure("decide", str(file), "-a", "--now", now, "-o", "json", *flags)
    assert done.returncode == 0, done.stderr.decode()
    return {
        row["workload"]: (
            row["decision"] or "not decided",
            {taken["workload"]: taken["reason"] for taken in row.get("preempted", ())},
        )
        for row in json.loads(done.stdout)["pending"]
    }


def victims_of(decisions: Decisions) -> set[str]:
    """The running workloads that any pending one preempts."""
    return {victim for _, reasons in decisions.values() for victim in reasons}


def differences(case: Case, folder: Path, counted: Counter[str]) -> list[str]:
    """What `tenure diff` says otherwise than deciding both clusters by hand.

    Args:
        case: the change.
        folder: where both clusters are written.
        counted: gets how much changed.
    """
    files = folder / "before.json", folder / "after.json"
    for file, objects in zip(files, (case.before, case.after), strict=True):
        file.write_bytes(listed(objects))
    done = tenure("diff", str(files[0]), *case.words, "--now", case.now, "-o", "json", *case.flags)
    if done.returncode != 0:
        return [done.stderr.decode()]
    said = json.loads(done.stdout)
    one, other = (decided(file, case.now, case.flags) for file in files)
    wrong = [*_pending(said, one, other), *_victims(said, one, other)]
    gone = victims_of(one) - victims_of(other)
    counted["changed"] += bool(said["pending"])
    counted["gained"] += len(said["gainedVictims"])
    counted["lost"] += len(said["lostVictims"])
    for entry in (*said["gainedVictims"], *said["lostVictims"]):
        if entry["runsAfter"]:
            wrong += _spell(case, files[1], entry, entry["workload"] not in gone, counted)
    return wrong


def _pending(said: Raw, one: Decisions, other: Decisions) -> Iterator[str]:
    nowhere: tuple[str, dict[str, str]] = ("absent", {})
    found = {entry["workload"]: entry for entry in said["pending"]}
    for key in one.keys() | other.keys():
        (before, lost), (after, gained) = one.get(key, nowhere), other.get(key, nowhere)
        expected = (before, after, gained.items() - lost.items(), lost.items() - gained.items())
        entry = found.pop(key, None)
        if entry is None:
            answered: Any = (before, before, set(), set())
        else:
            answered = (
                entry["before"],
                entry["after"],
                *(_pairs(entry[name]) for name in ("gained", "lost")),
            )
        if answered != expected:
            yield f"{key}: diff says {answered}, by hand {expected}"
    yield from (f"{key}: no such pending workload" for key in found)


def _pairs(taken: list[Raw]) -> set[tuple[str, str]]:
    return {(pair["workload"], pair["reason"]) for pair in taken}


def _victims(said: Raw, one: Decisions, other: Decisions) -> Iterator[str]:
    for name, here, there in (("gainedVictims", other, one), ("lostVictims", one, other)):
        expected = {
            victim: {(key, reasons[victim]) for key, (_, reasons) in here.items() if victim in reasons}
            for victim in victims_of(here) - victims_of(there)
        }
        answered = {entry["workload"]: _pairs(entry["preemptors"]) for entry in said[name]}
        if answered != expected:
            yield f"{name}: diff says {answered}, by hand {expected}"


def _spell(case: Case, after: Path, entry: Raw, gained: bool, counted: Counter[str]) -> Iterator[str]:
    """Whether it stays a victim, or none, as long as diff says."""
    name, until = entry["workload"], entry["until"]
    asked: list[tuple[int, bool]] = []
    start = parse_instant(case.now)
    if until is not None:
        end = parse_instant(until)
        counted["ends"] += 1
        asked += [(end, gained), (end + 1, not gained), ((start + end) // 2, gained)]
    elif entry["lookedUntil"] is None:
        counted["endless"] += 1
        asked += [(start + later, gained) for later in LATER]
    for at, expected in asked:
        if (name in victims_of(decided(after, format_instant(at), case.flags))) != expected:
            yield f"{name}: diff says until {until}, and by hand it is otherwise at {format_instant(at)}"


def main() -> int:
    """Draw changes, and say where diff and deciding by hand differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=500)
    parser.add_argument("--seed", type=int, default=21)
    asked = parser.parse_args()
    counted: Counter[str] = Counter()
    differing = count = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in cases(asked.n, asked.seed):
            found = differences(case, Path(folder), counted)
            count += 1
            differing += bool(found)
            for text in found:
                print(f"seed {asked.seed}, draw {case.number}, {' '.join(case.words)}: {text}")
    told = ", ".join(f"{name} {number}" for name, number in sorted(counted.items()))
    print(f"{count} edits with seed {asked.seed}, {differing} differ; {told}")
    return 1 if differing or count < asked.n else 0


if __name__ == "__main__":
    sys.exit(main())
