"""A lane: bars for runs, dark as long as they are protected, and a thin line for waiting."""

from __future__ import annotations

from collections.abc import Sequence

from tenure.timeline.chart.lanes import Lane, Numbered
from tenure.timeline.chart.scene import Box, Label, Mark, Scene, Stroke
from tenure.timeline.chart.theme import Role
from tenure.timeline.chart.view import View, pieces
from tenure.timeline.chart.waiting import Span, parted, united
from tenure.timeline.chart.words import after, counted, long, name_of
from tenure.timeline.record import Ending, Record, RunSpan

HAIR = 0.8
"""The least width of a bar, points: a run of a moment is seen too."""
VISIBLE = 0.4
TOGETHER = 3
"""So many narrow runs that follow one another become one striped bar."""
TIGHT = 7.0
"""Bars less high than this have no mark where they end in the ordinary way."""


def draw_lane(scene: Scene, view: View, lane: Lane, rows: Sequence[float], bar: float, wait: float) -> None:
    """Draw a lane without its preemptions.

    Args:
        scene, view: to draw on, and in which window.
        lane: who.
        rows: the middles of its rows, points.
        bar: the height of a bar, points.
        wait: the middle of the line for waiting, points.
    """
    _draw_waits(scene, view, lane, wait)
    for row, y in zip(lane.rows, rows, strict=True):
        for piece in pieces(view, row):
            if len(piece) < TOGETHER:
                for each in piece:
                    _draw_run(scene, view, each, y, bar)
            else:
                _draw_together(scene, view, piece, y, bar)


def _draw_run(scene: Scene, view: View, numbered: Numbered, y: float, bar: float) -> None:
    number, run = numbered
    top, name = y - bar / 2, f"{view.prefix}run-{number}"
    told = "" if view.crowded else run_told(view.record, run)
    until = run.start if run.protected_until is None else min(run.protected_until, run.stopped)
    parts = (
        ("protected", run.start, max(until, run.start), Role.PROTECTED, None, ""),
        ("free", max(until, run.start), run.stopped, Role.FREE, None, ""),
        ("ending", run.stopped, run.end, None, Role.ENDING, "////"),
    )
    shown = [each for each in parts if each[1] < each[2] and view.shows(each[1], each[2])]
    for kind, start, end, fill, edge, hatch in shown or parts[:1]:
        x, width = view.span(start, end)
        if width >= VISIBLE or len(shown) <= 1 or kind == "protected":
            box = Box(x, top, max(width, HAIR), bar, fill, edge, hatch, name, told)
            scene.show(kind, box)
            name = told = ""
    _draw_end(scene, view, run, y, bar)


def _draw_end(scene: Scene, view: View, run: RunSpan, y: float, bar: float) -> None:
    if bar < TIGHT or not view.shows(run.end, run.end):
        return
    if run.ended_by == Ending.FINISHED:
        scene.show("finished", Mark(view.x(run.end), y, "o", 6.0, Role.TEXT))
    elif run.ended_by == Ending.DELETED:
        scene.show("deleted", Mark(view.x(run.end), y, "X", 6.0, Role.TEXT))


def _draw_together(scene: Scene, view: View, piece: Sequence[Numbered], y: float, bar: float) -> None:
    runs = [run for _, run in piece]
    x, width = view.span(runs[0].start, runs[-1].end)
    told = f"{counted(len(runs), 'run')} from {_since(view, runs[0])} on, {_longest(runs)}"
    name = f"{view.prefix}runs-{piece[0][0]}-of-{len(piece)}"
    box = Box(x, y - bar / 2, max(width, HAIR), bar, None, Role.PROTECTED, "||||||", name, told)
    scene.show("together", box)
    text = Label(x + width / 2, y, f"{counted(len(runs), 'run')}, {_longest(runs)}", 7.5, align="center")
    if not view.crowded and text.length + 8 < width:
        plate = Box(x + width / 2 - text.length / 2 - 2, y - bar / 2, text.length + 4, bar, Role.PAPER)
        scene.add(plate, Box(plate.x, plate.y, plate.width, plate.height, None, Role.PROTECTED), text)


def _longest(runs: Sequence[RunSpan]) -> str:
    return f"each at most {long(max(run.length for run in runs))}"


def _since(view: View, run: RunSpan) -> str:
    return after(run.start - view.record.start)


def run_told(record: Record, run: RunSpan) -> str:
    """A run in a sentence."""
    name = name_of(record, run.workload)
    how = run.ended_by.value
    if run.preemptor is not None:
        how += f" by {name_of(record, run.preemptor)}"
    start, stopped = after(run.start - record.start), after(run.stopped - record.start)
    return f"{name} runs from {start} to {stopped}: {how}"


def _draw_waits(scene: Scene, view: View, lane: Lane, y: float) -> None:
    shown = [(each.start, each.end) for each in lane.waits if view.shows(each.start, each.end)]
    gap = int((view.end - view.start) * VISIBLE / view.width)
    aside = [] if view.crowded else united(_aside(view, lane), gap)
    for span in united(shown, gap if view.crowded else 0):
        inside, outside = parted(span, aside)
        for kind, parts, dash in (("wait", outside, None), ("aside", inside, (1.2, 2.2))):
            _draw_line(scene, view, kind, parts, y, dash)
    if not view.crowded:
        _draw_submissions(scene, view, lane, y)


def _draw_line(
    scene: Scene, view: View, kind: str, parts: Sequence[Span], y: float, dash: tuple[float, float] | None
) -> None:
    for start, end in parts:
        x, width = view.span(start, end)
        if width >= VISIBLE:
            scene.show(kind, Stroke(((x, y), (x + width, y)), Role.WAIT, 0.8 if view.crowded else 1.3, dash))


def _draw_submissions(scene: Scene, view: View, lane: Lane, y: float) -> None:
    for each in view.record.summaries:
        if each.workload in lane.workloads and view.start <= each.submitted <= view.end:
            x = view.x(each.submitted)
            scene.show("submitted", Stroke(((x, y - 4), (x, y + 4)), Role.WAIT, 1.3))


def _aside(view: View, lane: Lane) -> list[Span]:
    return [span for name in lane.workloads for span in view.aside.get(name, ())]
