"""The speed chart: the committed figures keep their format, and are what is drawn."""

from __future__ import annotations

import json
from xml.etree import ElementTree

from jsonschema import Draft202012Validator

from docs.gen.sources import ROOT
from docs.gen.speed import (
    LINES,
    MEASURED,
    SHARE,
    duration,
    measured,
    speed_chart,
    speed_svg,
    speed_table,
)
from tenure_play.drawing.scene import Stroke

SVG = "{http://www.w3.org/2000/svg}"


def test_the_committed_figures_keep_their_format() -> None:
    schema = json.loads((ROOT / "docs" / "data" / "bench.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    found = json.loads(MEASURED.read_text(encoding="utf-8"))
    assert list(Draft202012Validator(schema).iter_errors(found)) == []
    assert found["decisions"]
    broken = {**found, "decisions": [{**found["decisions"][0], "cold": "fast"}]}
    assert list(Draft202012Validator(schema).iter_errors(broken)) != []


def test_the_chart_has_a_point_for_each_figure() -> None:
    drawn = ElementTree.fromstring(speed_svg(measured()))
    told = [element.findtext(f"{SVG}title") for element in drawn.iter(f"{SVG}g")]
    rows = [row for row in measured()["decisions"] if row["share"] == SHARE and row["cold"]]
    expected = [
        f"{line.name}, {row['workloads']:,} workloads: {duration(row[line.field])}"
        for row in rows
        for line in LINES
        if row.get(line.field)
    ]
    assert sorted(map(str, told)) == sorted(expected)


def test_more_workloads_lie_farther_right_and_within_their_panel() -> None:
    chart = speed_chart(measured(), 2)
    roles = {line.role for line in LINES}
    lines = [shape for shape in chart.shapes if isinstance(shape, Stroke) and shape.role in roles]
    assert len(lines) > 2 * len(LINES)
    for line in lines:
        assert list(line.points) == sorted(line.points)
        heights = [y for _, y in line.points]
        assert max(heights) - min(heights) <= 220


def test_the_table_names_what_was_not_measured() -> None:
    row = {"shape": "heroes", "workloads": 100, "share": SHARE, "victims": 9, "reference": 2e6, "cold": None}
    assert "| a hero above 100 queues | 100 | 9 | - | 2.0 ms | - | - | - | - |" in speed_table(
        {"decisions": [row]}
    )


def test_the_figures_lie_beside_their_schema() -> None:
    assert MEASURED.parent == ROOT / "docs" / "data"
