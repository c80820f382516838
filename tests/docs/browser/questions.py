"""Ten questions of five readers: where the site answers them, and how long a reader clicks until there.

python -m tests.docs.browser.questions --site site   clicks, seconds and bytes of each way, in Chromium
"""

from __future__ import annotations

import argparse
import sys
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.docs.browser.driven import BROWSERS, Tab, driven
from tests.docs.browser.serving import served
from tests.docs.browser.visiting import WIDTHS

MOST_CLICKS = 3
_ANSWERS = 'document.querySelector("article").textContent.replace(/\\s+/g, "").includes(%r)'

_LINK = """[...document.querySelectorAll("a[href]")]
  .find(link => link.href.split("#")[0] === %r && link.checkVisibility())"""


@dataclass(frozen=True)
class Question:
    """A question, and where it is answered.

    Args:
        reader: who asks.
        asks: what, in their words.
        way: the pages that are opened one after the other, from the first one of the site.
        answer: the sentence of the last page that answers.
    """

    reader: str
    asks: str
    way: tuple[str, ...]
    answer: str


def questions() -> list[Question]:
    """All of them."""
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    return [
        Question(entry["reader"], entry["asks"], tuple(entry["way"]), entry["answer"])
        for entry in tomllib.loads(text)["question"]
    ]


def unspaced(text: str) -> str:
    """A text without its spaces, which tags and line ends change.

    >>> unspaced("a job  of\\n one")
    'ajobofone'
    """
    return "".join(text.split())


def walked(browser: Tab, base: str, question: Question) -> tuple[float, str]:
    """The seconds from opening the site to the page that answers, and what is missing on the way.

    Args:
        browser: a tab.
        base: where the site is served.
        question: which.
    """
    begun = time.monotonic()
    browser.open(f"{base}/")
    for page in question.way:
        link = _LINK % f"{base}/{page}"
        if not browser.value(f"Boolean({link})"):
            return time.monotonic() - begun, f"no link to {page}"
        with browser.page.expect_event("load"):
            browser.value(f"setTimeout(() => {link}.click())")
    seconds = time.monotonic() - begun
    found = browser.value(_ANSWERS % unspaced(question.answer))
    return seconds, "" if found else f"the page does not say: {question.answer}"


def main(given: Sequence[str] | None = None) -> int:
    """Click all ways; the exit code."""
    parser = argparse.ArgumentParser("python -m tests.docs.browser.questions", description=__doc__)
    parser.add_argument("--site", type=Path, default=Path("site"), help="a built site")
    parser.add_argument("--width", choices=WIDTHS, default="desktop", help="of the window")
    options = parser.parse_args(given)
    if BROWSERS["chromium"] is None:
        print("no chromium is installed here: see `make browser`", file=sys.stderr)
        return 2
    lost = 0
    with (
        driven("chromium") as browser,
        served(options.site) as base,
    ):
        browser.resize(*WIDTHS[options.width])
        browser.open(f"{base}/")  # what all pages have in common is read once
        for question in questions():
            seconds, missing = walked(browser, base, question)
            print(f"{len(question.way)} clicks, {seconds:4.1f} s  {question.reader}: {question.asks}")
            if missing:
                print(f"  {missing}")
            lost += bool(missing)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
