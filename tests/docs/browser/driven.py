"""A headless Chromium or Firefox of this machine, driven by Playwright."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, Literal

from playwright.sync_api import (
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Request,
    Response,
    sync_playwright,
)

Name = Literal["chromium", "firefox"]
EVENT_S: Final = 300.0
"""An event of a page is waited for so long; it comes within seconds, all pages in some 400 s on two cores."""
BROWSERS: Final[dict[Name, str | None]] = {
    "chromium": next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    ),
    "firefox": next(filter(None, map(shutil.which, ("firefox-esr", "firefox"))), None),
}
"""Where each browser is; nowhere, where it is not installed."""
# Of these only 127.0.0.1 can be reached, so that a page that asks another host is seen to fail, too.
_SWITCHES: Final = ("--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
_PREFERENCES: Final[dict[str, str | float | bool]] = {
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
}
_STYLED: Final = """
{
  const style = new CSSStyleSheet();
  style.replaceSync(%s);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, style];
}
"""
_STILL: Final = "*, *::before, *::after { transition: none !important; animation: none !important }"
_BAD: Final = ("error", "warning", "assert")
_UNWANTED: Final = re.compile("ERR_ABORTED|NS_BINDING_ABORTED")


class BrowserError(Exception):
    """The browser refused a command, ended, or did not answer within `EVENT_S` seconds."""


class _Noticed:
    """What is noticed of a page: its requests, and its errors and warnings."""

    def __init__(self, page: Page) -> None:
        self.unanswered: set[Request] = set()
        self.words: list[str] = []
        page.on("request", self._asks)
        page.on("response", self._answers)
        page.on("requestfinished", self._ends)
        page.on("requestfailed", self._fails)
        page.on("console", self._says)
        page.on("pageerror", lambda error: self.words.append(f"throws {error}"))

    def _asks(self, request: Request) -> None:
        self.unanswered.add(request)
        self.words.append(f"asks {request.url}")

    def _answers(self, response: Response) -> None:
        if response.status >= 400:
            self.words.append(f"got {response.status} for {response.url}")

    def _ends(self, request: Request) -> None:
        self.unanswered.discard(request)

    def _fails(self, request: Request) -> None:
        self.unanswered.discard(request)
        # Whoever asked has gone, or does not want it any more.
        if not _UNWANTED.search(request.failure or ""):
            self.words.append(f"says error: {request.failure} {request.url}")

    def _says(self, message: ConsoleMessage) -> None:
        if message.type in _BAD:
            self.words.append(f"says {message.type}: {message.text}")


class Tab:
    """One page at a time of a running browser, and what was noticed of it.

    Args:
        context: what the pages share: their storage and what they keep.
    """

    def __init__(self, context: BrowserContext) -> None:
        self._context = context
        self._size = (1280, 900)
        self.styles = [_STILL]
        self._begin()

    def _begin(self) -> None:
        self.page = self._context.new_page()
        self.page.set_default_timeout(EVENT_S * 1000)
        self.resize(*self._size)
        for sheet in self.styles:
            self.page.add_init_script(_STYLED % json.dumps(sheet))
        self._noticed = _Noticed(self.page)

    def open(self, url: str) -> None:
        """Open a page in place of the one before, and wait until it is loaded.

        Raises:
            BrowserError: there is no such page.
        """
        self.page.close()
        self._begin()
        self._do(lambda: self.page.goto(url))

    def settle(self) -> None:
        """Wait until every request of the page is answered or has failed.

        Raises:
            BrowserError: one has not.
        """
        self.wait("every request is answered", lambda: not self._noticed.unanswered)

    def complaints(self, base: str) -> list[str]:
        """Errors and warnings that were not read yet, requests that leave the site, and those that failed.

        Args:
            base: the site's address.
        """
        noticed, self._noticed.words = self._noticed.words, []
        own = tuple(f"asks {start}" for start in (f"{base}/", "data:", "blob:"))
        return [words for words in noticed if not words.startswith(own)]

    def value(self, expression: str) -> Any:
        """The value of a JavaScript expression, a promise's when it has one.

        Raises:
            BrowserError: it throws.
        """
        # By itself Playwright would call what an expression comes to, where that is a function.
        return self._do(lambda: self.page.evaluate("source => (0, eval)(source)", expression))

    def until(self, expression: str) -> Any:
        """The value of an expression as soon as it is true, or holds something.

        Raises:
            BrowserError: it does not.
        """
        return self.wait(expression, lambda: self.value(expression))

    def resize(self, width: int, height: int) -> None:
        """Give the window another size, in CSS pixels."""
        self._size = (width, height)
        self.page.set_viewport_size({"width": width, "height": height})

    def wait(self, what: str, found: Callable[[], Any]) -> Any:
        """What `found` answers as soon as it is true, or holds something.

        Raises:
            BrowserError: it does not.
        """
        until = time.monotonic() + EVENT_S
        while not (value := found()):
            if time.monotonic() > until:
                raise BrowserError(f"not within {EVENT_S:g} s: {what}")
            self.page.wait_for_timeout(20)
        return value

    def _do(self, work: Callable[[], Any]) -> Any:
        try:
            return work()
        except Error as error:
            raise BrowserError(error.message) from error


@contextmanager
def driven(name: Name) -> Iterator[Tab]:
    """A browser with an empty profile, ended at the end.

    Raises:
        BrowserError: it is not on this machine, or does not start.
    """
    place = BROWSERS[name]
    if place is None:
        raise BrowserError(f"no {name} is installed here")
    with sync_playwright() as playwright:
        try:
            if name == "chromium":
                browser = playwright.chromium.launch(
                    executable_path=place, args=[*_SWITCHES], chromium_sandbox=False
                )
            else:
                browser = playwright.firefox.launch(
                    channel="moz-firefox", executable_path=place, firefox_user_prefs=_PREFERENCES
                )
        except Error as error:
            raise BrowserError(f"{name} does not start: {error.message}") from error
        yield Tab(browser.new_context())
        with suppress(Error):
            browser.close()
