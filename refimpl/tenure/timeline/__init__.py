"""Scenarios over time: Kueue's scheduling cycles, decided by the reference, and KAI-Scheduler's sessions."""

from tenure.timeline.engine import play
from tenure.timeline.kai.scenario import KaiScenario
from tenure.timeline.loading import AnyScenario, load_scenario, load_scenarios, parse_scenario
from tenure.timeline.record import Record
from tenure.timeline.scenario import Scenario

__all__ = [
    "AnyScenario",
    "KaiScenario",
    "Record",
    "Scenario",
    "load_scenario",
    "load_scenarios",
    "parse_scenario",
    "play",
]
