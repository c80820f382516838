"""Very many requests to one process of `tenure oracle`: answers in order, and memory that does not grow.

    python benchmarks/endurance.py [--requests 1000000] [--seed 1]

One request in fifty asks for a decision about a drawn cluster; the others are cheap calls, and lines that are
wrong in some way. It fails where an answer is missing, is not that of its request, or where the process holds
more at the end than after the first tenth, by more than is allowed.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import IO, Any

from tenure_lab.generators.strategies import examples

TENURE = Path(sys.executable).with_name("tenure")
ALLOWED_MIB = 32.0
"""What memory may grow by: of an allocator, not of requests. A million of them would leave 33 bytes each."""
CLUSTERS = 200
BROKEN = (b"{", b"[]", b"\xff", b'{"id": 1, "id": 2}', b'{"call": "decide"}', b"null")

Expected = tuple[int, bytes]
"""The number of a request, and its line."""


def main() -> int:
    """Ask, compare, and say by the exit code whether it holds."""
    given = _arguments()
    with subprocess.Popen([TENURE, "oracle"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        writer = threading.Thread(
            target=_write, args=(process.stdin, given.requests, given.seed), daemon=True
        )
        writer.start()
        held: dict[int, float] = {}
        decided = 0
        for number, line in _lines(given.requests, given.seed):
            said = process.stdout.readline()
            decided += b'"decision":' in said
            wrong = _wrong(said, number, line)
            if wrong:
                print(f"request {number}: {wrong}")
                process.kill()
                return 1
            if number % (given.requests // 10) == 0 or number == given.requests - 1:
                held[number] = _held(process.pid)
                print(f"{number + 1:9} answers in order, {held[number]:6.1f} MiB", flush=True)
        writer.join()
        more = process.stdout.read()
    first, *_, last = list(held.values())[1:]
    grown = last - first
    print(
        f"seed {given.seed}: {given.requests} requests, {decided} decisions;"
        f" memory grew by {grown:+.1f} MiB after the first tenth"
    )
    return int(bool(more) or not decided or process.returncode != 0 or grown > ALLOWED_MIB)


def _lines(count: int, seed: int) -> Iterator[Expected]:
    """So many requests, the same for the same seed."""
    random = Random(seed)
    drawn = list(itertools.islice(examples(10_000, seed, max_workloads=6), CLUSTERS))
    for number in range(count):
        kind = number % 50
        if kind == 0:
            scenario: dict[str, Any] = copy.copy(random.choice(drawn))
            scenario["now"] = f"2026-03-02T{random.randrange(24):02}:{random.randrange(60):02}:00Z"
            yield number, json.dumps({"id": number, "call": "decide", "input": scenario}).encode()
        elif kind == 1:
            yield number, random.choice(BROKEN)
        else:
            call = random.choice(("version", "priority", f"call-{number}", "validate"))
            yield number, json.dumps({"id": number, "call": call, "input": {}}).encode()


def _write(pipe: IO[bytes], count: int, seed: int) -> None:
    with pipe:
        for _, line in _lines(count, seed):
            pipe.write(line + b"\n")


def _wrong(said: bytes, number: int, line: bytes) -> str:
    """What is wrong with an answer; empty where nothing is."""
    if not said.endswith(b"\n"):
        return "no answer"
    answer = json.loads(said)
    if line in BROKEN:
        return "" if "error" in answer else f"no error: {said[:200]!r}"
    if answer.get("id") != number:
        return f"the answer to another request: {said[:200]!r}"
    internal = answer.get("error", {}).get("code") == "internal"
    return f"a fault of Tenure: {said[:200]!r}" if internal else ""


def _held(process: int) -> float:
    """MiB that a process holds now."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    found = re.search(r"^VmRSS:\s+(\d+) kB$", status, re.MULTILINE)
    assert found is not None
    return int(found[1]) / 1024


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=1_000_000, help="how many; at least 100")
    parser.add_argument("--seed", type=int, default=1, help="which")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
