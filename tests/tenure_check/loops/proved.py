"""Search trees of which theorems say that they have no loop: `python -m tests.tenure_check.loops.proved`."""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator
from typing import Any

from tenure.manifests import SourcedObject
from tenure.readings import Reading, preset, preset_names
from tenure_check.analysis.closed_systems import CohortTree, PriorityChoice, trees_of
from tenure_check.analysis.no_loop import proved_of_loops
from tenure_check.analysis.periodic_runs import EVICTIONS, LoopSearch, SearchBounds

BETA = "kueue.x-k8s.io/v1beta2"
POLICIES = ("Never", "LowerPriority", "LowerOrNewerEqualPriority")
STRATEGIES = (["LessThanOrEqualToFinalShare", "LessThanInitialShare"], ["LessThanInitialShare"])
PRIORITIES = (PriorityChoice(0), PriorityChoice(100))


def drawn_tree(dice: random.Random) -> tuple[CohortTree, Reading]:
    """A random tree without loops, as theorems say, in which something may be preempted."""
    while True:
        reading = preset(dice.choice(preset_names()))
        objects = [SourcedObject("", manifest) for manifest in _configuration(dice)]
        (tree, *others), _ = trees_of(objects, reading)
        proved = proved_of_loops(tree, reading)
        if not others and proved is not None and proved.excluded and "PO-ANY-340" in proved.theorems:
            return tree, reading


def searched(tree: CohortTree, reading: Reading, up_to: int) -> tuple[LoopSearch, bool]:
    """A search that knows no theorem, and whether it finds a loop."""
    kinds = tree.kinds("cpu", tree.sizes("cpu"), PRIORITIES, up_to)
    search = LoopSearch(tree, kinds, SearchBounds(up_to, EVICTIONS), reading)
    return search, any(found is not None for found in search.steps())


def _configuration(dice: random.Random) -> Iterator[dict[str, Any]]:
    flavors = dice.choice((("f",), ("f",), ("f", "g")))
    for flavor in flavors:
        yield {"apiVersion": BETA, "kind": "ResourceFlavor", "metadata": {"name": flavor}}
    if dice.random() < 0.3:
        sharing = {"preemptionStrategies": dice.choice(STRATEGIES)}
        yield {"apiVersion": f"config.{BETA}", "kind": "Configuration", "fairSharing": sharing}
    if dice.random() < 0.4:
        yield _holder(dice, "Cohort", "c", {}, flavors)
    for number in range(dice.choice((1, 2, 2, 3))):
        reclaim = dice.choice(("Any", "LowerPriority", "Never"))
        preemption: dict[str, Any] = {
            "withinClusterQueue": dice.choice(POLICIES),
            "reclaimWithinCohort": reclaim,
        }
        if reclaim != "Never" and dice.random() < 0.5:
            preemption["borrowWithinCohort"] = {"policy": "LowerPriority"}
        spec: dict[str, Any] = {
            "cohortName": "c",
            "queueingStrategy": dice.choice(("BestEffortFIFO", "StrictFIFO")),
            "preemption": preemption,
            "flavorFungibility": {
                "whenCanBorrow": dice.choice(("MayStopSearch", "TryNextFlavor")),
                "whenCanPreempt": dice.choice(("MayStopSearch", "TryNextFlavor")),
            },
        }
        yield _holder(dice, "ClusterQueue", f"q{number}", spec, flavors)


def _holder(
    dice: random.Random, kind: str, name: str, spec: dict[str, Any], flavors: tuple[str, ...]
) -> dict[str, Any]:
    made = []
    for flavor in flavors:
        resource: dict[str, Any] = {"name": "cpu", "nominalQuota": dice.choice((1, 2, 3, 4))}
        if kind == "ClusterQueue":
            limits: tuple[dict[str, int], ...] = ({"borrowingLimit": 0}, {"lendingLimit": 0}, {})
            resource |= dice.choices(limits, (6, 2, 1))[0]
        made.append({"name": flavor, "resources": [resource]})
    groups = [{"coveredResources": ["cpu"], "flavors": made}]
    return {
        "apiVersion": BETA,
        "kind": kind,
        "metadata": {"name": name},
        "spec": {**spec, "resourceGroups": groups},
    }


def main() -> int:
    """Run a campaign; 1 where a loop is found."""
    parser = argparse.ArgumentParser("python -m tests.tenure_check.loops.proved", description=__doc__)
    parser.add_argument("--n", type=int, default=50, help="trees")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--up-to", type=int, default=3, help="the most workloads of a system")
    given = parser.parse_args()
    systems = plays = loops = 0
    began = time.process_time()
    for number in range(given.seed, given.seed + given.n):
        tree, reading = drawn_tree(random.Random(number))
        search, found = searched(tree, reading, given.up_to)
        systems += len(search.tally.systems)
        plays += search.tally.plays
        if found:
            loops += 1
            print(f"tree {number}: a loop, though theorems say that there is none")
    took = time.process_time() - began
    print(f"{given.n} trees from {given.seed}: {systems} systems, {plays} plays, {loops} loops; {took:.0f} s")
    return 1 if loops else 0


if __name__ == "__main__":
    raise SystemExit(main())
