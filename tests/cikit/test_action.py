"""The composite Action: its metadata, and its script on the sample repository."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tenure.cli.commands import COMMANDS
from tests.cikit.repository import ROOT, break_expectation, break_quota, plant_modules, plant_options, sample
from tests.command_line import run_program
from tools import libyaml
from tools.locks import EXTRAS, needs

ACTION: dict[str, Any] = libyaml.load((ROOT / "action.yml").read_text(encoding="utf-8"))
SCRIPT = ROOT / "ci" / "action.sh"
SCRIPTS = Path(sys.executable).parent


def act(folder: Path, path: str = "", **said: str) -> subprocess.CompletedProcess[str]:
    """Run the script as the Action does, with inputs and VARIABLES; the tenure of the tests is on PATH."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TENURE_", "GITHUB_"))}
    said = {"version": "installed", **said}
    given = {name if name.isupper() else f"TENURE_{name.upper()}": value for name, value in said.items()}
    return run_program(
        "bash",
        str(SCRIPT),
        cwd=folder,
        environment={
            **kept,
            "PATH": f"{path}{SCRIPTS}{os.pathsep}{kept['PATH']}",
            "TENURE_SOURCE": "/checkout",
            "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
            **given,
        },
    )


def test_the_action_tells_the_script_every_input_by_the_environment() -> None:
    assert ACTION["runs"]["using"] == "composite"
    python, run, comment = ACTION["runs"]["steps"]
    assert re.fullmatch(r"actions/setup-python@[0-9a-f]{40}", python["uses"])
    assert "${{" not in run["run"] + comment["run"]
    told = set(run["env"].values())
    expected = {f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"] if name != "python-version"}
    event = "${{ github.event.pull_request.base.sha || github.event.before }}"
    assert told == expected | {"${{ github.action_path }}", event}
    text = SCRIPT.read_text(encoding="utf-8")
    assert set(run["env"]) == set(re.findall(r"\bTENURE_[A-Z]+\b", text))
    assert all(item.get("description") for item in ACTION["inputs"].values())


def test_each_command_of_the_action_is_one_of_tenure() -> None:
    script = (ROOT / "ci" / "action.sh").read_text(encoding="utf-8")
    (listed,) = re.findall(r"^  ([a-z| ]+)\) ;;$", script, re.MULTILINE)
    commands = listed.split(" | ")
    assert set(commands) - {"check"} <= COMMANDS.keys()  # `check` and `diff` are of `analyze`
    assert all(
        re.search(rf"\b{command}\b", ACTION["inputs"]["command"]["description"]) for command in commands
    )


def test_what_is_in_order_ends_with_0_and_writes_its_reports(tmp_path: Path) -> None:
    repository = sample(tmp_path)
    done = act(repository, command="test", paths="  quota.tenure.yaml\n", junit="j.xml", sarif="s.sarif")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "test: 9 expectations, 0 fail" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("::notice title=tenure test::")
    assert (repository / "output").read_text(encoding="utf-8") == "exit-code=0\n"
    assert (repository / "summary.md").read_text(encoding="utf-8").startswith("### tenure test\n")
    assert sum(1 for _ in ET.parse(repository / "j.xml").iter("testcase")) == 9
    assert (repository / "s.sarif").is_file()


def test_what_is_wrong_is_annotated_at_its_line(tmp_path: Path) -> None:
    repository = sample(tmp_path)
    line = break_quota(repository)
    done = act(repository, paths="queues\nrunning", args="--strict")
    assert done.returncode == 1
    (annotation,) = [line for line in done.stdout.splitlines() if line.startswith("::error")]
    assert annotation.startswith(f"::error file=queues/gpu.yaml,line={line},title=ClusterQueue/gpu%3A spec.")
    assert (repository / "output").read_text(encoding="utf-8") == "exit-code=1\n"
    break_expectation(repository)
    done = act(repository, command="test", paths="quota.tenure.yaml", annotations="false")
    assert done.returncode == 2
    assert "::error" not in done.stdout


def test_no_name_in_a_repository_commands_the_workflow(tmp_path: Path) -> None:
    repository = sample(tmp_path)
    break_quota(repository)
    evil = repository / "::warning file=x::obeyed"
    (repository / "queues").rename(evil)
    done = act(repository, paths=evil.name)
    lines = done.stdout.splitlines()
    stop = lines[0]
    token = stop.removeprefix("::stop-commands::")
    end = lines.index(f"::{token}::")
    assert len(token) == 32
    assert any(line.startswith("::warning") for line in lines[1:end])
    assert not any(line.startswith("::warning") for line in lines[end:])
    assert "file=%3A%3Awarning file=x%3A%3Aobeyed/gpu.yaml" in lines[end + 1]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"command": "rm"}, "command: found 'rm', expected validate, test"),
        ({"args": "--now 'open"}, "args: found an open quote"),
    ],
)
def test_bad_input_of_the_action_is_named(said: dict[str, str], words: str, tmp_path: Path) -> None:
    done = act(tmp_path, **said)
    assert done.returncode == 2
    assert words in done.stderr


