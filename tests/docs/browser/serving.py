"""The built site on a port of this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

_INDEX = "/search/search_index.json"
_NO_PAGE = Path(__file__).with_name("no_page.json")


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    searched = True
    answered: Callable[[str], object] = staticmethod(lambda _: None)

    def translate_path(self, path: str) -> str:
        """The file of a request; a site that is not searched has an index of no page."""
        unsearched = not self.searched and path.endswith(_INDEX)
        return str(_NO_PAGE) if unsearched else super().translate_path(path)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """A file that is not there is answered with the site's own page, as hosts of such sites do."""
        page = Path(self.directory) / "404.html"
        if code != HTTPStatus.NOT_FOUND or not page.exists():
            super().send_error(code, message, explain)
            return
        content = page.read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Requests are seen by the browser."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:  # noqa: ARG002 - as above
        """Whoever counts is told what is sent."""
        if code == HTTPStatus.OK:
            self.answered(self.path)

    def end_headers(self) -> None:
        # What all pages have in common is read once.
        if "/assets/" in self.path:
            self.send_header("Cache-Control", "max-age=3600")
        super().end_headers()


@contextmanager
def served(
    root: Path, *, searched: bool = True, answered: Callable[[str], object] = lambda _: None
) -> Iterator[str]:
    """The address of a site that is served until the end.

    Args:
        root: its folder.
        searched: whether a test will search. Otherwise the index is empty: each page would read it again,
            which takes longer than all else that a page does.
        answered: is told the path of every file that is sent.
    """
    handler = type("_Asked", (_Handler,), {"searched": searched, "answered": staticmethod(answered)})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(root)))
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
