"""Every scenario of the folder under every preset."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from tenure.cli.bundled import schema
from tenure.engines import Batch, batch
from tenure.model import Workload
from tenure.oracle.decide import Decision
from tenure.readings import preset, preset_names
from tenure.resources import bundled
from tenure_play import load_scenario, play
from tenure_play.record import written_plays
from tools import libyaml

FOLDER = bundled("spec", "vectors", "scenarios")
FILES = sorted(FOLDER.glob("*.yaml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("reading", preset_names())
def test_a_scenario_goes_as_it_says(path: Path, reading: str) -> None:
    record = play(load_scenario(path), preset(reading))
    assert [outcome for outcome in record.expectations if not outcome.holds] == []
    assert record.expectations


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_scenario_is_as_the_schema_says(path: Path) -> None:
    written = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    del written["objects"]
    typed = json.loads(json.dumps(libyaml.load(path.read_text(encoding="utf-8")), default=str))
    expected = schema("kai-scenario" if typed.get("scheduler") == "kai" else "scenario")
    problems = [error.message for error in Draft202012Validator(expected).iter_errors(typed)]
    assert problems == []
    assert set(written) <= set(expected["properties"])


def test_the_core_plays_scenarios_as_the_reference_does(monkeypatch: pytest.MonkeyPatch) -> None:
    # Fill-back against the shares is what the core leaves to the reference.
    some = [path for path in FILES if "14543" not in path.stem][::8]
    by_reference = [play(load_scenario(path), preset("guaranteed")) for path in some]
    decided: Counter[str] = Counter()
    decide = Batch.decide

    def noted(asked: Batch, preemptor: Workload, queue_name: str) -> Decision:
        decision = decide(asked, preemptor, queue_name)
        decided[decision.engine] += 1
        return decision

    for worth in ("WORTH_ARRAYS", "WORTH_LOADING"):
        monkeypatch.setattr(batch, worth, 0)
    monkeypatch.setattr(batch, "worth_of_core", lambda _: 0)
    monkeypatch.setattr(Batch, "searched", 1)
    monkeypatch.setattr(batch, "is_compiled", lambda: True)
    monkeypatch.setattr(Batch, "decide", noted)
    by_core = [play(load_scenario(path), preset("guaranteed")) for path in some]
    assert written_plays(by_core) == written_plays(by_reference)
    assert decided["fast"] > 9 * decided["reference"]


def test_what_the_proposals_promise_has_a_scenario() -> None:
    names = {path.stem for path in FILES}
    assert {"tbp-story-1-week", "tbp-story-2-teams", "dyn-story-1-three-hours"} <= names
    assert all(any(name.startswith(f"tbp-it-{number}") for name in names) for number in (1, 2, 5, 6, 7))
