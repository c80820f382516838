"""The API server: which one kubeconfig means, and lists of objects from it, page by page, by GET alone."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

from tenure.errors import InputError, Problem
from tenure.manifests.limits import MAX_FILE, MAX_OBJECTS, in_mebibytes
from tenure.manifests.showing import NumberText, printable, sort_of
from tenure.manifests.structure import dig

PAGE: Final = 500
"""Objects in one answer, as kubectl asks for them."""
_STATUS: Final = 2**16
"""Bytes of what comes with a refusal that are read."""
_EXTRA: Final = "the extra `kubectl`: pip install 'tenure[kubectl]'"
_KUBECONFIG: Final = "a kubeconfig as kubectl reads it: --kubeconfig, else KUBECONFIG, else ~/.kube/config"

Call = Callable[..., Any]
"""A method of the official client; it takes `_preload_content` and `_request_timeout`."""


class ClusterError(Exception):
    """The cluster cannot be read: it does not answer, refuses, or has no such API.

    Args:
        what: what was asked for, in words.
        found: what came of it.
        expected: what would help.
        status: of the answer, as HTTP has it; 0 where there was none.
    """

    def __init__(self, what: str, found: str, expected: str, status: int = 0) -> None:
        super().__init__(f"{what}: found {found}, expected {expected}")
        self.status = status


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much one server may send, over all that it is asked.

    Args:
        answer_s: seconds that one answer may take, however slowly its bytes come.
        total_s: seconds that all of them may take.
        pages: answers that are pages of a list.
        objects: items of lists.
        size: bytes.
    """

    answer_s: float
    total_s: float = 600.0
    pages: int = 10_000
    objects: int = MAX_OBJECTS
    size: int = MAX_FILE


@dataclass(slots=True)
class _Sent:
    """How much a server has sent.

    Args:
        began: when it was asked first, by the server's clock; None until then.
        pages, objects, size: as in `Bounds`.
    """

    began: float | None = None
    pages: int = 0
    objects: int = 0
    size: int = 0


@dataclass(frozen=True, slots=True)
class Server:
    """An API server.

    Args:
        context: of kubeconfig, for messages.
        namespace: of the context; where a name without one is looked for.
        client: the official client's `ApiClient`.
        bounds: how much it may send.
        clock: seconds that have passed since some moment.
    """

    context: str
    namespace: str
    client: Any
    bounds: Bounds
    clock: Callable[[], float] = time.monotonic
    _sent: _Sent = field(default_factory=_Sent)

    def get(self, what: str, call: Call, **asked: Any) -> dict[str, Any]:
        """One answer.

        Args:
            what: what is asked for, in words.
            call: a method of the client that gets something.
            asked: its arguments.

        Raises:
            ClusterError: there is none, it is no JSON object, or a bound is passed.
        """
        import urllib3
        from kubernetes.client.exceptions import ApiException

        patience = min(self.bounds.answer_s, self._left(what))

        def answer() -> bytes:
            with call(**asked, _preload_content=False, _request_timeout=patience) as opened:
                return bytes(opened.read(self.bounds.size - self._sent.size + 1))

        try:
            raw = _within(patience, answer)
        except ApiException as error:
            raise _refused(what, error) from None
        except TimeoutError:
            self._left(what)
            raise _late(what, self.bounds.answer_s) from None
        except urllib3.exceptions.HTTPError as error:
            self._left(what)
            raise _silent(what, error, self) from None
        self._sent.size += len(raw)
        if self._sent.size > self.bounds.size:
            size = in_mebibytes(self.bounds.size)
            raise ClusterError(what, f"more than {size} in all answers together", f"at most {size}")
        return _parsed(what, raw)

    def listed(self, what: str, call: Call, **asked: Any) -> Iterator[dict[str, Any]]:
        """The items of a list, of which an answer has a page.

        Raises:
            ClusterError: as `get`; or an answer is no page of a list, or one that has been before.
        """
        token = ""
        known: set[str] = set()
        while True:
            self._sent.pages += 1
            if self._sent.pages > self.bounds.pages:
                expected = f"at most {self.bounds.pages} of all lists together"
                raise ClusterError(what, "more pages", expected)
            page = self.get(what, call, **asked, limit=PAGE, **({"_continue": token} if token else {}))
            yield from self._items(what, page)
            token = _token(what, page)
            if not token:
                return
            if token in known:
                raise ClusterError(what, "the same page a second time", "one that has not been before")
            known.add(token)

    def _items(self, what: str, page: dict[str, Any]) -> list[dict[str, Any]]:
        found = page.get("items")
        # Go writes an empty list as null.
        entries = [] if found is None and "items" in page else found
        if not isinstance(entries, list):
            said = sort_of(found) if "items" in page else "nothing"
            raise ClusterError(what, f"{said} for items", "a list of objects")
        for index, entry in enumerate(entries):
            if not isinstance(entry, dict):
                raise ClusterError(what, f"{sort_of(entry)} for items[{index}]", "an object")
        self._sent.objects += len(entries)
        if self._sent.objects > self.bounds.objects:
            expected = f"at most {self.bounds.objects} in all lists together"
            raise ClusterError(what, "more objects", expected)
        return entries

    def _left(self, what: str) -> float:
        """Seconds that are left of all.

        Raises:
            ClusterError: none is.
        """
        now = self.clock()
        if self._sent.began is None:
            self._sent.began = now
        left = self._sent.began + self.bounds.total_s - now
        if left <= 0:
            expected = f"all answers within {self.bounds.total_s:g}s; --total-timeout waits longer"
            raise ClusterError(what, "no end of the answers in time", expected)
        return left


