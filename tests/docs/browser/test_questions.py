"""Ten questions of five readers are answered by a sentence, at most three clicks from the first page."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import pytest

from tests.docs.browser.questions import MOST_CLICKS, Question, questions, unspaced
from tests.docs.links import HtmlPage


@pytest.mark.parametrize("question", questions(), ids=lambda question: question.asks)
def test_a_reader_finds_the_answer(question: Question, site_root: Path) -> None:
    here, shown = "", HtmlPage(site_root / "index.html")
    for page in question.way:
        links = {urldefrag(urljoin(f"/{here}", link))[0] for link in shown.links}
        assert f"/{page}" in links, f"/{here} has no link to /{page}"
        here, shown = page, HtmlPage(site_root / page / "index.html")
    assert unspaced(question.answer) in unspaced("".join(shown.text))
    assert len(question.way) <= MOST_CLICKS


def test_five_readers_ask_two_questions_each() -> None:
    assert list(Counter(question.reader for question in questions()).values()) == [2] * 5
