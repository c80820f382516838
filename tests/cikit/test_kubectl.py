"""`kubectl tenure`: each command of `tenure` about what kubectl prints, and what kubectl cannot read."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from tenure.cli import main as tenure_main
from tenure.cli.commands import command_named
from tenure.cli.kubectl import COMMANDS_OF_A_CLUSTER, app, main
from tenure.kubectl import ClusterError, Kubectl, KueueDump
from tenure.manifests import build, read_objects
from tenure.manifests.history import PreemptionMessage, preemption_message
from tests.cikit.command import Run, Said, in_process
from tests.cikit.fake_kubectl import (
    CLASSES,
    CONFIG_MAP,
    EVENTS,
    JOBS,
    NAMESPACES,
    PLURALS,
    PREEMPTION_CONFIGS,
    PRIORITY_CLASSES,
    QUEUES,
    SERVED,
    VIEW,
    WORKLOADS,
    FakeKubectl,
    config_map,
    fake_kubectl,
    listed,
    objects_in,
)
from tests.cikit.repository import NOW, ROOT, SAMPLE
from tests.command_line import run_program, wait_until
from tests.tenure_report.test_serving import served_by

PLUGIN = Path(sys.executable).with_name("kubectl-tenure")
FILES = [SAMPLE / "queues" / "gpu.yaml", SAMPLE / "running" / "workloads.yaml"]
KAI = ROOT / "examples" / "kai-departments"


@pytest.fixture(autouse=True)
def _no_kubeconfig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here may ever ask the cluster of whoever runs the tests."""
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))


@pytest.fixture
def objects() -> list[dict[str, Any]]:
    """The objects of the sample."""
    return objects_in(FILES)


