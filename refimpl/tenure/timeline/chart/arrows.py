"""Preemptions: an arrow from who takes to who is taken, marked by its reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tenure.timeline.chart.reasons import style_of
from tenure.timeline.chart.scene import Mark, Scene, Stroke
from tenure.timeline.chart.theme import Role
from tenure.timeline.chart.view import CLOSE, NumberedPreemption, View
from tenure.timeline.chart.words import preemption_told
from tenure.timeline.record import Preemption

SIZE = 7.0
SMALL = 3.6
SPARSE = 8.0
"""Between two marks of one lane that have no arrow of their own, points."""
ABOVE = 11.0
"""So high above the middle of a lane stand the marks without an arrow, which would hide its bars."""
FEW_PROMISES = 3
"""Of more broken promises than this, or of several to one victim, the rest of each is not drawn."""


def draw_preemptions(scene: Scene, view: View, middles: Mapping[str, float]) -> None:
    """Draw every preemption of a window for which there is room.

    Where many stand close together, the first has its arrow, and marks along the lane stand for the others.

    Args:
        scene, view: to draw on, and in which window.
        middles: where each workload's runs are, points.
    """
    if view.crowded:
        return
    shown = [
        each for each in view.preemptions() if each[1].victim in middles and each[1].preemptor in middles
    ]
    early = [each for each in shown if each[1].cut_short]
    victims = {each[1].victim for each in early}
    if len(early) == len(victims) <= FEW_PROMISES:
        for each in early:
            _draw_promise(scene, view, each, middles[each[1].victim])
    chosen = list(_chosen(view, shown))
    for each, has_arrow in chosen:
        if has_arrow:
            _draw_line(scene, view, each[1], middles)
    # Above all lines, since one may lead across the mark of another.
    for each, has_arrow in chosen:
        (_draw if has_arrow else _draw_small)(scene, view, each, middles)


def _chosen(view: View, shown: list[NumberedPreemption]) -> Iterator[tuple[NumberedPreemption, bool]]:
    """Those that are drawn, and whether with an arrow: all of an instant, or none too close to the last."""
    arrow = -CLOSE
    at = -1
    marks: dict[str, float] = {}
    for each in shown:
        x = view.x(each[1].at)
        fits = each[1].at == at or x - arrow >= CLOSE
        if fits or x - marks.get(each[1].victim, -SPARSE) >= SPARSE:
            marks[each[1].victim] = x
            yield each, fits
        if fits:
            at = each[1].at
        # A crowd has one arrow at its beginning: what follows closely pushes the next one on.
        arrow = x


def _draw_line(scene: Scene, view: View, each: Preemption, middles: Mapping[str, float]) -> None:
    x, y, tail = view.x(each.at), middles[each.victim], middles[each.preemptor]
    role = style_of(each.reason).role
    if each.preemptor != each.victim:
        scene.show(
            "arrow",
            Stroke(((x, tail), (x, y)), Role.PAPER, 3.0),
            Stroke(((x, tail), (x, y)), role, 1.3),
            Mark(x, tail, "o", 4.0, role),
        )


def _draw(scene: Scene, view: View, numbered: NumberedPreemption, middles: Mapping[str, float]) -> None:
    number, each = numbered
    x, y, role = view.x(each.at), middles[each.victim], style_of(each.reason).role
    name, told = f"{view.prefix}preemption-{number}", preemption_told(view.record, each)
    mark = Mark(x, y, _shape(each, middles), SIZE, role, id=name, told=told)
    scene.show(f"reason:{each.reason}", mark)
    if each.cut_short:
        scene.show("early", Mark(x, y, "o", SIZE + 5, role, hollow=True))


def _draw_small(scene: Scene, view: View, numbered: NumberedPreemption, middles: Mapping[str, float]) -> None:
    number, each = numbered
    style = style_of(each.reason)
    y = middles[each.victim] - ABOVE
    name, told = f"{view.prefix}preemption-{number}", preemption_told(view.record, each)
    mark = Mark(view.x(each.at), y, _shape(each, middles), SMALL, style.role, id=name, told=told)
    scene.show(f"reason:{each.reason}", mark)


def _shape(each: Preemption, middles: Mapping[str, float]) -> str:
    """The mark of a reason; a triangle points to where the arrow goes."""
    shape = style_of(each.reason).shape
    return "^" if shape == "v" and middles[each.preemptor] > middles[each.victim] else shape


def _draw_promise(scene: Scene, view: View, numbered: NumberedPreemption, y: float) -> None:
    """How long the victim should still have run."""
    each = numbered[1]
    x, width = view.span(each.at, each.at + each.cut_short)
    if width > SIZE:
        line = y - SIZE - 2.5
        role = style_of(each.reason).role
        scene.show(
            "promise",
            Stroke(((x, y), (x, line)), role, 0.9),
            Stroke(((x, line), (x + width, line)), role, 1.1, (3.0, 1.6)),
            Stroke(((x + width, line - 2.5), (x + width, line + 2.5)), role, 1.1),
        )


def draw_crowd_marks(scene: Scene, view: View, middles: Mapping[int, float]) -> None:
    """Small marks without arrows where a run was ended, as many as there is room for.

    Args:
        scene, view: to draw on, and in which window.
        middles: the row of every run, by its place in the record, points.
    """
    runs = {(run.workload, run.stopped): number for number, run in enumerate(view.record.runs)}
    last: dict[float, float] = {}
    for number, each in view.preemptions():
        y = middles.get(runs.get((each.victim, each.at), -1))
        x = view.x(each.at)
        if y is None or x - last.get(y, -SMALL) < SMALL:
            continue
        last[y] = x
        style = style_of(each.reason)
        name = f"{view.prefix}preemption-{number}"
        scene.show(f"reason:{each.reason}", Mark(x, y, style.shape, SMALL, style.role, id=name))
