"""Examples with controls: their tables say what the rules say, asked again from the words of the controls."""

from __future__ import annotations

import json
import re
from itertools import product
from typing import Any
from xml.etree import ElementTree

import pytest

from docs.gen import lessons
from docs.gen.lesson import Lesson
from docs.gen.lessons import lesson_of, lesson_pictures
from docs.gen.sources import ROOT
from tenure.manifests import parse_duration
from tenure.model import DynamicPriorityPolicy, Workload
from tenure.readings import HeroBilling, PrioritySteps, preset
from tenure.rules.dynamic_priority import priority_at
from tenure.rules.hero_billing import billed_usage
from tenure.rules.time_based import is_time_expired


def table(rule: str) -> dict[str, Any]:
    """The table of a rule's page."""
    page = "\n\n".join(lesson_of(rule))
    found = re.search(r'class="lesson-table">(.*?)</script>', page)
    assert found is not None
    given: dict[str, Any] = json.loads(found[1])
    return given


def choices(given: dict[str, Any], without: int = 0) -> list[dict[str, str]]:
    """Every choice of all controls but the last so many, in the order of the table."""
    controls = given["controls"][: len(given["controls"]) - without]
    names = [control["name"] for control in controls]
    return [
        dict(zip(names, values, strict=True))
        for values in product(*(control["values"] for control in controls))
    ]


def age_of(words: str) -> int:
    """Nanoseconds of the words for an age."""
    text, _, more = words.partition(" and ")
    return parse_duration(text) + (1 if more == "1 ns" else 0)


def test_a_victim_is_expired_in_the_table_when_the_rule_says_so() -> None:
    given = table("TBP-020")
    ages = given["controls"][-1]["values"]
    assert {"4h", "4h and 1 ns", "1h", "1h and 1 ns"} <= set(ages)
    assert [age_of(words) for words in ages] == sorted(map(age_of, ages))
    victim = Workload("ns", "victim", "u", priority=0, created_at=0, quota_reserved_at=0)
    for chosen, tracks in zip(choices(given, 1), given["cells"], strict=True):
        lasts = None if chosen["duration"] == "off" else parse_duration(chosen["duration"])
        expired = [is_time_expired(victim, age_of(words), lasts) for words in ages]
        older = chosen["created"] == "before the victim"
        for reading, track in zip(given["tracks"], tracks, strict=True):
            assert [letter == "e" for letter in track] == expired
            keeps = reading == "guaranteed" and lasts is not None
            newer = (
                older or (reading == "as-written" and lasts and chosen["created"] != "just now")
            ) and not keeps
            assert set(track) - {"e"} <= {"n" if newer else "p"}


def test_a_priority_in_the_table_is_what_the_rule_gives() -> None:
    given = table("DYN-050")
    workload = Workload("ns", "ageing", "u", priority=7, created_at=0)
    letters = "".join(track for (track,) in given["cells"])
    counted = {name: preset(name.split(" ")[0]).priority_steps for name in given["controls"][0]["values"]}
    assert set(counted.values()) == {*PrioritySteps}
    for chosen, grown, letter in zip(choices(given), given["numbers"]["grown"], letters, strict=True):
        policy = DynamicPriorityPolicy(
            int(chosen["step"]), int(chosen["max"]), parse_duration(chosen["delay"])
        )
        at = parse_duration(chosen["time"])
        assert grown == priority_at(workload, 100, policy, at, counted[chosen["reading"]])
        assert letter == ("b" if grown < 500 else "a" if grown > 500 else "e")


def test_a_bill_in_the_table_is_shared_by_the_rule() -> None:
    given = table("UCQ-130")
    owned = {name: int(amount) for name, _, amount in map(str.split, given["tracks"])}
    for place, (chosen, tracks) in enumerate(zip(choices(given), given["cells"], strict=True)):
        used, exact = int(chosen["used"]), chosen["reading"] == "guaranteed"
        billed = {name: given["numbers"][name][place] for name in owned}
        assert sum(billed.values()) == given["numbers"]["all"][place]
        most = billed_usage(used, owned["hero"], HeroBilling.EXCESS if exact else HeroBilling.WHOLE)
        if exact:
            assert (sum(billed.values()), billed["hero"]) == (most, 0)
        else:
            assert list(billed.values()) == [
                most * amount // sum(owned.values()) for amount in owned.values()
            ]
        for name, track in zip(owned, tracks, strict=True):
            assert (track.count("b"), len(track)) == (billed[name], owned[name])
            assert given["numbers"][f"{name}_left"][place] == track.count("l")


@pytest.mark.parametrize("lesson", lessons.lessons().values(), ids=lambda lesson: lesson.name)
def test_an_example_has_a_still_picture_that_says_what_it_shows(lesson: Lesson) -> None:
    for theme in ("light", "dark"):
        drawn = ElementTree.fromstring(lesson_pictures()[f"rules/lessons/{lesson.name}-{theme}.svg"])
        told = drawn.findtext("{http://www.w3.org/2000/svg}title")
        assert told == " ".join(lesson.sentences([control.start for control in lesson.controls]))
        assert "{" not in told


def test_the_script_is_small_and_no_other_page_loads_it() -> None:
    assert (ROOT / "docs" / lessons.SCRIPT).stat().st_size < 6_000
    assert list(lesson_of("TBP-010")) == []
    assert "lessons.js" not in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
