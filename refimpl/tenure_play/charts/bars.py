"""What is drawn in lanes: bars for runs, lines for waiting, marks and arrows for preemptions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tenure.units import format_elapsed
from tenure_play.charts.labels import counted, long, name_of, preemption_text
from tenure_play.charts.view import (
    CLOSE,
    Lane,
    Numbered,
    NumberedPreemption,
    Window,
    parted,
    pieces,
    style_of,
    united,
)
from tenure_play.drawing.scene import Box, Hatch, Label, Mark, Role, Sketch, Stroke
from tenure_play.record import Ending, Preemption, Record, RunSpan

HAIR = 0.8
"""The least width of a bar, points: a run of a moment is seen too."""
VISIBLE = 0.4
TOGETHER = 3
"""So many narrow runs that follow one another become one striped bar."""
TIGHT = 7.0
"""Bars less high than this have no mark where they end in the ordinary way."""


def draw_lane(
    scene: Sketch, view: Window, lane: Lane, rows: Sequence[float], bar: float, wait: float
) -> None:
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
                for pair in piece:
                    _draw_run(scene, view, pair, y, bar)
            else:
                _draw_together(scene, view, piece, y, bar)


def _draw_run(scene: Sketch, view: Window, numbered: Numbered, y: float, bar: float) -> None:
    number, run = numbered
    top, name = y - bar / 2, f"{view.prefix}run-{number}"
    hint = "" if view.crowded else run_text(view.record, run)
    until = run.start if run.protected_until is None else min(run.protected_until, run.stopped)
    parts = (
        ("protected", run.start, max(until, run.start), Role.PROTECTED, None, Hatch.NONE),
        ("free", max(until, run.start), run.stopped, Role.FREE, None, Hatch.NONE),
        ("ending", run.stopped, run.end, None, Role.ENDING, Hatch.SLANTED),
    )
    shown = [part for part in parts if part[1] < part[2] and view.shows(part[1], part[2])]
    for kind, start, end, fill, edge, hatch in shown or parts[:1]:
        x, width = view.span(start, end)
        if width >= VISIBLE or len(shown) <= 1 or kind == "protected":
            scene.show(kind, Box(x, top, max(width, HAIR), bar, fill, edge, hatch, name, hint))
            name = hint = ""
    _draw_end(scene, view, run, y, bar)


def _draw_end(scene: Sketch, view: Window, run: RunSpan, y: float, bar: float) -> None:
    if bar < TIGHT or not view.shows(run.end, run.end):
        return
    if run.ended_by == Ending.FINISHED:
        scene.show("finished", Mark(view.x(run.end), y, "o", 6.0, Role.TEXT))
    elif run.ended_by == Ending.DELETED:
        scene.show("deleted", Mark(view.x(run.end), y, "X", 6.0, Role.TEXT))


def _draw_together(scene: Sketch, view: Window, piece: Sequence[Numbered], y: float, bar: float) -> None:
    runs = [run for _, run in piece]
    x, width = view.span(runs[0].start, runs[-1].end)
    since = format_elapsed(runs[0].start - view.record.start)
    hint = f"{counted(len(runs), 'run')} from {since} on, {_longest(runs)}"
    name = f"{view.prefix}runs-{piece[0][0]}-of-{len(piece)}"
    box = Box(x, y - bar / 2, max(width, HAIR), bar, None, Role.PROTECTED, Hatch.UPRIGHT, name, hint)
    scene.show("together", box)
    text = Label(x + width / 2, y, f"{counted(len(runs), 'run')}, {_longest(runs)}", 7.5, align="center")
    if not view.crowded and text.length + 8 < width:
        plate = Box(x + width / 2 - text.length / 2 - 2, y - bar / 2, text.length + 4, bar, Role.PAPER)
        scene.add(plate, replace(plate, fill=None, edge=Role.PROTECTED), text)


def _longest(runs: Sequence[RunSpan]) -> str:
    return f"each at most {long(max(run.length for run in runs))}"


def run_text(record: Record, run: RunSpan) -> str:
    """A run in a sentence."""
    name = name_of(record, run.workload)
    how = run.ended_by.value
    if run.preemptor is not None:
        how += f" by {name_of(record, run.preemptor)}"
    start, stopped = format_elapsed(run.start - record.start), format_elapsed(run.stopped - record.start)
    return f"{name} runs from {start} to {stopped}: {how}"


def _draw_waits(scene: Sketch, view: Window, lane: Lane, y: float) -> None:
    shown = [(wait.start, wait.end) for wait in lane.waits if view.shows(wait.start, wait.end)]
    gap = int((view.end - view.start) * VISIBLE / view.width)
    spans = [span for name in lane.workloads for span in view.aside.get(name, ())]
    aside = [] if view.crowded else united(spans, gap)
    for span in united(shown, gap if view.crowded else 0):
        inside, outside = parted(span, aside)
        for kind, parts, dash in (("wait", outside, None), ("aside", inside, (1.2, 2.2))):
            for x, width in (view.span(start, end) for start, end in parts):
                if width >= VISIBLE:
                    thick = 0.8 if view.crowded else 1.3
                    scene.show(kind, Stroke(((x, y), (x + width, y)), Role.WAIT, thick, dash))
    if not view.crowded:
        _draw_submissions(scene, view, lane, y)


def _draw_submissions(scene: Sketch, view: Window, lane: Lane, y: float) -> None:
    for summary in view.record.workloads:
        if summary.workload in lane.workloads and view.start <= summary.submitted <= view.end:
            x = view.x(summary.submitted)
            scene.show("submitted", Stroke(((x, y - 4), (x, y + 4)), Role.WAIT, 1.3))


SIZE = 7.0
SMALL = 3.6
SPARSE = 8.0
"""Between two marks of one lane that have no arrow of their own, points."""
ABOVE = 11.0
"""How far above the middle of a lane marks without an arrow are drawn; on it they would hide its bars."""
FEW_PROMISES = 3
"""Of more broken promises than this, or of several to one victim, the rest of each is not drawn."""


def draw_preemptions(scene: Sketch, view: Window, middles: Mapping[str, float]) -> None:
    """Draw every preemption of a window for which there is room.

    Where many are close together, the first has its arrow, and marks along the lane stand for the others.

    Args:
        scene, view: to draw on, and in which window.
        middles: where each workload's runs are, points.
    """
    if view.crowded:
        return
    shown = [pair for pair in view.preemptions() if {pair[1].victim, pair[1].preemptor} <= middles.keys()]
    early = [pair for pair in shown if pair[1].cut_short]
    victims = {pair[1].victim for pair in early}
    if len(early) == len(victims) <= FEW_PROMISES:
        for pair in early:
            _draw_promise(scene, view, pair, middles[pair[1].victim])
    chosen = list(_chosen(view, shown))
    for pair, has_arrow in chosen:
        if has_arrow:
            _draw_arrow(scene, view, pair[1], middles)
    # Above all lines, since one may lead across the mark of another.
    for pair, has_arrow in chosen:
        (_draw if has_arrow else _draw_small)(scene, view, pair, middles)


def _chosen(view: Window, shown: list[NumberedPreemption]) -> Iterator[tuple[NumberedPreemption, bool]]:
    """Those that are drawn, and whether with an arrow: all of an instant, or none too close to the last."""
    arrow = -CLOSE
    at = -1
    marks: dict[str, float] = {}
    for pair in shown:
        x = view.x(pair[1].at)
        fits = pair[1].at == at or x - arrow >= CLOSE
        if fits or x - marks.get(pair[1].victim, -SPARSE) >= SPARSE:
            marks[pair[1].victim] = x
            yield pair, fits
        if fits:
            at = pair[1].at
        # A crowd has one arrow at its beginning: what follows closely pushes the next one on.
        arrow = x


def _draw_arrow(scene: Sketch, view: Window, preemption: Preemption, middles: Mapping[str, float]) -> None:
    x, y, tail = view.x(preemption.at), middles[preemption.victim], middles[preemption.preemptor]
    role = style_of(preemption.reason).role
    if preemption.preemptor != preemption.victim:
        scene.show(
            "arrow",
            Stroke(((x, tail), (x, y)), Role.PAPER, 3.0),
            Stroke(((x, tail), (x, y)), role, 1.3),
            Mark(x, tail, "o", 4.0, role),
        )


def _draw(scene: Sketch, view: Window, numbered: NumberedPreemption, middles: Mapping[str, float]) -> None:
    number, preemption = numbered
    x, y, role = view.x(preemption.at), middles[preemption.victim], style_of(preemption.reason).role
    name, hint = f"{view.prefix}preemption-{number}", preemption_text(view.record, preemption)
    mark = Mark(x, y, _shape(preemption, middles), SIZE, role, id=name, told=hint)
    scene.show(f"reason:{preemption.reason}", mark)
    if preemption.cut_short:
        scene.show("early", Mark(x, y, "o", SIZE + 5, role, hollow=True))


def _draw_small(
    scene: Sketch, view: Window, numbered: NumberedPreemption, middles: Mapping[str, float]
) -> None:
    number, preemption = numbered
    style = style_of(preemption.reason)
    y = middles[preemption.victim] - ABOVE
    name, hint = f"{view.prefix}preemption-{number}", preemption_text(view.record, preemption)
    mark = Mark(view.x(preemption.at), y, _shape(preemption, middles), SMALL, style.role, id=name, told=hint)
    scene.show(f"reason:{preemption.reason}", mark)


def _shape(preemption: Preemption, middles: Mapping[str, float]) -> str:
    """The mark of a reason; a triangle points to where the arrow goes."""
    shape = style_of(preemption.reason).shape
    return "^" if shape == "v" and middles[preemption.preemptor] > middles[preemption.victim] else shape


def _draw_promise(scene: Sketch, view: Window, numbered: NumberedPreemption, y: float) -> None:
    """How long the victim should still have run."""
    preemption = numbered[1]
    x, width = view.span(preemption.at, preemption.at + preemption.cut_short)
    if width > SIZE:
        line = y - SIZE - 2.5
        role = style_of(preemption.reason).role
        scene.show(
            "promise",
            Stroke(((x, y), (x, line)), role, 0.9),
            Stroke(((x, line), (x + width, line)), role, 1.1, (3.0, 1.6)),
            Stroke(((x + width, line - 2.5), (x + width, line + 2.5)), role, 1.1),
        )


def draw_crowd_marks(scene: Sketch, view: Window, middles: Mapping[int, float]) -> None:
    """Small marks without arrows where a run was ended, as many as there is room for.

    Args:
        scene, view: to draw on, and in which window.
        middles: the row of every run, by its place in the record, points.
    """
    runs = {(run.workload, run.stopped): number for number, run in enumerate(view.record.runs)}
    last: dict[float, float] = {}
    for number, preemption in view.preemptions():
        y = middles.get(runs.get((preemption.victim, preemption.at), -1))
        x = view.x(preemption.at)
        if y is None or x - last.get(y, -SMALL) < SMALL:
            continue
        last[y] = x
        style = style_of(preemption.reason)
        name = f"{view.prefix}preemption-{number}"
        scene.show(f"reason:{preemption.reason}", Mark(x, y, style.shape, SMALL, style.role, id=name))
