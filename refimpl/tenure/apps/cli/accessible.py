"""`tenure accessible`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tenure.apps.cli.asked import Inquiry, ask
from tenure.apps.cli.commands import with_records
from tenure.apps.cli.options import EditOptions, InputOptions, Interpretation, Now
from tenure.apps.cli.output import Every, Printing, about, aligned, print_answer
from tenure.apps.cli.terminal import choose_colour
from tenure.as_json import as_json
from tenure.conformance.accessible import kind_of, render_rows, render_tree
from tenure.conformance.answer_types import AccessibleAnswer
from tenure.explanation.groups import shortened
from tenure.explanation.shortages import amount
from tenure.explanation.summary import reading_text
from tenure.model import Amount, FlavorResource
from tenure.oracle.heroes.accessible import NodeAccounts, accessible_trees
from tenure.units import format_instant
from tenure.versions import kueue_asked

HEADS = ("QUEUE", "FLAVOR", "RESOURCE", "NOMINAL", "BILL", "ACCESSIBLE", "BORROWING LIMIT")
_AMOUNTS = range(3, len(HEADS))
"""The columns that are no names."""


@with_records
def accessible_command(
    *,
    source: InputOptions,
    edits: EditOptions,
    now: Now = None,
    interpretation: Interpretation,
    every: Every = False,
    printing: Printing,
) -> None:
    """List what is accessible to every ClusterQueue while heroes run, and what they are billed.

    A bundled example, in which a hero uses more than its own quota:

    \b
    tenure accessible --example hero

    The cluster that kubectl talks to; priorities and pending workloads play no part:

    \b
    kubectl tenure accessible

    By the formula exactly as written, for another program:

    \b
    tenure accessible --example hero --reading as-written -o json | jq '.rows[] | select(.bill > 0)'

    Below the table is every tree, with nominal quota, bill and what is accessible at each node; JSON and
    YAML have the same, in base units or milli-CPU.

    Exit codes: 0 answered; 2 bad input; 3 internal error.
    """
    choose_colour(printing.color)
    asked = ask(source, now, interpretation, edits=edits)
    trees = list(accessible_trees(asked.loaded.cluster, asked.now, asked.reading))
    answer = AccessibleAnswer(
        now=format_instant(asked.now),
        reading=asked.reading.written(),
        reading_text=reading_text(asked.reading),
        kueue=kueue_asked(asked.kueue),
        rows=render_rows(node for tree in trees for node in tree),
        trees=tuple(render_tree(tree) for tree in trees),
        warnings=tuple(asked.warnings),
    )
    lines = about(asked.kueue, _lines(trees, asked, every=every))
    print_answer(printing.output, "accessible", as_json(answer), lines)


def _lines(trees: Sequence[tuple[NodeAccounts, ...]], asked: Inquiry, *, every: bool) -> Iterator[str]:
    heads, *lines = aligned([HEADS, *sorted(row for tree in trees for row in _rows(tree))], right=_AMOUNTS)
    yield heads
    yield from shortened(lines, every=every, indent="")
    for tree in trees:
        if len(tree) > 1:
            yield ""
            yield from shortened(list(_picture(tree)), every=every, indent="")
    yield ""
    yield f"clock {format_instant(asked.now)}, reading {reading_text(asked.reading)}"


def _rows(tree: tuple[NodeAccounts, ...]) -> Iterator[tuple[str, ...]]:
    for node in tree:
        if node.is_queue:
            for account in node.accounts:
                at = account.asked
                amounts = (
                    amount(at, account.nominal),
                    amount(at, account.bill),
                    amount(at, account.accessible),
                )
                yield (node.name, at.flavor, at.resource, *amounts, _limit(at, account.borrowing_limit))


def _limit(at: FlavorResource, limit: Amount | None) -> str:
    return "none" if limit is None else amount(at, limit)


def _picture(tree: tuple[NodeAccounts, ...]) -> Iterator[str]:
    names = [f"{'  ' * node.depth}{kind_of(node)} {node.name}" for node in tree]
    width = max(map(len, names))
    for name, node in zip(names, tree, strict=True):
        said = "; ".join(
            f"{row.asked.resource} on {row.asked.flavor}: {amount(row.asked, row.nominal)} nominal, "
            f"{amount(row.asked, row.bill)} billed, {amount(row.asked, row.accessible)} accessible"
            for row in node.accounts
        )
        yield f"{name.ljust(width)}  {said}".rstrip()
