"""What written pages show beside their words: pictures of vectors, charts of plays, and the speed chart."""

from __future__ import annotations

from typing import Final

from docs.gen.cases import Pictures
from docs.gen.charts import Views
from docs.gen.drawing import shown
from docs.gen.markdown import Fills
from docs.gen.speed import Row, measured, speed_svgs, speed_table

HOME: Final = "index.md"
BENCHMARKS: Final = "reference/benchmarks.md"
_LOOPS: Final = "explanation/why-loops-happen.md"
_COMPOSE: Final = "explanation/how-the-policies-compose.md"
VECTORS: Final = {
    (_COMPOSE, "aged"): "DYN-050/an-aged-workload-takes-a-protected-one",
    (_COMPOSE, "hero"): "KQ-300/a-workload-protected-from-equals-a-hero-takes",
}
"""The vector whose picture replaces a page's marker."""
PLAYS: Final = {
    (HOME, "played"): ("tbp-the-third-of-three", "as-written"),
    (_LOOPS, "victim"): ("tbp-strict-fifo-victim-first", "released"),
    (_LOOPS, "overtake"): ("dyn-two-classes-overtake", "guaranteed"),
    (_LOOPS, "storm"): ("ucq-storm-without-a-brake", "guaranteed"),
}
"""The scenario, and the reading of the play, whose chart is there."""


def illustrations(pictures: Pictures, views: Views) -> Fills:
    """What replaces the markers.

    Raises:
        KeyError: a vector has no picture, or a scenario no such play.
    """
    found = measured()
    fills: Fills = {BENCHMARKS: {"measured": _measured(found)}}
    for (page, marker), vector in VECTORS.items():
        fills.setdefault(page, {})[marker] = shown(*pictures[vector], "picture")
    for (page, marker), (scenario, reading) in PLAYS.items():
        fills.setdefault(page, {})[marker] = shown(*_chart(views, scenario, reading), "chart")
    return fills


def _measured(found: Row) -> str:
    machine = found["machine"]
    of = ", ".join(f"{name} {machine[name]}" for name in ("python", "numpy", "numba"))
    told = f"On {found['made']}: {machine['processor']}, {machine['cores']} cores, {machine['system']}; {of}"
    kueue = f"; Kueue {found['kueue']}" if found.get("kueue") else ""
    note = f" {found['note']}" if found.get("note") else ""
    return f"{told}{kueue}.{note}\n\n{speed_svgs(found)}\n{speed_table(found)}"


def _chart(views: Views, scenario: str, reading: str) -> tuple[str, str]:
    for readings, path, words in views[scenario]:
        if reading in readings.split(" and "):
            return path, words
    raise KeyError(f"{scenario} under {reading}")
