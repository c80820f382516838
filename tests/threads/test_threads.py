"""Questions from public threads keep their answers, and the page about them shows what the answers say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.threads.folders import HERE, Thread, threads

PAGE = HERE.parents[1] / "docs" / "explanation" / "questions.md"
THREADS = threads()
HEADINGS = ("Question", "The thread", "Tenure", "Does the output answer it?", "Then and now", "Assumed")


@pytest.fixture(params=THREADS, ids=lambda thread: thread.folder.name)
def thread(request: pytest.FixtureRequest) -> Thread:
    """Each of them."""
    chosen: Thread = request.param
    return chosen


def test_there_are_ten() -> None:
    assert len(THREADS) == 10


def test_the_command_prints_the_recorded_answer(thread: Thread) -> None:
    assert thread.said() == thread.recorded, "if it should: python -m tests.threads --write"


def test_the_clock_is_fixed(thread: Thread) -> None:
    assert "--now" in thread.arguments


def test_the_question_says_what_it_has_to(thread: Thread) -> None:
    text = (thread.folder / "question.md").read_text(encoding="utf-8")
    assert text.startswith(f"# kueue#{thread.number}\n")
    assert re.findall(r"^\*\*([^*]+?)\.?\*\*", text, re.MULTILINE) == [
        *HEADINGS[:-1],
        "Real Kueue v0.19.2",
        HEADINGS[-1],
    ]


def test_the_page_has_the_same_threads() -> None:
    assert sorted(_sections()) == [thread.number for thread in THREADS]


def test_the_page_shows_lines_of_the_answer(thread: Thread) -> None:
    shown = _sections()[thread.number]
    printed = [line.strip() for line in thread.recorded.splitlines()]
    assert shown, f"{PAGE.name} shows nothing of kueue#{thread.number}"
    assert [line for line in shown if line.strip() not in printed] == []


def _sections(page: Path = PAGE) -> dict[int, list[str]]:
    """By thread the lines of the page's `text` blocks about it; `...` stands for lines left out."""
    found = {}
    for section in re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        number = re.search(r"\(kueue#(\d+)\)", section)
        if number is not None:
            blocks = re.findall(r"^```text\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
            lines = "".join(blocks).splitlines()
            found[int(number[1])] = [line for line in lines if line.strip() not in ("", "...")]
    return found
