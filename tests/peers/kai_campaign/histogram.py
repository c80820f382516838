"""What a campaign went through, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.peers.kai_campaign.compare import Compared

Object = dict[str, Any]


class Histogram:
    """Counts over cases; the answers are ours, which a peer that fails cannot spoil."""

    def __init__(self) -> None:
        self.cases = 0
        self.traits: Counter[tuple[str, str]] = Counter()

    def add(self, compared: Compared) -> None:
        """Count one case."""
        self.cases += 1
        self.traits.update(set(_traits(compared)))

    def lines(self) -> Iterator[str]:
        """A table to read."""
        yield f"{self.cases} cases"
        titles = dict.fromkeys(title for title, _ in sorted(self.traits))
        for title in titles:
            yield f"  {title}"
            rows = {name: count for (group, name), count in self.traits.items() if group == title}
            for name, count in sorted(rows.items(), key=lambda pair: (-pair[1], pair[0])):
                yield f"    {100 * count / max(self.cases, 1):6.2f} %  {count:7}  {name}"


def _traits(compared: Compared) -> Iterator[tuple[str, str]]:
    case, op = compared.case, compared.case["op"]
    yield "verdict", "differs" if compared.differences() else "agrees"
    yield "op", op
    if "pluginArgs" in case and op not in ("config", "path"):
        yield "method", str(case["pluginArgs"].get("reclaimResolveMethod"))
    if "error" in compared.ours:
        return
    output = compared.ours["output"]
    if op == "sequence":
        for asked, said in zip(case["steps"], output["steps"], strict=True):
            yield "step", asked["op"]
            yield from _said(f"{asked['op']} in a sequence", said)
    else:
        yield from _said(op, output)
    if op == "filter" and _at_boundary(case, output):
        yield "trait", "a filter within a nanosecond of the end of the protection"


def _said(op: str, output: Object) -> Iterator[tuple[str, str]]:
    for key in ("filter", "elastic", "protected", "delayed", "validator", "accepted", "error"):
        if key in output:
            yield op, f"{key} {str(output[key]).lower()}"
    for name in output.get("rejected") or ():
        yield op, f"rejected {name}"


def _at_boundary(case: Object, output: Object) -> bool:
    from tenure.manifests import parse_instant

    victim = next(item for item in case["jobs"] if item["name"] == case["victim"])
    if victim["lastStart"] is None:
        return False
    end = parse_instant(victim["lastStart"]) + int(output["minRuntimeNs"])
    return abs(end - parse_instant(case["now"])) <= 1
