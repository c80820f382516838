"""What holds for every test."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

# A machine that is busy is no fault of a test; speed is measured by benchmarks.
settings.register_profile("untimed", deadline=None, print_blob=True)
settings.load_profile("untimed")


@pytest.fixture(scope="session", autouse=True)
def kept_by_this_run_alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What commands keep is shared by the workers of this run, and by no other run.

    Unless whoever started it names a folder: continuous integration proves everything once, in a new one.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    before = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = os.environ.get("TENURE_TEST_CACHE", str(shared / "kept"))
    yield
    if before is None:
        del os.environ["XDG_CACHE_HOME"]
    else:
        os.environ["XDG_CACHE_HOME"] = before
