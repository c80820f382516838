"""What both sides do with each head of a cycle, tree by tree, and what differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from tenure_play.forecast.run import Course
from tenure_play.record import Result
from tests.peers.cycles.draws import GATES, READING, DrawnCycle

Object = dict[str, Any]


class Fate(NamedTuple):
    """What becomes of one head.

    Args:
        workload, queue: the head.
        decision: as Tenure names it.
        result: in the words of `Result`; `waits` where it is set aside or tried again.
        preempts: whom it preempts in this cycle and for which reason, by name.
        awaits: for whose pods it waits, by name.
        found: whether the next cycle finds it in the heap of its ClusterQueue.
    """

    workload: str
    queue: str
    decision: str
    result: str
    preempts: tuple[tuple[str, str], ...]
    awaits: tuple[str, ...]
    found: bool


class TreeTurns(NamedTuple):
    """The heads of one tree.

    Args:
        handled: in the order in which they are handled.
        impossible: those that are NoFit, by name: they change nothing, wherever they are handled.
    """

    handled: tuple[Fate, ...]
    impossible: tuple[Fate, ...]


Turns: TypeAlias = dict[str, TreeTurns]
"""By tree: fair sharing leaves the order of heads of different trees to chance, and it changes nothing."""

_STATUS = {"assumed": "admitted", "skipped": "skipped"}
_REQUEUE = {"PreemptionNoCandidates": "waits", "NoFit": "waits"}
_OURS = {Result.PARKED: "waits", Result.TRIED_AGAIN: "waits"}


def our_turns(drawn: DrawnCycle, unknown_gates: Iterable[str] = ()) -> Turns:
    """The first cycle as `tenure next` has it.

    Args:
        drawn: the cluster.
        unknown_gates: gates that the release does not have, nor what they bring.
    """
    off = dict.fromkeys((GATES[name] for name in unknown_gates if name in GATES), False)
    scenario = replace(drawn.scenario, gates=replace(drawn.scenario.gates, **off))
    course = Course(scenario, READING, 1, None)
    course.run()
    queues = course.player.world.queues
    fates = [
        Fate(
            workload=head.workload,
            queue=head.cluster_queue,
            decision=head.decision,
            result=_OURS.get(head.result, head.result.value),
            preempts=tuple(sorted((evicted.workload, evicted.reason) for evicted in head.preempts)),
            awaits=tuple(sorted(head.awaits)),
            found=head.workload in queues[head.cluster_queue].active,
        )
        for cycle in course.coming
        for head in cycle.heads
    ]
    return _by_tree(drawn, fates)


def their_turns(drawn: DrawnCycle, heads: Iterable[Object]) -> Turns:
    """One variant of the peer's answer, in the same words."""
    fates = [
        Fate(
            workload=head["workload"],
            queue=head["clusterQueue"],
            decision=_decision(head),
            result=_result(head),
            preempts=tuple(sorted((found["workload"], found["reason"]) for found in head["preempted"])),
            awaits=tuple(head["ongoing"]),
            found=head["inHeap"],
        )
        for head in heads
    ]
    return _by_tree(drawn, fates)


def _by_tree(drawn: DrawnCycle, fates: Iterable[Fate]) -> Turns:
    found: dict[str, list[Fate]] = {}
    for fate in fates:
        found.setdefault(_tree_of(drawn, fate.queue), []).append(fate)
    return {
        tree: TreeTurns(
            tuple(fate for fate in heads if fate.decision != "NoFit"),
            tuple(sorted(fate for fate in heads if fate.decision == "NoFit")),
        )
        for tree, heads in found.items()
    }


def _tree_of(drawn: DrawnCycle, queue: str) -> str:
    """The root above a ClusterQueue."""
    cluster = drawn.scenario.cluster
    name, above = f"ClusterQueue {queue}", cluster.cluster_queues[queue].cohort
    while above is not None:
        cohort = cluster.cohorts.get(above)
        name, above = f"Cohort {above}", cohort.parent if cohort else None
    return name


def _decision(head: Object) -> str:
    mode: str = head["mode"]
    if mode == "Preempt" and head["requeue"] == "PreemptionNoCandidates":
        return "NoCandidates"
    return "Fit" if mode == "DeferredFit" else mode


def _result(head: Object) -> str:
    if head["status"] in _STATUS:
        return _STATUS[head["status"]]
    if head["requeue"] == "PendingPreemption":
        return "preempting" if head["preempted"] or head["ongoing"] else "waits for targets"
    return _REQUEUE.get(head["requeue"], f"{head['status'] or 'not nominated'}: {head['message']}")


NOTHING = TreeTurns((), ())


def compared(drawn: DrawnCycle, answer: Object) -> tuple[list[str], Turns, int]:
    """What differs.

    Args:
        drawn: the cluster.
        answer: of the peer.

    Returns:
        the differences in lines, what Tenure does, and how many heads of theirs the next cycle finds for the
        sole reason that it goes on with their next flavor, which Tenure's cycles do not remember.
    """
    if "error" in answer:
        return [f"theirs is an error: {answer['error']['message']}"], our_turns(drawn), 0
    output = answer["output"]
    ours, heads = our_turns(drawn, output.get("unknownGates", ())), output["variants"]
    differing = list(_differences(ours, [their_turns(drawn, variant) for variant in heads]))
    if not differing:
        return [], ours, 0
    scanning = [
        head for head in heads[0] if head["inHeap"] and head["pendingFlavors"] and _result(head) == "waits"
    ]
    parked = [[_parked(head) for head in variant] for variant in heads]
    explained = list(_differences(ours, [their_turns(drawn, variant) for variant in parked]))
    return explained, ours, 0 if explained else len(scanning)


def _parked(head: Object) -> Object:
    """The head if it had tried its last flavor."""
    if head["pendingFlavors"] and _result(head) == "waits":
        return {**head, "inHeap": False}
    return head


def _differences(ours: Turns, variants: list[Turns]) -> Iterator[str]:
    """What no variant of theirs does as ours; by tree, since chances in different trees are independent."""
    for tree in sorted(ours.keys() | {tree for variant in variants for tree in variant}):
        mine, theirs = ours.get(tree, NOTHING), [variant.get(tree, NOTHING) for variant in variants]
        if mine in theirs:
            continue
        yield f"{tree}, in {len({*theirs})} variants of theirs"
        for side, turns in (("ours", mine), ("theirs", theirs[0])):
            yield from (f"  {side}: {tuple(fate)}" for fate in (*turns.handled, *turns.impossible))
