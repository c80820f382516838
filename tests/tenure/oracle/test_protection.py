"""KEP-9876: whom other ClusterQueues leave alone, why, and who does not follow it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tenure.api import Loaded
from tenure.choices import Outcome
from tenure.conformance.requests import read_decide_request
from tenure.errors import InputError
from tenure.explanation.obstacles import obstacles
from tenure.manifests.configuration import read_configuration
from tenure.manifests.premises import refuse_unstated
from tenure.model import MINUTE, Basis, Cluster, Settings
from tenure.oracle.decide import decide
from tenure.rules.protection import is_protected_from_others
from tenure_lab.generators.scenarios import draw_for_core
from tests.published import published_vectors

VERSION = "config.kueue.x-k8s.io/v1beta2"


def configured(gate: bool, **durations: str) -> Settings:
    protection = {rule: {"minAdmitDuration": duration} for rule, duration in durations.items()}
    gates = {"PreemptionProtection": gate}
    return read_configuration(
        {"apiVersion": VERSION, "featureGates": gates, "preemptionProtection": protection}
    ).settings


def test_durations_count_with_their_gate_alone() -> None:
    durations = {"fairSharing": "1h", "reclaimWithinCohort": "10m"}
    assert configured(False, **durations) == Settings()
    found = configured(True, **durations)
    assert (found.fair_sharing_protection, found.reclaim_protection) == (60 * MINUTE, 10 * MINUTE)


def test_a_duration_of_zero_is_refused_whatever_the_gate() -> None:
    with pytest.raises(InputError, match=r"preemptionProtection\.reclaimWithinCohort\.minAdmitDuration"):
        configured(False, reclaimWithinCohort="0s")


def test_questions_about_every_state_refuse_a_protection() -> None:
    cluster = Cluster({}, settings=Settings(reclaim_protection=MINUTE))
    with pytest.raises(InputError, match="PreemptionProtection off"):
        refuse_unstated(Loaded(cluster))


@pytest.mark.parametrize("duration", [1, 30 * MINUTE, 10**6 * MINUTE])
def test_no_protected_workload_of_another_queue_is_preempted(duration: int) -> None:
    """Over random clusters."""
    fewer = 0
    for index in range(60):
        request = draw_for_core(9876, index)
        admitted = tuple(replace(found, admission_delay=0) for found in request.cluster.admitted)
        settings = replace(
            request.cluster.settings, fair_sharing_protection=duration, reclaim_protection=duration
        )
        plain = replace(request.cluster, admitted=admitted, growing={})
        protecting = replace(plain, settings=settings)
        arguments = request.preemptor, request.queue, request.now, request.reading
        before, after = decide(plain, *arguments), decide(protecting, *arguments)
        assert not any(
            is_protected_from_others(target.workload, request.now, duration)
            for target in after.targets
            if target.workload.cluster_queue != request.queue and target.evidence.basis != Basis.HERO
        )
        fewer += (before.outcome, after.outcome) == (Outcome.PREEMPT, Outcome.NO_CANDIDATES)
    assert duration == 1 or fewer


@pytest.mark.parametrize(
    ("vector", "policy"),
    [
        ("PPR-010/rebalancing-waits-for-the-duration-of-fair-sharing", "fairSharing"),
        ("PPR-020/admission-checks-came-between", "reclaimWithinCohort"),
    ],
)
def test_of_two_equal_durations_the_one_that_counts_is_named(vector: str, policy: str) -> None:
    (found,) = (published for published in published_vectors() if published.id == vector)
    request = read_decide_request(found.request()["input"])
    settings = request.cluster.settings
    duration = (
        settings.reclaim_protection if policy == "reclaimWithinCohort" else settings.fair_sharing_protection
    )
    both = replace(settings, fair_sharing_protection=duration, reclaim_protection=duration)
    cluster = replace(request.cluster, settings=both)
    decision = decide(cluster, request.preemptor, request.queue, request.now, request.reading)
    named = [obstacle.field for obstacle in obstacles(decision) if "Protection" in obstacle.field]
    assert named == [f"preemptionProtection.{policy}.minAdmitDuration"]
