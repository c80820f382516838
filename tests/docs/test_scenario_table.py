"""The table of what scenarios promise names scenarios that exist, and where their promises hold."""

from __future__ import annotations

import re
import tomllib

from docs.gen.charts import PROMISES
from tenure.readings import preset_names
from tenure.resources import bundled
from tenure_play import AnyScenario, load_scenario
from tenure_play.scenario import Expectation
from tests.docs.blocks import ROOT

LISTED = tomllib.loads((ROOT / PROMISES).read_text(encoding="utf-8"))
BY_NAME = {name: (row["kept"], row["why"]) for name, row in LISTED.items() if "kept" in row}


def scenario(name: str) -> AnyScenario:
    """A published scenario."""
    return load_scenario(bundled("spec", "vectors", "scenarios", f"{name}.yaml"))


def expected(name: str, reading: str) -> list[Expectation]:
    """What a scenario expects under a reading."""
    return [one for one in scenario(name).expectations if not one.readings or reading in one.readings]


def kept_under(name: str) -> set[str]:
    """The readings under which a row's promise holds."""
    kept = BY_NAME[name][0]
    return set(preset_names()) if kept == "yes" else {kept} - {"no"}


def test_every_row_names_readings_and_whatever_is_not_kept_has_a_finding() -> None:
    for name, (kept, why) in BY_NAME.items():
        assert kept in ("yes", "no") or kept_under(name) < set(preset_names()), name
        assert kept == "yes" or re.search(r"F-\d{3}", why), name


def test_where_readings_differ_in_what_is_kept_the_scenario_expects_different_things() -> None:
    for name in BY_NAME:
        kept = kept_under(name)
        for holds in kept:
            for fails in set(preset_names()) - kept:
                assert expected(name, holds) != expected(name, fails), name


def test_a_protected_time_that_is_cut_short_is_no_kept_guarantee() -> None:
    name = "tbp-story-1-guarantee"
    cut = {
        reading: [one.cut_short for one in expected(name, reading) if one.cut_short is not None]
        for reading in preset_names()
    }
    assert kept_under(name) == {reading for reading, bounds in cut.items() if bounds[0].at_most == 0}


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


def test_every_scenario_of_the_table_is_there_and_every_thread_hero_and_plugin_has_a_row() -> None:
    there = {path.stem for path in (ROOT / "spec" / "vectors" / "scenarios").glob("*.yaml")}
    assert LISTED.keys() <= there
    assert {name for name in there if name.startswith(("kueue-", "ucq-"))} <= LISTED.keys()
    assert {name for name in there if name.startswith("kai-")} <= BY_NAME.keys()
