"""The command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tenure.strategies import Feature
from tests.peers.campaign.findings import keep, smallest, tell
from tests.peers.campaign.programs import OWN_ORACLE, PeerFailure, command_of
from tests.peers.campaign.progress import Progress
from tests.peers.campaign.run import Found, Part, Plan, comparison, parts

DESCRIPTION = """Ask Tenure and a peer about random scenarios, and compare.

A peer is a program that reads {"id", "call": "decide", "input", "repeat"} and writes {"id", "output"} or
{"id", "error"}, a JSON line each, in order. Ends with 0 if every difference is explained, with 1 if one is
not or a side answers with an error, with 2 if the peer fails as a program."""


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line's arguments, checked."""
    parser = argparse.ArgumentParser(
        "python -m tests.peers.campaign",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--peer", required=True, help=f"command line of the peer; {OWN_ORACLE}: Tenure itself"
    )
    parser.add_argument("--n", type=_positive, default=1000, help="how many scenarios")
    parser.add_argument("--seed", type=int, default=1, help="what they are drawn from")
    parser.add_argument("--repeat", type=_positive, default=1, help="how often the peer decides each one")
    parser.add_argument("--jobs", type=_positive, default=1, help="how many processes")
    parser.add_argument(
        "--only", type=_indices, default=(), help="indices of the seed to run, such as 17,305"
    )
    parser.add_argument(
        "--without", type=_features, default=frozenset(), help=f"not to draw: some of {','.join(Feature)}"
    )
    parser.add_argument(
        "--keep", type=Path, help="JSON lines file to append what is not explained to, made small"
    )
    parser.add_argument("--shrink", type=int, default=5, help="how many failures to make small and show")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Run a campaign; the exit code."""
    options = arguments(given)
    plan = Plan(
        tuple(command_of(options.peer)),
        options.n,
        options.seed,
        options.repeat,
        options.jobs,
        options.only,
        options.without,
    )
    try:
        whole = _run(plan)
        _show_failures(plan, whole.failures, options.shrink, options.keep)
    except PeerFailure as failure:
        print(f"campaign: {failure}", file=sys.stderr)
        return 2
    return 1 if whole.failures else 0


def _run(plan: Plan) -> Part:
    whole = Part()
    progress = Progress(len(plan.only) or plan.count, sys.stderr)
    for part in parts(plan):
        whole.merge(part)
        progress.tell(whole.histogram)
    progress.end()
    for line in whole.histogram.lines():
        print(line)
    scenarios, seconds = whole.histogram.scenarios, max(progress.seconds, 0.001)
    print(f"  {scenarios / seconds:.0f} scenarios a second in {seconds:.0f} s, seed {plan.seed}", end="; ")
    print(f"drawing took {whole.drawing:.0f} s of work, both answers {whole.comparing:.0f} s")
    return whole


def _show_failures(plan: Plan, failures: list[Found], most: int, path: Path | None) -> None:
    if not failures:
        return
    sides = comparison(plan.command)
    with sides.peer:
        for found in failures[:most]:
            small = smallest(found.compared, sides)
            tell(found, small, plan, sys.stderr)
            if path is not None:
                keep(found, small, plan.seed, sides.version, path)
    for found in failures[most:]:
        print(f"seed {plan.seed} index {found.index}: {found.compared.verdict}", file=sys.stderr)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"found {number}, expected at least 1")
    return number


def _indices(text: str) -> tuple[int, ...]:
    return tuple(int(each) for each in text.split(","))


def _features(text: str) -> frozenset[Feature]:
    return frozenset(Feature(each) for each in text.split(","))


if __name__ == "__main__":
    sys.exit(main())
