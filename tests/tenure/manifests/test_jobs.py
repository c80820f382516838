"""A manifest of a job is taken as the Workload that Kueue makes of it."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from itertools import cycle
from typing import Any

import pytest

from tenure.errors import InputError
from tenure.manifests.files import SourcedObject, read_objects
from tenure.manifests.load import Loaded, build
from tenure.model import Workload
from tests.integrations import CLUSTER, SAMPLES, recorded
from tests.tenure.manifests.test_integrations import QUEUES, REFUSED

RECORDED = recorded()
CONFIGURATION = {
    "apiVersion": "config.kueue.x-k8s.io/v1beta2",
    "kind": "Configuration",
    "featureGates": {"SparkApplicationIntegration": True},
    "integrations": {"frameworks": ["sparkoperator.k8s.io/sparkapplication"]},
}


def objects_of(name: str) -> list[dict[str, Any]]:
    return [sourced.object for sourced in read_objects([CLUSTER, SAMPLES / f"{name}.yaml"])]


def loaded(*objects: dict[str, Any], strict: bool = False) -> Loaded:
    return build([SourcedObject("", raw) for raw in (*QUEUES, *objects)], strict=strict)


def deciding(workload: Workload) -> Workload:
    """Without what no API server has given yet, and without the hash by which Kueue names roles."""
    pod_sets = workload.pod_sets
    if workload.name == "group":
        pod_sets = tuple(sorted((replace(pods, name="") for pods in pod_sets), key=repr))
    return replace(workload, name="", uid="", job_uid="", created_at=0, pod_sets=pod_sets)


def submitted(name: str) -> Loaded:
    more = [CONFIGURATION] if name == "sparkapplication" else []
    return loaded(*objects_of(name), *more)


@pytest.mark.parametrize("name", sorted(RECORDED.keys() - REFUSED))
def test_every_sample_becomes_what_kueue_makes_of_it(name: str) -> None:
    ours, kueues = submitted(name), loaded(*objects_of(name)[:3], *RECORDED[name])
    assert (ours.set_aside, ours.warnings, ours.ignored) == ({}, (), ())
    assert sorted(map(deciding, ours.cluster.pending), key=repr) == sorted(
        map(deciding, kueues.cluster.pending), key=repr
    )


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_a_sample_needs_and_is_not_modelled_is_named_as_in_its_workload(name: str) -> None:
    ours, kueues = submitted(name).set_aside, loaded(*RECORDED[name]).set_aside
    (found,), (expected,) = ours.values(), kueues.values()
    assert [problem.expected for problem in found] == [problem.expected for problem in expected]


# The Workloads of a Deployment belong to its pods.
@pytest.mark.parametrize("name", sorted(RECORDED.keys() - REFUSED - {"deployment"}))
def test_a_job_whose_workload_is_given_is_not_counted_twice(name: str) -> None:
    more = [CONFIGURATION] if name == "sparkapplication" else []
    found = loaded(*objects_of(name), *more, *RECORDED[name])
    assert len(found.cluster.pending) == len(RECORDED[name])
    assert all(" its Workload ml/" in text for text in found.ignored)


def job(**changes: Any) -> dict[str, Any]:
    """The plain Job of the samples, with other top-level fields."""
    return {**objects_of("job")[-1], **changes}


def metadata(**changes: Any) -> dict[str, Any]:
    return {"metadata": {**job()["metadata"], **changes}}


STORED = {"uid": "u-1", "creationTimestamp": "2026-03-02T09:00:00Z"}
POD = objects_of("pod")[-1]
CLASSES = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "usual"}}
NO_QUEUE = "has no label kueue.x-k8s.io/queue-name: Kueue leaves it alone"


class TestWhoHasNoWorkloadToCome:
    @pytest.mark.parametrize(
        ("raw", "why"),
        [
            (job(status={"conditions": [{"type": "Complete", "status": "True"}]}), "has finished"),
            (job(**metadata(labels={})), NO_QUEUE),
            (
                job(**metadata(annotations={"kueue.x-k8s.io/prebuilt-workload-name": "one"})),
                "its Workload is one that was made before: one",
            ),
            (
                job(
                    **metadata(
                        ownerReferences=[
                            {
                                "apiVersion": "jobset.x-k8s.io/v1alpha2",
                                "kind": "JobSet",
                                "name": "set",
                                "controller": True,
                            }
                        ]
                    )
                ),
                "belongs to JobSet/set, of which Kueue makes the Workload",
            ),
        ],
    )
    def test_the_reason_is_said_of_a_job_that_is_yet_to_be_created(
        self, raw: dict[str, Any], why: str
    ) -> None:
        found = loaded(raw)
        assert (found.cluster.pending, found.warnings) == ((), (f"Job/ml/train: {why}",))

    def test_what_an_api_server_has_stored_is_passed_over_in_silence(self) -> None:
        found = loaded(job(**metadata(labels={}, **STORED)))
        assert (found.cluster.pending, found.warnings) == ((), ())
        assert found.ignored == (f"Job/ml/train: {NO_QUEUE}",)

    def test_a_job_of_which_a_dump_keeps_the_metadata_alone_is_no_submission(self) -> None:
        kept = {"apiVersion": "batch/v1", "kind": "Job", **metadata(labels={}, **STORED)}
        every = {**CONFIGURATION, "manageJobsWithoutQueueName": True, "integrations": {}}
        found = loaded(kept, every, strict=True)
        assert (found.cluster.pending, found.set_aside, found.warnings) == ((), {}, ())
        assert found.ignored == ("Job/ml/train: only its metadata is given",)

    def test_a_manifest_of_a_job_whose_workload_is_there_is_no_submission(self) -> None:
        (workload,) = RECORDED["job"]
        found = loaded(job(), workload)
        assert [each.name for each in found.cluster.pending] == [workload["metadata"]["name"]]
        its = f"its Workload ml/{workload['metadata']['name']} is given"
        assert found.warnings == (f"Job/ml/train: {its}",)

    def test_a_name_that_is_generated_is_another_one(self) -> None:
        names = {**job()["metadata"], "generateName": "train-"}
        del names["name"]
        found = loaded(job(metadata=names), *RECORDED["job"])
        assert len(found.cluster.pending) == 2

    def test_a_configuration_says_which_kinds_kueue_takes(self) -> None:
        (warning,) = loaded(job(), CONFIGURATION).warnings
        assert warning.endswith("integrations.frameworks of the Configuration does not have batch/job")

    def test_pods_without_queue_are_not_kept(self) -> None:
        found = loaded({**POD, "metadata": {"name": "other", "namespace": "ml"}})
        assert found.ignored == ("Pod/ml/other: not a kind that is read",)

    def test_a_group_waits_for_all_its_pods(self) -> None:
        (problems,) = loaded(*objects_of("pod-group")[:-1]).set_aside.values()
        assert problems[0].expected == "that many pods of group group: 2 are given"


class TestWhatACreatedJobGets:
    def test_jobs_without_queue_where_the_configuration_takes_them_all(self) -> None:
        every = {**CONFIGURATION, "manageJobsWithoutQueueName": True, "integrations": {}}
        (found,) = loaded(job(**metadata(labels={})), every).cluster.pending
        assert found.queue_name == ""

    def test_the_default_queue_of_its_name_space(self) -> None:
        default = {**QUEUES[2], "metadata": {"namespace": "ml", "name": "default"}}
        (found,) = loaded(job(**metadata(labels={})), default).cluster.pending
        assert found.queue_name == "default"

    def test_it_is_created_at_the_moment_that_is_asked_about(self) -> None:
        found = loaded(job(), *RECORDED["pod"])
        undated = next(waits for waits in found.cluster.pending if waits.name == "job-train")
        assert undated.created_at == max(waits.created_at for waits in found.cluster.pending)
        at = found.submitted_at(10**18).cluster.pending
        assert [waits.created_at == 10**18 for waits in at] == [waits.name == "job-train" for waits in at]

    def test_its_own_creation_where_it_has_one(self) -> None:
        found = loaded(job(**metadata(**STORED)))
        (waits,) = found.cluster.pending
        assert (waits.job_uid, waits.created_at) == ("u-1", 1772442000 * 10**9)
        assert found.submitted == frozenset()

    def test_the_name_space_default_where_it_names_none(self) -> None:
        (waits,) = loaded(job(metadata={**job()["metadata"], "namespace": None})).cluster.pending
        assert waits.namespace == "default"

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ([{**CLASSES, "value": 7, "globalDefault": True}], 7),
            ([{**CLASSES, "value": 7}], 0),
        ],
    )
    def test_the_default_priority(self, given: list[dict[str, Any]], expected: int) -> None:
        found = loaded(job(), *given)
        assert (found.cluster.pending[0].priority, found.warnings) == (expected, ())

    def test_a_priority_that_nothing_shows_is_said_to_be_assumed(self) -> None:
        (warning,) = loaded(job(), {**job(), **metadata(name="more")}).warnings
        assert warning.endswith("its priority is counted as 0 (and 1 more jobs alike)")

    def test_a_class_that_is_not_given_leaves_the_job_undecided(self) -> None:
        found = loaded(*objects_of("job-indexed")[3:])
        assert found.cluster.pending == ()
        ((name, problems),) = found.set_aside.items()
        assert (name, problems[0].found) == ("Workload/ml/job-evaluate", "'urgent'")
        assert problems[0].code == "not-modelled"

    def test_defaults_of_limit_ranges_are_said_not_to_be_counted(self) -> None:
        limits = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "usual", "namespace": "ml"}}
        of_pods = {**limits, "spec": {"limits": [{"type": "Container", "default": {"cpu": "1"}}]}}
        (warning,) = loaded(of_pods).warnings
        assert warning.startswith("LimitRange/ml/usual: is not counted: Kueue adds its defaults")
        of_claims = {**limits, "spec": {"limits": [{"type": "PersistentVolumeClaim"}]}}
        assert loaded(of_claims).warnings == ()

    def test_problems_are_those_of_the_job(self) -> None:
        wrong = job()
        wrong["spec"] = {**wrong["spec"], "completions": -1, "template": {"spec": {"containers": {}}}}
        assert [str(problem) for problem in loaded(wrong).set_aside["Workload/ml/job-train"]] == [
            "Job/ml/train: spec.completions: found -1, expected an integer from 0 to 2147483647",
            "Job/ml/train: spec.template.spec.containers: found {}, expected a list",
        ]

    def test_the_least_parallelism_is_below_the_parallelism(self) -> None:
        wrong = job(**metadata(annotations={"kueue.x-k8s.io/job-min-parallelism": "4"}))
        (problems,) = loaded(wrong).set_aside.values()
        assert problems[0].expected == "text of an integer from 1 to 3"

    def test_a_deployment_of_too_many_pods(self) -> None:
        many = objects_of("deployment")[-1]
        many["spec"]["replicas"] = 2 * 10**9
        (problems,) = loaded(*objects_of("deployment")[:-1], many).set_aside.values()
        assert problems[0].expected == "at most 10000 replicas, each of which is a Workload"

    def test_a_training_runtime_that_is_not_given_is_named(self) -> None:
        (problems,) = loaded(objects_of("trainjob")[-1]).set_aside.values()
        assert problems[0].field == "spec.runtimeRef.name"
        assert problems[0].code == "not-modelled"


def broken(raw: Any, wrong: Iterator[Any]) -> Iterator[Any]:
    """The object with each of its parts in turn replaced by what does not belong there, or left out."""
    for key, inner in raw.items() if isinstance(raw, dict) else enumerate(raw):
        yield _with(raw, key, next(wrong))
        if isinstance(raw, dict):
            yield {name: value for name, value in raw.items() if name != key}
        if isinstance(inner, dict | list):
            yield from (_with(raw, key, changed) for changed in broken(inner, wrong))


def _with(raw: Any, key: Any, value: Any) -> Any:
    copied = copy(raw)
    copied[key] = value
    return copied


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_no_broken_job_ends_in_anything_but_problems(name: str) -> None:
    *others, last = objects_of(name)
    wrong = cycle(("x", -1, [], {}, None, ["y"], {"z": "\n"}, True, 2**40))
    for raw in broken(last, wrong):
        try:
            found = loaded(*others, raw)
        except InputError:
            continue
        assert all(waits.pod_sets for waits in found.cluster.pending)
