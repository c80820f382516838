"""Manifests that a command renders, or standard input gives, for files of expectations."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tenure_check.expectations import manifest_sources
from tests.cli.test_edits import git
from tests.command_line import tenure
from tools import libyaml

FLAVOR = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": {"name": "f"}}
TEXT = libyaml.dump(FLAVOR)


def python(code: str) -> str:
    """A renderer: a command that runs Python."""
    return shlex.join([sys.executable, "-c", code])


def written(folder: Path, *entries: object, name: str = "a") -> Path:
    path = folder / f"{name}.tenure.yaml"
    path.write_text(libyaml.dump({"manifests": list(entries), "validate": "valid"}), encoding="utf-8")
    return path


def test_a_command_that_the_caller_allows_is_run_in_the_folder_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "flavor.yaml").write_text(TEXT, encoding="utf-8")
    command = python("print(open('flavor.yaml').read())")
    path = written(tmp_path / "sub", {"render": command})
    done = tenure("test", str(path), "--render", command, cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_no_other_command_is_run(tmp_path: Path) -> None:
    """What a pull request writes into a file decides nothing about what runs."""
    made = tmp_path / "made"
    command = python(f"open({str(made)!r}, 'w')")
    path = written(tmp_path, {"render": command})
    for allowed in ((), ("--render", command.split()[0]), ("--render", f"{command} ")):
        done = tenure("test", str(path), *allowed)
        assert done.returncode == 2
        said = done.stdout.decode()
        assert "expected a command that the caller allows, word for word: --render " in said
        assert not made.exists()


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import sys; sys.exit('no chart here')", "ended with 1: no chart here, expected manifests on"),
        (
            "import sys; sys.exit('E1129 04:10:02.009884   21908 run.go:72] no such ' + 100 * 'x')",
            f"ended with 1: no such {100 * 'x'}, expected manifests on",
        ),
        ("print('a: [')", " printed, expected "),
        ("import time; time.sleep(60)", "within 0.5 s, expected manifests in that time"),
    ],
)
def test_the_errors_of_a_renderer_are_shown(
    code: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "sleep" in code:
        monkeypatch.setattr(manifest_sources, "RENDER_WITHIN", 0.5)
    command = python(code)
    done = tenure("test", str(written(tmp_path, {"render": command})), "--render", command)
    assert done.returncode == 2
    said = done.stdout.decode()
    assert "manifests[0].render: found " in said
    assert found in said


@pytest.mark.parametrize("command", ["", "'open", 3, ["helm"]])
def test_what_is_no_command_is_refused(command: object, tmp_path: Path) -> None:
    done = tenure("test", str(written(tmp_path, {"render": command})))
    assert done.returncode == 2
    assert "expected a command such as kubectl kustomize overlays/prod; no shell reads it" in (
        done.stdout.decode()
    )


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = tenure(
        "test", str(written(tmp_path, {"render": "no-such-program"})), "--render", "no-such-program"
    )
    assert done.returncode == 2
    assert (
        "found no-such-program: no such file or directory, expected a program on PATH" in done.stdout.decode()
    )


def test_standard_input_is_read_once_for_all_files(tmp_path: Path) -> None:
    one, other = (written(tmp_path, "-", name=name) for name in ("one", "other"))
    done = tenure("test", str(one), str(other), stdin=TEXT.encode())
    assert done.returncode == 0, done.stdout
    assert b"test: 2 expectations, 0 fail" in done.stdout


SCENARIO = {"until": "1h", "files": ["-"], "expect": [{"preemptions": 0}]}


def test_standard_input_is_read_once_for_scenarios_too(tmp_path: Path) -> None:
    written(tmp_path, "-")
    path = tmp_path / "scenario.tenure.yaml"
    path.write_text(libyaml.dump(SCENARIO), encoding="utf-8")
    given = libyaml.dump_all([FLAVOR, QUEUE]).encode()
    done = tenure("test", str(tmp_path), stdin=given)
    assert done.returncode == 0, done.stdout + done.stderr
    assert b"test: 2 expectations, 0 fail" in done.stdout


@pytest.mark.parametrize("key", ["manifests", "files"])
def test_standard_input_is_named_once(key: str, tmp_path: Path) -> None:
    twice = {key: ["-", "-"]}
    shape = {**twice, "validate": "valid"} if key == "manifests" else {**SCENARIO, **twice}
    path = tmp_path / "a.tenure.yaml"
    path.write_text(libyaml.dump(shape), encoding="utf-8")
    done = tenure("test", str(path), stdin=TEXT.encode())
    assert done.returncode == 2
    said = f"{key}[1]: found standard input more than once, expected it once"
    assert said in (done.stdout + done.stderr).decode()


def test_a_scenario_on_standard_input_does_not_name_it(tmp_path: Path) -> None:
    done = tenure("simulate", "-", cwd=tmp_path, stdin=libyaml.dump(SCENARIO).encode())
    assert done.returncode == 2
    assert b"files[0]: found standard input, which has this document, expected a file" in done.stderr


def test_an_overlay_that_is_not_applied_is_named_where_a_queue_is_missing(tmp_path: Path) -> None:
    overlay = tmp_path / "overlay"
    overlay.mkdir()
    queue = {**FLAVOR, "kind": "ClusterQueue", "metadata": {"name": "batch"}, "spec": {}}
    (overlay / "patch.yaml").write_text(libyaml.dump(queue), encoding="utf-8")
    kustomization = {"resources": ["../base"], "patches": [{"path": "patch.yaml"}]}
    (overlay / "kustomization.yaml").write_text(libyaml.dump(kustomization), encoding="utf-8")
    never = {"preemptor": {"clusterQueue": "batch"}, "victim": {"clusterQueue": "production"}}
    path = tmp_path / "a.tenure.yaml"
    path.write_text(libyaml.dump({"manifests": ["overlay"], "never": never}), encoding="utf-8")
    done = tenure("test", str(path), cwd=tmp_path)
    assert done.returncode == 2
    said = done.stdout.decode()
    assert "found production, expected one of batch; " in said
    assert "render first: kubectl kustomize " in said


QUEUE = {
    "apiVersion": "kueue.x-k8s.io/v1beta2",
    "kind": "ClusterQueue",
    "metadata": {"name": "q"},
    "spec": {
        "resourceGroups": [
            {
                "coveredResources": ["cpu"],
                "flavors": [{"name": "f", "resources": [{"name": "cpu", "nominalQuota": 4}]}],
            }
        ],
    },
}
CHART = "from pathlib import Path; print(Path('head.tpl').read_text() + Path('values').read_text())"


def chart(folder: Path, policy: str) -> Path:
    """What a stand-in for a renderer puts together: no file of it is a manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "head.tpl").write_text(f"{libyaml.dump_all([FLAVOR, QUEUE])}", encoding="utf-8")
    text = f"  preemption: {{withinClusterQueue: {policy}}}\n"
    (folder / "values").write_text(text, encoding="utf-8")
    return folder


