"""What `tenure diff` says of a random change is what deciding both clusters by hand says."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tenure.api import decide
from tenure.errors import InputError
from tenure.lab.scenarios import examples
from tenure.manifests import Loaded, SourcedObject, build
from tests.command_line import tenure
from tests.sampling import sample

SEED = 21
EDITS = sample(100, 500)
API = "kueue.x-k8s.io/v1beta2"

Raw: TypeAlias = dict[str, Any]
Change: TypeAlias = tuple[list[str], Callable[[Raw], None]]
"""Words of a command line, and the same done to the ClusterQueue by hand."""


def objects_of(drawn: Raw, dice: random.Random) -> list[Raw]:
    """A scenario as objects of a cluster, in which some workloads wait again."""
    queues = [queue["metadata"]["name"] for queue in drawn["clusterQueues"]]
    admitted, waiting = [], [(drawn["incoming"], drawn["targetCQ"])]
    for workload in copy.deepcopy(drawn["admitted"]):
        place = workload["status"]["admission"]["clusterQueue"]
        if dice.random() < 0.15 and place in queues:
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
        *local_queues,
        *admitted,
        *pending,
    ]


def assigned(queue: str, path: tuple[str, ...], value: str) -> Change:
    """A field of the spec, set."""

    def by_hand(raw: Raw) -> None:
        inner = raw["spec"]
        for key in path[:-1]:
            inner = inner.setdefault(key, {})
        inner[path[-1]] = value

    return ["--set", f"clusterqueue/{queue}.spec.{'.'.join(path)}={value}"], by_hand


def unset(queue: str, key: str) -> Change:
    """A field of the spec, removed."""
    return ["--unset", f"clusterqueue/{queue}.spec.{key}"], lambda raw: raw["spec"].pop(key)


def quota(queue: str, raw: Raw, dice: random.Random) -> Change:
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

    return ["--set", f"clusterqueue/{queue}.spec.{path}={amount}"], by_hand


def change_of(raw: Raw, dice: random.Random) -> Change:
    """One random change of a ClusterQueue."""
    name = raw["metadata"]["name"]
    kind = dice.randrange(6)
    if kind == 0 and "preemption" in raw["spec"]:
        return unset(name, "preemption")
    if kind == 1:
        minutes = f"{dice.choice((0, 1, 5, 60, 240))}m"
        return assigned(name, ("preemption", "withinClusterQueueConfig", "minAdmitDuration"), minutes)
    if kind == 2:
        policy = dice.choice(("Never", "LowerPriority", "LowerOrNewerEqualPriority"))
        return assigned(name, ("preemption", "withinClusterQueue"), policy)
    if kind == 3:
        return assigned(name, ("preemption", "reclaimWithinCohort"), dice.choice(("LowerPriority", "Any")))
    if kind == 4:
        return assigned(name, ("cohortName",), f"c{dice.randrange(4)}")
    return quota(name, raw, dice)


Decided: TypeAlias = tuple[dict[str, tuple[str, dict[str, str]]], set[str]]


def decided(loaded: Loaded, now: str) -> Decided:
    """Every pending workload by itself: the decision and the victims' reasons; and all victims."""
    found: dict[str, tuple[str, dict[str, str]]] = {}
    for workload in loaded.cluster.pending:
        try:
            decision = decide(loaded, workload.key, now=now)
        except InputError:
            found[workload.key] = "not decided", {}
            continue
        reasons = {target.workload.key: target.reason.label for target in decision.targets}
        found[workload.key] = str(decision.outcome), reasons
    return found, {victim for _, reasons in found.values() for victim in reasons}


def built(objects: list[Raw]) -> Loaded:
    return build([SourcedObject("", raw) for raw in objects])


def drawn_edits() -> Iterator[tuple[int, list[Raw], list[Raw], list[str], str]]:
    """Clusters before and after, the words of the change, the clock."""
    made = 0
    for number, drawn in enumerate(examples(20 * EDITS, SEED, max_workloads=16, max_queues=3)):
        dice = random.Random(f"{SEED}/{number}")
        before = objects_of(drawn, dice)
        queues = [queue["metadata"]["name"] for queue in drawn["clusterQueues"]]
        at = queues.index(drawn["targetCQ"]) if dice.random() < 0.7 else dice.randrange(len(queues))
        words, by_hand = change_of(before[at], dice)
        after = copy.deepcopy(before)
        by_hand(after[at])
        try:
            built(before), built(after)
        except InputError:
            continue
        yield number, before, after, words, drawn["now"]
        made += 1
        if made == EDITS:
            return


def test_a_difference_is_what_deciding_both_clusters_says(tmp_path: Path) -> None:
    changed = gained = lost = count = 0
    for number, before, after, words, now in drawn_edits():
        file = tmp_path / "before.json"
        file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": before}), encoding="utf-8")
        done = tenure("diff", str(file), *words, "--now", now, "-o", "json")
        assert done.returncode == 0, (SEED, number, words, done.stderr.decode())
        said = json.loads(done.stdout)
        (one, victims), (other, victims_after) = (decided(built(side), now) for side in (before, after))
        assert {entry["workload"] for entry in said["pending"]} == {
            key for key in one if one[key] != other[key]
        }, (SEED, number, words)
        for entry in said["pending"]:
            key = entry["workload"]
            assert (entry["before"], entry["after"]) == (one[key][0], other[key][0])
            taken, given = (
                {pair["workload"]: pair["reason"] for pair in entry[name]} for name in ("gained", "lost")
            )
            assert taken.items() == other[key][1].items() - one[key][1].items()
            assert given.items() == one[key][1].items() - other[key][1].items()
        found = {
            name: {
                entry["workload"]: {pair["workload"] for pair in entry["preemptors"]} for entry in said[name]
            }
            for name in ("gainedVictims", "lostVictims")
        }
        assert found["gainedVictims"].keys() == victims_after - victims, (SEED, number, words)
        assert found["lostVictims"].keys() == victims - victims_after, (SEED, number, words)
        for name, side in (("gainedVictims", other), ("lostVictims", one)):
            for victim, preemptors in found[name].items():
                assert preemptors == {key for key, (_, reasons) in side.items() if victim in reasons}
        count += 1
        changed += bool(said["pending"])
        gained += bool(found["gainedVictims"])
        lost += bool(found["lostVictims"])
    assert count == EDITS
    # The draws are worth it: decisions change in both directions.
    assert min(changed, gained, lost) >= EDITS // 40, (changed, gained, lost)


@pytest.mark.parametrize("fail_on", ["gained-victims", "any"])
def test_a_change_of_nothing_fails_no_check(tmp_path: Path, fail_on: str) -> None:
    drawn = next(iter(examples(1, SEED)))
    file = tmp_path / "before.json"
    items = objects_of(drawn, random.Random(SEED))
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}), encoding="utf-8")
    done = tenure("diff", str(file), str(file), "--now", drawn["now"], "--fail-on", fail_on)
    assert done.returncode == 0
    assert done.stdout.startswith(b"No decision changes")
