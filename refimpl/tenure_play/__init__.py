"""Scenarios over time: Kueue's scheduling cycles, decided by the reference, and KAI-Scheduler's sessions.

Read scenarios from files or mappings (`load_scenarios`, `parse_scenario`), simulate one under a reading
(`play`), and read from its `Record` who ran when and who was preempted. Each is imported when first used.

>>> from tenure_play import load_scenarios, play
>>> from tenure.readings import preset
>>> from tenure.resources import bundled
>>> (scenario,) = load_scenarios([str(bundled("spec", "vectors", "scenarios", "tbp-it-2-rotation.yaml"))])
>>> len(play(scenario, preset("guaranteed")).preemptions)
11
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
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

_PLACES = {
    "tenure_play.engine": ("play",),
    "tenure_play.kai.scenario": ("KaiScenario",),
    "tenure_play.loading": ("AnyScenario", "load_scenario", "load_scenarios", "parse_scenario"),
    "tenure_play.record": ("Record",),
    "tenure_play.scenario": ("Scenario",),
}

# For a type checker a name that is not listed is no name.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        from tenure.registration import late

        return late(__name__, _PLACES, name)
