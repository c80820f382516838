"""What lies across the lanes: the time axis, a loop, and what happens from outside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from tenure.model import Instant
from tenure.timeline.chart.scale import ticks
from tenure.timeline.chart.scene import WIDTH, Box, Label, Mark, Scene, Stroke, text_width
from tenure.timeline.chart.theme import Role
from tenure.timeline.chart.view import View
from tenure.timeline.chart.words import clean, loop_told, short
from tenure.timeline.record import Happening, Loop, Record

ROW = 12.0
AXIS = 30.0
TICK_ROOM = 36.0
CLOCK_ROOM = 46.0
"""Between two marks of the axis, points; a time of day to the second is longer than a number."""
BACK = "is back"
"""How the story ends the line about a controller that has been restarted; it tells no other way."""
MOST_TURNS = 12
LEAST_DOWN = 1.0
EDGE_ROOM = 6.0
_KINDS = {Happening.RESTARTED, Happening.CLOCK, Happening.EDITED, Happening.NOTE}


@dataclass(frozen=True, slots=True)
class Outside:
    """Something from outside: when, which kind, and what it is called."""

    at: Instant
    kind: str
    word: str


def outside_events(record: Record) -> list[Outside]:
    """Restarts, clock jumps, edits and ticks, in the order of time."""
    outside = (entry for entry in record.story if entry.what in _KINDS and not entry.workload)
    return [each for entry in outside if (each := _outside(entry.what, entry.at, entry.text))]


def _outside(what: Happening, at: Instant, text: str) -> Outside | None:
    told = clean(text)
    if what == Happening.RESTARTED:
        return Outside(at, "restart", "back" if told.endswith(BACK) else "restart")
    if what == Happening.CLOCK:
        return Outside(at, "clock", told.removeprefix("the controller's "))
    if what == Happening.EDITED:
        return Outside(at, "edit", short(told, 34))
    return Outside(at, "tick", "tick") if what == Happening.NOTE and told.startswith("tick") else None


_SHAPES = {"restart": "X", "clock": "h", "edit": "s", "tick": "|"}


def draw_axis(scene: Scene, view: View, top: float, bottom: float) -> float:
    """Draw the axis below the lanes, and its lines through them; answers where it ends, points."""
    room = CLOCK_ROOM if view.prefix else TICK_ROOM
    axis = ticks(view.start, view.end, view.record.start, max(2, int(view.width / room)))
    for at, text in axis.marks:
        x = view.x(at)
        scene.add(Stroke(((x, top), (x, bottom + 3)), Role.GRID, 0.7))
        half = text_width(text, 7.5) / 2
        scene.add(Label(min(x, WIDTH - half - 1), bottom + 10, text, 7.5, Role.MUTED, "center"))
    scene.add(Stroke(((view.left, bottom), (view.right, bottom)), Role.MUTED, 0.8))
    scene.add(Label(view.left + view.width / 2, bottom + 21, axis.unit, 7.5, Role.MUTED, "center"))
    return bottom + AXIS


def strip_rows(view: View) -> int:
    """How many lines are needed above the lanes."""
    named = _loop_in(view) is not None and not view.prefix
    return named + any(True for _ in _events(view))


def _loop_in(view: View) -> Loop | None:
    loop = view.record.loop
    return (
        loop if loop is not None and view.shows(loop.start, loop.start + loop.period * loop.times) else None
    )


def _events(view: View) -> Iterator[Outside]:
    return (each for each in outside_events(view.record) if view.start <= each.at <= view.end)


def draw_strips(scene: Scene, view: View, top: float, lanes: float, bottom: float) -> None:
    """Draw the loop and the events: names above the lanes, shades and lines through them.

    Args:
        scene, view: to draw on, and in which window.
        top: where the names begin, points.
        lanes, bottom: where the lanes begin and end, points.
    """
    loop = _loop_in(view)
    y = top + ROW / 2
    if loop is not None:
        _draw_loop(scene, view, loop, y, bottom)
        y += 0 if view.prefix else ROW
    _draw_down(scene, view, lanes, bottom)
    events = list(_events(view))
    for each, following in zip_longest(events, events[1:]):
        _draw_event(scene, view, each, y, bottom)
        end = view.right + EDGE_ROOM if following is None else view.x(following.at) - 4
        if view.x(each.at) + 5 + text_width(each.word, 7.0) <= end:
            scene.add(Label(view.x(each.at) + 5, y, each.word, 7.0, Role.EVENT))


def _draw_loop(scene: Scene, view: View, loop: Loop, y: float, bottom: float) -> None:
    x, width = view.span(loop.start, loop.start + loop.period * loop.times)
    shade = Box(x, y - 5, width, bottom - y + 5, Role.LOOP, None, "", f"{view.prefix}loop", loop_told(loop))
    scene.show("loop", shade)
    turns = (loop.start + loop.period * turn for turn in range(loop.times + 1))
    inside = [at for at in turns if view.start <= at <= view.end]
    if len(inside) <= MOST_TURNS:
        for at in inside:
            place = view.x(at)
            scene.show(
                "turn",
                Stroke(
                    ((place, y - 5 if view.prefix else y + 7), (place, bottom)),
                    Role.LOOP_EDGE,
                    0.9,
                    (4.0, 2.0),
                ),
            )
    if view.prefix:
        return
    text = Label(x + 3, y, loop_told(loop), 7.5, Role.LOOP_EDGE, bold=True)
    _add_within(scene, view, text)


def _add_within(scene: Scene, view: View, text: Label) -> None:
    """A label, moved to the left as far as it needs."""
    x = max(4.0, min(text.x, view.right - text.length))
    scene.add(Label(x, text.y, text.text, text.size, text.role, bold=text.bold))


def _draw_down(scene: Scene, view: View, lanes: float, bottom: float) -> None:
    """The time without a controller, from a restart until it is back."""
    since: Instant | None = None
    for each in outside_events(view.record):
        if each.kind != "restart":
            continue
        if each.word == "back" and since is not None:
            x, width = view.span(since, each.at)
            if width >= LEAST_DOWN:
                scene.show("down", Box(x, lanes, width, bottom - lanes, Role.DOWN))
        since = None if each.word == "back" else each.at


def _draw_event(scene: Scene, view: View, each: Outside, y: float, bottom: float) -> None:
    x = view.x(each.at)
    scene.show(
        each.kind,
        Stroke(((x, y + 3), (x, bottom)), Role.EVENT, 0.8, (1.5, 2.0)),
        Mark(x, y, _SHAPES[each.kind], 6.0, Role.EVENT),
    )


def event_shape(kind: str) -> str:
    """The mark of an event."""
    return _SHAPES[kind]
