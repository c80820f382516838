"""What pages of `tenure analyze` and `tenure simulate` show: matrices, a loop that was found, three settings.

The commands draw the first two themselves, at every build, on the bundled examples that the pages are about.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from docs.gen.drawing import shown, themed
from docs.gen.markdown import Fills, Pages
from docs.gen.sources import ROOT
from tenure.readings import default_preset, preset
from tenure_play import load_scenarios, play
from tenure_play.charts import svg_chart
from tenure_play.charts.labels import description
from tenure_play.drawing.scene import PHONE_WIDTH, THEMES, Box, Label, Role, Sketch, text_width
from tenure_play.drawing.svg import BY_SCHEME

FOLDER: Final = "how-to/pictures"
FIVE: Final = "how-to/five-configurations.md"
EXPLAINED: Final = "explanation/what-analyze-proves.md"
LOOPS: Final = "how-to/find-preemption-loops.md"
SIMULATED: Final = "how-to/simulate-a-trace.md"
MATRICES: Final = {
    (FIVE, "emergency"): ("emergency", "consistent"),
    (FIVE, "lender"): ("lender", "consistent"),
    (FIVE, "fallback"): ("fallback", "consistent"),
    (FIVE, "commons"): ("commons", "consistent"),
    (FIVE, "fair-weights"): ("fair-weights", "consistent"),
    (FIVE, "edited"): ("lender", "edited"),
    ("how-to/prove-who-may-be-preempted.md", "map"): ("emergency", "consistent"),
    (EXPLAINED, "consistent"): ("lender", "consistent"),
    (EXPLAINED, "edited"): ("lender", "edited"),
}
"""The example and the scope whose matrix replaces a page's marker."""
LOOP: Final = ("--example", "shared-cohort", "--up-to", "2", "--sizes", "352,1408", "--resource", "cpu")
"""What is searched for the loop of the page: where the whole search finds it."""
COMPARED: Final = {
    "total p95": "95 of 100 jobs wait in all no longer than, hours",
    "preemptions": "Preemptions",
    "lost": "GPU-hours lost to redone work, restarts and terminating pods",
}
"""The columns of the page's table of settings that its picture has, and their words."""
_FOUND = 1
_SETTING = re.compile(r"^minAdmitDuration=(?P<value>\S+)(?P<figures>(?: +[\d.,]+[smh]?)+)$")


def analyzed() -> tuple[Pages, Fills]:
    """The pictures, SVG by path below `docs/`, and what replaces the markers of the pages."""
    files: Pages = {}
    fills: Fills = {}
    with TemporaryDirectory() as folder:
        words = {asked: _matrix(*asked, Path(folder), files) for asked in dict.fromkeys(MATRICES.values())}
        for (page, marker), (example, scope) in MATRICES.items():
            told = shown(_path(example, scope), words[example, scope], "picture")
            fills.setdefault(page, {})[marker] = told
        fills[LOOPS] = {"loop": shown(f"{FOLDER}/loop", _loop(Path(folder), files), "chart")}
    settings = settings_compared((ROOT / "docs" / SIMULATED).read_text(encoding="utf-8"))
    path, (title, sketch) = f"{FOLDER}/settings", settings
    files |= themed(path, sketch, title)
    fills[SIMULATED] = {"settings": shown(path, title, "picture")}
    return files, fills


def _path(example: str, scope: str) -> str:
    return f"{FOLDER}/matrix-{example}-{scope}"


def _matrix(example: str, scope: str, folder: Path, files: Pages) -> str:
    """Adds the picture of a matrix for both kinds of page; what it shows, in words."""
    drawn = folder / "matrix.svg"
    _run(0, "analyze", "matrix", "--example", example, "--scope", scope, "--svg", str(drawn), "--jobs", "1")
    picture = drawn.read_text(encoding="utf-8")
    # The scheme of a page is chosen on it, whichever the reader's system has.
    picture = re.sub(r"<style>.*</style>\n", "", picture)
    for theme, colours in THEMES.items():
        of_role = {BY_SCHEME[role]: colours[role] for role in Role}
        styled = re.sub(r"var\([^)]*\)", lambda found, of=of_role: of[found[0]], picture)  # type: ignore[misc]
        files[f"{_path(example, scope)}-{theme}.svg"] = styled
    return ". ".join(re.findall(r"<(?:title|desc) id=[^>]*>([^<]*)<", picture))


def _loop(folder: Path, files: Pages) -> str:
    """Adds the chart of the loop that the command finds; what it shows, in words."""
    found = folder / "loops.yaml"
    _run(_FOUND, "analyze", "loops", *LOOP, "--to", str(found))
    (scenario,) = load_scenarios([str(found)])
    record = play(scenario, preset(default_preset()))
    for theme in THEMES:
        files[f"{FOLDER}/loop-{theme}.svg"] = svg_chart(record, theme)
    return description(record)


def _run(expected: int, *words: str) -> None:
    """Run a command in this process.

    Raises:
        RuntimeError: it ends with another exit code.
    """
    from tenure.cli.app import app

    said = io.TextIOWrapper(io.BytesIO(), "utf-8")
    with redirect_stdout(said), redirect_stderr(said):
        code = app(args=[*words], prog_name="tenure", standalone_mode=False) or 0
    if code != expected:
        raise RuntimeError(f"tenure {' '.join(words)}: exit code {code}, expected {expected}")


def settings_compared(page: str) -> tuple[str, Sketch]:
    """The settings of a page's table in words, and as bars: a group for each column that matters most.

    Args:
        page: Markdown with what `tenure simulate --sweep minAdmitDuration=…` prints.

    >>> table = '''SETTING               TOTAL P95  PREEMPTIONS
    ... minAdmitDuration=off      46.05       16,504
    ... minAdmitDuration=4h       17.61       43,949
    ... SETTING                  LOST
    ... minAdmitDuration=off  7,298.20
    ... minAdmitDuration=4h    134,440'''
    >>> settings_compared(table)[0].partition(". ")[0]
    '95 of 100 jobs wait in all no longer than, hours: off 46.05, 4h 17.61'
    """
    columns: list[str] = []
    settings: dict[str, dict[str, str]] = {}
    for line in page.splitlines():
        if line.startswith("SETTING "):
            columns = re.split(r" {2,}", line.lower())[1:]
        elif found := _SETTING.match(line):
            row = zip(columns, found["figures"].split(), strict=True)
            settings.setdefault(found["value"], {}).update(row)
    groups = [
        (words, [(value, figures[column]) for value, figures in settings.items()])
        for column, words in COMPARED.items()
    ]
    sketch = Sketch(width=PHONE_WIDTH)
    for title, bars in groups:
        _group(sketch, title, bars)
    return " ".join(_told(groups)), sketch


def _told(groups: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> Iterator[str]:
    for title, bars in groups:
        yield f"{title}: {', '.join(f'{value} {figure}' for value, figure in bars)}."


def _group(sketch: Sketch, title: str, bars: Sequence[tuple[str, str]]) -> None:
    left, right = 36.0, PHONE_WIDTH - text_width(9 * "0", 12)
    most = max(float(figure.replace(",", "")) for _, figure in bars)
    sketch.add(Label(0, sketch.bottom + 16, title, 12, bold=True))
    for value, figure in bars:
        top = sketch.bottom + 5
        sketch.add(Label(0, top + 7.5, value, 12, Role.MUTED))
        width = (right - left) * float(figure.replace(",", "")) / most
        sketch.add(Box(left, top, width, 15, Role.PROTECTED), Label(left + width + 6, top + 7.5, figure, 12))
