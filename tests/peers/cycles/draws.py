"""Clusters in which several workloads wait, as a request for the peer and as a scenario of Tenure's."""

from __future__ import annotations

import copy
import itertools
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.fair_searches import NOW
from benchmarks.repair_loops import Lasso, Turns, loop_with_nominal_quota
from tenure.conformance.requests import DecideRequest, read_decide_request
from tenure.errors import InputError
from tenure.model import Instant
from tenure.readings import Reading, preset
from tenure.resources import bundled
from tenure.units import format_instant
from tenure_lab.generators.options import KUEUE_FEATURES, Feature
from tenure_lab.generators.scenarios import examples
from tenure_lab.generators.writing import write_request
from tenure_play.engine import Player
from tenure_play.export import cluster_at, objects_of
from tenure_play.loading import load_scenario
from tenure_play.objects import without_workloads
from tenure_play.scenario import QueueGates, Scenario, Submission, Timing
from tests.tenure_simulate.trace.drawn import drawn as drawn_play

API = "kueue.x-k8s.io/v1beta2"
GATES: Mapping[str, str] = {
    "SchedulingEquivalenceHashing": "equivalence",
    "RecomputeAssignmentUponPreemptionTargetsOverlap": "recompute",
    "PrioritizePreemptorWorkloads": "preemptors_first",
}
READING = preset("released")
FEATURES = KUEUE_FEATURES - {Feature.UNRESERVED}
"""Who has an admission and no reserved quota waits, in a dump as in Kueue."""
LOOPS = (
    "fill-back",
    "initial-share",
    "three-in-a-circle",
    "shares-alone",
    "at-the-ceiling",
    "fair-in-a-tree",
    "within-nominal",
    "another-resource",
)
"""The smallest loop of each kind that kueue#14543 leaves, as named after it in `spec/vectors/scenarios`."""
_AGAIN = 0.35
"""So many of the running workloads wait again."""
_MOST_JOBS = 40
"""So many jobs has a play at most."""
_MOMENTS = 20
"""At so many instants of a play somebody is looked for who waits."""
_MOST_CYCLES = 1_000
"""So many cycles has a play up to such an instant at most: some preempt in a loop that has no end."""

Raw = dict[str, Any]


@dataclass(frozen=True, slots=True)
class DrawnCycle:
    """One cluster.

    Args:
        index: of the seed.
        request: the input of the peer's call `cycle`.
        scenario: the same, as Tenure plays it.
        ours: the settings and objects of it.
    """

    index: int
    request: Raw
    scenario: Scenario
    ours: DecideRequest


def drawn_cycles(count: int, seed: int, start: int = 0) -> Iterator[DrawnCycle]:
    """Clusters of a seed, the same for the same one; without those that Tenure refuses to read.

    Args:
        count: how many are drawn.
        seed: any whole number.
        start: the first index that is wanted.
    """
    for index, drawn in enumerate(examples(count, seed, max_workloads=12, features=FEATURES)):
        if index < start:
            continue
        dice = random.Random(f"{seed}/{index}")
        found = _cycle(index, drawn, _waiting(drawn, dice), _drawn_gates(dice))
        if found is not None:
            yield found


def played_cycles(count: int, seed: int, start: int = 0) -> Iterator[DrawnCycle]:
    """Clusters that plays have come to, each at a random instant at which somebody waits.

    Some of those that run wait again, and some that wait become more important: left alone, nearly all that
    wait at such an instant have just been found to have no candidates. The plays are those that the trace
    engine is compared with. Kueue knows no minAdmitDuration: the state that a play under one has come to is
    asked about without it, on both sides.

    Args:
        count: how many plays.
        seed: any whole number.
        start: the first index that is wanted.
    """
    for index in range(start, count):
        dice = random.Random(f"plays {seed}/{index}")
        scenario, reading = drawn_play(dice.randrange(10**9), _MOST_JOBS)
        cluster = _come_to(replace(scenario, max_cycles=_MOST_CYCLES), reading, dice)
        if cluster is None:
            continue
        drawn, waiting = cluster
        waiting += _wait_again(drawn, dice)
        for workload, _ in waiting:
            workload["spec"]["priority"] += dice.choice((0, 0, 1, 2))
        found = _cycle(index, drawn, waiting, _drawn_gates(dice)) if waiting else None
        if found is not None:
            yield found


