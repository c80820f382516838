"""A full disk, a name that no file can have, an interrupt during imports: words and an exit code each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tenure.errors import InputError
from tenure.manifests.files import read_file
from tenure_lab.campaign_journal import new_journal, resumed_journal
from tenure_lab.campaigns import CampaignPlan, Tally
from tests.command_line import NO_BYTECODE, PATIENCE_S, TENURE, prepared, tenure, tenure_process

FULL = Path("/dev/full")
VALIDATE = ("validate", "--example", "two-teams")
LONG = "x" * 300

needs_full = pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")


def ended(command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """What a shell's command line ends in; `$tenure` is the program."""
    return subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={**os.environ, "tenure": str(TENURE), **environment},
        capture_output=True,
        check=False,
        timeout=PATIENCE_S,
    )


@needs_full
@pytest.mark.parametrize(
    "arguments",
    [
        " ".join(VALIDATE),
        f"{' '.join(VALIDATE)} -o json",
        f"{' '.join(VALIDATE)} -o yaml",
        f"{' '.join(VALIDATE)} --report sarif=-",
        "--version",
        "--help",
    ],
)
def test_an_output_without_room_is_bad_input(arguments: str, tmp_path: Path) -> None:
    done = ended(f"$tenure {arguments} > /dev/full", tmp_path)
    words = "error: output: found no space left on device, expected a place that takes what is written\n"
    assert (done.returncode, done.stderr.decode()) == (2, words)


@needs_full
@pytest.mark.parametrize("arguments", ["validate gone", "validate --no-such-option"])
@pytest.mark.parametrize("redirected", ["2> /dev/full", "> /dev/full 2> /dev/full"])
def test_an_error_that_cannot_be_written_keeps_its_code(
    arguments: str, redirected: str, tmp_path: Path
) -> None:
    done = ended(f"$tenure {arguments} {redirected}", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, b"", b"")


