"""A window drawn: lanes under their queues, counts above them, what lies across them, and the axis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest

from tenure.model import Instant
from tenure_play.charts.bars import draw_crowd_marks, draw_lane, draw_preemptions
from tenure_play.charts.labels import clean, long, loop_text, short
from tenure_play.charts.view import Lane, Window, step_for, style_of, ticks
from tenure_play.drawing.scene import EDGE, WIDTH, Box, Label, Mark, Role, Sketch, Stroke, text_width
from tenure_play.record import Happening, Loop, Record, WaitSpan

HEIGHT = 34.0
HEAD = 12.0
BINS = 60
STRETCH = 1.5


def draw_counts(scene: Sketch, view: Window, top: float) -> float:
    """Draw both above the lanes; answers where they end, points."""
    bottom = _draw_waiting(scene, view, top) + 4
    return _draw_preempted(scene, view, bottom) + 6 if view.record.preemptions else bottom


def _draw_waiting(scene: Sketch, view: Window, top: float) -> float:
    # Waits that the end of the play cuts off do not end there.
    steps = [step for step in waiting_counts(view.record.waits) if step[0] < view.end]
    most = max((count for _, count in steps), default=0)
    base = top + HEAD + HEIGHT
    scene.add(Label(view.left, top + HEAD / 2, f"Waiting, at most {most}", 7.5, Role.MUTED))
    points = [(view.left, base)]
    for x, count in _thinned(view, steps):
        points += [(x, points[-1][1]), (x, base - HEIGHT * count / max(most, 1))]
    points.append((view.right, points[-1][1]))
    scene.add(Stroke(tuple(points), Role.WAIT, 1.1))
    scene.add(Stroke(((view.left, base), (view.right, base)), Role.GRID, 0.8))
    return base


def _thinned(view: Window, steps: list[tuple[int, int]]) -> list[tuple[float, int]]:
    """The most that wait in every stretch that is wide enough to be seen."""
    most: dict[float, int] = {}
    for at, count in steps:
        x = view.left + (view.x(at) - view.left) // STRETCH * STRETCH
        most[x] = max(count, most.get(x, 0))
    return list(most.items())


def waiting_counts(waits: tuple[WaitSpan, ...]) -> list[tuple[int, int]]:
    """How many wait from each instant on.

    >>> waiting_counts((WaitSpan("a/b", "q", 0, 5, True), WaitSpan("a/c", "q", 3, 9, False)))
    [(0, 1), (3, 2), (5, 1), (9, 0)]
    """
    changes = Counter(wait.start for wait in waits)
    changes.subtract(wait.end for wait in waits)
    count, steps = 0, []
    for at in sorted(changes):
        count += changes[at]
        steps.append((at, count))
    return steps


def _draw_preempted(scene: Sketch, view: Window, top: float) -> float:
    step = step_for(view.end - view.start, BINS)
    bins: dict[int, Counter[str]] = {}
    for _, preemption in view.preemptions():
        bins.setdefault((preemption.at - view.record.start) // step, Counter())[preemption.reason] += 1
    most = max(sum(bin_.values()) for bin_ in bins.values())
    base = top + HEAD + HEIGHT
    caption = f"Preempted in every {long(step)}, at most {most}"
    scene.add(Label(view.left, top + HEAD / 2, caption, 7.5, Role.MUTED))
    for place, counts in bins.items():
        start = view.record.start + place * step
        x, width = view.span(start, start + step)
        y = base
        for reason in sorted(counts):
            height = HEIGHT * counts[reason] / most
            y -= height
            scene.show(f"reason:{reason}", Box(x, y, max(width - 0.6, 0.6), height, style_of(reason).role))
    scene.add(Stroke(((view.left, base), (view.right, base)), Role.GRID, 0.8))
    return base


ROW = 12.0
AXIS = 30.0
TICK_ROOM = 36.0
CLOCK_ROOM = 46.0
"""Between two marks of the axis, points; a time of day to the second is longer than a number."""
BACK = "is back"
"""How the story ends the line about a controller that has been restarted; no other field has it."""
MOST_TURNS = 12
LEAST_DOWN = 1.0
EDGE_ROOM = 6.0
_KINDS = {Happening.RESTARTED, Happening.CLOCK, Happening.EDITED, Happening.NOTE}


@dataclass(frozen=True, slots=True)
class OutsideMark:
    """Something from outside: when, which kind, and what it is called."""

    at: Instant
    kind: str
    word: str


def outside_events(record: Record) -> list[OutsideMark]:
    """Restarts, clock jumps, edits and ticks, in the order of time."""
    outside = (entry for entry in record.story if entry.what in _KINDS and not entry.workload)
    return [mark for entry in outside if (mark := _outside(entry.what, entry.at, entry.text))]


def _outside(what: Happening, at: Instant, text: str) -> OutsideMark | None:
    plain = clean(text)
    if what == Happening.RESTARTED:
        return OutsideMark(at, "restart", "back" if plain.endswith(BACK) else "restart")
    if what == Happening.CLOCK:
        return OutsideMark(at, "clock", plain.removeprefix("the controller's "))
    if what == Happening.EDITED:
        return OutsideMark(at, "edit", short(plain, 34))
    return OutsideMark(at, "tick", "tick") if what == Happening.NOTE and plain.startswith("tick") else None


_SHAPES = {"restart": "X", "clock": "h", "edit": "s", "tick": "|"}


def draw_axis(scene: Sketch, view: Window, top: float, bottom: float) -> float:
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


def strip_rows(view: Window) -> int:
    """How many lines are needed above the lanes."""
    named = _loop_in(view) is not None and not view.prefix
    return named + any(True for _ in _events(view))


def _loop_in(view: Window) -> Loop | None:
    loop = view.record.loop
    if loop is None or not view.shows(loop.start, loop.start + loop.period * loop.times):
        return None
    return loop


def _events(view: Window) -> Iterator[OutsideMark]:
    return (event for event in outside_events(view.record) if view.start <= event.at <= view.end)


def draw_strips(scene: Sketch, view: Window, top: float, lanes: float, bottom: float) -> None:
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
    for event, following in zip_longest(events, events[1:]):
        _draw_event(scene, view, event, y, bottom)
        end = view.right + EDGE_ROOM if following is None else view.x(following.at) - 4
        if view.x(event.at) + 5 + text_width(event.word, 7.0) <= end:
            scene.add(Label(view.x(event.at) + 5, y, event.word, 7.0, Role.EVENT))


def _draw_loop(scene: Sketch, view: Window, loop: Loop, y: float, bottom: float) -> None:
    x, width = view.span(loop.start, loop.start + loop.period * loop.times)
    name, hint = f"{view.prefix}loop", loop_text(loop)
    shade = Box(x, y - 5, width, bottom - y + 5, Role.LOOP, id=name, told=hint)
    scene.show("loop", shade)
    turns = (loop.start + loop.period * turn for turn in range(loop.times + 1))
    inside = [at for at in turns if view.start <= at <= view.end]
    if len(inside) <= MOST_TURNS:
        for at in inside:
            ends = (view.x(at), y - 5 if view.prefix else y + 7), (view.x(at), bottom)
            scene.show("turn", Stroke(ends, Role.LOOP_EDGE, 0.9, (4.0, 2.0)))
    if view.prefix:
        return
    text = Label(x + 3, y, loop_text(loop), 7.5, Role.LOOP_EDGE, bold=True)
    # Moved to the left as far as it needs.
    scene.add(replace(text, x=max(4.0, min(text.x, view.right - text.length))))


def _draw_down(scene: Sketch, view: Window, lanes: float, bottom: float) -> None:
    """The time without a controller, from a restart until it is back."""
    since: Instant | None = None
    for outside_mark in outside_events(view.record):
        if outside_mark.kind != "restart":
            continue
        if outside_mark.word == "back" and since is not None:
            x, width = view.span(since, outside_mark.at)
            if width >= LEAST_DOWN:
                scene.show("down", Box(x, lanes, width, bottom - lanes, Role.DOWN))
        since = None if outside_mark.word == "back" else outside_mark.at


def _draw_event(scene: Sketch, view: Window, outside_mark: OutsideMark, y: float, bottom: float) -> None:
    x = view.x(outside_mark.at)
    scene.show(
        outside_mark.kind,
        Stroke(((x, y + 3), (x, bottom)), Role.EVENT, 0.8, (1.5, 2.0)),
        Mark(x, y, _SHAPES[outside_mark.kind], 6.0, Role.EVENT),
    )


def event_shape(kind: str) -> str:
    """The mark of an event."""
    return _SHAPES[kind]


LANE, BAR = 30.0, 12.0
CROWDED_BAR, CROWDED_STEP, CROWDED_GAP = 4.2, 5.4, 5.0
ROOMY_BAR, ROOMY_STEP = 8.0, 10.0
FEW_LANES = 8
QUEUE_ROW = 14.0
MOST_LETTERS = 16
LETTERS = 8.0


@dataclass(frozen=True, slots=True)
class Placed:
    """A lane on paper: its top, the middles of its rows and of the line for waiting, and its bottom."""

    lane: Lane
    top: float
    rows: tuple[float, ...]
    wait: float
    bottom: float


def draw_panel(scene: Sketch, view: Window, top: float) -> float:
    """Draw a window from a line on; answers where it ends, points."""
    if view.crowded and not view.prefix:
        top = draw_counts(scene, view, top)
    lanes = top + ROW * strip_rows(view)
    on_paper = list(_placed(view, lanes))
    bottom = max((placed.bottom for placed in on_paper), default=lanes)
    draw_strips(scene, view, top, lanes, bottom)
    end = draw_axis(scene, view, lanes, bottom)
    _draw_names(scene, view, on_paper)
    for placed in on_paper:
        draw_lane(scene, view, placed.lane, placed.rows, _sizes(view)[0], placed.wait)
    _draw_steps(scene, view, on_paper)
    _draw_taken(scene, view, on_paper)
    return end


def _placed(view: Window, top: float) -> Iterator[Placed]:
    queue: str | None = None
    for lane in view.lanes:
        if lane.queue != queue and _has_queues(view.record):
            top += QUEUE_ROW
        queue = lane.queue
        placed = _placed_lane(view, lane, top)
        top = placed.bottom
        yield placed


def _placed_lane(view: Window, lane: Lane, top: float) -> Placed:
    if not view.crowded:
        middle = top + LANE / 2 + 2
        return Placed(lane, top, (middle,) * len(lane.rows), middle, top + LANE)
    step = _sizes(view)[1]
    first = top + CROWDED_GAP / 2 + step / 2
    rows = tuple(first + step * row for row in range(len(lane.rows)))
    wait = first + step * max(len(rows), 1) - 1.2
    return Placed(lane, top, rows, wait, wait + CROWDED_GAP / 2)


def _sizes(view: Window) -> tuple[float, float]:
    """How high a bar is, and from one row to the next."""
    if not view.crowded:
        return BAR, LANE
    return (ROOMY_BAR, ROOMY_STEP) if len(view.lanes) < FEW_LANES else (CROWDED_BAR, CROWDED_STEP)


def _has_queues(record: Record) -> bool:
    return len({summary.cluster_queue for summary in record.workloads}) > 1


def _queue_name(lane: Lane) -> str:
    return f"queue {short(clean(lane.queue), MOST_LETTERS)}"


def gutter(record: Record, lanes: tuple[Lane, ...]) -> float:
    """How much room the names of lanes and of their queues need, points."""
    names = [short(lane.name, MOST_LETTERS) for lane in lanes]
    if _has_queues(record):
        names += [f"  {_queue_name(lane)}" for lane in lanes]
    return EDGE + max((text_width(name, LETTERS) for name in names), default=0) + 8


def _draw_names(scene: Sketch, view: Window, on_paper: list[Placed]) -> None:
    queue: str | None = None
    for placed in on_paper:
        if placed.lane.queue != queue and _has_queues(view.record):
            y = placed.top - QUEUE_ROW / 2 + 2
            scene.add(Label(EDGE, y, _queue_name(placed.lane), 7.5, Role.MUTED, bold=True))
        queue = placed.lane.queue
        middle = (placed.top + placed.bottom) / 2 if view.crowded else placed.wait
        size = 7.0 if view.crowded else LETTERS
        scene.add(Label(EDGE, middle, short(placed.lane.name, MOST_LETTERS), size))
        scene.add(Stroke(((view.left, placed.bottom), (view.right, placed.bottom)), Role.GRID, 0.5))


def _draw_steps(scene: Sketch, view: Window, on_paper: list[Placed]) -> None:
    """Priorities that grow, as small numbers above the lane."""
    if view.crowded:
        return
    steps = view.record.priority_steps
    changes = Counter(step.workload for step in steps)
    for placed in on_paper:
        room = view.left - 1
        for step in steps:
            x = view.x(step.at)
            if step.workload not in placed.lane.workloads or changes[step.workload] < 2:
                continue
            if not view.start <= step.at <= view.end or x < room:
                continue
            text = Label(x + 2, placed.wait - BAR / 2 - 5, f"{step.priority}", 7.0, Role.PRIORITY, bold=True)
            line = Stroke(((x, placed.wait - BAR / 2 - 8), (x, placed.wait)), Role.PRIORITY, 1.0)
            scene.show("priority", line, text)
            room = x + text.length + 4


def _draw_taken(scene: Sketch, view: Window, on_paper: list[Placed]) -> None:
    if view.crowded:
        rows = [pair for placed in on_paper for pair in zip(placed.lane.rows, placed.rows, strict=True)]
        draw_crowd_marks(scene, view, {number: y for row, y in rows for number, _ in row})
    else:
        middles = {name: placed.wait for placed in on_paper for name in placed.lane.workloads}
        draw_preemptions(scene, view, middles)
