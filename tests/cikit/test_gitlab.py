"""The template for GitLab: its job, and its scripts in a shell on a merge request."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cikit.repository import ROOT
from tests.cikit.test_action import SCRIPTS
from tests.cikit.test_pull_request import ALLOWED, Api, commit_of, served
from tests.cikit.test_pull_request import checkout as checkout
from tests.cli.test_analyze_matrix import QUEUES
from tests.command_line import run_program
from tools import libyaml

JOB: dict[str, Any] = libyaml.load((ROOT / "ci" / "gitlab.yml").read_text(encoding="utf-8"))["tenure"]
NOTES = "/projects/5/merge_requests/7/notes"


class Notes(Api):
    """What stands for GitLab."""

    def answer(self, method: str, path: str, content: Any) -> tuple[int, Any]:
        name, _, _ = path.partition("?")
        if (method, name) == ("GET", "/user"):
            return 200, {"id": 1}
        if (method, name) == ("GET", NOTES):
            return 200, self.comments
        if (method, name) == ("POST", NOTES):
            self.comments.append({"id": len(self.comments) + 1, "author": {"id": 1}, **content})
            return 201, self.comments[-1]
        assert (method, name.rpartition("/")[0]) == ("PUT", NOTES)
        comment = self.comments[int(name.rpartition("/")[2]) - 1]
        comment.update(content)
        return 200, comment


def run(checkout: Path, step: str, **said: str) -> subprocess.CompletedProcess[str]:
    """Run a script of the job in one shell that ends with the first failure, as a runner does."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("CI_")},
        **JOB["variables"],
        "PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": commit_of(checkout.parent / "origin", "main"),
        "TENURE_PATH": "queues",
        "TENURE_NOTE_TOKEN": "",
        **said,
    }
    script = "\n".join(JOB[step])
    return run_program("bash", "-eo", "pipefail", "-c", script, cwd=checkout, environment=environment)


def test_a_merge_request_is_compared_with_its_base(checkout: Path) -> None:
    done = run(checkout, "script")
    assert done.returncode == 1, done.stderr
    reports = JOB["artifacts"]["reports"]
    (entry,) = json.loads((checkout / reports["codequality"]).read_text(encoding="utf-8"))
    line = 1 + next(n for n, text in enumerate(QUEUES.splitlines()) if ALLOWED in text)
    assert entry["location"] == {"path": "queues/all.yaml", "lines": {"begin": line}}
    assert set(entry) == {"description", "check_name", "fingerprint", "severity", "location"}
    assert "a can now preempt b" in (checkout / reports["junit"]).read_text(encoding="utf-8")
    assert all((checkout / path).is_file() for path in JOB["artifacts"]["paths"])


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"TENURE_FAIL_ON": "lost-preemption"}, 0),
        ({"TENURE_BASELINE": "accepted.yaml"}, 0),
        ({"TENURE_PATH": "", "TENURE_RENDER": "cat queues/all.yaml"}, 1),
        ({"TENURE_PATH": ""}, 1),
    ],
)
def test_variables_are_the_options(said: dict[str, str], code: int, checkout: Path) -> None:
    text = "accepted: [{kind: new-preemption, reason: agreed, until: 2999-01-31}]"
    (checkout / "accepted.yaml").write_text(text, encoding="utf-8")
    if "TENURE_BASELINE" not in said:
        (checkout / "accepted.yaml").unlink()
    done = run(checkout, "script", **said)
    assert done.returncode == code, done.stdout + done.stderr


@pytest.fixture
def notes() -> Iterator[Api]:
    with served(Notes()) as api:
        yield api


def test_one_note_is_made_and_then_updated(checkout: Path, notes: Api) -> None:
    told = {
        "CI_API_V4_URL": notes.address,
        "CI_MERGE_REQUEST_IID": "7",
        "CI_PROJECT_ID": "5",
        "NO_PROXY": "127.0.0.1",
        "TENURE_NOTE_TOKEN": "secret",
    }
    (checkout / "tenure.md").write_text("FAIL: a can now preempt b", encoding="utf-8")
    assert run(checkout, "after_script").returncode == 0, "without a token there is no note"
    assert notes.asked == []
    for verdict in ("FAIL: a can now preempt b", "PASS: no new preemption"):
        (checkout / "tenure.md").write_text(verdict, encoding="utf-8")
        done = run(checkout, "after_script", **{**told, "TENURE_NOTE_TOKEN": "secret"})
        assert done.returncode == 0, done.stderr
        (note,) = notes.comments
        assert note["body"] == f"<!-- tenure -->\n{verdict}"
    assert [method for method, _, _ in notes.asked] == ["GET", "GET", "POST", "GET", "GET", "PUT"]


def test_nothing_of_the_checkout_is_imported() -> None:
    lines = [line for step in ("before_script", "script", "after_script") for line in JOB[step]]
    started = [part for line in lines for part in line.split("python")[1:] if part.startswith(" -")]
    assert len(started) == 3
    assert all(part.startswith(" -I ") for part in started)