def all_loops() -> Iterator[DrawnCycle]:
    """The cycles of the loops that kueue#14543 leaves, and the turns of one in another order than Kueue's."""
    index = itertools.count()
    for name in LOOPS:
        for drawn, waiting, gates in _looping(name):
            yield _certainly(_cycle(next(index), drawn, waiting, gates))
    for drawn, waiting, gates in _turned(loop_with_nominal_quota()):
        yield _certainly(_cycle(next(index), drawn, waiting, gates))


def _certainly(found: DrawnCycle | None) -> DrawnCycle:
    assert found is not None
    return found


_Begun = tuple[Raw, list[tuple[Raw, str]], Mapping[str, bool]]
"""A cluster as `examples` draws it, who waits in it, and the gates of a cycle."""


def _looping(name: str) -> Iterator[_Begun]:
    """Each cycle of a scenario, from its start to the end of the first turn of its loop.

    Only those wait that the cycle finds in the heaps of the play; who is parked there is left out.
    """
    scenario = load_scenario(bundled("spec", "vectors", "scenarios", f"kueue-14543-{name}.yaml"))
    assert isinstance(scenario, Scenario)
    play = _Noting(scenario, READING)
    loop = play.play().loop
    assert loop is not None, name
    gates = {gate: getattr(scenario.gates, field) for gate, field in GATES.items()}
    for at, objects, clock in play.noted:
        if at <= loop.start + loop.period:
            yield *_as_drawn(objects, clock), gates


def _turned(lasso: Lasso) -> Iterator[_Begun]:
    """Each turn of a loop, with nobody waiting but the workload whose turn it is."""
    turns, holds = Turns(lasso.drawn, READING.fair_sharing_repair), lasso.start
    for number in lasso.order:
        queue, workload = lasso.drawn.jobs[number]
        asked = DecideRequest(turns.cluster(holds), workload, queue, NOW, READING, None, explained=False)
        written = write_request(asked)
        yield written, [(written["incoming"], queue)], dict.fromkeys(GATES, False)
        (holds,) = {step.after for step in turns.of(holds) if step.job == number}
    assert holds == lasso.start


class _Noting(Player):
    """A play that keeps what each of its cycles begins with: when, the objects, the controller's clock."""

    def __init__(self, scenario: Scenario, reading: Reading) -> None:
        super().__init__(scenario, reading)
        self.noted: list[tuple[Instant, list[Raw], Instant]] = []

    def _cycle(self) -> None:
        world = self.world
        active = {key for queue in world.queues.values() for key in queue.active}
        objects = [
            found
            for found in objects_of(self.scenario, world)
            if found["kind"] != "Workload" or _is_admitted(found) or "/".join(_key(found)) in active
        ]
        self.noted.append((world.now, objects, world.clock))
        super()._cycle()


def _come_to(
    scenario: Scenario, reading: Reading, dice: random.Random
) -> tuple[Raw, list[tuple[Raw, str]]] | None:
    """What a play has come to at a random instant, and who waits then; None if no instant can be had."""
    found = None
    for _ in range(_MOMENTS):
        try:
            objects, clock = cluster_at(scenario, reading, dice.randrange(scenario.start, scenario.end))
        except InputError:
            continue
        found = _as_drawn(objects, clock)
        if found[1]:
            break
    return found


