"""What `tenure show` does."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from tenure.as_json import as_json
from tenure.cli.commands import options_given
from tenure.cli.inquiry import inquire
from tenure.cli.output import OutlineOutput, Output, about, print_answer
from tenure.cli.show import QuotaOptions, ShowPrinting
from tenure.cli.terminal import choose_colour
from tenure.errors import bad_input
from tenure.inquiry import Inquiry
from tenure.outline import Name, in_markdown

if TYPE_CHECKING:
    from tenure.reference import Card, CardList
    from tenure.reference.answer_types import ExpectedVerdict, Related, Section


_SHOWN = 10

"""So many of one relation are listed in words; the rest are counted."""


def run_show(*, identifier: str | None, given: QuotaOptions, every: bool, printing: ShowPrinting) -> None:
    """As `tenure.cli.show.show_command` documents it."""
    choose_colour(printing.color)
    of_cluster = options_given(given)
    if identifier is not None and of_cluster:
        raise bad_input(of_cluster[0], f"identifier {identifier} too", "either an identifier or a cluster")
    is_markdown = printing.output == OutlineOutput.MARKDOWN
    if is_markdown and identifier is None:
        raise bad_input("-o markdown", "no identifier", "one beside it, such as KEP-8522")
    output = Output.TEXT if is_markdown else Output(printing.output.value)
    if given.files or given.cluster.example:
        _show_quota(inquire(given.files or [], given.cluster), output, every=every)
        return
    if of_cluster:
        raise bad_input(of_cluster[0], "no cluster", "a cluster beside it: -f PATH, or --example hero")
    from tenure.reference import card_of, identifiers

    if identifier is None:
        listed = identifiers()
        print_answer(output, "show", as_json(listed), _list_lines(listed), pointer=False)
        return
    card = card_of(identifier)
    lines = (card_markdown if is_markdown else card_lines)(card, every=every)
    print_answer(output, "show", as_json(card), lines, pointer=False)


def _show_quota(inquiry: Inquiry, output: Output, *, every: bool) -> None:
    from tenure.cli.accessible_quota import accessible_answer, accessible_lines, trees_of

    trees = trees_of(inquiry)
    lines = about(inquiry.kueue, accessible_lines(trees, inquiry, every=every))
    print_answer(
        output, "accessible", None if output == Output.TEXT else accessible_answer(trees, inquiry), lines
    )


def card_lines(card: Card, *, every: bool = False) -> Iterator[str]:
    """A card as text.

    Args:
        card: see there.
        every: whether everything that belongs to it is listed.
    """
    yield f"{card.id}: {card.title}"
    yield f"  {card.kind}, {card.file}"
    if card.source:
        yield f"  {card.source}"
    if card.address is not None:
        yield f"  {card.address}"
    if card.expected:
        yield f"  tenure prove must find: {_verdicts(card.expected)}"
    shown = [*_shown_sections(card, every=every)]
    for section in shown:
        yield from ("", section.heading)
        yield from (f"  {line}".rstrip() for line in section.text.splitlines())
    for relation, listed, more in _by_relation(card, every=every):
        yield from ("", relation)
        width = max(len(related.id) for related in listed)
        yield from (f"  {related.id:{width}}  {related.text}{_found(related)}" for related in listed)
        if more:
            yield f"  and {more} more, with --all"
    if card.replay:
        yield from ("", "Replay it")
        yield from (f"  {command}" for command in card.replay)
    if len(shown) < len(card.sections):
        yield from ("", f"its code: tenure show {card.id} --all")
    if card.related:
        yield from ("", f"look up another identifier: tenure show {card.related[0].id}")


def card_markdown(card: Card, *, every: bool = False) -> Iterator[str]:
    """A card as Markdown, such as a comment on a pull request.

    Args:
        card: see there.
        every: as for `card_lines`.
    """
    yield f"## {card.id}: {in_markdown(card.title)}"
    if card.source:
        yield from ("", in_markdown(card.source))
    if card.expected:
        yield from ("", f"Expected: {_verdicts(card.expected)}.")
    for section in _shown_sections(card, every=every):
        code = section.heading == "Code" or section.text.startswith("{")
        yield from ("", f"### {section.heading}", "", *(["```"] if code else []))
        yield from section.text.splitlines()
        yield from ["```"] if code else []
    for relation, listed, more in _by_relation(card, every=every):
        yield from ("", f"### {relation}", "")
        for related in listed:
            yield f"- {in_markdown([Name(related.id)])}: {in_markdown(related.text)}{_found(related)}"
        if more:
            yield f"- and {more} more: `tenure show {card.id} --all`"
    if card.replay:
        yield from ("", "### Replay it", "", "```sh", *card.replay, "```")


def _shown_sections(card: Card, *, every: bool) -> Iterator[Section]:
    """Its sections; the code of a claim, which few read, on request only."""
    is_claim = card.kind in ("obligation", "theorem")
    yield from (part for part in card.sections if every or not (is_claim and part.heading == "Code"))


def _by_relation(card: Card, *, every: bool) -> Iterator[tuple[str, list[Related], int]]:
    """What belongs to a card, by relation: the entries that are listed, and how many more there are."""
    for relation, grouped in groupby(card.related, key=lambda related: related.relation):
        others = list(grouped)
        listed = others if every else others[:_SHOWN]
        yield relation, listed, len(others) - len(listed)


def _found(related: Related) -> str:
    return f" ({_verdicts(related.expected)})" if related.expected else ""


def _verdicts(expected: tuple[ExpectedVerdict, ...]) -> str:
    """Verdicts in a line: one word where all agree.

    >>> from tenure.reference.answer_types import ExpectedVerdict
    >>> _verdicts((ExpectedVerdict("released", "refuted"), ExpectedVerdict("guaranteed", "proved")))
    'refuted under released; proved under guaranteed'
    """
    if len({entry.verdict for entry in expected}) == 1:
        return f"{expected[0].verdict} under every reading"
    parts = []
    for verdict in dict.fromkeys(entry.verdict for entry in expected):
        named = [entry.reading for entry in expected if entry.verdict == verdict]
        parts.append(f"{verdict} under {', '.join(named)}")
    return "; ".join(parts)


def _list_lines(listed: CardList) -> Iterator[str]:
    for kind, entries in groupby(listed.identifiers, key=lambda entry: entry.kind):
        named = list(entries)
        width = max(len(entry.id) for entry in named)
        yield from (f"{entry.id:{width}}  {kind}: {entry.title}" for entry in named)
