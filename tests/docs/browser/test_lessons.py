"""Examples with controls in a browser: they show what their tables say, and keys move their sliders."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.gen.lesson import Lesson
from docs.gen.lessons import lessons
from docs.gen.sources import places
from tests.docs.browser.driven import BROWSERS, Tab, driven
from tests.docs.browser.serving import served
from tests.docs.browser.visiting import SCHEMES, WIDTHS, visit

pytestmark = pytest.mark.skipif(
    BROWSERS["chromium"] is None, reason="no chromium is installed here: see `make browser`"
)

SAID = "[...document.querySelectorAll('.lesson-live [role=status] p')].map(line => line.textContent)"
CELLS = (
    "[...document.querySelectorAll('.lesson-live rect[data-kind]')].map(cell => cell.dataset.kind).join('')"
)
COLOURS = (
    "new Set([...document.querySelectorAll('rect[data-kind]')].map(cell => getComputedStyle(cell).fill)).size"
)
CHOOSE = """
{
  const form = document.querySelector(".lesson-live form");
  form.elements[%r].value = %d;
  form.elements[%r].dispatchEvent(new Event("input", {bubbles: true}));
}
"""


def test_an_example_shows_what_its_table_says_and_keys_move_it(site_root: Path) -> None:
    with served(site_root, searched=False) as base, driven("chromium") as browser:
        browser.resize(*WIDTHS["phone"])
        for rule, lesson in lessons().items():
            page = f"{base}/{places()[rule].removesuffix('.md')}/"
            assert visit(browser, page, base) == []
            chosen = [control.start for control in lesson.controls]
            shows(browser, lesson, chosen)
            browser.value(f"document.querySelector('.lesson-live [name={lesson.controls[-1].name}]').focus()")
            for key, moved in (("ArrowRight", 1), ("End", None), ("Home", -100)):
                browser.page.keyboard.press(key)
                last = len(lesson.controls[-1].values) - 1
                chosen[-1] = last if moved is None else max(0, chosen[-1] + moved)
                shows(browser, lesson, chosen)
            for place, control in enumerate(lesson.controls):
                chosen[place] = len(control.values) - 1
                browser.value(CHOOSE % (control.name, chosen[place], control.name))
                shows(browser, lesson, chosen)


def shows(browser: Tab, lesson: Lesson, chosen: list[int]) -> None:
    """Whether the page says, and shows in either scheme, what is in the table for a choice."""
    assert browser.value(SAID) == lesson.sentences(chosen)
    cells = "".join(lesson.shown_cells(chosen))
    assert browser.value(CELLS) == cells
    for scheme in SCHEMES.values():
        browser.value(f'document.body.setAttribute("data-md-color-scheme", "{scheme}")')
        assert browser.value(COLOURS) == len(set(cells))
