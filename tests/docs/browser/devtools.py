"""A headless Chromium, driven over the DevTools protocol through a pair of pipes."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.process import PATIENCE_S

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# Of these only 127.0.0.1 has an address, so that a page that asks another host is seen to fail, too.
_SWITCHES = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--remote-debugging-pipe",
)
STYLED = """
{
  const style = new CSSStyleSheet();
  style.replaceSync(%s);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, style];
}
"""
"""Adds styles to a page before it is read; the place is for a sheet, as a string of JavaScript."""
STILL = "*, *::before, *::after { transition: none !important; animation: none !important }"
_CLICK = """
(() => {
  const link = [...document.querySelectorAll("a[href]")]
    .find(link => link.href.split("#")[0] === %r && link.checkVisibility());
  if (link) setTimeout(() => link.click());
  return Boolean(link);
})()
"""
# Chromium reads commands from file descriptor 3 and writes answers to 4; a shell puts the pipes there.
_AT_3_AND_4 = 'exec "$0" "${@:3}" 3<&"$1" 4>&"$2"'


class BrowserError(Exception):
    """The browser refused a command, ended, or did not answer in time."""


class Browser:
    """One tab at a time of a running browser.

    Args:
        commands: file descriptor that the browser reads from.
        answers: file descriptor that it writes to.
    """

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._unread = b""
        self._last = 0
        self._session: str | None = None
        self._target: str | None = None
        self.events: list[dict[str, Any]] = []

    def new_tab(self) -> None:
        """Leaves the tab, and what is still to come from there, for an empty one."""
        self._session, left = None, self._target
        self.events = []
        self._target = self.send("Target.createTarget", url="about:blank")["targetId"]
        if left is not None:
            self.send("Target.closeTarget", targetId=left)
        self._session = self.send("Target.attachToTarget", targetId=self._target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.send("Page.setLifecycleEventsEnabled", enabled=True)
        self.style(STILL)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """What the browser answers to a command.

        Raises:
            BrowserError: it refuses, has ended, or takes longer than `PATIENCE_S` seconds.
        """
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        _write(self._commands, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE_S
        while True:
            answer = self._read(until)
            if answer.get("id") != self._last:
                self._hear(answer)
            elif "error" in answer:
                raise BrowserError(f"{method}: {answer['error']['message']}")
            else:
                result: dict[str, Any] = answer["result"]
                return result

    def open(self, url: str) -> None:
        """Opens a page and waits until it is loaded.

        Raises:
            BrowserError: there is no such page, or it is not loaded within `PATIENCE_S` seconds.
        """
        self.events = []
        gone = self.send("Page.navigate", url=url)
        if "errorText" in gone:
            raise BrowserError(f"{url}: {gone['errorText']}")
        self._listen(lambda: any(_reached(event, gone["loaderId"], "load") for event in self.events))
        self.events = of_page(self.events, gone["loaderId"])

    def follow(self, url: str) -> bool:
        """Clicks the first visible link to a page, and waits until that is loaded; whether there is one.

        Raises:
            BrowserError: it is not loaded within `PATIENCE_S` seconds.
        """
        self.events = []
        if not self.value(_CLICK % url):
            return False
        self._listen(lambda: any(event["params"].get("name") == "load" for event in self.events))
        return True

    def settle(self) -> None:
        """Waits until every request of the page is answered or has failed.

        Raises:
            BrowserError: one has not within `PATIENCE_S` seconds.
        """
        self._listen(lambda: not _unanswered(self.events))

    def taken(self) -> list[dict[str, Any]]:
        """Every event of the page that was not read yet."""
        events, self.events = self.events, []
        return events

    def value(self, expression: str) -> Any:
        """The value of a JavaScript expression, a promise's when it has one.

        Raises:
            BrowserError: it throws.
        """
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def until(self, expression: str) -> Any:
        """The value of an expression as soon as it is true, or holds something.

        Raises:
            BrowserError: it does not within `PATIENCE_S` seconds.
        """
        until = time.monotonic() + PATIENCE_S
        while not (value := self.value(expression)):
            if time.monotonic() > until:
                raise BrowserError(f"not within {PATIENCE_S:g} s: {expression}")
            time.sleep(0.05)
        return value

    def type(self, text: str) -> None:
        """Types into what has the focus; a page that listens to keys hears the last one."""
        self.send("Input.insertText", text=text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=text[-1:])

    def resize(self, width: int, height: int) -> None:
        """Gives the window another size, in CSS pixels."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def style(self, sheet: str) -> str:
        """Adds styles to every page that is opened from now on, and names them for `unstyle`."""
        added = self.send("Page.addScriptToEvaluateOnNewDocument", source=STYLED % json.dumps(sheet))
        return str(added["identifier"])

    def unstyle(self, name: str) -> None:
        """Opens pages without these styles from now on."""
        self.send("Page.removeScriptToEvaluateOnNewDocument", identifier=name)

    def seconds(self) -> float:
        """The processor time that all processes of the browser have used, in seconds."""
        session, self._session = self._session, None
        processes = self.send("SystemInfo.getProcessInfo")["processInfo"]
        self._session = session
        return float(sum(process["cpuTime"] for process in processes))

    def _listen(self, heard: Callable[[], bool]) -> None:
        until = time.monotonic() + PATIENCE_S
        while not heard():
            self._hear(self._read(until))

    def _hear(self, message: dict[str, Any]) -> None:
        # A tab that was left may still have something to say.
        if "method" in message and message.get("sessionId") == self._session:
            self.events.append(message)

    def _read(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._unread:
            ready, _, _ = select.select([self._answers], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                raise BrowserError(f"no answer within {PATIENCE_S:g} s")
            read = os.read(self._answers, 1 << 20)
            if not read:
                raise BrowserError("the browser has ended")
            self._unread += read
        first, _, self._unread = self._unread.partition(b"\0")
        message: dict[str, Any] = json.loads(first)
        return message


def of_page(events: list[dict[str, Any]], loader: str) -> list[dict[str, Any]]:
    """The events of the page that a loader brought; the page before it is heard until then, and even later.

    Args:
        events: what was heard since the browser was sent to the page.
        loader: what the browser calls the loader.

    >>> before, request = {"method": "Runtime.exceptionThrown", "params": {}}, "Network.requestWillBeSent"
    >>> here = {"method": "Page.lifecycleEvent", "params": {"loaderId": "B", "name": "init"}}
    >>> ours, theirs = ({"method": request, "params": {"loaderId": name, "requestId": name}} for name in "BA")
    >>> of_page([before, ours, here, theirs], "B") == [ours, here]
    True
    """
    begin = next(place for place, event in enumerate(events) if _reached(event, loader, "init"))
    own = {None, *(_request(event) for event in events if event["params"].get("loaderId") in ("", loader))}
    return [
        event
        for place, event in enumerate(events)
        if _request(event) in own and (place >= begin or event["method"].startswith("Network."))
    ]


def _reached(event: dict[str, Any], loader: str, name: str) -> bool:
    about = event["params"]
    return event["method"] == "Page.lifecycleEvent" and (about["loaderId"], about["name"]) == (loader, name)


def _request(event: dict[str, Any]) -> str | None:
    about = event["params"]
    found: str | None = about.get("requestId") or about.get("entry", {}).get("networkRequestId")
    return found


def _unanswered(events: list[dict[str, Any]]) -> set[str | None]:
    asked, ended = "Network.requestWillBeSent", ("Network.loadingFinished", "Network.loadingFailed")
    # How the script of a worker ends, which has no loader, is not reported here.
    begun = {_request(event) for event in events if event["method"] == asked and event["params"]["loaderId"]}
    return begun - {_request(event) for event in events if event["method"] in ended}


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


@contextmanager
def chromium(profile: Path) -> Iterator[Browser]:
    """A browser with an empty profile, ended at the end.

    Args:
        profile: an empty folder.

    Raises:
        BrowserError: there is no Chromium on this machine, or it does not start.
    """
    if CHROMIUM is None:
        raise BrowserError("no chromium is installed here")
    (read_commands, commands), (answers, write_answers) = os.pipe(), os.pipe()
    ours, theirs = (commands, answers), (read_commands, write_answers)
    with subprocess.Popen(
        ["bash", "-c", _AT_3_AND_4, CHROMIUM, *map(str, theirs), *_SWITCHES, f"--user-data-dir={profile}"],
        pass_fds=theirs,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        for descriptor in theirs:
            os.close(descriptor)
        try:
            yield Browser(*ours)
        finally:
            for descriptor in ours:
                os.close(descriptor)
            process.terminate()
