"""The composite Action: its metadata, and its script on the sample repository."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from tests.cikit.repository import ROOT, break_expectation, break_quota, sample

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
SCRIPT = ROOT / "ci" / "action.sh"
SCRIPTS = Path(sys.executable).parent


def act(folder: Path, path: str = "", **said: str) -> subprocess.CompletedProcess[str]:
    """Run the script as the Action does; the tenure of the tests is on PATH."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TENURE_", "GITHUB_"))}
    said = {"version": "installed", **said}
    given = {f"TENURE_{name.upper()}": value for name, value in said.items()}
    return subprocess.run(
        ["bash", str(SCRIPT)],
        cwd=folder,
        env={
            **kept,
            **given,
            "PATH": f"{path}{SCRIPTS}{os.pathsep}{kept['PATH']}",
            "TENURE_SOURCE": "/checkout",
            "GITHUB_OUTPUT": str(folder / "output"),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_action_tells_the_script_every_input_by_the_environment() -> None:
    assert ACTION["runs"]["using"] == "composite"
    python, run = ACTION["runs"]["steps"]
    assert re.fullmatch(r"actions/setup-python@v\d+", python["uses"])
    assert "${{" not in run["run"]
    told = set(run["env"].values())
    expected = {f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"] if name != "python-version"}
    assert told == expected | {"${{ github.action_path }}"}
    text = SCRIPT.read_text(encoding="utf-8")
    assert set(run["env"]) == set(re.findall(r"\bTENURE_[A-Z]+\b", text))
    assert all(each.get("description") for each in ACTION["inputs"].values())


def test_what_is_in_order_ends_with_0_and_writes_its_reports(tmp_path: Path) -> None:
    repository = sample(tmp_path)
    done = act(repository, command="test", paths="  quota.tenure.yaml\n", junit="j.xml", sarif="s.sarif")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "test: 9 expectations, 0 fail" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("::notice title=tenure test::")
    assert (repository / "output").read_text(encoding="utf-8") == "exit-code=0\n"
    assert sum(1 for _ in ET.parse(repository / "j.xml").iter("testcase")) == 9
    assert (repository / "s.sarif").is_file()


def test_what_is_wrong_is_annotated_at_its_line(tmp_path: Path) -> None:
    repository = sample(tmp_path)
    line = break_quota(repository)
    done = act(repository, paths="queues\nrunning", args="--strict")
    assert done.returncode == 1
    (annotation,) = [each for each in done.stdout.splitlines() if each.startswith("::error")]
    assert annotation.startswith(f"::error file=queues/gpu.yaml,line={line},title=ClusterQueue/gpu%3A spec.")
    assert (repository / "output").read_text(encoding="utf-8") == "exit-code=1\n"
    break_expectation(repository)
    done = act(repository, command="test", paths="quota.tenure.yaml", annotations="false")
    assert done.returncode == 2
    assert "::error" not in done.stdout


def test_no_name_in_a_repository_commands_the_workflow(tmp_path: Path) -> None:
    repository = sample(tmp_path)
    break_quota(repository)
    evil = repository / "::warning file=x::obeyed"
    (repository / "queues").rename(evil)
    done = act(repository, paths=evil.name)
    lines = done.stdout.splitlines()
    stop = lines[0]
    token = stop.removeprefix("::stop-commands::")
    end = lines.index(f"::{token}::")
    assert len(token) == 32
    assert any(line.startswith("::warning") for line in lines[1:end])
    assert not any(line.startswith("::warning") for line in lines[end:])
    assert "file=%3A%3Awarning file=x%3A%3Aobeyed/gpu.yaml" in lines[end + 1]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"command": "rm"}, "command: found 'rm', expected validate, test"),
        ({"args": "--now 'open"}, "args: found an open quote"),
    ],
)
def test_bad_input_of_the_action_is_named(said: dict[str, str], words: str, tmp_path: Path) -> None:
    done = act(tmp_path, **said)
    assert done.returncode == 2
    assert words in done.stderr


def test_quotes_keep_words_together(tmp_path: Path) -> None:
    said = "-w ml/eval --now \"2026-03-02T13:00:02Z\" --expect 'Preempt'"
    done = act(sample(tmp_path), command="decide", paths="queues\nrunning", args=said)
    assert done.returncode == 0, done.stdout


def no_pip(folder: Path) -> str:
    """The beginning of a PATH on which `python` keeps what it was asked, and fails."""
    python = folder / "bin" / "python"
    python.parent.mkdir()
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > asked\nexit 7\n', encoding="utf-8")
    python.chmod(0o755)
    return f"{python.parent}{os.pathsep}"


def test_nothing_of_what_is_said_is_run(tmp_path: Path) -> None:
    evil = "$(touch made) `touch made` ; touch made"
    done = act(tmp_path, path=no_pip(tmp_path), version="", paths=evil, args=evil, extras=evil)
    assert done.returncode == 7
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("said", "spec"),
    [
        ({"version": ""}, "/checkout"),
        ({"version": "", "extras": "proofs"}, "/checkout[proofs]"),
        ({"version": "0.1.0", "extras": "proofs,fast"}, "tenure[proofs,fast]==0.1.0"),
    ],
)
def test_pip_is_asked_for_what_was_said(said: dict[str, str], spec: str, tmp_path: Path) -> None:
    done = act(tmp_path, path=no_pip(tmp_path), paths="queues", **said)
    # What cannot be installed is not run.
    assert (done.returncode, done.stdout) == (7, "")
    asked = (tmp_path / "asked").read_text(encoding="utf-8").splitlines()
    assert asked[:3] == ["-m", "pip", "install"]
    assert asked[-1] == spec
