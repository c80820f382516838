"""The playground in a browser: a decision, an edit, a proof, a matrix, an error, a restored address."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.gen.playground import FOLDER
from tests.docs.browser.driven import BROWSERS, Name, Tab, driven
from tests.docs.browser.playing import STATE, explained, part, put, victims, write
from tests.docs.browser.serving import served

OPENED = list(BROWSERS) if os.environ.get("TENURE_EVERY_BROWSER") else ["chromium"]
"""Python is loaded and compiled in each, which takes long: `make every-page` asks for all."""
PROOF = 'document.getElementById("tenure-playground").dataset.proof'
MATRIX = 'document.getElementById("tenure-playground").dataset.matrix'
CHANGED = "two-teams&workload=team-a/job-long-context-8a5dc&duration=10m&durationOf=gpu-cluster-queue"
"""An example with two changes, as an address keeps it."""
COUNTED = """
  window.decided = 0;
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, ...rest) {
    if (message.kind === "decide" && !message.question.counterfactuals) window.decided += 1;
    return post.call(this, message, ...rest);
  };
"""
"""Counts what is decided, without the search for the nearest changes that follows."""

HELD = """
  const whole = Response.prototype.arrayBuffer;
  const held = new Promise(release => { window.release = release; });
  Response.prototype.arrayBuffer = async function () {
    const bytes = await whole.call(this);
    window.isHeld = true;
    await held;
    return bytes;
  };
"""
"""Holds a text that is being packed for the address, until it is released."""


BATCH, RESEARCH = "gpu-cluster-queue/batch", "gpu-cluster-queue/research"


def chosen(browser: Tab, preemptor: str, victim: str, verdict: str) -> str:
    """What is said of a cell of the matrix."""
    browser.value(f"{part('cell')}.replaceChildren()")
    browser.value(
        f"{part('matrix')}.querySelector('[aria-label=\"{preemptor} preempts {victim}: {verdict}\"]').click()"
    )
    return str(browser.until(f"{part('cell')}.querySelector('pre')?.textContent"))


@pytest.fixture(scope="module", params=OPENED)
def opened(request: pytest.FixtureRequest, site_root: Path) -> Iterator[tuple[Tab, str]]:
    """The page, once it has decided about its first example."""
    name: Name = request.param
    if BROWSERS[name] is None:
        pytest.skip(f"{name} is not installed here: see `make browser`")
    if not (site_root / FOLDER / "index.json").exists():
        pytest.skip("the site was built without the playground's files")
    with served(site_root, searched=False) as base, driven(name) as browser:
        browser.open(f"{base}/playground/")
        explained(browser)
        yield browser, base


def test_it_decides_and_proves_with_nothing_from_elsewhere(opened: tuple[Tab, str]) -> None:
    browser, base = opened
    assert victims(browser) == [
        "team-b/job-embedding-refresh-01386",
        "team-a/job-pretrain-7b-e95a1",
        "team-a/job-sft-13b-f8d23",
    ]
    assert "TBP-020" in browser.value(f"{part('explanation')}.querySelector('a[href*=TBP-020]').textContent")

    put(browser, "workload", "team-a/job-long-context-8a5dc", "change")
    assert "NoCandidates" in browser.value(f"{part('outcome')}.textContent")
    put(browser, "duration", "2", "input")
    assert victims(browser)
    assert browser.value(f"{part('command')}.textContent").endswith("minAdmitDuration=10m")
    address, seen = browser.value("location.href"), victims(browser)

    put(browser, "reading", "as-written", "change")
    browser.value(f"{part('prove')}.click()")
    assert browser.until(PROOF) is not None
    assert browser.until(f'{PROOF} === "refuted"')
    assert browser.value(f"{part('verdict')}.querySelectorAll('ol li').length") >= 3
    browser.value(f'{part("claim")}.value = "PO-TBP-050"')
    browser.value(f"{part('prove')}.click()")
    assert browser.until(f'{PROOF} === "proved"')

    browser.value(f"{part('analyze')}.click()")
    assert browser.until(f'{MATRIX} !== "asked" && {MATRIX}') == "done"
    assert "Z3 alone: one solver" in browser.value(f"{part('matrix-said')}.textContent")
    assert "KQ-040: spec.preemption.withinClusterQueue" in chosen(browser, BATCH, RESEARCH, "never")
    assert "is preempted for x/pending" in chosen(browser, RESEARCH, BATCH, "can")
    browser.value(f'{STATE} = ""')
    browser.value(f"{part('cell')}.querySelector('button').click()")
    explained(browser)
    assert "x/pending: Preempt" in browser.value(f"{part('outcome')}.textContent")

    write(browser, "spec: [1")
    browser.until(f'{STATE} === "problems"')
    assert "cluster.yaml" in victims(browser)[0]

    browser.open("about:blank")
    browser.open(address)
    browser.until(f'{STATE} === "explained" && {part("command")}.textContent.endsWith("=10m")')
    assert victims(browser) == seen
    browser.settle()
    assert browser.complaints(base) == []


def test_what_a_page_links_opens_by_its_identifier(opened: tuple[Tab, str]) -> None:
    browser, _ = opened
    browser.value(COUNTED)
    for kept, found in {
        "TBP-030/read-by-creation-a-victim-keeps-its-place": "default/a",
        "tbp-it-1-two-equals": "default/first",
        "F-001": "team-b/target",
        CHANGED: "team-b/job-embedding-refresh-01386",
    }.items():
        browser.value(f'{STATE} = ""; window.decided = 0; location.hash = "example={kept}"')
        explained(browser)
        assert victims(browser)[0] == found
        assert browser.value("window.decided") == 1, kept
    put(browser, "example", "F-026", "change")
    assert "example=F-026" in browser.value("location.hash")
    browser.value(f'{STATE} = ""; location.hash = "example={CHANGED}"')
    explained(browser)
    command = browser.value(f"{part('command')}.textContent")
    assert "-w team-a/job-long-context-8a5dc" in command
    assert command.endswith("gpu-cluster-queue.spec.preemption.withinClusterQueueConfig.minAdmitDuration=10m")
    browser.value(f'{STATE} = ""; location.hash = "example=no-such-vector"')
    browser.until(f'{STATE} === "problems"')
    assert victims(browser) == ["no-such-vector cannot be opened here: choose an example above"]


def test_an_address_that_is_opened_stays_when_an_earlier_text_is_packed_at_last(
    opened: tuple[Tab, str],
) -> None:
    browser, _ = opened
    browser.value(f"{{ {HELD} }}")
    write(browser, "spec: [1")
    browser.until(f'{STATE} === "problems"')
    browser.value(f'{STATE} = ""; location.hash = "example=F-001"')
    explained(browser)
    browser.until("window.isHeld")
    browser.value("window.release(); new Promise(done => setTimeout(done)).then(() => undefined)")
    assert "example=F-001" in browser.value("location.hash")
