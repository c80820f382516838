"""For crowded charts: how many wait, and how many are preempted in every stretch of time."""

from __future__ import annotations

from collections import Counter

from tenure.model import Duration
from tenure.timeline.chart.reasons import style_of
from tenure.timeline.chart.scale import step_for
from tenure.timeline.chart.scene import Box, Label, Scene, Stroke
from tenure.timeline.chart.theme import Role
from tenure.timeline.chart.view import View
from tenure.timeline.chart.words import long
from tenure.timeline.record import WaitSpan

HEIGHT = 34.0
HEAD = 12.0
BINS = 60
STRETCH = 1.5


def draw_counts(scene: Scene, view: View, top: float) -> float:
    """Draw both above the lanes; answers where they end, points."""
    bottom = _draw_waiting(scene, view, top) + 4
    return _draw_preempted(scene, view, bottom) + 6 if view.record.preemptions else bottom


def _draw_waiting(scene: Scene, view: View, top: float) -> float:
    # Waits that the end of the play cuts off do not end there.
    steps = [each for each in waiting_counts(view.record.waits) if each[0] < view.end]
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


def _thinned(view: View, steps: list[tuple[int, int]]) -> list[tuple[float, int]]:
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
    changes = Counter(each.start for each in waits)
    changes.subtract(each.end for each in waits)
    count, steps = 0, []
    for at in sorted(changes):
        count += changes[at]
        steps.append((at, count))
    return steps


def _draw_preempted(scene: Scene, view: View, top: float) -> float:
    step = step_for(view.end - view.start, BINS)
    bins = _binned(view, step)
    most = max(sum(each.values()) for each in bins.values())
    base = top + HEAD + HEIGHT
    said = f"Preempted in every {long(step)}, at most {most}"
    scene.add(Label(view.left, top + HEAD / 2, said, 7.5, Role.MUTED))
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


def _binned(view: View, step: Duration) -> dict[int, Counter[str]]:
    bins: dict[int, Counter[str]] = {}
    for _, each in view.preemptions():
        bins.setdefault((each.at - view.record.start) // step, Counter())[each.reason] += 1
    return bins
