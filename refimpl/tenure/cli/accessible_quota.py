"""What is accessible to ClusterQueues while heroes run, and what they are billed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tenure.as_json import as_json
from tenure.conformance.accessible import kind_of, render_rows, render_tree
from tenure.conformance.answer_types import AccessibleAnswer, AccessibleRow
from tenure.explanation.groups import shortened
from tenure.explanation.shortages import amount
from tenure.explanation.summary import reading_text
from tenure.inquiry import Inquiry
from tenure.model import Amount, FlavorResource
from tenure.oracle.decide import Decision
from tenure.oracle.heroes.accessible import NodeAccounts, accessible_tree, accessible_trees
from tenure.outline import aligned
from tenure.units import format_instant
from tenure.versions import kueue_version

HEADS = ("QUEUE", "FLAVOR", "RESOURCE", "NOMINAL", "BILL", "ACCESSIBLE", "BORROWING LIMIT")
_AMOUNTS = range(3, len(HEADS))
"""The columns that are no names."""
Trees = Sequence[tuple[NodeAccounts, ...]]


def trees_of(inquiry: Inquiry) -> Trees:
    """Every tree of a cluster, with what is accessible at each node.

    Args:
        inquiry: the cluster, the clock, the reading.

    Raises:
        InputError: as `accessible_trees`.
    """
    return list(accessible_trees(inquiry.loaded.cluster, inquiry.now, inquiry.reading))


def accessible_answer(trees: Trees, inquiry: Inquiry) -> Any:
    """What is accessible to every ClusterQueue, as JSON has it."""
    answer = AccessibleAnswer(
        now=format_instant(inquiry.now),
        reading=inquiry.reading.written(),
        reading_text=reading_text(inquiry.reading),
        kueue=kueue_version(inquiry.kueue),
        rows=render_rows(node for tree in trees for node in tree),
        trees=tuple(render_tree(tree) for tree in trees),
        warnings=inquiry.warnings,
    )
    return as_json(answer)


def accessible_lines(trees: Trees, inquiry: Inquiry, *, every: bool) -> Iterator[str]:
    """What is accessible to every ClusterQueue: a table, and a picture of each tree."""
    heads, *lines = _table(node for tree in trees for node in tree)
    yield heads
    yield from shortened(lines, every=every, indent="")
    for tree in trees:
        if len(tree) > 1:
            yield ""
            yield from shortened(list(_picture(tree)), every=every, indent="")
    yield ""
    yield f"clock {format_instant(inquiry.now)}, reading {reading_text(inquiry.reading)}"


def own_rows(decision: Decision) -> tuple[AccessibleRow, ...] | None:
    """What is accessible to the ClusterQueue of a decision; None where its tree is billed for no hero."""
    return render_rows(_own(decision)) or None


def own_lines(decision: Decision) -> Iterator[str]:
    """The same as text."""
    if own := _own(decision):
        yield ""
        yield f"Accessible to ClusterQueue {decision.queue.name} while heroes run"
        yield from (f"  {line}" for line in _table(own))


def _own(decision: Decision) -> list[NodeAccounts]:
    tree = accessible_tree(decision.snapshot)
    if not any(account.bill for node in tree for account in node.accounts):
        return []
    return [node for node in tree if node.is_queue and node.name == decision.queue.name]


def _table(nodes: Iterable[NodeAccounts]) -> Iterator[str]:
    return aligned([HEADS, *sorted(row for node in nodes for row in _rows(node))], right=_AMOUNTS)


def _rows(node: NodeAccounts) -> Iterator[tuple[str, ...]]:
    for account in node.accounts if node.is_queue else ():
        at = account.flavor_resource
        amounts = (amount(at, account.nominal), amount(at, account.bill), amount(at, account.accessible))
        yield (node.name, at.flavor, at.resource, *amounts, _limit(at, account.borrowing_limit))


def _limit(at: FlavorResource, limit: Amount | None) -> str:
    return "none" if limit is None else amount(at, limit)


def _picture(tree: tuple[NodeAccounts, ...]) -> Iterator[str]:
    names = [f"{'  ' * node.depth}{kind_of(node)} {node.name}" for node in tree]
    width = max(map(len, names))
    for name, node in zip(names, tree, strict=True):
        amounts = "; ".join(
            f"{at.resource} on {at.flavor}: {amount(at, row.nominal)} nominal, "
            f"{amount(at, row.bill)} billed, {amount(at, row.accessible)} accessible"
            for at, row in ((row.flavor_resource, row) for row in node.accounts)
        )
        yield f"{name.ljust(width)}  {amounts}".rstrip()
