"""A repository as users have one: queues, workloads, expectations, and YAML of others."""

from __future__ import annotations

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = Path(__file__).with_name("sample")
NOW = "2026-03-02T13:00:02Z"


def sample(folder: Path) -> Path:
    """A copy of the sample, which is in order."""
    return shutil.copytree(SAMPLE, folder / "repository")


STATES = """\
title: whatever workloads come, evaluation waits until training has had its four hours
manifests: [queues/]
never:
  preemptor: {priorityClass: low}
  victim: {clusterQueue: gpu, priorityClass: high}
keeps: {clusterQueue: gpu, for: 4h, against: equals}
reaches: {clusterQueue: gpu, nominal: true}
"""


def assert_states(repository: Path) -> Path:
    """A file that asserts what holds in every state of the sample's queues."""
    file = repository / "states.tenure.yaml"
    file.write_text(STATES, encoding="utf-8")
    return file


def break_protection(repository: Path) -> int:
    """A shorter minAdmitDuration; the line it is in."""
    file = repository / "queues" / "gpu.yaml"
    change(file, "minAdmitDuration: 4h", "minAdmitDuration: 10m")
    return _line(file, "minAdmitDuration: 10m")


def change(file: Path, before: str, after: str) -> None:
    """Replace what is in a file once."""
    text = file.read_text(encoding="utf-8")
    assert text.count(before) == 1, (file, before)
    file.write_text(text.replace(before, after), encoding="utf-8")


SHADOWED = (
    *("pip", "tenure", "tenure_kai", "tenure_play", "tenure_simulate", "tenure_lab"),
    *("tenure_check", "tenure_report", "tenure_proofs"),
    *("multiprocessing", "json", "sitecustomize", "usercustomize"),
)
"""Modules that some interpreter would find in its current folder, in that of the script, or by PYTHONPATH."""


def plant_modules(repository: Path) -> Path:
    """Modules of a pull request under the names of others'; what a program wrote that was made to run one."""
    written = repository.parent / "imported"
    for name in SHADOWED:
        for part in ("__init__", "__main__"):
            file = repository / name / f"{part}.py"
            file.parent.mkdir(exist_ok=True)
            said = f"print({name!r}, {part!r}, file=open({str(written)!r}, 'a'))"
            file.write_text(f"{said}\nraise SystemExit(66)\n", encoding="utf-8")
    return written


def plant_options(repository: Path) -> tuple[list[Path], list[str], list[str]]:
    """Manifests and expectations that are named like options; first what two of these would overwrite."""
    victims = [repository.parent / "precious.yaml", repository.parent / "precious.tenure.yaml"]
    for victim in victims:
        victim.write_text("precious", encoding="utf-8")
    worst, worst_test = (f"--report=junit={victim}" for victim in victims)
    manifests = [worst, "--help.yaml", "--old=queues.yaml", "--.yaml", "-.yaml", "-ojson.yaml"]
    expectations = [worst_test, "--help.tenure.yaml", "--.tenure.yaml", "-.tenure.yaml", "-ojson.tenure.yaml"]
    for number, name in enumerate([*manifests, *expectations]):
        flavor = (
            f"{{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {{name: f{number}}}}}"
        )
        text = flavor if name in manifests else f"manifests: [{flavor}]\nvalidate: valid\n"
        file = repository / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return victims, manifests, expectations


def break_quota(repository: Path) -> int:
    """A quota below zero; the line it is in."""
    file = repository / "queues" / "gpu.yaml"
    change(file, "nominalQuota: 8", "nominalQuota: -8")
    return _line(file, "nominalQuota: -8")


def break_expectation(repository: Path) -> int:
    """An expectation that does not hold; the line it is in."""
    file = repository / "quota.tenure.yaml"
    change(file, "  decision: NoCandidates", "  decision: Preempt")
    return _line(file, "  decision: Preempt")


def _line(file: Path, text: str) -> int:
    return file.read_text(encoding="utf-8").splitlines().index(_only(file, text)) + 1


def _only(file: Path, text: str) -> str:
    return next(line for line in file.read_text(encoding="utf-8").splitlines() if text in line)
