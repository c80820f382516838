"""`tenure show`: an entry of the specification, or what is accessible to the ClusterQueues of a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from tenure.as_json import as_json
from tenure.cli.commands import options_given, with_records
from tenure.cli.completion import complete_identifier
from tenure.cli.inquiry import inquire
from tenure.cli.options import ClusterOptions
from tenure.cli.output import OutlineOutput, Output, about, print_answer
from tenure.cli.terminal import Color, choose_colour
from tenure.errors import bad_input
from tenure.inquiry import Inquiry
from tenure.outline import Name, in_markdown

if TYPE_CHECKING:
    from tenure.reference import Card, CardList
    from tenure.reference.answer_types import ExpectedVerdict, Related, Section

_SHOWN = 10
"""So many of one relation are listed in words; the rest are counted."""


@dataclass(frozen=True, slots=True)
class QuotaOptions:
    """Whose quota is listed."""

    files: Annotated[
        list[str] | None,
        typer.Option(
            "--filename",
            "-f",
            metavar="PATH",
            help="List the quota of these manifests: a file, a folder, or - for standard input; repeatable.",
            show_default=False,
        ),
    ] = None
    cluster: ClusterOptions = field(default_factory=ClusterOptions)


@dataclass(frozen=True, slots=True)
class ShowPrinting:
    """How it is printed."""

    output: Annotated[OutlineOutput, typer.Option("--output", "-o", help="How to print the entry.")] = (
        OutlineOutput.TEXT
    )
    color: Color = None


@with_records
def show_command(
    *,
    identifier: Annotated[
        str | None,
        typer.Argument(
            metavar="[ID]",
            help="A proposal (KEP-8522), a field (minAdmitDuration), a rule (KQ-320), a finding (F-001), "
            "a claim (PO-TBP-010), a reading, a test case or a divergence (DV-010).",
            show_default="list all of them",
            autocompletion=complete_identifier,
        ),
    ] = None,
    given: QuotaOptions,
    every: Annotated[bool, typer.Option("--all", help="Everything, however much it is.")] = False,
    printing: ShowPrinting,
) -> None:
    """Show an entry of the specification by its identifier, or the quota of every ClusterQueue.

    A proposal, or a field that findings are about: what became of it, which claims hold and which fail, and
    the smallest counterexamples; as Markdown for a pull request:

    \b
    tenure show KEP-8522
    tenure show minAdmitDuration
    tenure show KEP-8522 -o markdown > comment.md

    A rule that an explanation has named: its statement and rationale, its code, what is proved of it under
    each reading, and the cases that pin it down:

    \b
    tenure show TBP-050

    An obligation and a contradiction in a proposal, each with the commands that replay it:

    \b
    tenure show PO-TBP-010
    tenure show F-001

    A choice of readings, a reading, a test case, a signed difference from a release of Kueue:

    \b
    tenure show same_priority_gate
    tenure show guaranteed
    tenure show TBP-020/exactly-at-the-threshold-is-kept
    tenure show DV-010

    All identifiers with their titles, and for another program:

    \b
    tenure show | grep -i lending
    tenure show KQ-320 -o json | jq -r '.related[] | select(.relation == "Obligations") | .id'

    The quota of every ClusterQueue, what is accessible to it while heroes run, and what it is billed for
    them. In the example a hero uses more than its own quota:

    \b
    tenure show --example hero
    kubectl tenure show
    tenure show -f cluster/ --reading as-written -o json | jq '.rows[] | select(.bill > 0)'

    Below that table is every tree, with nominal quota, bill and what is accessible at each node. JSON and
    YAML have the same, in base units or milli-CPU. Priorities and pending workloads play no part.

    The specification comes with Tenure; nothing is proved or fetched. The verdicts are those that
    `tenure prove` must find, or it fails.

    Every text that names an identifier ends with how to look it up, and a terminal that can follow links has
    them behind identifiers: to files of this installation, or to the site that `make docs` builds, where
    TENURE_SITE=https://docs.example.org/tenure is where you serve it.

    Exit codes: 0 shown, 2 no such identifier, or bad input.
    """
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
