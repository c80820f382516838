"""The repairs of kueue#14543 on random searches, beside every set of victims: `python -m benchmarks.repairs`.

With `--scenario N` it prints one of them: what each repair finds, as comments above its manifests.

Of each search all sets of candidates are tried. A set is *valid* where

1. the request fits without it, and with none of it back;
2. each victim of another queue is fair in the end: the strategies would allow it by the shares that are then;
3. none of them takes its quota back from the preemptor in one step, searching as released.

A search is *solvable* where some set is valid.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any, Final

from benchmarks.fair_searches import draw_fair_search
from tenure.conformance.requests import DecideRequest
from tenure.model import Basis, Cluster, Evidence, Instant, Workload
from tenure.oracle.decide import decide
from tenure.oracle.fair import candidates_of, tournament_of
from tenure.oracle.fair_repairs import first_unfair, usage_left
from tenure.oracle.question import Candidate, Question, Selection
from tenure.oracle.search import find_targets
from tenure.readings import FairSharingRepair, Reading, parse_reading, preset
from tenure.units import format_instant
from tenure_lab.generators.writing import API, write_request

COLUMNS: Final = {
    "solved": "a valid set, of the solvable searches",
    "missed": "no workload, though a set is valid",
    "other": "a set that is not valid, though another is",
    "unsolvable": "a set, though none is valid",
    "unfair": "a set with a victim that is unfair in the end",
    "taken back": "a set of which a victim takes its quota back in one step, searching by the same repair",
    "not needed": "a set of which a victim could be given its quota back",
    "more": "victims beyond those of the smallest valid set, where it is solved",
    "turns": "candidates that had a turn",
}
"""What is counted of each repair."""


def searches_of(seed: int, index: int, *, two: bool = False) -> Iterator[tuple[DecideRequest, Question]]:
    """The search of a scenario, if it makes one.

    Args:
        seed, index, two: of the scenario, as for `draw_fair_search`.
    """
    request, asked = draw_fair_search(seed, index, two=two), list[Question]()

    def noted(question: Question) -> Selection:
        asked.append(question)
        return find_targets(question)

    decide(request.cluster, request.preemptor, request.queue, request.now, request.reading, search=noted)
    if asked and candidates_of(asked[-1]):
        yield request, asked[-1]


def reading_of(repair: FairSharingRepair) -> Reading:
    """Kueue as released, but for the repair.

    Args:
        repair: the choice of the reading.
    """
    return parse_reading({"preset": "released", "fair_sharing_repair": repair.name.lower()})


def repaired(question: Question, repair: FairSharingRepair) -> Selection:
    """What a repair finds for a search.

    Args:
        question: the search.
        repair: the choice of the reading.
    """
    return find_targets(replace(question, terms=replace(question.terms, fair_sharing_repair=repair)))


class Truth:
    """Every set of victims of one search.

    Args:
        request: what is decided.
        question: its search.
    """

    def __init__(self, request: DecideRequest, question: Question) -> None:
        self._request, self._question = request, question
        self._tournament = tournament_of(question, question.charged())
        self.candidates = candidates_of(question)

    def smallest(self) -> tuple[Candidate, ...] | None:
        """The first of the smallest valid sets; None where none is valid."""
        sizes = range(1, len(self.candidates) + 1)
        sets = (victims for size in sizes for victims in combinations(self.candidates, size))
        return next(filter(self.is_valid, sets), None)

    def is_valid(self, victims: Sequence[Candidate]) -> bool:
        """Whether a set is valid."""
        return (
            self.fits(victims)
            and not self.has_spare(victims)
            and not self.is_unfair(victims)
            and not self.is_taken_back(victims)
        )

    def fits(self, victims: Sequence[Candidate]) -> bool:
        """Whether the request fits without a set."""
        return self._tournament.leaving.fits(usage_left(self._tournament, victims), True)

    def has_spare(self, victims: Sequence[Candidate]) -> bool:
        """Whether one of a set could be given its quota back."""
        return any(self.fits([*victims[:place], *victims[place + 1 :]]) for place in range(len(victims)))

    def is_unfair(self, victims: Sequence[Candidate]) -> bool:
        """Whether a victim of another queue is unfair in the end."""
        claimed = Basis.WITHIN_NOMINAL if self._tournament.claims_nominal else Basis.NONE
        taken = [replace(found, evidence=Evidence(claimed)) for found in victims]
        return first_unfair(self._tournament, taken) is not None

    def is_taken_back(
        self, victims: Sequence[Candidate], repair: FairSharingRepair = FairSharingRepair.NONE
    ) -> bool:
        """Whether a victim would preempt the preemptor in its next decision, searching as a repair does."""
        request = self._request
        gone = {found.workload.key for found in victims}
        usage = {at: amount for at, amount in self._question.request.items() if amount}
        holder = replace(
            request.preemptor, cluster_queue=request.queue, quota_reserved_at=request.now, usage=usage
        )
        stay = (running for running in request.cluster.admitted if running.key not in gone)
        cluster = replace(request.cluster, admitted=(*stay, holder))
        reading = replace(preset("released"), fair_sharing_repair=repair)
        return any(_takes(cluster, found.workload, holder, request.now, reading) for found in victims)


def _takes(cluster: Cluster, returning: Workload, holder: Workload, now: Instant, reading: Reading) -> bool:
    waiting = replace(returning, cluster_queue=None, quota_reserved_at=None, usage={})
    decision = decide(cluster, waiting, returning.cluster_queue or "", now, reading)
    return any(target.workload.key == holder.key for target in decision.targets)


def counted(
    seed: int, repairs: Sequence[FairSharingRepair], indexes: Sequence[int], *, two: bool = False
) -> dict[str, Counter[str]]:
    """What is counted of some scenarios, by repair; and of all, under the empty name.

    Args:
        seed, indexes, two: of the scenarios.
        repairs: which.
    """
    counts: dict[str, Counter[str]] = {name: Counter() for name in ("", *(repair.name for repair in repairs))}
    for index in indexes:
        for request, question in searches_of(seed, index, two=two):
            truth = Truth(request, question)
            smallest = truth.smallest()
            counts[""].update(searches=1, solvable=smallest is not None)
            for repair in repairs:
                counts[repair.name].update(judged(truth, smallest, repair, repaired(question, repair)))
    return counts


def judged(
    truth: Truth, smallest: Sequence[Candidate] | None, repair: FairSharingRepair, found: Selection
) -> dict[str, int]:
    """What is counted of one search of a repair, by column.

    Args:
        truth: every set of victims.
        smallest: the smallest valid one.
        repair: the choice of the reading.
        found: what it finds.
    """
    kept, turns = found.kept, sum(len(attempt.turns) for attempt in found.attempts)
    if not kept:
        return {"missed": smallest is not None, "turns": turns}
    valid = truth.is_valid(kept)
    return {
        "solved": valid,
        "other": not valid and smallest is not None,
        "unsolvable": smallest is None,
        "unfair": truth.is_unfair(kept),
        "taken back": truth.is_taken_back(kept, repair),
        "not needed": truth.has_spare(kept),
        "more": len(kept) - len(smallest) if valid and smallest is not None else 0,
        "turns": turns,
    }


def flags_of(counts: Mapping[str, int]) -> Iterator[str]:
    """The columns in which one search of a repair counts, but for its turns.

    Args:
        counts: what `judged` says of it.
    """
    return (column for column in COLUMNS if counts.get(column) and column != "turns")


def described(seed: int, index: int, *, two: bool = False) -> str:
    """One scenario as manifests, below what is found for it; empty where it makes no search.

    Args:
        seed, index, two: of the scenario.
    """
    lines = list[str]()
    for request, question in searches_of(seed, index, two=two):
        truth = Truth(request, question)
        smallest = truth.smallest()
        valid = f"smallest valid set: {_names(smallest)}" if smallest else "no set of victims is valid"
        waiting = f"{request.preemptor.key} --now {format_instant(request.now)}"
        decided = f"tenure decide FILE -w {waiting} --reading released --override fair_sharing_repair=REPAIR"
        lines += [f"# scenario {index} of seed {seed}: {decided}", f"# {valid}"]
        for repair in FairSharingRepair:
            found = repaired(question, repair)
            counts = judged(truth, smallest, repair, found)
            flags = ", ".join(flags_of(counts))
            victims = _names(found.kept) or "no victim"
            lines.append(f"# {repair.name.lower()}: {victims} ({flags or 'none is valid'})")
        lines += [f"---\n{json.dumps(manifest)}" for manifest in _manifests(request)]
    return "\n".join(lines)


def _names(found: Sequence[Candidate]) -> str:
    return ", ".join(sorted(candidate.workload.key for candidate in found))


def _manifests(request: DecideRequest) -> Iterator[dict[str, Any]]:
    """What the request decides on, as objects of a cluster."""
    written, queue = write_request(request), "main"
    configured = {name: written[name] for name in ("featureGates", "fairSharing")}
    yield {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", **configured}
    for kind in ("resourceFlavors", "cohorts", "clusterQueues"):
        yield from written[kind]
    metadata = {"name": queue, "namespace": request.preemptor.namespace}
    spec = {"clusterQueue": request.queue}
    yield {"apiVersion": API, "kind": "LocalQueue", "metadata": metadata, "spec": spec}
    yield from written["admitted"]
    incoming = written["incoming"]
    yield {**incoming, "spec": {**incoming["spec"], "queueName": queue}}


def options(name: str, about: str | None, drawn: str, n: int) -> argparse.ArgumentParser:
    """The options that the tables about repairs share.

    Args:
        name, about: of the module.
        drawn: what is drawn.
        n: how many by default.
    """
    parser = argparse.ArgumentParser(f"python -m benchmarks.{name}", description=about)
    parser.add_argument("--n", type=int, default=n, help=drawn)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    return parser


def only_option(parser: argparse.ArgumentParser) -> None:
    """Let one repair be asked about."""
    parser.add_argument("--only", choices=[repair.name.lower() for repair in FairSharingRepair])


def chosen_repairs(only: str | None) -> list[FairSharingRepair]:
    """That repair, or all."""
    return [repair for repair in FairSharingRepair if only in (None, repair.name.lower())]


def blocks_of(n: int, size: int = 100) -> list[range]:
    """Indexes below a number, in blocks for processes."""
    return [range(first, min(first + size, n)) for first in range(0, n, size)]


def print_counts(columns: Iterable[str], totals: Mapping[str, Counter[str]], width: int) -> None:
    """A table of counts with a row for each repair."""
    named = [*columns]
    print("repair".ljust(24), *(column.rjust(width) for column in named))
    for name, found in totals.items():
        print(name.lower().ljust(24), *(str(found[column]).rjust(width) for column in named))


def main() -> None:
    """Print the table, or one scenario."""
    parser = options("repairs", __doc__, "scenarios", 2000)
    only_option(parser)
    parser.add_argument("--scenario", type=int, metavar="N", help="print this one as manifests")
    parser.add_argument(
        "--resources", type=int, choices=[2], help="two in all, of which a workload may request one alone"
    )
    given = parser.parse_args()
    two = given.resources == 2
    if given.scenario is not None:
        if not (text := described(given.seed, given.scenario, two=two)):
            sys.exit(f"scenario {given.scenario} of seed {given.seed} makes no search")
        print(text)
        return
    repairs, blocks = chosen_repairs(given.only), blocks_of(given.n)
    totals: dict[str, Counter[str]] = {}
    with ProcessPoolExecutor(given.jobs) as processes:
        for number, counts in enumerate(
            processes.map(partial(counted, given.seed, repairs, two=two), blocks), 1
        ):
            for name, some in counts.items():
                totals.setdefault(name, Counter()).update(some)
            print(f"{number * 100} of {given.n} scenarios", file=sys.stderr, end="\r", flush=True)
    of_all = totals.pop("")
    searches, solvable = of_all["searches"], of_all["solvable"]
    print(f"{given.n} scenarios of seed {given.seed}: {searches} searches, {solvable} solvable")
    print_counts(COLUMNS, totals, 10)


if __name__ == "__main__":
    main()
