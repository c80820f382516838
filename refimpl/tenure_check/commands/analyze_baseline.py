"""`tenure analyze baseline`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from tenure.cli.commands import with_records
from tenure.cli.terminal import Color, choose_colour, hint, print_text
from tenure.disk import claim, write_file
from tenure.errors import InputError, Problem, bad_input
from tenure.resources import is_there
from tenure.versions import form
from tenure_check.commands.analyze_diff import ComparisonOptions, DifferenceInputs

_ACCEPTED = "new-preemption,lost-guarantee"


@dataclass(frozen=True, slots=True)
class BaselineOptions:
    """What is accepted, why, how long, and where that is written."""

    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why it is accepted.")]
    until: Annotated[
        str,
        typer.Option(
            "--until", metavar="DAY", help="The last day on which it is, as 2027-01-31, or an instant."
        ),
    ]
    kinds: Annotated[
        str,
        typer.Option(
            "--accept",
            metavar="KIND,...",
            help="What is accepted, as --fail-on of `tenure analyze diff` names it.",
        ),
    ] = _ACCEPTED
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="FILE",
            help="Write it to a file; of one that is there, entries that are not past their date stay. "
            "Standard output by default.",
            show_default=False,
        ),
    ] = None
    color: Color = None


@with_records
def analyze_baseline_command(
    *,
    inputs: DifferenceInputs,
    compared: ComparisonOptions,
    wanted: BaselineOptions,
) -> None:
    """Write down what a change may do until a day: each entry with its reason, for `analyze diff --baseline`.

    Every pair of ClusterQueues, guarantee and loop that `tenure analyze diff --fail-on` would fail for is an
    entry, with its priorities and reasons: more than that still fails.

    \b
    tenure analyze baseline main:queues/ queues/ --reason 'agreed with prod' --until 2027-01-31 --to ok.yaml
    tenure analyze diff main:queues/ queues/ --fail-on new-preemption --baseline ok.yaml
    tenure schema baseline > baseline.schema.json

    Exit codes: 0 written, 2 bad input, 3 internal error.
    """
    import yaml

    from tenure_check.analysis.change_verdict import FailOnChange
    from tenure_check.commands.analyze_diff_run import difference_of, kinds_named
    from tenure_check.expectations.baseline import ACCEPTABLE, dated, entries_of

    choose_colour(wanted.color)
    kinds = kinds_named(wanted.kinds, "--accept")
    if FailOnChange.ANY in kinds:
        raise bad_input("--accept", wanted.kinds, f"one or several of {', '.join(ACCEPTABLE)}, with commas")
    why = dated(wanted.reason, wanted.until)
    known = [] if wanted.to is None else _known(wanted.to)
    answer, loops = difference_of(inputs, compared, kinds)
    new = [entry for entry in entries_of(answer, loops, kinds, why) if entry not in known]
    text = yaml.safe_dump(
        {"schema": form("baseline"), "accepted": [*known, *new]}, sort_keys=False, allow_unicode=True
    )
    if wanted.to is None:
        print_text(text)
        return
    try:
        write_file(wanted.to, text, edits=True)
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise InputError([Problem("--to", reason, "a file to write", file=wanted.to)]) from None
    hint(f"{wanted.to}: entries: {len(known)} as before, {len(new)} new")


def _known(path: str) -> list[dict[str, Any]]:
    """The entries of a file that are not past their date, as they are written; none without a file."""
    from tenure_check.expectations.baseline import load_baseline

    if is_there(path):
        return load_baseline(path).current()
    claim("--to", path)
    return []
