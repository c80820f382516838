"""A campaign that is stopped goes on; whoever does the work, the report is the same."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tenure.errors import InputError
from tenure_lab.campaign_journal import new_journal, resumed_journal
from tenure_lab.campaigns import CampaignPlan, Tally
from tests.command_line import PATIENCE_S, TENURE, prepared, tenure_process, wait_until
from tests.shared import shared_folder

PLAN = CampaignPlan(2000, 7)
ASKED = ("campaign", "--scenarios", "2000", "--seed", "7", "-o", "json")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The report of one process that was not stopped."""

    def make(folder: Path) -> None:
        done = tenure_process(*ASKED, cwd=folder)
        assert done.returncode == 0, done.stderr
        (folder / "report").write_bytes(done.stdout)

    return (shared_folder(tmp_path_factory, "whole", make) / "report").read_bytes()


@contextmanager
def begun(*arguments: str, cwd: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is killed in the end."""
    process = subprocess.Popen(arguments, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


# As soon as the first block is on disk; the others may be done by then, or not.
KILLED = """
import os, signal
from tenure_lab.campaign_journal import Journal
add = Journal.add
def killed(self, number, tally):
    add(self, number, tally)
    os.kill(os.getpid(), signal.SIGKILL)
Journal.add = killed
"""


def wait_for_blocks(journal: Path, blocks: int) -> None:
    """Until so many are on disk."""
    wait_until(
        lambda: journal.exists() and len(journal.read_bytes().splitlines()) > blocks,
        f"{journal} has {blocks} blocks",
    )


def test_killed_at_any_time_it_goes_on_and_reports_the_same(whole: bytes, tmp_path: Path) -> None:
    journal = tmp_path / "kept.jsonl"
    killed = prepared(KILLED, *ASKED, "--journal", str(journal), "-j", "2")
    done = subprocess.run(killed, cwd=tmp_path, capture_output=True, check=False, timeout=PATIENCE_S)
    assert done.returncode == -signal.SIGKILL
    before = journal.read_bytes().splitlines()
    assert len(before) == 2
    # What a kill in the middle of a line leaves.
    with journal.open("ab") as file:
        file.write(b'{"block": 3, "tal')
    done = tenure_process("campaign", "--resume", str(journal), "-o", "json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, whole)
    lines = journal.read_bytes().splitlines()
    assert lines[: len(before)] == before
    assert sorted(json.loads(line)["block"] for line in lines[1:]) == [0, 1, 2, 3]
    # A finished one is told, not run.
    again = tenure_process("campaign", "--resume", str(journal), "-o", "json", cwd=tmp_path)
    assert (again.returncode, again.stdout) == (0, whole)
    assert journal.read_bytes().splitlines() == lines


def test_an_interrupt_says_how_to_go_on(tmp_path: Path) -> None:
    journal = tmp_path / "tenure-campaign.jsonl"
    more = ("campaign", "--scenarios", "1000000", "--seed", "7", "-j", "2")
    with begun(str(TENURE), *more, cwd=tmp_path) as process:
        wait_for_blocks(journal, 1)
        process.send_signal(signal.SIGINT)
        output, told = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, output) == (130, b"")
    assert re.search(rb"stopped: interrupted; \d+ of 2000 blocks are in tenure-campaign.jsonl", told), told
    assert b"go on with: tenure campaign --resume tenure-campaign.jsonl" in told
    assert b"Traceback" not in told


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and two workers of it, on this machine."""
    place = folder / "scheduler.json"
    common = ("--scheduler-file", str(place), "--no-dashboard")
    dask = (sys.executable, "-m", "dask")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    started = [
        subprocess.Popen(
            [*dask, "scheduler", *common, "--host", "127.0.0.1", "--port", "0"],
            **quiet,  # type: ignore[call-overload]
        )
    ]
    try:
        wait_until(place.exists, "the scheduler says where it is")
        started += [
            subprocess.Popen(
                [*dask, "worker", *common, "--nthreads", "1", "--no-nanny"],
                **quiet,  # type: ignore[call-overload]
            )
            for _ in range(2)
        ]
        yield json.loads(place.read_text())["address"], started[1:]
    finally:
        for item in started[::-1]:
            item.kill()
            item.wait()


def test_two_workers_of_which_one_is_killed_report_the_same(whole: bytes, tmp_path: Path) -> None:
    journal = tmp_path / "kept.jsonl"
    with cluster(tmp_path) as (address, workers):
        asked = (*ASKED, "--journal", str(journal), "--scheduler", address)
        with begun(str(TENURE), *asked, cwd=tmp_path) as process:
            wait_for_blocks(journal, 1)
            workers[0].kill()
            output, told = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, output) == (0, whole), told


def test_without_dask_it_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "distributed.py").write_text("raise ImportError('not here')\n")
    done = tenure_process(
        "campaign",
        "--scheduler",
        "tcp://127.0.0.1:1",
        cwd=tmp_path,
        environment={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 2
    assert b"--scheduler: found Dask is not installed, expected the extra `campaign`" in done.stderr


def refused(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        resumed_journal(path)
    return str(caught.value)


def test_a_journal_is_begun_once_and_written_by_one(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    with new_journal(path, PLAN) as journal:
        journal.add(1, Tally(scenarios=1000))
        assert "no other campaign writes" in refused(path)
        assert journal.left == [0, 2, 3]
    with pytest.raises(InputError, match="--resume"):
        new_journal(path, PLAN)
    with resumed_journal(path) as journal:
        assert (journal.plan, journal.left) == (PLAN, [0, 2, 3])
        assert journal.whole() == Tally(scenarios=1000)
    with new_journal(path, PLAN, overwrite=True) as journal:
        assert journal.left == [0, 1, 2, 3]


def test_blocks_of_other_code_are_no_evidence(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    with new_journal(path, PLAN):
        pass
    header = json.loads(path.read_bytes())
    path.write_text(json.dumps({**header, "code": "0" * 16}) + "\n")
    assert "code 0000000000000000" in refused(path)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "line 1: found no header"),
        ("[]\n", "line 1: found no header"),
        ('{"schema": "x", "code": "", "plan": {"scenarios": 1, "seed": 1}}\n', "line 1: schema: found 'x'"),
        ("nonsense\n", "line 1: found no header"),
    ],
)
def test_what_is_no_journal_is_refused(text: str, found: str, tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text(text)
    assert found in refused(path)
    assert "a campaign's journal" in refused(tmp_path / "nowhere.jsonl")
