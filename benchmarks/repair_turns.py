"""The repairs of kueue#14543 over scheduling cycles: `python -m benchmarks.repair_turns`.

Each scenario of `benchmarks.repairs` whose workload searches is played as `tenure simulate` plays: no other
workload arrives and none finishes; each victim's pods end after five seconds, and it queues again. A play
ends where nothing happens any more or where a state comes back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

from benchmarks.repairs import (
    blocks_of,
    chosen_repairs,
    only_option,
    options,
    print_counts,
    reading_of,
    searches_of,
)
from tenure.conformance.requests import DecideRequest
from tenure.model import SECOND
from tenure.readings import FairSharingRepair
from tenure_check.analysis.periodic_runs import comes_to_an_end
from tenure_play.engine import Player
from tenure_play.event_loop import TaskKind
from tenure_play.scenario import Scenario, Submission, Submit, Timing

EVICTION: Final = 5 * SECOND
UNTIL: Final = 3600 * SECOND
INSIDE: Final = "InClusterQueue"

COLUMNS: Final = {
    "quiet": "plays without any preemption",
    "settles": "plays with preemptions that come to rest",
    "preemptions": "preemptions in those",
    "most": "the most preemptions in one of those",
    "loops": "plays in which a state comes back after a preemption",
    "by share": "of these, loops in which every preemption is across queues",
    "in the loop": "preemptions in one turn of each loop, together",
    "open": "plays that neither settle nor loop within an hour",
}
"""What is counted of each repair."""


class Course(NamedTuple):
    """What became of one play.

    Args:
        preemptions: of the play, up to its end.
        turn: the reasons of the preemptions in one turn of its loop; empty where it comes to rest.
        is_open: whether its time was over before.
    """

    preemptions: int
    turn: tuple[str, ...]
    is_open: bool


def played(request: DecideRequest, repair: FairSharingRepair) -> Course:
    """Play a search on until it settles or loops.

    Args:
        request: the search.
        repair: the choice of the reading.
    """
    start = request.now
    scenario = Scenario(
        name="repair",
        title="",
        start=start,
        end=start + UNTIL,
        cluster=replace(request.cluster, admitted=()),
        present=tuple(Submission(held, held.cluster_queue or "") for held in request.cluster.admitted),
        timing=Timing(eviction=EVICTION),
    )
    player = Player(scenario, reading_of(repair))
    player.begin()
    submitted = Submit(start, Submission(request.preemptor, request.queue))
    player.agenda.plan(start, TaskKind.EVENT, event=submitted)
    ended = comes_to_an_end(player, scenario)
    found = player.loops.loop(player.journal.runs, player.journal.preemptions)
    preemptions = player.journal.preemptions
    if found is None:
        return Course(len(preemptions), (), not ended)
    last = found.start + found.period
    turn = tuple(each.reason for each in preemptions if found.start < each.at <= last)
    return Course(len(preemptions), turn, not ended)


def counted(
    seed: int, repairs: Sequence[FairSharingRepair], indexes: Sequence[int]
) -> dict[str, Counter[str]]:
    """What is counted of some scenarios, by repair.

    Args:
        seed: of the scenarios.
        repairs: which.
        indexes: of the scenarios.
    """
    counts: dict[str, Counter[str]] = {repair.name: Counter() for repair in repairs}
    for index in indexes:
        for request, _ in searches_of(seed, index):
            for repair in repairs:
                add(counts[repair.name], played(request, repair))
    return counts


def add(counts: Counter[str], course: Course) -> None:
    """Count one play.

    Args:
        counts: what was counted before.
        course: what became of it.
    """
    loops, settles = bool(course.turn), bool(course.preemptions) and not course.turn and not course.is_open
    counts["plays"] += 1
    counts["quiet"] += not course.preemptions
    counts["settles"] += settles
    counts["preemptions"] += course.preemptions if settles else 0
    counts["most"] = max(counts["most"], course.preemptions if settles else 0)
    counts["loops"] += loops
    counts["by share"] += loops and INSIDE not in course.turn
    counts["in the loop"] += len(course.turn)
    counts["open"] += course.is_open


def merged(parts: Iterator[dict[str, Counter[str]]]) -> dict[str, Counter[str]]:
    """The counts of all parts together.

    Args:
        parts: counts by repair.
    """
    totals: dict[str, Counter[str]] = {}
    for part in parts:
        for name, some in part.items():
            total = totals.setdefault(name, Counter())
            most = max(total["most"], some["most"])
            total.update(some)
            total["most"] = most
    return totals


def main() -> None:
    """Print the table."""
    parser = options("repair_turns", __doc__, "scenarios", 2000)
    only_option(parser)
    given = parser.parse_args()
    repairs = chosen_repairs(given.only)
    with ProcessPoolExecutor(given.jobs) as processes:
        totals = merged(processes.map(partial(counted, given.seed, repairs), blocks_of(given.n)))
    plays = next(iter(totals.values()))["plays"]
    print(f"{given.n} scenarios of seed {given.seed}: {plays} plays of each repair")
    print_counts(COLUMNS, totals, 11)


if __name__ == "__main__":
    main()
