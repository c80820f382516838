"""Z3 in this process, cvc5 in a process that can be killed; both answer the same question."""

from __future__ import annotations

import json
import os
import re
import selectors
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import z3

from tenure.processes import python_module
from tenure_proofs.budgets import CLOCK, SPENT, Budget

_DECLARED = re.compile(r"^\(declare-fun (\|[^|]+\||\S+) \(\)", re.MULTILINE)

GRACE_S = 30.0
"""How long past the clock's limit a solver's process may stay silent before it is killed."""


@dataclass(frozen=True, slots=True)
class Question:
    """Whether some values satisfy all facts.

    Args:
        facts: what must hold.
        budget: of one answer.
    """

    facts: tuple[z3.BoolRef, ...]
    budget: Budget

    def asked_of(self, make: Callable[..., z3.Solver]) -> z3.Solver:
        """A solver with the facts, in a context of its own.

        What Z3 does, and what it prints, depends on the numbers of its terms; in a context that others
        have used before they would tell what was asked before.
        """
        context, facts = self._in_a_context()
        solver = make(ctx=context)
        solver.add(*facts)
        return solver

    def _in_a_context(self) -> tuple[z3.Context, Sequence[Any]]:
        context = z3.Context()
        return context, z3.And(*self.facts).translate(context).children()

    def asked_often(self, seeds: int) -> Iterator[z3.Solver]:
        """A solver with the facts for each seed; all are in one context, in which nothing else is asked."""
        context, facts = self._in_a_context()
        for seed in range(seeds):
            solver = z3.SimpleSolver(ctx=context)
            solver.add(*facts)
            self.limit(solver, seed)
            yield solver

    def limit(self, solver: z3.Solver, seed: int) -> None:
        """Let a solver work as long as the budget says, with a random seed."""
        solver.set("rlimit", self.budget.z3)
        solver.set("timeout", int(self.budget.clock_s * 1000))
        solver.set("random_seed", seed)

    def smt2(self) -> str:
        """The question as an SMT-LIB 2 script."""
        # The other engine would print what it has made simpler already: an answer of its own.
        script = self.asked_of(z3.Solver).to_smt2()
        body = "\n".join(line for line in script.splitlines() if not line.startswith("(set-info"))
        return f"(set-logic ALL)\n{body}\n"

    def constants(self) -> frozenset[str]:
        """The names of the constants that the question mentions."""
        return frozenset(name.strip("|") for name in _DECLARED.findall(self.smt2()))


@dataclass(frozen=True, slots=True)
class Z3Answer:
    """What Z3 says.

    Args:
        said: `sat`, `unsat` or `unknown`.
        model: the values, where there are some.
        why: why it knows no answer.
        work: the units of work of the engine that answered.
    """

    said: str
    model: z3.ModelRef | None
    why: str = ""
    work: int = 0

    @property
    def words(self) -> str:
        """The answer, and why there is none."""
        return f"{self.said}: {self.why}" if self.why else self.said


def ask_z3(question: Question, seed: int = 0, *, core: bool = True) -> Z3Answer:
    """Ask Z3 with a random seed, its core first."""
    said, solver = solver_that_knows(question, seed, core=core)
    model = solver.model().translate(z3.main_ctx()) if said == "sat" else None
    why = _why_unknown(solver, question.budget) if said == "unknown" else ""
    return Z3Answer(said, model, why, _work_of(solver))


def solver_that_knows(question: Question, seed: int = 0, *, core: bool = True) -> tuple[str, z3.Solver]:
    """What Z3 answers, and the solver that did, in a context of its own.

    Its SMT core alone is many times quicker on what rules come to. Its tactics, which bring a question of
    numbers into bits first, are for what the core has no answer to; they may work as long again.
    """
    for make in (z3.SimpleSolver, z3.Solver) if core else (z3.Solver,):
        solver = question.asked_of(make)
        question.limit(solver, seed)
        said = str(solver.check())
        if said != "unknown":
            break
    return said, solver


def words_of_z3(question: Question, seeds: int) -> dict[str, str]:
    """What Z3 says with each of so many random seeds.

    To bring a question into another context takes longer than most answers, so that all seeds share one.
    Where its core has no answer, its tactics are asked, by themselves.
    """
    words: dict[str, str] = {}
    for seed, solver in enumerate(question.asked_often(seeds)):
        said = str(solver.check())
        words[seed_name(seed)] = ask_z3(question, seed, core=False).words if said == "unknown" else said
    return words


def seed_name(seed: int) -> str:
    """What Z3 is called with a random seed."""
    return f"z3 seed {seed}" if seed else "z3"


def _work_of(solver: z3.Solver) -> int:
    return next((value for name, value in solver.statistics() if name == "rlimit count"), 0)


def _why_unknown(solver: z3.Solver, budget: Budget) -> str:
    # What Z3 says itself is "canceled", whichever of the two has ended it.
    if _work_of(solver) >= budget.z3:
        return SPENT
    said = solver.reason_unknown()
    return CLOCK if said in ("timeout", "canceled") else said


@dataclass(slots=True)
class Cvc5:
    """cvc5 behind a pipe. Use as a context manager.

    Args:
        command: how to start the worker; a test passes one that hangs or lies.
        grace_s: see `GRACE_S`.
    """

    command: Sequence[str] = tuple(python_module("tenure_proofs.cvc5_worker"))
    grace_s: float = GRACE_S
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def __enter__(self) -> Cvc5:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process; the next question starts another."""
        self._kill()

    def ask(self, question: Question) -> str:
        """`sat`, `unsat`, `unknown: …`, or `error: …`; a silent process is killed and is an error."""
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        budget = question.budget
        request = {"script": question.smt2(), "work": budget.cvc5, "clock_s": budget.clock_s}
        limit_s = budget.clock_s + self.grace_s
        deadline = time.monotonic() + limit_s
        try:
            sent = _sent_by(deadline, process.stdin.fileno(), json.dumps(request).encode() + b"\n")
        except BrokenPipeError:
            self._kill()
            return "error: cvc5's process ended"
        if not sent:
            self._kill()
            return f"error: cvc5 did not read the question for {limit_s:g} s and was killed"
        line = _line_by(deadline, process.stdout.fileno())
        if line is None:
            self._kill()
            return f"error: cvc5 was silent for {limit_s:g} s and was killed"
        try:
            return str(json.loads(line))
        except ValueError:
            self._kill()
            return f"error: cvc5 printed {line[:80]!r}" if line else "error: cvc5's process ended"

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is not None:
            self._kill()
        if self._process is None:
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
            )
        return self._process

    def _kill(self) -> None:
        if self._process is None:
            return
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait()
        self._process = None


def _sent_by(deadline: float, descriptor: int, data: bytes) -> bool:
    """Write everything; a pipe holds 64 KiB, and whoever does not read the rest would be waited for forever.

    Returns:
        whether everything was read in time.
    """
    os.set_blocking(descriptor, False)
    rest = memoryview(data)
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_WRITE)
        while rest:
            if not selector.select(max(0.0, deadline - time.monotonic())):
                return False
            rest = rest[os.write(descriptor, rest) :]
    return True


def _line_by(deadline: float, descriptor: int) -> bytes | None:
    """What can be read up to a line's end or the stream's, or None when that takes too long."""
    read = b""
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        while not read.endswith(b"\n"):
            if not selector.select(max(0.0, deadline - time.monotonic())):
                return None
            part = os.read(descriptor, 65536)
            if not part:
                break
            read += part
    return read


def solver_versions() -> dict[str, str]:
    """The installed versions of both solvers."""
    return {"z3": z3.get_version_string(), "cvc5": version("cvc5")}
