"""How long `tenure simulate` takes, and how much memory: `python -m benchmarks.simulating --help`.

A number of jobs above that of the trace repeats it, each time after all that was submitted before. Every
setting is a process of its own: what it takes includes reading the trace, playing it and all figures, and not
the compiling of the trace engine, which happens once before.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from typing import NamedTuple

from benchmarks.playing import Object, read

SIZES = (1_000, 10_777, 82_247, 300_000)
SETTINGS = ("off", "24h", "4h", "1h", "10m", "4h as-written", "1h lost")
"""A minAdmitDuration, and a reading or what becomes of the progress of those who are preempted."""
GROWTH = ("off", "4h")
"""The settings that are played for every number of jobs; the others for all jobs of the trace alone."""


class Played(NamedTuple):
    """What a process took, in seconds and MB, and what it says it has played."""

    busy: float
    peak: int
    heads: int
    preemptions: int


def main() -> None:
    """Simulate each number of jobs under its settings."""
    given = _arguments()
    jobs = list(read(given.trace))
    head = f"{'jobs':>7} {'setting':14} {'CPU s':>7} {'peak MB':>8}"
    print(f"{head} {'us a head':>9} {'heads':>10} {'preempted':>10}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "trace.csv")
        _write(path, jobs[:10])
        _simulated(given, path, "off")  # compiles, and keeps what it compiled
        for number in given.jobs:
            _write(path, list(islice(_repeated(jobs), number)))
            for setting in SETTINGS if number == len(jobs) else GROWTH:
                played = _simulated(given, path, setting)
                print(
                    f"{number:7} {setting:14} {played.busy:7.1f} {played.peak:8} "
                    f"{played.busy / played.heads * 1e6:9.1f} {played.heads:10} {played.preemptions:10}",
                    flush=True,
                )


def _repeated(jobs: list[Object]) -> Iterator[Object]:
    """The jobs again and again, as new ones."""
    length = int(jobs[-1]["submit_s"]) + 1
    for turn in count():
        for job in jobs:
            name, submitted = f"{job['job_id']}-{turn}", int(job["submit_s"]) + turn * length
            yield {**job, "job_id": name, "submit_s": str(submitted)}


def _write(path: Path, jobs: list[Object]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(jobs[0]))
        writer.writeheader()
        writer.writerows(jobs)


def _simulated(given: argparse.Namespace, path: Path, setting: str) -> Played:
    duration, _, more = setting.partition(" ")
    command = [sys.executable, "-m", "tenure", "simulate", given.queues, "--trace", str(path)]
    command += ["--other-queue", given.other_queue, "--sweep", f"minAdmitDuration={duration}", "-o", "json"]
    if more:
        command += ["--progress", more] if more == "lost" else ["--reading", more]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        answer = process.stdout.read()
        used = used_by(process, f"{setting}: tenure simulate")
    (played,) = json.loads(answer)["settings"]
    figures = (played[name] for name in ("heads", "preemptions"))
    return Played(used.ru_utime + used.ru_stime, used.ru_maxrss // 1024, *figures)


def used_by(process: subprocess.Popen[bytes], name: str) -> resource.struct_rusage:
    """What a process has used when it has ended; where it fails, so does the benchmark."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{name} ended with {process.returncode}")
    return used


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("trace", metavar="FILE", help="a trace such as Philly's, the earliest job first")
    parser.add_argument("--queues", default="docs/data/traces/philly.yaml", help="(default: %(default)s)")
    parser.add_argument("--other-queue", default="rest", help="as of tenure simulate (default: %(default)s)")
    parser.add_argument("--jobs", type=int, nargs="+", default=SIZES, metavar="N", help="how many of them")
    return parser.parse_args()


if __name__ == "__main__":
    main()
