"""Which setting to choose, and when other weeks could order two settings otherwise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from docs.gen.real_traces import recorded
from tenure_simulate.answer_types import SettingFigures, SimulateAnswer
from tenure_simulate.choices import Preference
from tenure_simulate.summary import chosen, effect_words, outline_of


def philly(*durations: str) -> SimulateAnswer:
    """The recorded answer about Philly under `guaranteed`, with these durations only."""
    answer = recorded("philly")
    named = {each.setting["minAdmitDuration"]: each for each in answer.settings[-5:]}
    kept = (replace(named[each], setting={"minAdmitDuration": each}) for each in durations)
    return replace(answer, settings=tuple(kept))


def test_the_shortest_wait_and_the_fewest_lost_hours_are_chosen_and_ties_go_to_the_better_in_the_other() -> (
    None
):
    answer = philly("off", "8h", "4h")
    assert chosen(answer.settings, Preference.WAIT).setting["minAdmitDuration"] == "4h"
    assert chosen(answer.settings, Preference.WASTE).setting["minAdmitDuration"] == "off"
    off = answer.settings[0]
    waits_longer = replace(off, all_waits=replace(off.all_waits, p95=off.all_waits.p95 + 1))
    assert chosen([waits_longer, off], Preference.WASTE) is off


def test_equal_settings_are_not_the_next_best_of_each_other() -> None:
    answer = philly("off", "8h")
    twice = replace(answer, settings=(answer.settings[0], *answer.settings))
    lines = list(outline_of(twice, preference=Preference.WASTE).text_lines())
    assert [line.split(":")[0] for line in lines if "next is" in line] == ["    next is 8h"]
    assert any("reading guaranteed" in line for line in lines)
    assert not any(
        "reading" in line for line in outline_of(recorded("philly")).text_lines() if "decided" in line
    )


@pytest.mark.parametrize(("preference", "overlap"), [(Preference.WAIT, True), (Preference.WASTE, False)])
def test_overlapping_ranges_are_pointed_out(preference: Preference, *, overlap: bool) -> None:
    text = "\n".join(outline_of(philly("8h", "4h"), preference=preference).text_lines())
    assert ("their ranges overlap" in text) == overlap
    assert "With other weeks of the trace, in 95 of 100 draws (15 weeks drawn 500 times with seed 1)" in text


def changed(figures: SettingFigures, wait_h: float, lost: float) -> SettingFigures:
    waits = replace(figures.all_waits, p95=int(wait_h * 3600e9))
    return replace(figures, all_waits=waits, wasted_hours=lost, held_hours=1000.0)


@pytest.mark.parametrize(
    ("wait_h", "lost", "words"),
    [
        (1, 50, "off: p95 wait 2.00 h → 1.00 h for 40.00 more GPU-hours lost (1.0% → 5.0% of those held)"),
        (3, 50, "off: p95 wait 2.00 h → 3.00 h, and 40.00 more GPU-hours lost (1.0% → 5.0% of those held)"),
        (1, 2, "off: p95 wait 2.00 h → 1.00 h, and 8.00 fewer GPU-hours lost (1.0% → 0.2% of those held)"),
        (2, 510, "off: p95 wait 2.00 h as before, and 500 more GPU-hours lost (1.0% → 51.0% of those held)"),
        (2, 10, "off: p95 wait 2.00 h as before, and as many GPU-hours lost"),
    ],
)
def test_a_sentence_has_the_wait_before_and_after_and_the_difference_of_lost_hours(
    wait_h: float, lost: float, words: str
) -> None:
    (figures,) = philly("off").settings
    assert effect_words(changed(figures, 2, 10), changed(figures, wait_h, lost), "GPU-hours") == words
