"""Pictures as SVG, and everything as one HTML file: without a font, a script or a picture from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from html import escape
from pathlib import PurePath
from typing import Final

from tenure.pages import site_address
from tenure.units import format_duration
from tenure_play.drawing.scene import Sketch
from tenure_play.drawing.svg import BY_SCHEME, schemes, svg
from tenure_simulate.answer_types import SettingFigures, SimulateAnswer
from tenure_simulate.pictures import front, lanes, queues, waits
from tenure_simulate.tables import (
    HOUR_LEGEND,
    WAIT_LEGEND,
    brief,
    hour_rows,
    setting_words,
    wait_rows,
)

DEFINITIONS: Final = "reference/figures-of-simulate.md"


def pictures_of(answer: SimulateAnswer) -> dict[str, tuple[str, Sketch]]:
    """Every picture by the name of its file: what it shows in words, and its shapes."""
    found = {"front": (_front_told(answer), front(answer)), "waits": (_waits_told(answer), waits(answer))}
    for number, figures in enumerate(answer.settings, 1):
        drawn = figures.drawn
        if drawn is not None:
            found[f"queues-{number}"] = (_queues_told(figures), queues(figures, drawn))
            found[f"lanes-{number}"] = (_lanes_told(figures), lanes(figures, drawn))
    return found


def _front_told(answer: SimulateAnswer) -> str:
    each = (
        f"{setting_words(found.setting)}: {brief(found.all_waits.p95)}, {found.wasted_hours:,.0f} wasted"
        for found in answer.settings
    )
    return f"All waits of a job (p95) against hours wasted. {'; '.join(each)}."


def _waits_told(answer: SimulateAnswer) -> str:
    each = (
        f"{setting_words(found.setting)}: {brief(found.all_waits.p50)}, {brief(found.all_waits.p95)}"
        for found in answer.settings
    )
    return f"Distribution of all waits of a job, half of the jobs and 95 of 100: {'; '.join(each)}."


def _queues_told(figures: SettingFigures) -> str:
    each = (
        f"{queue.queue} borrows {queue.borrowed_hours:,.0f} hours and is owed {queue.owed_hours:,.1f}"
        for queue in figures.queues
    )
    return f"ClusterQueues over time, {setting_words(figures.setting)}: {'; '.join(each)}."


def _lanes_told(figures: SettingFigures) -> str:
    drawn = figures.drawn
    each = (f"{lane.job} {lane.times:,} times" for lane in (drawn.most_preempted if drawn else ()))
    return f"Most preempted jobs, {setting_words(figures.setting)}: {', '.join(each) or 'none'}."


_STYLE: Final = """
body { margin: 0 auto; max-width: 1160px; padding: 12px; font: 16px/1.45 system-ui, sans-serif;
  background: var(--paper); color: var(--text); }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin-top: 2rem; }
figure { margin: 0; } svg { display: block; width: 100%; height: auto; max-width: 620px; }
.pair { display: grid; gap: 12px 32px;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
th, td { padding: 3px 8px; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--grid); }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: var(--paper); }
.quiet { color: var(--muted); font-size: 0.9rem; } a { color: var(--protected); }
@media (max-width: 600px) { td:first-child { white-space: normal; min-width: 7.5rem; } }
summary { cursor: pointer; padding: 6px 0; font-weight: 600; }
"""


def html_report(answer: SimulateAnswer) -> str:
    """Tables and pictures of an answer as one file."""
    drawn = pictures_of(answer)
    title = f"{answer.jobs:,} jobs of {PurePath(answer.trace).name or answer.trace}"
    svgs = {
        name: f"<figure>{svg(sketch, told, theme=BY_SCHEME)}</figure>"
        for name, (told, sketch) in drawn.items()
    }
    below = f"tenure simulate, {answer.resource}, simulated for {format_duration(answer.length)}."
    if not answer.complete:
        below += " Interrupted: settings are missing."
    address = site_address(DEFINITIONS)
    defined = f'<p class="quiet"><a href="{escape(address or "")}">How each figure is defined</a></p>'
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="quiet">{escape(below)}</p>',
        _beside(svgs["front"], svgs["waits"]),
        "<h2>Waits and preemptions</h2>",
        *_html_table(wait_rows(answer), WAIT_LEGEND),
        "<h2>Where quota goes</h2>",
        *_html_table(hour_rows(answer), HOUR_LEGEND),
        *([defined] if address is not None else []),
        "<h2>Each setting</h2>",
    ]
    for number, figures in enumerate(answer.settings, 1):
        if figures.drawn is not None:
            opened = " open" if number == 1 else ""
            parts.append(f"<details{opened}><summary>{escape(setting_words(figures.setting))}</summary>")
            parts += [_beside(svgs[f"queues-{number}"], svgs[f"lanes-{number}"]), "</details>"]
    head = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{schemes(':root')}{_STYLE}</style></head><body>"
    )
    return "\n".join([head, *parts, "</body></html>"]) + "\n"


def _beside(*figures: str) -> str:
    """Pictures in one row, or below one another where a screen is narrow."""
    return f'<div class="pair">{"".join(figures)}</div>'


def _legible(cell: str) -> str:
    """A figure for people: of thousands no hundredths, and groups of three digits.

    >>> _legible("508766.21"), _legible("16504"), _legible("999.50"), _legible("30s"), _legible("1.5h")
    ('508,766', '16,504', '999.50', '30s', '1.5h')
    """
    whole, _, part = cell.partition(".")
    if len(whole) < 4 or not (whole + part).isdecimal():
        return cell
    return f"{Decimal(cell):,.0f}"


def _html_table(rows: Iterable[tuple[str, ...]], legend: Sequence[str]) -> Iterator[str]:
    head, *body = rows
    cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    yield f'<div class="table" tabindex="0"><table><thead><tr>{cells}</tr></thead><tbody>'
    for row in body:
        figures = (row[0], *map(_legible, row[1:]))
        yield f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in figures)}</tr>"
    yield "</tbody></table></div>"
    yield f'<p class="quiet">{escape("; ".join(legend))}</p>'
