"""Search configurations with reported loops, and print the results: `python -m tests.tenure_check.loops`."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from tenure.manifests import SourcedObject
from tenure.readings import default_preset, preset
from tenure.units import format_duration
from tenure_check.analysis.closed_systems import trees_of
from tenure_check.analysis.loop_answer import ResourceSearch
from tenure_check.analysis.loops import LoopHunt, LoopRequest
from tenure_play import Scenario, load_scenario

SCENARIOS = Path(__file__).resolve().parents[3] / "spec" / "vectors" / "scenarios"
REPORTED = (
    "kueue-2821-older-returns-first",
    "kueue-3779-best-effort",
    "kueue-6774-two-weights-of-zero",
    "kueue-13662-victims-leave-apart",
    "kueue-13662-half-a-second-apart",
    "kueue-14543-fill-back",
    "kueue-14543-initial-share",
    "kueue-14543-final-share",
    "kueue-14543-own-queue-never",
)


def told(name: str, up_to: int) -> str:
    """What the search says of the configuration of a scenario, and the processor time that it took."""
    scenario = load_scenario(SCENARIOS / f"{name}.yaml")
    assert isinstance(scenario, Scenario)
    reading = preset(default_preset())
    objects = [SourcedObject("", {**API, **manifest}) for manifest in scenario.objects]
    began = time.process_time()
    answer = LoopHunt(trees_of(objects, reading)[0], LoopRequest(up_to), reading, {}).run()
    took = time.process_time() - began
    (search,) = (search for tree in answer.trees for search in tree.searches)
    return f"{name}: {_found(search)}; {search.systems} systems, {search.plays} plays, {took:.1f} s"


API = {"apiVersion": "kueue.x-k8s.io/v1beta2"}
"""Of objects whose scenario leaves it out."""


def _found(search: ResourceSearch) -> str:
    if search.loop is None:
        return f"none up to {search.complete_up_to} workloads"
    needed = ", ".join(f"{fact.object} {fact.field}" for fact in search.loop.needed if fact.is_policy)
    workloads = len(search.loop.workloads)
    return f"{workloads} workloads, every {format_duration(search.loop.period)}, needs {needed}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser("python -m tests.tenure_check.loops", description=__doc__)
    parser.add_argument("names", nargs="*", default=REPORTED, help="scenarios; all of the reported ones")
    parser.add_argument("--up-to", type=int, default=3, help="the most workloads of a system")
    given = parser.parse_args()
    for reported in given.names:
        print(told(reported, given.up_to), flush=True)
