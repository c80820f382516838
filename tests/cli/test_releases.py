"""`--kueue`: what a release of Kueue does with fields that only proposals have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tenure.cli.bundled import schema
from tenure.edits import refuse_additions
from tenure.explanation.counterfactuals.queue_fields import MinAdmitDuration, Rules
from tenure.manifests.releases import ADDITIONS, KNOWN_RELEASES
from tests.command_line import tenure
from tools import libyaml

NOW = ("--now", "2026-03-02T14:00:00Z")
TWO = ("--example", "two-teams", *NOW)
JOB = ("-w", "team-a/job-doc-index-dfa0b")
QUEUE = "clusterqueue/gpu-cluster-queue.spec.preemption"
CONFIG = "spec.preemption.withinClusterQueueConfig"
BETA = "kueue.x-k8s.io/v1beta2"
WITHOUT = ("--unset", f"{QUEUE}.withinClusterQueueConfig")


def said(name: str, *words: str, code: int = 0) -> Any:
    """The answer as JSON, which its schema accepts."""
    done = tenure(*words, "-o", "json")
    assert done.returncode == code, done.stderr.decode()
    answer = json.loads(done.stdout)
    Draft202012Validator(schema(name)).validate(answer)
    return answer


def written(folder: Path, *objects: dict[str, Any]) -> str:
    file = folder / "objects.yaml"
    file.write_text(libyaml.dump_all(objects), encoding="utf-8")
    return str(file)


def deployment(image: str) -> dict[str, Any]:
    spec = {"template": {"spec": {"containers": [{"name": "manager", "image": image}]}}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "kueue-controller-manager"},
        "spec": spec,
    }


def test_a_release_decides_as_if_the_field_were_not_there() -> None:
    released = said("decide", "decide", *TWO, *JOB, "--kueue", "0.19")
    bare = said("decide", "decide", *TWO, *JOB, *WITHOUT)
    proposed = said("decide", "decide", *TWO, *JOB)
    assert released["kueue"] == "0.19"
    assert bare["kueue"] == "0.19+proposals"
    (warning,) = released["warnings"]
    assert warning == (
        f"{CONFIG} is a field that Kueue 0.19 does not have (KEP-8522), and is not looked at: "
        "ClusterQueue/gpu-cluster-queue"
    )
    for answer in (released, bare):
        del answer["kueue"], answer["warnings"]
    assert released == bare
    assert (proposed["decision"], released["decision"]) == ("Preempt", "NoCandidates")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("pending", ("decide", "--all-pending")),
        ("decide", ("decide", "-v", *JOB)),
        ("why", ("why", "team-a/job-notebook-export-9440c")),
        ("why-not", ("why-not", JOB[1])),
        ("accessible", ("show",)),
        ("diff", ("diff", "--set", f"{QUEUE}.reclaimWithinCohort=Any")),
        ("next", ("next",)),
    ],
)
def test_every_answer_says_which_release_it_is_about(name: str, words: tuple[str, ...]) -> None:
    answer = said(name, *words, *TWO, "--kueue", "v0.19.2")
    assert answer["kueue"] == "0.19"
    assert any(CONFIG in warning for warning in answer["warnings"])
    text = tenure(*words, *TWO, "--kueue", "0.19").stdout.decode()
    assert "about Kueue 0.19, without what is only proposed" in text


def test_a_play_is_that_of_the_release_also_after_an_event_that_sets_the_field(tmp_path: Path) -> None:
    preemption = {
        "withinClusterQueue": "LowerOrNewerEqualPriority",
        "withinClusterQueueConfig": {"minAdmitDuration": "1m"},
    }
    quota = {"name": "cpu", "nominalQuota": 1}
    groups = [{"coveredResources": ["cpu"], "flavors": [{"name": "a", "resources": [quota]}]}]
    objects = [
        {"kind": "ResourceFlavor", "metadata": {"name": "a"}},
        {"kind": "ClusterQueue", "metadata": {"name": "q"}, "spec": {"resourceGroups": groups}},
    ]
    edit = {"kind": "ClusterQueue", "metadata": {"name": "q"}, "spec": {"preemption": preemption}}
    events = [
        {"at": "0s", "edit": edit},
        {"at": "1s", "submit": {"name": "one", "requests": {"cpu": 1}}},
        {"at": "2s", "submit": {"name": "two", "requests": {"cpu": 1}}},
    ]
    scenario = {"until": "1h", "objects": objects, "events": events}
    file = written(tmp_path, scenario)
    (proposed,) = said("simulate", "simulate", file)["simulations"]
    (released,) = said("simulate", "simulate", file, "--kueue", "0.19")["simulations"]
    assert (proposed["kueue"], released["kueue"]) == ("0.19+proposals", "0.19")
    assert proposed["preemptions"]
    assert released["preemptions"] == []


def test_expectations_are_checked_with_the_release(tmp_path: Path) -> None:
    copied = tmp_path / "cluster"
    assert tenure("example", "two-teams", "--to", str(copied)).returncode == 0
    expected = {
        "manifests": ["cluster"],
        "now": NOW[1],
        "validate": "clean",
        "expect": [{"workload": JOB[1], "decision": "NoCandidates"}],
    }
    file = tmp_path / "a.tenure.yaml"
    file.write_text(libyaml.dump(expected), encoding="utf-8")
    statuses = [
        [entry["status"] for entry in said("test", "test", str(file), *words, code=1)["expectations"]]
        for words in ((), ("--kueue", "0.19"))
    ]
    assert statuses == [["holds", "fails"], ["fails", "holds"]]
    assert said("test", "test", str(file), *WITHOUT)["holds"]


def test_flips_name_no_field_that_the_release_lacks_and_say_it_otherwise() -> None:
    words = ("why-not", "team-a/job-long-context-8a5dc", *TWO, "--counterfactuals", "20")
    proposed = [
        change
        for change in said("why-not", *words)["counterfactuals"]["nearest"]
        if change["field"].startswith(CONFIG)
    ]
    (change,) = proposed
    assert change["proposal"] == "KEP-8522"
    assert "no release of Kueue has this field (KEP-8522)" in change["text"]
    released = said("why-not", *words, "--kueue", "0.19")["counterfactuals"]["nearest"]
    assert released
    assert all(change["proposal"] is None for change in released)


def test_knobs_and_additions_name_the_same_proposals() -> None:
    of_fields = {addition.field: addition.proposal for addition in ADDITIONS}
    assert MinAdmitDuration.proposal == of_fields[CONFIG]
    assert Rules.proposal == of_fields["spec.preemption.rules"]


def test_what_proposals_add_to_lists_and_to_the_configuration_is_named(tmp_path: Path) -> None:
    selector = {"scope": "WithinClusterQueue", "minExecutionDuration": "1h"}
    rule = {"name": "r", "activationPolicy": {"trigger": "Always"}, "candidateSelectors": [selector]}
    header = {"apiVersion": "kueue.x-k8s.io/v1alpha1", "kind": "PreemptionConfig", "metadata": {"name": "p"}}
    seconds = {"enable": True, "backoffBaseSeconds": 60}
    configuration = {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "reclaimBackoff": seconds,
    }
    mapped = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kueue"}}
    inside = {**mapped, "data": {"controller_manager_config.yaml": libyaml.dump(configuration)}}
    long = "spec.rules[].candidateSelectors[].minExecutionDuration"
    spec = {"scope": "Global", "limit": 1, "limitWindowDuration": "5m"}
    limit = {**header, "kind": "PreemptionLimit", "spec": spec}
    for given in (configuration, inside):
        file = written(tmp_path, {**header, "spec": {"rules": [rule]}}, limit, given)
        assert said("validate", "validate", file)["valid"]
        refused = said("validate", "validate", file, "--kueue", "0.20", code=1)["errors"]
        assert [error["field"].rpartition("yaml.")[2] for error in refused] == [
            long,
            "kind",
            "reclaimBackoff",
        ]
        assert "does not have this kind, nor has any release" in refused[1]["message"]
        decided = tenure("decide", file, "--all-pending", "--kueue", "0.20").stderr.decode()
        for field, proposal in ((long, "the future work of KEP-13396"), ("reclaimBackoff", "KEP-14468")):
            assert f"{field} is a field that Kueue 0.20 does not have ({proposal}), and is not loo" in decided
        lacking = "kind PreemptionLimit is one that Kueue 0.20 does not have (the future work of KEP-13396)"
        assert f"{lacking}, and is not looked at: PreemptionLimit/p" in decided


def test_what_sets_a_proposals_field_is_refused_under_a_release(tmp_path: Path) -> None:
    patch = written(
        tmp_path,
        {
            "apiVersion": BETA,
            "kind": "ClusterQueue",
            "metadata": {"name": "gpu-cluster-queue"},
            "spec": {"preemption": {"rules": "UberClusterQueueRules"}},
        },
    )
    for words, proposal in (
        (("--set", f"{QUEUE}.withinClusterQueueConfig.minAdmitDuration=8h"), "KEP-8522"),
        (("--set", f"{QUEUE}={{rules: UberClusterQueueRules}}"), "KEP-8826"),
        (("--patch", patch), "KEP-8826"),
        (("--feature-gates", "TimeBasedSamePriorityPreemption=false"), "KEP-8522"),
    ):
        done = tenure("decide", *TWO, *JOB, *words, "--kueue", "0.19")
        assert done.returncode == 2
        assert "Kueue 0.19" in done.stderr.decode(), done.stderr.decode()
        assert proposal in done.stderr.decode()
    # To remove what the release does not have changes nothing.
    assert tenure("decide", *TWO, *JOB, *WITHOUT, "--kueue", "0.19").returncode == 0
    refuse_additions((), "0.19")


@pytest.mark.parametrize("inside", [False, True])
def test_the_release_does_not_start_with_a_gate_that_it_does_not_know(tmp_path: Path, inside: bool) -> None:
    configuration = {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "featureGates": {"TimeBasedSamePriorityPreemption": True, "HierarchicalCohorts": True},
    }
    wrapped = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "kueue-manager-config"},
        "data": {"controller_manager_config.yaml": libyaml.dump(configuration)},
    }
    queue = {"apiVersion": BETA, "kind": "ClusterQueue", "metadata": {"name": "q"}, "spec": {}}
    file = written(tmp_path, wrapped if inside else configuration, queue)
    assert tenure("decide", file, "--all-pending", *NOW).returncode == 0
    done = tenure("decide", file, "--all-pending", *NOW, "--kueue", "0.19")
    assert done.returncode == 2
    assert "expected a feature gate of Kueue 0.19, not KEP-8522's" in done.stderr.decode()
    (refusal,) = said("validate", "validate", file, "--kueue", "0.19", code=1)["errors"]
    assert refusal["field"].endswith("featureGates.TimeBasedSamePriorityPreemption")


def test_validate_says_it_and_refuses_it_under_a_release() -> None:
    free = said("validate", "validate", "--example", "two-teams")
    assert (free["valid"], free["kueue"]) == (True, "0.19+proposals")
    (field,) = free["proposed"]
    assert (field["field"], field["proposal"]) == (CONFIG, "KEP-8522")
    text = tenure("validate", "--example", "two-teams", "--strict")
    assert text.returncode == 0, "a proposal's field is no warning"
    assert f"note: no release of Kueue has {CONFIG}, which KEP-8522 proposes: 1 ClusterQueue" in (
        text.stdout.decode()
    )
    released = said("validate", "validate", "--example", "two-teams", "--kueue", "0.19", code=1)
    (refusal,) = released["errors"]
    assert (refusal["object"], refusal["field"]) == ("ClusterQueue/gpu-cluster-queue", CONFIG)
    assert released["proposed"] == []


def test_the_release_is_read_from_the_deployment(tmp_path: Path) -> None:
    queue = {
        "apiVersion": BETA,
        "kind": "ClusterQueue",
        "metadata": {"name": "q"},
        "spec": {"preemption": {"rules": "UberClusterQueueRules"}},
    }
    file = written(tmp_path, queue, deployment("images.example/kueue/kueue:v0.19.2@sha256:00"))
    assert said("accessible", "show", "-f", file, *NOW, "--kueue", "objects")["kueue"] == "0.19"
    compared = ("analyze", "diff", file, "--set", "clusterqueue/q.spec.queueingStrategy=StrictFIFO")
    assert said("analyze-diff", *compared, "--kueue", "objects")["kueue"] == "0.19"
    for objects, found in (
        ((queue,), "there is no such Deployment"),
        ((queue, deployment("images.example/kueue/kueue:v0.17.0")), "'v0.17.0'"),
        ((queue, deployment("images.example/kueue/kueue:main")), "'main'"),
        ((queue, deployment("other/kueue-viz:v0.19.2")), "there is no such Deployment"),
    ):
        done = tenure("show", "-f", written(tmp_path, *objects), *NOW, "--kueue", "objects")
        assert done.returncode == 2
        assert found in done.stderr.decode()


@pytest.mark.parametrize("text", ["0.18", "0.21", "1", "latest", "0.19.2.1", ""])
def test_another_release_is_refused_by_its_name(text: str) -> None:
    done = tenure("decide", *TWO, *JOB, "--kueue", text)
    assert done.returncode == 2
    assert f"--kueue: found {text!r}, expected {KNOWN_RELEASES[0]}" in done.stderr.decode()
    assert ("DV-060" in done.stderr.decode()) == (text == "0.18")


@pytest.mark.parametrize(
    "words", [("loops", "--up-to", "2", "--sizes", "8", "--priorities", "0"), ("sanity",)]
)
def test_what_is_asked_of_a_configuration_is_asked_of_the_release(words: tuple[str, ...]) -> None:
    words = ("analyze", *words, "--example", "two-teams")
    assert json.loads(tenure(*words, "-o", "json").stdout)["kueue"] == "0.19+proposals"
    done = tenure(*words, "--kueue", "0.19", "-o", "json")
    answer = json.loads(done.stdout)
    assert answer["kueue"] == "0.19"
    assert any(CONFIG in warning for warning in answer["warnings"])
    assert CONFIG in done.stderr.decode()
    assert tenure(*words, "--kueue", "0.18").returncode == 2


HERO = Path(__file__).parents[1] / "recorded" / "preemption-config.yaml"
LATER = ("--now", "2026-09-02T00:00:00Z")
CONFIGURABLE = ("--feature-gates", "ConfigurablePreemptions=true")
IGNORED = (
    "metadata.annotations[kueue.x-k8s.io/preemption-config-name] is not looked at: feature gate "
    "ConfigurablePreemptions is off in Kueue 0.20 unless --feature-gates or a Configuration sets it: "
    "ClusterQueue/hero"
)
NOT_RUN = "from v0.20's text and its tests, not run"


def configured(*, on: bool) -> dict[str, Any]:
    return {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "featureGates": {"ConfigurablePreemptions": on},
    }


def hero(*words: str, file: str = str(HERO), code: int = 0) -> Any:
    words = ("decide", file, "-w", "hero/incoming", *LATER, "--kueue", *words)
    return said("decide", *words, code=code)


def test_v020_reads_a_preemption_config_where_its_gate_is_set(tmp_path: Path) -> None:
    off, on = hero("0.20"), hero("v0.20.0", *CONFIGURABLE)
    assert (off["decision"], on["decision"]) == ("NoCandidates", "Preempt")
    assert off["kueue"] == on["kueue"] == "0.20"
    assert off["warnings"] == [f"answers about Kueue 0.20 are {NOT_RUN}", IGNORED]
    assert on["warnings"] == [f"answers about Kueue 0.20 are {NOT_RUN}"]
    objects = [*libyaml.load_all(HERO.read_text(encoding="utf-8"))]
    for is_on, expected in ((True, "Preempt"), (False, "NoCandidates")):
        # The Configuration comes last: its gates count for the objects before it.
        file = written(tmp_path, *objects, configured(on=is_on))
        assert hero("0.20", file=file)["decision"] == expected
    assert hero("0.20", CONFIGURABLE[0], "ConfigurablePreemptions=false")["decision"] == "NoCandidates"


@pytest.mark.parametrize(
    "words",
    [
        ("next", *NOW, *CONFIGURABLE),
        ("decide", *NOW, "--all-pending"),
        ("why", "b/b1", *NOW, *CONFIGURABLE),
        ("why-not", "hero/incoming", *NOW),
        ("analyze", "loops"),
        ("analyze", "sanity"),
        ("validate",),
        ("diff", *NOW, *CONFIGURABLE, "--set", "clusterqueue/b.spec.preemption.reclaimWithinCohort=Any"),
    ],
)
def test_every_answer_about_v020_says_that_it_was_not_run(words: tuple[str, ...]) -> None:
    command = words[:2] if words[0] == "analyze" else words[:1]
    rest = words[len(command) :]
    done = tenure(*command, *rest, str(HERO), "--kueue", "0.20")
    text = done.stdout.decode()
    assert f"about Kueue 0.20, {NOT_RUN}, without what is only proposed" in text, done.stderr.decode()


def test_v020_has_its_own_gates_and_none_that_is_only_proposed() -> None:
    for gate, proposal in (
        ("TimeBasedSamePriorityPreemption", "KEP-8522"),
        ("PreemptionProtection", "KEP-9876"),
    ):
        words = ("decide", str(HERO), "-w", "hero/incoming", *NOW, "--kueue", "0.20")
        done = tenure(*words, "--feature-gates", f"{gate}=true")
        assert done.returncode == 2
        assert f"expected a feature gate of Kueue 0.20, not {proposal}'s" in done.stderr.decode()
    assert said("decide", "decide", *TWO, *JOB, "--kueue", "0.20")["decision"] == "NoCandidates"


def test_v020_counts_pods_in_its_search_which_is_refused(tmp_path: Path) -> None:
    groups = [
        {
            "coveredResources": ["pods"],
            "flavors": [{"name": "a", "resources": [{"name": "pods", "nominalQuota": 1}]}],
        }
    ]
    spec = {"resourceGroups": groups, "namespaceSelector": {}}
    flavor = {"apiVersion": BETA, "kind": "ResourceFlavor", "metadata": {"name": "a"}, "spec": {}}
    queue = {"apiVersion": BETA, "kind": "ClusterQueue", "metadata": {"name": "q"}, "spec": spec}
    file = written(tmp_path, flavor, queue)
    for words in (
        ("decide", "--all-pending", *NOW),
        ("analyze", "loops"),
        ("analyze", "sanity"),
        ("analyze", "matrix"),
    ):
        done = tenure(*words, file, "--kueue", "0.20")
        assert done.returncode == 2
        assert (
            "ClusterQueue/q: spec.resourceGroups[0].coveredResources: found pods, expected no pods: Kueue "
            "0.20 counts them in its search for targets, which is not modelled; or --kueue 0.19"
        ) in done.stderr.decode()
    assert tenure("validate", file, "--kueue", "0.20").returncode == 0


def test_v020_serves_preemption_configs_and_no_v1beta1(tmp_path: Path) -> None:
    config = {
        "apiVersion": "kueue.x-k8s.io/v1alpha1",
        "kind": "PreemptionConfig",
        "metadata": {"name": "c"},
        "spec": {"rules": []},
    }
    old = {
        "apiVersion": "kueue.x-k8s.io/v1beta1",
        "kind": "ResourceFlavor",
        "metadata": {"name": "a"},
        "spec": {},
    }
    file = written(tmp_path, config, old)
    (version,) = said("validate", "validate", file, "--kueue", "0.20", code=1)["errors"]
    assert (version["object"], version["field"]) == ("ResourceFlavor/a", "apiVersion")
    assert version["message"] == "Kueue 0.20 does not serve this version"
    (kind,) = said("validate", "validate", file, "--kueue", "0.19", code=1)["errors"]
    assert (kind["object"], kind["field"]) == ("PreemptionConfig/c", "kind")


def test_v020_gives_jobs_without_a_class_the_default_one(tmp_path: Path) -> None:
    default = {
        "apiVersion": BETA,
        "kind": "WorkloadPriorityClass",
        "metadata": {"name": "default"},
        "value": 5,
    }
    queue = {"apiVersion": BETA, "kind": "ClusterQueue", "metadata": {"name": "q"}, "spec": {}}
    done = tenure("decide", "--all-pending", *NOW, written(tmp_path, queue, default), "--kueue", "0.20")
    assert "gives jobs without a priority class WorkloadPriorityClass default" in done.stderr.decode()


def test_the_deployment_may_be_of_v020(tmp_path: Path) -> None:
    objects = [*libyaml.load_all(HERO.read_text(encoding="utf-8"))]
    file = written(tmp_path, *objects, deployment("images.example/kueue/kueue:v0.20.0"))
    assert hero("objects", *CONFIGURABLE, file=file)["kueue"] == "0.20"
    assert hero("objects", *CONFIGURABLE, file=file)["decision"] == "Preempt"
