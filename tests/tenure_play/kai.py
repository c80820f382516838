"""Scenarios of KAI-Scheduler in Python, for the tests of plays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tenure.manifests import Place
from tenure.readings import preset
from tenure_play import Record, play
from tenure_play.kai.loading import parse_kai_scenario
from tenure_play.kai.scenario import KaiScenario


def queue(name: str, parent: str = "", **spec: Any) -> dict[str, Any]:
    """A Queue."""
    above = {"parentQueue": parent} if parent else {}
    return {"kind": "Queue", "metadata": {"name": name}, "spec": {**above, **spec}}


def raw(events: Sequence[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """What a scenario file would hold: one queue of ten minutes, one job that runs, one that asks."""
    jobs = [{"name": "train", "queue": "team", "since": "0s"}, {"name": "urgent", "queue": "team"}]
    objects = [queue("team", preemptMinRuntime="10m")]
    said = {"objects": objects, "jobs": jobs, "events": list(events), **more}
    return {"scheduler": "kai", "until": "1h", **said}


def parsed(made: dict[str, Any]) -> KaiScenario:
    """The scenario."""
    return parse_kai_scenario(made, Place("Scenario/s"), "s")


def played(made: dict[str, Any]) -> Record:
    """A play; every expectation in it must hold."""
    record = play(parsed(made), preset("guaranteed"))
    assert [outcome for outcome in record.expectations if not outcome.holds] == []
    return record


def ask(at: str, by: str, *victims: str, **more: Any) -> dict[str, Any]:
    """A question that nothing follows from."""
    return {"at": at, "ask": {"for": by, "victims": list(victims), **more}}


def preempt(at: str, by: str, *victims: str, **more: Any) -> dict[str, Any]:
    """A question after which the victims that may be preempted are."""
    return {"at": at, "preempt": {"for": by, "victims": list(victims), **more}}
