"""An answer for people, stated once: sentences, lists and tables, as text, as Markdown or as HTML.

>>> answer = Outline(
...     "What changes",
...     [["Of ", Name("team_a"), " 1 job."], TitledList("Victims", [Item(["ml/old, for ", Name("ml/a|b")])])],
... )
>>> print(*answer.text_lines(), sep="\\n")
Of team_a 1 job.
<BLANKLINE>
Victims
  ml/old, for ml/a|b
>>> print(*answer.markdown_lines(), sep="\\n")
## What changes
<BLANKLINE>
Of `team_a` 1 job.
<BLANKLINE>
### Victims
<BLANKLINE>
- ml/old, for `ml/a\\|b`
>>> table = Table(["queue", "keeps"], [[Name("ml"), "4 cpu"]])
>>> print(*table.text_lines(), *table.markdown_lines(), sep="\\n")
QUEUE  KEEPS
ml     4 cpu
| queue | keeps |
| --- | --- |
| `ml` | 4 cpu |
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Final, TypeAlias

_WIDTH: Final = 118
"""Of the lines of notes below a table, characters."""


class Name(str):
    """A name of an object, a field or a file, which Markdown shows as code."""

    __slots__ = ()


class CommandAdvice(str):
    """Words about the command's options: text and Markdown have them, HTML leaves them out."""

    __slots__ = ()


Words: TypeAlias = str | Sequence[str]
"""A sentence, or its parts, such as a `Name`."""


@dataclass(frozen=True, slots=True)
class Item:
    """An entry of a list, with those below it."""

    words: Words
    below: Sequence[Item] = ()

    def text_lines(self, indent: str) -> Iterator[str]:
        """As text, each level indented by two."""
        yield f"{indent}{''.join(self.words)}"
        for item in self.below:
            yield from item.text_lines(f"{indent}  ")

    def markdown_lines(self, indent: str = "") -> Iterator[str]:
        """As an entry of a Markdown list."""
        yield f"{indent}- {in_markdown(self.words)}"
        for item in self.below:
            yield from item.markdown_lines(f"{indent}  ")


def first_items(items: Sequence[Item], most: int | None, for_all: Words = "") -> Iterator[Item]:
    """The first of some items, and how many more there are.

    Args:
        items: all of them.
        most: how many are printed; None prints all.
        for_all: what the others are, or how all are printed, with a space or comma before it.

    >>> shown = first_items([Item("a"), Item("b"), Item("c")], 1, CommandAdvice(", with --all"))
    >>> [in_html(item.words) for item in shown]
    ['a', 'and 2 more']
    """
    yield from items[:most]
    more = len(items) - len(items[:most])
    if more:
        after = [for_all] if isinstance(for_all, str) else for_all
        yield Item([f"and {more} more", *after])


@dataclass(frozen=True, slots=True)
class TitledList:
    """A heading, and a list below it.

    Args:
        title: the heading.
        items: what is listed; a list without any is not printed.
        most: how many of them are printed; the rest is counted. None prints all.
        for_all: how all are printed, such as `, with --all`; empty where they cannot be.
    """

    title: Words
    items: Sequence[Item]
    most: int | None = None
    for_all: Words = ""

    def shown(self) -> Iterator[Item]:
        """The items that are printed, and how many more there are."""
        return first_items(self.items, self.most, self.for_all)


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about an answer: a list without a heading."""

    items: Sequence[Words | Item]

    def listed(self) -> Iterator[Item]:
        """The facts as items."""
        yield from (item if isinstance(item, Item) else Item(item) for item in self.items)


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Args:
        heads: of the columns; text has them in capitals, unless they are names.
        rows: their cells, one for each head.
        title: a heading; empty for none.
        notes: what the heads mean.
        numbers: whether every column but the first holds numbers, which end at the same place.
    """

    heads: Sequence[str]
    rows: Sequence[Sequence[Words]]
    title: str = ""
    notes: Sequence[str] = ()
    numbers: bool = False

    def text_lines(self) -> Iterator[str]:
        """As text, in columns."""
        heads = [head if isinstance(head, Name) else head.upper() for head in self.heads]
        right = range(1, len(heads)) if self.numbers else ()
        yield from [self.title] if self.title else []
        yield from aligned([heads, *(["".join(cell) for cell in row] for row in self.rows)], right)
        yield from wrap("; ".join(self.notes), _WIDTH)

    def markdown_lines(self) -> Iterator[str]:
        """As a Markdown table."""
        yield from [f"### {in_markdown(self.title)}", ""] if self.title else []
        rules = ["---", *(["--:" if self.numbers else "---"] * (len(self.heads) - 1))]
        for row in (self.heads, rules, *self.rows):
            yield f"| {' | '.join(map(in_markdown, row))} |"
        yield from ["", *(f"- {in_markdown(note)}" for note in self.notes)] if self.notes else []


