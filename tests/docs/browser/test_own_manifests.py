"""Own manifests in the playground: pasted while Python is still loaded, edited while an answer is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.gen.playground import FOLDER, examples
from tests.docs.browser.driven import BROWSERS, Name, driven
from tests.docs.browser.playing import STATE, explained, part, pending, put, write
from tests.docs.browser.serving import served


@pytest.mark.parametrize("name", BROWSERS)
def test_own_manifests_that_are_pasted_at_once_are_answered(name: Name, site_root: Path) -> None:
    if BROWSERS[name] is None:
        pytest.skip(f"{name} is not installed here: see `make browser`")
    if not (site_root / FOLDER / "index.json").exists():
        pytest.skip("the site was built without the playground's files")
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

        put(browser, "duration", "2", "input")
        write(browser, own["shared-cohort"])
        browser.until(f'{STATE} === "decided" || {STATE} === "explained"')
        write(browser, own["shared-cohort"].replace("job-pretrain-mix-9fa75", "job-renamed"))
        assert browser.value(busy) == "true"
        explained(browser)
        assert "llm/job-renamed" in pending(browser)
        assert not {*of_hero} & {*pending(browser)}
        put(browser, "workload", "llm/job-renamed", "change")
        assert browser.value(f"{part('outcome')}.innerText").startswith("llm/job-renamed: ")
        write(browser, "spec: [1")
        browser.until(f'{STATE} === "problems"')
        assert browser.complaints(base) == []
