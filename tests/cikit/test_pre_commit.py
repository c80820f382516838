"""The published hooks, in a repository of git.

Users get them with `language: python`: pre-commit installs this repository. That takes a network, so here the
same definitions run as local hooks with the tenure that is installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cikit.repository import ROOT, break_expectation, break_quota, plant_modules, plant_options, sample
from tests.command_line import run_program
from tools import libyaml

SCRIPTS = Path(sys.executable).parent
HOOKS: list[dict[str, Any]] = libyaml.load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """The sample under git, with the hooks."""
    if shutil.which("git") is None:
        pytest.skip("no git is installed here")
    folder = sample(tmp_path)
    hooks = [{**hook, "language": "system"} for hook in HOOKS]
    config = libyaml.dump({"repos": [{"repo": "local", "hooks": hooks}]})
    (folder / ".pre-commit-config.yaml").write_text(config, encoding="utf-8")
    for command in (("init", "--quiet"), ("add", "--all")):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return folder


def pre_commit(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pre-commit in a folder."""
    path = f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"
    return run_program(
        str(SCRIPTS / "pre-commit"),
        *arguments,
        cwd=folder,
        environment={**os.environ, "PATH": path, "PRE_COMMIT_HOME": str(folder.parent / "home")},
    )


def test_the_manifest_is_one_of_pre_commit() -> None:
    done = pre_commit(ROOT, "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml"))
    assert done.returncode == 0, done.stdout
    assert {hook["language"] for hook in HOOKS} == {"python"}


def test_what_is_in_order_passes_other_yaml_beside_it(repository: Path) -> None:
    done = pre_commit(repository, "run", "--all-files")
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("Passed") == len(HOOKS)


def test_no_module_of_the_repository_is_imported(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [hook["entry"].split() for hook in HOOKS]
    imported = plant_modules(repository)
    monkeypatch.setenv("PATH", f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", f"{repository}{os.pathsep}")
    for entry, name in zip(entries, ("queues/gpu.yaml", "quota.tenure.yaml"), strict=True):
        done = run_program(*entry, name, cwd=repository)
        assert done.returncode == 0, done.stdout + done.stderr
    assert not imported.exists(), imported.read_text(encoding="utf-8")


def test_what_is_wrong_is_told_where_it_stands(repository: Path) -> None:
    break_quota(repository)
    done = pre_commit(repository, "run", "--all-files", "tenure-validate")
    assert done.returncode == 1
    assert "queues/gpu.yaml" in done.stdout
    assert "found -8, expected a quantity that is not negative" in done.stdout
    (other,) = [line for line in done.stdout.splitlines() if "chart/" in line]
    template = "chart/queue.yaml: passed over, a file without a Kubernetes object: Helm template"
    assert other == f"warning: {template}"


def test_an_expectation_that_fails_is_explained(repository: Path) -> None:
    break_expectation(repository)
    done = pre_commit(repository, "run", "tenure-test", "--files", "quota.tenure.yaml")
    assert done.returncode == 1
    assert "FAIL ml/eval: Preempt: expected Preempt, found NoCandidates" in done.stdout


def test_a_name_that_is_an_option_is_the_name_of_a_file(repository: Path) -> None:
    victims, manifests, expectations = plant_options(repository)
    subprocess.run(["git", "add", "--all"], cwd=repository, check=True)
    done = pre_commit(repository, "run", "--all-files", "--verbose")
    assert done.returncode == 0, done.stdout
    assert [victim.read_text(encoding="utf-8") for victim in victims] == ["precious"] * len(victims)
    # Each of them was read: a flavor and an expectation each, beside the sample's.
    others = [*(repository / "queues").iterdir(), *(repository / "running").iterdir()]
    objects = sum(len(list(libyaml.load_all(file.read_text(encoding="utf-8")))) for file in others)
    assert f"validate: {objects + len(manifests)} objects, 0 errors" in done.stdout
    assert f"test: {9 + len(expectations)} expectations, 0 fail" in done.stdout
