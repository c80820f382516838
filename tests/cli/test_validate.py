"""`tenure validate` as its users meet it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import typer
from typer.testing import CliRunner, Result

from tenure.cli.validate import validate_command
from tenure.conformance.protocol import answer
from tenure.errors import InputError
from tenure.resources import bundled
from tests import command_line
from tests.tenure.validation.objects import group, queue, thing
from tools import libyaml

SCHEMA = json.loads(bundled("spec", "schemas", "validate.schema.json").read_text(encoding="utf-8"))

app = typer.Typer()
app.command()(validate_command)


def run(*arguments: str, stdin: str = "") -> Result:
    """The command alone; the front turns an InputError into exit code 2."""
    return CliRunner().invoke(app, [*arguments], input=stdin)


def written(folder: Path, name: str, *objects: dict[str, Any]) -> str:
    """A file of manifests."""
    path = folder / name
    path.write_text("---\n".join(libyaml.dump(object_) for object_ in objects), encoding="utf-8")
    return str(path)


def unreadable(done: Result) -> list[str]:
    """The files that could not be read."""
    assert isinstance(done.exception, InputError), done.output
    return [problem.file for problem in done.exception.problems]


def test_the_bundled_examples_are_valid() -> None:
    for example in ("two-teams", "shared-cohort", "fair-sharing"):
        done = run("--example", example)
        assert (done.exit_code, " 0 errors" in done.output) == (0, True), done.output


def test_errors_stand_by_file_and_object_and_fail(tmp_path: Path) -> None:
    first = written(tmp_path, "a.yaml", queue("a", stopPolicy="Stop", fairSharing={"weight": 0}), queue("ok"))
    second = written(tmp_path, "b.yaml", queue("B"))
    done = run(first, second)
    assert done.exit_code == 1
    assert done.output.splitlines() == [
        first,
        "  ClusterQueue/a",
        "    error    spec.stopPolicy: found 'Stop', expected one of None, Hold, HoldAndDrain"
        " (FieldValueNotSupported, schema)",
        "    warning  spec.fairSharing.weight: with weight 0 the share is infinite as soon as anything is"
        " borrowed: among its siblings the first to be preempted, and then preempting in none that has a"
        " weight. If that is not meant, write a weight above 0 (ZeroWeight, tenure)",
        "",
        second,
        "  ClusterQueue/B",
        "    error    metadata.name: found 'B', expected small letters, digits, '-' and '.', a letter or"
        " digit at both ends (FieldValueInvalid, schema)",
        "",
        "validate: 3 objects, 2 errors, 1 warning",
    ]


def test_warnings_fail_only_where_that_is_asked_for(tmp_path: Path) -> None:
    path = written(tmp_path, "a.yaml", queue(fairSharing={"weight": 0}))
    assert run(path).exit_code == 0
    assert run(path, "--strict").exit_code == 1
    assert run(path, "--warnings-as-errors").exit_code == 1


def test_standard_input_and_folders_are_read(tmp_path: Path) -> None:
    text = libyaml.dump({"kind": "List", "apiVersion": "v1", "items": [queue(), thing("Cohort", "c")]})
    assert run("-", stdin=text).output == "validate: 2 objects, 0 errors, 0 warnings\n"
    written(
        tmp_path, "a.yaml", queue("a"), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}}
    )
    written(tmp_path, "b.yml", queue("b"))
    assert run(str(tmp_path)).output == (
        "validate: 2 objects, 0 errors, 0 warnings; 1 of other kinds ignored\n"
    )


def test_what_cannot_be_read_is_no_verdict_and_hides_nothing(tmp_path: Path) -> None:
    good = written(tmp_path, "a.yaml", queue(stopPolicy="Stop"))
    torn = tmp_path / "torn.yaml"
    torn.write_text("kind: [", encoding="utf-8")
    done = run(good, str(torn), "absent.yaml")
    assert unreadable(done) == [str(torn), "absent.yaml"]
    assert "spec.stopPolicy" in done.output


@pytest.mark.parametrize(
    "spelling",
    [
        "apiVersion: {}",
        "apiVersion: &version {}",
        "apiVersion: # a remark\n  {}",
        "? apiVersion\n: {}",
        "apiVersion: >-\n  {}",
        '"apiVersio\\x6e": {}',
        "apiVersion: !!str {}",
        'apiVersion: "kueue\\x2ex-k8s.io/v1beta2"',
    ],
)
def test_no_spelling_of_a_version_hides_a_file_from_skip_others(spelling: str, tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    rest = {key: value for key, value in queue(stopPolicy="Stop").items() if key != "apiVersion"}
    text = f"{spelling.format('kueue.x-k8s.io/v1beta2')}\n{libyaml.dump(rest)}"
    path.write_text(text, encoding="utf-8")
    done = run(str(path), "--skip-others")
    assert (done.exit_code, "spec.stopPolicy" in done.output) == (1, True), done.output
    # kubectl reads UTF-16 too.
    path.write_text(text, encoding="utf-16")
    assert unreadable(run(str(path), "--skip-others")) == [str(path)]
    path.write_text(f"---\na: {{{{ .Values.a }}}}\n---\n{text}", encoding="utf-8")
    assert unreadable(run(str(path), "--skip-others")) == [str(path)]


def in_folders(root: Path, **folders: Any) -> None:
    """Files by `folder__file`: an object, or the content of a kustomization."""
    for name, content in folders.items():
        path = root / f"{name.replace('__', '/')}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(libyaml.dump(content), encoding="utf-8")


def test_overlays_with_objects_of_one_name_are_sets_of_their_own(tmp_path: Path) -> None:
    in_folders(tmp_path, dev__q=queue("a"), prod__q=queue("a"), flavors=thing("ResourceFlavor", "a100"))
    done = run(str(tmp_path), "--skip-others")
    assert done.exit_code == 0
    assert done.stdout.startswith("validate: 3 objects, 0 errors, 0 warnings; 2 sets: ")
    assert "FieldValueDuplicate" in run(str(tmp_path)).stdout
    in_folders(tmp_path, dev__again=queue("a"))
    done = run(str(tmp_path), "--skip-others", "-o", "json")
    (error,) = json.loads(done.stdout)["errors"]
    assert (error["type"], error["file"]) == ("FieldValueDuplicate", f"{tmp_path}/dev/q.yaml")
    assert json.loads(done.stdout)["sets"] == [f"{tmp_path}/dev", f"{tmp_path}/prod"]


def test_an_object_above_a_folder_is_found_twice_in_it(tmp_path: Path) -> None:
    in_folders(tmp_path, q=queue("a"), dev__q=queue("a"))
    assert "FieldValueDuplicate" in run(str(tmp_path), "--skip-others").stdout


def test_patches_of_a_kustomization_are_parts_of_objects(tmp_path: Path) -> None:
    part = {key: value for key, value in queue("a").items() if key != "spec"}
    in_folders(
        tmp_path,
        base__kustomization={"resources": ["q.yaml"]},
        base__q=queue("a"),
        overlays__dev__kustomization={"resources": ["../../base"], "patches": [{"path": "q.yaml"}]},
        overlays__dev__q={**part, "spec": {"stopPolicy": "Hold"}},
        overlays__prod__kustomization={"resources": ["../../base"], "patchesStrategicMerge": ["q.yaml"]},
        overlays__prod__q={**part, "spec": {"resourceGroups": [{"flavors": [{"name": "b"}]}]}},
    )
    done = run(str(tmp_path), "--skip-others")
    assert (done.exit_code, done.stdout) == (0, "validate: 3 objects, 0 errors, 0 warnings\n")
    in_folders(tmp_path, overlays__dev__q={**part, "spec": {"stopPolicy": "Stop", "stopPolice": "Hold"}})
    done = run(str(tmp_path), "--skip-others")
    assert "spec.stopPolicy: found 'Stop'" in done.stdout
    assert "spec.stopPolice: found 'Hold'" in done.stdout


def test_what_a_kustomization_includes_is_of_its_set(tmp_path: Path) -> None:
    in_folders(
        tmp_path,
        base__kustomization={"resources": ["q.yaml"]},
        base__q=queue("a"),
        dev__kustomization={"resources": ["../base", "q.yaml"]},
        dev__q=queue("a"),
        other__kustomization={"resources": ["deep/q.yaml"]},
        other__deep__q=queue("a"),
    )
    done = run(str(tmp_path), "--skip-others", "-o", "json")
    (error,) = json.loads(done.stdout)["errors"]
    assert (error["type"], error["file"]) == ("FieldValueDuplicate", f"{tmp_path}/dev/q.yaml")


def test_names_are_looked_up_in_the_own_set(tmp_path: Path) -> None:
    dev, prod = (queue("a", cohortName=name) for name in ("dev", "prod"))
    in_folders(
        tmp_path, dev__q=dev, dev__c=thing("Cohort", "dev"), prod__q=prod, prod__c=thing("Cohort", "prod")
    )
    in_folders(tmp_path, dev__l=thing("LocalQueue", "l", {"clusterQueue": "gone"}))
    done = run(str(tmp_path), "--skip-others")
    assert done.stdout.count("DanglingReference") == 1


def test_skip_others_names_those_of_the_others_that_cannot_be_read(tmp_path: Path) -> None:
    written(tmp_path, "good.yaml", queue())
    written(tmp_path, "other.yaml", {"apiVersion": "apps/v1", "kind": "Deployment"})
    (tmp_path / "empty.yaml").write_text("# nothing yet\n", encoding="utf-8")
    (tmp_path / "template.yaml").write_text("a: {{ .Values.a }}\n", encoding="utf-8")
    done = run(str(tmp_path), "--skip-others")
    assert (done.exit_code, done.stdout) == (0, "validate: 1 object, 0 errors, 0 warnings\n")
    note = "passed over 1 file without a Kubernetes object: 1 Helm template"
    assert done.stderr == f"warning: {tmp_path}: {note} ({tmp_path / 'template.yaml'})\n"
    assert unreadable(run("absent", "--skip-others")) == ["absent"]


def test_skip_others_looks_at_a_configuration_in_a_config_map(tmp_path: Path) -> None:
    text = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfairSharing: 5\n"
    held = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kueue", "namespace": "kueue"}}
    path = written(tmp_path, "a.yaml", {**held, "data": {"controller_manager_config.yaml": text}})
    assert run(path, "--skip-others").exit_code == 1


def test_an_update_is_compared_with_what_is_there(tmp_path: Path) -> None:
    now = written(tmp_path, "now.yaml", thing("LocalQueue", "ml", {"clusterQueue": "a"}))
    then = written(tmp_path, "then.yaml", thing("LocalQueue", "ml", {"clusterQueue": "b"}))
    assert run(then).exit_code == 0
    assert run(then, "--old", now).exit_code == 1


def test_a_reading_decides_what_is_refused(tmp_path: Path) -> None:
    policy = {"step": -1, "max": 9, "delayForStep": "1h"}
    given = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "WorkloadPriorityClass",
        "metadata": {"name": "p"},
    }
    path = written(tmp_path, "a.yaml", {**given, "value": 1, "dynamicPriorityPolicy": policy})
    assert run(path).exit_code == 1
    assert run(path, "--reading", "as-written").exit_code == 0
    assert run(path, "--reading", "as-written", "--strict").exit_code == 1


def test_feature_gates_decide_as_kueue_has_them(tmp_path: Path) -> None:
    boosted = thing("Workload", "w", {"podSets": [{"template": {}}]})
    boosted["metadata"]["annotations"] = {"kueue.x-k8s.io/priority-boost": ""}
    path = written(tmp_path, "a.yaml", boosted)
    assert run(path).exit_code == 0
    assert run(path, "--feature-gates", "PriorityBoost=true").exit_code == 1


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("a.yaml", "--example", "two-teams"),
        ("--example", "none"),
        ("--example", "two-teams", "--feature-gates", "PriorityBost=true"),
        ("--example", "two-teams", "--feature-gates", "PriorityBoost=maybe"),
        ("--example", "two-teams", "--override", "newer_than"),
        ("--example", "two-teams", "--reading", "strict"),
    ],
)
def test_a_wrong_command_line_is_bad_input(arguments: tuple[str, ...]) -> None:
    assert isinstance(run(*arguments).exception, InputError)


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_the_structured_output_follows_its_schema(form: str, tmp_path: Path) -> None:
    path = written(tmp_path, "a.yaml", queue(stopPolicy="Stop", fairSharing={"weight": 0}))
    done = run(path, "-o", form)
    said = json.loads(done.output) if form == "json" else libyaml.load(done.output)
    jsonschema.validate(said, SCHEMA)
    assert (done.exit_code, said["valid"], said["checked"], said["ignored"]) == (1, False, 1, 0)
    assert [(item["file"], item["field"]) for item in said["errors"]] == [(path, "spec.stopPolicy")]


def test_the_protocol_says_the_same_without_files(tmp_path: Path) -> None:
    wrong = queue(cohortName="ml", resourceGroups=[group(lendingLimit=9)])
    said = json.loads(run(written(tmp_path, "a.yaml", wrong), "-o", "json").output)
    asked = answer({"id": 1, "call": "validate", "input": {"objects": [wrong], "reading": "guaranteed"}})
    for kind in ("errors", "warnings"):
        without = [{key: item[key] for key in item if key != "file"} for item in said[kind]]
        assert asked["output"][kind] == without
    assert asked["output"]["errors"]


def test_a_version_that_no_server_takes_any_more_is_refused_and_still_read(tmp_path: Path) -> None:
    old = {"apiVersion": "kueue.x-k8s.io/v1alpha1", "kind": "Cohort", "metadata": {"name": "a"}}
    file = tmp_path / "cohort.yaml"
    file.write_text(libyaml.dump({**old, "spec": {"parent": "b"}}), encoding="utf-8")
    done = command_line.tenure("validate", str(file))
    assert done.returncode == 1
    assert (
        "apiVersion: found 'kueue.x-k8s.io/v1alpha1', expected kueue.x-k8s.io/v1beta2; "
        "the other was served by Kueue 0.9 to 0.12; its spec.parent is spec.parentName now"
    ) in done.stdout.decode()
    assert command_line.tenure("analyze", "sanity", str(file)).returncode == 0
