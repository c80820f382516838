"""TNL080: a finding names what it rests on, and all of that exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tenure.pages import Page
from tools.lints.known import SCENARIOS, obligations, readings, scenarios, vectors
from tools.lints.pages import findings as finding_pages
from tools.lints.problem import Problem

HEADINGS = ("What disagrees", "The scenario", "The outcome under each reading", "The repair, and why")
"""The sections of every finding, in order."""

REPLAYS = {
    "vectors": "tenure vectors run {}",
    "scenarios": f"tenure simulate {SCENARIOS.as_posix()}/{{}}.yaml",
}
"""What replays a finding, in the front matter, and the command on the page that does it."""

STANDING = {"severity": ("high", "medium", "low"), "status": ("proposal", "answered", "shipped", "fixed")}
"""What a maintainer reads first, and its choices; spec/README.md says what they mean."""

THREAD = re.compile(r"https://github\.com/[\w.-]+/(?P<project>[\w.-]+)/(?:issues|pull)/(?P<number>[1-9]\d*)")
"""Where a finding is known upstream: an issue or a pull request."""

REPORTED = ("expected", "actual", "vectors")
"""What a finding among the `first` has for its report."""

_COMMAND = re.compile(r"^    (tenure (?:vectors run|simulate) \S.*)$")


def findings(root: Path) -> Iterator[Problem]:
    """TNL080: headings, reading key, obligations, replays and the command of every finding."""
    known = {
        "obligations": obligations(root),
        "vectors": vectors(root),
        "scenarios": scenarios(root),
        "reading": set(readings(root)),
    }
    for page in finding_pages(root):
        for message in _wrong_with(page, known):
            yield Problem(page.path, 1, "TNL080", f"{page.id}: {message}")


def _wrong_with(page: Page, known: dict[str, set[str]]) -> Iterator[str]:
    if page.front.get("id") != page.id:
        yield f"the front matter says {page.front.get('id')!r}; the file's name says {page.id}"
    titles = [title for level, title in page.headings if level == 2]
    if len(titles) != len(HEADINGS) or not all(map(str.startswith, titles, HEADINGS)):
        yield f"its sections are {titles}; write {list(HEADINGS)}"
    if not any(page.front.get(kind) for kind in REPLAYS):
        yield f"names none of {', '.join(REPLAYS)}: a finding can be replayed"
    yield from _standing(page)
    yield from _unknown(page, known)
    yield from _commands_of(page)


def _standing(page: Page) -> Iterator[str]:
    for key, choices in STANDING.items():
        if page.front.get(key) not in choices:
            yield f"{key} is {page.front.get(key)!r}; write one of {', '.join(choices)}"
    if not page.front.get("field"):
        yield "names no field: write the one of the API that it is about"
    missing = [key for key in REPORTED if not page.front.get(key)]
    if "first" in page.front and missing:
        yield f"is among the first and has no {' and no '.join(missing)}: its report needs them"
    known = page.front.get("known", "")
    if known and not THREAD.fullmatch(known):
        yield f"known is {known!r}; write the address of an issue or a pull request on github.com"
    is_fixed = page.front.get("status") == "fixed"
    if is_fixed != ("release" in page.front) or (is_fixed and not known):
        yield "a fixed finding, and no other, has the release that fixed it; known says by which pull request"


def _unknown(page: Page, known: dict[str, set[str]]) -> Iterator[str]:
    reading = page.front.get("reading")
    if reading is not None and reading not in known["reading"]:
        yield f"reading {reading!r} is no key of spec/readings.toml"
    for kind in ("obligations", *REPLAYS):
        for name in page.front.get(kind) or []:
            if name not in known[kind]:
                yield f"names {name}, which is none of the {kind}"


def _commands_of(page: Page) -> Iterator[str]:
    """One command for each kind that the front matter names, which replays all of that kind."""
    commands = [found[1] for line in page.body.splitlines() if (found := _COMMAND.match(line))]
    named = [kind for kind in REPLAYS if page.front.get(kind)]
    if len(commands) != len(named):
        expected = "one" if len(named) == 1 else f"one each for {' and '.join(named)}"
        yield f"has {len(commands)} commands that replay it; write {expected}, indented by four spaces"
        return
    subjects = [command.split(" --")[0] for command in commands]
    for kind in named:
        for name in page.front[kind]:
            if not any(REPLAYS[kind].format(name).startswith(subject) for subject in subjects):
                yield f"names {name}, which `{'` or `'.join(commands)}` does not replay"