def test_quotes_keep_words_together(tmp_path: Path) -> None:
    said = "-w ml/eval --now \"2026-03-02T13:00:02Z\" --expect 'Preempt'"
    done = act(sample(tmp_path), command="decide", paths="queues\nrunning", args=said)
    assert done.returncode == 0, done.stdout


def no_program(folder: Path, name: str = "python") -> str:
    """The beginning of a PATH on which a program keeps what it was asked, and fails."""
    program = folder / "bin" / name
    program.parent.mkdir()
    asked = folder / "asked"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$PWD" "$@" > "{asked}"\nexit 7\n', encoding="utf-8")
    program.chmod(0o755)
    return f"{program.parent}{os.pathsep}"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("prove", ["prove", "--no-cache"]),
        ("check", ["analyze", "check", "--no-cache"]),
        ("test", ["test", "--no-cache"]),
        ("validate", ["validate"]),
    ],
)
def test_what_proves_believes_nothing_that_is_kept(command: str, words: list[str], tmp_path: Path) -> None:
    without = {"annotations": "false", "GITHUB_STEP_SUMMARY": ""}
    done = act(tmp_path, path=no_program(tmp_path, "tenure"), command=command, paths="queues", **without)
    assert done.returncode == 7
    _, *asked = (tmp_path / "asked").read_text(encoding="utf-8").splitlines()
    assert asked == [*words, "--", "queues"]


def test_nothing_of_what_is_said_is_run(tmp_path: Path) -> None:
    evil = "$(touch made) `touch made` ; touch made"
    path = no_program(tmp_path)
    done = act(tmp_path, path=path, version="", paths=evil, args=evil)
    assert done.returncode == 7
    done = act(tmp_path, path=path, version="", paths=evil, extras=evil)
    assert (done.returncode, done.stderr.partition(":")[0]) == (2, "error")
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("said", "files"),
    [
        ({"version": ""}, ["build", "base"]),
        ({"version": "", "extras": "proofs"}, ["build", "base", "proofs"]),
        ({"version": "0.1.0", "extras": "proofs, fast"}, ["base", "proofs", "fast"]),
    ],
)
def test_what_tenure_needs_is_installed_by_hashes(
    said: dict[str, str], files: list[str], tmp_path: Path
) -> None:
    done = act(tmp_path, path=no_program(tmp_path), paths="queues", **said)
    # What cannot be installed is not run.
    assert (done.returncode, done.stdout) == (7, "")
    asked = (tmp_path / "asked").read_text(encoding="utf-8").splitlines()
    assert not Path(asked[0]).is_relative_to(tmp_path)
    assert asked[1:5] == ["-I", "-m", "pip", "install"]
    assert asked[5:11] == [
        "--quiet",
        "--disable-pip-version-check",
        "--no-compile",
        "--only-binary",
        ":all:",
        "--require-hashes",
    ]
    assert asked[11::2] == ["--requirement"] * len(files)
    assert asked[12::2] == [f"/checkout/ci/requirements/{name}.txt" for name in files]


