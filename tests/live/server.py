"""Requests to an API server: JSON over HTTPS, without a client library."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit

Object: TypeAlias = dict[str, Any]
"""A Kubernetes object, or another answer, as plain JSON."""
MANAGER = "tenure-tests"
JSON, MERGE_PATCH = "application/json", "application/merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"
SECONDS = 120.0
"""After so long without an answer a request fails; nothing else is meant by it."""


class ApiError(Exception):
    """What the API server refused.

    Args:
        code: the HTTP status.
        answer: the Status object, or the text where it is none.
    """

    def __init__(self, code: int, answer: Object) -> None:
        super().__init__(f"{code}: {answer.get('message', answer)}")
        self.code = code
        self.answer = answer


class Server:
    """An API server and who asks it; may be used by several threads.

    Args:
        address: such as `https://127.0.0.1:6443`.
        certificate: the file with the certificate that the server shows.
        token: the bearer token.
    """

    def __init__(self, address: str, certificate: Path, token: str) -> None:
        self.address = address
        self.certificate = certificate
        self.token = token
        self._place = urlsplit(address).netloc
        self._trusted = ssl.create_default_context(cafile=str(certificate))
        self._of_thread = threading.local()
        self._open: set[http.client.HTTPSConnection] = set()
        self._kinds: dict[str, dict[str, tuple[str, bool]]] = {}

    def get(self, path: str) -> Object:
        """The answer to GET, such as of `/apis/kueue.x-k8s.io/v1beta2/workloads`."""
        return self.request("GET", path)

    def listed(self, path: str) -> list[Object]:
        """The objects of a list, each with its apiVersion and kind, as kubectl prints them."""
        found = self.get(path)
        kind = {"apiVersion": found["apiVersion"], "kind": found["kind"].removesuffix("List")}
        return [{**kind, **one} for one in found["items"]]

    def create(self, manifest: Object, *, dry_run: bool = False) -> Object:
        """The object as it was created, with defaults; with `dry_run` as it would be."""
        return self.request("POST", self.path_of(manifest, named=False) + _dry(dry_run), manifest)

    def apply(self, objects: list[Object]) -> None:
        """Create or change objects by server-side apply, in this order."""
        for one in objects:
            path = self.path_of(one) + f"?fieldManager={MANAGER}&force=true"
            self.request("PATCH", path, one, APPLY_PATCH)

    def patch(self, path: str, changes: Object, *, dry_run: bool = False) -> Object:
        """The object after a merge patch."""
        return self.request("PATCH", path + _dry(dry_run), changes, MERGE_PATCH)

    def replace(self, manifest: Object, *, dry_run: bool = False) -> Object:
        """The object after an update with the whole of it."""
        return self.request("PUT", self.path_of(manifest) + _dry(dry_run), manifest)

    def delete(self, path: str) -> None:
        """Delete an object, or with the path of a list all of them; what is not there stays so."""
        try:
            self.request("DELETE", path)
        except ApiError as error:
            if error.code != http.client.NOT_FOUND:
                raise

    def watch(self, path: str, version: str) -> Iterator[Object]:
        """The changes of a list since a version: `{"type": "ADDED", "object": …}`, until it is closed."""
        connection = self._connection()
        joined = "&" if "?" in path else "?"
        connection.request(
            "GET", f"{path}{joined}watch=true&resourceVersion={version}", headers=self._headers(JSON)
        )
        answer = connection.getresponse()
        try:
            for line in answer:
                yield json.loads(line)
        finally:
            connection.close()
            self._open.discard(connection)

    def close(self) -> None:
        """Close all connections."""
        for connection in tuple(self._open):
            connection.close()

    def path_of(self, manifest: Object, *, named: bool = True) -> str:
        """Where an object is; without `named` the path of the list in which it is."""
        version, kind = manifest["apiVersion"], manifest["kind"]
        base = f"/apis/{version}" if "/" in version else f"/api/{version}"
        if kind not in self._kinds.get(version, {}):
            resources = self.get(base)["resources"]
            self._kinds[version] = {
                one["kind"]: (one["name"], one["namespaced"]) for one in resources if "/" not in one["name"]
            }
        plural, namespaced = self._kinds[version][kind]
        metadata = manifest["metadata"]
        where = f"/namespaces/{metadata.get('namespace', 'default')}" if namespaced else ""
        return f"{base}{where}/{plural}" + (f"/{metadata['name']}" if named else "")

    def request(self, method: str, path: str, body: Object | None = None, content_type: str = JSON) -> Object:
        """The JSON of an answer.

        Raises:
            ApiError: the server refused.
        """
        sent = None if body is None else json.dumps(body)
        code, text = self._answer(method, path, sent, content_type)
        while code == http.client.TOO_MANY_REQUESTS:
            # It asks to try again, such as while its storage of a new kind begins.
            time.sleep(0.5)
            code, text = self._answer(method, path, sent, content_type)
        try:
            answer: Object = json.loads(text)
        except ValueError:
            answer = {"message": text}
        if code >= http.client.BAD_REQUEST:
            raise ApiError(code, answer)
        return answer

    def _answer(self, method: str, path: str, body: str | None, content_type: str) -> tuple[int, str]:
        kept = getattr(self._of_thread, "connection", None)
        connection = kept or self._connection()
        self._of_thread.connection = None
        try:
            connection.request(method, path, body, self._headers(content_type))
            answer = connection.getresponse()
            text = answer.read().decode()
        except (http.client.HTTPException, OSError) as error:
            connection.close()
            self._open.discard(connection)
            if kept is None or isinstance(error, TimeoutError):
                raise
            # A connection that was kept may have been closed by the server meanwhile.
            return self._answer(method, path, body, content_type)
        self._of_thread.connection = connection
        return answer.status, text

    def _headers(self, content_type: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}", "Content-Type": content_type, "Accept": JSON}

    def _connection(self) -> http.client.HTTPSConnection:
        connection = http.client.HTTPSConnection(self._place, context=self._trusted, timeout=SECONDS)
        self._open.add(connection)
        return connection


def _dry(dry_run: bool) -> str:
    return "?dryRun=All" if dry_run else ""
