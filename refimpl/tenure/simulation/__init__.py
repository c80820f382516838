"""Scenarios over time: Kueue's scheduling cycles, decided by the reference, and KAI-Scheduler's sessions."""

from tenure.simulation.engine import play
from tenure.simulation.kai.scenario import KaiScenario
from tenure.simulation.loading import AnyScenario, load_scenario, load_scenarios, parse_scenario
from tenure.simulation.record import Record
from tenure.simulation.scenario import Scenario

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
