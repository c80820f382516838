"""Manifests of jobs, and the Workloads that Kueue's own integrations make of them, as recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent / "live" / "integrations"
SAMPLES: Final = FOLDER / "samples"
CLUSTER: Final = FOLDER / "cluster.yaml"
RECORDED: Final = FOLDER / "workloads.json"


def recorded() -> dict[str, list[dict[str, Any]]]:
    """By the name of the sample, the Workloads that Kueue makes of it."""
    found: dict[str, list[dict[str, Any]]] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return found
