"""The long run, with progress and a summary: `python -m tests.hostile --n 20000 --seed 1`."""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.hostile.cases import Target, case, cases
from tests.hostile.trials import Trial, asked, commanded, peak_memory, tried

PROGRESS = 1000
BATCH = 500


def main() -> int:
    """Run, report, and say by the exit code whether anything was found."""
    given = _arguments()
    if given.only is not None:
        chosen = case(given.only, given.seed)
        sys.stdout.buffer.write(chosen.data + b"\n")
        with tempfile.TemporaryDirectory() as folder:
            trial = tried(chosen, Path(folder))
        print(
            f"{chosen.kind} {chosen.target} {chosen.suffix}: {trial.outcome}\n{trial.fault}", file=sys.stderr
        )
        return 1 if trial.fault else 0
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        trials = _all(given.n, given.seed, given.commands, Path(folder))
    _summarise(trials, given.seed, time.perf_counter() - started)
    return 1 if any(trial.fault for _, trial in trials) else 0


def _all(count: int, seed: int, commands: int, folder: Path) -> list[tuple[str, Trial]]:
    """Every case in this process; some of the files as a command; every line in a process of the oracle."""
    found: list[tuple[str, Trial]] = []
    lines = []
    started = time.perf_counter()
    every = max(1, count // max(1, commands))
    for drawn in cases(count, seed):
        found.append(("in process", _kept(tried(drawn, folder))))
        if drawn.target == Target.LINE:
            lines.append(drawn)
        elif commands and drawn.number % every in (0, 1):
            found.append(("command", _kept(commanded(drawn, folder))))
        if len(lines) == BATCH or drawn.number == count - 1:
            found += [("oracle process", _kept(trial)) for trial in asked(lines)]
            lines = []
        if drawn.number % PROGRESS == PROGRESS - 1:
            faults = sum(1 for _, trial in found if trial.fault)
            spent = time.perf_counter() - started
            print(
                f"{drawn.number + 1} cases, {faults} faults, {spent:.0f} s, {peak_memory():.0f} MiB",
                flush=True,
            )
    return found


def _kept(trial: Trial) -> Trial:
    if trial.fault:
        print(f"--- case {trial.case.number}, {trial.case.kind}:\n{trial.fault}", flush=True)
    return trial


def _summarise(trials: list[tuple[str, Trial]], seed: int, seconds: float) -> None:
    counts = Counter((how, trial.case.kind, trial.outcome) for how, trial in trials)
    print(f"\n{'how':15} {'kind':24} {'outcome':28} {'cases':>6}")
    for (how, kind, outcome), count in sorted(counts.items()):
        print(f"{how:15} {kind:24} {outcome[:28]:28} {count:6}")
    print("\nslowest, in process:")
    own = [trial for how, trial in trials if how == "in process"]
    for trial in sorted(own, key=lambda trial: -trial.seconds)[:8]:
        print(f"{trial.seconds:7.2f} s    {_named(trial)}")
    print("\nmost memory, in process:")
    for trial in sorted(own, key=lambda trial: -trial.grown)[:5]:
        print(f"{trial.grown:+7.0f} MiB  {_named(trial)}")
    faults = sum(1 for _, trial in trials if trial.fault)
    ways = Counter(how for how, _ in trials)
    print(
        f"\nseed {seed}: {', '.join(f'{count} {name}' for name, count in ways.items())}; {faults} faults;"
        f" {seconds:.0f} s; peak memory {peak_memory():.0f} MiB here,"
        f" {peak_memory(resource.RUSAGE_CHILDREN):.0f} MiB in a process"
    )


def _named(trial: Trial) -> str:
    return f"case {trial.case.number}, {trial.case.kind}, {len(trial.case.data)} bytes: {trial.outcome}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=20_000, help="how many cases")
    parser.add_argument("--seed", type=int, default=1, help="which cases")
    parser.add_argument("--commands", type=int, default=200, help="how many of the files go to a command too")
    parser.add_argument("--only", type=int, help="print and run one case, by its number")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
