"""What a release needs: one version, a lock of everything, licences that go together, pinned actions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools import licences, release_check, stages

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("check", ["versions", "pages", "lock", "licences", "links"])
def test_a_release_would_not_fail_by(check: str) -> None:
    found = list(release_check.CHECKS[check]())
    assert [line for line in found if not line.startswith("ok: ")] == []
    assert found[-1].startswith("ok: ")


def test_a_licence_that_is_not_known_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(licences, "PERMISSIVE", licences.PERMISSIVE - {"MIT"})
    assert any(problem.startswith("pydantic: licence: found 'MIT'") for problem in licences.problems())


def test_a_stage_that_failed_or_was_not_run_keeps_from_a_release() -> None:
    said = "".join(f"{stage.name:20}{'passed':24}{'3 s':>8}\n" for stage in stages.STAGES)
    assert all(line.startswith("ok: ") for line in release_check.stages_in(said))
    failed = said.replace("passed", "failed", 1)
    assert [line for line in release_check.stages_in(failed) if not line.startswith("ok: ")] == [
        f"{stages.STAGES[0].name}: found failed, expected passed"
    ]
    cut = said.splitlines(keepends=True)[:-1]
    (missing,) = [line for line in release_check.stages_in("".join(cut)) if not line.startswith("ok: ")]
    assert missing == f"{stages.STAGES[-1].name}: found nothing of it, expected passed"


def test_another_version_somewhere_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release_check, "__version__", "9.9.9")
    found = [line for line in release_check.versions() if not line.startswith("ok: ")]
    assert {line.partition(":")[0] for line in found} == {
        "pyproject.toml",
        "Containerfile",
        "docs/reference/platforms.md",
    }


def test_every_foreign_action_is_named_by_its_commit() -> None:
    used = re.findall(r"uses: (\S+)", (ROOT / "action.yml").read_text(encoding="utf-8"))
    assert used
    assert [name for name in used if not re.search(r"@[0-9a-f]{40}$", name)] == []


def test_no_hook_runs_what_is_not_pinned() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert re.findall(r"repo: (\S+)", hooks) == ["local"]
    assert set(re.findall(r"entry: (\S+)", hooks)) <= {
        f".venv/bin/{name}" for name in ("ruff", "mypy", "lint-imports", "python")
    }