@pytest.fixture
def fake(objects: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeKubectl:
    """A kubectl that prints the sample."""
    made = fake_kubectl(tmp_path / "bin")
    made.serve(objects)
    monkeypatch.setenv("KUBECTL", str(made.program))
    return made


@pytest.fixture
def plugin(fake: FakeKubectl, tmp_path: Path) -> Run:
    """Runs the plugin as kubectl does, in this process and an empty folder."""
    folder = tmp_path / "here"
    folder.mkdir()

    def run(*arguments: str) -> Said:
        return in_process(main, arguments, folder)

    return run


def changed(fake: FakeKubectl, objects: list[dict[str, Any]], name: str, **fields: Any) -> None:
    """Let an object have other fields."""
    (found,) = [each for each in objects if each["metadata"]["name"] == name]
    found.update(fields)
    fake.serve(objects)


@pytest.mark.parametrize(
    "words",
    [
        ("decide", "-w", "ml/eval"),
        ("decide", "--all-pending", "-o", "json"),
        ("decide", "-v", "-w", "ml/eval"),
        ("why", "ml/train", "-w", "ml/eval"),
        ("why-not", "ml/eval", "serving"),
        ("next",),
        ("next", "ml/eval", "-o", "json"),
        ("diff", "--unset", "clusterqueue/gpu.spec.preemption"),
        ("show",),
        ("analyze", "sanity"),
        ("analyze", "loops", "--up-to", "2"),
        ("validate",),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_command_answers_what_tenure_answers_about_the_dump(
    words: tuple[str, ...], plugin: Run, run_tenure: Run, tmp_path: Path
) -> None:
    clock = () if words[0] in ("validate", "analyze") else ("--now", NOW)
    dump = tmp_path / "cluster.json"
    dump.write_text(plugin("dump").out, encoding="utf-8")
    there = run_tenure(tmp_path, *words, *(["-f"] if words == ("show",) else []), "cluster.json", *clock)
    here = plugin(*words, *clock)
    assert (here.code, _timeless(here.out)) == (
        there.code,
        _timeless(there.out.replace("cluster.json", "cluster")),
    )
    assert here.out


def _timeless(text: str) -> str:
    """Without the seconds that a search took, and without lines, which only a file has."""
    timed = re.sub(r"(?<= simulations in )[\d.]+ s", "", text)
    return re.sub(r" \(cluster(:\d+)?\)", "", timed)


def test_the_pairs_of_kai_scheduler_are_those_of_its_objects(fake: FakeKubectl, plugin: Run) -> None:
    found = [sourced.object for sourced in read_objects([KAI])]
    kinds = {kind: [each for each in found if each["kind"] == kind] for kind in ("Queue", "PodGroup", "Pod")}
    fake.answer(
        "api-resources --api-group=scheduling.run.ai",
        "podgroups.scheduling.run.ai\nqueues.scheduling.run.ai\n",
    )
    fake.answer(
        "get queues.scheduling.run.ai,podgroups.scheduling.run.ai", listed(kinds["Queue"] + kinds["PodGroup"])
    )
    fake.answer("get pods", listed(kinds["Pod"]))
    arguments = ("--argument", "defaultReclaimMinRuntime=10m")
    done = plugin("kai", "pairs", *arguments)
    kept = plugin("kai", "dump")
    assert (done.code, kept.code) == (0, 0), done.err
    (fake.folder / "kai.json").write_text(kept.out, encoding="utf-8")
    same = in_process(tenure_main, ("kai", "pairs", "kai.json", *arguments), fake.folder)
    assert (same.code, same.out) == (0, done.out)


def test_a_preempted_workload_is_explained(
    fake: FakeKubectl, objects: list[dict[str, Any]], plugin: Run
) -> None:
    (runs,) = [each for each in objects if each["metadata"]["name"] == "train"]
    told = PreemptionMessage(runs["metadata"]["uid"], victim_path=("gpu",), preemptor_path=("gpu",))
    condition = {
        "type": "Preempted",
        "status": "True",
        "reason": "InClusterQueue",
        "message": preemption_message("InClusterQueue", told),
        "lastTransitionTime": "2026-03-01T00:00:00Z",
    }
    evicted = {**condition, "type": "Evicted", "reason": "Preempted"}
    changed(fake, objects, "eval", status={"conditions": [condition, evicted]})
    done = plugin("why", "eval", "--now", NOW)
    assert done.code == 0, done.err
    assert done.out.startswith("ml/eval was preempted at 2026-03-01T00:00:00Z for ml/train, InClusterQueue: ")


def test_files_beside_the_cluster_are_read_too(plugin: Run, tmp_path: Path) -> None:
    text = FILES[1].read_text(encoding="utf-8").split("---")[-1].replace("name: eval", "name: another")
    (tmp_path / "here" / "job.yaml").write_text(text, encoding="utf-8")
    done = plugin("decide", "job.yaml", "-w", "another", "--now", NOW, "-o", "json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["workload"] == "ml/another"


def test_files_are_compared_with_the_cluster_that_has_the_rest(plugin: Run, tmp_path: Path) -> None:
    text = FILES[0].read_text(encoding="utf-8").replace("nominalQuota: 8", "nominalQuota: 80")
    (tmp_path / "here" / "queues.yaml").write_text(text, encoding="utf-8")
    done = plugin("diff", "queues.yaml", "--now", NOW)
    assert done.code == 0, done.err
    assert "ml/eval" in done.out
    assert "removed" not in done.out


def test_files_are_validated_as_an_update_of_the_cluster(plugin: Run, tmp_path: Path) -> None:
    local = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: batch, namespace: ml}\n"
    (tmp_path / "here" / "queue.yaml").write_text(f"{local}spec: {{clusterQueue: other}}\n", encoding="utf-8")
    done = plugin("validate", "queue.yaml")
    assert done.code == 1, done.err
    assert "validate: 1 object, 1 error" in done.out


def test_kubectl_gets_the_flags_of_the_user_and_nothing_else(fake: FakeKubectl, plugin: Run) -> None:
    flags = ("--context=prod", "--as=jane", "--as-group=a", "--as-group=b", "--insecure-skip-tls-verify")
    done = plugin(*flags[:2], "why", "train", *flags[2:], "-n", "ml", "--chunk-size", "7", "--now", NOW)
    assert done.code == 0, done.err
    asked = fake.asked()
    assert len(asked) == 6
    assert not any("namespace=ml" in line for line in asked)
    assert all(set(flags) <= set(line.split()) for line in asked)
    assert {line.split()[0] for line in asked} == {"get", "api-resources"}
    assert all(("--chunk-size=7" in line) == ("-A" in line) for line in asked)


def test_flags_of_kubectl_may_come_first(fake: FakeKubectl, plugin: Run) -> None:
    done = plugin("-n", "ml", "--context", "prod", "why", "train", "--now", NOW)
    assert done.code == 0, done.err
    assert all("--context=prod" in line for line in fake.asked())


def test_no_option_of_a_command_has_the_name_of_a_flag_of_kubectl() -> None:
    group: Any = typer.main.get_command(app)
    context = group.make_context("kubectl tenure", ["dump"], resilient_parsing=True)
    for name in COMMANDS_OF_A_CLUSTER:
        command = group.get_command(context, name)
        for each in getattr(command, "commands", {"": command}).values():
            names = [
                option for parameter in each.params for option in (*parameter.opts, *parameter.secondary_opts)
            ]
            assert len(names) == len(set(names)), (name, each.name)


def test_each_command_is_the_one_of_tenure() -> None:
    group: Any = typer.main.get_command(app)
    context = group.make_context("kubectl tenure", ["dump"], resilient_parsing=True)
    for name in COMMANDS_OF_A_CLUSTER:
        assert group.get_command(context, name).help == command_named(name).help


def test_the_page_of_a_cluster_has_the_commands_of_the_plugin(
    fake: FakeKubectl, objects: list[dict[str, Any]], plugin: Run, tmp_path: Path
) -> None:
    fake.serve(objects)
    page = tmp_path / "cluster.html"
    done = plugin("report", "-o", str(page), "--budget", "0", "--now", NOW)
    assert (done.code, done.err) == (0, "")
    written = page.read_text(encoding="utf-8")
    assert 'data-program="kubectl tenure" data-arguments=""' in written
    assert "ml/train" in written


def test_a_served_page_reads_the_cluster_again(
    fake: FakeKubectl, objects: list[dict[str, Any]], tmp_path: Path
) -> None:
    with served_by([str(PLUGIN)], "--now", NOW, cwd=tmp_path) as server:
        assert "ml/eval" in server.ask().body
        fake.fail(WORKLOADS, "Error from server (Forbidden): workloads is forbidden")
        wait_until(lambda: "error" in server.state(), "kubectl fails")
        assert server.state()["error"].startswith("kubectl get workloads.kueue.x-k8s.io: found Error from")
        assert "ml/eval" in server.ask().body
        fake.serve([each for each in objects if each["metadata"]["name"] != "eval"])
        wait_until(lambda: "ml/eval" not in server.ask().body, "the cluster is read again")
        assert "ml/train" in server.ask().body
        assert server.interrupted()[0] == 0


def test_a_name_is_looked_for_in_the_namespace_of_the_context_first(
    fake: FakeKubectl, objects: list[dict[str, Any]], plugin: Run
) -> None:
    (train,) = [each for each in objects if each["metadata"]["name"] == "train"]
    other = {**train, "metadata": {**train["metadata"], "namespace": "other", "uid": "9"}}
    fake.serve([*objects, other])
    words = ("why", "train", "-o", "json", "--now", NOW)
    assert json.loads(plugin(*words).out)["victim"] == "ml/train"
    assert json.loads(plugin(*words, "-n", "other").out)["victim"] == "other/train"
    fake.fail(VIEW, "error: current-context must exist in order to minify")
    assert "expected the full name of one of" in plugin(*words).err
    alone = plugin("why", "train", "-n", "there", "--now", NOW)
    assert alone.code == 2
    assert (
        "VICTIM: found 'train', expected one of 0 workloads that hold quota or pending workloads in"
        in alone.err
    )


def test_the_configuration_of_the_cluster_decides(fake: FakeKubectl, plugin: Run) -> None:
    strategies = {"preemptionStrategies": ["LessThanInitialShare"]}
    fake.answer(CONFIG_MAP, json.dumps(config_map(fairSharing=strategies)))
    done = plugin("dump", "--kueue-namespace", "there")
    (fake.folder / "cluster.json").write_text(done.out, encoding="utf-8")
    loaded = build(read_objects([fake.folder / "cluster.json"]))
    assert loaded.cluster.settings.fair_sharing is not None
    assert done.err == ""
    assert any("get configmap kueue-manager-config -n there" in line for line in fake.asked())


def test_one_bad_workload_spoils_no_answer_and_strict_refuses_it(
    fake: FakeKubectl, objects: list[dict[str, Any]], plugin: Run
) -> None:
    (waits,) = [each for each in objects if each["metadata"]["name"] == "eval"]
    names = {**waits["metadata"], "name": "newer", "resourceVersion": "8"}
    fake.serve([*objects, {**waits, "metadata": names, "spec": {**waits["spec"], "fancyNew": True}}])
    words = ("why", "train", "-w", "eval", "--now", NOW)
    done = plugin(*words)
    assert done.code == 0, done.err
    assert "cluster: Workload/ml/newer: set aside: spec.fancyNew: found True" in done.err
    strict = plugin(*words, "--strict")
    assert (strict.code, strict.out) == (2, "")
    assert "Workload/ml/newer: spec.fancyNew: found True, expected no field of this name" in strict.err


FORBIDDEN = 'Error from server (Forbidden): {0} is forbidden: User "jane" cannot list resource "{0}"'


@pytest.mark.parametrize(
    ("words", "message", "said"),
    [
        (
            SERVED,
            "error: You must be logged in to the server (Unauthorized)",
            "kubectl api-resources --api-group=kueue.x-k8s.io: found error: You must be logged in to the "
            "server (Unauthorized), expected credentials that the API server accepts",
        ),
        (
            SERVED,
            'error: context "gone" does not exist',
            "expected a context of the kubeconfig, its cluster and its user; `kubectl config get-contexts`",
        ),
        (
            SERVED,
            "The connection to the server localhost:8080 was refused - did you specify the right host?",
            "expected a kubeconfig: --kubeconfig, else KUBECONFIG, else ~/.kube/config",
        ),
        (SERVED, "error: stat gone: no such file or directory", "expected a kubeconfig that exists"),
        (
            SERVED,
            'E1127 23:36:37.833221   24161 memcache.go:265] "Unhandled Error" err="couldn\'t get it"\n'
            "The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?",
            "found The connection to the server 127.0.0.1:1 was refused - did you specify the right host or "
            "port?, expected an API server that answers",
        ),
        (QUEUES, FORBIDDEN.format("clusterqueues.kueue.x-k8s.io"), "expected permission to get and list it"),
        (
            WORKLOADS,
            FORBIDDEN.format("workloads.kueue.x-k8s.io"),
            "error: kubectl get workloads.kueue.x-k8s.io: ",
        ),
        (WORKLOADS, "", "found exit code 1 without a message"),
        (
            CLASSES,
            "Unable to connect to the server: timeout",
            "found Unable to connect to the server: timeout",
        ),
        (WORKLOADS, "\x1b[31mred\x07", r"found \x1b[31mred\x07, expected"),
    ],
    ids=[
        "token",
        "context",
        "no config",
        "no file",
        "refused",
        "queues",
        "workloads",
        "silent",
        "timeout",
        "escapes",
    ],
)
def test_what_kubectl_cannot_read_is_an_error_with_its_reason(
    words: str, message: str, said: str, fake: FakeKubectl, plugin: Run
) -> None:
    fake.fail(words, message)
    done = plugin("why", "ml/train", "--now", NOW)
    assert (done.code, done.out) == (4, "")
    assert done.err.startswith("error: kubectl ")
    assert said in done.err


def test_a_cluster_without_kueue_is_an_error(fake: FakeKubectl, plugin: Run) -> None:
    fake.answer(SERVED, "cohorts.kueue.x-k8s.io\n")
    done = plugin("next")
    assert (done.code, done.out) == (4, "")
    missing = "clusterqueues, resourceflavors, localqueues, workloads among the API resources"
    assert f"error: cluster: found no {missing}, expected one in which Kueue is installed" in done.err


def test_a_kind_that_the_release_does_not_have_is_not_asked_for(fake: FakeKubectl, plugin: Run) -> None:
    fake.answer(
        SERVED,
        "".join(
            f"{name}.kueue.x-k8s.io\n"
            for name in ("clusterqueues", "resourceflavors", "localqueues", "workloads")
        ),
    )
    queues = QUEUES.replace("cohorts.kueue.x-k8s.io,", "")
    (fake.folder / "answers" / QUEUES).rename(fake.folder / "answers" / queues)
    done = plugin("why", "ml/train", "--now", NOW)
    assert done.code == 0, done.err
    assert not any("cohorts" in line or "priorityclasses" in line for line in fake.asked())


def test_what_is_optional_and_forbidden_is_a_warning_that_names_the_assumption(
    fake: FakeKubectl, plugin: Run
) -> None:
    fake.fail(CLASSES, FORBIDDEN.format("workloadpriorityclasses.kueue.x-k8s.io"))
    fake.fail(CONFIG_MAP, FORBIDDEN.format("configmaps"))
    words = ("decide", "-w", "eval", "--now", NOW, "-o", "json")
    done = plugin(*words)
    assert done.code == 0, done.err
    for said in (
        "WorkloadPriorityClasses are not known, no priority counts as growing: kubectl get ",
        "Kueue's Configuration is not known, its defaults are assumed: kubectl get configmap: found Error",
    ):
        assert done.err.count(f"warning: {said}") == 1
        assert any(warning.startswith(said) for warning in json.loads(done.out)["warnings"])
    strict = plugin(*words, "--strict")
    assert (strict.code, strict.out) == (2, "")


def test_jobs_are_asked_for_only_where_a_priority_grows(
    fake: FakeKubectl, objects: list[dict[str, Any]], plugin: Run
) -> None:
    assert "jobs.batch" not in plugin("dump").out + " ".join(fake.asked())
    policy = {"step": 1, "max": 2000, "delayForStep": "1h"}
    kind = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "WorkloadPriorityClass"}
    fake.serve(
        [*objects, {**kind, "metadata": {"name": "ageing"}, "value": 100, "dynamicPriorityPolicy": policy}]
    )
    metadata = {"name": "eval", "namespace": "ml", "uid": "u", "creationTimestamp": "2026-03-02T01:00:00Z"}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata}
    fake.answer(JOBS, listed([{**job, "metadata": {**metadata, "labels": {}}, "spec": {"never": "read"}}]))
    assert job in json.loads(plugin("dump").out)["items"]
    fake.fail(JOBS, FORBIDDEN.format("jobs"))
    assert "warning: Jobs are not known, ages are counted from Workloads: " in plugin("dump").err


def test_preemption_configs_are_read_where_they_are_served(fake: FakeKubectl, plugin: Run) -> None:
    assert "preemptionconfigs" not in plugin("dump").out + " ".join(fake.asked())
    served = [*PLURALS.values(), "preemptionconfigs"]
    fake.answer(SERVED, "".join(f"{plural}.kueue.x-k8s.io\n" for plural in served))
    config = {"apiVersion": "kueue.x-k8s.io/v1alpha1", "kind": "PreemptionConfig", "metadata": {"name": "a"}}
    fake.answer(PREEMPTION_CONFIGS, listed([config]))
    assert config in json.loads(plugin("dump").out)["items"]
    fake.fail(PREEMPTION_CONFIGS, FORBIDDEN.format("preemptionconfigs"))
    assert "warning: PreemptionConfigs are not known, nor what ClusterQueues" in plugin("dump").err


def event_of(name: str, reason: str) -> dict[str, Any]:
    """An Event about a Workload, as kubectl prints it."""
    about = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload", "namespace": "ml", "name": name}
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{name}.{reason}", "namespace": "ml"},
        "involvedObject": about,
        "reason": reason,
        "message": "as it was written",
        "firstTimestamp": "2026-03-01T00:00:00Z",
        "lastTimestamp": "2026-03-01T00:00:00Z",
        "count": 1,
    }