Part: TypeAlias = Words | Facts | TitledList | Table


@dataclass(frozen=True, slots=True)
class Outline:
    """An answer.

    Args:
        title: the heading of its Markdown; text stands below the command that names it.
        parts: sentences, facts and titled lists, in order.
    """

    title: str
    parts: Sequence[Part]

    def text_lines(self) -> Iterator[str]:
        """As text for a terminal or a pipe."""
        after_list = False
        for part in self.parts:
            if isinstance(part, TitledList):
                if part.items:
                    yield from ("", "".join(part.title))
                    for item in part.shown():
                        yield from item.text_lines("  ")
                    after_list = True
            elif isinstance(part, Facts):
                for item in part.listed():
                    yield from item.text_lines("  ")
            elif isinstance(part, Table):
                yield ""
                yield from part.text_lines()
                after_list = True
            else:
                if after_list:
                    yield ""
                after_list = False
                yield "".join(part)

    def markdown_lines(self) -> Iterator[str]:
        """As Markdown, such as a comment on a pull request."""
        yield f"## {self.title}"
        for part in self.parts:
            if isinstance(part, TitledList):
                if part.items:
                    yield from ("", f"### {in_markdown(part.title)}", "")
                    for item in part.shown():
                        yield from item.markdown_lines()
            elif isinstance(part, Facts):
                yield from [""] if part.items else []
                for item in part.listed():
                    yield from item.markdown_lines()
            elif isinstance(part, Table):
                yield ""
                yield from part.markdown_lines()
            else:
                yield from ("", in_markdown(part))

    def html_lines(self) -> Iterator[str]:
        """As HTML, in which everything is escaped.

        >>> print(*Outline("a", ["b < c", TitledList("d", [Item([Name("e")])])]).html_lines(), sep="\\n")
        <h3>a</h3>
        <p>b &lt; c</p>
        <h4>d</h4>
        <ul><li><code>e</code></li></ul>
        """
        from html import escape

        yield f"<h3>{escape(self.title)}</h3>"
        for part in self.parts:
            if isinstance(part, TitledList):
                if part.items:
                    yield from (f"<h4>{in_html(part.title)}</h4>", html_list([*part.shown()]))
            elif isinstance(part, Facts):
                yield from [html_list([*part.listed()])] if part.items else []
            elif isinstance(part, Table):
                yield from [f"<h4>{in_html(part.title)}</h4>"] if part.title else []
                cells = (("th", part.heads), *(("td", row) for row in part.rows))
                rows = (
                    f"<tr>{''.join(f'<{kind}>{in_html(cell)}</{kind}>' for cell in row)}</tr>"
                    for kind, row in cells
                )
                yield f"<table>{''.join(rows)}</table>"
                yield from _paragraphs(part.notes)
            else:
                yield from _paragraphs([part])


def in_markdown(words: Words) -> str:
    """Words as they stand in a Markdown paragraph, list or table.

    >>> in_markdown(["a<b of ", Name("x|y")])
    'a&lt;b of `x\\\\|y`'
    """
    return "".join(map(_part, [words] if isinstance(words, str) else words))


def in_html(words: Words) -> str:
    """Words as they stand in an HTML paragraph, list or table.

    >>> in_html(["a<b of ", Name("x|y"), CommandAdvice(", with --all")])
    'a&lt;b of <code>x|y</code>'
    """
    from html import escape

    parts = [words] if isinstance(words, str) else words
    return "".join(
        f"<code>{escape(part)}</code>" if isinstance(part, Name) else escape(part)
        for part in parts
        if not isinstance(part, CommandAdvice)
    )


def _paragraphs(sentences: Sequence[Words]) -> Iterator[str]:
    yield from (f"<p>{shown}</p>" for shown in map(in_html, sentences) if shown)


def html_list(items: Sequence[Item]) -> str:
    """Items as an HTML list.

    >>> html_list([Item("a", [Item("b")])])
    '<ul><li>a<ul><li>b</li></ul></li></ul>'
    """
    entries = (
        f"<li>{in_html(item.words)}{html_list(item.below) if item.below else ''}</li>" for item in items
    )
    return f"<ul>{''.join(entries)}</ul>"


def _part(text: str) -> str:
    escaped = text.replace("|", "\\|")
    if isinstance(text, Name):
        return f"`{escaped.replace('`', chr(39))}`" if text else ""
    return escaped.replace("<", "&lt;")


def aligned(rows: Sequence[Sequence[str]], right: Container[int] = ()) -> Iterator[str]:
    """The lines of a table.

    Args:
        rows: the heads and all that is below them.
        right: columns whose cells end at the same place, as numbers do.

    >>> list(aligned([("NAME", "COUNT"), ("a", "7")], right={1}))
    ['NAME  COUNT', 'a         7']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()
