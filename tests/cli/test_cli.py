"""The command line as its users meet it: a message and an exit code, whatever happens."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tenure import __version__
from tenure.cli import app
from tests.command_line import TENURE, no_reader, tenure, tenure_process
from tools import libyaml

Capture = pytest.CaptureFixture[str]
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "two-teams"
JOB = ("-w", "team-b/job-eval-suite-d739e")
AT_TWO = ("--now", "2026-03-02T14:00:00Z")
LEAVING = [
    "team-b/job-embedding-refresh-01386",
    "team-a/job-pretrain-7b-e95a1",
    "team-a/job-sft-13b-f8d23",
]


def preempted(*arguments: str, stdin: bytes = b"", cwd: Path | None = None) -> list[str]:
    """Who leaves for the example's job at two o'clock."""
    answer = answered(*arguments, *JOB, *AT_TWO, stdin=stdin, cwd=cwd)
    return [item["workload"] for item in answer["preempted"]]


def answered(*arguments: str, stdin: bytes = b"", cwd: Path | None = None) -> dict[str, Any]:
    """A decision as JSON."""
    done = tenure("decide", *arguments, "-o", "json", stdin=stdin, cwd=cwd)
    assert done.returncode == 0, done.stderr.decode()
    parsed: dict[str, Any] = json.loads(done.stdout)
    return parsed


def refused(*arguments: str, stdin: bytes = b"", cwd: Path | None = None) -> str:
    """What a bad input is told."""
    done = tenure("decide", *arguments, stdin=stdin, cwd=cwd)
    assert (done.returncode, done.stdout) == (2, b""), done.stderr.decode()
    return done.stderr.decode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the example that a test may change."""
    copy = tmp_path / "two-teams"
    shutil.copytree(EXAMPLE, copy)
    return copy


def without(folder: Path, kind: str) -> None:
    """Take the objects of a kind away."""
    path = folder / "queues.yaml"
    listed = libyaml.load(path.read_text(encoding="utf-8"))
    listed["items"] = [item for item in listed["items"] if item["kind"] != kind]
    path.write_text(libyaml.dump(listed), encoding="utf-8")


def test_an_example_a_folder_its_files_and_standard_input_decide_alike(folder: Path) -> None:
    files = sorted(str(path) for path in folder.glob("*.yaml"))
    stream = b"---\n".join(Path(path).read_bytes() for path in files)
    assert preempted("--example", "two-teams") == LEAVING
    assert preempted(str(folder)) == LEAVING
    assert preempted(*files) == LEAVING
    assert preempted("-", stdin=stream) == LEAVING


def test_an_example_is_copied_into_a_new_folder_and_decided_from_there(tmp_path: Path) -> None:
    assert tenure("example", "two-teams", "--to", "mine", cwd=tmp_path).returncode == 0
    assert preempted("mine", cwd=tmp_path) == LEAVING
    again = tenure("example", "two-teams", "--to", "mine", cwd=tmp_path)
    assert (again.returncode, again.stdout) == (2, b"")


def test_text_json_and_yaml_say_the_same() -> None:
    arguments = ("decide", "--example", "two-teams", *JOB, *AT_TWO)
    as_json = json.loads(tenure(*arguments, "-o", "json").stdout)
    as_yaml = libyaml.load(tenure(*arguments, "-o", "yaml").stdout)
    assert as_json == as_yaml
    text = tenure(*arguments).stdout.decode().splitlines()
    assert text[0].startswith("Preempt: 3 of 16 running workloads in ClusterQueue gpu-cluster-queue")
    assert [line.split()[1:3] for line in text if line.startswith("  preempt ")] == [
        [item["workload"], item["reason"]] for item in as_json["preempted"]
    ]
    assert (as_json["now"], as_json["reading"], as_json["workload"]) == (AT_TWO[1], "guaranteed", JOB[1])


def test_explained_text_and_json_have_the_same_findings() -> None:
    arguments = ("decide", "--example", "two-teams", *JOB, *AT_TWO, "--verbose")
    trace = json.loads(tenure(*arguments, "-o", "json").stdout)["trace"]
    text = tenure(*arguments).stdout.decode()
    assert len(trace["workloads"]) == 16
    for row in trace["workloads"]:
        assert f"{row['workload']} is {row['verdict']}" in text
        assert all(remark["text"] in text for remark in row["remarks"])


def test_the_reading_and_its_overrides_decide() -> None:
    long_context = ("--example", "two-teams", "-w", "team-a/job-long-context-8a5dc", *AT_TWO)
    guaranteed = answered(*long_context)
    as_written = answered(*long_context, "--reading", "as-written")
    assert len(as_written["preempted"]) > len(guaranteed["preempted"])
    overridden = answered(
        *long_context,
        *("--override", "same_priority_gate=either", "--override", "newer_than=reserved_after_created"),
        *("--override", "requeue_order=creation"),
    )
    assert overridden["preempted"] == as_written["preempted"]
    assert overridden["reading"]["same_priority_gate"] == "either"


