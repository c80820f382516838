"""What a change does, as continuous integration reads it: the verdict of `tenure analyze diff`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from tenure.reports import Case, Report, RuleText, Suite, Trouble
from tenure.reports.content import place_in
from tenure_check.analysis.change_verdict import FailOnChange, all_failing, claim_of, headline, kinds_of
from tenure_check.analysis.difference_answer import (
    AlikeChanges,
    ChangeVerdict,
    MatrixDifference,
    PairVerdicts,
    change_item,
    difference_summary,
)
from tenure_check.analysis.fields import ABSENT, FieldChange

TOOL: Final = "tenure analyze diff"
_RULES: Final = {
    FailOnChange.NEW_PREEMPTION: "Workloads can be preempted that could not be before.",
    FailOnChange.LOST_GUARANTEE: "Workloads can be preempted sooner, or within nominal quota.",
    FailOnChange.LOST_PREEMPTION: "Workloads can no longer be preempted, or only later.",
    FailOnChange.NEW_LOOP: "Workloads preempt each other for ever that did not before.",
    FailOnChange.ANY: "A state is decided otherwise.",
}
_SIGNS: Final = {"can": "X", "never": ".", "?": "?", ABSENT: "-"}
_MOST_QUEUES: Final = 12
"""ClusterQueues of a matrix; of more only the pairs that changed are listed."""
_LISTED_PAIRS: Final = 20

FileNamed = Callable[[str], str]
"""From the name of a file, or of one in a revision, to that of the file in the checkout."""


def change_report(answer: MatrixDifference, file_of: FileNamed) -> Report:
    """The report: a case for each kind of `--fail-on`, and a trouble for each change that fails.

    Args:
        answer: the comparison, without the changes that are accepted.
        file_of: see there.
    """
    verdict = answer.verdict
    if verdict is None:
        return Report(TOOL, closing=difference_summary(answer), overview=tuple(pair_lines(answer.pairs)))
    groups = all_failing(answer, verdict)
    fields = {change.words: change for change in answer.changed_fields}
    of_pairs = [_trouble(alike, fields, file_of) for alike in groups]
    rules = tuple(RuleText(kind, _RULES[FailOnChange(kind)]) for kind in verdict.failures)
    cases = tuple(_cases(answer, verdict, groups))
    closing = f"{verdict.result}: {headline(answer, verdict, groups)}"
    return Report(
        TOOL,
        (Suite("this change", cases),),
        (*of_pairs, *_other_troubles(verdict, of_pairs)),
        rules,
        closing,
        tuple(pair_lines(answer.pairs)),
        finished=verdict.result != "not known",
    )


def _cases(
    answer: MatrixDifference, verdict: ChangeVerdict, groups: Sequence[AlikeChanges]
) -> Iterator[Case]:
    fields = {change.words: change for change in answer.changed_fields}
    for kind, number in verdict.failures.items():
        name = kind.replace("-", " ")
        if not number:
            error = "not known" if verdict.result == "not known" else ""
            yield Case("this change", name, error=error)
            continue
        failing = [alike for alike in groups if FailOnChange(kind) in kinds_of(alike.first)]
        claims = dict.fromkeys(map(claim_of, failing)) or [_RULES[FailOnChange(kind)].rstrip(".")]
        lines = [line for alike in failing for line in change_item(alike, fields).text_lines("")]
        yield Case("this change", name, failure="; ".join(claims), details="\n".join(lines))


def _trouble(alike: AlikeChanges, fields: Mapping[str, FieldChange], file_of: FileNamed) -> Trouble:
    """A sentence with the field that allows it, at its line."""
    changed = [fields[name] for name in alike.first.fields]
    kind = [kind.value for kind in kinds_of(alike.first)][-1]
    claim = claim_of(alike)
    own = f"ClusterQueue/{alike.first.preemptor.cluster_queue}"
    because = " and ".join(_field(field, own, file_of) for field in changed[:2])
    more = f" and {len(changed) - 2} more fields" if len(changed) > 2 else ""
    places = tuple(place for field in changed for place in place_in(file_of(field.file), field.line))
    text = f"{claim}: {because}{more}" if because else claim
    return Trouble(kind, claim, text, places, is_sentence=True)


def _field(field: FieldChange, own: str, file_of: FileNamed) -> str:
    """A field's value after the change, with file and line.

    >>> change = FieldChange("ClusterQueue/a", "spec.preemption.x", "absent", "'Any'", "main:q.yaml", 7)
    >>> _field(change, "ClusterQueue/a", lambda file: file.removeprefix("main:"))
    'x is Any (q.yaml:7)'
    """
    where = f" ({file_of(field.file)}:{field.line})" if field.line else ""
    if not field.field:
        return f"{field.object} is {'removed' if field.after == ABSENT else 'new'}{where}"
    of = "" if field.object == own else f" of {field.object}"
    value = "not set" if field.after == ABSENT else field.after.strip("'")
    return f"{field.field.rpartition('.')[2]}{of} is {value}{where}"


def _other_troubles(verdict: ChangeVerdict, of_pairs: Sequence[Trouble]) -> Iterator[Trouble]:
    """What fails, and is no change of two ClusterQueues."""
    for loop in verdict.loops:
        if loop.change == "new":
            text = f"workloads of {loop.after.tree} can now preempt each other for ever"
            yield Trouble(FailOnChange.NEW_LOOP, text, text, is_sentence=True)
    if not of_pairs and verdict.failures.get(FailOnChange.ANY):
        text = "decisions change, though no pair of ClusterQueues does"
        yield Trouble(FailOnChange.ANY, text, text, is_sentence=True)
    if verdict.result == "not known":
        text = "whether this change does what must not be is not known"
        yield Trouble(next(iter(verdict.failures)), text, text, is_sentence=True)


def pair_lines(pairs: Sequence[PairVerdicts]) -> Iterator[str]:
    """The matrix before and after a change, ClusterQueue by ClusterQueue; of many those that changed.

    >>> pairs = [
    ...     PairVerdicts(one, other, "never", "can" if one + other == "ab" else "never", one + other == "ab")
    ...     for one in "ab" for other in "ab"
    ... ]
    >>> print(*pair_lines(pairs), sep="\\n")
    preemptor  before   after
               1  2     1  2
    1 a        .  .     .  X
    2 b        .  .     .  .
    X can preempt, . never, ? not known, - no such ClusterQueue; victims in columns
    changed: a over b
    """
    queues = list(dict.fromkeys(pair.preemptor for pair in pairs))
    changed = [pair for pair in pairs if pair.changed]
    if queues and len(queues) <= _MOST_QUEUES:
        by_name = {(pair.preemptor, pair.victim): pair for pair in pairs}
        rows = [f"{number} {name}" for number, name in enumerate(queues, 1)]
        width = max(len("preemptor"), *map(len, rows)) + 2
        block = max(len("before"), 3 * len(queues)) + 3
        numbers = "".join(f"{number:<3}" for number in range(1, len(queues) + 1))
        yield f"{'preemptor':<{width}}{'before':<{block}}after"
        yield f"{'':<{width}}{numbers:<{block}}{numbers}".rstrip()
        for row, name in zip(rows, queues, strict=True):
            known = [by_name[name, victim] for victim in queues]
            one = "".join(f"{_SIGNS[pair.before]:<3}" for pair in known)
            other = "".join(f"{_SIGNS[pair.after]:<3}" for pair in known)
            yield f"{row:<{width}}{one:<{block}}{other}".rstrip()
        yield "X can preempt, . never, ? not known, - no such ClusterQueue; victims in columns"
    if changed:
        names = [f"{pair.preemptor} over {pair.victim}" for pair in changed[:_LISTED_PAIRS]]
        more = len(changed) - len(names)
        yield f"changed: {', '.join(names)}{f' and {more} more' if more > 0 else ''}"
