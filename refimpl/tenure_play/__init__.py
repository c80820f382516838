"""Scenarios over time: Kueue's scheduling cycles, decided by the reference, and KAI-Scheduler's sessions.

Read scenarios from files or mappings (`load_scenarios`, `parse_scenario`), simulate one under a reading
(`play`), and read from its `Record` who ran when and who was preempted.

>>> from tenure.readings import preset
>>> from tenure.resources import bundled
>>> (scenario,) = load_scenarios([str(bundled("spec", "vectors", "scenarios", "tbp-it-2-rotation.yaml"))])
>>> len(play(scenario, preset("guaranteed")).preemptions)
11
"""

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
