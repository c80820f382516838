"""The report of a whole `tenure prove`, run once for each state of the sources."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from docs.gen.sources import ROOT
from tenure.disk import write_file
from tenure.keeping import digest, digest_of_files
from tenure_proofs.cache import default_folder
from tenure_proofs.command import Clusters
from tenure_proofs.command_run import Plan, run_plan
from tenure_proofs.report import to_json
from tenure_proofs.solvers import solver_versions

SEEDS = 6
"""As `make check` asks, so that what either has kept serves the other."""
_PROVED_FROM = ("refimpl/**/*.py", "proofs/**/*.py", "spec/readings.toml")


def proof_report() -> dict[str, Any]:
    """What `tenure prove -o json` prints.

    Raises:
        SystemExit: a verdict is not as expected. The site shows what is proved, so it is not built.
    """
    report: dict[str, Any] = kept("proofs", _PROVED_FROM, solver_versions(), _proved)
    if not report["good"]:
        raise SystemExit("the proofs are not as expected: run `tenure prove`")
    return report


def _proved() -> Any:
    return to_json(run_plan(Plan(seeds=SEEDS, bounded=Clusters.USUAL, cache=default_folder())))


def kept(name: str, patterns: Sequence[str], also: Mapping[str, str], make: Callable[[], Any]) -> Any:
    """What was made of files, as JSON; made again where one of them is another than before.

    Args:
        name: of the folder below build/ that has what was made last.
        patterns: of the files.
        also: what else it depends on.
        make: makes it.
    """
    files = (path for pattern in patterns for path in ROOT.glob(pattern))
    folder = ROOT / "build" / name
    path = folder / f"{digest(sorted(also.items()), digest_of_files(ROOT, files))[:16]}.json"
    if not path.exists():
        made = json.dumps(make())
        folder.mkdir(parents=True, exist_ok=True)
        for stale in folder.glob("*.json"):
            stale.unlink(missing_ok=True)
        write_file(path, made, durable=False)
    return json.loads(path.read_text(encoding="utf-8"))
