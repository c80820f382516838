"""A pull request in the Action: the base is fetched, the change judged, and one comment kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.cikit.repository import ROOT
from tests.cikit.test_action import ACTION, SCRIPTS, act
from tests.cli.test_analyze_matrix import QUEUES
from tests.cli.test_edits import git
from tests.command_line import run_program

BOT = "github-actions[bot]"
ALLOWED = "reclaimWithinCohort: Any"


def commit_of(folder: Path, name: str) -> str:
    asked = ["git", "rev-parse", name]
    return subprocess.run(asked, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def commit(folder: Path, policy: str) -> None:
    (folder / "queues").mkdir(exist_ok=True)
    text = QUEUES.replace(ALLOWED, f"reclaimWithinCohort: {policy}")
    (folder / "queues" / "all.yaml").write_text(text, encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "-m", policy)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What actions/checkout makes of a pull request: the merge of it, and nothing before."""
    origin = tmp_path / "origin"
    origin.mkdir()
    git(origin, "init", "-b", "main")
    commit(origin, "Never")
    git(origin, "checkout", "-b", "change")
    commit(origin, "Any")
    git(origin, "checkout", "main")
    (origin / "README").write_text("later on main", encoding="utf-8")
    git(origin, "add", ".")
    git(origin, "commit", "-m", "later")
    git(origin, "checkout", "-b", "merge")
    git(origin, "merge", "--no-ff", "-m", "merge", "change")
    git(tmp_path, "clone", "--depth=1", "-b", "merge", f"file://{origin}", "checkout")
    return tmp_path / "checkout"


def as_pull_request(folder: Path, **said: str) -> dict[str, str]:
    event = folder / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 7}}), encoding="utf-8")
    return {
        "command": "diff",
        "paths": "queues",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_SHA": commit_of(folder, "HEAD"),
        **said,
    }


def test_a_pull_request_is_compared_with_its_base_in_a_shallow_checkout(checkout: Path) -> None:
    done = act(checkout, **as_pull_request(checkout))
    assert done.returncode == 1, done.stderr
    line = 1 + next(n for n, text in enumerate(QUEUES.splitlines()) if ALLOWED in text)
    sentence = f"a can now preempt b: reclaimWithinCohort is Any (queues/all.yaml:{line})"
    assert f"::error file=queues/all.yaml,line={line},title=a can now preempt b::{sentence}" in done.stdout
    assert "FAIL: a can now preempt b" in (checkout / "summary.md").read_text(encoding="utf-8")
    base = commit_of(checkout.parent / "origin", "main")
    assert f"  before  {base}:queues\n" in done.stdout


def test_what_the_workflow_accepts_or_does_not_name_does_not_fail(checkout: Path) -> None:
    accepted = checkout / "accepted.yaml"
    entry = "{kind: new-preemption, reason: agreed, until: 2999-01-31}"
    accepted.write_text(f"accepted: [{entry}]", encoding="utf-8")
    said = as_pull_request(checkout)
    assert act(checkout, **said, baseline="accepted.yaml").returncode == 0
    assert act(checkout, **said, failon="lost-preemption").returncode == 0
    assert act(checkout, **{**said, "paths": ""}, base="main").returncode == 1


def test_a_command_of_the_workflow_renders_both_sides(checkout: Path) -> None:
    (checkout / "queues" / "all.yaml").rename(checkout / "queues" / "all.tpl")
    said = as_pull_request(checkout, render="cat queues/all.tpl\n")
    done = act(checkout, **{**said, "paths": ""})
    assert done.returncode == 2
    assert "--render: found cat ended with 1" in done.stdout
    (checkout / "queues" / "all.tpl").rename(checkout / "queues" / "all.yaml")
    done = act(checkout, **{**said, "paths": "", "render": "  cat queues/all.yaml\n"})
    assert done.returncode == 1, done.stdout
    assert "FAIL: a can now preempt b" in done.stdout


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            {"base": "--upload-pack=touch made"},
            "base: found '--upload-pack=touch made', expected a commit or a",
        ),
        (
            {"base": "0" * 40},
            f"base: found '{'0' * 40}', which cannot be fetched, expected a commit of origin",
        ),
        ({"paths": "a\nb"}, "paths: found 2 paths, expected one folder with command diff"),
        (
            {"command": "validate", "render": "helm"},
            "render: found 'helm', expected it with command test, check",
        ),
    ],
)
def test_what_the_action_cannot_compare_is_named(said: dict[str, str], words: str, checkout: Path) -> None:
    done = act(checkout, **as_pull_request(checkout, **said))
    assert done.returncode == 2
    assert words in done.stderr
    assert not (checkout / "made").exists()


@dataclass
class Api:
    """What stands for GitHub: comments of a pull request."""

    comments: list[dict[str, Any]] = field(default_factory=list)
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    address: str = ""
    refuses: int = 0

    def answer(self, method: str, path: str, content: Any) -> tuple[int, Any]:
        name, _, query = path.partition("?")
        if method == "GET" and name == "/repos/o/r/issues/7/comments":
            page = int(query.rpartition("page=")[2])
            return 200, self.comments[100 * page - 100 : 100 * page]
        if self.refuses:
            return self.refuses, {"message": "Resource not accessible by integration"}
        if method == "POST" and name == "/repos/o/r/issues/7/comments":
            self.comments.append({"id": len(self.comments) + 1, "user": {"login": BOT}, **content})
            return 201, self.comments[-1]
        if method == "PATCH" and name.startswith("/repos/o/r/issues/comments/"):
            comment = self.comments[int(name.rpartition("/")[2]) - 1]
            comment.update(content)
            return 200, comment
        return 404, {}


