"""`tenure analyze sanity`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from tenure.cli.commands import with_records
from tenure.cli.exit_codes import ExitCode
from tenure.cli.options import (
    EditOptions,
    Example,
    FairSharing,
    FeatureGates,
    Interpretation,
    Paths,
    SchedulerFlags,
)
from tenure.cli.output import Output, Printing, about, print_answer
from tenure.cli.terminal import choose_colour

if TYPE_CHECKING:
    from tenure_check.analysis.sanity import SanityAnswer


@with_records
def sanity_command(
    *,
    paths: Paths = None,
    example: Example = None,
    edits: EditOptions,
    interpretation: Interpretation,
    feature_gates: FeatureGates = "",
    fair_sharing: FairSharing = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit code 1 where anything is found.")] = False,
    printing: Printing,
) -> None:
    """List fields without effect, whatever workloads come: limits never reached, policies never applied.

    Each has its argument and the rules that it rests on; it holds in every state that admissions can
    produce. See `tenure validate` for contradictions within one object, and for what is dangerous.

    \b
    tenure analyze sanity queues/
    tenure analyze sanity queues/ config.yaml --strict -o json | jq '.notices[].field'

    As if a field were changed:

    \b
    tenure analyze sanity queues/ --set clusterqueue/a.spec.fairSharing.weight=0

    Exit codes: 0 answered, 1 anything found with --strict, 2 bad input, 5 not everything was looked at.
    """
    from tenure.as_json import as_json
    from tenure.cli.inputs import changed, print_warnings, sources_of
    from tenure.cli.inquiry import with_flags
    from tenure.manifests import build, read_objects

    choose_colour(printing.color)
    from tenure_check.analysis.sanity import sanity_answer

    flags = SchedulerFlags(feature_gates, fair_sharing=fair_sharing)
    kueue = interpretation.target_kueue(flags)
    objects = list(changed(read_objects(sources_of(paths or (), example)), edits.edits(), kueue))
    loaded = with_flags(replace(kueue.stamped(build(objects)), objects=tuple(objects)), flags)
    found = sanity_answer(loaded, interpretation.chosen())
    warnings = tuple(print_warnings(found.warnings))
    answer = replace(found, kueue=kueue.release, warnings=warnings)
    rendered = None if printing.output == Output.TEXT else as_json(answer)
    print_answer(printing.output, "analyze-sanity", rendered, about(kueue.release, sanity_lines(answer)))
    if strict and answer.notices:
        raise typer.Exit(ExitCode.FOUND)
    if answer.not_known:
        raise typer.Exit(ExitCode.NOT_KNOWN)


def sanity_lines(answer: SanityAnswer) -> Iterator[str]:
    """An answer as text.

    >>> from tenure_check.analysis.sanity import SanityAnswer
    >>> list(sanity_lines(SanityAnswer("guaranteed", 3, ())))
    ['sanity: 3 objects, nothing found']
    """
    from tenure.explanation.summary import assumed_lines
    from tenure.units import counted

    for notice in answer.notices:
        yield from (*notice.item.text_lines(""), "")
    count = len(answer.notices)
    count_words = f"{count} found" if count else "nothing found"
    count_words += " in the rest" if answer.not_known else ""
    yield f"sanity: {counted(answer.checked, 'object')}, {count_words}"
    yield from (f"  not known: {text}" for text in answer.not_known)
    yield from assumed_lines(answer.premises)
