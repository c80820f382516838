"""What came of the expectations: as text, as JSON, and as continuous integration reads it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated, Any, Final

from pydantic import PlainSerializer

from tenure.as_json import as_json
from tenure.reports import Case, Report, RuleText, Suite, Trouble
from tenure.reports.content import place_in
from tenure.versions import kueue_version
from tenure_check.expectations.check import AllowedBy, Check, CheckResult, Status
from tenure_check.expectations.documents import ExpectationDocument
from tenure_play.checks import LocateIn

TEST: Final = "tenure test"
"""The command that checks everything."""

_RULES: Final = (
    RuleText("expectation", "An expectation or assertion does not hold."),
    RuleText("bad-input", "An expectation cannot be checked: its input is wrong."),
    RuleText("not-known", "An assertion about every state is neither proved nor refuted."),
)
_RULE_OF: Final = {Status.FAILS: _RULES[0], Status.ERROR: _RULES[1], Status.UNKNOWN: _RULES[2]}
_WORDS: Final = {
    Status.HOLDS: "ok  ",
    Status.FAILS: "FAIL",
    Status.ERROR: "ERR ",
    Status.UNKNOWN: "?   ",
    Status.EXCEPTED: "exc ",
}


@dataclass(frozen=True, slots=True)
class Checked:
    """A check that has run."""

    document: ExpectationDocument
    """Where it is."""
    check: Check
    """The check."""
    result: CheckResult
    """What came of it."""


@dataclass(frozen=True, slots=True)
class ExpectationShape:
    """One expectation."""

    file: str
    """The file."""
    test: str
    """The test or scenario in it."""
    field: str
    """Its path in that document."""
    line: int
    """Where it is; 0 where that is not known."""
    name: str
    """What is expected, for people."""
    status: str
    """Holds, fails, or error where it cannot be found out; of every state also unknown, where it is neither
    proved nor refuted, and excepted, where an exception is in force."""
    expected: str
    """In words."""
    found: str
    """In words."""
    why: tuple[str, ...]
    """The rules' findings behind a failure, line by line."""
    scope: str | None
    """Of which states it is, as the matrix has it; null where it is of one state, or searched."""
    allowed_by: tuple[AllowedBy, ...]
    """Fields that allow what an assertion about every state forbids, the most telling first."""


@dataclass(frozen=True, slots=True)
class ChecksAnswer:
    """What came of files of expectations."""

    holds: bool
    """Whether every expectation does, or is excepted."""
    expectations: tuple[ExpectationShape, ...]
    """All of them, in the order of their files."""
    warnings: tuple[str, ...]
    """About the manifests, such as workloads that are set aside; each once."""
    kueue: Annotated[str | None, PlainSerializer(kueue_version, return_type=str)]
    """The target Kueue, as of --kueue; `0.19+proposals` with all that the proposals add."""


_WITHOUT_VERDICT: Final = (Status.ERROR, Status.UNKNOWN)


def run(documents: Iterable[ExpectationDocument]) -> Iterator[Checked]:
    """Every check of some documents, one after another."""
    return (Checked(document, check, check.run()) for document in documents for check in document.checks)


def checks_of(done: Sequence[Checked], locate: LocateIn, tool: str = TEST) -> Report:
    """The report: a suite for each file.

    Args:
        done: all checks.
        locate: from a file, the number of a document as text and a field to a line.
        tool: the command.
    """
    files = groupby(done, key=lambda checked: checked.document.file)
    return Report(
        tool,
        tuple(Suite(file, tuple(map(_case, found))) for file, found in files),
        tuple(
            _trouble(checked, locate)
            for checked, told_before in _with_repetitions(done)
            if not checked.result.status.passes and not told_before
        ),
        _RULES,
        closing_line(done, tool),
        finished=not any(checked.result.status in _WITHOUT_VERDICT for checked in done),
    )


def answer_of(done: Sequence[Checked], locate: LocateIn, kueue: str | None = None) -> Any:
    """What `tenure test -o json` prints."""
    shapes = (
        ExpectationShape(
            checked.document.file,
            checked.document.name,
            checked.check.field,
            _line(checked, locate),
            checked.check.name,
            checked.result.status.value,
            checked.result.expected,
            checked.result.found,
            checked.result.why,
            checked.check.scope or None,
            checked.result.allowed_by,
        )
        for checked in done
    )
    holds = all(checked.result.status.passes for checked in done)
    return as_json(ChecksAnswer(holds, tuple(shapes), warnings_of(done), kueue))


