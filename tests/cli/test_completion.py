"""Completion in bash, zsh and fish."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.command_line import TENURE, run_program

SHELLS = ("bash", "zsh", "fish")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def asked(*arguments: str, cwd: Path | None = None, **environment: str) -> str:
    """What `tenure` says in an environment that a shell makes."""
    done = run_program(TENURE, *arguments, cwd=cwd, environment={**os.environ, **environment})
    assert done.stderr == ""
    return done.stdout


def offered(*words: str, cwd: Path | None = None) -> list[str]:
    """What bash is offered for the last word."""
    line = " ".join(["tenure", *words])
    count = str(len(words))
    return asked(cwd=cwd, _TENURE_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=count).split()


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_of_every_shell_is_generated(shell: str) -> None:
    script = asked(_TENURE_COMPLETE=f"source_{shell}")
    assert "_TENURE_COMPLETE" in script
    assert f"complete_{shell}" in script
    shown = asked("--show-completion", shell, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert shown.strip() == script.strip()


def test_bash_takes_the_script_and_completes_with_it() -> None:
    program = (
        f"source <({TENURE} --show-completion bash) && COMP_WORDS=(tenure dec) COMP_CWORD=1"
        " && _tenure_completion tenure dec tenure && printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    done = run_program(
        "bash",
        "-c",
        program,
        environment={
            **os.environ,
            "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1",
            "PATH": f"{TENURE.parent}{os.pathsep}{os.environ['PATH']}",
        },
    )
    assert (done.stdout, done.stderr) == ("decide\n", "")


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_installs_itself(shell: str, tmp_path: Path) -> None:
    asked(
        "--install-completion",
        shell,
        HOME=str(tmp_path),
        _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1",
    )
    written = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file()]
    assert any("_TENURE_COMPLETE" in text for text in written)


def test_commands_examples_readings_overrides_and_schemas_are_offered() -> None:
    assert offered("wh") == ["why", "why-not"]
    assert offered("example", "two") == ["two-teams"]
    assert offered("decide", "--example", "sha") == ["shared-cohort"]
    assert offered("decide", "--reading", "a") == ["as-written"]
    assert offered("decide", "--override", "newer_than=q") == ["newer_than=queue_order"]
    assert offered("schema", "pen") == ["pending"]


def test_pending_workloads_are_offered(tmp_path: Path) -> None:
    waiting = ["team-b/job-eval-suite-d739e", "team-b/job-moe-64-448bc"]
    assert offered("decide", "--example", "two-teams", "-w", "team-b/") == waiting
    shutil.copytree(EXAMPLES / "two-teams", tmp_path / "cluster")
    assert offered("decide", "cluster", "-w", "team-b/", cwd=tmp_path) == waiting


@pytest.mark.parametrize("path", ["absent.yaml", "broken.yaml", "-", "large.yaml"])
def test_what_cannot_be_read_at_once_offers_nothing_and_says_nothing(path: str, tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text("{", encoding="utf-8")
    (tmp_path / "large.yaml").write_text("#" * 3_000_000, encoding="utf-8")
    assert offered("decide", path, "-w", "team", cwd=tmp_path) == []