DIFF = "analyze", "diff", "--states", "30", "--fail-on", "new-preemption"


def test_a_change_is_judged_by_what_a_renderer_makes_of_two_revisions(tmp_path: Path) -> None:
    git(tmp_path, "init", "-b", "main")
    for policy in ("Never", "LowerPriority"):
        chart(tmp_path / "charts" / "queues", policy)
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-m", policy)
    for one, other in (
        ("main~1:charts/queues", "main:./charts/queues/"),
        ("main~1:charts/queues", "charts/queues"),
    ):
        done = tenure(*DIFF, one, other, "--render", python(CHART), cwd=tmp_path)
        said = done.stdout.decode()
        assert done.returncode == 1, done.stderr
        assert said.startswith("FAIL: q can now preempt q\n")
        assert "  before  main~1:charts/queues (rendered)\n" in said
        assert "spec.preemption.withinClusterQueue: 'Never' before, 'LowerPriority' after\n" in said


def test_a_change_is_judged_by_what_a_renderer_makes_of_two_folders(tmp_path: Path) -> None:
    one, other = chart(tmp_path / "base", "Never"), chart(tmp_path / "head", "Never")
    done = tenure(*DIFF, str(one), str(other), "--render", python(CHART))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b"PASS")


@pytest.mark.parametrize(
    ("sides", "command", "found"),
    [
        (("head.tpl",), python(CHART), "--render: found 'head.tpl', expected folders or revisions"),
        (("-",), python(CHART), "--render: found '-', expected folders or revisions"),
        (("main:head.tpl",), python(CHART), "main:head.tpl: found no folder with files, expected"),
        ((".",), python("import sys; sys.exit('no chart')"), ".: --render: found "),
        ((".",), python("import sys; sys.exit('no chart')"), "ended with 1: no chart, expected manifests on"),
        ((".",), "'", '.: --render: found "\'", expected a command such as'),
    ],
)
def test_what_cannot_be_rendered_is_named(
    sides: tuple[str, ...], command: str, found: str, tmp_path: Path
) -> None:
    chart(tmp_path, "Never")
    git(tmp_path, "init", "-b", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "chart")
    done = tenure(*DIFF, *sides, ".", "--render", command, cwd=tmp_path, stdin=b"")
    assert done.returncode == 2
    assert found in done.stderr.decode()


