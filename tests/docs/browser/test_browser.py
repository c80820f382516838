"""Headless browsers open pages, on a desk and on a phone, light and dark, and search the site."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.gen.sources import identifier_addresses
from tenure_proofs.obligations import OBLIGATIONS
from tests.docs.browser.__main__ import look
from tests.docs.browser.driven import BROWSERS, Name, Tab, driven
from tests.docs.browser.serving import served
from tests.docs.browser.visiting import KINDS, PICTURES, SCHEMES, WIDTHS, visit

WRONG = {
    "<p>fine</p>": "",
    "<script>nowhere()</script>": "nowhere is not defined",
    "<script>console.error('oh')</script>": "says error: oh",
    "<img src=missing.svg alt=none>": "got 404",
    "<script>let c = new AbortController(); fetch('page.html', c).catch(() => 0); c.abort()</script>": "",
    "<img src=http://another.invalid/a.png alt=none>": "asks http://another.invalid/a.png",
    "<article><p style='width: 2000px'>wide</p></article>": "is 2008 wide, because of p wide",
    "<img src=assets/images/favicon.png>": "does not say what",
}
"""Pages, and what is wrong with them."""
FIRST = {
    "why was my job preempted": "how-to/why-was-my-job-evicted/",
    "PO-TBP-010": "rules/TBP-050-when-an-equal-may-be-preempted/#po-tbp-010",
    "PO-KQ-100": "rules/KQ-230-sort-key-of-a-candidate/#po-kq-100",
    "F-011": "findings/kep-754/#f-011",
    "F-001": "findings/kep-8522/#f-001",
    "dv-010": "reference/divergences/#dv-010",
    "tbp-the-third-of-three": "scenarios/tbp/#tbp-the-third-of-three",
    "KQ-320": "rules/KQ-320-when-a-workload-of-another-clusterqueue-may-be-preempted/",
    "UCQ-130/nested-heroes-leave-nothing-as-guaranteed": (
        "vectors/heroes-findings/#ucq-130-nested-heroes-leave-nothing-as-guaranteed"
    ),
    "TBP-020": "rules/TBP-020-time-expired/",
    "KEP-8522": "findings/kep-8522/",
    "PO-ANY-210": "proofs/any-size/#po-any-210",
    "minAdmitDuration": "how-to/choose-minadmitduration/",
}
"""What a search for some words finds first: a page, or a part of the first page."""
HITS = "[...document.querySelectorAll('.md-search-result__link')].map(link => link.href)"
CHOOSE = """
{
  const select = document.querySelectorAll(".chosen select")[%d];
  select.value = [...select.options].find(option => option.text === %r).value;
  select.dispatchEvent(new Event("change"));
}
"""
ROW = "document.querySelector('.chosen tbody tr')"
ICON = "<link rel=icon href=data:,>"


@pytest.fixture(scope="module", params=BROWSERS)
def browser(request: pytest.FixtureRequest) -> Iterator[Tab]:
    """One browser for all pages: starting it takes longer than a page."""
    name: Name = request.param
    if BROWSERS[name] is None:
        pytest.skip(f"{name} is not installed here: see `make browser`")
    with driven(name) as started:
        yield started


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("browser", ["chromium"], indirect=True)
def test_every_page_is_in_order(browser: Tab, site_root: Path, width: str) -> None:
    looked = dict(look(browser, site_root, width, "", 0))
    assert {page: problems for page, problems in looked.items() if problems} == {}


@pytest.mark.parametrize("browser", ["firefox"], indirect=True)
def test_a_page_of_each_kind_is_in_order_on_a_phone(browser: Tab, site_root: Path) -> None:
    browser.resize(*WIDTHS["phone"])
    with served(site_root, searched=False) as base:
        seen = {page: visit(browser, f"{base}/{page}", base) for page in KINDS}
    assert {page: problems for page, problems in seen.items() if problems} == {}


@pytest.mark.parametrize(("body", "problem"), WRONG.items())
def test_what_is_wrong_with_a_page_is_seen(
    browser: Tab, site_root: Path, tmp_path: Path, body: str, problem: str
) -> None:
    (tmp_path / "assets").symlink_to(site_root / "assets")
    write(tmp_path / "page.html", body)
    browser.resize(*WIDTHS["phone"])
    with served(tmp_path) as base:
        found = visit(browser, f"{base}/page.html", base)
    if problem:
        assert problem in " ".join(found)
    else:
        assert found == []


def test_a_page_runs_no_script_that_is_written_into_it_and_asks_no_other_host(
    browser: Tab, site_root: Path
) -> None:
    written = "Object.assign(document.createElement('script'), {textContent: 'window.hasRun = true'})"
    with served(site_root, searched=False) as base:
        browser.open(f"{base}/playground/")
        browser.value(f"document.head.append({written})")
        browser.value("fetch('http://another.invalid/').catch(() => 0).then(() => undefined)")
        assert browser.value("window.hasRun") is None
        complaints = browser.complaints(base)
    assert not [each for each in complaints if each.startswith("asks")]
    assert any("inline script" in each for each in complaints)


def test_code_that_is_cut_on_a_desk_is_seen(browser: Tab, tmp_path: Path) -> None:
    code = "<pre><code style='display: block; overflow: auto; width: 5em'>tenure decide</code></pre>"
    write(tmp_path / "page.html", f"<article>{code}</article>")
    with served(tmp_path) as base:
        for width, problems in (
            ("phone", []),
            ("desktop", [f"{name}: cuts tenure decide" for name in SCHEMES]),
        ):
            browser.resize(*WIDTHS[width])
            assert visit(browser, f"{base}/page.html", base) == problems


def test_a_page_is_not_blamed_for_the_one_before(browser: Tab, tmp_path: Path) -> None:
    leaving = "addEventListener('pagehide', () => { console.error('left'); fetch('later'); nowhere(); })"
    write(tmp_path / "before.html", f"{''.join(WRONG)}<script>{leaving}</script>")
    write(tmp_path / "page.html", "<p>fine</p>")
    browser.resize(*WIDTHS["phone"])
    with served(tmp_path) as another, served(tmp_path) as base:
        browser.open(f"{another}/before.html")
        assert visit(browser, f"{base}/page.html", base) == []
        assert len(visit(browser, f"{base}/before.html", base)) > len(WRONG)
        assert visit(browser, f"{base}/page.html", base) == []


def write(page: Path, body: str) -> None:
    """Write a page without a style."""
    page.write_text(f"<!doctype html>{ICON}<title>page</title>{body}", encoding="utf-8")


@pytest.mark.parametrize("browser", ["chromium"], indirect=True)
def test_the_search_finds_first_what_answers(browser: Tab, site_root: Path) -> None:
    browser.resize(*WIDTHS["desktop"])
    found: dict[str, list[str]] = {}
    with served(site_root) as base:
        for words in FIRST:
            browser.open(f"{base}/")
            browser.value("document.querySelector('.md-search__input').focus()")
            browser.page.keyboard.insert_text(words)
            browser.page.keyboard.press("Shift")  # the page looks for the words when a key is let go
            browser.until("document.querySelector('.md-search-result__link')?.href")
            hits = browser.value(HITS)
            found[words] = [re.sub(r"\?[^#]*", "", hit.removeprefix(f"{base}/")) for hit in hits]
    first = {words: hits[1] if "#" in FIRST[words] else hits[0] for words, hits in found.items()}
    assert first == FIRST


def test_an_identifier_is_an_address(browser: Tab, site_root: Path) -> None:
    with served(site_root, searched=False) as base:
        for identifier in ("PO-TBP-010", "po-tbp-010", "KQ-320", "F-001/", "tbp-the-third-of-three"):
            browser.open(f"{base}/{identifier}")
            place = identifier_addresses()[identifier.strip("/").upper()]
            browser.page.wait_for_url(f"{base}/{place}")
        browser.open(f"{base}/po-tbp-011")
        browser.settle()
        assert "no such page" in browser.value("document.querySelector('article').innerText")


@pytest.mark.parametrize("width", WIDTHS)
def test_a_visitor_sees_at_once_what_it_is_what_was_found_and_what_to_ask(
    browser: Tab, site_root: Path, width: str
) -> None:
    browser.resize(*WIDTHS[width])
    with served(site_root, searched=False) as base:
        browser.open(f"{base}/")
        browser.value(PICTURES)
        lowest = browser.value(
            "Math.max(...[...document.querySelectorAll('.opening img, .opening a')]"
            ".map(each => each.getBoundingClientRect().bottom))"
        )
        asked = browser.value("document.querySelectorAll('.asked a').length")
    assert asked == 5
    assert lowest <= WIDTHS[width][1]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_table_that_is_wider_than_a_phone_is_a_list_there(
    browser: Tab, site_root: Path, width: str
) -> None:
    browser.resize(*WIDTHS[width])
    with served(site_root, searched=False) as base:
        browser.open(f"{base}/findings/")
        browser.value(CHOOSE % (0, "high"))
        stacked = browser.value("'stacked' in document.querySelector('.chosen table').dataset")
        heads = browser.value(f"[...{ROW}.cells].map(cell => cell.dataset.head ?? '')")
        across = browser.value(
            f"new Set([...{ROW}.cells].map(cell => cell.getBoundingClientRect().left)).size"
        )
        shown = browser.value(
            "[...document.querySelectorAll('.chosen tbody tr')].filter(row => row.offsetParent)"
            ".every(row => row.cells[2].textContent === 'high')"
        )
    names = ["Finding", "Title", "Severity", "Status", "Field", "Source"]
    assert (stacked, heads, across) == ((True, names, 1) if width == "phone" else (False, [""] * 6, 6))
    assert shown, "a row that is not chosen stays away in either form"


def test_commands_are_copied_without_prompts_and_output(browser: Tab, site_root: Path) -> None:
    with served(site_root, searched=False) as base:
        browser.open(f"{base}/tutorial/")
        copied = browser.value("document.querySelector('.language-console').dataset.copy")
    assert copied.startswith("tenure ")
    assert not any(line.startswith("$") for line in copied.splitlines())


def test_a_reader_chooses_among_the_obligations(browser: Tab, site_root: Path) -> None:
    rows = "[...document.querySelectorAll('.chosen tbody tr:not([hidden])')]"
    with served(site_root, searched=False) as base:
        browser.open(f"{base}/proofs/obligations/")
        counted = browser.value(f"{rows}.length")
        for place, value in enumerate(("KEP-8522", "refuted", "guaranteed")):
            browser.value(CHOOSE % (place, value))
        chosen = browser.value(f"{rows}.map(each => each.textContent.trim())")
    assert 0 < len(chosen) < counted == len(OBLIGATIONS)
    assert all("KEP-8522" in row and row.endswith("refuted") for row in chosen)


def test_a_reader_switches_to_dark_and_back(browser: Tab, site_root: Path) -> None:
    scheme = "document.body.getAttribute('data-md-color-scheme')"
    with served(site_root, searched=False) as base:
        browser.open(f"{base}/findings/")
        before = browser.value(scheme)
        browser.value("document.querySelector('label[for=__palette_1]:not([hidden])').click()")
        browser.until(f"{scheme} !== {before!r}")
        assert {before, browser.value(scheme)} == {"default", "slate"}
        browser.open(f"{base}/rules/")
        assert browser.value(scheme) != before, "the choice is kept from page to page"