def _as_drawn(objects: list[Raw], clock: Instant) -> tuple[Raw, list[tuple[Raw, str]]]:
    """A cluster as `examples` draws it, and who waits in it."""
    kinds: dict[str, list[Raw]] = {}
    for manifest in objects:
        kinds.setdefault(manifest["kind"], []).append(manifest)
    for queue in kinds["ClusterQueue"]:
        queue["spec"].get("preemption", {}).pop("withinClusterQueueConfig", None)
        queue["spec"].setdefault("namespaceSelector", {})
    to = {_key(queue): queue["spec"]["clusterQueue"] for queue in kinds["LocalQueue"]}
    workloads = kinds.get("Workload", [])
    waiting = [workload for workload in workloads if not _is_admitted(workload)]
    drawn = {
        "now": format_instant(clock),
        "clusterQueues": kinds["ClusterQueue"],
        "cohorts": kinds.get("Cohort", []),
        "resourceFlavors": kinds["ResourceFlavor"],
        "admitted": [workload for workload in workloads if _is_admitted(workload)],
    }
    for configuration in kinds.get("Configuration", []):
        drawn["fairSharing"] = configuration["fairSharing"]
    return drawn, [
        (workload, to[workload["metadata"]["namespace"], workload["spec"]["queueName"]])
        for workload in waiting
    ]


def _is_admitted(workload: Raw) -> bool:
    return "admission" in workload.get("status", {})


def _key(manifest: Raw) -> tuple[str, str]:
    return manifest["metadata"].get("namespace", "default"), manifest["metadata"]["name"]


def _drawn_gates(dice: random.Random) -> dict[str, bool]:
    return {name: dice.random() < likely for name, likely in zip(GATES, (0.7, 0.5, 0.3), strict=True)}


def _cycle(
    index: int, drawn: Raw, waiting: list[tuple[Raw, str]], gates: Mapping[str, bool]
) -> DrawnCycle | None:
    """A cycle about those who wait; None where Tenure refuses to read it."""
    drawn["featureGates"] = {**(drawn.get("featureGates") or {}), **gates}
    try:
        asked = [
            read_decide_request({**drawn, "incoming": workload, "targetCQ": queue})
            for workload, queue in waiting
        ]
    except InputError:
        return None
    return DrawnCycle(index, _request(drawn, waiting), _scenario(asked, gates), asked[0])


def _waiting(drawn: Raw, dice: random.Random) -> list[tuple[Raw, str]]:
    """The workloads that wait, with their ClusterQueues; those that ran are no longer among the admitted."""
    return [(copy.deepcopy(drawn["incoming"]), drawn["targetCQ"]), *_wait_again(drawn, dice)]


def _wait_again(drawn: Raw, dice: random.Random) -> list[tuple[Raw, str]]:
    """Some of those that run, which wait from now on."""
    queues = [queue["metadata"]["name"] for queue in drawn["clusterQueues"]]
    waiting: list[tuple[Raw, str]] = []
    running: list[Raw] = []
    for workload in drawn["admitted"]:
        place = workload["status"]["admission"]["clusterQueue"]
        if place in queues and dice.random() < _AGAIN:
            again = copy.deepcopy(workload)
            del again["status"]
            waiting.append((again, place))
        else:
            running.append(workload)
    drawn["admitted"] = running
    return waiting


def _request(drawn: Raw, waiting: list[tuple[Raw, str]]) -> Raw:
    named = {(workload["metadata"].get("namespace", ""), queue) for workload, queue in waiting}
    local_queues = [
        {
            "apiVersion": API,
            "kind": "LocalQueue",
            "metadata": {"name": f"to-{queue}", "namespace": namespace},
            "spec": {"clusterQueue": queue},
        }
        for namespace, queue in sorted(named)
    ]
    pending = [
        {**workload, "spec": {**workload["spec"], "queueName": f"to-{queue}"}} for workload, queue in waiting
    ]
    left_out = ("incoming", "targetCQ", "assignment")
    kept = {key: value for key, value in drawn.items() if key not in left_out}
    return {**kept, "localQueues": local_queues, "pending": pending}


def _scenario(asked: list[DecideRequest], gates: Mapping[str, bool]) -> Scenario:
    first = asked[0]
    cluster = first.cluster
    present = [
        Submission(running, queue)
        for running in cluster.admitted
        if (queue := running.cluster_queue) is not None and queue in cluster.cluster_queues
    ]
    present += [Submission(request.preemptor, request.queue) for request in asked]
    return Scenario(
        name="cycle",
        title="",
        start=first.now,
        end=first.now,
        cluster=without_workloads(cluster),
        present=tuple(present),
        timing=Timing(eviction=1),
        gates=QueueGates(**{GATES[name]: on for name, on in gates.items()}),
    )
