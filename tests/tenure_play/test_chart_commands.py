"""Charts from the command line."""

from __future__ import annotations

import os
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

from tests.command_line import TENURE, run_program, tenure

ROOT = Path(__file__).resolve().parents[2]
TWO = str(ROOT / "spec" / "vectors" / "scenarios" / "tbp-it-1-two-equals.yaml")


def test_a_play_is_drawn_in_both_formats_and_themes(tmp_path: Path) -> None:
    for theme in ("light", "dark"):
        for name in ("play.svg", "play.png"):
            path = tmp_path / f"{theme}-{name}"
            assert tenure("simulate", TWO, "--chart", str(path), "--chart-theme", theme).returncode == 0
    assert (tmp_path / "light-play.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert ET.parse(tmp_path / "dark-play.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert (tmp_path / "light-play.svg").read_bytes() != (tmp_path / "dark-play.svg").read_bytes()


def test_without_matplotlib_the_extra_is_named(tmp_path: Path) -> None:
    (tmp_path / "matplotlib.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'matplotlib'\", name='matplotlib')\n"
    )
    chart = tmp_path / "play.png"
    done = run_program(
        TENURE,
        "simulate",
        TWO,
        "--chart",
        str(chart),
        environment={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        "expected a file named *.svg, or matplotlib, which draws PNG: pip install 'tenure[charts]'"
        in done.stderr
    )
    assert not chart.exists()


def test_a_play_without_a_chart_loads_no_matplotlib() -> None:
    modules = "tenure_play.commands.scenario_runs, tenure_play.charts"
    script = f"import sys, {modules}; print('matplotlib' in sys.modules)"
    done = run_program(sys.executable, "-c", script, check=True)
    assert done.stdout == "False\n"


def test_a_folder_of_charts_is_drawn(tmp_path: Path) -> None:
    done = run_program(
        sys.executable,
        "-m",
        "tenure_play.charts",
        TWO,
        "-o",
        str(tmp_path / "charts"),
        "--format",
        "png",
        check=True,
    )
    path = tmp_path / "charts" / "tbp-it-1-two-equals-guaranteed-light.png"
    assert done.stdout == f"{path}\n"
    assert path.read_bytes().startswith(b"\x89PNG")
