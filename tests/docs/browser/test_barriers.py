"""A page of each kind keeps no reader out, as axe-core sees it; `make every-page` looks at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.gen.playground import FetchError
from tests.docs.browser.barriers import checker
from tests.docs.browser.driven import BROWSERS, Tab, driven
from tests.docs.browser.serving import served
from tests.docs.browser.visiting import WIDTHS, visit

pytestmark = pytest.mark.skipif(
    BROWSERS["chromium"] is None, reason="no chromium is installed here: see `make browser`"
)

KINDS = ("404.html", "", "findings/", "rules/TBP-020-time-expired/")
BARRED = "<main><p style='color: #aaa; background: #fff'>pale</p><button></button></main>"


@pytest.fixture(scope="module")
def script() -> str:
    try:
        return checker()
    except FetchError as error:
        pytest.skip(f"axe-core cannot be fetched: {error}")


@pytest.fixture(scope="module")
def browser() -> Iterator[Tab]:
    with driven("chromium") as opened:
        opened.resize(*WIDTHS["desktop"])
        yield opened


def test_a_page_of_each_kind_has_no_serious_barrier(browser: Tab, script: str, site_root: Path) -> None:
    with served(site_root, searched=False) as base:
        met = {page: visit(browser, f"{base}/{page}", base, script) for page in KINDS}
    assert {page: problems for page, problems in met.items() if problems} == {}


def test_a_barrier_is_seen(browser: Tab, script: str, tmp_path: Path) -> None:
    head = "<!doctype html><html lang=en><link rel=icon href=data:,><title>page</title>"
    (tmp_path / "page.html").write_text(f"{head}{BARRED}", encoding="utf-8")
    with served(tmp_path) as base:
        found = " ".join(visit(browser, f"{base}/page.html", base, script))
    assert "light: serious: color-contrast" in found
    assert "light: critical: button-name" in found
