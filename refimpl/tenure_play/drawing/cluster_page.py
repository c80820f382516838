"""A picture of a cluster as one HTML file. Templates escape everything that they are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from markupsafe import Markup

from tenure.units import format_instant
from tenure_play.drawing.cluster import Bar, ClusterPicture, nodes_of
from tenure_play.drawing.cluster_bars import bars_style, drawing_templates
from tenure_play.drawing.html_page import html_page, page_policy

_HERE: Final = Path(__file__).parent

QUESTIONS: Final = ("matrix", "guarantees")
"""Of `analyze` about ClusterQueues, the quicker one first."""


@dataclass(frozen=True, slots=True)
class QueueAnswers:
    """What is known about ClusterQueues.

    Args:
        of_queue: by ClusterQueue, as HTML in which everything is escaped.
        open: those of `QUESTIONS` that the budget did not reach.
        loops: whether preemptions can go on for ever, as HTML; empty where nothing was sought.
    """

    of_queue: Mapping[str, str] = field(default_factory=dict)
    open: tuple[str, ...] = QUESTIONS
    loops: str = ""


@dataclass(frozen=True, slots=True)
class ComingStep:
    """What happens at an instant.

    Args:
        html: in words, escaped.
        bars: the bars that differ from those before, with the numbers of their nodes.
        is_drawn: whether the bars are known.
    """

    html: str
    bars: tuple[tuple[int, Bar], ...] = ()
    is_drawn: bool = True


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """What is dangerous in the coming cycles.

    Args:
        text: in a line.
        address: where to read on; None where it is not known where the site is.
    """

    text: str
    address: str | None = None


@dataclass(frozen=True, slots=True)
class ComingSteps:
    """The coming cycles.

    Args:
        summary: all of them in a line, or why they are not known; empty where nothing was played.
        marked: preemptions in vain, and a loop.
        steps: what happens, in the order of time.
    """

    summary: str = ""
    marked: tuple[MarkedLine, ...] = ()
    steps: tuple[ComingStep, ...] = ()


@dataclass(frozen=True, slots=True)
class PageAnswers:
    """The answers in a page, made beforehand.

    Args:
        jobs: by the number of a job its answers as HTML, in which everything is escaped.
        queues: about ClusterQueues.
        coming: what happens next; without a summary it is left out.
    """

    jobs: Mapping[int, str] = field(default_factory=dict)
    queues: QueueAnswers = field(default_factory=QueueAnswers)
    coming: ComingSteps = field(default_factory=ComingSteps)


def page_of(
    picture: ClusterPicture,
    title: str,
    facts: Sequence[tuple[str, str]] = (),
    arguments: str = "",
    answers: PageAnswers | None = None,
    *,
    program: str = "tenure",
    served: int | None = None,
) -> str:
    """The page.

    Args:
        picture: what it shows.
        title: its heading.
        facts: further lines about the input: a term and its value.
        arguments: what follows the name of a job in a command about this cluster, quoted for a shell.
        answers: what is known; None for nothing.
        program: the command line that reads the cluster again.
        served: the number of the picture, on a page that asks its server for the next one; None for a file.

    >>> page = page_of(ClusterPicture(0, (), (), (), (), 0, 0, 0), "<script>")
    >>> "<h1>&lt;script&gt;</h1>" in page
    True
    """
    return _page(
        "cluster_page.html.j2",
        title,
        _script(is_served=served is not None),
        connects=served is not None,
        served=served,
        picture=picture,
        facts=[("Clock", format_instant(picture.now)), *facts],
        arguments=arguments,
        program=program,
        answers=answers or PageAnswers(),
        queues=[node for node in nodes_of(picture) if node.is_queue],
    )


def served_policy() -> str:
    """The Content-Security-Policy of a page that asks its server.

    >>> "connect-src 'self'" in served_policy()
    True
    """
    return page_policy(_page_style(), _script(is_served=True), connects=True)


@dataclass(frozen=True, slots=True)
class TwoBars:
    """A flavor-resource of a node on both sides of a change.

    Args:
        before, after: its bars; None where a side has none.
    """

    before: Bar | None
    after: Bar | None

    @property
    def is_changed(self) -> bool:
        """Whether the sides differ in anything that is drawn."""
        one, other = ((bar.words, _shape(bar)) if bar else None for bar in (self.before, self.after))
        return one != other


@dataclass(frozen=True, slots=True)
class TwoNodes:
    """A Cohort or ClusterQueue on both sides of a change.

    Args:
        name: of the object.
        kind: `ClusterQueue` or `Cohort`.
        bars: its bars by flavor-resource.
    """

    name: str
    kind: str
    bars: tuple[TwoBars, ...]


def changed_nodes(before: ClusterPicture, after: ClusterPicture) -> tuple[TwoNodes, ...]:
    """The nodes whose bars a change makes different, those of the side after it first.

    >>> nothing = ClusterPicture(0, (), (), (), (), 0, 0, 0)
    >>> changed_nodes(nothing, nothing)
    ()
    """
    sides = [
        {(node.is_queue, node.name): {bar.label: bar for bar in node.bars} for node in nodes_of(picture)}
        for picture in (before, after)
    ]
    one, other = sides
    found: list[TwoNodes] = []
    for is_queue, name in dict.fromkeys((*other, *one)):
        was, becomes = (side.get((is_queue, name), {}) for side in sides)
        labels = dict.fromkeys((*becomes, *was))
        bars = [TwoBars(was.get(label), becomes.get(label)) for label in labels]
        changed = tuple(each for each in bars if each.is_changed)
        if changed:
            found.append(TwoNodes(name, "ClusterQueue" if is_queue else "Cohort", changed))
    return tuple(found)


def change_page(title: str, answer: str, when: str, nodes: Sequence[TwoNodes]) -> str:
    """What a change does, as a page: the answer, and the bars that differ.

    Args:
        title: its heading.
        answer: as HTML in which everything is escaped.
        when: of which instant the bars are, and why; in words.
        nodes: as `changed_nodes` gives them.

    >>> "No bar differs." in change_page("a", "<p>b</p>", "now", ())
    True
    """
    return _page("cluster_change.html.j2", title, answer=answer, when=when, nodes=nodes)


def _shape(bar: Bar) -> tuple[object, ...]:
    pieces = (*bar.used, None, *bar.pending)
    return bar.nominal, *(each and (each.x, each.width, each.title) for each in pieces)


def _page(template: str, title: str, script: str = "", *, connects: bool = False, **values: object) -> str:
    body = drawing_templates().get_template(template).render(title=title, marked_up=Markup, **values)
    return html_page(title, _page_style(), [body], script, connects=connects)


def _page_style() -> str:
    return bars_style() + _text("cluster_page.css")


def _script(*, is_served: bool) -> str:
    names = ("cluster_page.js", *(("cluster_served.js",) if is_served else ()))
    return "".join(map(_text, names))


def _text(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")