def test_without_the_gate_no_workload_is_preempted_for_its_runtime() -> None:
    gate = ("--feature-gates", "TimeBasedSamePriorityPreemption=false")
    answer = answered("--example", "two-teams", *JOB, *AT_TWO, *gate)
    assert "InClusterQueueTimeBased" not in {item["reason"] for item in answer["preempted"]}


def test_the_clock_is_now_unless_it_is_said() -> None:
    answer = answered("--example", "two-teams", *JOB)
    assert answer["now"] > "2026-03-02T14:00:00Z"


def test_several_pending_workloads_are_listed() -> None:
    words = refused("--example", "two-teams", *AT_TWO)
    assert "4 pending workloads" in words
    for name in ("team-a/job-doc-index-dfa0b", "team-b/job-eval-suite-d739e", "team-b/job-moe-64-448bc"):
        assert name in words


def test_an_unknown_workload_is_answered_with_those_that_wait() -> None:
    words = refused("--example", "two-teams", "-w", "team-b/nobody", *AT_TWO)
    assert "found 'team-b/nobody'" in words
    assert "team-b/job-eval-suite-d739e" in words


def test_a_workload_that_holds_quota_is_no_preemptor() -> None:
    words = refused("--example", "two-teams", "-w", LEAVING[0], *AT_TWO)
    assert f"{LEAVING[0]} holds quota" in words


def test_the_only_pending_workload_need_not_be_named(folder: Path) -> None:
    for path in folder.glob("workloads-*.yaml"):
        listed = libyaml.load(path.read_text(encoding="utf-8"))
        listed["items"] = [
            item
            for item in listed["items"]
            if "admission" in item.get("status", {}) or item["metadata"]["name"] == JOB[1].partition("/")[2]
        ]
        path.write_text(libyaml.dump(listed), encoding="utf-8")
    answer = answered(str(folder), *AT_TWO)
    assert (answer["workload"], len(answer["preempted"])) == (JOB[1], 3)


def test_without_local_queues_the_only_cluster_queue_is_used(folder: Path) -> None:
    without(folder, "LocalQueue")
    assert preempted(str(folder)) == LEAVING


def test_a_missing_local_queue_is_named_with_those_that_are_given(folder: Path) -> None:
    text = (folder / "workloads-team-b.yaml").read_text(encoding="utf-8")
    (folder / "workloads-team-b.yaml").write_text(
        text.replace("queueName: gpu-queue", "queueName: cpu-queue"), encoding="utf-8"
    )
    words = refused(str(folder), *JOB, *AT_TWO)
    assert f"Workload/{JOB[1]}: spec.queueName: found 'cpu-queue'" in words
    assert "2 LocalQueues: team-a/gpu-queue, team-b/gpu-queue" in words
    # Naming the ClusterQueue is the way around it.
    assert preempted(str(folder), "--cluster-queue", "gpu-cluster-queue") == LEAVING


