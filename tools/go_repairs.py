"""The corpus of the repairs of kueue#14543, as the Go module `tenuretest` embeds it.

    python -m tools.go_repairs   writes go/repairs.json.gz again, in three minutes, and the files for Kueue

It is a selection of the searches of `make repairs`, and of those with RESOURCES=2: each on which the repairs
disagree, or one of them finds no valid set, or more than the smallest, and the first ones on which all find a
smallest set or there is none. Of each it has the request, the smallest valid set of victims by brute force,
and what each repair decides.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.repairs import COLUMNS, Truth, flags_of, judged, reading_of, repaired, searches_of
from tenure.conformance.divergences import drawn_decisions
from tenure.conformance.requests import DecideRequest
from tenure.model import Reason
from tenure.oracle.decide import decide
from tenure.oracle.question import Candidate, Question
from tenure.readings import FairSharingRepair
from tenure.rules.eligibility import preemption_reason
from tenure_lab.generators.writing import write_request
from tools.go_vectors import drop_in

Entry = dict[str, Any]

FILE: Final = Path(__file__).resolve().parents[1] / "go" / "repairs.json.gz"
SEED: Final = 1
DRAWN: Final = {"FSR": 20_000, "FSR2": 5_000}
"""How many scenarios, by the beginning of their identifiers; those of FSR2 have two resources."""
ORDINARY: Final = "Ordinary"
"""The flag of a search on which nothing is to be seen."""
MOST_PLAIN: Final = 200
"""So many of those are kept of each kind, the first ones."""
PLAIN_AMONG: Final = 1000
"""They are looked for among so many scenarios."""
DRAWS: Final = 6
"""So often each answer is decided with Cohorts of equal share in an order left to chance, as Kueue does."""


class Found(NamedTuple):
    """What a repair finds for a search.

    Args:
        victims: with the reason of each, in no order.
        flags: what is counted of it.
    """

    victims: frozenset[tuple[str, Reason]]
    flags: tuple[str, ...]


def entries(seed: int, indexes: Iterable[int], kind: str = "FSR") -> Iterator[Entry]:
    """The searches of some scenarios, each as the corpus has it, without those whose answers chance decides.

    Args:
        seed, kind: of the scenarios.
        indexes: which; those from `PLAIN_AMONG` on only where something is to be seen.
    """
    for index in indexes:
        for request, question in searches_of(seed, index, two=kind == "FSR2"):
            truth = Truth(request, question)
            smallest = truth.smallest()
            found = {repair: _found(truth, smallest, question, repair) for repair in FairSharingRepair}
            flags = _flags(found.values())
            if flags != [ORDINARY] or index < PLAIN_AMONG:
                entry: Entry = {
                    "id": f"{kind}-{seed}/{index}",
                    "flags": flags,
                    "input": _input(request),
                    "smallest": None if smallest is None else sorted(each.workload.key for each in smallest),
                    "repairs": {
                        repair.name.lower(): {**_decided(request, repair), "flags": list(found[repair].flags)}
                        for repair in FairSharingRepair
                    },
                }
                if _is_settled(entry["input"]):
                    yield entry


def _found(
    truth: Truth, smallest: Sequence[Candidate] | None, question: Question, repair: FairSharingRepair
) -> Found:
    selection = repaired(question, repair)
    counts = judged(truth, smallest, repair, selection)
    victims = frozenset(
        (each.workload.key, preemption_reason(each.evidence.basis)) for each in selection.kept
    )
    return Found(victims, tuple(map(_flag, flags_of(counts))))


def _input(request: DecideRequest) -> Entry:
    written = write_request(request)
    del written["reading"]
    return written


def _decided(request: DecideRequest, repair: FairSharingRepair) -> Entry:
    decision = decide(request.cluster, request.preemptor, request.queue, request.now, reading_of(repair))
    preempted = [
        {
            "workload": target.workload.key,
            "clusterQueue": target.workload.cluster_queue,
            "reason": target.reason.label,
        }
        for target in decision.targets
    ]
    return {"decision": decision.outcome.value, "preempted": preempted}


def _flag(column: str) -> str:
    """The name of a flag, which is that of a column: TakenBack."""
    return column.title().replace(" ", "")


def _flags(found: Collection[Found]) -> list[str]:
    all_flags = {flag for each in found for flag in each.flags}
    flags = [flag for flag in map(_flag, COLUMNS) if flag in all_flags and flag != "Solved"]
    if len({each.victims for each in found}) > 1:
        flags.insert(0, "Disagree")
    return flags or [ORDINARY]


def _victims(answer: Mapping[str, Any]) -> list[tuple[str, str]]:
    return sorted((victim["workload"], victim["reason"]) for victim in answer["preempted"])


def _is_settled(scenario: Mapping[str, Any]) -> bool:
    """Whether no answer depends on an order of Cohorts that Kueue leaves to chance (DV-020)."""
    if len(scenario["cohorts"]) < 2:
        return True
    for repair in FairSharingRepair:
        asked = {**scenario, "reading": reading_of(repair).written()}
        if len({json.dumps(_victims(output)) for output in drawn_decisions(asked, DRAWS)}) > 1:
            return False
    return True


def chosen(found: Iterable[Entry]) -> Iterator[Entry]:
    """All searches on which something is to be seen, and the first of the others.

    Args:
        found: searches, in order.
    """
    plain = 0
    for entry in found:
        plain += entry["flags"] == [ORDINARY]
        if entry["flags"] != [ORDINARY] or plain <= MOST_PLAIN:
            yield entry


def recorded() -> Entry:
    """What the file has now; empty without one."""
    return json.loads(gzip.decompress(FILE.read_bytes())) if FILE.exists() else {}


def _block(kind: str, first: int) -> list[Entry]:
    return list(entries(SEED, range(first, first + 100), kind))


def _write() -> int:
    kept = list[Entry]()
    with ProcessPoolExecutor(2) as processes:
        for kind, drawn in DRAWN.items():
            blocks = processes.map(partial(_block, kind), range(0, drawn, 100))
            kept += chosen(entry for block in blocks for entry in block)
    corpus = {"seed": SEED, "drawn": DRAWN, "scenarios": kept}
    # Compressed bytes depend on the version of zlib, so a file with the same content is left as it is.
    if corpus != recorded():
        text = json.dumps(corpus, separators=(",", ":"))
        FILE.write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))
    print(f"{FILE.name}: {len(kept)} searches, {FILE.stat().st_size} bytes")
    return drop_in()


if __name__ == "__main__":
    sys.exit(_write())
