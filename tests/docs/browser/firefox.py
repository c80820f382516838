"""A headless Firefox, driven over WebDriver BiDi, which it speaks by itself on a WebSocket."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import websocket

from tests.docs.browser.devtools import STILL, STYLED, BrowserError
from tests.process import PATIENCE_S

FIREFOX = next(filter(None, map(shutil.which, ("firefox-esr", "firefox"))), None)
# All but this machine is behind a proxy that is not there: a page that asks another host is seen to fail.
_PREFERENCES = {
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    # One process holds all pages, and none is started in advance: starting them takes longer than a page.
    "dom.ipc.processCount": 1,
    "dom.ipc.processPrelaunch.enabled": False,
    "fission.autostart": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "toolkit.telemetry.enabled": False,
}
_HEARD = (
    "log.entryAdded",
    "network.beforeRequestSent",
    "network.responseCompleted",
    "network.fetchError",
)
_PLAIN = ("string", "number", "boolean", "bigint")
_ADDRESS = re.compile(rb"WebDriver BiDi listening on (ws://\S+)")


class Firefox:
    """One tab at a time of a running Firefox; what it hears is told in the words of Chromium's protocol.

    Args:
        connection: the WebSocket that the browser listens on.
    """

    def __init__(self, connection: websocket.WebSocket) -> None:
        self._connection = connection
        self._last = 0
        self._tab: str | None = None
        self._at = self._left = ""
        self.events: list[dict[str, Any]] = []
        self._begun: set[str | None] = set()
        self._size = (1280, 900)
        self.send("session.new", capabilities={})
        self.send("session.subscribe", events=list(_HEARD))
        self.style(STILL)

    def new_tab(self) -> None:
        """Leaves the tab, and what is still to come from there, for an empty one."""
        left = self._tab
        self._tab = self.send("browsingContext.create", type="tab")["context"]
        if left is not None:
            self.send("browsingContext.close", context=left)
        self.events = []
        self.resize(*self._size)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """What the browser answers to a command.

        Raises:
            BrowserError: it refuses, has ended, or takes longer than `PATIENCE_S` seconds.
        """
        self._last += 1
        self._connection.send(json.dumps({"id": self._last, "method": method, "params": parameters}))
        while True:
            answer = self._read()
            if answer.get("id") != self._last:
                self._hear(answer)
            elif answer["type"] == "error":
                raise BrowserError(f"{method}: {answer['message']}")
            else:
                result: dict[str, Any] = answer["result"]
                return result

    def open(self, url: str) -> None:
        """Opens a page and waits until it is loaded; the page before is left first.

        Raises:
            BrowserError: there is no such page, or it is not loaded within `PATIENCE_S` seconds.
        """
        self._at, self._left = url, self._at if self._at != url else ""
        self._go("about:blank")
        self.settle()
        self._go(url)

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
        answer = self.send(
            "script.evaluate", expression=expression, target={"context": self._tab}, awaitPromise=True
        )
        if answer["type"] == "exception":
            raise BrowserError(f"{expression[:500]}: {answer['exceptionDetails']['text']}")
        return _plain(answer["result"])

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
        """Types into what has the focus."""
        keys = [{"type": kind, "value": letter} for letter in text for kind in ("keyDown", "keyUp")]
        source = {"type": "key", "id": "keyboard", "actions": keys}
        self.send("input.performActions", context=self._tab, actions=[source])

    def resize(self, width: int, height: int) -> None:
        """Gives the window another size, in CSS pixels."""
        self._size = (width, height)
        if self._tab is not None:
            viewport = {"width": width, "height": height}
            self.send("browsingContext.setViewport", context=self._tab, viewport=viewport)

    def style(self, sheet: str) -> str:
        """Adds styles to every page that is opened from now on, and names them for `unstyle`."""
        body = f"() => {{ {STYLED % json.dumps(sheet)} }}"
        return str(self.send("script.addPreloadScript", functionDeclaration=body)["script"])

    def unstyle(self, name: str) -> None:
        """Opens pages without these styles from now on."""
        self.send("script.removePreloadScript", script=name)

    def _go(self, url: str) -> None:
        self.events, self._begun = [], set()
        self.send("browsingContext.navigate", context=self._tab, url=url, wait="complete")

    def _listen(self, heard: Callable[[], bool]) -> None:
        while not heard():
            self._hear(self._read())

    def _hear(self, message: dict[str, Any]) -> None:
        about = message.get("params", {})
        context = about.get("context") or about.get("source", {}).get("context")
        request = about.get("request", {}).get("request")
        if message.get("method") == "network.beforeRequestSent":
            # A page asks while it is left, and may be heard of when the next one is there.
            if self._left and self._left == _referrer(about["request"]):
                return
            self._begun.add(request)
        elif request not in {None, *self._begun}:
            return  # of the page before
        # A request of a worker has no tab; no other tab is open.
        if message.get("type") == "event" and context in (None, self._tab):
            self.events += _told(message["method"], about)

    def _read(self) -> dict[str, Any]:
        try:
            message: dict[str, Any] = json.loads(self._connection.recv())
        except (OSError, websocket.WebSocketException, ValueError) as error:
            raise BrowserError(f"no answer: {error}") from error
        return message


def _referrer(request: dict[str, Any]) -> str:
    """The address of the page, or of the style, that asks; empty where it is not said."""
    named = {header["name"].lower(): header["value"].get("value", "") for header in request["headers"]}
    return str(named.get("referer", ""))


def _told(method: str, about: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """An event as Chromium tells it."""
    asked = about.get("request", {})
    request = {"requestId": asked.get("request"), "loaderId": about.get("navigation") or ""}
    if method == "network.beforeRequestSent":
        yield _event("Network.requestWillBeSent", **request, request={"url": asked["url"]})
    elif method == "network.responseCompleted":
        yield _event("Network.responseReceived", **request, response=about["response"])
        yield _event("Network.loadingFinished", **request)
    elif method == "network.fetchError":
        yield _event("Network.loadingFailed", **request)
        # Whoever asked has gone, or does not want it any more; Chromium's log has no word of that either.
        if about["errorText"] != "NS_BINDING_ABORTED":
            entry = {"level": "error", "text": f"{about['errorText']}: {asked['url']}", **request}
            yield _event("Log.entryAdded", entry=entry)
    elif about["type"] == "console":
        words = [{"value": _plain(argument)} for argument in about["args"]]
        kind = {"warn": "warning"}.get(about["method"], about["method"])
        yield _event("Runtime.consoleAPICalled", type=kind, args=words)
    elif about["level"] == "error":
        yield _event("Runtime.exceptionThrown", exceptionDetails={"text": about["text"]})
    else:
        level = {"warn": "warning"}.get(about["level"], about["level"])
        yield _event("Log.entryAdded", entry={"level": level, "text": about["text"]})


def _event(method: str, **about: Any) -> dict[str, Any]:
    return {"method": method, "params": about}


def _unanswered(events: list[dict[str, Any]]) -> set[str | None]:
    asked, ended = "Network.requestWillBeSent", ("Network.loadingFinished", "Network.loadingFailed")
    begun = {event["params"]["requestId"] for event in events if event["method"] == asked}
    return begun - {event["params"]["requestId"] for event in events if event["method"] in ended}


def _plain(told: dict[str, Any]) -> Any:
    """A value of the protocol as Python has it.

    >>> _plain({"type": "array", "value": [{"type": "string", "value": "a"}, {"type": "null"}]})
    ['a', None]
    """
    kind, value = told["type"], told.get("value")
    if kind == "array":
        return [_plain(part) for part in value or ()]
    if kind == "object":
        return {name: _plain(part) for name, part in value or ()}
    if kind in _PLAIN:
        return value
    return None if kind in ("null", "undefined") else f"<{kind}>"


@contextmanager
def firefox(profile: Path) -> Iterator[Firefox]:
    """A Firefox with an empty profile, ended at the end.

    Args:
        profile: an empty folder.

    Raises:
        BrowserError: there is no Firefox on this machine, or it does not start.
    """
    if FIREFOX is None:
        raise BrowserError("no firefox is installed here")
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in _PREFERENCES.items()]
    (profile / "user.js").write_text("\n".join(lines), encoding="utf-8")
    command = [FIREFOX, "--headless", "--no-remote", "--remote-debugging-port=0", "--profile", str(profile)]
    with (
        (profile / "said.txt").open("wb") as said,
        subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said
        ) as process,
    ):
        try:
            address = _address(profile / "said.txt", process)
            connection = websocket.create_connection(
                f"{address}/session", timeout=PATIENCE_S, suppress_origin=True
            )
            with closing(connection):
                yield Firefox(connection)
        finally:
            process.terminate()


def _address(said: Path, process: subprocess.Popen[bytes]) -> str:
    until = time.monotonic() + PATIENCE_S
    while not (found := _ADDRESS.search(said.read_bytes())):
        if process.poll() is not None or time.monotonic() > until:
            raise BrowserError(f"firefox does not start: {said.read_text(errors='replace')[-500:]}")
        time.sleep(0.05)
    return found[1].decode()
