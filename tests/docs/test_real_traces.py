"""The page of published traces: it draws what was recorded, and says what that is."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from docs.gen.real_traces import DATA, DRAWN, FOLDER, PAGE, real_traces, recorded, written
from docs.gen.sources import ROOT
from tenure.as_json import as_json
from tenure.readings import preset_names
from tenure_simulate.answer_types import SettingFigures

DURATIONS = ("off", "24h", "8h", "4h", "1h")


def text_of(page: str) -> str:
    return " ".join((ROOT / "docs" / page).read_text(encoding="utf-8").split())


def setting(reading: str, duration: str) -> SettingFigures:
    asked = {"reading": reading, "minAdmitDuration": duration}
    return next(each for each in recorded("philly").settings if each.setting == asked)


@pytest.mark.parametrize("name", DRAWN)
def test_every_preset_and_duration_is_recorded_and_kept_as_it_was(name: str) -> None:
    answer = recorded(name)
    assert answer.complete
    found = [(each.setting["reading"], each.setting["minAdmitDuration"]) for each in answer.settings]
    assert found == [(reading, duration) for reading in preset_names() for duration in DURATIONS]
    file = (DATA / f"{name}.json").read_text(encoding="utf-8")
    assert written(name, as_json(answer)) == file


def test_the_page_has_a_place_for_each_picture_that_it_needs_and_pictures_are_drawn_for_both_themes() -> None:
    files, fills = real_traces()
    markers = set(re.findall(r"<!-- ([\w-]+) -->", (ROOT / "docs" / PAGE).read_text(encoding="utf-8")))
    assert markers == fills[PAGE].keys()
    for path, text in files.items():
        assert path.startswith(f"{FOLDER}/")
        assert ET.fromstring(text).attrib["role"] == "img"
        assert "var(--" not in text
    assert {path.rpartition("-")[2] for path in files} == {"light.svg", "dark.svg"}


def test_pages_say_what_was_recorded() -> None:
    page, how = text_of(PAGE), text_of("how-to/choose-minadmitduration.md")
    kept, lost = setting("guaranteed", "4h"), setting("as-written", "4h")
    assert lost.most_preempted is not None
    assert f"{kept.owed_hours:,.0f} GPU-hours of nominal quota went unused" in page
    assert f"{lost.owed_hours:,.0f} went unused" in page
    assert f"preempted {lost.most_preempted.times:,} times" in page
    assert {
        each.cut_short for each in recorded("philly").settings if each.setting["reading"] == "guaranteed"
    } == {0}
    chosen, short, off = (setting("guaranteed", duration) for duration in ("8h", "1h", "off"))
    hours = [round(each.all_waits.p95 / 3600e9) for each in (chosen, off)]
    assert f"no longer than {hours[0]} hours, in place of {hours[1]}" in how
    assert f"{chosen.wasted_hours / chosen.held_hours:.1%} of the GPU-hours are lost" in how
    assert f"One hour loses {short.wasted_hours / short.held_hours:.1%}" in how
