"""`--set`, `--unset`, `--patch`, and `tenure diff` around them."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tenure.cli.bundled import schema
from tenure.edits import edited, edits_of
from tenure.errors import InputError
from tenure.manifests import SourcedObject
from tests.command_line import tenure
from tools import libyaml

NOW = ("--now", "2026-03-02T14:00:00Z")
TWO = ("--example", "two-teams", *NOW)
EVAL = "team-b/job-eval-suite-d739e"
QUEUE = "clusterqueue/gpu-cluster-queue"
LONGER = ("--set", f"{QUEUE}.spec.preemption.withinClusterQueueConfig.minAdmitDuration=8h")
NO_CONFIG = ("--unset", f"{QUEUE}.spec.preemption.withinClusterQueueConfig")
BETA = "kueue.x-k8s.io/v1beta2"


def queue(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": BETA, "kind": "ClusterQueue", "metadata": {"name": "a.b"}, "spec": spec}


def after(raw: dict[str, Any], *words: str, unset: tuple[str, ...] = ()) -> Any:
    """The spec of an object after `--set` of some words and `--unset` of others."""
    (changed,) = edited([SourcedObject("a.yaml", raw)], edits_of(words, unset))
    return changed.object["spec"]


def refused(raw: dict[str, Any], *words: str, unset: tuple[str, ...] = ()) -> str:
    with pytest.raises(InputError) as error:
        after(raw, *words, unset=unset)
    return str(error.value)


def test_a_field_is_set_and_maps_on_the_way_are_made() -> None:
    before = queue(cohortName="x")
    changed = after(before, "cq/a.b.spec.preemption.borrowWithinCohort.maxPriorityThreshold=7")
    assert changed == {"cohortName": "x", "preemption": {"borrowWithinCohort": {"maxPriorityThreshold": 7}}}
    assert before == queue(cohortName="x")


@pytest.mark.parametrize(
    ("path", "written", "value"),
    [
        ("cohortName", "007", {"cohortName": "007"}),
        ("cohortName", "yes", {"cohortName": "yes"}),
        ("stopPolicy", "None", {"stopPolicy": "None"}),
        ("fairSharing", "{weight: 2}", {"fairSharing": {"weight": 2}}),
        ("fairSharing.weight", "2", {"fairSharing": {"weight": 2}}),
        ("fairSharing.weight", "0.75", {"fairSharing": {"weight": "0.75"}}),
        (
            "namespaceSelector.matchLabels[team.example/name]",
            "nlp",
            {"namespaceSelector": {"matchLabels": {"team.example/name": "nlp"}}},
        ),
    ],
)
def test_a_value_is_yaml_and_text_stays_text(path: str, written: str, value: object) -> None:
    assert after(queue(), f"clusterqueue/a.b.spec.{path}={written}") == value


def test_an_item_is_named_by_index_or_by_a_field() -> None:
    flavors = [{"name": "spot", "resources": [{"name": "cpu", "nominalQuota": 1}]}, {"name": "b"}]
    before = queue(resourceGroups=[{"coveredResources": ["cpu"], "flavors": flavors}])
    where = "clusterqueue/a.b.spec.resourceGroups[0].flavors"
    for item in ("[0]", "[name=spot]"):
        group = after(before, f"{where}{item}.resources[name=cpu].nominalQuota=20")["resourceGroups"][0]
        assert group["flavors"] == [
            {"name": "spot", "resources": [{"name": "cpu", "nominalQuota": 20}]},
            {"name": "b"},
        ]
    assert after(before, unset=(f"{where}[1]",))["resourceGroups"][0]["flavors"] == flavors[:1]
    assert "did you mean spot" in refused(before, f"{where}[name=spt].name=x")
    assert "2 items" in refused(before, f"{where}[7].name=x")


def test_an_object_of_an_older_version_is_changed_in_the_words_of_the_newer() -> None:
    before = {**queue(cohort="x"), "apiVersion": "kueue.x-k8s.io/v1beta1"}
    assert after(before, "clusterqueue/a.b.spec.cohortName=y") == {"cohortName": "y"}
    assert "did you mean cohortName" in refused(before, "clusterqueue/a.b.spec.cohort=y")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("clusterqueue/a.b.spec.premption.x=1", "did you mean preemption"),
        ("clusterqeue/a.b.spec.cohortName=1", "did you mean clusterqueue"),
        ("clusterqueue/a.c.spec.cohortName=x", "expected one of 1 ClusterQueues: a.b"),
        ("clusterqueue/a.b.spec.cohortName", "KIND/NAME.PATH=VALUE"),
        ("clusterqueue/a.b=x", "KIND/NAME.PATH=VALUE"),
        ("localqueue/a.spec.clusterQueue=b", "namespace/name"),
        ("clusterqueue/a.b.spec.cohortName.x=1", "no fields of its own"),
        ("clusterqueue/a.b.spec.resourceGroups.flavors=1", "[name=nvidia.com/gpu]"),
        ("clusterqueue/a.b.spec.cohortName={", "YAML"),
    ],
)
def test_what_no_object_can_have_is_named_with_what_was_meant(words: str, said: str) -> None:
    assert said in refused(queue(), words)


def test_only_what_is_set_can_be_unset() -> None:
    assert after(queue(cohortName="x"), unset=("clusterqueue/a.b.spec.cohortName",)) == {}
    assert "found nothing" in refused(queue(), unset=("clusterqueue/a.b.spec.cohortName",))


def test_a_patch_is_merged(tmp_path: Path) -> None:
    patch = tmp_path / "patch.yaml"
    patch.write_text(libyaml.dump(queue(cohortName=None, preemption={"withinClusterQueue": "Never"})))
    before = queue(cohortName="x", preemption={"reclaimWithinCohort": "Any"})
    (changed,) = edited([SourcedObject("", before)], edits_of(patches=[str(patch)]))
    merged = {"reclaimWithinCohort": "Any", "withinClusterQueue": "Never"}
    assert changed.object["spec"] == {"preemption": merged}


def copied(folder: Path, *, without: tuple[str, ...] = (), duration: str = "4h") -> str:
    """The bundled cluster in a folder, without some lines, with another duration."""
    tenure("example", "two-teams", "--to", str(folder))
    file = folder / "queues.yaml"
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not any(word in line for word in without)]
    assert len(lines) - len(kept) == len(without)
    file.write_text("".join(kept).replace("minAdmitDuration: 4h", f"minAdmitDuration: {duration}"))
    return str(folder)


WITHOUT = ("withinClusterQueueConfig", "minAdmitDuration")


@pytest.mark.parametrize(
    "words",
    [
        ("decide", "-w", EVAL, "--verbose"),
        ("why", "team-a/job-pretrain-7b-e95a1", "-w", EVAL),
        ("why-not", EVAL),
    ],
    ids=lambda words: str(words[0]),
)
def test_every_command_answers_as_if_the_files_said_so(words: tuple[str, ...], tmp_path: Path) -> None:
    said = tenure(*words, *TWO, *NO_CONFIG)
    name, *rest = words
    names = rest[:1] if name.startswith("why") else []
    options = rest[len(names) :]
    by_hand = tenure(name, *names, copied(tmp_path / "c", without=WITHOUT), *options, *NOW)
    # A bundled example has no lines to point to.
    placeless = re.sub(rb" \([^()]*:\d+\)", b"", by_hand.stdout)
    assert (said.returncode, said.stdout) == (by_hand.returncode, placeless)
    assert said.stdout != tenure(*words, *TWO).stdout


def test_what_is_accessible_is_told_as_if_the_files_said_so() -> None:
    where = f"{QUEUE}.spec.resourceGroups[0].flavors[0].resources[name=nvidia.com/gpu].nominalQuota"
    assert b" 96 " in tenure("show", *TWO, "--set", f"{where}=96").stdout


def test_a_value_that_the_schema_refuses_is_an_error_of_the_object() -> None:
    done = tenure("decide", "-w", EVAL, *TWO, "--set", f"{QUEUE}.spec.preemption.withinClusterQueue=Nevr")
    assert done.returncode == 2
    assert b"ClusterQueue/gpu-cluster-queue: spec.preemption.withinClusterQueue" in done.stderr


def test_a_difference_is_as_its_schema_says_and_fails_where_it_is_told_to() -> None:
    done = tenure("diff", *TWO, *LONGER, "-o", "json", "--fail-on", "any")
    answer = json.loads(done.stdout)
    assert [error.message for error in Draft202012Validator(schema("diff")).iter_errors(answer)] == []
    assert done.returncode == 1
    (ceases,) = answer["lostVictims"]
    assert ceases["protectedAfter"] == "2026-03-02T16:40:02Z"
    assert tenure("diff", *TWO, *LONGER, "--fail-on", "gained-victims").returncode == 0


def test_the_markdown_lists_each_change() -> None:
    said = tenure("diff", *TWO, *LONGER, "-o", "markdown").stdout.decode()
    assert "### Cease to be victims" in said
    (line,) = (line for line in said.splitlines() if "protected from equals until" in line)
    assert line.startswith("- `team-a/job-notebook-export-9440c` (`gpu-cluster-queue`): for `")
    assert line.endswith("; protected from equals until 2026-03-02T16:40:02Z")


def test_minadmitduration_for_the_first_time_exposes_older_equals(tmp_path: Path) -> None:
    before, since = copied(tmp_path / "before", without=WITHOUT), copied(tmp_path / "after")
    said = tenure("diff", before, since, *NOW, "--fail-on", "gained-victims")
    assert said.returncode == 1
    assert b"older ones are exposed (TBP-050)" in said.stdout
    back = tenure("diff", since, before, *NOW, "--fail-on", "gained-victims")
    assert back.returncode == 0
    assert b"exposed" not in back.stdout


def git(folder: Path, *words: str) -> None:
    named = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {**os.environ, **named, "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", *words], cwd=folder, env=environment, check=True, capture_output=True)


def test_two_revisions_are_compared_and_nothing_of_them_is_run(tmp_path: Path) -> None:
    queues = tmp_path / "queues"
    copied(queues)
    git(tmp_path, "init", "-b", "main")
    ran = tmp_path / "ran"
    (tmp_path / ".gitattributes").write_text("*.yaml diff=evil filter=evil\n")
    (queues / "link.yaml").symlink_to("/etc/passwd")
    git(tmp_path, "add", ".gitattributes", "queues")
    git(tmp_path, "commit", "-m", "before")
    file = queues / "queues.yaml"
    file.write_text(file.read_text().replace("minAdmitDuration: 4h", "minAdmitDuration: 8h"))
    git(tmp_path, "commit", "-a", "-m", "after")
    for key in ("diff.evil.textconv", "filter.evil.smudge", "core.fsmonitor", "core.pager"):
        git(tmp_path, "config", key, f"touch {ran}; cat")
    both = tenure("diff", "main~1:queues/..HEAD:queues/", *NOW, "-o", "json", cwd=tmp_path)
    each = tenure("diff", "main~1:queues/", "HEAD:queues/", *NOW, "-o", "json", cwd=tmp_path)
    assert both.returncode == 0, both.stderr
    assert both.stdout == each.stdout
    by_set = json.loads(tenure("diff", *TWO, *LONGER, "-o", "json").stdout)
    assert json.loads(both.stdout)["lostVictims"] == by_set["lostVictims"]
    assert not ran.exists()
    gone = tenure("diff", "nowhere:queues", "HEAD:queues", *NOW, cwd=tmp_path)
    assert gone.returncode == 2
    assert b"nowhere:queues" in gone.stderr


def test_with_gives_both_sides_what_they_lack(tmp_path: Path) -> None:
    whole = copied(tmp_path / "cluster")
    for name, duration in (("one", "4h"), ("other", "8h")):
        folder = tmp_path / name
        copied(folder, duration=duration)
        for file in folder.glob("workloads-*.yaml"):
            file.unlink()
    said = tenure("diff", "one", "other", "--with", whole, *NOW, "-o", "json", cwd=tmp_path)
    by_set = json.loads(tenure("diff", *TWO, *LONGER, "-o", "json").stdout)
    assert json.loads(said.stdout)["lostVictims"] == by_set["lostVictims"]
    assert json.loads(said.stdout)["pending"] == by_set["pending"]


@pytest.mark.parametrize("words", [(), ("a", "b", "c"), ("cluster",), ("-", "-")], ids=str)
def test_sides_that_are_none_are_refused(words: tuple[str, ...]) -> None:
    done = tenure("diff", *words)
    assert (done.returncode, done.stdout) == (2, b"")


def test_a_play_begins_with_the_changed_objects() -> None:
    words = ("simulate", "--scenario", "tbp-it-2-rotation", "-o", "json")
    field = "clusterqueue/gpu.spec.preemption.withinClusterQueueConfig.minAdmitDuration"
    ran = []
    for changes in ((), ("--set", f"{field}=2h")):
        (record,) = json.loads(tenure(*words, *changes).stdout)["simulations"]
        first = next(summary for summary in record["workloads"] if summary["workload"] == "default/first")
        ran.append(first["runs"])
    assert ran == [4, 8]
    done = tenure(*words, "--set", "clusterqueue/gpuu.spec.cohortName=a")
    assert done.returncode == 2
    assert "did you mean gpu" in done.stderr.decode()


def test_validate_looks_at_the_changed_objects() -> None:
    assert tenure("validate", "--example", "two-teams").returncode == 0
    done = tenure(
        "validate", "--example", "two-teams", "--set", f"{QUEUE}.spec.preemption.withinClusterQueue=Never"
    )
    assert done.returncode == 1
    assert "withinClusterQueueConfig: found" in done.stdout.decode()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--set", "queue/vision.spec.preemptMinRuntime=99m"), "1h39m for a job in vision"),
        (("--unset", "queues/vision.spec.preemptMinRuntime"), "10m for a job in vision"),
    ],
)
def test_objects_of_kai_are_changed(words: tuple[str, ...], said: str) -> None:
    done = tenure("kai", "resolve", "--example", "kai-departments", "--victim-queue", "vision", *words)
    assert done.stdout.decode().startswith(said)


def test_a_job_of_kai_is_changed_in_a_patch_and_by_its_fields(tmp_path: Path) -> None:
    started = "metadata.annotations[kai.scheduler/last-start-timestamp]"
    words = (
        "kai",
        "filter",
        "--example",
        "kai-departments",
        "-w",
        "serving/checkout",
        "--victim",
        "vision/pretrain",
    )
    now = ("--now", "2026-06-01T14:00:00Z")
    patch = tmp_path / "patch.yaml"
    annotations = {"kai.scheduler/last-start-timestamp": "2026-06-01T01:00:00Z"}
    metadata = {"namespace": "vision", "name": "pretrain", "annotations": annotations}
    group = {"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup", "metadata": metadata}
    patch.write_text(libyaml.dump(group), encoding="utf-8")
    assert tenure(*words, *now).returncode == 1
    for change in (
        ("--set", f"podgroup/vision/pretrain.{started}=2026-06-01T01:00:00Z"),
        ("--patch", str(patch)),
    ):
        done = tenure(*words, *now, *change)
        assert done.returncode == 0, done.stderr.decode()
    typo = tenure(
        "kai", "resolve", "--example", "kai-departments", "--set", "queue/vision.spec.preemptMinRunt=1m"
    )
    assert "did you mean preemptMinRuntime" in typo.stderr.decode()
