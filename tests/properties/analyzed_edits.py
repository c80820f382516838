"""Twenty edits of real manifests and of the bundled examples, as `tenure analyze diff` tells them.

`python -m tests.properties.analyzed_edits --manifests FOLDER` asks each in a process of its own, and tells
what it found and took; FOLDER has Kueue's own examples (site/static/examples of its repository, KueueViz's).
Without it only the bundled examples are edited. `--only NAME --markdown` prints one as a comment has it.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.command_line import tenure_process

VIZ = "kueueviz-cluster-queues.yaml"
VIZ_REST = (
    "kueueviz-cohorts.yaml",
    "kueueviz-resource-flavors.yaml",
    "kueueviz-workload-priority-classes.yaml",
)
FLAVOR = ("kueueviz-resource-flavors.yaml",)
DEFAULT_CPU = "spec.resourceGroups[0].flavors[name=default-flavor].resources[name=cpu]"
ON_DEMAND_CPU = "spec.resourceGroups[0].flavors[name=on-demand].resources[name=cpu]"


@dataclass(frozen=True)
class Edit:
    """An edit, and what it is known to do.

    Args:
        name: a word for it.
        words: the options that make it.
        gained, lost, reasons: cells.
        otherwise: whether a state is decided otherwise.
        file: of the folder, with what lies beside it; a bundled example is among the words.
        beside: such files.
    """

    name: str
    words: tuple[str, ...]
    gained: int = 0
    lost: int = 0
    reasons: int = 0
    otherwise: bool = True
    file: str = ""
    beside: tuple[str, ...] = ()

    def arguments(self, folder: Path) -> list[str]:
        """The words of the command line."""
        source = [str(folder / self.file)] if self.file else []
        beside = [word for name in self.beside for word in ("--with", str(folder / name))]
        return ["analyze", "diff", *source, *beside, *self.words]


def _teams(name: str, option: str, value: str, **known: int | bool) -> Edit:
    path = f"clusterqueue/gpu-cluster-queue.spec.preemption{value}"
    return Edit(name, ("--example", "two-teams", option, path), **known)  # type: ignore[arg-type]  # by name


def _company(name: str, *words: str, **known: int | bool) -> Edit:
    return Edit(name, ("--example", "shared-cohort", *words), **known)  # type: ignore[arg-type]  # by name


def _viz(name: str, *words: str, **known: int | bool) -> Edit:
    return Edit(name, words, file=VIZ, beside=VIZ_REST, **known)  # type: ignore[arg-type]  # by name


EDITS = (
    _teams("shorter", "--set", ".withinClusterQueueConfig.minAdmitDuration=1h"),
    _teams("lower-only", "--set", ".withinClusterQueue=LowerPriority", lost=3),
    _teams("no-preemption", "--unset", "", lost=6),
    _company(
        "ads-lower", "--set", "clusterqueue/ads.spec.preemption.reclaimWithinCohort=LowerPriority", lost=40
    ),
    _company("ads-never", "--set", "clusterqueue/ads.spec.preemption.reclaimWithinCohort=Never", lost=64),
    _company("vision-any", "--set", "clusterqueue/vision.spec.preemption.reclaimWithinCohort=Any", gained=40),
    _company(
        "search-threshold",
        *("--set", "clusterqueue/search.spec.preemption.borrowWithinCohort.maxPriorityThreshold=100"),
        reasons=4,
    ),
    _company(
        "search-borrows-not", "--unset", "clusterqueue/search.spec.preemption.borrowWithinCohort", reasons=20
    ),
    _company("ads-more-cpu", "--set", f"clusterqueue/ads.{ON_DEMAND_CPU}.nominalQuota=512"),
    _company("llm-moves", "--set", "clusterqueue/llm.spec.cohortName=product"),
    _company(
        "weight-under-fair-sharing",
        *("--fair-sharing", "default", "--set", "clusterqueue/nightly.spec.fairSharing.weight=2"),
    ),
    _viz(
        "agi-any",
        "--set",
        "clusterqueue/agi-cluster-queue.spec.preemption.reclaimWithinCohort=Any",
        gained=18,
    ),
    _viz(
        "llm-any",
        "--set",
        "clusterqueue/llm-cluster-queue.spec.preemption.reclaimWithinCohort=Any",
        gained=12,
    ),
    _viz(
        "llm-own",
        "--set",
        "clusterqueue/llm-cluster-queue.spec.preemption.withinClusterQueue=LowerPriority",
        gained=3,
    ),
    _viz(
        "emergency-lower",
        "--set",
        "clusterqueue/emergency-cluster-queue.spec.preemption.reclaimWithinCohort=LowerPriority",
        lost=12,
    ),
    _viz(
        "emergency-borrows-not",
        "--unset",
        "clusterqueue/emergency-cluster-queue.spec.preemption.borrowWithinCohort",
        reasons=6,
    ),
    _viz("agi-held", "--set", "clusterqueue/agi-cluster-queue.spec.stopPolicy=Hold", lost=12),
    _viz(
        "class-higher",
        "--set",
        "workloadpriorityclass/long-term-research.value=2000",
        gained=3,
        lost=3,
        reasons=4,
    ),
    Edit(
        "team-a-reclaims",
        ("--set", "clusterqueue/team-a-cq.spec.preemption.reclaimWithinCohort=Any"),
        file="lending-limit-team-a-cq.yaml",
        beside=("lending-limit-team-b-cq.yaml", *FLAVOR),
        gained=4,
    ),
    Edit(
        "team-b-lends-all",
        ("--set", f"clusterqueue/team-b-cq.{DEFAULT_CPU}.lendingLimit=12"),
        file="lending-limit-team-b-cq.yaml",
        beside=("lending-limit-team-a-cq.yaml", *FLAVOR),
    ),
)
"""By name; each is told with what is known of it."""


def told(edit: Edit, folder: Path) -> Iterator[str]:
    """What one edit does and took; a line more for each number that is not as it is known."""
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = tenure_process(*edit.arguments(folder), "--no-cache", "-o", "json")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 5):
        yield f"{edit.name}: exit code {done.returncode}: {done.stderr.decode().strip()}"
        return
    answer = json.loads(done.stdout)
    counts, unsettled = answer["counts"], answer["unsettled"]
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    cells = ", ".join(f"{counts[kind]} {kind}" for kind in ("gained", "lost", "reasons", "same"))
    yield (
        f"{edit.name}: {cells}, {unsettled} not known; {answer['looked']} states looked at; "
        f"{processor:.1f} s of processor, {time.monotonic() - began:.1f} s"
    )
    found = (counts["gained"], counts["lost"], counts["reasons"], answer["example"] is not None)
    known = (edit.gained, edit.lost, edit.reasons, edit.otherwise)
    if found != known:
        yield f"  wrong: known are {known}, found {found}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Tell all, or one as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manifests", type=Path, help="folder of Kueue's examples")
    parser.add_argument("--only", help="one edit, by name")
    parser.add_argument("--markdown", action="store_true", help="as in a comment on a pull request")
    asked = parser.parse_args(arguments)
    wrong = 0
    for edit in EDITS:
        if (edit.file and asked.manifests is None) or asked.only not in (None, edit.name):
            continue
        folder = asked.manifests or Path()
        if asked.markdown:
            print(tenure_process(*edit.arguments(folder), "-o", "markdown").stdout.decode())
            continue
        lines = list(told(edit, folder))
        wrong += len(lines) > 1 or "exit code" in lines[0]
        print("\n".join(lines), flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
