"""`tenure test`."""

from __future__ import annotations

from tenure.cli.commands import with_records
from tenure.cli.output import ChecksOutput, ReportOutput, Reports
from tenure.cli.terminal import Color
from tenure_check.commands.checked_files import CheckedFiles


@with_records
def run_tests(
    *,
    reading: CheckedFiles,
    output: ChecksOutput = ReportOutput.TEXT,
    report: Reports = None,
    color: Color = None,
) -> None:
    """Check what *.tenure.yaml files expect of decisions, manifests and scenarios, and explain each failure.

    A file names manifests and expectations, or is a scenario as `tenure simulate` takes it:

    \b
    manifests: [cluster/]
    now: 2026-03-02T14:00:00Z
    validate: clean
    expect:
    - workload: ml/train
      decision: Preempt
      preempted: [ml/old]
    neverPreempted: [ml/serving]

    All of a folder, as pytest with Tenure's plugin would:

    \b
    tenure test queues/
    tenure test queues/quota.tenure.yaml -o json | jq '.expectations[] | select(.status != "holds")'

    Whether the expectations still hold after a change, or with what a release of Kueue has alone:

    \b
    tenure test queues/ --set clusterqueue/nlp.spec.preemption.withinClusterQueue=Never
    tenure test queues/ --kueue 0.19

    Manifests that Helm or Kustomize make: `manifests: [{render: kubectl kustomize overlays/prod}]`, and

    \b
    tenure test queues/ --render 'kubectl kustomize overlays/prod'

    For continuous integration, several reports of one run:

    \b
    tenure test queues/ --report junit=test.xml --report sarif=test.sarif --report github=-
    tenure schema expectations > expectations.schema.json

    What is asserted of every state (never, keeps, noLoop, reaches) is checked too; `tenure analyze check`
    checks that alone.

    Exit codes: 0 everything is as expected, 1 something is not, 2 bad input, 3 internal error, 5 what is
    asserted of every state is neither proved nor refuted.
    """
    from tenure_check.commands.expectations_run import check_files

    check_files(reading=reading, output=output, report=report, color=color)
