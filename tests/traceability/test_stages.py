"""Every test has its stage, every stage its make target, and the table tells both."""

from __future__ import annotations

import re

import pytest

from tools.stages import (
    BEGIN,
    END,
    PAGE,
    ROOT,
    STAGES,
    Stage,
    all_tests,
    files_of,
    is_below,
    longer_of,
    stages_of,
    written,
)


def test_every_test_file_belongs_to_exactly_one_stage() -> None:
    found = {file: stages_of(file) for file in all_tests()}
    assert {file: named for file, named in found.items() if len(named) != 1} == {}
    assert sorted(file for stage in STAGES for file in files_of(stage)) == all_tests()


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.target)
def test_every_place_of_a_stage_holds_tests(stage: Stage) -> None:
    for place in (*stage.tests, *stage.longer):
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


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.target)
def test_every_stage_is_a_make_target_that_runs_its_tests(stage: Stage) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f".PHONY: {stage.target}\n{stage.target}: $(STAMP)" in makefile
    runs = re.findall(r"tools\.stages run (\S+)$", makefile, re.MULTILINE)
    assert runs.count(stage.target) == int(bool(stage.tests or stage.longer))


def test_contributing_shows_the_table() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert (page.count(BEGIN), page.count(END)) == (1, 1)
    assert written(page) == page, "python -m tools.stages write"
