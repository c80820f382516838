"""Files are replaced and never emptied, none is read and written, and a journal is its campaign's alone."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tenure import disk
from tenure.errors import InputError
from tenure_lab.campaign_journal import new_journal, resumed_journal
from tenure_lab.campaigns import CampaignPlan, Tally
from tests.command_line import NO_BYTECODE, TENURE, tenure, tenure_process

ROOT = Path(__file__).resolve().parents[2]
POLICIES = "priority-and-policy"
QUEUE = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: q}
"""

posix = pytest.mark.skipif(os.name != "posix", reason="files have no modes and locks as here")


def own_vectors(folder: Path) -> Path:
    """A folder of one vector file, and a case that may be added to it."""
    vectors = folder / "v"
    vectors.mkdir()
    path = vectors / f"{POLICIES}.json"
    shutil.copy(ROOT / "spec" / "vectors" / path.name, path)
    case = json.loads(path.read_text(encoding="utf-8"))["vectors"][0]
    case |= {"id": f"{case['rules'][0]}/mine", "comment": "A case of my own."}
    (folder / "case.json").write_text(json.dumps(case), encoding="utf-8")
    return path


@posix
@pytest.mark.parametrize("command", [("add", POLICIES, "case.json"), ("format",)])
def test_vectors_are_as_they_were_where_the_disk_is_full(command: tuple[str, ...], tmp_path: Path) -> None:
    path = own_vectors(tmp_path)
    if command == ("format",):
        path.write_text(path.read_text(encoding="utf-8").replace("  ", " "), encoding="utf-8")
    before = path.read_bytes()
    words = shlex.join([str(TENURE), "vectors", *command, "--folder", "v"])
    limited = ["sh", "-c", f"ulimit -f 8; exec {words}"]
    environment = {**os.environ, **NO_BYTECODE}
    done = subprocess.run(limited, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert done.returncode == 2
    assert f"{path.relative_to(tmp_path)}: found file too large" in done.stderr.decode()
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("command", [("add", POLICIES, "case.json"), ("format",), ("run",)])
def test_half_of_a_pair_of_surrogates_is_refused_by_name(command: tuple[str, ...], tmp_path: Path) -> None:
    path = own_vectors(tmp_path)
    changed = tmp_path / "case.json" if command[0] == "add" else path
    text = changed.read_text(encoding="utf-8").replace('"comment": "', r'"comment": "\ud800', 1)
    changed.write_text(text, encoding="utf-8")
    before = path.read_bytes()
    done = tenure("vectors", *command, "--folder", "v", cwd=tmp_path)
    assert done.returncode == 2
    assert b"comment: found '\\ud800" in done.stderr
    assert b"expected text in UTF-8" in done.stderr
    assert path.read_bytes() == before


@pytest.mark.parametrize("command", [("format",), ("check",), ("run",), ("add", POLICIES)])
def test_vectors_that_are_no_utf_8_are_refused_by_line(command: tuple[str, ...], tmp_path: Path) -> None:
    path = own_vectors(tmp_path)
    path.write_bytes(b'{\n"a": "\xfd"}')
    done = tenure("vectors", *command, "--folder", "v", cwd=tmp_path, stdin=b'{\n"a": "\xfd"}')
    assert done.returncode == (1 if command == ("check",) else 2)
    assert b"found byte 0xfd in line 2, expected text in UTF-8" in done.stderr + done.stdout


@posix
def test_a_file_keeps_its_mode_and_its_link(tmp_path: Path) -> None:
    file, link = tmp_path / "a.txt", tmp_path / "link.txt"
    file.write_text("before", encoding="utf-8")
    file.chmod(0o640)
    link.symlink_to(file.name)
    disk.write_file(link, "after")
    assert (file.read_text(encoding="utf-8"), link.is_symlink()) == ("after", True)
    assert file.stat().st_mode & 0o777 == 0o640


@posix
def test_a_link_out_of_its_folder_is_not_written_through(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside.txt", tmp_path / "checkout"
    folder.mkdir()
    outside.write_text("before", encoding="utf-8")
    (folder / "q.yaml").write_text(QUEUE, encoding="utf-8")
    (folder / "out.xml").symlink_to(outside)
    done = tenure("validate", "q.yaml", "--report", "junit=out.xml", cwd=folder)
    assert done.returncode == 2
    assert b"out.xml: found a link to " in done.stderr
    assert outside.read_text(encoding="utf-8") == "before"


@pytest.mark.parametrize(
    "words",
    [
        ("validate", "q.yaml", "--report", "junit=q.yaml"),
        ("validate", "q.yaml", "--report", "junit=./linked.yaml"),
        ("validate", ".", "--report", "sarif=q.yaml"),
        ("validate", "q.yaml", "--report", "junit=out", "--report", "sarif=./out"),
        ("validate", "q.yaml", "--old", "old.yaml", "--report", "junit=old.yaml"),
        ("simulate", "play.yaml", "--report", "junit=play.yaml"),
        ("analyze", "loops", "q.yaml", "--to", "q.yaml"),
        ("conform", "--exec", "oracle", "--scenarios", "1", "--keep", "out", "--report", "junit=out"),
    ],
    ids=" ".join,
)
def test_no_file_is_read_and_written_nor_written_twice(words: tuple[str, ...], tmp_path: Path) -> None:
    scenario = ROOT / "spec" / "vectors" / "scenarios" / "tbp-nothing-wakes-at-expiry.yaml"
    for name, text in (
        ("q.yaml", QUEUE),
        ("old.yaml", QUEUE),
        ("play.yaml", scenario.read_text(encoding="utf-8")),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    if "./linked.yaml" in words[-1]:
        (tmp_path / "linked.yaml").hardlink_to(tmp_path / "q.yaml")
    if words[0] == "validate":
        (tmp_path / "play.yaml").unlink()
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    done = tenure(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert b"another file" in done.stderr
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@posix
def test_a_report_does_not_go_where_standard_output_goes(tmp_path: Path) -> None:
    (tmp_path / "q.yaml").write_text(QUEUE, encoding="utf-8")
    words = shlex.join([str(TENURE), "validate", "q.yaml", "--report", "junit=out"])
    done = subprocess.run(["sh", "-c", f"{words} > out"], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 2
    assert b"standard output or standard error goes there" in done.stderr


@posix
def test_a_journal_that_a_campaign_writes_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with new_journal(path, CampaignPlan(1000, 1)) as journal:
        journal.add(0, Tally(scenarios=500))
        before = path.read_bytes()
        attempts: tuple[Callable[[], object], ...] = (
            lambda: new_journal(path, CampaignPlan(2, 1), overwrite=True),
            lambda: resumed_journal(path),
        )
        for other in attempts:
            with pytest.raises(
                InputError, match=r"j\.jsonl', which is in use, expected a journal that no other"
            ):
                other()
        assert path.read_bytes() == before
        journal.add(1, Tally(scenarios=500))
    with resumed_journal(path) as again:
        assert again.left == []


@posix
def test_a_journal_that_was_replaced_meanwhile_is_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "j.jsonl"
    new_journal(path, CampaignPlan(1000, 1)).file.close()
    opened: Callable[[Path], Any] = disk.open_again

    def replaced(path: Path) -> Any:
        file = opened(path)
        disk.write_file(path, "of another campaign")
        return file

    monkeypatch.setattr("tenure_lab.campaign_journal.open_again", replaced)
    with pytest.raises(InputError, match="which is in use"):
        resumed_journal(path)
    assert path.read_text(encoding="utf-8") == "of another campaign"


def with_program(path: Path, program: list[str]) -> None:
    """A journal of a campaign that has decided nothing yet."""
    new_journal(path, CampaignPlan(1, 1, command=tuple(program))).file.close()


@posix
@pytest.mark.parametrize(
    ("words", "found"),
    [
        ((), "found no program, expected the program of the journal, --exec 'sh -c "),
        (("--exec", "true"), "found 'true', expected the program of the journal, --exec 'sh -c "),
    ],
)
def test_a_journal_chooses_no_program(words: tuple[str, ...], found: str, tmp_path: Path) -> None:
    with_program(tmp_path / "j.jsonl", ["sh", "-c", "touch made"])
    done = tenure("campaign", "--resume", "j.jsonl", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert f"error: --exec: {found}" in done.stderr.decode()
    assert not (tmp_path / "made").exists()


@posix
def test_a_campaign_goes_on_with_the_program_that_is_named_again(tmp_path: Path) -> None:
    program = [sys.executable, "-m", "tenure", "oracle"]
    with_program(tmp_path / "j.jsonl", program)
    done = tenure_process("campaign", "--resume", "j.jsonl", "--exec", shlex.join(program), cwd=tmp_path)
    assert done.returncode == 0, done.stderr.decode()
    bare = tenure("campaign", "--resume", "j.jsonl", "--exec", "true", cwd=tmp_path)
    assert bare.returncode == 2


@posix
@pytest.mark.parametrize(("which", "mode"), [("file", 0o666), ("file", 0o660), ("folder", 0o777)])
def test_a_journal_that_others_can_write_is_refused(which: str, mode: int, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir(mode=0o700)
    path = folder / "j.jsonl"
    new_journal(path, CampaignPlan(1000, 1)).file.close()
    (path if which == "file" else folder).chmod(mode)
    with pytest.raises(InputError, match=r"that the user alone can write: it.* can be written by others"):
        resumed_journal(path)
