"""The built site, for the tests that read it and for those that open it in a browser."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.docs.built import Site, built_site, read


@pytest.fixture(scope="session")
def site_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the whole site; all workers of a run share one."""
    base = tmp_path_factory.getbasetemp()
    return built_site(base.parent if "PYTEST_XDIST_WORKER" in os.environ else base)


@pytest.fixture(scope="session")
def site(site_root: Path) -> Site:
    """The whole site, its pages read."""
    return read(site_root)
