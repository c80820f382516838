"""The API server: which one kubeconfig means, and lists of objects from it, page by page, by GET alone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from tenure.errors import InputError, Problem
from tenure.manifests.limits import MAX_FILE, in_mebibytes
from tenure.manifests.showing import NumberText, printable
from tenure.manifests.structure import dig, items

PAGE: Final = 500
"""Objects in one answer, as kubectl asks for them."""
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
class Server:
    """An API server.

    Args:
        context: of kubeconfig, for messages.
        namespace: of the context; where a name without one is looked for.
        client: the official client's `ApiClient`.
        timeout: seconds that one answer may take.
    """

    context: str
    namespace: str
    client: Any
    timeout: float

    def get(self, what: str, call: Call, **asked: Any) -> dict[str, Any]:
        """One answer.

        Args:
            what: what is asked for, in words.
            call: a method of the client that gets something.
            asked: its arguments.

        Raises:
            ClusterError: there is none, or it is no JSON object.
        """
        import urllib3
        from kubernetes.client.exceptions import ApiException

        try:
            answer = call(**asked, _preload_content=False, _request_timeout=self.timeout)
            raw = answer.read(MAX_FILE + 1)
        except ApiException as error:
            raise _refused(what, error) from None
        except urllib3.exceptions.HTTPError as error:
            raise _silent(what, error, self) from None
        return _parsed(what, raw)

    def listed(self, what: str, call: Call, **asked: Any) -> Iterator[dict[str, Any]]:
        """The items of a list, of which an answer has a page.

        Raises:
            ClusterError: as `get`; or the list has changed while it was read.
        """
        token = ""
        while True:
            page = self.get(what, call, **asked, limit=PAGE, **({"_continue": token} if token else {}))
            yield from (found for found in items(page.get("items")) if isinstance(found, dict))
            before, token = token, dig(page, "metadata", "continue") or ""
            if not token:
                return
            if token == before:
                raise ClusterError(what, "the same page a second time", "the one after it")


def connect(file: str | None, context: str | None, timeout: float) -> Server:
    """The API server that kubeconfig means, as kubectl takes it.

    Args:
        file: the kubeconfig; None for KUBECONFIG, else the one in the home folder.
        context: one of its contexts; None for the current one.
        timeout: seconds that one answer may take.

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
    except (kubeconfig.ConfigException, OSError, ValueError, TypeError, KeyError) as error:
        raise InputError([Problem("kubeconfig", _unusable(error), _KUBECONFIG)]) from None
    # One answer may take `timeout`; several attempts would take several of it.
    settings.retries = 0
    namespace = dig(chosen, "context", "namespace") or "default"
    return Server(chosen["name"], namespace, client.ApiClient(settings), timeout)


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
    said = printable(" ".join(str(error).split())).rstrip(".")
    stumbled = isinstance(error, TypeError | KeyError) or not said
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
        expected = f"an answer within {server.timeout:g}s; --request-timeout waits longer"
        return ClusterError(what, "no answer in time", expected)
    said = re.sub(r"^\[Errno \d+\] ", "", str(cause).rpartition(": ")[2])
    reason = printable(" ".join(said.split()) or type(cause).__name__)
    return ClusterError(what, f"no answer ({reason})", f"an API server at {server.client.configuration.host}")


def _message(body: object) -> str:
    """What a Status says, which is what an API server answers with where it refuses."""
    try:
        said = dig(json.loads(body), "message") if isinstance(body, str | bytes) else None
    except ValueError:
        return ""
    return printable(said) if isinstance(said, str) else ""


def _parsed(what: str, raw: bytes) -> dict[str, Any]:
    if len(raw) > MAX_FILE:
        size = in_mebibytes(MAX_FILE)
        raise ClusterError(what, f"more than {size}", f"at most {size} in one answer")
    try:
        found = json.loads(raw, parse_float=NumberText, parse_constant=NumberText)
    except (ValueError, RecursionError):
        raise ClusterError(what, "no JSON", "an answer of an API server") from None
    if not isinstance(found, dict):
        raise ClusterError(what, "JSON that is no object", "an answer of an API server")
    return found