def _within(seconds: float, run: Callable[[], bytes]) -> bytes:
    """What a call answers.

    No time-out of a socket ends a call whose bytes come one by one. A thread that is waited for no longer is
    left behind; it does not keep the process.

    Raises:
        TimeoutError: it takes longer.
    """
    future: Future[bytes] = Future()

    def fill() -> None:
        try:
            future.set_result(run())
        except BaseException as error:  # noqa: BLE001 - whatever it is, the caller gets it
            future.set_exception(error)

    threading.Thread(target=fill, daemon=True).start()
    return future.result(seconds)


def _token(what: str, page: dict[str, Any]) -> str:
    """What the next page is asked for with; empty after the last one."""
    token = dig(page, "metadata", "continue")
    if token is None:
        return ""
    if not isinstance(token, str):
        raise ClusterError(what, f"{sort_of(token)} for metadata.continue", "a text")
    return token


def connect(file: str | None, context: str | None, bounds: Bounds) -> Server:
    """The API server that kubeconfig means, as kubectl takes it.

    Args:
        file: the kubeconfig; None for KUBECONFIG, else the one in the home folder.
        context: one of its contexts; None for the current one.
        bounds: how much the server may send.

    Raises:
        InputError: the client is not installed; no such file or context, or one that the client cannot use.
    """
    try:
        from kubernetes import client, config
    except ImportError:
        raise InputError([Problem("kubernetes", "not installed", _EXTRA)]) from None
    kubeconfig: Any = config  # its functions have no types
    try:
        known, current = kubeconfig.list_kube_config_contexts(file)
        chosen = _named(context, known) if context else current
        settings = client.Configuration()
        kubeconfig.load_kube_config(file, chosen["name"], settings, persist_config=False)
    except InputError:
        raise  # a ValueError too, and it names its option already
    except Exception as error:  # noqa: BLE001 - the client stumbles in many ways, and says which nowhere
        raise InputError([Problem("kubeconfig", _unusable(error), _KUBECONFIG)]) from None
    # One answer has its time; several attempts would take several times that.
    settings.retries = 0
    namespace = dig(chosen, "context", "namespace") or "default"
    opened = client.ApiClient(settings)
    pool: Any = opened.rest_client.pool_manager  # its method is replaced
    pool.request = _refusing(pool.request)
    return Server(chosen["name"], namespace, opened, bounds)


def _refusing(request: Call) -> Call:
    """As the client's own, which would read all of a refusal; no more of it is read than a Status takes."""

    def ask(*words: Any, **asked: Any) -> Any:
        from kubernetes.client.exceptions import ApiException

        answer = request(*words, **asked)
        if 200 <= answer.status < 300:
            return answer
        refused = ApiException(status=answer.status, reason=answer.reason)
        with answer:
            refused.body = answer.read(_STATUS)
        raise refused

    return ask


def _named(context: str, known: list[dict[str, Any]]) -> dict[str, Any]:
    for entry in known:
        if entry["name"] == context:
            return entry
    names = ", ".join(printable(entry["name"]) for entry in known)
    raise InputError([Problem("--context", repr(context), f"one of {names}")])


def _unusable(error: Exception) -> str:
    """Why a kubeconfig cannot be used; where the client stumbled tells a user nothing.

    >>> _unusable(OSError("No such file.")), _unusable(TypeError("'str' object is not callable"))
    ('none that can be used (No such file)', 'none that can be used (it has another form)')
    """
    from kubernetes.config import ConfigException

    said = printable(" ".join(str(error).split())).rstrip(".")
    stumbled = not isinstance(error, OSError | ValueError | ConfigException) or not said
    return f"none that can be used ({'it has another form' if stumbled else said})"


def _refused(what: str, error: Any) -> ClusterError:
    status = int(error.status or 0)
    phrase = HTTPStatus(status).phrase if status in set(HTTPStatus) else ""
    said = _message(error.body)
    found = f"{status} {phrase}{f' ({said})' if said else ''}".strip()
    return ClusterError(what, found, _REMEDIES.get(status, "an answer of the API server"), status)


_REMEDIES: Final = {
    401: "credentials that the API server takes",
    403: "permission to get and list it in all namespaces; `kubectl auth can-i list` tells",
    404: "an API server that has it",
    410: "a list that does not change meanwhile; try again",
    429: "an API server that has time; try again",
}


def _silent(what: str, error: Exception, server: Server) -> ClusterError:
    import urllib3

    cause = getattr(error, "reason", None) or error
    # urllib3 counts a refused connection among those that came too late.
    refused = isinstance(cause, urllib3.exceptions.NewConnectionError)
    if isinstance(cause, urllib3.exceptions.TimeoutError) and not refused:
        return _late(what, server.bounds.answer_s)
    said = re.sub(r"^\[Errno \d+\] ", "", str(cause).rpartition(": ")[2])
    reason = printable(" ".join(said.split()) or type(cause).__name__)
    return ClusterError(what, f"no answer ({reason})", f"an API server at {server.client.configuration.host}")


def _late(what: str, seconds: float) -> ClusterError:
    expected = f"an answer within {seconds:g}s; --request-timeout waits longer"
    return ClusterError(what, "no answer in time", expected)


def _message(body: object) -> str:
    """What a Status says, which is what an API server answers with where it refuses."""
    try:
        said = dig(json.loads(body), "message") if isinstance(body, str | bytes) else None
    except (ValueError, RecursionError):
        return ""
    return printable(said) if isinstance(said, str) else ""


def _parsed(what: str, raw: bytes) -> dict[str, Any]:
    try:
        found = json.loads(raw, parse_float=NumberText, parse_constant=NumberText)
    except (ValueError, RecursionError):
        raise ClusterError(what, "no JSON", "an answer of an API server") from None
    if not isinstance(found, dict):
        raise ClusterError(what, "JSON that is no object", "an answer of an API server")
    return found
