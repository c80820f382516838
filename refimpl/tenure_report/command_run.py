"""What `tenure report` does."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tenure.cli.commands import options_given
from tenure.cli.inquiry import inquire
from tenure.cli.options import (
    ClusterOptions,
    Paths,
    SchedulerFlags,
)
from tenure.cli.terminal import Color, choose_colour, hint, print_lines
from tenure.disk import claim, write_named
from tenure.errors import InputError, Problem, bad_input
from tenure.manifests.given import given, in_place_of_stdin
from tenure.units import END_OF_TIME, format_instant
from tenure_report.command import _BUDGET_S, _SERVED_BUDGET_S, ServeOptions

if TYPE_CHECKING:
    from tenure_report.queue_answers import QueueAnalysis


def run_report(
    *,
    paths: Paths,
    cluster: ClusterOptions,
    flags: SchedulerFlags,
    output: Path | None,
    serving: ServeOptions,
    budget: float | None,
    color: Color,
) -> None:
    """As `tenure_report.command.report_command` documents it."""
    choose_colour(color)
    if serving.serve == (output is not None):
        found = "both" if serving.serve else "neither"
        raise InputError(
            [
                Problem(
                    "--output, --serve",
                    found,
                    "one of them: -o FILE writes a page, --serve follows the cluster",
                )
            ]
        )
    default = _SERVED_BUDGET_S if serving.serve else _BUDGET_S
    drawn = partial(_drawn, paths or [], cluster, flags, default if budget is None else budget)
    if output is None:
        _serve(drawn, serving, is_input="-" in (paths or ()))
        return
    if unused := options_given(serving):
        raise bad_input(unused[0], "no --serve", "--serve, which this option belongs to")
    claim("--output", output)
    page, summary = drawn()
    write_named("--output", output, page)
    print_lines([f"{output}: {summary}"])


def _serve(drawn: Callable[..., tuple[str, str]], serving: ServeOptions, *, is_input: bool) -> None:
    from tenure_play.drawing.cluster_page import served_policy
    from tenure_report.queue_answers import QueueAnalysis
    from tenure_report.serving import DrawnPage, serve

    if given().read is None and is_input:
        raise bad_input("paths", "-", "files or folders, which --serve can read again")
    policy = served_policy()

    def draw(number: int) -> DrawnPage:
        # What the reading before has frozen is in cycles, and would stay until the server ends.
        gc.unfreeze()
        gc.collect()
        again = given().again
        if number == 1 or again is None:
            return DrawnPage(*drawn(number, analysis), policy)
        with in_place_of_stdin(again()):
            return DrawnPage(*drawn(number, analysis), policy)

    def ready(address: str, summary: str) -> None:
        print_lines([f"{address} shows {summary}; Ctrl-C ends it"])
        if sys.stdout is not None:
            sys.stdout.flush()

    with QueueAnalysis() as analysis:
        serve(serving.port, serving.every, draw, ready)


def _drawn(
    paths: Sequence[str],
    cluster: ClusterOptions,
    flags: SchedulerFlags,
    budget: float,
    number: int | None = None,
    served: QueueAnalysis | None = None,
) -> tuple[str, str]:
    """The page, and what it shows in a line.

    Args:
        paths, cluster, flags, budget: of the command line.
        number, served: as `PageSource` has number and analysis.

    Raises:
        InputError: everything that is wrong in the manifests; no ClusterQueue among them.
    """
    from tenure_report.api import PageSource, report

    asked = inquire(paths, cluster, flags, keeps=True, queued_by=END_OF_TIME)
    named = ["--example", cluster.example] if cluster.example else [*paths]
    program, words, clock = "tenure", named, ["--now", format_instant(asked.now)]
    if given().read is not None:
        # The commands of the page read the cluster again, by the plugin that drew it.
        named = [word for word in named if word != "-"]
        program, words, clock = "kubectl tenure", [given().name, *named], []
    # A changed field is not in the file.
    files = () if cluster.edits.edits() else paths
    about = PageSource(words, [*named, *clock], program, files, number, served)
    page = report(asked.loaded, now=asked.now, reading=asked.reading, budget=budget, source=about)
    if budget and page.open and served is None:
        hint(f"--budget {2 * budget:g} gives analyze {' and '.join(page.open)} more time")
    return page.html, f"{page.summary}, {page.answered} of them answered"
