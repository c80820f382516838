"""`tenure analyze check`."""

from __future__ import annotations

from dataclasses import replace

from tenure.cli.commands import with_records
from tenure.cli.output import ChecksOutput, Reporting, ReportOutput, Reports
from tenure.cli.terminal import Color, choose_colour
from tenure.errors import bad_input
from tenure.manifests.files import standard_input_once
from tenure_check.commands.checked_files import CheckedFiles


@with_records
@standard_input_once()
def check_command(
    *,
    reading: CheckedFiles,
    output: ChecksOutput = ReportOutput.TEXT,
    report: Reports = None,
    color: Color = None,
) -> None:
    """Check what *.tenure.yaml files assert of every state of a configuration, whatever workloads come.

    A file names manifests, and what never happens, what is kept, that nothing loops, and what is reached:

    \b
    manifests: [queues/]
    never:
    - preemptor: {clusterQueue: batch}
      victim: {clusterQueue: prod, priorityClass: high}
      except: {reason: until prod has quota of its own, until: 2027-01-31}
    keeps: {clusterQueue: prod, priorityClass: high, for: 4h, against: equals}
    noLoop: {upTo: 4}
    reaches: {clusterQueue: prod, nominal: true}

    An assertion of never, keeps or reaches holds where Z3 and cvc5 prove it; it fails with an example that
    is decided so, and with the fields that allow it. With scope: edited a never or a keeps is also about
    states after edits of quotas. noLoop is searched, not proved, unless theorems exclude loops.

    \b
    tenure analyze check queues/
    tenure analyze check queues/ --set clusterqueue/batch.spec.preemption.reclaimWithinCohort=Any
    tenure analyze check queues/ --report sarif=check.sarif --report github=-

    What was found out is kept, and answers while neither the configuration nor Tenure changes.
    `tenure test` checks the same, and what files expect of decisions and plays.

    Exit codes: 0 everything holds or is excepted, 1 something does not, 2 bad input, 3 internal error, 5
    something is neither proved nor refuted.
    """
    choose_colour(color)
    from tenure_check.commands.test import check_documents, documents_of
    from tenure_check.expectations.expectation_file import ABOUT_ALL_STATES

    reporting = Reporting(report, "tenure analyze check")
    with reporting.of_bad_input():
        documents = []
        for document in documents_of(reading):
            asserted = [check for check in document.checks if check.field.split("[")[0] in ABOUT_ALL_STATES]
            if asserted:
                documents.append(replace(document, checks=tuple(asserted)))
        if not documents:
            expected = f"one of {', '.join(ABOUT_ALL_STATES)}"
            raise bad_input("paths", "nothing that is asserted of every state", expected)
    check_documents(documents, output, reporting, reading.kueue)
