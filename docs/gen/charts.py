"""A page for each group of published scenarios: charts, what is expected, how each is replayed."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import PurePosixPath
from typing import TypeAlias

from docs.gen.drawing import shown
from docs.gen.markdown import Fills, Pages, code, folded, heading, link, linked, sentence, table
from docs.gen.openings import Opening, opened_play, playground_link
from docs.gen.proved import kept
from docs.gen.sources import ROOT, SCENARIO_FILES, places, scenarios, scenarios_page
from tenure.pages import FAMILIES
from tenure.readings import preset, preset_names
from tenure.units import format_elapsed
from tenure_play import AnyScenario, Record, play
from tenure_play.charts import THEMES, svg_chart
from tenure_play.charts.labels import facts

SCENARIOS = "scenarios/index.md"
CHARTS = "charts"
PROMISES = "spec/vectors/promises.toml"
GROUPS = {
    "tbp": FAMILIES["TBP"],
    "ucq": FAMILIES["UCQ"],
    "dyn": FAMILIES["DYN"],
    "pcf": FAMILIES["PCF"],
    "ppr": FAMILIES["PPR"],
    "rbo": FAMILIES["RBO"],
    "kai": FAMILIES["KMR"],
    "kueue": "reports about Kueue",
}
"""Groups of scenarios, by what their names begin with."""
OPENING = (
    "Replay each of these by its command; open a reading for a chart of what happens, and what is expected."
)
_MADE_FROM = (
    "refimpl/**/*.py",
    "spec/readings.toml",
    f"{SCENARIO_FILES}/*",
    PROMISES,
    "docs/gen/charts.py",
    "docs/gen/drawing.py",
    "docs/gen/markdown.py",
    "docs/gen/openings.py",
)


Views: TypeAlias = dict[str, list[tuple[str, str, str]]]
"""By scenario: the readings of a play, its chart's path below `docs/` without the theme, what it shows."""


Made: TypeAlias = tuple[Pages, Pages, Fills, Views, dict[str, Opening]]


def scenario_pages() -> Made:
    """The pages; the charts, SVG by path below `docs/`; the list of all; where each chart is; what opens.

    They are made once for each state of the sources: playing and drawing takes seconds.
    """
    pages, charts, fills, views, opened = kept("charts", _MADE_FROM, places(), _made)
    return pages, charts, fills, views, opened


def _made() -> Made:
    pages: Pages = {}
    views: Views = {}
    charts: Pages = {}
    openings: dict[str, Opening] = {}
    promises = tomllib.loads((ROOT / PROMISES).read_text(encoding="utf-8"))
    rows: dict[str, list[list[str]]] = {group: [] for group in GROUPS}
    for scenario in scenarios():
        plays = list(_plays(scenario))
        opened = opened_play(scenario, [record for alike in plays for record in alike])
        if opened is not None:
            openings[scenario.name] = opened
        path = scenarios_page(scenario.name)
        parts = pages.setdefault(path, f"# Scenarios: {GROUPS[PurePosixPath(path).stem]}\n\n{OPENING}\n")
        pages[path] = "\n\n".join([parts, *_scenario(scenario, plays, opened)]) + "\n"
        charts |= dict(_charts(scenario, plays))
        views[scenario.name] = [_view(scenario, alike) for alike in plays]
        promise = promises.get(scenario.name, {})
        rows[PurePosixPath(path).stem].append(
            [
                f"{link(scenario.name)}: {scenario.title}",
                linked(scenario.source),
                promise.get("kept", ""),
                linked(promise.get("why", "")),
            ]
        )
    fills = {SCENARIOS: {"scenarios": "\n\n".join(part for group in GROUPS for part in _listed(group, rows))}}
    return pages, charts, fills, views, openings


def _listed(group: str, rows: Mapping[str, list[list[str]]]) -> Iterator[str]:
    yield f"## {sentence(GROUPS[group])} {{ #{group} data-search-exclude }}"
    yield table(["Scenario", "Source", "Kept", "Why, or what happens"], rows[group])


def _plays(scenario: AnyScenario) -> Iterator[list[Record]]:
    """The plays under all presets; those in which the same happens together."""
    records = [play(scenario, preset(name)) for name in preset_names()]
    return (
        list(alike)
        for _, alike in groupby(records, key=lambda record: replace(record, reading="", expectations=()))
    )


def _names(alike: list[Record]) -> str:
    return " and ".join(record.reading for record in alike)


def _view(scenario: AnyScenario, alike: list[Record]) -> tuple[str, str, str]:
    words = f"Chart under {_names(alike)}. {' '.join(facts(alike[0]))}"
    return _names(alike), _stem(scenario, alike), words.replace("[", "").replace("]", "")


def _charts(scenario: AnyScenario, plays: list[list[Record]]) -> Iterator[tuple[str, str]]:
    for alike in plays:
        for theme in THEMES:
            drawn = svg_chart(replace(alike[0], reading=_names(alike)), theme)
            yield f"{_stem(scenario, alike)}-{theme}.svg", drawn


def _stem(scenario: AnyScenario, alike: list[Record]) -> str:
    return f"scenarios/{CHARTS}/{scenario.name}-{alike[0].reading}"


def _scenario(scenario: AnyScenario, plays: list[list[Record]], opened: Opening | None) -> Iterator[str]:
    yield heading(2, scenario.name, scenario.name)
    yield linked(scenario.title)
    if scenario.source:
        yield f"Source: {linked(scenario.source)}"
    path = f"{SCENARIO_FILES}/{scenario.name}.yaml"
    yield code("sh", f"tenure simulate --scenario {scenario.name} --all-readings")
    if opened is not None:
        at, _, _ = opened["title"].partition(": ")
        yield (
            f"{playground_link(scenario.name)} as it is {at}, when `{opened['workload']}` is decided "
            f"under {opened['reading']}."
        )
    for alike in plays:
        _, chart, words = _view(scenario, alike)
        reading = alike[0].reading
        parts = [
            shown(chart, words, "chart"),
            *(
                part
                for _, same in groupby(alike, key=lambda record: record.expectations)
                for part in _expected(list(same), len(alike) > 1)
            ),
            code(
                "sh",
                f"tenure simulate --scenario {scenario.name} --reading {reading} --chart {scenario.name}.svg",
            ),
        ]
        yield folded(f"Under {_names(alike)}", parts)
    yield folded("The scenario", [code("yaml", (ROOT / path).read_text(encoding="utf-8"))])


def _expected(same: list[Record], named: bool) -> Iterator[str]:
    """What is expected of plays of which the same is expected, and what was found."""
    of = f" under {_names(same)}" if named else ""
    rows = [
        [
            "" if expectation.at is None else format_elapsed(expectation.at - same[0].start),
            f"`{expectation.field}`",
            expectation.expected,
            expectation.found if expectation.holds else f"**not as expected: {expectation.found}**",
        ]
        for expectation in same[0].expectations
    ]
    if rows:
        yield table(["At", "What", f"Expected{of}", "Found"], rows)