def test_events_are_read_for_the_past_and_kept_as_far_as_they_are_used(
    fake: FakeKubectl, plugin: Run
) -> None:
    kept = event_of("train", "QuotaReserved")
    more = {"eventTime": None, "source": {"component": "never read"}, "type": "Normal"}
    fake.answer(EVENTS, listed([{**kept, **more}, event_of("train", "Admitted")]))
    plugin("decide", "-a", "--now", NOW)
    assert not any(EVENTS in line for line in fake.asked())
    found = json.loads(plugin("dump", "--chunk-size=7").out)["items"]
    assert [each for each in found if each["kind"] == "Event"] == [kept]
    (asked,) = [line for line in fake.asked() if EVENTS in line]
    assert asked == "get events -A --field-selector involvedObject.kind=Workload -o json --chunk-size=7"


@pytest.mark.parametrize("job", ["old", "gpt", "later"])
def test_recorded_events_answer_why_as_in_a_file(job: str, fake: FakeKubectl, plugin: Run) -> None:
    recorded = ROOT / "tests" / "recorded" / "stopped-queues.json"
    objects = json.loads(recorded.read_text(encoding="utf-8"))["items"]
    fake.serve(objects)
    fake.answer(EVENTS, listed([each for each in objects if each["kind"] == "Event"]))
    words = ("why", f"ml/{job}", "--now", "2026-11-27T23:41:19Z", "--counterfactuals", "0")
    (fake.folder / "file.json").write_text(listed([*objects, config_map()]), encoding="utf-8")
    there = in_process(tenure_main, (*words, "file.json"), fake.folder)
    here = plugin(*words)
    assert (here.code, here.out) == (0, there.out)
    assert "Events" in here.out


