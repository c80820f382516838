"""`tenure analyze check`."""

from __future__ import annotations

from tenure.cli.commands import with_records
from tenure.cli.output import ChecksOutput, ReportOutput, Reports
from tenure.cli.terminal import Color
from tenure_check.commands.checked_files import CheckedFiles


@with_records
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
    from tenure_check.commands.expectations_run import check_all_states

    check_all_states(reading=reading, output=output, report=report, color=color)
