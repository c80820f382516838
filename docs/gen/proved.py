"""The report of a whole `tenure prove`, run once for each state of the sources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from docs.gen.sources import ROOT
from tenure.disk import write_file
from tenure.keeping import digest, digest_of_files
from tenure_proofs.cache import default_folder
from tenure_proofs.command import Clusters, Plan, run_plan
from tenure_proofs.report import to_json
from tenure_proofs.solvers import solver_versions

CACHE = ROOT / "build" / "proofs"
SEEDS = 6
"""As `make check` asks, so that what either has kept serves the other."""
_PROVED_FROM = ("refimpl/**/*.py", "proofs/**/*.py", "spec/readings.toml")


def proof_report() -> dict[str, Any]:
    """What `tenure prove -o json` prints.

    Raises:
        SystemExit: a verdict is not as expected. The site shows what is proved, so it is not built.
    """
    cached = CACHE / f"{fingerprint()}.json"
    if cached.exists():
        report: dict[str, Any] = json.loads(cached.read_text(encoding="utf-8"))
    else:
        report = to_json(run_plan(Plan(seeds=SEEDS, bounded=Clusters.USUAL, cache=default_folder())))
        store(cached, report)
    if not report["good"]:
        raise SystemExit("the proofs are not as expected: run `tenure prove`")
    return report


def fingerprint() -> str:
    """A hash of everything that a verdict depends on: the two packages, the presets, the solvers."""
    files = (path for pattern in _PROVED_FROM for path in ROOT.glob(pattern))
    return digest(sorted(solver_versions().items()), digest_of_files(ROOT, files))[:16]


def store(path: Path, made: Any) -> None:
    """Keep what was made, as JSON, in place of what was kept before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for stale in path.parent.glob("*.json"):
        stale.unlink(missing_ok=True)
    write_file(path, json.dumps(made), durable=False)
