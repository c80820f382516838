"""What the tests of the CI kit share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tenure.cli import main
from tests.cikit.command import Run, Said, in_process


@pytest.fixture
def run_tenure() -> Run:
    """Runs `tenure` in a folder."""

    def run(folder: Path, *arguments: str) -> Said:
        return in_process(main, arguments, folder)

    return run
