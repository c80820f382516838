"""What is asked of a changed source: vectors, whole decisions, plays, the optimized core, tests.

Everything is imported once. Each change is made in a process of its own that is forked from there: no file is
written, and nothing that one change leaves in memory meets another. Before that, one such process asks the
sources as they are: nothing may be noticed then, what each case takes is the measure for one that does not
end, and what the optimized core answers is kept, since right rules are compiled into it.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, TypeVar

import pytest

from tenure.conformance.requests import DecideRequest
from tenure.conformance.vectors import Vector, run_vector
from tenure.oracle.decide import decide
from tenure.readings import preset, preset_names
from tenure.resources import bundled
from tenure_lab.engines_compared import WAYS, PlainAnswer, answer_of_reference, compare
from tenure_lab.generators.scenarios import draw_for_core
from tenure_play import load_scenario, play
from tenure_proofs.bounded.case import Postcondition
from tenure_proofs.bounded.deciding import decide_with_oracle
from tenure_proofs.bounded.families import FAMILIES
from tenure_proofs.bounded.postconditions import POSTCONDITIONS
from tenure_proofs.bounded.spaces import Size
from tenure_proofs.bounded.trial import Trial
from tenure_proofs.registry import Verdict
from tests.published import published_vectors
from tests.tenure_proofs.trees import ROOT

PATIENCE = 20
"""So many times the processor time that it takes on the sources as they are, and `LEAST_S`, a case may take;
beyond that it is said not to end."""
LEAST_S = 5.0
MEMORY = 4 * 2**30
"""So many bytes more than at its beginning a process may get; beyond that it is said not to end."""
TESTS = {
    "oracle": (
        "refimpl/tenure/oracle",
        "tests/tenure/oracle",
        "tests/tenure/test_api.py",
        "tests/cli/test_accessible.py",
    ),
    "simulation": (
        "refimpl/tenure_play",
        "tests/tenure_play",
        "tests/cli/test_play.py",
        "tests/cli/test_play_objects.py",
    ),
}
"""The tests that are asked about a change in each area, doctests included."""
QUESTIONS = ("vector", "prove", "core", "scenario", "test", "bounded")
"""All that can be asked, the cheapest first; `prove` is asked by `fifty`, of a copy of the tree."""
MEETS = {
    "rules": ("vector", "core", "scenario", "bounded"),
    "oracle": ("vector", "core", "scenario", "bounded", "test"),
    "simulation": ("scenario", "test"),
}
"""What a change in each area can be met by: no decision asks `simulation`."""
NOT_ASKED = ("test_chart.py", "test_chart_commands.py", "test_scenarios.py")
"""About pictures; and what the scenarios say, which is asked before."""
QUIET = ("-x", "-p", "no:cacheprovider", "--assert=plain", "--hypothesis-seed=0", "--doctest-modules")

_Answer = TypeVar("_Answer")
Ask = Callable[[], str]
"""Says what is otherwise than it has to be; nothing where all is well."""
Case = tuple[str, Ask]
Function = tuple[str, str]
"""A file below the root, and the name within it, `Class.method`."""
FOLLOWED = ("vector", "scenario", "test")
"""Questions of which each case calls few functions, so that it pays to know which."""


@dataclass(frozen=True, slots=True)
class Noticed:
    """What noticed a change.

    Args:
        question: one of `QUESTIONS`; or `does not end`.
        case: which.
        said: what is otherwise.
    """

    question: str
    case: str
    said: str

    def __str__(self) -> str:
        said = " ".join(self.said.split())
        return f"{self.question} {self.case}: {said if len(said) < 160 else said[:157] + '...'}"


class AskingError(Exception):
    """The sources as they are do not pass what is asked, or it cannot be asked."""


class DoesNotEndError(BaseException):
    """A case has used far more processor time than any case does; no `except Exception` keeps it back."""


@dataclass
class Asked:
    """What is asked of every change, the cheapest question first.

    Args:
        seed, scenarios: of the campaign.
        size: of the bounded decisions.
        questions: what is asked, of `QUESTIONS`.
        core: what the optimized core answers about each scenario of the campaign; None where nothing is
            compared.
        takes: processor time of each case on the sources as they are, seconds.
        called: the functions that each case of `FOLLOWED` calls, as (file, name).
    """

    seed: int = 1
    scenarios: int = 0
    size: Size = Size.USUAL
    questions: tuple[str, ...] = QUESTIONS
    core: list[PlainAnswer | None] = field(default_factory=list)
    takes: dict[tuple[str, str], float] = field(default_factory=dict)
    called: dict[tuple[str, str], frozenset[Function]] = field(default_factory=dict)

    def first(self, area: str, only: Sequence[str] = (), changed: Function | None = None) -> Noticed | None:
        """The first case that notices anything.

        Args:
            area: of the change; what cannot meet it is not asked.
            only: cases of some questions, `vector <id>`; empty for all.
            changed: the function that is changed; a case that does not call it is not asked.
        """
        for question, case, ask in self._cases(area, only):
            called = self.called.get((question, case))
            if changed is not None and called is not None and changed not in called:
                continue
            limit = LEAST_S + PATIENCE * self.takes.get((question, case), 0.0)
            try:
                with limited(limit):
                    said = ask()
            except DoesNotEndError:
                return Noticed("does not end", f"{question} {case}", f"more than {limit:.0f} s of processor")
            except MemoryError:
                return Noticed("does not end", f"{question} {case}", "gets no more memory")
            except Exception as error:  # noqa: BLE001 - whatever a wrong source raises is noticed
                return Noticed(question, case, f"{type(error).__name__}: {error}")
            if said:
                return Noticed(question, case, said)
        return None

    def compare_with_the_core(self) -> None:
        """Ask the optimized core about every scenario of the campaign.

        Raises:
            AskingError: it differs from the reference although nothing is changed.
        """
        self.core = [_core_says(*self._drawn(index)) for index in range(self.scenarios)]

    def measure(self, area: str, only: Sequence[str] = ()) -> None:
        """Ask the sources as they are.

        Args:
            area, only: as in `first`.

        Raises:
            AskingError: something is noticed although nothing is changed, or there is nothing to ask.
        """
        cases = list(self._cases(area, only))
        for question, case, ask in cases:
            before = time.process_time()
            if question in FOLLOWED:
                said, self.called[question, case] = followed(ask)
            else:
                said = ask()
            self.takes[question, case] = time.process_time() - before
            if said:
                raise AskingError(f"{question} {case} notices the sources as they are: {said}")
        if not cases:
            raise AskingError(f"there is nothing to ask about {area} that is called {', '.join(only)}")

    def _cases(self, area: str, only: Sequence[str] = ()) -> Iterator[tuple[str, str, Ask]]:
        for question in self._about(area):
            of_it = [name.removeprefix(f"{question} ") for name in only if name.startswith(f"{question} ")]
            if only and not of_it:
                continue
            cases = self._asked(question, area, of_it)
            if question in FOLLOWED:
                cases = iter(sorted(cases, key=lambda pair: self.takes.get((question, pair[0]), 0.0)))
            for case, ask in cases:
                yield question, case, ask

    def _about(self, area: str) -> list[str]:
        """What is asked about a change in an area."""
        return [question for question in self.questions if question in MEETS[area]]

    def _asked(self, question: str, area: str, only: Sequence[str]) -> Iterator[Case]:
        if question == "vector":
            return _vectors(only)
        if question == "core":
            return self._against_the_core()
        if question == "scenario":
            return _scenarios(only)
        if question == "bounded":
            return _bounded(self.size, only)
        return _tests(only or TESTS[area])

    def _against_the_core(self) -> Iterator[Case]:
        for index, expected in enumerate(self.core):
            if expected is not None:
                request = self._drawn(index)[0]
                yield f"seed {self.seed}, index {index}", partial(_differs, request, expected)

    def _drawn(self, index: int) -> tuple[DecideRequest, int]:
        return draw_for_core(self.seed, index), index


def _core_says(request: DecideRequest, index: int) -> PlainAnswer | None:
    compared = compare(request, WAYS[index % len(WAYS)])
    if not compared.agree:
        raise AskingError(f"the core and the reference differ as they are: {compared}")
    return None if compared.left else compared.core


def _differs(request: DecideRequest, core: PlainAnswer) -> str:
    asked = (request.cluster, request.preemptor, request.queue, request.now, request.reading)
    said = answer_of_reference(decide(*asked, request.assignment))
    return "" if said == core else f"the core says {core[:2]}, the reference {said[:2]}"


def _vectors(only: Sequence[str]) -> Iterator[Case]:
    for vector in published_vectors():
        if not only or vector.id in only:
            yield vector.id, partial(_answered_otherwise, vector)


def _answered_otherwise(vector: Vector) -> str:
    return "; ".join(run_vector(vector).differences)


def _scenarios(only: Sequence[str]) -> Iterator[Case]:
    for path in sorted(bundled("spec", "vectors", "scenarios").glob("*.yaml")):
        if not only or path.stem in only:
            for reading in preset_names():
                yield f"{path.stem} under {reading}", partial(_goes_otherwise, path, reading)


def _goes_otherwise(path: Path, reading: str) -> str:
    outcomes = play(load_scenario(path), preset(reading)).expectations
    wrong = [result for result in outcomes if not result.holds]
    return "; ".join(f"{result.field}: expected {result.expected}, found {result.found}" for result in wrong)


def _bounded(size: Size, only: Sequence[str]) -> Iterator[Case]:
    claims = [
        postcondition for postcondition in POSTCONDITIONS.values() if not only or postcondition.id in only
    ]
    open_ends = {(postcondition.id, preset) for postcondition in claims for preset in preset_names()}
    for name, family in FAMILIES.items():
        for number, world in enumerate(family.clusters(size)):
            trial = Trial(decide_with_oracle, claims)
            yield f"{name}, cluster {number}", partial(_broken, trial, claims, world, open_ends)
    yield "all", lambda: ", ".join(f"{claim} says nothing under {reading}" for claim, reading in open_ends)


def _broken(
    trial: Trial, claims: Sequence[Postcondition], world: Any, open_ends: set[tuple[str, str]]
) -> str:
    """Claims that do not hold of a cluster and are expected to; the others are counted off."""
    found = []
    for case in trial.cases(world):
        for postcondition in claims:
            holds = postcondition.claim(case)
            expected = postcondition.expect[case.preset] == Verdict.PROVED
            if holds is not None and holds == expected:
                open_ends.discard((postcondition.id, case.preset))
            if holds is False and expected:
                found.append(f"{postcondition.id} under {case.preset}: not so that {postcondition.words}")
    return "; ".join(found)


def _tests(names: Sequence[str]) -> Iterator[Case]:
    for name in names:
        for file in _files_of(name):
            yield file, partial(_fails, file)


def _files_of(name: str) -> list[str]:
    """The files of a folder that have tests or doctests; a file, or one test of it, alone."""
    if not (ROOT / name).is_dir():
        return [name]
    return [
        path.relative_to(ROOT).as_posix() for path in sorted((ROOT / name).rglob("*.py")) if _has_tests(path)
    ]


def _has_tests(path: Path) -> bool:
    if path.name in NOT_ASKED or "chart" in path.parts:
        return False
    return path.name.startswith("test_") or ">>>" in path.read_text(encoding="utf-8")


def _fails(name: str) -> str:
    """The first test that fails; no file of the checkout is written."""
    listener = _Listener()
    with tempfile.TemporaryDirectory() as folder:
        arguments = [*QUIET, f"--basetemp={folder}/tests", str(ROOT / name)]
        ended = pytest.main(arguments, plugins=[listener])
    if listener.failed:
        return listener.failed[0]
    return "" if ended == pytest.ExitCode.OK else f"pytest ended with {ended!r}"


class _Listener:
    """Hears which tests fail."""

    def __init__(self) -> None:
        self.failed: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)


def followed(ask: Ask) -> tuple[str, frozenset[Function]]:
    """What a case says, and which functions of the reference it calls."""
    codes: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            codes.add(frame.f_code)

    sys.setprofile(note)
    try:
        said = ask()
    finally:
        sys.setprofile(None)
    reference = f"{ROOT}/refimpl/"
    return said, frozenset(
        (code.co_filename.removeprefix(f"{ROOT}/"), code.co_qualname.partition(".<locals>")[0])
        for code in codes
        if code.co_filename.startswith(reference)
    )


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise DoesNotEndError after so much processor time of this process, which no other process spends."""
    before = signal.signal(signal.SIGVTALRM, _raise)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _raise(_number: int, _frame: object) -> None:
    raise DoesNotEndError


