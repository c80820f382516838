"""A page of a cluster that is read again and again, served to browsers of this machine."""

from __future__ import annotations

import io
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import redirect_stderr
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Final, TextIO

from tenure.cli.terminal import complain
from tenure.errors import InputError, bad_input, safe

HOST: Final = "127.0.0.1"
STATE: Final = "/state"
"""What the page asks for, to notice a new picture or an error."""
_ICON: Final = "/favicon.ico"
_IDLE_S: Final = 30.0
"""A connection without a request is closed after so long."""
_TICK_S: Final = 0.5
"""A wait without a limit cannot be interrupted on every system."""
_MOST_LINES: Final = 1000
_MOST_PROBLEMS: Final = 10


@dataclass(frozen=True, slots=True)
class DrawnPage:
    """A picture of the cluster as a page.

    Args:
        html: the page.
        summary: what it shows, in a line.
        policy: its Content-Security-Policy.
    """

    html: str
    summary: str
    policy: str


@dataclass(frozen=True, slots=True)
class _Shown:
    """The last picture, and why there is no newer one. Times are of the monotonic clock, in seconds.

    Args:
        page: the picture.
        number: from 1, of the picture.
        read_at: when reading it began.
        error: why the last reading failed; empty where it did not.
        failed_at: when it failed.
    """

    page: DrawnPage
    number: int
    read_at: float
    error: str = ""
    failed_at: float = 0.0

    def state(self, every: float) -> bytes:
        """What the page asks for: ages in seconds."""
        now = time.monotonic()
        state: dict[str, object] = {"picture": self.number, "age": now - self.read_at, "every": every}
        if self.error:
            state |= {"error": self.error, "errorAge": now - self.failed_at}
        return json.dumps(state).encode()


@dataclass(slots=True)
class _Board:
    """What requests are answered with; the one that draws replaces `shown` as a whole."""

    shown: _Shown
    every: float
    asked: threading.Event = field(default_factory=threading.Event)


class _Server(ThreadingHTTPServer):
    """Listens on loopback; what it answers with is set before it serves."""

    daemon_threads = True
    # Elsewhere this lets two programs listen on one port.
    allow_reuse_address = os.name == "posix"
    board: _Board

    def server_bind(self) -> None:
        # The base class's looks up the host's name, which may wait for a name server.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, self.server_address[1]

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that goes away in the middle of an answer is no fault."""


class _Handler(BaseHTTPRequestHandler):
    """Answers a browser of this machine, and no page from elsewhere."""

    server: _Server
    timeout = _IDLE_S
    policy = "default-src 'none'; frame-ancestors 'none'"

    def do_GET(self) -> None:
        """The page, or its state."""
        if not self._is_from_here():
            return
        board = self.server.board
        if self.path == "/":
            board.asked.set()
            page = board.shown.page
            self.policy = f"{page.policy}; frame-ancestors 'none'"
            self._answer("text/html; charset=utf-8", page.html.encode(errors="replace"))
        elif self.path == STATE:
            board.asked.set()
            self._answer("application/json", board.shown.state(board.every))
        elif self.path == _ICON:
            self._answer("image/x-icon", b"", HTTPStatus.NO_CONTENT)
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "there is one page here: /")

    do_HEAD = do_GET  # noqa: N815 - the name is the base class's

    def do_POST(self) -> None:
        """Nothing can be changed."""
        if self._is_from_here():
            self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, "only GET and HEAD: nothing is changed here")

    do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_POST  # noqa: N815 - as above

    def _is_from_here(self) -> bool:
        """Whether the address in the browser is this server's; the name of another site may lead here."""
        port = self.server.server_port
        known = [f"{name}:{port}" for name in (HOST, "localhost")]
        hosts = self.headers.get_all("Host", [])
        if len(hosts) == 1 and hosts[0].lower() in (*known, *([HOST, "localhost"] if port == 80 else ())):
            return True
        self._refuse(HTTPStatus.MISDIRECTED_REQUEST, f"expected the host {' or '.join(known)}")
        return False

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        self._answer("text/plain; charset=utf-8", f"{why}\n".encode(), status)

    def _answer(self, kind: str, body: bytes, status: HTTPStatus = HTTPStatus.OK) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if status == HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "GET, HEAD")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def end_headers(self) -> None:
        """The headers that every answer has, also one that the base class gives."""
        for name, value in (
            ("Content-Security-Policy", self.policy),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Referrer-Policy", "no-referrer"),
        ):
            self.send_header(name, value)
        super().end_headers()

    def version_string(self) -> str:
        """No versions of programs."""
        return "tenure"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Requests are no news."""


class _NewLines(io.TextIOBase):
    """Standard error while the cluster is read: each line once, however often it is read.

    Args:
        stream: where lines go; None where it is closed.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream, self._seen = stream, set[str]()

    def write(self, text: str) -> int:
        """Whole lines, as warnings and hints are."""
        if self._stream is not None and text not in self._seen:
            self._stream.write(text)
            self._stream.flush()
        if len(self._seen) == _MOST_LINES:
            self._seen.clear()
        self._seen.add(text)
        return len(text)


def serve(
    port: int, every: float, draw: Callable[[int], DrawnPage], ready: Callable[[str, str], None]
) -> None:
    """Serve a page until Ctrl-C.

    The cluster is read while someone looks, as `draw` reads it; until then, and where that fails, the last
    picture is shown.

    Args:
        port: of loopback; 0 for any free one.
        every: seconds from one reading to the next.
        draw: reads the cluster and draws the picture of this number.
        ready: receives the address and the summary of the first picture.

    Raises:
        InputError: the port cannot be listened on.
        Exception: as `draw`, the first time.
    """
    try:
        server = _Server((HOST, port), _Handler)
    except OSError as error:
        expected = f"a port of {HOST} that is free, or 0 for any: {(error.strerror or str(error)).lower()}"
        raise bad_input("--port", port, expected) from None
    news = _NewLines(sys.stderr)
    with server:
        began = time.monotonic()
        with redirect_stderr(news):
            page = draw(1)
        board = server.board = _Board(_Shown(page, 1, began), every)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            ready(f"http://{HOST}:{server.server_port}/", page.summary)
            _keep_reading(board, draw, news)
        except KeyboardInterrupt:
            pass
        finally:
            server.shutdown()


def _keep_reading(board: _Board, draw: Callable[[int], DrawnPage], news: _NewLines) -> None:
    while True:
        time.sleep(board.every)
        # Who looks asks again and again: what was asked before does not count.
        board.asked.clear()
        while not board.asked.wait(_TICK_S):
            pass
        shown, began = board.shown, time.monotonic()
        try:
            with redirect_stderr(news):
                page = draw(shown.number + 1)
            board.shown = _Shown(page, shown.number + 1, began)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with a reading, the last picture stays
            lines = _lines(error)
            board.shown = replace(shown, error="\n".join(lines), failed_at=time.monotonic())
            if board.shown.error != shown.error:
                for line in lines:
                    complain("error", line)


def _lines(error: Exception) -> list[str]:
    from tenure.kubectl import ClusterError

    if isinstance(error, InputError):
        problems = [*map(str, error.problems)]
        more = len(problems) - _MOST_PROBLEMS
        return [*problems[:_MOST_PROBLEMS], *([f"and {more} more"] if more > 0 else [])]
    if isinstance(error, ClusterError | OSError):
        return [safe(str(error))]
    return [safe(f"internal error: {type(error).__name__}: {error}")]
