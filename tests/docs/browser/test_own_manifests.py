"""Own manifests in the playground: pasted while Python is still loaded, edited while an answer is made."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path

import pytest
from playwright.sync_api import Route

from docs.gen.playground import FOLDER, examples
from tests.docs.browser.driven import BROWSERS, Name, driven
from tests.docs.browser.playing import STATE, explained, part, pending, put, write
from tests.docs.browser.serving import served

PICTURE = f"{part('picture')}.shadowRoot.innerHTML"


def started(name: Name, site_root: Path) -> None:
    """Skip where there is no such browser, or no playground."""
    if BROWSERS[name] is None:
        pytest.skip(f"{name} is not installed here: see `make browser`")
    if not (site_root / FOLDER / "index.json").exists():
        pytest.skip("the site was built without the playground's files")


@pytest.mark.parametrize("name", BROWSERS)
def test_own_manifests_that_are_pasted_at_once_are_answered(name: Name, site_root: Path) -> None:
    started(name, site_root)
    own = {known: example["text"] for known, example in examples()}
    busy = f"{part('answer')}.ariaBusy"
    with served(site_root, searched=False) as base, driven(name) as browser:
        browser.open(f"{base}/playground/")
        browser.until(f"window.ace && {part('whole')}.checkVisibility()")
        write(browser, own["hero"])
        assert browser.value(busy) == "true", "no answer is shown as if it were to the new text"
        explained(browser)
        assert browser.value(busy) is None
        assert pending(browser) == sorted(pending(browser))
        assert browser.value(f"{part('outcome')}.innerText").startswith(f"{pending(browser)[0]}: ")
        of_hero = pending(browser)
        before = f'getComputedStyle({part("matrix")}, "::before").content'
        assert browser.value(before) == "none", "without a matrix no note says that it is of another text"

        put(browser, "duration", "2", "input")
        write(browser, own["shared-cohort"])
        browser.until(f'{STATE} === "decided" || {STATE} === "explained"')
        write(browser, own["shared-cohort"].replace("job-pretrain-mix-9fa75", "job-renamed"))
        assert browser.value(busy) == "true"
        explained(browser)
        assert "llm/job-renamed" in pending(browser)
        assert "job-renamed" in browser.value(PICTURE)
        assert not {*of_hero} & {*pending(browser)}
        put(browser, "workload", "llm/job-renamed", "change")
        assert browser.value(f"{part('outcome')}.innerText").startswith("llm/job-renamed: ")
        write(browser, "spec: [1")
        browser.until(f'{STATE} === "problems"')
        assert browser.value(f"{PICTURE}.trim()") == ""
        assert browser.complaints(base) == []


def packed(text: bytes) -> str:
    """A text as a link has it."""
    packer = zlib.compressobj(9, wbits=-15)
    return base64.urlsafe_b64encode(packer.compress(text) + packer.flush()).decode().rstrip("=")


@pytest.mark.parametrize("name", BROWSERS)
def test_a_link_that_unpacks_to_too_much_or_is_cut_is_refused_in_a_sentence(
    name: Name, site_root: Path
) -> None:
    started(name, site_root)
    with served(site_root, searched=False) as base, driven(name) as browser:
        for letters, sentence in (
            (packed(b" " * 100_000_000), "larger than 2 MB"),
            (packed(b"kind: ResourceFlavor")[:-9], "This link is damaged"),
        ):
            browser.open(f"{base}/playground/#text={letters}")
            browser.until(f'{STATE} === "problems"')
            assert sentence in browser.value(f"{part('outcome')}.innerText")
        assert browser.complaints(base) == []


@pytest.mark.parametrize("name", BROWSERS)
def test_the_first_answer_is_there_before_python_and_is_what_python_answers(
    name: Name, site_root: Path
) -> None:
    started(name, site_root)
    words = ", ".join(f"{part(each)}.innerText" for each in ("outcome", "explanation", "command"))
    shown = f"[{words}, {PICTURE}]"
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    with served(site_root, searched=False) as base, driven(name) as browser:
        browser.page.context.route("**/decide.zip", hold)
        browser.open(f"{base}/playground/")
        browser.until(f'{STATE} === "made"')
        made = browser.value(shown)
        assert "Preempted, in this order" in made[0]
        assert "job-embedding-refresh-01386" in made[3]
        browser.resize(1280, 900)
        assert browser.value(f"{part('picture')}.getBoundingClientRect().bottom") <= 900
        while not held:
            browser.page.wait_for_timeout(20)
        assert browser.value(STATE) == "made"
        assert "made with the site" in browser.value(f"{part('status')}.innerText")
        held[0].continue_()
        explained(browser)
        assert browser.value(shown) == made
