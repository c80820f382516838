"""The published vectors with the reference's reasons, as the Go module `tenuretest` embeds them.

    python -m tools.go_vectors   writes go/vectors.json.gz again, and, with Go, the files for Kueue

A vector is that of its file, with its area, and for a decision two more fields. `reasons` has a sentence for
each running workload, as `tenure conform` prints it for a workload in which answers differ; `summary` is what
it prints where they differ in none.
"""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from tenure.conformance.requests import read_decide_request
from tenure.conformance.vectors import Vector, load_vectors
from tenure.explanation.answers import why_not_answer
from tenure_lab.conform_report import workload_reason
from tenure_lab.verdicts import DECIDE

ROOT: Final = Path(__file__).resolve().parents[1]
FOLDER: Final = ROOT / "go"
FILE: Final = FOLDER / "vectors.json.gz"
DROPPED_IN: Final = FOLDER / "kueue" / "preemption"
"""The files for Kueue."""


def packed() -> str:
    """What the file has, as JSON."""
    vectors = [{"area": vector.file.stem, **vector.data, **_reasons(vector)} for vector in load_vectors()]
    return json.dumps(vectors, ensure_ascii=False, separators=(",", ":"))


def recorded() -> str:
    """What the file has now; empty without one."""
    return gzip.decompress(FILE.read_bytes()).decode("utf-8") if FILE.exists() else ""


def _reasons(vector: Vector) -> dict[str, Any]:
    if vector.data["call"] != DECIDE or "error" in vector.data["expect"]:
        return {}
    decision = read_decide_request(vector.request()["input"]).decided()
    victims = {victim["workload"] for victim in vector.data["expect"]["preempted"]}
    reasons = {
        workload.key: workload_reason(decision, workload, workload.key in victims)
        for workload in decision.running
    }
    return {"reasons": reasons, "summary": why_not_answer(decision, counterfactuals=0).summary}


def _write() -> int:
    text = packed()
    # Compressed bytes depend on the version of zlib, so a file with the same content is left as it is.
    if text != recorded():
        FILE.write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))
    return drop_in()


def drop_in() -> int:
    """Write the files for Kueue again; the exit code is 1 without Go."""
    if shutil.which("go") is None:
        print(
            "no Go here: `go run ./dropin` in the folder go writes the files for Kueue again", file=sys.stderr
        )
        return 1
    return subprocess.run(["go", "run", "./dropin"], cwd=FOLDER, check=False).returncode


if __name__ == "__main__":
    sys.exit(_write())
