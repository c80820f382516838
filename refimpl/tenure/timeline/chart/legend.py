"""The legend: everything that a chart shows, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

from tenure.timeline.chart.reasons import Style, style_of
from tenure.timeline.chart.scene import EDGE, WIDTH, Box, Label, Mark, Scene, Shape, Stroke
from tenure.timeline.chart.strips import event_shape
from tenure.timeline.chart.theme import Role
from tenure.timeline.chart.words import clean, short

ROW = 12.5
SWATCH = 16.0
COLUMNS = 2
MOST_LETTERS = 38


def _bar(
    fill: Role | None, edge: Role | None = None, hatch: str = ""
) -> Callable[[float, float], list[Shape]]:
    return lambda x, y: [Box(x, y - 4, SWATCH, 8, fill, edge, hatch)]


def _line(role: Role, dash: tuple[float, float] | None = None) -> Callable[[float, float], list[Shape]]:
    return lambda x, y: [Stroke(((x, y), (x + SWATCH, y)), role, 1.3, dash)]


def _mark(
    shape: str, role: Role, *, hollow: bool = False, size: float = 7.0
) -> Callable[[float, float], list[Shape]]:
    return lambda x, y: [Mark(x + SWATCH / 2, y, shape, size, role, hollow=hollow)]


def _upright(role: Role) -> Callable[[float, float], list[Shape]]:
    return lambda x, y: [Stroke(((x + SWATCH / 2, y - 4), (x + SWATCH / 2, y + 4)), role, 1.3)]


def _arrow(style: Style) -> Callable[[float, float], list[Shape]]:
    return lambda x, y: [
        Stroke(((x, y), (x + SWATCH, y)), style.role, 1.3),
        Mark(x + 1, y, "o", 4.0, style.role),
        Mark(x + SWATCH - 2, y, style.shape, 6.0, style.role),
    ]


_ENTRIES: dict[str, tuple[str, Callable[[float, float], list[Shape]]]] = {
    "protected": ("runs, in its protected time", _bar(Role.PROTECTED)),
    "free": ("runs, nothing protects it", _bar(Role.FREE)),
    "together": ("many runs too short to draw", _bar(None, Role.PROTECTED, "||||||")),
    "ending": ("evicted: its pods terminate", _bar(None, Role.ENDING, "////")),
    "wait": ("waits in its queue", _line(Role.WAIT)),
    "aside": ("waits aside: nobody looks at it", _line(Role.WAIT, (1.2, 2.2))),
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
    "tick": ("tick: those aside are tried again", _mark(event_shape("tick"), Role.EVENT)),
}
_REASON = "reason:"


def draw_legend(scene: Scene, top: float) -> float:
    """Explain what the scene shows; answers where that ends, points."""
    entries = list(_entries(scene.used))
    rows = -(-len(entries) // COLUMNS)
    width = (WIDTH - 2 * EDGE) / COLUMNS
    for place, (text, swatch) in enumerate(entries):
        x = EDGE + width * (place // rows)
        y = top + ROW * (place % rows) + ROW / 2
        scene.add(*swatch(x, y))
        scene.add(Label(x + SWATCH + 6, y, short(text, MOST_LETTERS), 7.5, Role.MUTED))
    return top + ROW * rows


def _entries(used: set[str]) -> list[tuple[str, Callable[[float, float], list[Shape]]]]:
    reasons = [each.removeprefix(_REASON) for each in sorted(used) if each.startswith(_REASON)]
    styles = [(clean(each), style_of(each)) for each in reasons]
    found = [(text, _mark(style.shape, style.role)) for text, style in styles]
    if styles and "arrow" in used:
        found.insert(0, ("from the preemptor (dot) to its victim", _arrow(styles[0][1])))
    kinds = list(_ENTRIES)
    split = kinds.index("early")
    before = [_ENTRIES[kind] for kind in kinds[:split] if kind in used]
    return [*before, *found, *(_ENTRIES[kind] for kind in kinds[split:] if kind in used)]
