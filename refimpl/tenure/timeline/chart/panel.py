"""A window drawn: lanes under their queues, what lies across them, and the axis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tenure.timeline.chart.arrows import draw_crowd_marks, draw_preemptions
from tenure.timeline.chart.bars import draw_lane
from tenure.timeline.chart.counts import draw_counts
from tenure.timeline.chart.lanes import Lane
from tenure.timeline.chart.scene import EDGE, Label, Scene, Stroke, text_width
from tenure.timeline.chart.strips import ROW, draw_axis, draw_strips, strip_rows
from tenure.timeline.chart.theme import Role
from tenure.timeline.chart.view import View
from tenure.timeline.chart.words import clean, short
from tenure.timeline.record import Record

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


def draw_panel(scene: Scene, view: View, top: float) -> float:
    """Draw a window from a line on; answers where it ends, points."""
    if view.crowded and not view.prefix:
        top = draw_counts(scene, view, top)
    lanes = top + ROW * strip_rows(view)
    placed = list(_placed(view, lanes))
    bottom = max((each.bottom for each in placed), default=lanes)
    draw_strips(scene, view, top, lanes, bottom)
    end = draw_axis(scene, view, lanes, bottom)
    _draw_names(scene, view, placed)
    for each in placed:
        draw_lane(scene, view, each.lane, each.rows, _sizes(view)[0], each.wait)
    _draw_steps(scene, view, placed)
    _draw_taken(scene, view, placed)
    return end


def _placed(view: View, top: float) -> Iterator[Placed]:
    queue: str | None = None
    for lane in view.lanes:
        if lane.queue != queue and _has_queues(view.record):
            top += QUEUE_ROW
        queue = lane.queue
        each = _placed_lane(view, lane, top)
        top = each.bottom
        yield each


def _placed_lane(view: View, lane: Lane, top: float) -> Placed:
    if not view.crowded:
        middle = top + LANE / 2 + 2
        return Placed(lane, top, (middle,) * len(lane.rows), middle, top + LANE)
    step = _sizes(view)[1]
    first = top + CROWDED_GAP / 2 + step / 2
    rows = tuple(first + step * row for row in range(len(lane.rows)))
    wait = first + step * max(len(rows), 1) - 1.2
    return Placed(lane, top, rows, wait, wait + CROWDED_GAP / 2)


def _sizes(view: View) -> tuple[float, float]:
    """How high a bar is, and from one row to the next."""
    if not view.crowded:
        return BAR, LANE
    return (ROOMY_BAR, ROOMY_STEP) if len(view.lanes) < FEW_LANES else (CROWDED_BAR, CROWDED_STEP)


def _has_queues(record: Record) -> bool:
    return len({each.queue for each in record.summaries}) > 1


def _queue_name(lane: Lane) -> str:
    return f"queue {short(clean(lane.queue), MOST_LETTERS)}"


def gutter(record: Record, lanes: tuple[Lane, ...]) -> float:
    """How much room the names of lanes and of their queues need, points."""
    names = [short(each.name, MOST_LETTERS) for each in lanes]
    if _has_queues(record):
        names += [f"  {_queue_name(each)}" for each in lanes]
    return EDGE + max((text_width(name, LETTERS) for name in names), default=0) + 8


def _draw_names(scene: Scene, view: View, placed: list[Placed]) -> None:
    queue: str | None = None
    for each in placed:
        if each.lane.queue != queue and _has_queues(view.record):
            scene.add(
                Label(EDGE, each.top - QUEUE_ROW / 2 + 2, _queue_name(each.lane), 7.5, Role.MUTED, bold=True)
            )
        queue = each.lane.queue
        middle = (each.top + each.bottom) / 2 if view.crowded else each.wait
        scene.add(
            Label(EDGE, middle, short(each.lane.name, MOST_LETTERS), LETTERS if not view.crowded else 7.0)
        )
        scene.add(Stroke(((view.left, each.bottom), (view.right, each.bottom)), Role.GRID, 0.5))


def _draw_steps(scene: Scene, view: View, placed: list[Placed]) -> None:
    """Priorities that grow, as small numbers above the lane."""
    if view.crowded:
        return
    steps = view.record.steps
    growing = {each.workload for each in steps if sum(step.workload == each.workload for step in steps) > 1}
    for each in placed:
        room = view.left - 1
        for step in steps:
            x = view.x(step.at)
            if step.workload not in each.lane.workloads or step.workload not in growing:
                continue
            if not view.start <= step.at <= view.end or x < room:
                continue
            text = Label(x + 2, each.wait - BAR / 2 - 5, f"{step.priority}", 7.0, Role.PRIORITY, bold=True)
            scene.show(
                "priority", Stroke(((x, each.wait - BAR / 2 - 8), (x, each.wait)), Role.PRIORITY, 1.0), text
            )
            room = x + text.length + 4


def _draw_taken(scene: Scene, view: View, placed: list[Placed]) -> None:
    if view.crowded:
        rows = (pair for each in placed for pair in zip(each.lane.rows, each.rows, strict=True))
        draw_crowd_marks(scene, view, {number: y for row, y in rows for number, _ in row})
    else:
        draw_preemptions(scene, view, {name: each.wait for each in placed for name in each.lane.workloads})
