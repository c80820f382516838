"""The wheel in empty environments: bare and with each extra alone, on the oldest and the newest interpreter.

    python -m tools.environments dist/tenure-0.1.0-py3-none-any.whl
    python -m tools.environments WHEEL 3.11:proofs 3.14:-

Each environment is made below build/environments, is used from a folder outside the repository, and gets what
constraints.txt pins. Where an interpreter is not here, the nearest that is takes its place and is named.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tools.pythons import PYTHONS, environment, nearest

BARE: Final = "-"
_NOW: Final = "--now 2026-03-02T14:00:00Z"
_JOB: Final = f"--example two-teams -w team-b/job-eval-suite-d739e {_NOW}"
_DRAWN: Final = "from tenure.lab import strategies; print(len(strategies.__all__))"

TRIED: Final[Mapping[str, tuple[tuple[str, int], ...]]] = {
    BARE: (
        ("tenure --version", 0),
        (f"tenure decide {_JOB} --explain", 0),
        (f"tenure why-not team-a/job-doc-index-dfa0b --example two-teams {_NOW}", 0),
        ("tenure validate --example two-teams", 0),
        ("tenure play --scenario tbp-it-2-rotation", 0),
        ("tenure vectors run TBP-", 0),
        ("tenure show KQ-320", 0),
        ("tenure schema decide", 0),
        ("python -m tenure --version", 0),
        ("kubectl-tenure --help", 0),
        ("kubectl-tenure why ml/old --kubeconfig gone", 4),
        # What an extra is needed for is said, not stumbled over.
        ("tenure prove", 2),
        ("tenure play --scenario tbp-it-2-rotation --chart chart.svg", 0),
        ("tenure play --scenario tbp-it-2-rotation --chart chart.png", 2),
        ("tenure analyze matrix --example two-teams", 2),
        ("tenure campaign --scenarios 20", 2),
        ("tenure vectors run TBP- --engine fast", 2),
        ("tenure conform --exec 'tenure oracle' --only TBP-010 --scenarios 20", 0),
    ),
    "proofs": (("tenure prove --only PO-TBP-010 --no-mutants --no-cache", 0),),
    "strategies": ((f"python -c '{_DRAWN}'", 0),),
    "fast": ((f"tenure decide {_JOB} --engine fast", 0), ("tenure vectors run KQ-0 --engine fast", 0)),
    "campaign": (("tenure campaign --scenarios 20 --seed 1", 0),),
    "charts": (("tenure play --scenario tbp-it-2-rotation --chart chart.png", 0),),
    "pytest": (("pytest -p no:cacheprovider -q queues", 0),),
}
"""What is run with each extra, and the exit code that it ends with."""


def failures(folder: Path, extra: str) -> list[str]:
    """What does not end as it should."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    cluster = elsewhere / "queues"
    copied = _run(folder, elsewhere, ["tenure", "example", "two-teams", "--to", str(cluster)])
    if copied.returncode:
        return [f"tenure example: exit code {copied.returncode}\n{copied.stderr}"]
    expected = "{workload: job-eval-suite-d739e, decision: Preempt}"
    said = f"manifests: .\nnow: 2026-03-02T14:00:00Z\nexpect: [{expected}]\n"
    (cluster / "quota.tenure.yaml").write_text(said, encoding="utf-8")
    wrong = []
    for line, code in TRIED[extra]:
        done = _run(folder, elsewhere, shlex.split(line))
        if done.returncode != code or "Traceback" in done.stderr:
            wrong.append(f"{line}: exit code {done.returncode}, expected {code}\n{done.stdout}{done.stderr}")
    return wrong


def _run(folder: Path, where: Path, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    outside = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TENURE_"))
    }
    outside["PATH"] = f"{folder / 'bin'}{os.pathsep}{outside['PATH']}"
    outside |= {"KUBECONFIG": str(where / "none"), "HOME": str(where)}
    command = [str(folder / "bin" / words[0]), *words[1:]]
    return subprocess.run(command, cwd=where, env=outside, capture_output=True, text=True, check=False)


def _size(folder: Path) -> str:
    count = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return f"{count / 2**20:.0f} MiB"


def main(words: Sequence[str]) -> int:
    """Try a wheel; 1 where something fails."""
    if not words:
        print(__doc__, file=sys.stderr)
        return 2
    wheel = Path(words[0]).resolve()
    bad = 0
    for asked in words[1:] or [f"{version}:{extra}" for version in PYTHONS for extra in TRIED]:
        version, _, extra = asked.partition(":")
        found = nearest(version)
        if found is None:
            print(f"{asked}: not here")
            continue
        used = found[0] if found[0] == version else f"{found[0]} (for {version}, which is not here)"
        what = str(wheel) if extra == BARE else f"{wheel}[{extra}]"
        folder = environment(f"environments/{found[0]}{extra}", found[1], what)
        wrong = failures(folder, extra)
        print(f"Python {used}, {extra}: {_size(folder)}, {len(TRIED[extra])} commands, {len(wrong)} fail")
        print("".join(f"{problem}\n" for problem in wrong), end="", flush=True)
        bad += len(wrong)
        shutil.rmtree(folder)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
