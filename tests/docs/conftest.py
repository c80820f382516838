"""The built site, for the tests that read it and for those that open it in a browser."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.docs.built import Site, build, read
from tests.shared import shared_folder


@pytest.fixture(scope="session")
def site_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the whole site; all workers of a run share one. A built one may be named."""
    if built := os.environ.get("TENURE_BUILT_SITE"):
        return Path(built)
    return shared_folder(tmp_path_factory, "site", build)


@pytest.fixture(scope="session")
def site(site_root: Path) -> Site:
    """The whole site, its pages read."""
    return read(site_root)
