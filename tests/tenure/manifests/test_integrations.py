"""Every Workload that Kueue's integrations make is read; what decides and is not modelled is named."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.api import decide_all
from tenure.manifests.files import SourcedObject
from tenure.manifests.load import Loaded, build
from tests.integrations import SAMPLES, recorded
from tests.objects import Object, a_local_queue, a_queue, an_object

RECORDED = recorded()
RESOURCES = ("cpu", "memory", "nvidia.com/gpu")
QUOTAS = [{"name": name, "nominalQuota": "1Ti"} for name in RESOURCES]
GROUP = {"coveredResources": list(RESOURCES), "flavors": [{"name": "any", "resources": QUOTAS}]}
QUEUES: list[Object] = [
    an_object("ResourceFlavor", "any"),
    a_queue("all", GROUP, namespaceSelector={}),
    a_local_queue("research", "ml", "all"),
]
REFUSED = {
    "job-gated": "metadata.annotations[kueue.x-k8s.io/admission-gated-by]",
    "job-resource-claims": "spec.podSets[0].template.spec.containers[0].resources.claims",
}
"""The samples that need what is not modelled, and the field that is named."""


def loaded(*objects: dict[str, Any]) -> Loaded:
    return build([SourcedObject("", raw) for raw in (*QUEUES, *objects)])


def test_every_sample_is_recorded() -> None:
    assert sorted(RECORDED) == sorted(path.stem for path in SAMPLES.glob("*.yaml"))
    assert all(RECORDED.values())


@pytest.mark.parametrize("name", sorted(RECORDED.keys() - REFUSED))
def test_what_does_not_decide_refuses_nothing(name: str) -> None:
    found = loaded(*RECORDED[name])
    assert (found.warnings, found.ignored, found.set_aside) == ((), (), {})
    decided = list(decide_all(found, now="2026-03-02T10:00:00Z"))
    # The flavor has no topology, so that it does not serve whoever requires one.
    outcome = "NoFit" if name == "job-topology" else "Fit"
    assert [str(row.decision and row.decision.outcome) for row in decided] == [outcome] * len(RECORDED[name])


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_decides_and_is_not_modelled_is_named(name: str) -> None:
    found = loaded(*RECORDED[name])
    (problems,) = found.set_aside.values()
    assert problems[0].field == REFUSED[name]
    assert {problem.code for problem in problems} == {"not-modelled"}
