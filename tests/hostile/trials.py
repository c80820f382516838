"""One case put to the loader, the command line or the oracle, and what came of it."""

from __future__ import annotations

import json
import re
import resource
import signal
import subprocess
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import tenure
from tenure.as_json import as_json
from tenure.conformance.lines import answer_line
from tenure.conformance.rendering import render_decision
from tenure.errors import InputError
from tests.command_line import PATIENCE_S, TENURE
from tests.hostile.cases import Case, Target

LIMIT: Final = 5.0
"""Seconds of processor time that a case may take."""

NOW: Final = "2026-08-22T12:00:00Z"
_DECIDED: Final = 2
_EXIT_CODES: Final = (0, 1, 2)


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of a case.

    Args:
        case: the case.
        outcome: in a few words.
        seconds: how long it took.
        grown: MiB by which the peak of this process's memory rose.
        fault: what must not happen, and did; empty if nothing did.
    """

    case: Case
    outcome: str
    seconds: float
    grown: float
    fault: str = ""


def tried(case: Case, folder: Path) -> Trial:
    """Run a case in this process."""
    before, started = peak_memory(), time.process_time()
    fault = ""
    try:
        with _limited(4 * LIMIT):
            outcome = _answered(case.data) if case.target == Target.LINE else _loaded(_written(case, folder))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what this looks for
        outcome, fault = "fault", "".join(traceback.format_exception(error)[-4:])
    seconds = time.process_time() - started
    if outcome.startswith("internal"):
        fault = outcome
    if seconds > LIMIT and not fault:
        fault = f"took {seconds:.1f} s"
    return Trial(case, outcome, seconds, peak_memory() - before, fault)


def commanded(case: Case, folder: Path) -> Trial:
    """Run a case of the loader as a process."""
    path = _written(case, folder)
    started = _children()
    done = subprocess.run(
        [TENURE, "decide", path, "--now", NOW, "--verbose"],
        capture_output=True,
        check=False,
        timeout=PATIENCE_S,
        stdin=subprocess.DEVNULL,
    )
    seconds = _children() - started
    said = done.stderr + done.stdout
    fault = ""
    if done.returncode not in _EXIT_CODES or b"Traceback" in said:
        fault = f"exit code {done.returncode}: {said[-2000:].decode('utf-8', 'replace')}"
    elif done.returncode == 2 and b"error: " not in done.stderr:
        fault = "exit code 2 without a message"
    elif seconds > LIMIT + 1:
        fault = f"took {seconds:.1f} s"
    return Trial(case, f"exit code {done.returncode}", seconds, 0.0, fault)


def asked(chosen: Sequence[Case]) -> Iterator[Trial]:
    """Put cases of the oracle to one process, one line each, and read one answer for each."""
    lines = [case.data for case in chosen]
    started = _children()
    done = subprocess.run(
        [TENURE, "oracle"], input=b"\n".join(lines), capture_output=True, check=False, timeout=PATIENCE_S
    )
    figure = (_children() - started) / max(1, len(chosen))
    answers = done.stdout.splitlines()
    expected = [case for case in chosen if case.data.strip()]
    fault = ""
    if done.returncode != 0 or done.stderr:
        fault = f"exit code {done.returncode}: {done.stderr[-2000:].decode('utf-8', 'replace')}"
    elif len(answers) != len(expected):
        fault = f"{len(answers)} answers to {len(expected)} lines"
    for case, said in zip(expected, answers, strict=False):
        yield Trial(case, _judged(said), figure, 0.0, fault or _fault_of(said))


def peak_memory(who: int = resource.RUSAGE_SELF) -> float:
    """MiB.

    Where the system says how much this process itself has held since it began its program, that counts: what
    it inherits from whoever started it is in the other figure too.
    """
    own = Path("/proc/self/status")
    if who == resource.RUSAGE_SELF and own.exists():
        held = re.search(r"^VmHWM:\s+(\d+) kB$", own.read_text(encoding="ascii"), re.MULTILINE)
        if held is not None:
            return int(held[1]) / 1024
    return resource.getrusage(who).ru_maxrss / 1024


def _children() -> float:
    """Seconds of processor time of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _written(case: Case, folder: Path) -> Path:
    path = folder / f"case{case.suffix}"
    path.write_bytes(case.data)
    return path


def _loaded(path: Path) -> str:
    try:
        loaded = tenure.load(path)
    except InputError as error:
        _check_problems(error)
        return "refused"
    outcomes = [_decided(loaded, workload.key) for workload in loaded.cluster.pending[:_DECIDED]]
    return outcomes[0] if outcomes else "loaded"


def _decided(loaded: Any, workload: str) -> str:
    try:
        decision = tenure.decide(loaded, workload, now=NOW)
    except InputError as error:
        _check_problems(error)
        return "loaded, not decided"
    json.dumps(as_json(render_decision(decision, explained=True)), allow_nan=False)
    return "decided"


def _check_problems(error: InputError) -> None:
    """A message can be printed and acted on, and is no copy of the input."""
    for problem in error.problems:
        said = str(problem)
        assert problem.found, f"no value in {said!r}"
        assert problem.expected, f"nothing expected in {said!r}"
        assert len(said) < 2000, f"{len(said)} characters: {said[:200]}"
        assert said.isprintable(), ascii(said)


def _answered(line: bytes) -> str:
    said = answer_line(line)
    text = json.dumps(said)
    return _judged(text.encode())


def _judged(line: bytes) -> str:
    said = json.loads(line)
    error = said.get("error")
    if error is None:
        return f"answered {said['output']['decision']}"
    return f"internal: {error['message']}" if error["code"] == "internal" else f"error {error['code']}"


def _fault_of(line: bytes) -> str:
    outcome = _judged(line)
    return outcome if outcome.startswith("internal") else ""


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError(f"still running after {seconds:.0f} s")

    before: Any = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


Runner = Callable[[Case, Path], Trial]
