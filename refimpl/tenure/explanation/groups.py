"""Many workloads in few lines: counted by what they have in common, with one example of each group."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Final, TypeVar

from tenure.outline import CommandAdvice, Words
from tenure.units import format_names

MOST: Final = 20
"""So many workloads of a kind are listed one by one; more are grouped or counted."""
FOR_ALL: Final = CommandAdvice(", with --all")
"""How the others are printed too."""
MOST_GROUPS: Final = 8
"""So many groups are listed, the largest; the rest are counted."""
MOST_NAMES: Final = 3
"""So many names stand in a sentence."""

Item = TypeVar("Item")


def shortened(lines: Sequence[str], *, every: bool, most: int = MOST, indent: str = "  ") -> Iterator[str]:
    """Some lines, and how many more there are.

    Args:
        lines: without their indent.
        every: whether all are listed.
        most: how many are listed otherwise.
        indent: before each.

    >>> list(shortened(["a", "b", "c"], every=False, most=1))
    ['  a', '  and 2 more, with --all']
    """
    yield from (f"{indent}{line}" for line in (lines if every else lines[:most]))
    if not every and len(lines) > most:
        yield f"{indent}and {len(lines) - most} more{FOR_ALL}"


def grouped(items: Iterable[Item], common: Callable[[Item], Hashable]) -> list[list[Item]]:
    """Items with the same in common together: the largest group first, each in the order given.

    >>> grouped(["a1", "b1", "b2"], lambda item: item[0])
    [['b1', 'b2'], ['a1']]
    """
    groups: dict[Hashable, list[Item]] = {}
    for item in items:
        groups.setdefault(common(item), []).append(item)
    return sorted(groups.values(), key=len, reverse=True)


def group_lines(
    groups: Sequence[Sequence[Item]], line: Callable[[Sequence[Item]], str], indent: str = "  "
) -> Iterator[Words]:
    """A line for each of the largest groups, and how many workloads the others have.

    >>> list(group_lines([["a1"], ["b1"]], lambda group: f"{len(group)}, e.g. {group[0]}"))
    ['  1, e.g. a1', '  1, e.g. b1']
    """
    yield from (indent + line(group) for group in groups[:MOST_GROUPS])
    rest = groups[MOST_GROUPS:]
    if rest:
        yield [f"{indent}and {sum(map(len, rest))} more in {len(rest)} smaller groups", FOR_ALL]


def names_text(names: Sequence[str], *, every: bool = False) -> str:
    """The first of many names, and how many more there are; a few are all named.

    >>> names_text([f"w{number}" for number in range(25)])
    'w0, w1, w2 and 22 more'
    """
    return format_names(names, len(names) if every or len(names) <= MOST else MOST_NAMES)


def queues_text(queues: Iterable[str]) -> str:
    """Where the workloads of a group are.

    >>> queues_text(["a", "a"]), queues_text(["b", "a", "a"]), queues_text("abcdd")
    ('ClusterQueue a', 'ClusterQueues a (2), b (1)', '4 ClusterQueues, most in d (2)')
    """
    counted = sorted(Counter(queues).items(), key=lambda pair: (-pair[1], pair[0]))
    if len(counted) == 1:
        return f"ClusterQueue {counted[0][0]}"
    if len(counted) <= MOST_NAMES:
        return f"ClusterQueues {', '.join(f'{queue} ({count})' for queue, count in counted)}"
    queue, count = counted[0]
    return f"{len(counted)} ClusterQueues, most in {queue} ({count})"


def without_place(verdict: str) -> str:
    """A verdict without the one thing in it that differs from workload to workload: its place in the order.

    >>> without_place("kept: it may be preempted, but the first 2 in order sufficed (3rd)")
    'kept: it may be preempted, but the first 2 in order sufficed'
    """
    return re.sub(r" \(\d+(st|nd|rd|th)\)$", "", verdict)


def rule_named(text: str) -> str:
    """The rule that a sentence ends with, in brackets; the sentence itself where it names none.

    >>> rule_named("when its turn came Cohort c0 was within its quota (KQ-380)")
    'KQ-380'
    """
    found = re.search(r"\(([A-Z]+-\d{3})\)$", text)
    return found[1] if found else text
