"""The trace engine against `tenure_play.play`, event by event."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from tenure.choices import Outcome
from tenure.model import Basis, Instant, TurnResult
from tenure.readings import Reading
from tenure.rules.eligibility import preemption_reason
from tenure.rules.hero_rank import is_hero
from tenure.rules.time_based import queue_preemption_reason
from tenure_play import Record, Scenario, play
from tenure_play.record import Ending, Result
from tenure_simulate.trace import Simulated, simulate

_OUTCOMES = (Outcome.NO_FIT, Outcome.NO_CANDIDATES, Outcome.PREEMPT, Outcome.FIT)
_ENDINGS = (Ending.FINISHED, Ending.PREEMPTED, Ending.RUNNING)
_WITHIN = (Basis.LOWER_PRIORITY, Basis.NEWER_EQUAL, Basis.TIME_EXPIRED)


@dataclass
class Compared:
    """What was compared so far.

    Args:
        plays, heads, preemptions: how many.
        stepped: heads whose priority took a step since they began to wait.
        plays_stepped: plays with any.
        beside_heroes: how many of the preemptions were by standard ClusterQueues where there are heroes.
        results, reasons: how often each.
    """

    plays: int = 0
    heads: int = 0
    preemptions: int = 0
    stepped: int = 0
    plays_stepped: int = 0
    beside_heroes: int = 0
    results: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, record: Record, heroes: Collection[str]) -> None:
        """A play whose every event was the same, with these heroes."""
        self.plays += 1
        self.preemptions += len(record.preemptions)
        stepped = heads_stepped(record)
        self.stepped += stepped
        self.plays_stepped += stepped > 0
        for cycle in record.cycles:
            self.heads += len(cycle.heads)
            self.results.update(str(head.result) for head in cycle.heads)
        self.reasons.update(preemption.reason for preemption in record.preemptions)
        if heroes:
            by = [preemption.preemptor_queue for preemption in record.preemptions]
            self.beside_heroes += sum(queue not in heroes for queue in by)


def heads_stepped(record: Record) -> int:
    """How many heads were decided with another priority than when they began to wait."""
    steps: dict[str, list[Instant]] = defaultdict(list)
    waits: dict[str, list[Instant]] = defaultdict(list)
    known: set[str] = set()
    for step in record.priority_steps:
        if step.workload in known:
            steps[step.workload].append(step.at)
        known.add(step.workload)
    for wait in record.waits:
        waits[wait.workload].append(wait.start)
    count = 0
    for cycle in record.cycles:
        for head in cycle.heads:
            own, since = steps[head.workload], waits[head.workload]
            last = bisect_right(own, cycle.at)
            count += last > 0 and own[last - 1] > since[bisect_right(since, cycle.at) - 1]
    return count


def of_play(record: Record) -> dict[str, Sequence[Any]]:
    """Every event of a play, by kind."""
    return {
        "heads": [
            (
                cycle.at,
                head.workload,
                head.decision,
                head.result,
                head.sticky,
                head.targets,
            )
            for cycle in record.cycles
            for head in cycle.heads
        ],
        "preemptions": [
            (
                preemption.at,
                preemption.preemptor,
                preemption.victim,
                preemption.reason,
                preemption.ran,
                preemption.cut_short,
                preemption.cycle,
            )
            for preemption in record.preemptions
        ],
        "runs": sorted(
            (
                run.workload,
                run.start,
                run.end,
                run.ended_by,
                run.stopped,
                run.preemptor,
                run.work_done,
                run.work_lost,
            )
            for run in record.runs
        ),
        "waits": sorted((wait.workload, wait.start, wait.end, wait.admitted) for wait in record.waits),
        "cycles": [len(record.cycles)],
    }


def of_trace(simulated: Simulated) -> dict[str, Sequence[Any]]:
    """Every event that the trace engine has written down, by kind."""
    names = simulated.jobs.names
    return {
        "heads": _heads(simulated),
        "preemptions": [
            (at, names[job], names[victim], _reason(basis), ran, cut, cycle)
            for at, job, victim, basis, ran, cut, cycle in simulated.preemptions.tolist()
        ],
        "runs": sorted(
            (names[job], start, end, _ENDINGS[how], stopped, _name(names, by), done, lost)
            for job, start, end, how, stopped, by, done, lost in simulated.runs.tolist()
        ),
        "waits": sorted(
            (names[job], start, end, admitted == 1) for job, start, end, admitted in simulated.waits.tolist()
        ),
        "cycles": [simulated.cycles],
    }


def _heads(simulated: Simulated) -> list[Any]:
    names, found, first = simulated.jobs.names, [], 0
    for at, job, outcome, result, kept, number in simulated.heads.tolist():
        targets = tuple(names[target] for target in simulated.targets[first : first + number].tolist())
        first += number
        decided, became = str(_OUTCOMES[outcome]), Result[TurnResult(result).name]
        found.append((at, names[job], decided, became, kept == 1, targets))
    return found


def _reason(basis: int) -> str:
    found = Basis(basis)
    return (queue_preemption_reason(found) if found in _WITHIN else preemption_reason(found)).label


def _name(names: Sequence[str], job: int) -> str | None:
    return None if job < 0 else names[job]


def difference(scenario: Scenario, reading: Reading, compared: Compared) -> str:
    """The first difference between the two, in words; empty where there is none.

    Args:
        scenario, reading: what is played, and how it is read.
        compared: a play without a difference is added.
    """
    record = play(scenario, reading)
    expected, found = of_play(record), of_trace(simulate(scenario, reading, journal=True))
    for kind, events in expected.items():
        for number, (event, other) in enumerate(zip_longest(events, found[kind])):
            if event != other:
                return (
                    f"{scenario.title}, {reading.name}: {kind}[{number}]: {event} in play, {other} in trace"
                )
    queues = scenario.cluster.cluster_queues.values()
    compared.add(record, {queue.name for queue in queues if is_hero(queue.rules, bool(queue.cohort))})
    return ""
