"""Processes of our own, started in a folder that holds modules under the names of others'."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from tenure.processes import spawning
from tests.cikit.repository import plant_modules
from tests.command_line import tenure_process


def test_no_process_of_a_pool_and_no_program_of_ours_imports_from_the_current_folder(tmp_path: Path) -> None:
    folder = tmp_path / "checkout"
    folder.mkdir()
    imported = plant_modules(folder)
    asked = ("conform", "--exec", "oracle", "--no-vectors", "--scenarios", "2", "--jobs", "2")
    done = tenure_process(*asked, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not imported.exists(), imported.read_text(encoding="utf-8")


@pytest.mark.parametrize("said", [None, "", "1"])
def test_what_a_process_of_a_pool_starts_gets_the_users_environment(
    said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if said is None:
        monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    else:
        monkeypatch.setenv("PYTHONSAFEPATH", said)
    with ProcessPoolExecutor(1, mp_context=spawning()) as pool:
        assert pool.submit(os.getenv, "PYTHONSAFEPATH").result() == said
    assert os.environ.get("PYTHONSAFEPATH") == said
