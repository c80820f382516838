"""What a campaign has found, made small, kept and told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TextIO

from tests.peers.campaign.compare import Compared, Comparison
from tests.peers.campaign.run import Found, Plan
from tests.peers.campaign.shrinking import shrink
from tests.peers.campaign.summary import summary

Object = dict[str, Any]


def smallest(found: Compared, sides: Comparison) -> Compared:
    """The same failure in a smaller scenario.

    Raises:
        PeerFailure: the peer failed as a program.
    """
    wanted = _signature(found)
    best = found

    def keeps(scenario: Object) -> bool:
        nonlocal best
        try:
            again = sides.one(scenario)
        except (KeyError, IndexError, StopIteration):
            return False  # too small to be a scenario
        if _signature(again) != wanted:
            return False
        best = again
        return True

    shrink(found.scenario, keeps)
    return best


def tell(found: Found, small: Compared, plan: Plan, stream: TextIO) -> None:
    """Print what draws it again, and the small scenario."""
    without = f" --without {','.join(sorted(plan.without))}" if plan.without else ""
    print(f"\nseed {plan.seed} index {found.index}: {found.compared.verdict}", file=stream)
    print(f"  again: --seed {plan.seed} --only {found.index}{without}", file=stream)
    for line in summary(small):
        print(f"  {line}", file=stream)


def keep(found: Found, small: Compared, seed: int, version: str, path: Path) -> None:
    """Append the small scenario to a file of JSON lines."""
    line = {
        "name": f"seed {seed} index {found.index}",
        "seed": seed,
        "index": found.index,
        "verdict": str(small.verdict),
        "peer": version,
        "input": small.scenario,
        "ours": small.ours,
        "theirs": small.theirs,
    }
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def _signature(compared: Compared) -> tuple[str, str, str]:
    """What must stay while it shrinks, so that one failure does not turn into another."""
    decisions = [answer.get("output", {}).get("decision", "") for answer in (compared.ours, compared.theirs)]
    return str(compared.verdict), decisions[0], decisions[1]
