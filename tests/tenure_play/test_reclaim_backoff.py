"""KEP-14468: who configures the back-off, who refuses it, and what a play makes of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tenure.api import Loaded
from tenure.errors import InputError
from tenure.manifests.configuration import read_configuration
from tenure.manifests.premises import NO_COOLDOWN, premises_of, refuse_unstated
from tenure.model import SECOND, Cluster, ClusterQueue, ReclaimBackoff, Settings
from tenure.readings import parse_reading
from tenure.resources import bundled
from tenure.validation.configuration import faults
from tenure_play import load_scenario, play

VERSION = "config.kueue.x-k8s.io/v1beta2"


def configuration(version: str = VERSION, **fields: Any) -> dict[str, Any]:
    return {"apiVersion": version, "reclaimBackoff": fields}


def test_the_back_off_counts_where_it_is_enabled_alone() -> None:
    assert read_configuration(configuration(backoffBaseSeconds=5)).settings == Settings()
    found = read_configuration(configuration(enable=True, backoffBaseSeconds=5)).settings
    assert found.reclaim_backoff == ReclaimBackoff(base=5 * SECOND)


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"backoffBaseSeconds": 0}, "backoffBaseSeconds"),
        ({"backoffBaseSeconds": 7, "backoffMaxSeconds": 6}, "backoffMaxSeconds"),
        ({"backoffBaseSeconds": 600}, "backoffBaseSeconds"),
        ({"backoffResetSeconds": 60}, "backoffResetSeconds"),
    ],
)
def test_values_that_do_not_go_together_are_refused_by_both_readers(
    fields: dict[str, Any], named: str
) -> None:
    """KEP-14468, Kueue Configuration API: whatever `enable` is, against the field that is set."""
    with pytest.raises(InputError, match=rf"reclaimBackoff\.{named}"):
        read_configuration(configuration(**fields))
    assert [fault.field for fault in faults(configuration(**fields))] == [f"reclaimBackoff.{named}"]


def test_the_older_version_has_no_back_off() -> None:
    with pytest.raises(InputError, match="reclaimBackoff"):
        read_configuration(configuration(version="config.kueue.x-k8s.io/v1beta1", enable=True))


def test_answers_say_that_no_object_shows_a_cooldown() -> None:
    alone, shared = ClusterQueue("alone"), ClusterQueue("shared", cohort="all")
    backoff = ReclaimBackoff(60 * SECOND, 3600 * SECOND, 600 * SECOND)
    both = Cluster({"alone": alone, "shared": shared}, settings=Settings(reclaim_backoff=backoff))
    assert premises_of(Loaded(both), ["shared"]) == (NO_COOLDOWN,)
    assert premises_of(Loaded(both), ["alone"]) == ()
    assert premises_of(Loaded(replace(both, settings=Settings())), ["shared"]) == ()


def test_questions_about_every_state_refuse_it() -> None:
    cluster = Cluster({}, settings=Settings(reclaim_backoff=ReclaimBackoff()))
    with pytest.raises(InputError, match=r"reclaimBackoff\.enable"):
        refuse_unstated(Loaded(cluster))


@pytest.mark.parametrize(("choice", "holds"), [("replaced", True), ("latest", False)])
def test_a_reclaim_shortens_a_cooldown_unless_the_later_end_counts(choice: str, holds: bool) -> None:
    name = "rbo-a-reclaim-shortens-a-cooldown"
    story = load_scenario(bundled("spec", "vectors", "scenarios", f"{name}.yaml"))
    assert play(story, parse_reading({"backoff_deadline": choice})).holds == holds