@pytest.mark.parametrize("words", [("dump",), ("why", "train", "--now", NOW)])
def test_events_that_are_forbidden_are_a_warning(
    words: tuple[str, ...], fake: FakeKubectl, plugin: Run
) -> None:
    fake.fail(EVENTS, FORBIDDEN.format("events"))
    done = plugin(*words)
    assert (done.code, done.out != "") == (0, True)
    (warning,) = done.err.splitlines()
    said = "warning: Events are not known, a preemption whose time was overwritten is not dated: kubectl get"
    assert warning.startswith(said)


JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: more, namespace: ml, labels: {kueue.x-k8s.io/queue-name: batch}}
spec:
  template:
    spec:
      priorityClassName: urgent
      containers: [{name: main, resources: {requests: {nvidia.com/gpu: 1}}}]
"""


def test_priority_classes_are_read_only_where_jobs_are_given(
    fake: FakeKubectl, plugin: Run, tmp_path: Path
) -> None:
    known = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "urgent"}}
    fake.answer(PRIORITY_CLASSES, listed([{**known, "value": 70}]))
    shutil.copy(FILES[0], tmp_path / "here" / "queues.yaml")
    (tmp_path / "here" / "job.yaml").write_text(JOB, encoding="utf-8")
    plugin("validate", "job.yaml")
    plugin("diff", "queues.yaml", "--now", NOW)
    plugin("next", "--now", NOW)
    assert not any(PRIORITY_CLASSES in line for line in fake.asked())
    words = ("decide", "-w", "more", "job.yaml", "--now", NOW)
    done = plugin(*words)
    assert (done.code, done.err) == (0, "")
    assert "ml/job-more" in done.out
    fake.fail(PRIORITY_CLASSES, FORBIDDEN.format("priorityclasses.scheduling.k8s.io"))
    done = plugin(*words)
    assert done.code == 2
    said = "warning: PriorityClasses are not known, a job that names none counts as of priority 0: kubectl"
    assert done.err.count(said) == 1
    assert "expected the name of a PriorityClass that is given" in done.err


def test_the_dump_has_priority_classes(fake: FakeKubectl, plugin: Run) -> None:
    known = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "urgent"}}
    fake.answer(PRIORITY_CLASSES, listed([{**known, "value": 70}]))
    assert {**known, "value": 70} in json.loads(plugin("dump").out)["items"]


def test_namespaces_are_asked_for_only_where_labels_select_them(
    fake: FakeKubectl, objects: list[dict[str, Any]], plugin: Run
) -> None:
    (queue,) = [each for each in objects if each["kind"] == "ClusterQueue"]
    queue["spec"]["namespaceSelector"] = {"matchLabels": {"kubernetes.io/metadata.name": "ml"}}
    fake.serve(objects)
    plugin("dump")
    assert not any(NAMESPACES in line for line in fake.asked())
    queue["spec"]["namespaceSelector"] = {"matchLabels": {"team": "a"}}
    fake.serve(objects)
    metadata = {"name": "ml", "labels": {"team": "a"}}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
    fake.answer(NAMESPACES, listed([{**namespace, "spec": {"never": "read"}}]))
    assert namespace in json.loads(plugin("dump").out)["items"]
    fake.fail(NAMESPACES, FORBIDDEN.format("namespaces"))
    done = plugin("why-not", "ml/eval", "serving", "--now", NOW, "-o", "json")
    first, second = [text for text in json.loads(done.out)["warnings"] if "amespace" in text]
    assert first.startswith("Namespaces are not known")
    assert "ClusterQueue/gpu: spec.namespaceSelector: not compared with ml" in second


@pytest.mark.parametrize("printed", ["", "[", "{}", '{"kind": "Workload", "items": []}', '{"items": [\x00'])
def test_what_is_no_list_is_an_error(printed: str, fake: FakeKubectl, plugin: Run) -> None:
    fake.answer(WORKLOADS, printed)
    done = plugin("next")
    assert (done.code, done.out) == (4, "")
    assert "kubectl get workloads.kueue.x-k8s.io: found no List, expected a List, as" in done.err


def test_items_that_are_no_objects_are_bad_input(fake: FakeKubectl, plugin: Run) -> None:
    fake.answer(WORKLOADS, listed([]).replace("[]", '[5, {"kind": 1}, {"a": ]'))
    done = plugin("next")
    assert (done.code, done.out) == (2, "")
    assert "error: cluster: items[" in done.err


def test_more_than_a_file_may_have_is_an_error(fake: FakeKubectl) -> None:
    fake.answer(WORKLOADS, listed([{"filler": "x" * 2**20}]))
    with pytest.raises(ClusterError, match=r"found more than 1 MiB, expected at most 1 MiB in one answer"):
        KueueDump(Kubectl(str(fake.program), most=2**20)).read()


def test_what_kubectl_says_while_it_waits_is_shown(tmp_path: Path) -> None:
    program, answered = tmp_path / "kubectl", tmp_path / "answered"
    waits = f'until [ -e "{answered}" ]; do sleep 0.01; done'
    program.write_text(f"#!/bin/sh\necho 'open the \033page' >&2\n{waits}\necho done\n", encoding="utf-8")
    program.chmod(0o755)
    shown: list[str] = []

    def show(line: str) -> None:
        shown.append(line)
        answered.touch()

    assert Kubectl(str(program), show=show).run("get", "x") == b"done\n"
    assert shown == [r"open the \x1bpage"]


@pytest.mark.parametrize("named", ["", "gone"], ids=["on PATH", "named"])
def test_without_kubectl_it_says_what_is_missing(
    named: str, plugin: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KUBECTL", named)
    monkeypatch.setenv("PATH", str(tmp_path))
    done = plugin("why", "ml/train")
    assert (done.code, done.out) == (4, "")
    found = "KUBECTL=gone, which is no program" if named else "no such program on PATH"
    assert f"error: kubectl: found {found}, expected kubectl on PATH, or its path in KUBECTL" in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("why", "ml/gone"),
            "VICTIM: found 'ml/gone', expected one of 3 workloads that hold quota or pending",
        ),
        (
            ("decide", "-", "-a"),
            "words: found '-', expected files or folders: the objects of the cluster take",
        ),
        (("why", "ml/train", "--now", "soon"), "now: found 'soon', expected"),
        (("decide", "--example", "two-teams"), "No such option: --example"),
    ],
    ids=["workload", "standard input", "clock", "example"],
)
def test_bad_input_has_the_exit_code_of_tenure(words: tuple[str, ...], said: str, plugin: Run) -> None:
    done = plugin(*words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_a_wrong_command_line_asks_for_nothing(fake: FakeKubectl, plugin: Run) -> None:
    plugin("why", "ml/train", "--now", "soon")
    plugin("why", "--help")
    assert not (fake.folder / "answers" / "asked").exists()


def test_the_plugin_is_installed_under_the_name_that_kubectl_looks_for(fake: FakeKubectl) -> None:
    path = f"{PLUGIN.parent}{os.pathsep}{os.environ['PATH']}"
    command = ["kubectl", "tenure"] if shutil.which("kubectl") else [str(PLUGIN)]
    done = run_program(*command, "why", "ml/train", "--now", NOW, environment={**os.environ, "PATH": path})
    assert done.returncode == 0, done.stderr
    assert "ml/train is preempted for ml/eval" in done.stdout, done.stdout
