"""What the playground opens by name: vectors, scenarios at an instant, findings; and the links to it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeAlias
from urllib.parse import quote

from docs.gen.sources import ROOT, scenarios, vectors
from tenure.as_json import as_json
from tenure.errors import InputError
from tenure.playground import PageQuestion, explain_text, opened
from tenure.readings import default_preset, preset
from tenure.units import format_elapsed, format_instant
from tenure_play import AnyScenario, Record, Scenario
from tenure_play.engine import Player
from tenure_play.export import objects_of
from tenure_play.record import Cycle, HeadResult
from tools.lints.pages import findings

PAGE = "playground"
SCENARIOS = "scenarios"
"""The file of the scenarios, beside one for each area of vectors."""
_DECIDED = ("Preempt", "NoCandidates", "NoFit")
"""Decisions that a scenario is opened at, the first that there is one of."""

Opening: TypeAlias = dict[str, Any]
"""A question of the page, with the title that it has there."""


@dataclass(frozen=True, slots=True)
class Openings:
    """What can be opened.

    Args:
        areas: by file, what it holds by identifier.
        same: by finding, the vector or scenario that it opens.
    """

    areas: Mapping[str, Mapping[str, Opening]]
    same: Mapping[str, str]

    @property
    def names(self) -> dict[str, str]:
        """The file of each vector and scenario."""
        return {name: area for area, held in self.areas.items() for name in held}

    def link(self, identifier: str) -> str:
        """A link that opens something; empty where the page cannot show it."""
        known = identifier in self.same or identifier in self.names
        return playground_link(identifier) if known else ""


def playground_link(identifier: str) -> str:
    """A link as HTML, since mkdocs takes a fragment for a place in the page.

    >>> playground_link("TBP-020/a").partition(">")[0]
    '<a class="play" href="@playground/#example=TBP-020/a"'
    """
    return f'<a class="play" href="@{PAGE}/#example={quote(identifier)}">Open in the playground</a>'


def openings(of_scenarios: Mapping[str, Opening]) -> Openings:
    """Everything that can be opened, but the examples that the page lists.

    Args:
        of_scenarios: by name, as `opened_play` gives them.
    """
    areas: dict[str, dict[str, Opening]] = {SCENARIOS: dict(of_scenarios)}
    for vector in vectors():
        asked = opened(vector)
        if asked is not None:
            told = {"title": vector.data["comment"], **as_json(asked)}
            areas.setdefault(vector.file.stem, {})[vector.id] = told
    sizes = {name: len(told["text"]) for held in areas.values() for name, told in held.items()}
    played, same = played_of_findings(), {}
    for page in findings(ROOT):
        for named in (page.front.get("vectors", ()), played.get(page.id, ())):
            held = [name for name in named if name in sizes]
            if held:
                same[page.id] = min(held, key=lambda name: (sizes[name], name))
                break
    return Openings(areas, same)


@cache
def played_of_findings() -> Mapping[str, Sequence[str]]:
    """By finding: the scenarios that it names, or that name it as their source."""
    named: dict[str, list[str]] = {}
    written = list(findings(ROOT))
    for scenario in scenarios():
        for page in written:
            if (
                page.id in scenario.source
                or scenario.name in page.front.get("scenarios", ())
                or f"scenarios/{scenario.name}.yaml" in page.body
            ):
                named.setdefault(page.id, []).append(scenario.name)
    return named


def opened_play(scenario: AnyScenario, records: Sequence[Record]) -> Opening | None:
    """A scenario as it is before the first cycle that preempts: the cluster, and the head that does.

    Where none preempts, it is the first cycle whose head is not admitted. None where no head is so, or where
    the page would decide otherwise: a turn later in a cycle, or what a controller knows alone.

    Args:
        scenario: what was played.
        records: its plays, the one under the default preset wins where several preempt.
    """
    if not isinstance(scenario, Scenario):
        return None
    ordered = sorted(records, key=lambda record: record.reading != default_preset())
    for decision in _DECIDED:
        for record in ordered:
            heads = [
                (cycle, head) for cycle in record.cycles for head in cycle.heads if head.decision == decision
            ]
            for cycle, head in heads[:1]:
                asked = _asked(scenario, record, cycle, head)
                if _is_decided_so(asked, head):
                    after = format_elapsed(cycle.at - record.start)
                    return {"title": f"{after} after the start: {scenario.title}", **as_json(asked)}
    return None


def _asked(scenario: Scenario, record: Record, cycle: Cycle, head: HeadResult) -> PageQuestion:
    """The question about a head, of the cluster just before its cycle."""
    # A play that may have no further cycle ends where that one would begin.
    player = Player(replace(scenario, max_cycles=cycle.number - 1, expectations=()), preset(record.reading))
    try:
        player.run_through(scenario.events)
    except InputError:
        objects = objects_of(scenario, player.world)
    return PageQuestion(
        text=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}, indent=2),
        now=format_instant(cycle.clock),
        reading=record.reading,
        workload=head.workload,
    )


def _is_decided_so(asked: PageQuestion, head: HeadResult) -> bool:
    try:
        told = explain_text(replace(asked, counterfactuals=0))
    except InputError:
        return False
    return (told.decision, told.preempted) == (head.decision, head.targets)
