"""What workers share is made once, and made again where making it failed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.shared import shared_base, shared_folder


def test_all_workers_of_a_run_have_one_folder(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw1")
    assert shared_base(tmp_path_factory) == tmp_path_factory.getbasetemp().parent
    monkeypatch.delenv("PYTEST_XDIST_WORKER")
    assert shared_base(tmp_path_factory) == tmp_path_factory.getbasetemp()


def test_the_first_makes_it_and_the_others_wait(tmp_path_factory: pytest.TempPathFactory) -> None:
    made: list[Path] = []

    def make(folder: Path) -> None:
        made.append(folder)
        (folder / "part").touch()

    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(shared_folder, tmp_path_factory, "made-once", make) for _ in range(4)]
        found = {future.result() for future in asked}
    assert found == set(made)
    assert len(made) == 1
    assert [path.name for path in made[0].iterdir()] == ["part"]


def test_what_failed_is_made_again(tmp_path_factory: pytest.TempPathFactory) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        shared_folder(tmp_path_factory, "made-anew", fail)
    assert list(shared_folder(tmp_path_factory, "made-anew", lambda _: None).iterdir()) == []
