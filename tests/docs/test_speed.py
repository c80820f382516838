"""The speed chart: the committed figures keep their format, and are what is drawn."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

from docs.gen.sources import ROOT
from docs.gen.speed import LINES, MEASURED, SHARE, duration, main, measured, speed_svg, speed_table

SVG = "{http://www.w3.org/2000/svg}"


def test_the_committed_figures_keep_their_format() -> None:
    schema = json.loads((ROOT / "docs" / "data" / "bench.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    found = measured()
    assert list(Draft202012Validator(schema).iter_errors(found)) == []
    assert found["decisions"]
    broken = {**found, "decisions": [{**found["decisions"][0], "cold": "fast"}]}
    assert list(Draft202012Validator(schema).iter_errors(broken)) != []


def test_the_chart_has_a_point_for_each_figure() -> None:
    drawn = ElementTree.fromstring(speed_svg(measured()))
    told = [element.findtext(f"{SVG}title") for element in drawn.iter(f"{SVG}circle")]
    rows = [row for row in measured()["decisions"] if row["share"] == SHARE and row["cold"]]
    expected = [
        f"{line.name}, {row['workloads']:,} workloads: {duration(row[line.field])}"
        for row in rows
        for line in LINES
        if row.get(line.field)
    ]
    assert sorted(map(str, told)) == sorted(expected)


def test_a_larger_figure_stands_higher(tmp_path: Path) -> None:
    path = tmp_path / "speed.svg"
    assert main([str(path)]) == 0
    for line in re.findall(r'<path d="M([^h"]+)" fill="none"', path.read_text(encoding="utf-8")):
        points = [tuple(map(float, part.split())) for part in line.split(" L")]
        assert points == sorted(points)
        assert all(0 <= y <= 220 for _, y in points)


def test_without_a_file_it_says_how(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "FILE.svg" in capsys.readouterr().err


def test_the_table_names_what_was_not_measured() -> None:
    row = {"shape": "heroes", "workloads": 100, "share": SHARE, "victims": 9, "reference": 2e6, "cold": None}
    assert "| a hero above 100 queues | 100 | 9 | - | 2.0 ms | - | - |" in speed_table({"decisions": [row]})


def test_the_figures_lie_beside_their_schema() -> None:
    assert MEASURED.parent == ROOT / "docs" / "data"
