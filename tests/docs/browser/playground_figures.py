"""What the playground costs in Chromium, cold and warm: seconds, processor seconds, bytes as gzip has them.

python -m tests.docs.browser.playground_figures site
"""

from __future__ import annotations

import gzip
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tests.docs.browser.driven import Tab, driven
from tests.docs.browser.serving import served

ROOT = 'document.getElementById("tenure-playground").dataset'
EDITOR = "ace.edit(document.querySelector('[data-part=editor]'))"


def part(name: str) -> str:
    """A control of the page."""
    return f"document.querySelector('[data-part={name}]')"


def worked_by(browser: Tab) -> float:
    """The processor time that all processes of Chromium have used, in seconds."""
    chromium = browser.page.context.browser
    assert chromium is not None
    processes = chromium.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    return float(sum(process["cpuTime"] for process in processes))


def main(site: Path) -> None:
    """Do what a visitor does, and print a line for each step."""
    sent: list[str] = []
    with (
        served(site, searched=False, answered=sent.append) as base,
        driven("chromium") as browser,
    ):
        for visit in ("cold", "warm"):
            _visit(browser, base, visit, site, sent)
            elsewhere = browser.complaints(base)
            print(f"{visit}: requests elsewhere, errors and warnings: {elsewhere or 'none'}", flush=True)


def _visit(browser: Tab, base: str, visit: str, site: Path, sent: list[str]) -> None:
    def step(name: str, begin: Callable[[], object], end: str) -> None:
        sent.clear()
        began, worked = time.monotonic(), worked_by(browser)
        begin()
        browser.until(end)
        seconds, work = time.monotonic() - began, worked_by(browser) - worked
        size = sum(_compressed(site, path) for path in sent)
        print(
            f"{visit:5} {name:32} {seconds:7.1f} s {work:7.1f} s of processor "
            f"{len(sent):4} files {size / 1e6:6.2f} MB",
            flush=True,
        )

    def do(expression: str) -> Callable[[], object]:
        return lambda: browser.value(expression)

    def again(expression: str) -> Callable[[], object]:
        return do(f'{ROOT}.state = ""; {ROOT}.proof = ""; {ROOT}.matrix = ""; {expression}; undefined')

    explained = f'{ROOT}.state === "explained"'
    prove = f"{part('prove')}.click()"
    reading = f"{part('reading')}.value = 'as-written'; {part('reading')}.dispatchEvent(new Event('change'))"
    longer = (
        f"{EDITOR}.setValue({EDITOR}.getValue().replace('minAdmitDuration: 4h', 'minAdmitDuration: 10m'))"
    )
    step("page and first decision", lambda: browser.open(f"{base}/playground/"), f"{ROOT}.state")
    step("nearest changes", do("undefined"), explained)
    address = browser.value("location.href")
    step("an edit, decided", again(longer), f"{ROOT}.state")
    browser.until(explained)
    step("another reading, explained", again(reading), explained)
    step("first proof, Z3 loaded: refuted", again(prove), f'{ROOT}.proof === "refuted"')
    step("a second proof: refuted", again(prove), f'{ROOT}.proof === "refuted"')
    chosen = f"{part('claim')}.value = 'PO-TBP-050'; {prove}"
    step("a proof: proved", again(chosen), f'{ROOT}.proof === "proved"')
    step("matrix of two-teams", again(f"{part('analyze')}.click()"), f'{ROOT}.matrix === "done"')
    step("a bad manifest's error", again(f"{EDITOR}.setValue('spec: [1')"), f'{ROOT}.state === "problems"')
    step("an address opened again", again(f"location.href = {address!r}"), explained)


def _compressed(site: Path, path: str) -> int:
    """The bytes of a file as a server sends it that compresses."""
    file = site / unquote(urlsplit(path).path).lstrip("/")
    return len(gzip.compress((file / "index.html" if file.is_dir() else file).read_bytes(), 9))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
