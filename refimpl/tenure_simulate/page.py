"""Pictures as SVG, and everything as one HTML file: without a font, a script or a picture from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Final

from tenure.outline import Item, Table, html_list, in_html
from tenure.pages import site_address
from tenure_play.drawing.html_page import html_page
from tenure_play.drawing.scene import Sketch
from tenure_play.drawing.svg import BY_SCHEME, svg
from tenure_simulate.answer_types import SettingFigures, SimulateAnswer
from tenure_simulate.choices import Preference
from tenure_simulate.pictures import front, lanes, point_words, queues, waits
from tenure_simulate.summary import against_words, choices_of, chosen, effects_of, headline, inputs_of
from tenure_simulate.tables import (
    MEANINGS,
    brief,
    hours_of,
    setting_tables,
    setting_words,
)

DEFINITIONS: Final = "reference/figures-of-simulate.md"


def pictures_of(
    answer: SimulateAnswer, preference: Preference | None = None
) -> dict[str, tuple[str, Sketch]]:
    """Every picture by the name of its file: a description in words, and its shapes."""
    found = {
        "front": (_front_words(answer), front(answer, preference)),
        "waits": (_waits_words(answer), waits(answer)),
    }
    for number, figures in enumerate(answer.settings, 1):
        drawn = figures.drawn
        if drawn is not None:
            found[f"queues-{number}"] = (_queues_words(figures, answer), queues(figures, drawn, answer))
            found[f"lanes-{number}"] = (_lanes_words(figures), lanes(figures, drawn, answer))
    return found


def _front_words(answer: SimulateAnswer) -> str:
    unit = hours_of(answer.resource)
    return f"Waits against losses. {'; '.join(point_words(each, unit) for each in answer.settings)}."


def _waits_words(answer: SimulateAnswer) -> str:
    each = (
        f"{setting_words(found.setting)}: {brief(found.all_waits.p50)}, {brief(found.all_waits.p95)}"
        for found in answer.settings
    )
    return f"Distribution of the total wait of a job, half of the jobs and 95 of 100: {'; '.join(each)}."


def _queues_words(figures: SettingFigures, answer: SimulateAnswer) -> str:
    unit = hours_of(answer.resource)
    each = (
        f"{queue.queue} borrows {queue.borrowed_hours:,.0f} {unit}, {queue.owed_hours:,.1f} are unmet"
        for queue in figures.queues
    )
    return f"ClusterQueues over time, {setting_words(figures.setting)}: {'; '.join(each)}."


def _lanes_words(figures: SettingFigures) -> str:
    drawn = figures.drawn
    each = (f"{lane.job} {lane.times:,} times" for lane in (drawn.most_preempted if drawn else ()))
    return f"Most preempted jobs, {setting_words(figures.setting)}: {', '.join(each) or 'none'}."


_STYLE: Final = """
body { margin: 0 auto; max-width: 1160px; padding: 12px; font: 16px/1.45 system-ui, sans-serif;
  background: var(--paper); color: var(--text); }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin-top: 2rem; }
figure { margin: 0; } svg { display: block; width: 100%; height: auto; max-width: 620px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 14px; margin: 0; font-size: 0.9rem; }
dt { color: var(--muted); } dd { margin: 0; overflow-wrap: anywhere; }
code { font-family: ui-monospace, monospace; font-size: 0.92em; }
.answer { border-left: 4px solid var(--protected); padding: 2px 14px; margin: 1.2rem 0; }
.answer p { margin: 0.5rem 0 0; font-weight: 600; } ul { margin: 0.3rem 0 0.7rem; padding-left: 1.3rem; }
.pair { display: grid; gap: 12px 32px;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
th, td { padding: 3px 8px; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--grid); }
th { vertical-align: bottom; white-space: normal; }
th[title] { cursor: help; text-decoration: underline dotted; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: var(--paper); }
tr.chosen td { font-weight: 700; }
.quiet { color: var(--muted); font-size: 0.9rem; } a { color: var(--protected); }
@media (max-width: 600px) { td:first-child { white-space: normal; min-width: 7.5rem; }
  dl { grid-template-columns: 1fr; } dd { margin-bottom: 6px; } }
summary { cursor: pointer; padding: 6px 0; font-weight: 600; }
"""


def html_report(answer: SimulateAnswer, command: str = "", preference: Preference | None = None) -> str:
    """An answer as one file.

    Args:
        answer: with what its pictures are drawn from.
        command: the command line; empty to leave it out.
        preference: what counts most; its setting is marked.
    """
    svgs = {
        name: f"<figure>{svg(sketch, title, theme=BY_SCHEME)}</figure>"
        for name, (title, sketch) in pictures_of(answer, preference).items()
    }
    title = headline(answer)
    address = site_address(DEFINITIONS)
    defined = f'<p class="quiet"><a href="{escape(address or "")}">How each figure is defined</a></p>'
    marked = "" if preference is None else setting_words(chosen(answer.settings, preference).setting)
    parts = [
        f"<h1>{escape(title)}</h1>",
        *(["<p><strong>Interrupted: settings are missing.</strong></p>"] if not answer.complete else []),
        *_inputs(answer, command),
        *_answer(answer, preference),
        _beside(svgs["front"], svgs["waits"]),
        *(line for table in setting_tables(answer) for line in _html_table(table, MEANINGS, marked)),
        *([defined] if address is not None else []),
        "<h2>Each setting</h2>",
    ]
    for number, figures in enumerate(answer.settings, 1):
        if figures.drawn is not None:
            opened = " open" if number == 1 else ""
            parts.append(f"<details{opened}><summary>{escape(setting_words(figures.setting))}</summary>")
            parts += [_beside(svgs[f"queues-{number}"], svgs[f"lanes-{number}"]), "</details>"]
    return html_page(title, _STYLE, parts)


def _answer(answer: SimulateAnswer, preference: Preference | None) -> Iterator[str]:
    """What the settings change, and which to choose."""
    if len(answer.settings) < 2:
        return
    yield '<div class="answer">'
    yield f"<p>{escape(against_words(answer))}</p>"
    yield html_list([Item(words) for words in effects_of(answer)])
    yield "<p>Which to choose</p>"
    yield html_list(choices_of(answer, preference))
    yield "</div>"


def _inputs(answer: SimulateAnswer, command: str) -> Iterator[str]:
    yield "<dl>"
    for term, words in inputs_of(answer, command):
        yield f"<dt>{escape(term)}</dt><dd>{in_html(words)}</dd>"
    yield "</dl>"


def _beside(*figures: str) -> str:
    """Pictures in one row, or below one another where a screen is narrow."""
    return f'<div class="pair">{"".join(figures)}</div>'


def _html_table(table: Table, meanings: Mapping[str, str], marked: str) -> Iterator[str]:
    heads = "".join(_head(head, meanings.get(head, "")) for head in table.heads)
    yield f"<h2>{escape(table.title)}</h2>"
    yield f'<div class="table" tabindex="0"><table><thead><tr>{heads}</tr></thead><tbody>'
    for row in table.rows:
        is_marked = ' class="chosen"' if row[0] == marked else ""
        cells = ("".join(cell) for cell in row)
        yield f"<tr{is_marked}>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
    yield "</tbody></table></div>"
    yield f'<p class="quiet">{escape("; ".join(table.notes))}</p>'


def _head(head: str, meaning: str) -> str:
    title = f' title="{escape(meaning)}"' if meaning else ""
    return f"<th{title}>{escape(head)}</th>"
