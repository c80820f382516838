"""A campaign: random clusters, each decided by the reference and by the optimized core."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tenure.conform.shrinking import shrink
from tenure.conformance.requests import read_decide_request
from tenure.strategies import ALL_FEATURES, examples
from tests.differential.compare import Compared, compare, readings_of

EVERY = 5.0
"""Seconds between two lines about how far it is."""


def main(given: Sequence[str] | None = None) -> int:
    """Run a campaign; 0 when both agree everywhere, else 1."""
    options = _arguments(given)
    print(f"seed {options.seed}")
    counts: Counter[str] = Counter()
    different: list[dict[str, Any]] = []
    started = told = time.monotonic()
    for number, scenario in enumerate(examples(options.n, options.seed, features=ALL_FEATURES), 1):
        compared = _compare(scenario, number)
        counts[_kind(compared)] += 1
        if not compared.agree:
            different.append(scenario)
        if time.monotonic() - told >= EVERY:
            told = time.monotonic()
            rate = number / (told - started)
            print(f"{number} of {options.n}, {rate:.0f} a second, {len(different)} differ", file=sys.stderr)
    _print_histogram(counts, time.monotonic() - started)
    for scenario in different[:3]:
        _show(shrink(scenario, lambda each: not _all_agree(each)), options.keep)
    return 1 if different else 0


def _compare(scenario: dict[str, Any], number: int) -> Compared:
    """Under one of the readings in turn, every other time with the assignment given."""
    readings = readings_of(scenario)
    return compare(read_decide_request(scenario), readings[number % len(readings)], given=number % 2 == 1)


def _all_agree(scenario: dict[str, Any]) -> bool:
    request = read_decide_request(scenario)
    return all(
        compare(request, reading, given=given).agree
        for reading in readings_of(scenario)
        for given in (False, True)
    )


def _kind(compared: Compared) -> str:
    if compared.left:
        return f"left to the reference: {compared.left}"
    if not compared.agree or compared.reference is None:
        return "DIFFERENT"
    outcome, victims, _ = compared.reference
    if outcome != "Preempt":
        return outcome
    size = str(len(victims)) if len(victims) < 3 else "3 or more"
    return f"Preempt, {size} victims, {' and '.join(sorted({reason for _, _, reason in victims}))}"


def _print_histogram(counts: Counter[str], seconds: float) -> None:
    total = sum(counts.values())
    for kind, count in counts.most_common():
        print(f"{100 * count / max(total, 1):6.2f} %  {count:7}  {kind}")
    print(f"{total} scenarios in {seconds:.0f} s, {total / max(seconds, 0.001):.0f} a second")


def _show(scenario: dict[str, Any], keep: Path | None) -> None:
    request = read_decide_request(scenario)
    for reading in readings_of(scenario):
        compared = compare(request, reading)
        if not compared.agree:
            print(f"{reading.name}: reference {compared.reference}, core {compared.core}")
    if keep is not None:
        with keep.open("a", encoding="utf-8") as file:
            file.write(json.dumps(scenario) + "\n")


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.differential", description=__doc__)
    parser.add_argument("--n", type=int, default=20_000, help="how many scenarios are drawn")
    parser.add_argument("--seed", type=int, default=1, help="what they are drawn from")
    parser.add_argument("--keep", type=Path, help="JSON lines file to append what differs to, made small")
    return parser.parse_args(given)


if __name__ == "__main__":
    sys.exit(main())
