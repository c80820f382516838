"""A whole chart: title, the play, what of it is enlarged, legend."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tenure.model import MINUTE, SECOND, Instant
from tenure.units import format_elapsed
from tenure_play.charts.labels import clean, facts, long, short, wrapped
from tenure_play.charts.panel import AXIS, draw_panel, event_shape, gutter
from tenure_play.charts.view import (
    CLOSE,
    MOST_WORKLOADS,
    Style,
    Window,
    aside_spans,
    lanes_of,
    style_of,
    workload_lanes,
)
from tenure_play.drawing.scene import EDGE, WIDTH, Box, Hatch, Label, Mark, Role, Shape, Sketch, Stroke, moved
from tenure_play.record import Loop, Preemption, Record
from tenure_play.scenario import MILLISECOND

TURN = 20.0
"""A turn of a loop below this width, points, is enlarged."""
MOST_TAKEN = 6
MARGIN = 8
"""An eighth of the window lies before and after what it is about."""

_GRAINS = (MINUTE, 10 * SECOND, SECOND, 100 * MILLISECOND, 10 * MILLISECOND, MILLISECOND)
MOST_GRAINS = 12
"""The times of a window are whole minutes where it has so many of them, or else whole seconds, and so on."""


@dataclass(frozen=True, slots=True)
class Focus:
    """A window within the play.

    Args:
        start, end: ns since the epoch.
        title: what it shows.
    """

    start: Instant
    end: Instant
    title: str


def focus_of(record: Record, width: float) -> Focus | None:
    """What is to be enlarged below a chart; None where everything can be seen.

    Args:
        record: the play.
        width: of the whole window, points.

    >>> focus_of(Record("s", "", "guaranteed", 0, 9), 300) is None
    True
    """
    scale = width / (record.end - record.start)
    loop = record.loop
    if loop is not None and loop.period * scale < TURN:
        return _turns(record, loop)
    close = _first_close(record, scale)
    if close:
        return _around(record, close)
    return _moment(record, scale)


def _turns(record: Record, loop: Loop) -> Focus:
    turns = min(2, loop.times)
    length = loop.period * turns
    first = next(
        (preemption for preemption in record.preemptions if preemption.at >= loop.start - loop.period), None
    )
    start = loop.start if first is None else min(first.at, loop.start)
    # What leads to the loop is shown with it, where that does not make the turns small.
    begin = start if loop.start - start <= loop.period else loop.start
    end = loop.start + length
    word = "two turns" if turns == 2 else "one turn"
    return _window(record, begin, end, f"{word} of the loop and how it begins")


def _first_close(record: Record, scale: float) -> list[Preemption]:
    """The first preemptions that are too close together, one or more after another."""
    found: list[Preemption] = []
    for last, preemption in zip(record.preemptions, record.preemptions[1:], strict=False):
        apart = (preemption.at - last.at) * scale
        if 0 < apart < CLOSE or (found and apart < CLOSE):
            found = found or [last]
            found.append(preemption)
        elif len(found) >= 2 and _is_best(record, found):
            break
        else:
            found = []
        if len(found) >= MOST_TAKEN:
            break
    return found


def _is_best(record: Record, found: list[Preemption]) -> bool:
    """Whether a burst suffices: among many workloads only one that preempts a workload too early does."""
    return len(record.workloads) <= MOST_WORKLOADS or any(preemption.cut_short for preemption in found)


def _around(record: Record, close: list[Preemption]) -> Focus | None:
    if not _is_best(record, close):
        return None
    taken = {(preemption.victim, preemption.at) for preemption in close}
    ends = [run.end for run in record.runs if (run.workload, run.stopped) in taken]
    return _window(record, close[0].at, max(ends, default=close[-1].at), "what is too close to see above")


def _moment(record: Record, scale: float) -> Focus | None:
    """A preemption that comes too early by less than can be seen."""
    if len(record.workloads) > MOST_WORKLOADS:
        return None
    hidden = (preemption for preemption in record.preemptions if 0 < preemption.cut_short * scale < CLOSE)
    preemption = next(hidden, None)
    if preemption is None:
        return None
    return _window(
        record,
        preemption.at - preemption.cut_short,
        preemption.at + 2 * preemption.cut_short,
        f"{long(preemption.cut_short)} too early",
    )


def _window(record: Record, start: Instant, end: Instant, title: str) -> Focus:
    """A window with a margin, from one round time to another."""
    margin = max((end - start) // MARGIN, 1)
    grain = next((grain for grain in _GRAINS if grain * MOST_GRAINS <= end - start), 1)
    first = (start - margin - record.start) // grain * grain
    last = -(-(end + margin - record.start) // grain) * grain
    return Focus(max(record.start, record.start + first), min(record.end, record.start + last), title)


def focus_workloads(record: Record, focus: Focus) -> list[str]:
    """Who has a lane in the enlarged window: all, or those of a crowd that preempt or are preempted in it."""
    if len(record.workloads) <= MOST_WORKLOADS:
        return [summary.workload for summary in record.workloads]
    inside = [preemption for preemption in record.preemptions if focus.start <= preemption.at <= focus.end]
    return list(
        dict.fromkeys(name for preemption in inside for name in (preemption.victim, preemption.preemptor))
    )[:MOST_WORKLOADS]


def is_crowded(record: Record) -> bool:
    """Whether lanes are of many workloads.

    >>> is_crowded(Record("s", "", "guaranteed", 0, 9))
    False
    """
    return len(record.workloads) > MOST_WORKLOADS and bool(lanes_of(record))


ROW = 12.5
SWATCH = 16.0
COLUMNS = 2
MOST_LETTERS = 38


def _bar(fill: Role | None, edge: Role | None = None, hatch: Hatch = Hatch.NONE) -> list[Shape]:
    return [Box(0, -4, SWATCH, 8, fill, edge, hatch)]


def _line(role: Role, dash: tuple[float, float] | None = None) -> list[Shape]:
    return [Stroke(((0, 0), (SWATCH, 0)), role, 1.3, dash)]


def _mark(shape: str, role: Role, *, hollow: bool = False, size: float = 7.0) -> list[Shape]:
    return [Mark(SWATCH / 2, 0, shape, size, role, hollow=hollow)]


def _upright(role: Role) -> list[Shape]:
    return [Stroke(((SWATCH / 2, -4), (SWATCH / 2, 4)), role, 1.3)]


def _arrow(style: Style) -> list[Shape]:
    ends = Mark(1, 0, "o", 4.0, style.role), Mark(SWATCH - 2, 0, style.shape, 6.0, style.role)
    return [*_line(style.role), *ends]


_ENTRIES: dict[str, tuple[str, list[Shape]]] = {
    "protected": ("runs, in its protected time", _bar(Role.PROTECTED)),
    "free": ("runs, nothing protects it", _bar(Role.FREE)),
    "together": ("many runs too short to draw", _bar(None, Role.PROTECTED, Hatch.UPRIGHT)),
    "ending": ("evicted: its pods terminate", _bar(None, Role.ENDING, Hatch.SLANTED)),
    "wait": ("waits in its queue", _line(Role.WAIT)),
    "aside": ("waits aside: it is not considered", _line(Role.WAIT, (1.2, 2.2))),
    "submitted": ("is submitted", _upright(Role.WAIT)),
    "finished": ("finishes", _mark("o", Role.TEXT, size=6.0)),
    "deleted": ("is deleted", _mark("X", Role.TEXT, size=6.0)),
    "early": ("ring: within its protected time", _mark("o", Role.MUTED, hollow=True, size=10.0)),
    "promise": ("the rest of its protected time", _line(Role.MUTED, (3.0, 1.6))),
    "priority": ("effective priority from here on", _upright(Role.PRIORITY)),
    "loop": ("loop: the same again and again", _bar(Role.LOOP)),
    "turn": ("a turn of the loop begins", _line(Role.LOOP_EDGE, (4.0, 2.0))),
    "restart": ("the controller restarts, or is back", _mark(event_shape("restart"), Role.EVENT)),
    "down": ("there is no controller", _bar(Role.DOWN)),
    "clock": ("the controller's clock is moved", _mark(event_shape("clock"), Role.EVENT)),
    "edit": ("an object is edited", _mark(event_shape("edit"), Role.EVENT)),
    "tick": ("tick: workloads that wait aside are tried again", _mark(event_shape("tick"), Role.EVENT)),
}
_REASON = "reason:"


def draw_legend(scene: Sketch, top: float) -> float:
    """Explain what the scene shows; answers where that ends, points."""
    entries = list(_entries(scene.used))
    rows = -(-len(entries) // COLUMNS)
    width = (WIDTH - 2 * EDGE) / COLUMNS
    for place, (text, shapes) in enumerate(entries):
        x = EDGE + width * (place // rows)
        y = top + ROW * (place % rows) + ROW / 2
        label = Label(x + SWATCH + 6, y, short(text, MOST_LETTERS), 7.5, Role.MUTED)
        scene.add(*(moved(shape, x, y) for shape in shapes), label)
    return top + ROW * rows


def _entries(used: set[str]) -> list[tuple[str, list[Shape]]]:
    reasons = [name.removeprefix(_REASON) for name in sorted(used) if name.startswith(_REASON)]
    styles = [(clean(reason), style_of(reason)) for reason in reasons]
    found = [(text, _mark(style.shape, style.role)) for text, style in styles]
    if styles and "arrow" in used:
        found.insert(0, ("from the preemptor (dot) to its victim", _arrow(styles[0][1])))
    kinds = list(_ENTRIES)
    split = kinds.index("early")
    before = [_ENTRIES[kind] for kind in kinds[:split] if kind in used]
    return [*before, *found, *(_ENTRIES[kind] for kind in kinds[split:] if kind in used)]


TITLE, FACT = 10.0, 8.0
TITLE_LETTERS, FACT_LETTERS = 56, 82
RIGHT = 14.0


def compose(record: Record) -> Sketch:
    """The chart of a play.

    >>> compose(Record("s", "No job comes.", "guaranteed", 0, 9)).height > 0
    True
    """
    scene = Sketch()
    top = _draw_head(scene, record)
    view = _whole(record)
    focus = focus_of(record, view.width)
    lower = draw_panel(scene, view, top)
    if focus is not None:
        lower = _draw_focus(scene, view, focus, lower)
    scene.height = draw_legend(scene, lower + 8) + EDGE
    return scene


def _draw_head(scene: Sketch, record: Record) -> float:
    y = EDGE + TITLE / 2
    for line in wrapped(record.title or record.scenario, TITLE_LETTERS):
        scene.add(Label(EDGE, y, line, TITLE, bold=True))
        y += TITLE * 1.35
    caption = " ".join([f"{clean(record.scenario)}, reading {clean(record.reading)}.", *facts(record)])
    for line in wrapped(caption, FACT_LETTERS):
        scene.add(Label(EDGE, y, line, FACT, Role.MUTED))
        y += FACT * 1.4
    return y + 2


def _whole(record: Record) -> Window:
    lanes, crowded = lanes_of(record), is_crowded(record)
    left = gutter(record, lanes)
    aside = {} if crowded else aside_spans(record)
    return Window(record, lanes, record.start, record.end, left, WIDTH - RIGHT - left, crowded, aside=aside)


def _draw_focus(scene: Sketch, whole: Window, focus: Focus, top: float) -> float:
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
    when = f"{format_elapsed(focus.start - record.start)} to {format_elapsed(focus.end - record.start)}"
    scene.add(Label(EDGE + 12, top + 8, f"Enlarged, {when}: {focus.title}", FACT, bold=True))
    return draw_panel(scene, view, top + 18)