@pytest.mark.parametrize("kind", ["overlay", "chart"])
def test_what_is_not_rendered_gets_no_verdict(kind: str, tmp_path: Path) -> None:
    """A gate that does not see the queues that are deployed would pass for whatever they are."""
    folder = tmp_path / "queues"
    folder.mkdir()
    (folder / "all.yaml").write_text(libyaml.dump_all([FLAVOR, QUEUE]), encoding="utf-8")
    if kind == "overlay":
        text = libyaml.dump({"resources": ["all.yaml"], "patches": [{"path": "patch.yaml"}]})
        (folder / "kustomization.yaml").write_text(text, encoding="utf-8")
        found = "a kustomization with patches, which are not applied"
    else:
        text = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: {{ .name }}}\n"
        (folder / "template.yaml").write_text(text, encoding="utf-8")
        found = "templates of queues, which are not rendered"
    done = tenure(*DIFF, str(folder), str(folder))
    assert done.returncode == 2
    assert f"found {found}, expected --render with the command that renders them" in done.stderr.decode()
    compared = tenure("analyze", "diff", str(folder), str(folder), "--states", "30")
    assert compared.returncode == 0, "without --fail-on a warning is enough"


def committed(folder: Path, files: Mapping[str, Any]) -> Path:
    """A repository with files; text is written as it is, objects as YAML."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else libyaml.dump_all(content)
        path.write_text(text, encoding="utf-8")
    git(folder, "init", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "base")
    return folder


@pytest.mark.parametrize(
    ("side", "command"),
    [
        ("overlays/prod", "--render 'kubectl kustomize .',"),
        ("overlays", "--render 'kubectl kustomize prod',"),
        ("main:overlays/prod", "--render 'kubectl kustomize overlays/prod' of main:,"),
    ],
)
def test_the_command_that_renders_a_side_is_named(side: str, command: str, tmp_path: Path) -> None:
    overlay = {"resources": ["../../base"], "patches": [{"path": "patch.yaml"}]}
    files = {
        "base/queues.yaml": [FLAVOR, QUEUE],
        "overlays/prod/kustomization.yaml": [overlay],
        "overlays/prod/patch.yaml": [QUEUE],
    }
    done = tenure(*DIFF, side, side, cwd=committed(tmp_path, files))
    assert done.returncode == 2
    assert f"such as {command} or a folder without" in done.stderr.decode()


@pytest.mark.parametrize("side", ["charts", "main:charts"])
def test_a_chart_alone_is_an_error_about_its_templates_alone(side: str, tmp_path: Path) -> None:
    """Of a revision too, the command names a folder of the checkout."""
    template = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: {{ .name }}}\n"
    files = {
        "charts/Chart.yaml": "apiVersion: v2\nname: queues\n",
        "charts/values.yaml": "queues: []\n",
        "charts/templates/queue.yaml": template,
    }
    done = tenure(*DIFF, side, side, cwd=committed(tmp_path, files))
    assert done.stderr.decode().splitlines() == [
        f"error: {side}/templates/queue.yaml: found a template in line 3, expected YAML; "
        "render it first: helm template charts | tenure validate -",
        "see tenure analyze diff --help",
    ]


@pytest.mark.parametrize(
    ("before", "found"),
    [
        ("mainn:base", "no revision mainn, expected a revision and a path that git has here"),
        ("main:basse", "no such file or folder, expected a path with manifests in main"),
    ],
)
def test_a_base_that_is_not_there_is_named(before: str, found: str, tmp_path: Path) -> None:
    done = tenure(*DIFF, before, "HEAD:base", cwd=committed(tmp_path, {"base/queues.yaml": [FLAVOR, QUEUE]}))
    assert done.returncode == 2
    assert f"error: {before}: found {found}" in done.stderr.decode()