def each_apart(
    asks: Sequence[Callable[[], _Answer]], jobs: int, died: Callable[[str], _Answer] | None = None
) -> Iterator[_Answer]:
    """The answers in order, each found in a process that is forked from this one.

    Args:
        asks: what is asked, each in a process of its own.
        jobs: how many at once.
        died: what counts as the answer of a process that ended without one, given how it ended.

    Raises:
        AskingError: a process raised something, or ended without an answer.
    """
    started = ((number, _forked(ask)) for number, ask in enumerate(asks))
    running = dict(islice(started, jobs))
    found: dict[int, _Answer] = {}
    for number in range(len(asks)):
        while number not in found:
            ready = wait([connection for connection, _ in running.values()])
            for other, (connection, process) in list(running.items()):
                if connection in ready:
                    found[other] = _answer(connection, process, died)
                    del running[other]
                    running.update(islice(started, 1))
        yield found.pop(number)


_FORK = multiprocessing.get_context("fork")


def _forked(ask: Callable[[], _Answer]) -> tuple[Connection, Any]:
    mine, theirs = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=_send, args=(theirs, ask))
    process.start()
    theirs.close()
    return mine, process


def _send(connection: Connection, ask: Callable[[], Any]) -> None:
    # What pytest or a changed source prints does not matter here.
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    try:
        connection.send((ask(), ""))
    except Exception as error:  # noqa: BLE001 - it is raised again where the answer is awaited
        connection.send((None, f"{type(error).__name__}: {error}"))


def _answer(connection: Connection, process: Any, died: Callable[[str], _Answer] | None) -> Any:
    try:
        answer, error = connection.recv()
    except EOFError:
        process.join()
        how = f"a process ended with {process.exitcode} and without an answer"
        if died is None:
            raise AskingError(how) from None
        return died(how)
    process.join()
    if error:
        raise AskingError(error)
    return answer


def limit_memory() -> None:
    """Let this process have so much more than it has."""
    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


def measured(asked: Asked, what: Sequence[tuple[str, str]]) -> Asked:
    """The same once all that will be asked of changes was asked of the sources as they are.

    Args:
        asked: what can be asked; with scenarios for the optimized core, that is asked too.
        what: areas, each with a case as in `Asked.first`, or with nothing for all of them.

    Raises:
        AskingError: something is noticed although nothing is changed.
    """

    def ask() -> Asked:
        asked.compare_with_the_core()
        for area, only in what:
            asked.measure(area, [only] if only else ())
        return asked

    return next(each_apart([ask], jobs=1))
