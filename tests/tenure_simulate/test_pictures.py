"""Pictures of settings: what is drawn is what was computed, and every reader can see it."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import shlex
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tenure_simulate.pictures import scale_of
from tests.command_line import tenure

FOLDER = Path(__file__).parents[1] / "cli" / "trace"
WORDS = (
    "--trace",
    str(FOLDER / "trace.csv"),
    str(FOLDER / "queues.yaml"),
    "--after",
    "4h",
    "--checkpoint",
    "50m",
)
SWEPT = ("--sweep", "clusterqueue/team-b.spec.preemption.reclaimWithinCohort=Any,Never")
SVG = "{http://www.w3.org/2000/svg}"


def drawn() -> Any:
    done = tenure("simulate", *WORDS, "--drawn", "-o", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["settings"][0]["drawn"]


def test_what_is_drawn_of_queues_adds_up_to_their_hours() -> None:
    # Five hours in 84 parts; the hours are those of the figures that are computed by hand.
    own, lends = drawn()["queues"]
    part = 5 / 84
    assert sum(lends["owed"]) * part == pytest.approx(2 * 30 / 3600, abs=0.01)
    assert sum(lends["own"]) * part == pytest.approx(2, abs=0.02)
    assert sum(own["own"]) * part == pytest.approx(2 * 7230 / 3600, abs=0.02)
    assert sum(own["borrowed"]) * part == pytest.approx(2 * 7230 / 3600, abs=0.02)
    assert sum(own["asked"]) * part == pytest.approx(4 * 10831 / 3600, abs=0.02)
    assert (own["own"][0], own["borrowed"][0], lends["own"][0]) == (2, 2, 0)


def test_a_lane_has_a_job_s_stays_and_how_often_it_is_preempted() -> None:
    (lane,) = drawn()["mostPreempted"]
    assert (lane["job"], lane["queue"], lane["size"], lane["times"]) == ("borrows", "team-a", 4, 1)
    # It works from 0:00:00 to 1:00:00, and for an hour from 2:00:31.
    assert sum(lane["running"]) * 5 / 84 == pytest.approx(2, abs=0.01)
    assert (lane["running"][0], lane["running"][20], lane["joined"]) == (1, 0, 0)
    assert lane["ended"] == pytest.approx(84 * (3 + 31 / 3600) / 5, abs=0.01)


def test_each_picture_is_a_file_that_says_what_it_shows_in_both_schemes(tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    done = tenure("simulate", *WORDS, *SWEPT, "--svg", str(folder))
    assert done.returncode == 0, done.stderr
    names = {path.stem for path in folder.iterdir()}
    assert names == {"front", "waits", "queues-1", "queues-2", "lanes-1", "lanes-2"}
    for path in folder.iterdir():
        text = path.read_text(encoding="utf-8")
        root = ET.fromstring(text)
        assert root.attrib["role"] == "img"
        assert "".join(root.find(f"{SVG}title").itertext()).endswith(".")  # type: ignore[union-attr]
        assert "prefers-color-scheme: dark" in text
        # Every colour has a name of its own in both schemes; letters are as large as a phone needs.
        assert re.findall(r'(?:fill|stroke)="#|style="', text) == []
        assert min(float(found.attrib["font-size"]) for found in root.iter(f"{SVG}text")) >= 10
        left, _, width, _ = map(float, root.attrib["viewBox"].split())
        assert all(left <= float(found.attrib["x"]) <= width for found in root.iter(f"{SVG}text"))
    assert "borrows 1 times" in (folder / "lanes-1.svg").read_text(encoding="utf-8")
    assert "no job is preempted" in (folder / "lanes-2.svg").read_text(encoding="utf-8")


def test_a_report_is_one_file_that_loads_nothing(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    asked = (*WORDS, *SWEPT, "--html", str(report), "-o", "csv", "--prefer", "waste")
    done = tenure("simulate", *asked)
    assert done.returncode == 0, done.stderr
    text = report.read_text(encoding="utf-8")
    assert text.count("<svg ") == 6
    assert re.findall(r"<script|<link|<img|src=|url\(| style=", text) == []
    # The policy allows the one style sheet by its hash, and nothing else.
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    allowed = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{allowed}';" in text
    assert html.escape(shlex.join(["tenure", "simulate", *asked])) in text
    assert [
        word
        for word in (
            "trace.csv",
            "reclaimWithinCohort=Never",
            "none unmet",
            ">GPU-hours lost<",
            ">total wait of a job, p95<",
            "GPUs, over hours since the first submission",
            "ring: for --prefer waste",
            '<tr class="chosen">',
            "team-b, hour 1.07 to 1.25: holds 2 of its 2, borrows 0, requests 2, unmet 0",
        )
        if word not in text
    ] == []
    assert text.count("<details") == 2
    words = re.sub(r"<[^>]*>", " ", text)
    assert re.findall(r"\b(?:owed (?:\d|<)|idle runs|cut short|regain)", words) == []


@pytest.mark.parametrize(
    "words", [("--html", "absent/report.html"), ("--svg", "absent/pictures"), ("--svg", __file__)]
)
def test_a_folder_that_cannot_be_written_to_is_named_before_anything_is_played(
    words: tuple[str, str],
) -> None:
    done = tenure("simulate", str(FOLDER / "queues.yaml"), "--trace", "absent.csv", *words)
    assert done.returncode == 2
    assert f"{words[0]}: found '{words[1]}', expected a" in done.stderr.decode()
    assert "absent.csv" not in done.stderr.decode()


def test_a_logarithmic_axis_has_room_around_its_values_and_a_place_for_nothing() -> None:
    scale = scale_of([0, 10, 1000], 100, 200)
    assert scale.at(0) == scale.start
    assert scale.at(100) == pytest.approx(200)
    assert 100 < scale.at(10) < scale.at(1000) < 300
