"""An API server on this machine alone: answers what was recorded, in pages, and keeps what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import parse_qs, urlsplit

import yaml

GROUP = "/apis/kueue.x-k8s.io"
PLURALS = {
    "ClusterQueue": "clusterqueues",
    "Cohort": "cohorts",
    "ResourceFlavor": "resourceflavors",
    "LocalQueue": "localqueues",
    "Workload": "workloads",
    "WorkloadPriorityClass": "workloadpriorityclasses",
}
PAGE = 2


@dataclass
class Api:
    """What is answered.

    Args:
        lists: items by path.
        objects: single objects by path.
        failing: a status and a message by path.
        silent: paths about which it says nothing while it is served.
        raw: writes the whole answer of a path by itself, and is given the number of the request.
        asked: method and target of every request.
        ended: set when it is no longer served.
    """

    lists: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    objects: dict[str, dict[str, Any]] = field(default_factory=dict)
    failing: dict[str, tuple[int, str]] = field(default_factory=dict)
    silent: set[str] = field(default_factory=set)
    raw: dict[str, Callable[[int, BinaryIO], None]] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def answer(self, target: str) -> tuple[int, dict[str, Any]]:
        """Status and body."""
        parts = urlsplit(target)
        if parts.path in self.silent:
            self.ended.wait()
        if parts.path in self.failing:
            status, message = self.failing[parts.path]
            return status, _status(status, message)
        if parts.path in self.objects:
            return 200, self.objects[parts.path]
        if parts.path not in self.lists:
            return 404, _status(404, "the server could not find the requested resource")
        return 200, self._page(parts.path, parse_qs(parts.query))

    def _page(self, path: str, query: dict[str, list[str]]) -> dict[str, Any]:
        start = int(query.get("continue", ["0"])[0])
        end = start + min(PAGE, int(query["limit"][0]))
        items = self.lists[path]
        more = {"continue": str(end)} if end < len(items) else {}
        # The items of a typed list have neither version nor kind.
        bare = [
            {key: value for key, value in item.items() if key not in ("apiVersion", "kind")}
            for item in items[start:end]
        ]
        return {
            "apiVersion": "v1",
            "kind": "SomeList",
            "metadata": {"resourceVersion": "7", **more},
            "items": bare,
        }


def api_of(files: Sequence[Path], version: str = "v1beta2") -> Api:
    """The objects of some files as a cluster would serve them."""
    api = Api(lists={f"{GROUP}/{version}/{plural}": [] for plural in PLURALS.values()})
    for file in files:
        for item in yaml.safe_load_all(file.read_text(encoding="utf-8")):
            api.lists[f"{GROUP}/{version}/{PLURALS[item['kind']]}"].append(item)
    resources = [{"name": name} for plural in PLURALS.values() for name in (plural, f"{plural}/status")]
    api.objects[f"{GROUP}/{version}"] = {"kind": "APIResourceList", "resources": resources}
    return api


@contextmanager
def serving(api: Api) -> Iterator[str]:
    """Serve it on 127.0.0.1; gives the server's address."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            api.asked.append((self.command, self.path))
            if write := api.raw.get(self.path.partition("?")[0]):
                self.close_connection = True
                with suppress(BrokenPipeError, ConnectionResetError):
                    write(len(api.asked), cast(BinaryIO, self.wfile))
                return
            status, body = (
                api.answer(self.path) if self.command == "GET" else (405, _status(405, "read only"))
            )
            raw = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            # Who was told to wait no longer has gone.
            with suppress(BrokenPipeError, ConnectionResetError):
                self.wfile.write(raw)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer  # noqa: N815 - http.server's names

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's name
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        api.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()


def sent(body: bytes, status: str = "200 OK") -> bytes:
    """An answer as it goes over the wire."""
    head = f"HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def kubeconfig(folder: Path, address: str) -> Path:
    """A kubeconfig with two contexts: `here`, whose namespace is ml, and `other`, without a server."""
    clusters = {"here": address, "other": "http://127.0.0.1:9"}
    file = folder / "kubeconfig"
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "here",
        "clusters": [{"name": name, "cluster": {"server": url}} for name, url in clusters.items()],
        "users": [{"name": "reader", "user": {"token": "t"}}],
        "contexts": [
            {"name": name, "context": {"cluster": name, "user": "reader", "namespace": "ml"}}
            for name in clusters
        ],
    }
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
    return file


def _status(code: int, message: str) -> dict[str, Any]:
    return {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "code": code}
