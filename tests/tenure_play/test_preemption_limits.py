"""PreemptionLimits in plays: what counts where two workloads preempt each other for ever."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.model import MINUTE
from tenure.readings import parse_reading
from tenure.resources import bundled
from tenure_play import play
from tenure_play.loading import parse_scenario
from tools import libyaml

LOOP = bundled("spec", "vectors", "scenarios", "pcf-story-3-6-base-and-boosted.yaml")


def the_loop_within(spec: dict[str, Any]) -> Any:
    raw = libyaml.load(LOOP.read_text(encoding="utf-8"))
    header = {
        "apiVersion": "kueue.x-k8s.io/v1alpha1",
        "kind": "PreemptionLimit",
        "metadata": {"name": "calm"},
    }
    limit = {**header, "spec": {"limitWindowDuration": "2m", **spec}}
    return parse_scenario({**raw, "objects": [*raw["objects"], limit], "expect": []})


@pytest.mark.parametrize("choice", ["whole", "each"])
@pytest.mark.parametrize("scope", ["PreemptedWorkload", "PreemptedClusterQueue", "Global"])
@pytest.mark.parametrize("most", [0, 1, 2])
def test_a_loop_goes_on_as_often_as_the_limit_allows(scope: str, most: int, choice: str) -> None:
    """One ClusterQueue has one head in a cycle, so every scope holds."""
    found = play(
        the_loop_within({"scope": scope, "limit": most}),
        parse_reading({"preset": "guaranteed", "limit_search": choice}),
    )
    made = [(one.at, one.victim if scope == "PreemptedWorkload" else "") for one in found.preemptions]
    for at, counted in made:
        within = [other for other in made if other[1] == counted and at - 2 * MINUTE < other[0] <= at]
        assert len(within) <= most
    assert bool(made) == bool(most)
    assert (found.loop is not None) == (most > 0)
