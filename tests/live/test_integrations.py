"""What Kueue's integrations make of manifests of jobs is what was recorded of them."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from tests.integrations import RECORDED, SAMPLES
from tests.live.programs import HERE, missing


@pytest.mark.skipif(bool(missing()), reason=missing() or "never")
def test_the_recorded_workloads_are_those_that_kueue_makes() -> None:
    """To record them: `go run ./integrations integrations/samples/*.yaml > integrations/workloads.json`."""
    # Built as the control plane is, so that its packages are in Go's cache.
    build = ["go", "run", "-mod=readonly", "-trimpath", "-p", "2", "./integrations"]
    made = subprocess.run(
        [*build, *map(str, sorted(SAMPLES.glob("*.yaml")))],
        cwd=HERE,
        env={**os.environ, "CGO_ENABLED": "0"},
        check=False,
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout) == json.loads(RECORDED.read_text(encoding="utf-8"))
