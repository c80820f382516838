"""TNL020 to TNL023: every rule has a page, every page a rule, and both say the same words."""

from __future__ import annotations

from collections.abc import Iterator, Set
from pathlib import Path

from tenure.pages import Page
from tools.lints.known import readings
from tools.lints.pages import HEADINGS, PAGES, pages, slug_of
from tools.lints.problem import Problem
from tools.lints.source import RuleFunction, quoted_statement, rule_functions

_STATUSES = ("live", "retired")


def statements(root: Path) -> Iterator[Problem]:
    """TNL020 and TNL023: the statement in the docstring against the one on the page."""
    by_id = {page.id: page for page in pages(root)}
    functions = rule_functions(root)
    for function in functions:
        page = by_id.get(function.id)
        if page is None:
            message = f"{function.label} has no page: write {PAGES.as_posix()}/{function.id}-….md"
            yield Problem(function.path, function.node.lineno, "TNL020", message)
        yield from _statement_of(function, page)
    registered = {function.id for function in functions}
    for page in by_id.values():
        if page.id not in registered and page.front.get("status") != "retired":
            message = f"{page.id} has a page and no function: register it with @rule, or retire the page"
            yield Problem(page.path, 1, "TNL020", message)


def _statement_of(function: RuleFunction, page: Page | None) -> Iterator[Problem]:
    quoted = quoted_statement(function.node)
    line = function.node.lineno
    if quoted is None:
        message = f"{function.label} quotes no statement: begin lines of its docstring with `> `"
        yield Problem(function.path, line, "TNL023", message)
    elif page is not None and quoted != page.statement:
        yield Problem(
            function.path,
            line,
            "TNL020",
            f'{function.label}: the docstring states "{quoted}", the page {page.path} states '
            f'"{page.statement}"; make them equal',
        )


def page_form(root: Path) -> Iterator[Problem]:
    """TNL021 and TNL022: headings and front matter of every page."""
    functions = {function.id: function.dotted for function in rule_functions(root)}
    keys = readings(root).keys()
    for page in pages(root):
        yield from _headings_of(page)
        for message in _front_matter_of(page, functions.get(page.id), keys):
            yield Problem(page.path, 1, "TNL022", f"{page.id}: {message}")


def _headings_of(page: Page) -> Iterator[Problem]:
    expected = ((1, f"{page.id}: {page.front.get('title')}"), *((2, text) for text in HEADINGS))
    if page.headings != expected:
        found = ", ".join("#" * level + " " + text for level, text in page.headings)
        wanted = ", ".join("#" * level + " " + text for level, text in expected)
        yield Problem(page.path, 1, "TNL021", f"{page.id}: the headings are {found}; they should be {wanted}")


def _front_matter_of(page: Page, function: str | None, keys: Set[str]) -> Iterator[str]:
    front = page.front
    if front.get("id") != page.id:
        yield f"the front matter's id is {front.get('id')!r}, the file's name says {page.id!r}"
    if page.slug != slug_of(str(front.get("title", ""))):
        yield f"the title {front.get('title')!r} does not give the file's name {page.slug!r}"
    if function is not None and front.get("function") != function:
        yield f"the front matter's function is {front.get('function')!r}, the rule is {function}"
    if front.get("status") not in _STATUSES:
        yield f"the status is {front.get('status')!r}; it is one of {', '.join(_STATUSES)}"
    if not front.get("source"):
        yield "the front matter names no source"
    yield from _readings_of(front.get("readings"), keys)


def _readings_of(found: object, keys: Set[str]) -> Iterator[str]:
    if not isinstance(found, list):
        yield f"the front matter's readings are {found!r}; give a list, empty if it depends on none"
        return
    for key in found:
        if key not in keys:
            yield f"{key!r} is no key of spec/readings.toml"
