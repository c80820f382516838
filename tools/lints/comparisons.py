"""TNL030: the comparisons that a page states against those that the function makes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import Path

from tenure.pages import Page, StatedComparison
from tools.lints.pages import pages
from tools.lints.problem import Problem
from tools.lints.source import RuleFunction, comparisons, rule_functions

_NONE_STATED = "None."


def stated_comparisons(root: Path) -> Iterator[Problem]:
    """TNL030: every rule that has a page."""
    by_id = {page.id: page for page in pages(root)}
    for function in rule_functions(root):
        if function.id in by_id:
            yield from _compare(function, by_id[function.id])


def _compare(function: RuleFunction, page: Page) -> Iterator[Problem]:
    made = comparisons(function.node)
    stated = page.comparisons()
    if not stated and not any(line.text == _NONE_STATED for line in page.section("Comparisons")):
        message = f'{function.label}: the page {page.path} states no comparisons; list them, or write "None."'
        yield Problem(page.path, 1, "TNL030", message)
    for row, compare in _pairs(stated, made):
        if row is None or compare is None or row.code != ast.unparse(compare):
            line = function.node.lineno if compare is None else compare.lineno
            yield Problem(function.path, line, "TNL030", _difference(function, row, compare))


def _pairs(
    stated: list[StatedComparison], made: list[ast.Compare]
) -> Iterator[tuple[StatedComparison | None, ast.Compare | None]]:
    """Position by position; where one side has more, around what both have in common."""
    if len(stated) == len(made):
        yield from zip(stated, made, strict=True)
        return
    matcher = SequenceMatcher(None, [row.code for row in stated], [ast.unparse(part) for part in made])
    for _, first, last, start, end in matcher.get_opcodes():
        yield from zip_longest(stated[first:last], made[start:end])


def _difference(function: RuleFunction, row: StatedComparison | None, compare: ast.Compare | None) -> str:
    says = "" if row is None else f'the page states "{row.code}" ({row.words})'
    does = "" if compare is None else f'the code says "{ast.unparse(compare)}"'
    if row is None:
        return f"{function.label}: {does}, the page states nothing of it; add a row or remove the comparison"
    if compare is None:
        return f"{function.label}: {says}, the code does not compare this; remove the row or mend the code"
    return f"{function.label}: {says}, {does}; one of them is wrong"
