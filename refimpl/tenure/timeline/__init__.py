"""Scenarios over time: one scheduling cycle of Kueue after another, each head decided by the reference."""

from tenure.timeline.engine import play
from tenure.timeline.loading import load_scenario, load_scenarios, parse_scenario
from tenure.timeline.record import Record
from tenure.timeline.scenario import Scenario

__all__ = ["Record", "Scenario", "load_scenario", "load_scenarios", "parse_scenario", "play"]
