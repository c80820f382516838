"""Paths that are no files, files that are no text, texts that are too much: a clear answer each, soon."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tenure
from tenure.errors import InputError
from tenure.manifests import limits
from tests.command_line import tenure_process as command

QUEUE = b"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata:\n  name: a\n"
Make = Callable[[Path], Path]


def said(*paths: str | Path) -> str:
    """The first thing that is wrong, without the file's name."""
    with pytest.raises(InputError) as caught:
        tenure.load(*paths)
    problem = caught.value.problems[0]
    return f"{problem.field}: {problem.found} / {problem.expected}".removeprefix(": ")


def made(path: Path, content: bytes) -> Path:
    """A file with some content."""
    path.write_bytes(content)
    return path


def a_socket(folder: Path) -> Path:
    """A socket that nobody listens on; its path has to be short."""
    here = Path.cwd()
    os.chdir(folder)
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind("s.yaml")
    finally:
        os.chdir(here)
    return folder / "s.yaml"


def a_pipe(folder: Path) -> Path:
    """A pipe that nobody writes to."""
    os.mkfifo(folder / "p.yaml")
    return folder / "p.yaml"


def a_loop(folder: Path) -> Path:
    """Two links, each to the other."""
    (folder / "a.yaml").symlink_to("b.yaml")
    (folder / "b.yaml").symlink_to("a.yaml")
    return folder / "a.yaml"


EXPECTED = "a file or folder to read"


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (a_socket, "a socket"),
        (a_pipe, "a pipe without a writer"),
        (a_loop, "too many levels of symbolic links"),
        (lambda _: Path("/dev/zero"), "a device"),
        (lambda folder: folder / ("x" * 300), "file name too long"),
        (lambda folder: folder / ("x/" * 3000), "file name too long"),
        (lambda folder: made(folder / "a.yaml", b"") / "b.yaml", "not a directory"),
    ],
)
def test_what_is_no_file_is_named(make: Make, found: str, tmp_path: Path) -> None:
    path = make(tmp_path)
    assert said(path) == f"{found} / {EXPECTED}"


@pytest.mark.parametrize("make", [a_socket, a_pipe, a_loop])
def test_the_same_inside_a_folder_does_not_hide_the_others(make: Make, tmp_path: Path) -> None:
    make(tmp_path)
    made(tmp_path / "z.yaml", b"a: [")
    with pytest.raises(InputError) as caught:
        tenure.load(tmp_path)
    assert any("syntax error" in str(problem) for problem in caught.value.problems)


def test_a_pipe_is_read_as_a_shell_makes_one() -> None:
    out, into = os.pipe()

    def write() -> None:
        os.write(into, QUEUE)
        os.close(into)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert list(tenure.load(f"/dev/fd/{out}").cluster.cluster_queues) == ["a"]
    finally:
        writer.join()
        os.close(out)


def test_a_folder_that_vanishes_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(tmp_path / "a.yaml", QUEUE)
    walk = os.walk

    def vanishing(top: Path, onerror: Any = None) -> list[Any]:
        found = list(walk(top, onerror=onerror))
        (tmp_path / "a.yaml").unlink()
        tmp_path.rmdir()
        return found

    monkeypatch.setattr(os, "walk", vanishing)
    assert said(tmp_path) == f"no such file or folder / {EXPECTED}"


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"", "no document"),
        (b"\xef\xbb\xbf", "no document"),
        (b"\n\n# nothing\n", "no document"),
        (b"---\n---\n", "no document"),
        (b"kind: A\x00", "a syntax error (control characters are not allowed)"),
        (b"kind: \xff", "byte 0xff in line 1"),
        (QUEUE.decode().encode("utf-16"), "byte 0xff in line 1"),
        (QUEUE + b"spec: {a: [", "a syntax error (did not find expected node content) in line 6"),
        (QUEUE + b"\tspec:\n", "a syntax error"),
    ],
)
def test_what_is_no_manifest_is_named(content: bytes, found: str, tmp_path: Path) -> None:
    assert said(made(tmp_path / "a.yaml", content)).startswith(found)


@pytest.mark.parametrize("end", [b"\r\n", b"\n"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf", b"---\n", b"# a remark\n"])
def test_editors_of_all_systems_are_understood(start: bytes, end: bytes, tmp_path: Path) -> None:
    path = made(tmp_path / "a.yaml", (start + QUEUE).replace(b"\n", end))
    assert list(tenure.load(path).cluster.cluster_queues) == ["a"]


LARGE = "x" * (limits.MAX_OBJECT + 100)
A_LIST = {"apiVersion": "v1", "kind": "List"}


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.json", json.dumps({"a": "x" * limits.MAX_DOCUMENT}), "JSON that is no List of more than 8 MiB"),
        ("a.json", json.dumps({**A_LIST, "items": [{"a": LARGE}, {}]}), "an object of more than 4 MiB"),
        ("a.json", json.dumps({**A_LIST, "items": [{"a": LARGE * 5}]}), "an object of more than 4 MiB"),
        (
            "a.json",
            json.dumps({**A_LIST, "items": [[[]] * 2**22]}),
            "an object of more than 4 MiB",
        ),
        ("a.yaml", f"kind: List\nitems:\n- a: {LARGE}\n", "items[0]: an object of more than 4 MiB"),
        ("a.yaml", "a: 1\n" * 10_000, "a: the key 'a' a second time, in line 2"),
        (
            "a.json",
            json.dumps({**A_LIST, "items": [1] * 5000}),
            "items[0]: a number in the document of line 1",
        ),
    ],
)
def test_what_is_too_much_is_told_with_its_limit(name: str, text: str, found: str, tmp_path: Path) -> None:
    assert said(made(tmp_path / name, text.encode())).startswith(found)


def test_more_values_than_are_read_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("yaml_text", "yaml_events"):
        monkeypatch.setattr(f"tenure.manifests.{module}.MAX_VALUES", 100)
    many = made(tmp_path / "a.yaml", b"- 1\n" * 300)
    expected = "at most 100 values outside a List as kubectl writes it"
    assert said(many) == f"more values in line 199 / {expected}"


def test_no_more_is_told_than_a_person_reads(tmp_path: Path) -> None:
    wrong = [{"kind": "ClusterQueue"}] * 5000
    path = made(tmp_path / "a.json", json.dumps({**A_LIST, "items": wrong}).encode())
    with pytest.raises(InputError) as caught:
        tenure.load(path)
    *told, last = caught.value.problems
    assert len(told) == limits.MAX_PROBLEMS
    assert (last.found, last.expected) == ("more problems", "fewer than 1000 problems; the rest is not read")


def test_a_window_that_ends_inside_an_object_loses_nothing(tmp_path: Path) -> None:
    """Ten objects of three MiB: several windows, each of which ends inside an object."""
    text = "x" * (3 * 2**20)
    items = [{"apiVersion": "v1", "kind": "Other", "n": n, "text": text, "m": n} for n in range(10)]
    path = made(tmp_path / "a.json", json.dumps({**A_LIST, "items": items}).encode())
    assert [object_.object for object_ in tenure.manifests.read_objects([path])] == items


@pytest.mark.skipif(sys.platform == "win32", reason="closing a descriptor is the shell's business there")
def test_a_closed_standard_input_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert said("-") == "a closed standard input / Kubernetes objects"


def test_a_command_says_so_too(tmp_path: Path) -> None:
    done = command("decide", str(a_pipe(tmp_path)))
    assert done.returncode == 2
    assert b"a pipe without a writer" in done.stderr
