"""A server that never comes to an end, and one that answers what is no answer: an error with the bound."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from tenure.apps.kubectl import Bounds, ClusterError, Server, connect, fetch
from tests.cikit.api_server import GROUP, Api, api_of, kubeconfig, sent, serving
from tests.cikit.repository import SAMPLE
from tests.process import PATIENCE_S

PATH = f"{GROUP}/v1beta2/workloads"
WORKLOADS = "workloads.kueue.x-k8s.io"
PATIENT = Bounds(PATIENCE_S, PATIENCE_S)
Page = Callable[[int], Any]


@pytest.fixture
def api() -> Api:
    """The sample as a cluster."""
    return api_of([SAMPLE / "queues" / "gpu.yaml", SAMPLE / "running" / "workloads.yaml"])


@pytest.fixture
def config(api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A kubeconfig for it, while it is served."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving(api) as address:
        yield kubeconfig(tmp_path, address)


def said(config: Path, bounds: Bounds = PATIENT, clock: Callable[[], float] = lambda: 0.0) -> str:
    """The error in which reading the cluster ends."""
    found = connect(str(config), None, bounds)
    server = Server(found.context, found.namespace, found.client, bounds, clock)
    with pytest.raises(ClusterError) as raised:
        fetch(server, "kueue-system")
    return str(raised.value)


def pages(page: Page) -> Callable[[int, BinaryIO], None]:
    """Answers a page made of the number of the request."""
    return lambda number, out: void(out.write(sent(json.dumps(page(number)).encode())))


def void(_: object) -> None:
    """Nothing of it is needed."""


def endless(number: int) -> Any:
    """A page with an item and another token each time."""
    return {"items": [{"metadata": {"name": f"w{number}"}}], "metadata": {"continue": f"t{number}"}}


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        (Bounds(PATIENCE_S, pages=20), "found more pages, expected at most 20 of all lists together"),
        (
            Bounds(PATIENCE_S, objects=20),
            "found more objects, expected at most 20 in all lists together",
        ),
        (
            Bounds(PATIENCE_S, size=2**20),
            "found more than 1 MiB in all answers together, expected at most 1 MiB",
        ),
    ],
    ids=["pages", "objects", "bytes"],
)
def test_lists_without_an_end_are_read_up_to_the_bound(
    bounds: Bounds, words: str, api: Api, config: Path
) -> None:
    page = endless if bounds.size > 2**20 else lambda number: {**endless(number), "filler": "x" * 10_000}
    api.raw[PATH] = pages(page)
    assert said(config, bounds) == f"{WORKLOADS}: {words}"


def test_lists_without_an_end_are_read_until_the_time_is_over(api: Api, config: Path) -> None:
    api.raw[PATH] = pages(endless)
    ticks = count()
    words = (
        "found no end of the answers in time, expected all answers within 60s; --total-timeout waits longer"
    )
    # Every look at the clock is a second later than the one before.
    assert said(config, Bounds(PATIENCE_S, 60), lambda: float(next(ticks))) == f"{WORKLOADS}: {words}"


@pytest.mark.parametrize("period", [1, 2, 7])
def test_a_token_that_has_been_before_ends_a_list(period: int, api: Api, config: Path) -> None:
    api.raw[PATH] = pages(lambda number: {"items": [], "metadata": {"continue": f"t{number % period}"}})
    words = "found the same page a second time, expected one that has not been before"
    assert said(config) == f"{WORKLOADS}: {words}"


@pytest.mark.parametrize(
    ("page", "words"),
    [
        (
            {"items": [], "metadata": {"continue": 5}},
            "found a number for metadata.continue, expected a text",
        ),
        (
            {"items": [], "metadata": {"continue": ["a"]}},
            "found a list for metadata.continue, expected a text",
        ),
        ({"items": {}}, "found a map for items, expected a list of objects"),
        ({"items": [{}, 7]}, "found a number for items[1], expected an object"),
        ({"metadata": {}}, "found nothing for items, expected a list of objects"),
    ],
)
def test_what_is_no_page_of_a_list_is_named(page: Any, words: str, api: Api, config: Path) -> None:
    api.raw[PATH] = pages(lambda _: page)
    assert said(config) == f"{WORKLOADS}: {words}"


def test_an_empty_list_may_be_null_as_go_writes_it(api: Api, config: Path) -> None:
    api.raw[PATH] = pages(lambda _: {"items": None, "metadata": None})
    assert fetch(connect(str(config), None, PATIENT), "kueue-system").objects


def dripped(out: BinaryIO, start: bytes, drop: bytes, api: Api) -> None:
    """Write a drop again and again, sooner than a time-out of a socket, until nothing is served."""
    out.write(start)
    while not api.ended.wait(0.02):
        out.write(drop)
        out.flush()


@pytest.mark.parametrize(
    ("start", "drop"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", b" "),
        (b"HTTP/1.1 200 OK\r\nX: ", b"x"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"HTTP/1.1 500 Broken\r\nContent-Length: 1000000\r\n\r\n", b" "),
    ],
    ids=["body", "header", "continue", "refusal"],
)
def test_an_answer_that_comes_byte_by_byte_has_its_time(
    start: bytes, drop: bytes, api: Api, config: Path
) -> None:
    api.raw[PATH] = lambda _, out: dripped(out, start, drop, api)
    words = "found no answer in time, expected an answer within 0.5s; --request-timeout waits longer"
    assert said(config, Bounds(0.5)) == f"{WORKLOADS}: {words}"


@pytest.mark.parametrize("body", [b"x", b"[", b"\xff"])
def test_of_a_refusal_no_more_is_read_than_a_status_takes(body: bytes, api: Api, config: Path) -> None:
    # More is announced than comes: it is not waited for.
    head = sent(b"", "500 Broken").replace(b"Length: 0", b"Length: 99999999")
    api.raw[PATH] = lambda _, out: void((out.write(head + body * 2**17), api.ended.wait()))
    assert said(config).startswith(f"{WORKLOADS}: found 500 Internal Server Error, expected an answer")


def test_a_name_of_a_resource_that_is_no_text_is_none(api: Api, config: Path) -> None:
    api.objects[f"{GROUP}/v1beta2"]["resources"] += [{"name": ["workloads"]}, {"name": {}}, 7]
    assert fetch(connect(str(config), None, PATIENT), "kueue-system").objects