def warnings_of(done: Iterable[Checked]) -> tuple[str, ...]:
    """The warnings about the manifests, each once.

    >>> warnings_of([])
    ()
    """
    return tuple(dict.fromkeys(text for checked in done for text in checked.result.warnings))


def text_lines(done: Sequence[Checked], locate: LocateIn, tool: str = TEST) -> Iterator[str]:
    """What people read: by file, and why where something fails; arguments as of `checks_of`."""
    for file, found in groupby(done, key=lambda checked: checked.document.file):
        yield file
        for checked, told_before in _with_repetitions(found):
            yield from (
                [f"  ERR  {checked.check.name}: for the same reason"]
                if told_before
                else _text(checked, locate)
            )
    yield closing_line(done, tool)
    if any(checked.check.scope for checked in done):
        yield "usual premises (tenure analyze guarantees --premises lists them)"


def closing_line(done: Sequence[Checked], tool: str = TEST) -> str:
    """What it comes to.

    >>> closing_line([])
    'test: 0 expectations, 0 fail'
    """
    count = {status: sum(checked.result.status == status for checked in done) for status in Status}
    wrong = count[Status.ERROR]
    errors = f", {wrong} cannot be checked" if wrong else ""
    unknown, excepted = count[Status.UNKNOWN], count[Status.EXCEPTED]
    errors += f", {unknown} not known" if unknown else ""
    errors += f", {excepted} excepted" if excepted else ""
    plural = "" if len(done) == 1 else "s"
    scopes = "".join(f"; scope {scope}" for scope in sorted({checked.check.scope for checked in done} - {""}))
    return f"{tool.split()[-1]}: {len(done)} expectation{plural}, {count[Status.FAILS]} fail{errors}{scopes}"


def _with_repetitions(done: Iterable[Checked]) -> Iterator[tuple[Checked, bool]]:
    """Every check, and whether an earlier one of its document has listed what is wrong with its input."""
    listed: set[tuple[str, int, tuple[str, ...]]] = set()
    for checked in done:
        cause = checked.document.file, checked.document.number, checked.result.lines
        is_error = checked.result.status == Status.ERROR
        yield checked, is_error and cause in listed
        if is_error:
            listed.add(cause)


def _text(checked: Checked, locate: LocateIn) -> Iterator[str]:
    result = checked.result
    word = _WORDS[result.status]
    if result.status == Status.HOLDS:
        yield f"  {word} {checked.check.name}"
        return
    line = _line(checked, locate)
    where = f"{checked.document.file}:{line}" if line else ""
    yield f"  {word} {checked.check.name}: {result.text(where)}"
    # What is wrong with the input is listed once; what is excepted needs no example: -o json has it.
    listed = result.lines[1:] if result.status == Status.ERROR else result.why
    if result.status == Status.EXCEPTED:
        listed = (*result.lines[:1], *(field.sentence for field in result.allowed_by[:1]))
    yield from (f"         {line}".rstrip() for line in listed)


def _case(checked: Checked) -> Case:
    result = checked.result
    text = "" if result.status == Status.HOLDS else result.text()
    return Case(
        checked.document.name,
        checked.check.name,
        failure=text if result.status == Status.FAILS else "",
        error=text if result.status in _WITHOUT_VERDICT else "",
        details="\n".join(result.why),
        output="\n".join((text, *result.why)) if result.status == Status.EXCEPTED else "",
    )


def _trouble(checked: Checked, locate: LocateIn) -> Trouble:
    """What is wrong, at the field that allows it where one does, and where it is expected."""
    allowing = (place for found in checked.result.allowed_by for place in place_in(found.file, found.line))
    places = (*allowing, *place_in(checked.document.file, _line(checked, locate)))
    result = checked.result
    rule, because = _RULE_OF[result.status], [field.because for field in result.allowed_by[:1]]
    if result.is_sentence and any(because):
        text = f"{result.found}: {because[0]}; expected {result.expected}"
        return Trouble(rule.id, checked.check.name, text, places, is_sentence=True)
    return Trouble(rule.id, checked.check.name, result.text(), places)


def _line(checked: Checked, locate: LocateIn) -> int:
    return locate(checked.document.file, str(checked.document.number), checked.check.field)
