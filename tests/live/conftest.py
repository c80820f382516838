"""The one control plane of a run; without Go or openssl the tests that need it are skipped."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live.plane import Plane, control_plane
from tests.live.programs import missing


@pytest.fixture(scope="session")
def plane(request: pytest.FixtureRequest) -> Iterator[Plane]:
    """A control plane on loopback; its logs are kept where a test of the run failed."""
    if reason := missing():
        pytest.skip(reason)
    with control_plane() as started:
        yield started
        if request.session.testsfailed:
            print(f"\nlogs of the control plane are in {started.keep_logs()}")
