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
    UNKNOWN = "unknown"
    """What is asserted of every state is neither proved nor refuted."""
    EXCEPTED = "excepted"
    """It does not hold, or that is not known, and by an exception it need not hold yet."""

    @property
    def passes(self) -> bool:
        """Whether nothing is to be done.

        >>> [status.value for status in Status if status.passes]
        ['holds', 'excepted']
        """
        return self in (Status.HOLDS, Status.EXCEPTED)


@dataclass(frozen=True, slots=True)
class AllowedBy:
    """A field of the configuration that allows what an assertion forbids."""

    object: str
    """The object, such as `ClusterQueue/a`."""
    field: str
    """Path of the field in v1beta2."""
    file: str = ""
    """Where the object was read."""
    line: int = 0
    """The field's line there, from 1; 0 where it is not found."""
    value: str = ""
    """The field's value; empty where it is not a text, number or truth value there."""

    @property
    def because(self) -> str:
        """Its value in words, and where that is; empty where it is not known.

        >>> AllowedBy("Cohort/a", "spec.parentName", "queues.yaml", 7, "root").because
        'parentName is root (queues.yaml:7)'
        """
        where = f" ({self.file}:{self.line})" if self.line else ""
        return f"{self.field.rpartition('.')[2]} is {self.value}{where}" if self.value else ""

    @property
    def sentence(self) -> str:
        """It in words.

        >>> AllowedBy("ClusterQueue/a", "spec.cohortName", "queues.yaml", 7).sentence
        'allowed by ClusterQueue/a spec.cohortName  queues.yaml:7'
        """
        where = f"  {self.file}:{self.line}" if self.line else ""
        return f"allowed by {self.object} {self.field}{where}"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What came of an expectation.

    Args:
        status: see `Status`.
        expected, found: in words; of an error `found` is what is wrong.
        lines: why it is so; empty where it holds.
        warnings: about the input, such as workloads that are set aside.
        allowed_by: fields that allow what an assertion forbids, the most telling first.
        is_sentence: whether `found` is a sentence.
    """

    status: Status
    expected: str = ""
    found: str = ""
    lines: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    allowed_by: tuple[AllowedBy, ...] = ()
    is_sentence: bool = False

    def text(self, where: str = "") -> str:
        """Expected and found, in a line.

        Args:
            where: the file and line that expect it, if the reader does not see them beside the line.

        >>> CheckResult(Status.FAILS, "Fit", "NoFit").text()
        'expected Fit, found NoFit'
        >>> CheckResult(Status.FAILS, "never", "a can preempt b", is_sentence=True).text("a.tenure.yaml:3")
        'a can preempt b; a.tenure.yaml:3 expects never'
        """
        if self.status == Status.ERROR:
            return self.found
        if self.is_sentence:
            return f"{self.found}; {f'{where} expects' if where else 'expected'} {self.expected}"
        return f"expected {self.expected}, found {self.found}"

    @property
    def why(self) -> tuple[str, ...]:
        """The lines, and the fields that allow it."""
        return (*self.lines, *(field.sentence for field in self.allowed_by))


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a document expects.

    Args:
        name: what it is, for people; one of its kind in its file.
        field: its path in the document, `expect[0].decision`.
        find: finds out; it may raise InputError.
        scope: of which states it is, as `tenure analyze` calls them; empty where it is of one, or searched.
    """

    name: str
    field: str
    find: Callable[[], CheckResult]
    scope: str = ""

    def run(self) -> CheckResult:
        """What came of it; bad input is a result too.

        >>> Check("nothing", "expect[0]", lambda: CheckResult(Status.HOLDS)).run().status.value
        'holds'
        """
        try:
            return self.find()
        except InputError as error:
            words = tuple(map(str, error.problems))
            return CheckResult(Status.ERROR, found=words[0], lines=words)


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
