"""Requests a second through a process of `tenure oracle`, from the first line to the last answer.

    python benchmarks/oracle.py [--workloads 5 20] [--requests 2000] [--seed 1]

Clusters are drawn by `tenure_lab.generators.strategies`, as for `benchmarks/deciding.py`. `new` is
another cluster with every request, as a campaign of random scenarios has it; `same`
asks about 20 clusters in turn, with another
pending workload each time that asks for the same, as a test of a scheduler has it. In `asks` that workload
has another priority and age each time as well. Answers are read while requests are written.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import json
import os
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tenure_lab.generators.strategies import examples

TENURE = Path(sys.executable).with_name("tenure")
CLUSTERS = 20
DRAWN = 300
"""How many different clusters `new` has; drawing them takes longer than deciding them."""

Input = dict[str, Any]


def main() -> None:
    """Print a table."""
    given = _arguments()
    print(f"Python {platform.python_version()}, {platform.machine()}; load {os.getloadavg()[0]:.1f}")
    print(f"{'workloads':>9}  {'clusters':8}  {'KB':>5}  {'requests/s':>10}")
    for count in given.workloads:
        drawn = list(itertools.islice(_inputs(count, given.seed), DRAWN))
        same = list(_varied(drawn[:CLUSTERS], given.requests))
        for name, lines in (("new", drawn), ("same", same), ("asks", list(_asking(same)))):
            _report(count, name, lines, given.command)


def _inputs(count: int, seed: int) -> Iterator[Input]:
    """Clusters with a tenth more or fewer running workloads."""
    for scenario in examples(1_000_000, seed, max_workloads=count + count // 10 + 1):
        if abs(len(scenario["admitted"]) - count) <= max(1, count // 10):
            yield scenario


def _varied(drawn: list[Input], requests: int) -> Iterator[Input]:
    """The same clusters again and again, with a new workload that waits."""
    for number, scenario in zip(range(requests), itertools.cycle(drawn), strict=False):
        incoming = copy.deepcopy(scenario["incoming"])
        incoming["metadata"]["name"] = f"pending-{number}"
        yield {**scenario, "incoming": incoming}


def _asking(same: list[Input]) -> Iterator[Input]:
    """The same requests, with no two priorities and ages of the waiting workloads alike."""
    for number, scenario in enumerate(same):
        incoming = copy.deepcopy(scenario["incoming"])
        incoming["metadata"]["creationTimestamp"] = f"2026-01-{number % 28 + 1:02d}T08:{number % 60:02d}:00Z"
        incoming["spec"]["priority"] = number % 997 - 400
        yield {**scenario, "incoming": incoming}


def _report(count: int, name: str, inputs: list[Input], command: list[str]) -> None:
    lines = [
        json.dumps({"id": number, "call": "decide", "input": entry}).encode() + b"\n"
        for number, entry in enumerate(inputs)
    ]
    rate = len(lines) / _seconds(lines, command)
    size = sum(map(len, lines)) / len(lines) / 1000
    print(f"{count:>9}  {name:8}  {size:>5.1f}  {rate:>10,.0f}", flush=True)


def _seconds(lines: list[bytes], command: list[str]) -> float:
    """From the answer to a first request, which has the process running, to the last answer."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    source, sink = process.stdout, process.stdin
    sink.write(b'{"call": "wake up"}\n')
    sink.flush()
    source.readline()
    started = time.perf_counter()
    writer = threading.Thread(target=_write, args=(sink, lines))
    writer.start()
    answers = [source.readline() for _ in lines]
    seconds = time.perf_counter() - started
    writer.join()
    process.wait()
    if not all(b'"output"' in answer for answer in answers):
        sys.exit(f"not every request was decided: {answers[0][:500]!r}")
    return seconds


def _write(sink: Any, lines: list[bytes]) -> None:
    for line in lines:
        sink.write(line)
    sink.close()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workloads", type=int, nargs="+", default=[5, 20], help="running workloads")
    parser.add_argument("--requests", type=int, default=2000, help="how many about the same clusters")
    parser.add_argument("--seed", type=int, default=1, help="of the clusters")
    parser.add_argument(
        "--command", nargs="+", default=[str(TENURE), "oracle"], help="another oracle, to compare"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