@contextmanager
def served(api: Api) -> Iterator[Api]:
    class Handler(BaseHTTPRequestHandler):
        def _answered(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"] or 0))
            api.asked.append((self.command, self.path, self.headers["Authorization"]))
            status, answer = api.answer(self.command, self.path, json.loads(content or "null"))
            said = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        do_GET = do_POST = do_PATCH = do_PUT = _answered  # noqa: N815 - as http.server names them

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        api.address = f"http://127.0.0.1:{server.server_port}"
        try:
            yield api
        finally:
            server.shutdown()


def commented(folder: Path, api: Api, **said: str) -> tuple[int, str]:
    """Run both steps of the Action: its exit code, and what the second one prints."""
    comment = ACTION["runs"]["steps"][-1]
    told = {**as_pull_request(folder), "comment": "true", **said}
    done = act(folder, **told)
    if told["comment"] != "true":
        assert comment["if"] == "${{ !cancelled() && inputs.comment == 'true' }}"
        return done.returncode, ""
    output = (folder / "output").read_text(encoding="utf-8").splitlines()
    outputs = dict(line.split("=", 1) for line in output)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")},
        **{name: value for name, value in told.items() if name.isupper()},
        "PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_API_URL": api.address,
        "GITHUB_REPOSITORY": "o/r",
        "NO_PROXY": "127.0.0.1",
        "TENURE_COMMAND": told["command"],
        "TENURE_PATHS": told["paths"],
        "TENURE_SUMMARY": outputs.get("summary", ""),
        "TENURE_TOKEN": "secret",
        "TENURE_SOURCE": str(ROOT),
    }
    said_last = run_program("bash", "-c", comment["run"], cwd=folder, environment=environment)
    assert said_last.returncode == 0, said_last.stderr
    return done.returncode, said_last.stdout


def test_one_comment_is_made_and_then_updated(checkout: Path) -> None:
    """Comments of others stay as they are, whatever they hold; those of another job are others."""
    with served(Api()) as api:
        assert commented(checkout, api) == (1, "comment made\n")
        assert [method for method, _, _ in api.asked] == ["GET", "POST"]
        assert {authorization for _, _, authorization in api.asked} == {"Bearer secret"}
        body = api.comments[0]["body"]
        assert body.startswith("<!-- tenure ")
        assert "FAIL: a can now preempt b" in body
        assert "<details>" in body
        # A user may have copied it, marker and all; and a page of comments is not all of them.
        copies = [{"id": n, "user": {"login": "mallory"}, "body": body} for n in range(1, 101)]
        api.comments[:] = [*copies, {"id": 101, "user": {"login": BOT}, "body": body}]
        text = (checkout / "queues" / "all.yaml").read_text(encoding="utf-8")
        (checkout / "queues" / "all.yaml").write_text(text.replace(ALLOWED, "reclaimWithinCohort: Never"))
        api.asked.clear()
        assert commented(checkout, api) == (0, "comment updated\n")
        assert [method for method, _, _ in api.asked] == ["GET", "GET", "PATCH"]
        assert "PASS: no new preemption" in api.comments[100]["body"]
        assert all(comment["body"] == body for comment in api.comments[:100])
        commented(checkout, api, GITHUB_JOB="another")
        assert [method for method, _, _ in api.asked[3:]] == ["GET", "GET", "POST"]


def test_without_permission_the_verdict_stays_and_a_warning_names_it(checkout: Path) -> None:
    with served(Api(refuses=403)) as api:
        code, said = commented(checkout, api)
    assert code == 1
    expected = "comment: found status 403 of the API, expected permissions: pull-requests: write"
    assert said.startswith(f"::warning title=tenure::{expected}")


def test_no_comment_is_made_unless_the_workflow_asks_for_it(checkout: Path) -> None:
    with served(Api()) as api:
        commented(checkout, api, comment="false")
        push = checkout / "push.json"
        push.write_text(json.dumps({"ref": "refs/heads/main"}), encoding="utf-8")
        _, said = commented(checkout, api, GITHUB_EVENT_PATH=str(push))
    assert said == "no comment: this is no pull request\n"
    assert api.asked == []


def test_a_long_summary_is_cut_before_details(tmp_path: Path) -> None:
    summary = tmp_path / "summary"
    summary.write_text("head\n" + "\n<details>x\n</details>" * 5000, encoding="utf-8")
    event = tmp_path / "event"
    event.write_text(json.dumps({"pull_request": {"number": 7}}), encoding="utf-8")
    with served(Api()) as api:
        environment = {
            "GITHUB_API_URL": api.address,
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_REPOSITORY": "o/r",
            "TENURE_SUMMARY": str(summary),
            "TENURE_TOKEN": "secret",
        }
        run_program(sys.executable, "-I", str(ROOT / "ci" / "comment.py"), environment=environment)
    body = api.comments[0]["body"]
    assert len(body) < 65_536
    assert body.endswith("</details>\n\nMore is in the summary of the job.\n")


def test_the_token_is_given_to_the_comment_alone() -> None:
    """A renderer reads files of a pull request; no variable of its step, nor of the process above, has it."""
    *others, comment = ACTION["runs"]["steps"]
    assert comment["env"]["TENURE_TOKEN"] == "${{ github.token }}"
    assert "token" not in str(others).lower()
