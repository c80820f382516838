"""One more than each limit that the page of inputs states, in the input that it bounds: refused by name."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

import tenure
from tenure.cli.revisions import objects_at, parse_revision
from tenure.conformance import lines
from tenure.conformance.vectors import load_vectors
from tenure.errors import InputError
from tenure.kubectl.run import ClusterError, Kubectl
from tenure.manifests import limits, read_objects
from tenure.model import Cluster, ClusterQueue
from tenure.readings import preset
from tenure.validation import validate
from tenure_check.analysis.matrix import Effort, analyze
from tenure_check.analysis.states import PriorityLevel
from tenure_simulate.traces import TraceColumns, read_trace
from tests.docs.blocks import ROOT

Trial: TypeAlias = Callable[[Path, pytest.MonkeyPatch], object]
MOST_MIB: Final = 48
"""What is held at a time while an input is refused: of files that are larger, no more than a part."""
TRACE: Final = "job_id,queue,submit_s,duration_s,gpus\n"
TREE: Final = (
    "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: %s}\nspec: {parentName: %s}\n"
)


def refused(found: Callable[[], object]) -> str:
    with pytest.raises((InputError, ClusterError)) as caught:
        found()
    return str(caught.value)


def read(folder: Path, text: str | bytes, name: str = "a.yaml") -> str:
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return refused(lambda: tenure.load(folder / name))


def queue(**spec: Any) -> str:
    return json.dumps(
        {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": "q"}} | spec
    )


def sparse(folder: Path, name: str, size: int) -> Path:
    """A file of so many bytes, which takes no room."""
    path = folder / name
    with path.open("wb") as file:
        file.truncate(size)
    return path


def traced(folder: Path, text: str, patched: pytest.MonkeyPatch, **most: int) -> str:
    for name, value in most.items():
        patched.setattr(f"tenure_simulate.traces.{name}", value)
    path = folder / "a.csv.gz"
    path.write_bytes(gzip.compress((TRACE + text).encode()))
    return refused(lambda: read_trace(path, TraceColumns()))


def file(folder: Path, _: pytest.MonkeyPatch) -> str:
    path = sparse(folder, "a.yaml", limits.MAX_FILE + 1)
    return refused(lambda: read_objects([path]))


def vectors(folder: Path, _: pytest.MonkeyPatch) -> str:
    sparse(folder, "a.json", limits.MAX_VECTORS + 1)
    return refused(lambda: load_vectors(folder))


def objects(folder: Path, patched: pytest.MonkeyPatch) -> str:
    patched.setattr("tenure.manifests.files.MAX_OBJECTS", 2)
    return read(folder, "---\n".join([TREE % ("a", "b")] * 3)).replace("2 Kube", f"{limits.MAX_OBJECTS} Kube")


def values(folder: Path, patched: pytest.MonkeyPatch) -> str:
    for module in ("yaml_text", "yaml_events"):
        patched.setattr(f"tenure.manifests.{module}.MAX_VALUES", 100)
    return read(folder, "- 1\n" * 300).replace("100 values", f"{limits.MAX_VALUES} values")


def aliased(folder: Path, patched: pytest.MonkeyPatch) -> str:
    rows = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 8)]
    return read(folder, "\n".join(rows))


def problems(folder: Path, _: pytest.MonkeyPatch) -> str:
    return read(
        folder,
        json.dumps({"apiVersion": "v1", "kind": "List", "items": [{"kind": "ClusterQueue"}] * 1002}),
        "a.json",
    )


def line(_: Path, patched: pytest.MonkeyPatch) -> str:
    patched.setattr(lines, "MAX_LINE", 2**20)
    answered = io.StringIO()
    lines.serve(io.BytesIO(b"[" + b" " * 2**20 + b"]"), answered)
    return str(json.loads(answered.getvalue())["error"]["message"]).replace("1 MiB", "32 MiB")


def cells(_: Path, __: pytest.MonkeyPatch) -> str:
    named = {f"q{n}": ClusterQueue(f"q{n}") for n in range(80)}
    levels = [PriorityLevel(str(n), n) for n in range(4)]
    reading = preset("guaranteed")

    def prover(*_: object) -> Any:
        raise AssertionError("no cell is looked at")

    return refused(lambda: analyze(Cluster(named), levels, reading, prover, Effort(1, 1, 1)))


def program(folder: Path, text: str) -> str:
    path = folder / "program"
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def wait(folder: Path, _: pytest.MonkeyPatch) -> str:
    # What it has started keeps its pipes open, and says something now and then.
    hanging = program(folder, "while :; do sleep 1; echo slow >&2; done & exec sleep 600")
    kubectl = Kubectl(hanging, patience=0.3)
    assert Kubectl(hanging).patience == limits.MAX_WAIT
    return refused(lambda: kubectl.get(["pods"])).replace("0.3 s", f"{limits.MAX_WAIT} s")


def listing(folder: Path, patched: pytest.MonkeyPatch) -> str:
    program(folder, "head -c 3000000 /dev/zero").replace("program", "")
    (folder / "program").rename(folder / "git")
    patched.setenv("PATH", str(folder), prepend=os.pathsep)
    patched.setattr("tenure.cli.revisions.MAX_LISTING", 2**20)
    patched.setattr("tenure.cli.revisions._commit", lambda _: "0" * 40)
    revision = parse_revision("main:queues")
    assert revision is not None
    return refused(lambda: objects_at(revision)).replace("1 MiB", "128 MiB")


def levels(folder: Path, _: pytest.MonkeyPatch) -> str:
    chain = "---\n".join(TREE % (f"c{n}", f"c{n + 1}") for n in range(1000))
    (folder / "a.yaml").write_text(chain, encoding="utf-8")
    (notice, *others) = validate(read_objects([folder / "a.yaml"])).errors
    assert not others
    assert f"at most {limits.MAX_COHORT_LEVELS} levels of cohorts" in notice.message
    return refused(lambda: tenure.load(folder / "a.yaml"))


def deployed(folder: Path, _: pytest.MonkeyPatch) -> str:
    labels = {"kueue.x-k8s.io/queue-name": "lq"}
    pod = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c"}]}}
    spec = {
        "replicas": limits.MAX_WORKLOADS_OF_JOB + 1,
        "selector": {"matchLabels": {"a": "b"}},
        "template": pod,
    }
    metadata = {"name": "d", "namespace": "n", "labels": labels}
    made = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}
    (folder / "a.json").write_text(json.dumps(made), encoding="utf-8")
    ((problem, *_others),) = tenure.load(folder / "a.json").set_aside.values()
    return str(problem)


def unknown(folder: Path, _: pytest.MonkeyPatch) -> str:
    """No limit of what is read, but of what is listed: the rest is counted."""
    (folder / "a.json").write_text(queue(spec={f"x{n}": 1 for n in range(150)}), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        tenure.load(folder / "a.json", strict=True)
    assert len(caught.value.problems) <= limits.MAX_DEVIATIONS + 1
    return f"{limits.MAX_DEVIATIONS}"


TRIALS: Final[dict[str, tuple[Trial, str]]] = {
    "MAX_FILE": (file, "a.yaml: found a file of more than 1024 MiB, expected at most 1024 MiB"),
    "MAX_OBJECTS": (objects, "found more objects, expected at most 1000000 Kubernetes objects"),
    "MAX_OBJECT": (
        lambda folder, _: read(folder, f"kind: List\nitems:\n- a: {'x' * limits.MAX_OBJECT}\n"),
        "items[0]: found an object of more than 4 MiB, expected at most 4 MiB",
    ),
    "MAX_DOCUMENT": (
        lambda folder, _: read(folder, json.dumps({"a": "x" * limits.MAX_DOCUMENT}), "a.json"),
        "found JSON that is no List of more than 8 MiB, expected at most 8 MiB",
    ),
    "MAX_VALUES": (values, "expected at most 500000 values outside a List as kubectl writes it"),
    "MAX_ALIASED": (aliased, "expected at most 1000000 values through aliases"),
    "MAX_DEPTH": (lambda folder, _: read(folder, "[" * 201), "expected at most 200 levels of nesting"),
    "MAX_PROBLEMS": (problems, "expected fewer than 1000 problems; the rest is not read"),
    "MAX_REPEATED_KEYS": (
        lambda folder, _: read(folder, "a: 1\n" * 200),
        "expected fewer than 100",
    ),
    "MAX_NAME": (
        lambda folder, _: read(folder, queue(metadata={"name": "x" * 254})),
        "expected a name of at most 253 characters",
    ),
    "MAX_TEXT": (
        lambda folder, _: read(folder, queue(spec={"cohortName": "x" * 1025})),
        "expected a ",
    ),
    "MAX_DEVIATIONS": (unknown, "100"),
    "MAX_COHORT_LEVELS": (levels, "found 1001 levels of cohorts, expected at most 100"),
    "MAX_WORKLOADS_OF_JOB": (deployed, "expected at most 10000 replicas, each of which is a Workload"),
    "MAX_CELLS": (
        cells,
        "found 102400 cells, as 80 ClusterQueues with 4 priorities have, expected at most 100000",
    ),
    "MAX_LINE": (line, "the line is longer than 32 MiB, the most that is read"),
    "MAX_TRACE": (
        lambda folder, patched: traced(folder, "a,q,0,1,1\n" * 10, patched, MAX_TRACE=2**6).replace(
            "0 MiB", "1024 MiB"
        ),
        "found more than 1024 MiB, decompressed, expected at most",
    ),
    "MAX_ROWS": (
        lambda folder, patched: traced(folder, "\n" * 4, patched, MAX_ROWS=3).replace(
            "3 rows", f"{limits.MAX_ROWS} rows"
        ),
        "line 5: found more than 5000000 rows, expected at most 5000000 rows",
    ),
    "MAX_ROW": (
        lambda folder, patched: traced(folder, "x" * 2**20, patched),
        "line 2: found more than 65536 bytes in a line, expected at most 65536 bytes in a line",
    ),
    "MAX_VECTORS": (vectors, "a.json: found a file of more than 32 MiB, expected at most 32 MiB"),
    "MAX_WAIT": (wait, "kubectl get pods: found no end within 300 s"),
    "MAX_LISTING": (listing, "found 'more than 128 MiB from git ls-tree', expected at most 128 MiB"),
}


def test_every_limit_of_the_page_is_tried() -> None:
    page = (ROOT / "docs" / "reference" / "limits.md").read_text(encoding="utf-8")
    assert sorted(TRIALS) == sorted(re.findall(r"^\| `(MAX_\w+)`", page, re.MULTILINE))


@pytest.mark.parametrize("name", TRIALS)
def test_one_more_is_refused_by_name(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trial, expected = TRIALS[name]
    tracemalloc.start()
    try:
        assert expected in str(trial(tmp_path, monkeypatch))
        held = tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()
    assert held < MOST_MIB


@pytest.fixture
def fifo(tmp_path: Path) -> Iterator[Path]:
    """A pipe that a program has opened, and in which it writes nothing."""
    path = tmp_path / "a.csv"
    os.mkfifo(path)
    descriptor = os.open(path, os.O_RDWR)
    yield path
    os.close(descriptor)


@pytest.mark.skipif(os.name != "posix", reason="there are no such pipes and devices")
def test_a_trace_is_a_regular_file(fifo: Path) -> None:
    columns = TraceColumns()
    assert "found a pipe, expected a trace as CSV" in refused(lambda: read_trace(fifo, columns))
    assert "found a device, expected a trace as CSV" in refused(
        lambda: read_trace(Path("/dev/zero"), columns)
    )