@pytest.mark.parametrize("name", ["base", *EXTRAS, "build"])
def test_every_requirement_has_the_hashes_of_its_wheels(name: str) -> None:
    """What is pinned is what the build is tested with; nothing that pyproject.toml requires is missing."""
    text = (ROOT / "ci" / "requirements" / f"{name}.txt").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9._-]+==\S+( +--hash=sha256:[0-9a-f]{64})+ *", line) for line in lines)
    pins = {canonicalize_name(line.partition("==")[0]): line.split()[0].partition("==")[2] for line in lines}
    tested = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    known = {canonicalize_name(one): version for one, _, version in (line.partition("==") for line in tested)}
    assert pins.items() <= known.items()
    assert {canonicalize_name(Requirement(one).name) for one in needs()[name]} <= pins.keys()


@pytest.mark.parametrize("said", ["campaign", "../../evil", "proofs;fast"])
def test_an_extra_without_hashes_is_refused(said: str, tmp_path: Path) -> None:
    done = act(tmp_path, path=no_program(tmp_path), version="", extras=said, paths="queues")
    assert done.returncode == 2
    assert (
        done.stderr == f"error: extras: found '{said}', expected proofs, fast, charts, strategies or pytest\n"
    )
    assert not (tmp_path / "asked").exists()


BACKEND = """
import zipfile

def build_wheel(folder, *_):
    info = "nothing-1.dist-info"
    with zipfile.ZipFile(f"{folder}/nothing-1-py3-none-any.whl", "w") as archive:
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\\nName: nothing\\nVersion: 1\\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nTag: py3-none-any\\n")
        archive.writestr(f"{info}/RECORD", "")
    return "nothing-1-py3-none-any.whl"
"""


def checkout(folder: Path) -> Path:
    """A checkout that pip builds without a network; what it builds is not Tenure."""
    made = folder / "a checkout"
    made.mkdir()
    (made / "backend.py").write_text(BACKEND, encoding="utf-8")
    (made / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n', encoding="utf-8"
    )
    requirements = made / "ci" / "requirements"
    requirements.mkdir(parents=True)
    for name in ("base", "build"):
        (requirements / f"{name}.txt").touch()
    return made


@pytest.mark.parametrize("version", ["", "installed"])
@pytest.mark.parametrize(
    ("command", "paths", "args"),
    [
        ("validate", "queues", ""),
        # Tenure's own program beside processes of a pool: each is another interpreter.
        ("conform", "", "--exec oracle --no-vectors --scenarios 2 --jobs 2"),
    ],
)
def test_no_module_of_the_checkout_is_imported(
    version: str, command: str, paths: str, args: str, tmp_path: Path
) -> None:
    repository = sample(tmp_path)
    imported = plant_modules(repository)
    done = act(
        repository,
        version=version,
        command=command,
        paths=paths,
        args=args,
        source=str(checkout(tmp_path)),
        PYTHONPATH=f"{repository}{os.pathsep}",
        PIP_NO_INDEX="1",
        PIP_DRY_RUN="1",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert not imported.exists(), imported.read_text(encoding="utf-8")


def test_a_path_that_is_an_option_is_the_name_of_a_file(tmp_path: Path) -> None:
    repository = sample(tmp_path)
    victims, manifests, expectations = plant_options(repository)
    for command, names, said in (
        ("validate", manifests, f"validate: {len(manifests)} objects"),
        ("test", expectations, f"test: {len(expectations)} expectations, 0 fail"),
    ):
        done = act(repository, command=command, paths="\n".join(names))
        assert done.returncode == 0, done.stdout + done.stderr
        assert said in done.stdout
    assert [victim.read_text(encoding="utf-8") for victim in victims] == ["precious"] * len(victims)
