"""The page of `tenure report` in browsers: search, a click, fold, both schemes, a phone; no barriers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.gen.playground import FetchError
from tests.command_line import tenure
from tests.docs.browser.barriers import checker, met_in
from tests.docs.browser.driven import BROWSERS, Name, Tab, driven
from tests.docs.browser.visiting import WIDTHS

EXAMPLE = ("--example", "shared-cohort", "--now", "2026-05-11T14:00:00Z")
PIECE = "document.querySelector('.bar:not([hidden]) .piece[data-job]')"
CLICK = f"{PIECE}.dispatchEvent(new MouseEvent('click', {{bubbles: true}}))"
SHOWN = "[...document.querySelectorAll('.queue')].filter(each => each.checkVisibility()).length"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "cluster.html"
    done = tenure("report", *EXAMPLE, "-o", str(path))
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture(scope="module", params=BROWSERS)
def browser(request: pytest.FixtureRequest) -> Iterator[Tab]:
    name: Name = request.param
    if BROWSERS[name] is None:
        pytest.skip(f"{name} is not installed here: see `make browser`")
    with driven(name) as opened:
        yield opened


def search(browser: Tab, words: str) -> None:
    browser.value(f"document.getElementById('search').value = {words!r}")
    browser.value("document.getElementById('search').dispatchEvent(new Event('input'))")


def test_a_job_is_found_and_chosen_and_nothing_is_requested(browser: Tab, page: Path) -> None:
    browser.resize(*WIDTHS["desktop"])
    browser.open(page.as_uri())
    every = browser.value(SHOWN)
    assert every > 1
    browser.value(CLICK)
    name = browser.until("document.querySelector('#chosen:not([hidden]) h2')?.textContent")
    assert f"tenure why {name} --example shared-cohort" in browser.value(
        "document.getElementById('chosen').innerText"
    )
    search(browser, name)
    assert browser.until("document.getElementById('found').textContent") == "1 jobs in 1 queues"
    assert browser.value(SHOWN) == 1
    search(browser, "")
    browser.until(f"{SHOWN} === {every}")
    browser.value("document.getElementById('fold').click()")
    assert browser.value(SHOWN) == 0
    assert browser.complaints(page.parent.as_uri()) == []


USED = "[...document.querySelectorAll('main .bar .piece')].map(each => each.outerHTML).join()"


def test_the_bars_follow_the_coming_cycles(browser: Tab, page: Path) -> None:
    browser.open(page.as_uri())
    first = browser.value(USED)
    steps = browser.value("document.querySelectorAll('#coming button').length")
    assert steps > 1
    seen = {first}
    for step in range(1, steps):
        browser.value(f"document.querySelectorAll('#coming button')[{step}].click()")
        seen.add(browser.value(USED))
    assert len(seen) > 1
    pressed = "[...document.querySelectorAll('#coming button')].map(each => each.ariaPressed).join()"
    assert browser.value(pressed) == ",".join(["false"] * (steps - 1) + ["true"])
    browser.value("document.querySelector('#coming button').click()")
    assert browser.value(USED) == first


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_keeps_no_reader_out(browser: Tab, page: Path, width: str, scheme: str) -> None:
    try:
        script = checker()
    except FetchError as error:
        pytest.skip(f"axe-core cannot be fetched: {error}")
    browser.resize(*WIDTHS[width])
    browser.open(f"{page.as_uri()}#j0")
    browser.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    browser.value("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    assert browser.value("document.documentElement.scrollWidth <= innerWidth")
    assert met_in(browser, script) == []