@needs_full
def test_warnings_that_cannot_be_written_change_no_answer(tmp_path: Path) -> None:
    (tmp_path / "none.yaml").write_text("a: [", encoding="utf-8")
    done = ended("$tenure validate --skip-others . 2> /dev/full", tmp_path)
    assert (done.returncode, done.stdout) == (0, b"validate: 0 objects, 0 errors, 0 warnings\n")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_a_journal_without_room_is_named(tmp_path: Path) -> None:
    limited = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))"
    words = ("campaign", "--scenarios", "400", "--journal", "j.jsonl", "--jobs", "1")
    done = subprocess.run(
        prepared(limited, *words),
        cwd=tmp_path,
        # What compiling keeps would not have room either, and is told first.
        env={**os.environ, **NO_BYTECODE, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 2, done.stderr.decode()
    assert b"error: --journal: found 'j.jsonl', expected room for what is finished" in done.stderr
    assert b"File too large" in done.stderr


@needs_full
def test_a_journal_that_cannot_even_begin_is_named() -> None:
    with pytest.raises(InputError, match=r"--journal: found '/dev/full', .*written: no regular file"):
        new_journal(FULL, CampaignPlan(2, 1), overwrite=True)


@pytest.mark.parametrize(
    "arguments",
    [
        ("test", LONG),
        ("test", f"{LONG}.tenure.yaml"),
        ("simulate", LONG),
        ("simulate", f"{LONG}.yaml"),
        ("validate", LONG),
        ("decide", LONG, "--all-pending"),
        ("why", LONG),
        (*VALIDATE, "--report", f"junit={LONG}"),
        (*VALIDATE, "--report", f"junit={LONG}/a"),
        ("simulate", "--scenario", "tbp-it-2-rotation", "--chart", f"{LONG}/a.svg"),
        ("example", "two-teams", "--to", LONG),
        ("vectors", "add", LONG),
        ("campaign", "--scenarios", "2", "--journal", LONG),
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_name_that_no_file_can_have_is_bad_input(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = tenure(*arguments, stdin=b"{}", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: ")


def test_a_file_of_differences_that_cannot_be_written_is_bad_input(tmp_path: Path) -> None:
    words = ("--exec", "oracle", "--no-vectors", "--scenarios", "1", "--keep", LONG)
    done = tenure("conform", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert b"error: --keep: found " in done.stderr


# As Control-C would, at the first module that takes its time.
IMPORTING = """
import sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
"""


@pytest.mark.parametrize("name", ["main", "kubectl_main"])
def test_an_interrupt_during_imports_is_one(name: str, tmp_path: Path) -> None:
    code = f"{IMPORTING}\nfrom tenure.cli import {name}\n{name}()"
    done = subprocess.run(
        [sys.executable, "-c", code, "--version"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_an_output_in_ascii_escapes_names_that_are_not(tmp_path: Path) -> None:
    text = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: Größe}\n"
    (tmp_path / "é.yaml").write_text(text, encoding="utf-8")
    for form in ("", "-o json", "-o yaml", "-o sarif", "-o junit", "-o github", "--color"):
        done = ended(f"$tenure validate . {form}", tmp_path, PYTHONIOENCODING="ascii")
        assert done.returncode in {1, 2}, done.stderr.decode()
        assert b"internal error" not in done.stderr
        assert done.stdout.isascii()


def test_deep_json_of_a_peer_is_bad_input(tmp_path: Path) -> None:
    peer = tmp_path / "deep.py"
    peer.write_text("for _ in open(0): print('[' * 200000, flush=True)\n", encoding="utf-8")
    words = ("--exec", f"{sys.executable} {peer}", "--no-vectors", "--scenarios", "1")
    done = tenure("conform", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert b"the program's answer is not JSON" in done.stderr


@pytest.mark.parametrize(
    "output",
    [
        '{"decision": 7}',
        "[]",
        '{"decision": "Fit", "preempted": ["a"]}',
        '{"decision": "Fit", "stable": false}',
    ],
)
def test_a_peer_that_answers_no_decision_is_bad_input(output: str, tmp_path: Path) -> None:
    peer = tmp_path / "peer.py"
    answer = f"print('{{\"id\":' + json.dumps(json.loads(line)['id']) + ',\"output\":{output}}}', flush=True)"
    peer.write_text(f"import json, sys\nfor line in sys.stdin: {answer}\n", encoding="utf-8")
    words = ("--exec", f"{sys.executable} {peer}", "--no-vectors", "--scenarios", "1")
    done = tenure("conform", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"error: --exec: found no decision: " in done.stderr


@pytest.mark.parametrize(
    ("field", "value"),
    [("scenarios", 10**18), ("scenarios", "2"), ("seed", []), ("max_depth", -1), ("patience", "long")],
)
def test_a_plan_that_no_campaign_has_is_no_header(field: str, value: object, tmp_path: Path) -> None:
    journal = tmp_path / "j.jsonl"
    new_journal(journal, CampaignPlan(2, 1)).file.close()
    header = json.loads(journal.read_bytes())
    header["plan"][field] = value
    journal.write_text(json.dumps(header) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"line 1: found no header"):
        resumed_journal(journal)


@pytest.mark.parametrize(
    ("field", "value"), [("scenarios", "2"), ("verdicts", {"agree": "2"}), ("differences", [{}]), ("", -1)]
)
def test_a_block_that_no_campaign_writes_is_none(field: str, value: object, tmp_path: Path) -> None:
    journal = tmp_path / "j.jsonl"
    with new_journal(journal, CampaignPlan(2, 1)) as opened:
        opened.add(0, Tally(scenarios=2))
    head, block = map(json.loads, journal.read_bytes().splitlines())
    if field:
        block["tally"][field] = value
    else:
        block["block"] = value
    journal.write_text(f"{json.dumps(head)}\n{json.dumps(block)}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"line 2: found no finished block"):
        resumed_journal(journal)


@pytest.mark.parametrize("command", ["validate", "simulate", "test"])
def test_folders_nested_too_deeply_are_an_error_in_words(command: str, tmp_path: Path) -> None:
    inner = str(tmp_path)
    for _ in range(1000):
        inner += "/d"
        os.mkdir(inner)  # noqa: PTH102 - a Path of so many parts costs its length each time
    try:
        done = tenure(command, ".", cwd=tmp_path)
    finally:
        subprocess.run(["rm", "-rf", "--", tmp_path / "d"], check=True)
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: ")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("vectors", "add", "time-based", "pipe"), b"error: pipe: found a pipe without a writer"),
        ((*VALIDATE, "--report", "junit=pipe"), b"error: pipe: --report: found no such device or address"),
    ],
)
def test_a_pipe_without_another_end_is_not_waited_for(
    words: tuple[str, ...], said: bytes, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = tenure_process(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(said)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
def test_a_report_goes_into_a_pipe_that_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    command = f"exec 9<> pipe; $tenure {' '.join(VALIDATE)} --report sarif=pipe; head -c 1 <&9"
    assert ended(command, tmp_path).stdout.endswith(b"{")


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="there is no list of descriptors")
def test_what_is_no_file_leaves_no_descriptor_open(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - as many
    for _ in range(20):
        read_file(tmp_path, "folder", [])
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208 - as many
