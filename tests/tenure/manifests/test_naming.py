"""Workloads by the names that people have for them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from tenure import decide
from tenure.errors import InputError
from tenure.manifests import Loaded, SourcedObject, build
from tenure.manifests.naming import (
    Home,
    WorkloadState,
    pending_key,
    running_key,
    workload_key,
    workload_states,
)
from tests.objects import Object, a_queue, admitted, an_object, condition, pending

OWNED = "job-detr-5ad32"


def named(made: Object, key: str, *owners: tuple[str, str], **spec: Any) -> Object:
    namespace, _, name = key.partition("/")
    references = [{"apiVersion": "batch/v1", "kind": kind, "name": owner} for kind, owner in owners]
    metadata = {**made["metadata"], "namespace": namespace, "name": name}
    if owners:
        metadata["ownerReferences"] = references
    return {**made, "metadata": metadata, "spec": {**made["spec"], **spec}}


def cluster(*workloads: Object) -> Loaded:
    locals_ = [an_object("LocalQueue", "q", {"clusterQueue": "team-a"}, space) for space in ("nlp", "vision")]
    return build([SourcedObject("", found) for found in (a_queue(), *locals_, *workloads)])


def ended(key: str, *owners: tuple[str, str]) -> Object:
    made = named(pending(), key, *owners)
    finished = {**condition("Finished", "Succeeded"), "message": "Job finished successfully"}
    return {**made, "status": {"conditions": [finished]}}


waiting, running = partial(named, pending(queueName="q")), partial(named, admitted())


def refused(loaded: Loaded, word: str, *wanted: WorkloadState, home: Home | None = None) -> str:
    with pytest.raises(InputError) as raised:
        workload_key(replace(loaded, home=home or Home()), word, wanted or (WorkloadState.PENDING,))
    return str(raised.value)


@pytest.mark.parametrize(
    "word",
    [
        f"vision/{OWNED}",
        OWNED,
        "job-detr",
        "vision/job-detr",
        "detr",
        "vision/detr",
        "job/detr",
        "Jobs/detr",
        "job.batch/detr",
        "jobs.batch/detr",
        "vision/job/detr",
        f"workload/{OWNED}",
        f"wl/{OWNED}",
        f"vision/workloads/{OWNED}",
    ],
)
@pytest.mark.parametrize("owners", [(), (("Job", "detr"),)], ids=["generated", "owned"])
def test_a_workload_has_its_own_name_and_that_of_its_job(word: str, owners: tuple[tuple[str, str]]) -> None:
    loaded = cluster(waiting(f"vision/{OWNED}", *owners), waiting("vision/job-other-00000"))
    assert pending_key(loaded, word) == f"vision/{OWNED}"
    assert decide(loaded, word, now=0).preemptor.key == f"vision/{OWNED}"


@pytest.mark.parametrize(
    "word", ["det", "tr", "job", "5ad32", "pod/detr", "nlp/detr", "a/b/c/d", "", "vision/"]
)
def test_no_other_word_means_it(word: str) -> None:
    assert not workload_states(cluster(waiting(f"vision/{OWNED}", ("Job", "detr"))), word)


def test_owners_count_and_not_what_the_name_looks_like() -> None:
    loaded = cluster(waiting("vision/job-a-b-5ad32", ("RayJob", "real"), ("Pod", "second")))
    assert {pending_key(loaded, word) for word in ("real", "rayjob/real", "second", "pods/second")} == {
        "vision/job-a-b-5ad32"
    }
    assert not workload_states(loaded, "a-b")


def test_several_of_one_name_are_all_named() -> None:
    loaded = cluster(*(waiting(f"{space}/job-train-0000a") for space in ("vision", "nlp")))
    assert "one of 2 that are called so: nlp/job-train-0000a, vision/job-train-0000a" in refused(
        loaded, "train"
    )
    assert pending_key(replace(loaded, home=Home("nlp")), "train") == "nlp/job-train-0000a"


def test_a_full_name_means_its_workload_whatever_else_is_called_so() -> None:
    loaded = cluster(
        waiting("nlp/train"), waiting("vision/job-train-0000a"), waiting("vision/nlp-train-0000a")
    )
    assert pending_key(loaded, "nlp/train") == "nlp/train"
    assert "one of 3 that are called so: nlp/train, vision/job-train-0000a" in refused(loaded, "train")


def test_of_one_name_that_is_taken_which_can_be() -> None:
    loaded = cluster(
        waiting("nlp/job-train-0000a"), running("vision/job-train-0000b"), ended("nlp/job-train-0000c")
    )
    assert pending_key(loaded, "train") == "nlp/job-train-0000a"
    assert running_key(loaded, "train") == "vision/job-train-0000b"
    assert workload_states(loaded, "train") == set(WorkloadState)
    assert "called so" in refused(loaded, "train", WorkloadState.PENDING, WorkloadState.RUNNING)


def test_what_cannot_be_asked_about_is_called_what_it_is() -> None:
    loaded = cluster(
        waiting("nlp/job-waits-0000a"),
        running("nlp/job-runs-0000a"),
        ended("nlp/job-old-0000a"),
        waiting("nlp/job-off-0000a", active=False),
    )
    assert refused(loaded, "old").endswith(
        "expected a pending workload; nlp/job-old-0000a finished at 2026-01-01T01:00:00Z: "
        "Job finished successfully; it neither holds quota nor waits for it"
    )
    assert "nlp/job-off-0000a is inactive: spec.active is false" in refused(
        loaded, "off", WorkloadState.RUNNING
    )
    assert "nlp/job-runs-0000a holds quota: `why nlp/job-runs-0000a` shows" in refused(loaded, "runs")
    assert "nlp/job-waits-0000a is pending: `why-not" in refused(loaded, "waits", WorkloadState.RUNNING)


def test_a_workload_that_is_set_aside_is_found() -> None:
    loaded = cluster(waiting("nlp/job-odd-0000a", ("Job", "odd"), fancy=1))
    assert pending_key(loaded, "odd") == "nlp/job-odd-0000a"
    with pytest.raises(InputError, match=r"spec\.fancy"):
        decide(loaded, "odd", now=0)


def test_a_namespace_may_be_the_first_place_or_the_only_one() -> None:
    loaded = cluster(waiting("nlp/job-a-0000a"), waiting("vision/job-b-0000a"))
    assert pending_key(replace(loaded, home=Home("vision")), "a") == "nlp/job-a-0000a"
    assert pending_key(replace(loaded, home=Home("vision", only=True)), "nlp/a") == "nlp/job-a-0000a"
    words = refused(loaded, "a", home=Home("vision", only=True))
    assert "one of 1 pending workloads in namespace vision: vision/job-b-0000a" in words


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("dert", f"vision/{OWNED}"),
        ("det", f"vision/{OWNED}"),
        ("jb/detr", f"vision/{OWNED}"),
        ("vison/detr", f"vision/{OWNED}"),
        ("job-detr-5ad23", f"vision/{OWNED}"),
    ],
)
def test_a_name_that_is_misspelt_is_answered_with_what_was_meant(word: str, meant: str) -> None:
    loaded = cluster(waiting(f"vision/{OWNED}", ("Job", "detr")), waiting("nlp/job-other-0000a"))
    assert refused(loaded, word).endswith(f"; did you mean {meant}?")
    assert "did you mean" not in refused(loaded, "nothing-like-it")


def test_of_ten_thousand_names_a_few_are_listed() -> None:
    loaded = cluster(*(waiting(f"nlp/job-w{number}-0000a") for number in range(10_000)))
    words = refused(loaded, "w12x45")
    assert "one of 10000 pending workloads: nlp/job-w0-0000a" in words
    assert len(words) < 1000
    assert refused(loaded, "w12345x").count("; did you mean nlp/job-w2345-0000a or ") == 1
