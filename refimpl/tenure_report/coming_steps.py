"""The coming cycles of a picture: what happens, and the bars afterwards."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Final

from tenure.errors import InputError
from tenure.joint import vain_lines
from tenure.outline import html_list
from tenure.pages import site_address
from tenure_play.drawing.cluster import Bar, ClusterPicture, Piece, jobs_of, nodes_of, picture_of
from tenure_play.drawing.cluster_page import ComingStep, ComingSteps, MarkedLine
from tenure_play.forecast.answer_types import LookEnd
from tenure_play.forecast.coming import Outlook
from tenure_play.forecast.text import course_items

MOST_STEPS: Final = 20
"""So many steps have bars; the list goes on without."""
_VAIN_PAGE: Final = "how-to/ask-what-a-change-would-do.md#what-the-change-does"
_LOOP_PAGE: Final = "how-to/find-preemption-loops.md"


def steps_of(picture: ClusterPicture, outlook: Outlook | None, budget: float) -> ComingSteps:
    """What comes next, as `tenure next` lists it, and the bars after each entry.

    Args:
        picture: the bars at first.
        outlook: the cluster; None where a gate decides that is not modelled.
        budget: no step is drawn after so many seconds, nor after `MOST_STEPS`; the list has all.
    """
    if outlook is None:
        return ComingSteps("Not known: a feature gate that is not modelled decides about the coming cycles.")
    ends = time.monotonic() + budget
    try:
        answer = outlook.next()
        listed = [*course_items(answer)]
        before, steps = _bars(picture, picture), list[ComingStep]()
        player = outlook.player()
        later = [at for at, _ in listed[1:]]
        for (at, item), following in zip(listed, [*later, None], strict=False):
            html = html_list([item])
            # The bars are those after all of an instant, so the last entry of it shows them.
            if at is None or at == following or len(steps) == MOST_STEPS or time.monotonic() > ends:
                steps.append(ComingStep(html, is_drawn=False))
                continue
            player.go_on_until(at)
            after = _bars(picture_of(outlook.cluster_of(player), at, outlook.reading), picture)
            changed = tuple((node, bar) for (node, _), bar in after.items() if before[node, bar.label] != bar)
            steps.append(ComingStep(html, changed))
            before = after
    except InputError as error:
        return ComingSteps(f"Not known: {'; '.join(map(str, error.problems))}")
    marked = [MarkedLine(line, site_address(_VAIN_PAGE)) for line in vain_lines(answer.in_vain)]
    if answer.ended == LookEnd.REPEATS:
        marked.append(MarkedLine("! A loop: the same happens again and again.", site_address(_LOOP_PAGE)))
    return ComingSteps(answer.summary, tuple(marked), tuple(steps))


def _bars(picture: ClusterPicture, first: ClusterPicture) -> dict[tuple[int, str], Bar]:
    """The bars by node and flavor-resource, with columns and jobs numbered as in the first picture."""
    numbers = {job.name: job.number for job in jobs_of(first)}
    names = {job.number: job.name for job in jobs_of(picture)}

    def numbered(piece: Piece) -> Piece:
        return piece if piece.job is None else replace(piece, job=numbers[names[piece.job]])

    found: dict[tuple[int, str], Bar] = {}
    for node in nodes_of(picture):
        for bar in node.bars:
            used, pending = (tuple(map(numbered, pieces)) for pieces in (bar.used, bar.pending))
            column = first.columns.index(bar.label)
            found[node.number, bar.label] = replace(bar, column=column, used=used, pending=pending)
    return found
