"""Scenarios over time: Kueue's scheduling cycles, decided by the reference, and KAI-Scheduler's sessions."""

from tenure_play.engine import play
from tenure_play.kai.scenario import KaiScenario
from tenure_play.loading import AnyScenario, load_scenario, load_scenarios, parse_scenario
from tenure_play.record import Record
from tenure_play.scenario import Scenario

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
