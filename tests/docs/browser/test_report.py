"""The page of `tenure report` in browsers: search, a click, fold, both schemes, a phone; no barriers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Route

from docs.gen.playground import FetchError
from tests.command_line import tenure, wait_until
from tests.docs.browser.barriers import checker, met_in
from tests.docs.browser.driven import BROWSERS, Name, Tab, driven
from tests.docs.browser.visiting import WIDTHS
from tests.tenure_report.test_report import LOWER, NOW, TWO, job, local_queue, queue
from tests.tenure_report.test_serving import serving, write
from tools import libyaml

CLUSTER = (*TWO, queue("c", 4, None, preemption=LOWER), local_queue("c"), job("new", "c", 2, None, 9))
"""By hand: small, so that all of it is answered on any machine."""
PIECE = "document.querySelector('.bar:not([hidden]) .piece[data-job]')"
CLICK = f"{PIECE}.dispatchEvent(new MouseEvent('click', {{bubbles: true}}))"
CHOSEN = "document.getElementById('chosen').innerText"
SHOWN = "[...document.querySelectorAll('.queue')].filter(each => each.checkVisibility()).length"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    (folder / "cluster.yaml").write_text(libyaml.dump_all(CLUSTER), encoding="utf-8")
    done = tenure(
        *("report", "cluster.yaml", "--now", NOW, "--budget", "600", "-o", "cluster.html"), cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return folder / "cluster.html"


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
    assert f"tenure why {name} cluster.yaml" in browser.value(CHOSEN)
    search(browser, name)
    assert browser.until("document.getElementById('found').textContent") == "1 job in 1 queue"
    assert browser.value(SHOWN) == 1
    search(browser, "")
    browser.until(f"{SHOWN} === {every}")
    browser.value("document.getElementById('fold').click()")
    assert browser.value(SHOWN) == 1  # the one without a Cohort
    assert browser.complaints(page.parent.as_uri()) == []


def test_a_clusterqueue_shows_its_part_of_the_matrix_its_guarantees_and_its_fields(
    browser: Tab, page: Path
) -> None:
    browser.open(page.as_uri())
    browser.value("[...document.querySelectorAll('h3 a')].find(each => each.innerText === 'c').click()")
    text = browser.until(f"{CHOSEN}.includes('analyze guarantees') && {CHOSEN}")
    assert "c can be preempted by its own workloads (higher priority only)" in text
    assert "c never preempts a and b" in text
    assert "ALWAYS GETS" in text.upper()
    assert "not answered within the budget" not in text
    assert "tenure analyze matrix cluster.yaml --victim c" in text


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
    (job, *_) = re.findall(r'href="#(job/[^"]+)"', page.read_text(encoding="utf-8"))
    browser.open(f"{page.as_uri()}#{job}")
    browser.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    browser.value("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    assert browser.value("document.documentElement.scrollWidth <= innerWidth")
    assert met_in(browser, script) == []


MANY = [job(f"run-{number:02}", "b", 1, "2026-03-02T10:00:00Z") for number in range(40)]
KEEP: tuple[dict[str, Any], ...] = (
    queue("a", 8),
    queue("b", 80),
    local_queue("a"),
    local_queue("b"),
    *MANY,
    job("chosen", "b", 2, "2026-03-02T10:00:00Z", 5),
    job("chosen-later", "a", 3, priority=7),
)
"""Two ClusterQueues; jobs of a higher priority that are added have lower numbers."""
FIRST = (job("first", "b", 1, "2026-03-02T10:00:00Z", 900), job("also", "a", 1, "2026-03-02T10:00:00Z", 901))
TITLE = "document.querySelector('#chosen h2').textContent"
PLACE = "document.getElementById('job/b/run-30').getBoundingClientRect().top"
OPEN = "[...document.querySelectorAll('details')].map(each => each.open).join()"
NEWER = "document.getElementById('age').textContent.includes('a newer picture follows')"
FIELDS = "[...document.querySelectorAll('#search, select')].map(each => each.value).join()"


def test_a_new_picture_keeps_the_place_where_one_looks(browser: Tab, tmp_path: Path) -> None:
    write(tmp_path / "cluster.yaml", *KEEP)
    browser.resize(*WIDTHS["desktop"])
    with serving("cluster.yaml", cwd=tmp_path) as server:
        address = f"http://127.0.0.1:{server.port}"
        browser.open(f"{address}/#job/b/chosen")
        browser.until("document.getElementById('age')?.textContent.startsWith('Read ')")
        browser.value("document.getElementById('colour').selectedIndex = 1")
        browser.value("document.getElementById('colour').dispatchEvent(new Event('change'))")
        search(browser, "run-3")
        browser.until("document.getElementById('found').textContent === '10 jobs in 1 queue'")
        search(browser, "b")
        browser.until("document.getElementById('found').textContent !== '10 jobs in 1 queue'")
        browser.value("document.querySelector('header details').open = true")
        browser.value("document.getElementById('search').focus()")
        browser.value("document.getElementById('job/b/run-30').scrollIntoView({block: 'center'})")
        before = [browser.value(each) for each in (TITLE, OPEN, FIELDS)]
        top = browser.value(PLACE)
        old = browser.value("document.getElementById('job/b/chosen').dataset.number")

        write(tmp_path / "cluster.yaml", *KEEP, *FIRST)
        browser.until("document.getElementById('job/b/first')")
        assert browser.value("document.getElementById('job/b/chosen').dataset.number") != old
        assert [browser.value(each) for each in (TITLE, OPEN, FIELDS)] == before
        # Browsers scroll by whole device pixels.
        assert browser.value(PLACE) == pytest.approx(top, abs=2)
        assert browser.value("document.body.dataset.colour") == "priority"
        assert browser.value("document.activeElement.id") == "search"
        assert browser.value("location.hash") == "#job/b/chosen"
        marked = "document.querySelector('main .bar .chosen title').textContent"
        assert browser.value(marked).startswith("b/chosen ")

        write(tmp_path / "cluster.yaml", *KEEP[:-2], *FIRST)
        browser.until("document.getElementById('chosen').innerText.includes('Not in this picture.')")
        browser.value("document.querySelector('#chosen button').click()")
        assert browser.value("document.getElementById('chosen').hidden")
        assert browser.complaints(address) == []


def test_an_error_of_reading_is_shown_with_its_age_and_the_last_picture_stays(
    browser: Tab, tmp_path: Path
) -> None:
    path = tmp_path / "cluster.yaml"
    write(path, *KEEP)
    with serving("cluster.yaml", cwd=tmp_path) as server:
        browser.open(f"http://127.0.0.1:{server.port}/")
        browser.until("document.getElementById('age')?.textContent.startsWith('Read ')")
        browser.value("getSelection().selectAllChildren(document.querySelector('.counts'))")
        browser.until(NEWER)
        path.write_text("kind: [", encoding="utf-8")
        shown = browser.until("document.getElementById('trouble').textContent")
        assert shown.startswith("cluster.yaml")
        assert "reading failed" in browser.value("document.getElementById('age').textContent")
        assert browser.value("document.getElementById('job/b/chosen') !== null")
        browser.value("getSelection().removeAllRanges()")
        write(path, *KEEP, *FIRST)
        browser.until("document.getElementById('job/b/first')")
        browser.until("document.getElementById('trouble').textContent === ''")
        server.interrupted()
        gone = "document.getElementById('trouble').textContent.startsWith('The server does not answer.')"
        assert browser.until(gone)


def test_nothing_changes_under_a_selection(browser: Tab, tmp_path: Path) -> None:
    write(tmp_path / "cluster.yaml", *KEEP)
    with serving("cluster.yaml", cwd=tmp_path) as server:
        browser.open(f"http://127.0.0.1:{server.port}/#job/b/chosen")
        browser.until("document.getElementById('age').textContent.startsWith('Read ')")
        browser.value("getSelection().selectAllChildren(document.querySelector('#chosen pre'))")
        write(tmp_path / "cluster.yaml", *KEEP, *FIRST)
        wait_until(lambda: "b/first" in server.ask().body, "the new job is on the server's page")
        age = browser.until(f"{NEWER} && document.getElementById('age').textContent")
        assert re.fullmatch(r"Read \d+ s ago · a newer picture follows when nothing is selected", age)
        assert browser.value("document.getElementById('job/b/first') === null")
        browser.value("getSelection().removeAllRanges()")
        browser.until("document.getElementById('job/b/first')")


def test_a_late_first_answer_under_a_selection_gives_the_shown_picture_no_age(
    browser: Tab, tmp_path: Path
) -> None:
    write(tmp_path / "cluster.yaml", *KEEP)
    held: list[Route] = []
    is_held = True

    def hold(route: Route) -> None:
        # A busy machine's page may ask twice before the first answer.
        if is_held:
            held.append(route)
        else:
            route.continue_()

    with serving("cluster.yaml", cwd=tmp_path) as server, routed(browser, "**/state", hold):
        browser.open(f"http://127.0.0.1:{server.port}/#job/b/chosen")
        browser.value("getSelection().selectAllChildren(document.querySelector('#chosen pre'))")
        write(tmp_path / "cluster.yaml", *KEEP, *FIRST)
        wait_until(lambda: "b/first" in server.ask().body, "the new job is on the server's page")
        browser.wait("the page asks for the state", lambda: held)
        assert browser.value("document.getElementById('age').textContent") == ""
        is_held = False
        for route in held:
            route.continue_()
        age = browser.until("document.getElementById('age').textContent")
        assert age == "A newer picture follows when nothing is selected"
        assert browser.value("document.getElementById('job/b/first') === null")
        browser.value("getSelection().removeAllRanges()")
        browser.until("document.getElementById('job/b/first')")
        browser.until("document.getElementById('age').textContent.startsWith('Read ')")


@contextmanager
def routed(browser: Tab, address: str, handle: Callable[[Route], None]) -> Iterator[None]:
    """Requests of the browser's pages to an address are answered as `handle` does."""
    context = browser.page.context
    context.route(address, handle)
    try:
        yield
    finally:
        context.unroute(address)
