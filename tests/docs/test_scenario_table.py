"""The table of the proposals' tests and stories says what their scenarios expect."""

from __future__ import annotations

import re

from tests.docs.scenario_table import PAGE, VERDICTS, cells, rows, written

TEXT = PAGE.read_text(encoding="utf-8")
BY_NAME = dict(rows(TEXT))


def test_every_cell_says_what_its_scenario_expects() -> None:
    for name, found in BY_NAME.items():
        said = [cell.partition(": ")[2] for cell in found[:-1]]
        assert said == cells(name), f"{name}: python -m tests.docs.scenario_table writes it again"
    assert written(TEXT) == TEXT


def test_every_cell_has_a_verdict_and_whatever_is_broken_a_reason() -> None:
    for found in BY_NAME.values():
        verdicts = [cell.partition(":")[0] for cell in found[:-1]]
        assert set(verdicts) <= set(VERDICTS)
        assert "broken" not in verdicts or re.search(r"F-\d{3}", found[-1])


def test_a_protected_time_that_is_cut_short_is_no_kept_guarantee() -> None:
    found = BY_NAME["tbp-story-1-guarantee"]
    assert ["cut short by at least" in cell for cell in found[:3]] == [True, True, False]
    assert [cell.partition(":")[0] for cell in found[:3]] == ["broken", "broken", "kept"]


def test_the_nine_tests_the_stories_and_the_example_have_their_rows() -> None:
    names = set(BY_NAME)
    assert all(any(name.startswith(f"tbp-it-{number}-") for name in names) for number in range(1, 10))
    assert {
        "tbp-story-1-guarantee",
        "tbp-story-2-teams",
        "dyn-story-1-three-hours",
        "dyn-worked-example",
    } <= names
    assert all(any(name.startswith(f"ucq-test-{number}-") for name in names) for number in range(1, 6))
    assert all(any(name.startswith(f"ucq-story-{number}-") for name in names) for number in (1, 2))


def test_every_scenario_that_the_page_names_is_there_and_every_thread_and_hero_is_named() -> None:
    folder = PAGE.parents[2] / "spec" / "vectors" / "scenarios"
    there = {path.stem for path in folder.glob("*.yaml")}
    named = set(re.findall(r"`((?:tbp|dyn|ucq|kueue|kai)-[a-z0-9-]+)`", TEXT))
    assert named <= there
    assert {name for name in there if name.startswith(("kueue-", "ucq-"))} <= named
    assert {name for name in there if name.startswith("kai-")} <= set(BY_NAME)
