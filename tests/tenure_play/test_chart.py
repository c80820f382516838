"""Charts of plays: what is in the SVG, that it is the same every time, and what it says to whom."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tenure.errors import InputError
from tenure.model import SECOND
from tenure.readings import preset
from tenure_play import Record, load_scenario, play
from tenure_play.charts import DARK, LIGHT, check_chart, png_chart, svg_chart, write_chart
from tenure_play.charts.compose import compose
from tenure_play.charts.view import lanes_of, style_of
from tenure_play.drawing.scene import EDGE, THEMES, WIDTH, Label
from tenure_play.record import Ending, Happening, Preemption, RunSpan, StoryLine, Summary, WaitSpan

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = ROOT / "spec" / "vectors" / "scenarios"
SVG = "{http://www.w3.org/2000/svg}"
HOUR = 3600 * SECOND
REASONS = (
    "InClusterQueue",
    "InClusterQueueTimeBased",
    "InCohortReclamation",
    "InCohortReclaimWhileBorrowing",
    "InCohortFairSharing",
)


def played(name: str, reading: str) -> Record:
    """A published scenario, played."""
    return play(load_scenario(SCENARIOS / f"{name}.yaml"), preset(reading))


@pytest.fixture(scope="module")
def swaps() -> Record:
    return played("tbp-it-5-at-the-threshold", "as-written")


@pytest.fixture(scope="module")
def turns() -> Record:
    return played("tbp-it-2-rotation", "guaranteed")


@pytest.fixture(scope="module")
def week() -> Record:
    return played("tbp-story-1-week", "guaranteed")


def identifiers(svg: str) -> list[str]:
    """The identifiers of the groups of an SVG."""
    return [element.get("id", "") for element in ET.fromstring(svg).iter(f"{SVG}g")]


def texts(svg: str) -> str:
    """All that is written in an SVG."""
    return "\n".join("".join(element.itertext()) for element in ET.fromstring(svg).iter(f"{SVG}text"))


def named(name: str, words: str = "s") -> Record:
    """A play in which a workload of some name waits, runs and is preempted."""
    run = RunSpan(name, "q", 0, HOUR, HOUR, Ending.PREEMPTED, 2 * HOUR, "a/other")
    taken = Preemption(HOUR, 1, "a/other", "q", name, "q", "InClusterQueue", (), HOUR, HOUR)
    summary = Summary(name, "q", 0, 1, 1, HOUR, HOUR, 0)
    other = Summary("a/other", "q", 0, 0, 0, 0, 0, 2 * HOUR)
    waits = (WaitSpan("a/other", "q", 0, 3 * HOUR, False),)
    return Record(
        words,
        words,
        words,
        0,
        3 * HOUR,
        workloads=(summary, other),
        runs=(run,),
        waits=waits,
        preemptions=(taken,),
    )


def test_every_run_and_preemption_is_there(turns: Record) -> None:
    found = identifiers(svg_chart(turns))
    assert {f"run-{number}" for number in range(len(turns.runs))} <= set(found)
    assert {f"preemption-{number}" for number in range(len(turns.preemptions))} <= set(found)
    assert "loop" in found


@pytest.mark.parametrize("play_of", ["swaps", "week"])
def test_runs_too_short_to_draw_are_counted(play_of: str, request: pytest.FixtureRequest) -> None:
    record = request.getfixturevalue(play_of)
    found = identifiers(svg_chart(record))
    together = sum(int(name.split("-of-")[1]) for name in found if re.fullmatch(r"runs-\d+-of-\d+", name))
    alone = sum(re.fullmatch(r"run-\d+", name) is not None for name in found)
    assert together + alone == len(record.runs)


def test_a_loop_that_is_too_quick_to_see_is_enlarged(swaps: Record) -> None:
    svg = svg_chart(swaps)
    assert swaps.loop is not None
    assert f"loop: the same every 1m0.02s, {swaps.loop.times} times" in texts(svg)
    assert "two turns of the loop" in texts(svg)
    assert "focus-loop" in identifiers(svg)
    assert any(identifier.startswith("focus-preemption-") for identifier in identifiers(svg))


def test_what_comes_too_early_by_a_moment_is_enlarged() -> None:
    svg = svg_chart(played("tbp-it-6-restart", "guaranteed"))
    assert "ms too early" in texts(svg)
    assert "restart" in texts(svg)


def test_many_workloads_share_a_lane_with_their_user(week: Record) -> None:
    lanes = lanes_of(week)
    assert len(lanes) == 20
    assert sorted(name for lane in lanes for name in lane.workloads) == sorted(
        summary.workload for summary in week.workloads
    )
    words = texts(svg_chart(week))
    assert "scientist-20" in words
    assert "Waiting, at most" in words


def test_without_users_a_lane_is_a_place() -> None:
    letters = [f"a/{chr(97 + first)}{chr(97 + second)}" for first in range(5) for second in range(5)]
    runs = tuple(RunSpan(name, "q", at, at + 5, at + 5, Ending.FINISHED) for at, name in enumerate(letters))
    summaries = tuple(Summary(name, "q", 0, 1, 0, 5, 5, 0) for name in letters)
    record = Record("s", "", "guaranteed", 0, 100, workloads=summaries, runs=runs)
    assert [lane.name for lane in lanes_of(record)] == [f"place {place}" for place in range(1, 6)]
    assert {f"run-{number}" for number in range(25)} <= set(identifiers(svg_chart(record)))


def test_reasons_differ_in_colour_and_in_shape() -> None:
    styles = [style_of(reason) for reason in (*REASONS, "Another")]
    assert len({style.shape for style in styles}) == len(styles)
    for theme in THEMES.values():
        assert len({theme[style.role] for style in styles}) == len(styles)
        assert len(set(theme.values())) == len(theme)


@pytest.mark.parametrize("reason", [*REASONS, "Another"])
def test_the_legend_names_the_reasons(reason: str) -> None:
    record = named("a/b")
    taken = (replace(record.preemptions[0], reason=reason),)
    assert reason in texts(svg_chart(replace(record, preemptions=taken)))


def test_priorities_that_grow_are_written_above_their_lane() -> None:
    words = texts(svg_chart(played("dyn-story-1-three-hours", "guaranteed"))).splitlines()
    assert Counter(words)["500"] == 1
    assert "effective priority from here on" in words


@pytest.mark.parametrize(
    ("what", "text", "words"),
    [
        (Happening.RESTARTED, "the controller restarts", "restart"),
        (Happening.CLOCK, "the controller's clock goes back by 1h", "clock goes back by 1h"),
        (Happening.EDITED, "ClusterQueue q", "ClusterQueue q"),
        (Happening.NOTE, "tick: every cohort looks again", "tick"),
    ],
)
def test_what_comes_from_outside_is_marked(what: Happening, text: str, words: str) -> None:
    record = replace(named("a/b"), story=(StoryLine(HOUR // 2, what, "", "", text),))
    assert words in texts(svg_chart(record)).splitlines()


def test_the_chart_is_told_to_those_who_do_not_see_it(swaps: Record) -> None:
    root = ET.fromstring(svg_chart(swaps))
    title, told = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert title.text is not None
    assert title.text.endswith("a moment later, one is. Reading as-written.")
    assert told is not None
    assert told.text is not None
    assert "At 4:00:00.500 second preempts first after 4h0.5s: InClusterQueueTimeBased." in told.text
    assert told.text.endswith("And 80 more preemptions.")
    assert root.get("aria-labelledby") == "chart-title chart-description"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("<script>&\"'", "<script>&\"'"),
        ("$x^{2}$", "$x^{2}$"),
        ("\x00\x1b[0m\u202e", "\ufffd\ufffd[0m\ufffd"),
        ("\ud800\uffff", "\ufffd\ufffd"),
        ("東京", "東京"),
        ("{%d}%s", "{%d}%s"),
    ],
)
def test_hostile_names_are_harmless(name: str, shown: str) -> None:
    record = named(f"a/{name}", name)
    svg = svg_chart(record)
    assert svg.encode()
    assert shown in texts(svg)
    assert not list(ET.fromstring(svg).iter(f"{SVG}script"))
    assert png_chart(record).startswith(b"\x89PNG")


def test_a_long_name_leaves_room_for_the_lanes() -> None:
    svg = svg_chart(named("a/" + "long" * 60))
    assert "longlon…longlong" in texts(svg).splitlines()
    assert "long" * 10 not in texts(svg)


def test_a_play_of_kai_is_drawn_with_its_actions_as_reasons() -> None:
    words = texts(svg_chart(played("kai-boundary", "guaranteed")))
    assert "runs, in its protected time" in words
    assert "preempt" in words.splitlines()


def test_a_chart_is_the_same_every_time(turns: Record, tmp_path: Path) -> None:
    script = (
        "import sys; from tenure_play import *; from tenure.readings import preset; "
        "from tenure_play.charts import *; from pathlib import Path; "
        "record = play(load_scenario(sys.argv[1]), preset('guaranteed')); "
        "[write_chart(record, Path(path)) for path in sys.argv[2:]]"
    )
    (tmp_path / "matplotlibrc").write_text("font.size: 30\nsvg.fonttype: path\nsavefig.bbox: tight\n")
    files = [tmp_path / "play.svg", tmp_path / "play.png"]
    scenario = SCENARIOS / "tbp-it-2-rotation.yaml"
    subprocess.run(
        [sys.executable, "-c", script, str(scenario), *map(str, files)],
        cwd=tmp_path,
        env={"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "HOME": str(tmp_path)},
        check=True,
    )
    assert files[0].read_text(encoding="utf-8") == svg_chart(turns)
    assert files[1].read_bytes() == png_chart(turns)


def test_an_svg_has_text_as_text_and_no_trace_of_its_making(turns: Record) -> None:
    svg = svg_chart(turns)
    assert "<metadata>" not in svg
    assert "DejaVu" not in svg
    assert "sans-serif" in svg
    assert "from the preemptor (dot) to its victim" in texts(svg)


def test_a_theme_differs_in_nothing_but_its_colours(swaps: Record) -> None:
    light, dark = svg_chart(swaps), svg_chart(swaps, "dark")
    assert light != dark
    named = {colour: role for role, colour in LIGHT.items()}
    assert re.sub(r"(?<![\w(])#[0-9a-f]{6}\b", lambda found: DARK[named[found[0]]], light) == dark
    drawn = set(re.findall(r"(?:fill|stroke)(?:: |=\")(#\w+)", dark))
    assert drawn <= set(DARK.values())
    assert png_chart(swaps) != png_chart(swaps, "dark")


@pytest.mark.parametrize("play_of", ["swaps", "turns", "week"])
def test_no_text_leaves_the_chart(play_of: str, request: pytest.FixtureRequest) -> None:
    scene = compose(request.getfixturevalue(play_of))
    for label in (shape for shape in scene.shapes if isinstance(shape, Label)):
        left = label.x - (label.length / 2 if label.align == "center" else 0)
        assert left >= 0
        assert left + label.length * 0.88 <= WIDTH - EDGE / 8, label.text
        assert 0 < label.y < scene.height


def test_the_legend_explains_what_is_drawn_and_nothing_else(turns: Record) -> None:
    words = texts(svg_chart(turns))
    assert "is deleted" not in words
    assert "the controller restarts, or is back" not in words
    assert "runs, in its protected time" in words


@pytest.mark.parametrize(
    ("path", "theme", "words"),
    [
        ("play.pdf", "light", r"a file named \*\.svg or \*\.png"),
        ("no-such-folder/play.svg", "light", "a file in a folder that exists"),
        ("play.svg", "pink", "--chart-theme: found 'pink', expected one of light, dark"),
    ],
)
def test_what_cannot_be_drawn_is_told(path: str, theme: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        check_chart(path, theme)


def test_a_file_that_cannot_be_written_is_told(turns: Record, tmp_path: Path) -> None:
    (tmp_path / "play.svg").mkdir()
    with pytest.raises(InputError, match="a file that can be written"):
        write_chart(turns, tmp_path / "play.svg")
