"""`tenure report`: a page of the cluster."""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import Annotated

import typer

from tenure.cli.commands import with_records
from tenure.cli.inquiry import inquire
from tenure.cli.options import (
    EditOptions,
    Example,
    InputOptions,
    Interpretation,
    Now,
    Paths,
    SchedulerFlags,
    Strict,
    parse_gates,
)
from tenure.cli.terminal import Color, choose_colour, hint, print_lines
from tenure.disk import claim, write_named
from tenure.errors import bad_input
from tenure.explanation.summary import reading_text
from tenure.manifests import SourcedObject
from tenure.manifests.given import given
from tenure.units import END_OF_TIME, counted, format_instant
from tenure.versions import kueue_version


@with_records
def report_command(
    *,
    paths: Paths = None,
    example: Example = None,
    strict: Strict = False,
    edits: EditOptions,
    now: Now = None,
    interpretation: Interpretation,
    flags: SchedulerFlags,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The page, replaced as a whole.")
    ],
    budget: Annotated[
        float,
        typer.Option(
            min=0, metavar="SECONDS", help="Time for coming cycles and answers about jobs and ClusterQueues."
        ),
    ] = 20.0,
    color: Color = None,
) -> None:
    """Draw the cohorts, ClusterQueues and jobs of a cluster as one HTML page.

    Each ClusterQueue and Cohort has a bar per flavor-resource: nominal quota, what is in use by each job,
    borrowed, lent, and pending; a job protected by minAdmitDuration is marked, with the time left. The
    page can be searched, folded, and coloured by ClusterQueue or by priority.

    A job that you choose shows what `tenure why-not` and `tenure next` answer about a pending one, and
    `tenure why` about a running one; a ClusterQueue what `tenure analyze matrix`, `guarantees` and `sanity`
    answer about it. Pending jobs are answered first, those of high priority before others; what the budget
    does not reach has the command in its place. The coming cycles are listed as `tenure next` lists them;
    the bars follow the one that you choose:

    \b
    tenure report --example shared-cohort -o cluster.html
    kubectl tenure report -o cluster.html
    kubectl tenure dump > cluster.yaml
    tenure report cluster.yaml -o cluster.html

    With another quota, and at another time:

    \b
    tenure report cluster.yaml -o more.html --now 2026-03-02T14:00:00Z \\
      --set clusterqueue/team-a.spec.cohortName=research

    The file requests nothing from elsewhere and runs only its own script, so it can be attached to a
    ticket; it holds the names, priorities and requests of all workloads.

    Exit codes: 0 written; 2 bad input; 3 internal error.
    """
    from tenure_play.answers import outlook_of
    from tenure_play.drawing.cluster import picture_of
    from tenure_play.drawing.cluster_page import PageAnswers, page_of
    from tenure_report.coming_steps import steps_of
    from tenure_report.job_answers import answers_of
    from tenure_report.queue_answers import asked_about_queues

    choose_colour(color)
    claim("--output", output)
    source = InputOptions(paths, example, strict)
    objects: list[SourcedObject] = []
    asked = inquire(source, now, interpretation, None, flags, edits, kept=objects, queued_by=END_OF_TIME)
    if not asked.loaded.cluster.cluster_queues:
        raise bad_input("paths", "no ClusterQueue", "the ClusterQueues of a cluster")
    picture = picture_of(asked.loaded, asked.now, asked.reading)
    named_files = source.paths or ()
    named = ["--example", example] if example else list(paths or ())
    program, source_words, clock = "tenure", named, ["--now", format_instant(asked.now)]
    if given().read is not None:
        # The commands of the page read the cluster again, by the plugin that drew it.
        named = [word for word in named if word != "-"]
        program, source_words, clock = "kubectl tenure", [given().name, *named], []
    facts = [
        ("From", shlex.join(source_words)),
        ("Reading", reading_text(asked.reading)),
        ("Kueue", kueue_version(asked.kueue)),
        *(("Warning", text) for text in sorted(asked.warnings)),
    ]
    answers = PageAnswers()
    if budget:
        outlook = outlook_of(asked, objects, parse_gates(flags.feature_gates))
        ends = time.monotonic() + budget
        with asked_about_queues(asked.loaded, objects, asked.reading, budget) as queues:
            coming = steps_of(picture, outlook, budget / 2)
            files = () if edits.edits() else named_files
            jobs = answers_of(picture, asked, objects, outlook, files, ends - time.monotonic())
            answers = PageAnswers(jobs, queues.answers(), coming)
    page = page_of(picture, "Cluster", facts, shlex.join([*named, *clock]), answers, program=program)
    write_named("--output", output, page)
    drawn = (
        f"{counted(picture.queues, 'ClusterQueue')}, {picture.running} running and "
        f"{picture.pending} pending workloads, {len(answers.jobs)} of them answered"
    )
    print_lines([f"{output}: {drawn}"])
    if budget and answers.queues.open:
        hint(f"--budget {2 * budget:g} gives analyze {' and '.join(answers.queues.open)} more time")
