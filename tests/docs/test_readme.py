"""Every command and every output in README.md and in the written pages is run and compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.blocks import (
    ROOT,
    Command,
    commands,
    failed_examples,
    matches,
    pages,
    processes,
    run,
    run_in_process,
    run_in_shell,
)

README = ROOT / "README.md"


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_every_command_prints_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    for command in commands(page):
        printed = run(command, tmp_path)
        assert matches(command.expected, printed), (
            f"{name_of(page)}:{command.line}: `{command.text}` prints\n{printed}\n"
            f"and the page shows\n{command.expected}"
        )


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_every_python_example_prints_what_the_page_shows(page: Path) -> None:
    assert failed_examples(page) == ""


def test_the_readme_runs_the_commands_that_it_is_about() -> None:
    run_there = " ".join(command.text for command in commands(README))
    for part in ("tenure decide", "tenure why", "tenure prove"):
        assert part in run_there


def test_the_two_commands_of_the_readme_are_targets() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    text = README.read_text(encoding="utf-8")
    for target in ("check", "test"):
        assert f"`make {target}`" in text
        assert f"\n.PHONY: {target}\n" in makefile


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        ("a\n...\nc", "a\nb\nb\nc\n"),
        ("a\n...\nc", "a\nc\n"),
        ("in ... s", "in 7.5 s\n"),
        ("a", "\na  \n\n"),
        ("...", ""),
    ],
)
def test_three_dots_stand_for_what_may_change(expected: str, printed: str) -> None:
    assert matches(expected, printed)


@pytest.mark.parametrize(
    ("expected", "printed"),
    [("a\nc", "a\nb\nc\n"), ("in ... s", "in 7.5 m\n"), ("a", "a\nb\n"), ("a.c", "abc\n")],
)
def test_what_the_page_shows_is_taken_literally(expected: str, printed: str) -> None:
    assert not matches(expected, printed)


@pytest.mark.parametrize(("text", "code"), [("exit 3", 3), ("tenure decide gone -w a", 2)])
def test_a_command_that_fails_is_not_passed_over(text: str, code: int, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=f"exit code {code}"):
        run(Command(text, "...", 1), tmp_path)


@pytest.mark.parametrize("text", ["tenure vectors run TBP-020/exactly", "tenure decide gone --all-pending"])
def test_in_this_process_a_command_prints_what_it_prints_as_one(text: str, tmp_path: Path) -> None:
    command = Command(text, "...", 1)
    code, printed = run_in_process(command, tmp_path)
    assert (code, printed) == run_in_shell(command, tmp_path)
    assert printed


def test_each_command_of_the_pages_is_a_process_once() -> None:
    assert {"tenure decide", "tenure simulate", "tenure vectors run", "tenure kai resolve"} <= set(
        processes()
    )
    assert all(name in text for name, text in processes().items())


def test_a_wrong_python_example_is_reported(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\n>>> 1 + 1\n3\n```\n", encoding="utf-8")
    assert "Expected" in failed_examples(page)
