"""A whole chart: title, the play, what of it is enlarged, legend."""

from __future__ import annotations

from dataclasses import replace

from tenure.timeline.chart.focus import Focus, focus_of, focus_workloads, is_crowded
from tenure.timeline.chart.lanes import lanes_of, workload_lanes
from tenure.timeline.chart.legend import draw_legend
from tenure.timeline.chart.panel import draw_panel, gutter
from tenure.timeline.chart.scene import EDGE, WIDTH, Label, Mark, Scene
from tenure.timeline.chart.strips import AXIS
from tenure.timeline.chart.theme import Role
from tenure.timeline.chart.view import View
from tenure.timeline.chart.waiting import aside_spans
from tenure.timeline.chart.words import after, clean, facts, wrapped
from tenure.timeline.record import Record

TITLE, FACT = 10.0, 8.0
TITLE_LETTERS, FACT_LETTERS = 56, 82
RIGHT = 14.0


def compose(record: Record) -> Scene:
    """The chart of a play.

    >>> compose(Record("s", "Nobody comes.", "guaranteed", 0, 9)).height > 0
    True
    """
    scene = Scene()
    top = _draw_head(scene, record)
    view = _whole(record)
    focus = focus_of(record, view.width)
    lower = draw_panel(scene, view, top)
    if focus is not None:
        lower = _draw_focus(scene, view, focus, lower)
    scene.height = draw_legend(scene, lower + 8) + EDGE
    return scene


def _draw_head(scene: Scene, record: Record) -> float:
    y = EDGE + TITLE / 2
    for line in wrapped(record.title or record.scenario, TITLE_LETTERS):
        scene.add(Label(EDGE, y, line, TITLE, bold=True))
        y += TITLE * 1.35
    said = " ".join([f"{clean(record.scenario)}, reading {clean(record.reading)}.", *facts(record)])
    for line in wrapped(said, FACT_LETTERS):
        scene.add(Label(EDGE, y, line, FACT, Role.MUTED))
        y += FACT * 1.4
    return y + 2


def _whole(record: Record) -> View:
    lanes, crowded = lanes_of(record), is_crowded(record)
    left = gutter(record, lanes)
    aside = {} if crowded else aside_spans(record)
    return View(record, lanes, record.start, record.end, left, WIDTH - RIGHT - left, crowded, aside=aside)


def _draw_focus(scene: Scene, whole: View, focus: Focus, top: float) -> float:
    """What is enlarged, below the chart, and where it lies in it."""
    record = whole.record
    lanes = workload_lanes(record, focus_workloads(record, focus))
    left = gutter(record, lanes)
    aside = whole.aside or aside_spans(record)
    view = replace(whole, lanes=lanes, start=focus.start, end=focus.end, left=left, aside=aside)
    view = replace(view, width=WIDTH - RIGHT - left, crowded=False, prefix="focus-")
    x, width = whole.span(focus.start, focus.end)
    scene.add(
        Mark(x + width / 2, top - AXIS + 3.0, "^", 6.0, Role.TEXT),
        Mark(EDGE + 4, top + 8, "^", 7.0, Role.TEXT),
    )
    when = f"{after(focus.start - record.start)} to {after(focus.end - record.start)}"
    scene.add(Label(EDGE + 12, top + 8, f"Enlarged, {when}: {focus.title}", FACT, bold=True))
    return draw_panel(scene, view, top + 18)