def test_a_local_queue_whose_cluster_queue_is_not_given_is_named(folder: Path) -> None:
    without(folder, "ClusterQueue")
    words = refused(str(folder), *JOB, *AT_TWO)
    assert "LocalQueue/team-b/gpu-queue: spec.clusterQueue: found 'gpu-cluster-queue'" in words


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--example", "two-teams", *JOB, "--now", "soon"), "now: found 'soon', expected an RFC 3339 time"),
        (("--example", "two-teams", *JOB, "--now", "2026-03-02 14:00"), "expected an RFC 3339 time"),
        (("--example", "two-teams", *JOB, "--now", ""), "now: found ''"),
        (("--example", "two-teams", *JOB, "--cluster-queue", "cpus"), "ClusterQueue: gpu-cluster-queue"),
        (("--example", "two-teams", *JOB, "--reading", "garanteed"), "did you mean 'guaranteed'?"),
        (("--example", "two-teams", *JOB, "--override", "newer_than"), "expected KEY=CHOICE"),
        (("--example", "two-teams", *JOB, "--override", "wakes=events"), "reading.wakes: found 'wakes'"),
        (("--example", "two-teams", *JOB, "--override", "newer_than=later"), "reading.newer_than"),
        (("--example", "two-teams", *JOB, "--override", "=either"), "reading."),
        (("--example", "two-teams", *JOB, "--feature-gates", "Fast=true"), "a feature gate of Kueue"),
        (
            ("--example", "two-teams", *JOB, "--feature-gates", "TimeBasedSamePriorityPreemption=maybe"),
            "expected GATE=true or GATE=false",
        ),
        (("--example", "two-teams", *JOB, "--feature-gates", "ReclaimablePods=false"), "the Configuration"),
        (("--example", "two-teams", *JOB, "--requeuing-timestamp", "Never"), "Eviction or Creation"),
        (("--example", "two-teams", *JOB, "--fair-sharing", "Fairest"), "default, off, [LessThan"),
        (("--example", "three-teams", *JOB), "example: found 'three-teams', expected one of"),
        (("--example", "../examples", *JOB), "shared-cohort, two-teams"),
        (("--example", "two-teams", "queues.yaml"), "either files or an example, not both"),
        (("absent.yaml",), "absent.yaml: found no such file or folder"),
        (("absent.yaml", "gone.yaml"), "gone.yaml: found no such file or folder"),
        ((), "expected files, folders, - for standard input, or --example"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_decided_is_said_with_its_place(
    arguments: tuple[str, ...], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    # In this process, since a new one for each of these lines would take most of the suite's time.
    monkeypatch.setattr(sys, "argv", ["tenure", "decide", *arguments])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        app.main()
    said = capsys.readouterr()
    assert (ended.value.code, said.out) == (2, "")
    assert words in said.err


@pytest.mark.parametrize(
    "stdin", [b"", b"{", b"- 1", b"\xff", b"kind: ClusterQueue", b"a: &a [*a]"], ids=repr
)
def test_no_junk_on_standard_input_is_an_internal_error(stdin: bytes) -> None:
    assert refused("-", *AT_TWO, stdin=stdin).startswith("error: ")


def test_all_that_is_wrong_is_said_at_once(folder: Path) -> None:
    text = (folder / "workloads-team-b.yaml").read_text(encoding="utf-8")
    (folder / "workloads-team-b.yaml").write_text(
        text.replace("cpu: '48'", "cpu: many").replace("priority: 100", "priority: high"), encoding="utf-8"
    )
    *lines, last = refused(str(folder), *JOB, *AT_TWO).splitlines()
    assert last == "see tenure decide --help"
    assert len(lines) > 3
    assert all(line.startswith("error: ") and "workloads-team-b.yaml" in line for line in lines)


def test_an_unknown_option_and_an_unknown_command_are_bad_input() -> None:
    assert tenure("decide", "--faster").returncode == 2
    assert tenure("prempt").returncode == 2


def test_the_version_names_the_package_python_and_the_solvers() -> None:
    done = tenure("--version")
    first, python, *solvers = done.stdout.decode().splitlines()
    assert (done.returncode, first) == (0, f"tenure {__version__}")
    assert python.startswith(f"Python {platform.python_version()}, ")
    assert [line.split()[0] for line in solvers] == ["z3-solver", "cvc5"]


def test_the_help_lists_every_command_and_the_exit_codes() -> None:
    text = tenure("--help").stdout.decode()
    for word in ("decide", "oracle", "example", "vectors", "prove", "Exit codes"):
        assert word in text


def test_a_reader_that_leaves_after_one_line_sees_that_line_and_no_complaint() -> None:
    arguments = ("decide", "--example", "two-teams", *JOB, *AT_TWO, "--verbose")
    with subprocess.Popen(
        [str(TENURE), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"Preempt: 3 of 16")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


@pytest.mark.parametrize("more", [(), ("--verbose",)], ids=["short", "long"])
def test_a_reader_that_is_gone_already_is_no_failure(more: tuple[str, ...]) -> None:
    # Exit code 1 would say that a checked property fails.
    command = [str(TENURE), "decide", "--example", "two-teams", *JOB, *AT_TWO, *more]
    with no_reader() as writing:
        done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_oracle_whose_reader_leaves_ends_quietly() -> None:
    with subprocess.Popen(
        [str(TENURE), "oracle"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b"{}\n")
        process.stdin.flush()
        assert process.stdout.readline().startswith(b'{"id":null')
        process.stdout.close()
        process.stdin.write(b"{}\n")
        process.stdin.flush()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_the_oracles_answers_are_utf8_whatever_the_environment_says() -> None:
    done = tenure_process(
        "oracle", environment={**os.environ, "PYTHONIOENCODING": "ascii"}, stdin='{"id": "é"}\n'.encode()
    )
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout.decode("utf-8"))["id"] == "é"


def faulty(**_: object) -> None:
    """A command with a fault of its own."""
    raise RuntimeError("the sky fell")


@pytest.fixture
def fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault inside `decide`."""
    monkeypatch.setattr("tenure.inquiry.decide", lambda *_, **__: faulty())
    monkeypatch.setattr(sys, "argv", ["tenure", "decide", "--example", "two-teams", *JOB])
    monkeypatch.delenv("TENURE_TRACEBACK", raising=False)


def test_a_fault_of_our_own_is_said_to_be_one(fault: None, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        app.main()
    assert ended.value.code == 3
    said = capsys.readouterr().err
    assert said.startswith("internal error: RuntimeError: the sky fell\n")
    assert "Traceback" not in said


def test_a_fault_of_our_own_is_shown_to_whoever_asks(fault: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENURE_TRACEBACK", "1")
    with pytest.raises(RuntimeError, match="the sky fell"):
        app.main()
