"""The pytest plugin, in a pytest of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.cikit.repository import break_expectation, sample
from tests.command_line import run_program

EXCEPTED = """\
manifests: [queues/]
noLoop: {upTo: 9, within: 1ns, except: {reason: it takes too long, until: 2999-12-31}}
"""
PLAIN = """\
import sys

def test_nothing_of_it_is_imported_where_nothing_is_asked_for():
    assert "tenure_check.pytest_plugin" in sys.modules
    ours = {name for name in sys.modules if name == "tenure" or name.startswith(("tenure.", "tenure_"))}
    assert ours == {"tenure_check", "tenure_check.pytest_plugin"}
"""


def pytest_in(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in a folder."""
    quiet = ("-q", "-p", "no:cacheprovider", "--rootdir", str(folder))
    return run_program(sys.executable, "-m", "pytest", *quiet, *arguments, cwd=folder)


def test_other_tests_are_left_alone(tmp_path: Path) -> None:
    repository = sample(tmp_path)
    (repository / "test_plain.py").write_text(PLAIN, encoding="utf-8")
    done = pytest_in(repository, "test_plain.py")
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


def test_what_is_in_order_passes_by_readable_names(tmp_path: Path) -> None:
    repository = sample(tmp_path)
    (repository / "loops.tenure.yaml").write_text(EXCEPTED, encoding="utf-8")
    done = pytest_in(repository, "-vv", "-rx")
    assert done.returncode == 0, done.stdout
    assert "9 passed, 1 xfailed" in done.stdout
    assert "not all was simulated; exception until 2999-12-31: it takes too long" in done.stdout
    assert "quota.tenure.yaml::later: eval: preempts train PASSED" in done.stdout
    assert "quota.tenure.yaml::quota-1: ml/serving is never preempted PASSED" in done.stdout


def test_a_failure_is_explained_without_a_traceback(tmp_path: Path) -> None:
    repository = sample(tmp_path)
    line = break_expectation(repository)
    (repository / "bad.tenure.yaml").write_text("manifests: []\nexpct: []\n", encoding="utf-8")
    done = pytest_in(repository, "--continue-on-collection-errors", "-k", "quota-1")
    assert done.returncode == 1
    assert "1 failed, 3 passed" in done.stdout
    assert "1 error" in done.stdout
    where = f"quota.tenure.yaml:{line}: expect[0].decision: expected Preempt, found NoCandidates"
    assert where in done.stdout
    assert "minAdmitDuration below 4h (ClusterQueue gpu): would preempt ml/train" in done.stdout
    assert "bad.tenure.yaml: Test/bad: expct: found [], expected no field of this name" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert "pytest_plugin.py" not in done.stdout


def test_what_is_set_aside_is_a_warning_that_may_be_an_error(tmp_path: Path) -> None:
    repository = sample(tmp_path)
    workloads = repository / "running" / "workloads.yaml"
    waits = workloads.read_text(encoding="utf-8").rpartition("---\n")[2]
    lost = waits.replace("name: eval", "name: lost").replace("queueName: batch", "queueName: gone")
    with workloads.open("a", encoding="utf-8") as file:
        file.write(f"---\n{lost}")
    never = ("-k", "never")
    done = pytest_in(repository, *never)
    assert done.returncode == 0, done.stdout
    assert "ManifestWarning: Workload/ml/lost: set aside: spec.queueName: found 'gone'" in done.stdout
    strict = pytest_in(repository, *never, "-W", "error::tenure_check.pytest_plugin.ManifestWarning")
    assert strict.returncode == 1
    assert "Workload/ml/lost: set aside" in strict.stdout
