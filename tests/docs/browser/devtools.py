"""A headless Chromium, driven over the DevTools protocol through a pair of pipes."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
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
_STYLED = """
{
  const style = new CSSStyleSheet();
  style.replaceSync(%s);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, style];
}
"""
# Chromium reads commands from file descriptor 3 and writes answers to 4; a shell puts the pipes there.
_AT_3_AND_4 = 'exec "$0" "${@:3}" 3<&"$1" 4>&"$2"'


_LOADED = "Page.loadEventFired"


class BrowserError(Exception):
    """The browser refused a command, ended, or did not answer in time."""


class Browser:
    """One tab of a running browser.

    Args:
        commands: file descriptor that the browser reads from.
        answers: file descriptor that it writes to.
    """

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._unread = b""
        self._last = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.style("*, *::before, *::after { transition: none !important; animation: none !important }")

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
                self.events.append(answer)
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
        self.events = [event for event in self.events if event.get("method") != _LOADED]
        gone = self.send("Page.navigate", url=url)
        if "errorText" in gone:
            raise BrowserError(f"{url}: {gone['errorText']}")
        until = time.monotonic() + PATIENCE_S
        while not any(event.get("method") == _LOADED for event in self.events):
            self.events.append(self._read(until))

    def taken(self) -> list[dict[str, Any]]:
        """Every event that was not taken yet."""
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
        added = self.send("Page.addScriptToEvaluateOnNewDocument", source=_STYLED % json.dumps(sheet))
        return str(added["identifier"])

    def unstyle(self, name: str) -> None:
        """Opens pages without these styles from now on."""
        self.send("Page.removeScriptToEvaluateOnNewDocument", identifier=name)

    def seconds(self) -> float:
        """The processor time that all processes of the browser have taken, in seconds."""
        session, self._session = self._session, None
        processes = self.send("SystemInfo.getProcessInfo")["processInfo"]
        self._session = session
        return float(sum(each["cpuTime"] for each in processes))

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
