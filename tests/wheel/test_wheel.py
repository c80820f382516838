"""The wheel, installed in an environment of its own and used from outside the repository."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from tenure_proofs.fingerprints import OURS
from tests.command_line import PATIENCE_S
from tests.shared import shared_folder

PACKAGES = (*OURS, "tenure_report")
"""Those on which verdicts depend, and the page, on which none does."""

ROOT = Path(__file__).resolve().parents[2]
DECIDE = (
    "decide",
    "--example",
    "two-teams",
    "--workload",
    "team-b/job-eval-suite-d739e",
    "--now",
    "2026-03-02T14:00:00Z",
    "-o",
    "json",
)
SCRIPTS = "Scripts" if os.name == "nt" else "bin"
LARGEST_WHEEL = 8 * 2**20
HEAVY = ("pydantic", "yaml", "typer", "rich", "z3", "jsonschema")


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel in it, and a folder that is not the repository."""

    bin: Path
    folder: Path

    def run(self, *command: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command of the environment."""
        outside = {
            name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TENURE_"))
        }
        return subprocess.run(
            [str(self.bin / command[0]), *command[1:]],
            cwd=self.folder,
            env=outside,
            input=given,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def tenure(self, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run the installed `tenure`."""
        return self.run("tenure", *arguments, given=given)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built wheel."""
    command = [sys.executable, "-m", "build", "--wheel", "--outdir"]
    folder = shared_folder(tmp_path_factory, "dist", lambda folder: _checked([*command, str(folder)]))
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def without_solvers(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel alone, as `pip install tenure` leaves it."""
    return _installed(tmp_path_factory, "plain", str(wheel))


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel with the solvers and pytest, as `pip install 'tenure[proofs,pytest]'` leaves it."""
    return _installed(tmp_path_factory, "proofs-pytest", f"{wheel}[proofs,pytest]")


def _installed(factory: pytest.TempPathFactory, name: str, what: str) -> Installed:
    def make(folder: Path) -> None:
        # A pip of its own for each would take as long as what it installs.
        _checked([sys.executable, "-m", "venv", "--without-pip", str(folder)])
        pip = [
            sys.executable,
            "-m",
            "pip",
            "--python",
            str(folder / SCRIPTS / "python"),
            "install",
            "--quiet",
        ]
        _checked([*pip, "--disable-pip-version-check", what], PIP_CONSTRAINT=str(ROOT / "constraints.txt"))

    return Installed(shared_folder(factory, name, make) / SCRIPTS, factory.mktemp("elsewhere"))


def _checked(command: list[str], **environment: str) -> None:
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_wheel_holds_the_specification_and_no_tests(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for name in (
        *(f"{name}/py.typed" for name in PACKAGES),
        "tenure/_bundled/spec/readings.toml",
        "tenure/_bundled/spec/vectors/schema.json",
        "tenure/_bundled/spec/glossary.md",
        "tenure/_bundled/examples/two-teams/queues.yaml",
    ):
        assert name in names
    rules = (ROOT / "spec" / "rules").glob("*.md")
    assert {f"tenure/_bundled/spec/rules/{path.name}" for path in rules} <= names
    foreign = [name for name in names if name.split("/")[0] not in PACKAGES]
    assert all(".dist-info/" in name for name in foreign), foreign
    ours = [name for name in names if not name.startswith("tenure/_bundled/spec/vectors/scenarios/")]
    parts = {part for name in ours for part in name.lower().split("/")}
    assert not [
        part for part in parts if part in ("tests", "conftest.py", "__pycache__") or part.startswith("test_")
    ]


@pytest.mark.parametrize("identifier", ["KQ-320", "F-001", "PO-TBP-010", "guaranteed", "DV-010"])
def test_an_identifier_is_looked_up_without_the_solvers(without_solvers: Installed, identifier: str) -> None:
    done = without_solvers.tenure("show", identifier)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{identifier}: ")


def test_the_installed_command_decides_the_bundled_example(installed: Installed) -> None:
    done = installed.tenure(*DECIDE)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["decision"] == "Preempt"
    assert [item["workload"] for item in said["preempted"]] == [
        "team-b/job-embedding-refresh-01386",
        "team-a/job-pretrain-7b-e95a1",
        "team-a/job-sft-13b-f8d23",
    ]


def test_the_installed_vectors_pass(installed: Installed) -> None:
    done = installed.tenure("vectors", "run")
    assert done.returncode == 0, done.stdout
    assert " passed, 0 failed" in done.stdout
    done = installed.tenure("vectors", "check")
    assert done.returncode == 0, done.stdout
    assert "well-formed" in done.stdout


def test_the_installed_proofs_end_as_expected(installed: Installed) -> None:
    # One claim of each family: all of them are proved elsewhere.
    some = ("PO-KQ-105", "PO-TBP-010", "PO-DYN-010", "PO-KMR-010")
    done = installed.tenure("prove", "--no-mutants", *(word for name in some for word in ("--only", name)))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "everything as expected" in done.stdout
    row = next(line for line in done.stdout.splitlines() if line.startswith("No same-priority preemption"))
    assert " refuted refuted proved " in " ".join(row.split())


def test_the_installed_oracle_answers_a_line(installed: Installed) -> None:
    done = installed.tenure("oracle", given='{"id": 1, "call": "decide", "input": {}}\n')
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    said = json.loads(line)
    assert said["id"] == 1
    assert {problem["field"] for problem in said["error"]["problems"]} >= {"now", "clusterQueues", "incoming"}


def test_the_installed_example_can_be_copied_and_decided(installed: Installed) -> None:
    done = installed.tenure("example", "two-teams", "--to", "cluster")
    assert done.returncode == 0, done.stderr
    assert (installed.folder / "cluster" / "queues.yaml").is_file()
    copied = installed.tenure("decide", "cluster", *DECIDE[3:])
    assert copied.returncode == 0, copied.stderr
    assert json.loads(copied.stdout) == json.loads(installed.tenure(*DECIDE).stdout)


def test_the_installed_scenarios_are_played(installed: Installed) -> None:
    done = installed.tenure("simulate", "--scenario", "tbp-it-2-rotation", "--story", "0")
    assert done.returncode == 0, done.stderr
    assert "Loop: the state of" in done.stdout


def test_the_installed_plugin_collects_expectations(installed: Installed) -> None:
    cluster = installed.folder / "queues"
    assert installed.tenure("example", "two-teams", "--to", str(cluster)).returncode == 0
    expected = "{workload: job-eval-suite-d739e, decision: Preempt}"
    said = f"manifests: .\nnow: 2026-03-02T14:00:00Z\nexpect: [{expected}]\n"
    (cluster / "quota.tenure.yaml").write_text(said, encoding="utf-8")
    done = installed.run("pytest", "-p", "no:cacheprovider", "-q", "queues")
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout
    assert installed.tenure("test", "queues").stdout.endswith("test: 1 expectation, 0 fail\n")


def test_the_kubectl_plugin_needs_no_extra(without_solvers: Installed) -> None:
    done = without_solvers.run("kubectl-tenure", "why", "ml/old", "--kubeconfig", "gone")
    assert done.returncode == 4
    assert done.stderr.startswith("error: kubectl")


def test_the_sizes_are_told(
    wheel: Path, without_solvers: Installed, capsys: pytest.CaptureFixture[str]
) -> None:
    found = (wheel, without_solvers.bin.parent / "lib")
    sizes = [
        sum(file.stat().st_size for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file())
        for path in found
    ]
    with capsys.disabled():
        print(f"wheel {sizes[0] / 2**20:.1f} MiB, environment without extras {sizes[1] / 2**20:.0f} MiB")
    # `uvx tenure` downloads it all before it answers: nothing that was built or drawn belongs in it.
    assert sizes[0] < LARGEST_WHEEL


@pytest.mark.parametrize("words", ["prove", "analyze matrix --example two-teams"])
def test_without_the_solvers_a_command_says_what_to_install(words: str, without_solvers: Installed) -> None:
    done = without_solvers.tenure(*words.split())
    assert done.returncode == 2
    assert "pip install 'tenure[proofs]'" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_without_numpy_a_program_is_compared_and_what_needs_it_says_what_to_install(
    without_solvers: Installed,
) -> None:
    oracle = f"{without_solvers.bin / 'tenure'} oracle"
    done = without_solvers.tenure("conform", "--exec", oracle, "--only", "TBP-010", "--scenarios", "20")
    assert done.returncode == 0, done.stderr
    for needs in (("campaign", "--scenarios", "20"), ("vectors", "run", "TBP-", "--engine", "fast")):
        done = without_solvers.tenure(*needs)
        assert done.returncode == 2
        assert "pip install 'tenure[fast]'" in done.stderr


def test_without_the_solvers_everything_else_works(without_solvers: Installed) -> None:
    assert without_solvers.tenure(*DECIDE).returncode == 0
    assert without_solvers.tenure("vectors", "run").returncode == 0
    assert without_solvers.tenure("prove", "--help").returncode == 0


NOW = "--now 2026-03-02T14:00:00Z"
JOB = f"--example two-teams -w team-b/job-eval-suite-d739e {NOW}"
CHART = "tenure simulate --scenario tbp-it-2-rotation --chart"
BARE = {
    "tenure --version": 0,
    f"tenure why-not team-a/job-doc-index-dfa0b --example two-teams {NOW}": 0,
    "tenure validate --example two-teams": 0,
    "tenure schema decide": 0,
    "python -m tenure --version": 0,
    "kubectl-tenure --help": 0,
    f"{CHART} chart.svg": 0,
    f"{CHART} chart.png": 2,
}
"""What needs no extra, and the exit code; what needs one says so."""
DRAWN = "from tenure_lab.generators import strategies; print(len(strategies.__all__))"
EXTRAS = {
    "proofs": ("tenure prove --only PO-TBP-010 --no-mutants --no-cache",),
    "strategies": (f"python -c '{DRAWN}'",),
    "fast": (f"tenure decide {JOB} --engine fast", "tenure vectors run KQ-0 --engine fast"),
    "campaign": ("tenure campaign --scenarios 20 --seed 1",),
    "charts": (f"{CHART} chart.png",),
    "pytest": ("tenure example two-teams --to queues", "pytest -p no:cacheprovider -q queues"),
}
"""What each extra is for."""
EXPECTED = (
    "manifests: .\nnow: 2026-03-02T14:00:00Z\nexpect: [{workload: job-eval-suite-d739e, decision: Preempt}]\n"
)


@pytest.mark.parametrize("line", BARE)
def test_without_an_extra_a_command_does_what_needs_none(line: str, without_solvers: Installed) -> None:
    done = without_solvers.run(*shlex.split(line))
    assert done.returncode == BARE[line], done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("extra", EXTRAS)
def test_each_extra_alone_does_what_it_is_for(
    extra: str, wheel: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    alone = _installed(tmp_path_factory, extra, f"{wheel}[{extra}]")
    for line in EXTRAS[extra]:
        done = alone.run(*shlex.split(line))
        assert done.returncode == 0, done.stdout + done.stderr
        if "--to" in line:
            (alone.folder / "queues" / "quota.tenure.yaml").write_text(EXPECTED, encoding="utf-8")


def test_importing_tenure_imports_none_of_its_heavy_dependencies() -> None:
    program = f"import sys, tenure; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
