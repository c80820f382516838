"""One thing that a file expects, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from tenure.errors import InputError


class Status(StrEnum):
    """What came of an expectation."""

    HOLDS = "holds"
    FAILS = "fails"
    ERROR = "error"
    """The input cannot be read or decided."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What came of an expectation.

    Args:
        status: see `Status`.
        expected, found: in words; of an error `found` says what is wrong.
        lines: why it is so; empty where it holds.
        warnings: about the input, such as workloads that are set aside.
    """

    status: Status
    expected: str = ""
    found: str = ""
    lines: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Expected and found, in a line.

        >>> CheckResult(Status.FAILS, "Fit", "NoFit").text
        'expected Fit, found NoFit'
        """
        return self.found if self.status == Status.ERROR else f"expected {self.expected}, found {self.found}"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a document expects.

    Args:
        name: what it is, for people; one of its kind in its file.
        field: its path in the document, `expect[0].decision`.
        ask: finds out; it may raise InputError.
    """

    name: str
    field: str
    ask: Callable[[], CheckResult]

    def run(self) -> CheckResult:
        """What came of it; bad input is a result too.

        >>> Check("nothing", "expect[0]", lambda: CheckResult(Status.HOLDS)).run().status.value
        'holds'
        """
        try:
            return self.ask()
        except InputError as error:
            said = tuple(map(str, error.problems))
            return CheckResult(Status.ERROR, found=said[0], lines=said)


def judged(
    holds: bool, expected: str, found: str, explain: Callable[[], Iterator[str]] = lambda: iter(())
) -> CheckResult:
    """A result, explained only where it is a failure.

    Args:
        holds: whether it is as expected.
        expected, found: in words.
        explain: the lines of why.
    """
    if holds:
        return CheckResult(Status.HOLDS, expected, found)
    return CheckResult(Status.FAILS, expected, found, tuple(explain()))
