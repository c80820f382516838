"""Every test has its stage, every stage its make target, and the table tells both."""

from __future__ import annotations

import re

import pytest

from tools import stages
from tools.stages import (
    EVERY,
    FEW,
    OTHERS,
    PAGE,
    ROOT,
    STAGES,
    Stage,
    all_tests,
    files_of,
    is_below,
    left_out,
    longer_of,
    rest_of,
    stages_of,
    table,
    written,
)


def test_every_test_file_belongs_to_exactly_one_stage() -> None:
    found = {file: stages_of(file) for file in all_tests()}
    assert {file: named for file, named in found.items() if len(named) != 1} == {}
    assert sorted(file for stage in STAGES for file in files_of(stage)) == all_tests()


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.target)
def test_every_place_of_a_stage_holds_tests(stage: Stage) -> None:
    for place in (*stage.tests, *stage.longer, *stage.rest, *stage.again):
        assert any(is_below(file, place) for file in all_tests()), place


def test_what_draws_a_sample_in_the_quick_stage_is_run_in_full_by_one_other() -> None:
    longer = [file for stage in STAGES for file in longer_of(stage)]
    assert sorted(longer) == sorted(set(longer))
    drawing = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests").rglob("*.py")
        if re.search(r"^from tests\.sampling import", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert set(drawing) - set(longer) == set()


def test_two_stages_share_a_file_and_no_test_of_it_is_lost_or_run_twice() -> None:
    shared = [file for stage in STAGES for file in rest_of(stage)]
    assert sorted(shared) == sorted(set(shared) - {file for stage in STAGES for file in longer_of(stage)})
    tests = [f"{file}::test_{number}" for file in shared for number in range(2 * EVERY + 1)]
    few, others = ({*tests} - left_out(part, tests) for part in (FEW, OTHERS))
    assert few | others == {*tests}
    assert not few & others
    assert len(few) == 3 * len(shared)
    assert left_out("", tests) == set()


def test_what_a_stage_runs_longer_it_runs_whole() -> None:
    tests = [f"{file}::test_{number}" for stage in STAGES for file in longer_of(stage) for number in range(2)]
    assert left_out(FEW, tests) == {test for test in tests if test.endswith("1")}
    assert left_out(OTHERS, tests) == set()


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.target)
def test_every_stage_is_a_make_target_that_runs_its_tests(stage: Stage) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f".PHONY: {stage.target}\n{stage.target}: $(STAMP)" in makefile
    runs = re.findall(r"tools\.stages run (\S+)$", makefile, re.MULTILINE)
    assert runs.count(stage.target) == int(bool(stage.tests or stage.longer))


def run_with(
    failing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, list[list[str]]]:
    """The exit code, and the words of each row, where the stage of one target fails."""
    monkeypatch.setattr(stages, "_made", lambda stage, _: "failed" if stage.target == failing else "passed")
    code = stages.run_all()
    return code, [line.split() for line in capsys.readouterr().out.splitlines() if line]


def test_every_stage_is_told_with_its_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, rows = run_with("", monkeypatch, capsys)
    assert code == 0
    assert [" ".join(row[:-3]) for row in rows] == [stage.name for stage in STAGES]
    assert {(row[-3], row[-1]) for row in rows} == {("passed", "s")}


def test_after_a_failure_the_others_are_run_unless_it_is_the_quick_one_that_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, rows = run_with("test-wheel", monkeypatch, capsys)
    assert (code, len(rows)) == (1, len(STAGES))
    assert [row[0] for row in rows if "failed" in row] == ["wheel"]
    code, rows = run_with("test", monkeypatch, capsys)
    assert (code, [row[0] for row in rows]) == (1, ["quick"])


def test_a_stage_whose_program_is_not_here_is_left_out_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    left_out = [stages._made(stage, "") for stage in STAGES if stage.needs]
    assert left_out == ["left out: no go here"] * 2


def test_the_site_finds_proved_what_the_check_proves_and_no_other_stage_writes_there() -> None:
    assert [stage.target for stage in STAGES if stage.proves] == ["check", "test-site"]


def test_contributing_shows_the_table() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page.count(table()) == 1
    assert written(page) == page, "python -m tools.stages write"
