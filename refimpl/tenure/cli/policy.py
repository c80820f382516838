"""`tenure policy`."""

from __future__ import annotations

from typing import Annotated

import typer

from tenure.choices import PolicyAction
from tenure.cli.output import Output, OutputOption, print_answer


def policy_command(
    action: Annotated[
        PolicyAction,
        typer.Option(
            help="What the API server does about an object that a policy refuses.", case_sensitive=False
        ),
    ] = PolicyAction.DENY,
    output: OutputOption = Output.TEXT,
) -> None:
    """Write admission policies that refuse a PreemptionConfig that is invalid or may loop.

    PreemptionConfigs are KEP-13396, alpha in Kueue v0.20, whose text and tests Tenure follows; v0.20 was not
    run. The YAML has two ValidatingAdmissionPolicies and their bindings. They refuse:

    \b
    - a PreemptionConfig with a label selector that Kueue cannot build, or with fields that contradict
      each other;
    - a PreemptionConfig whose rules have no measure by themselves: priority, boosted priority, numeric
      labels, and whether a label or the name of the priority class has one of some values, in some order,
      that fall from every preemptor to its victim;
    - a ClusterQueue whose spec.preemption has none together with the PreemptionConfig that it names.

    With a measure no workload is preempted, in however many steps, by one that it preempted; a victim may
    still be admitted before its preemptor. The API server looks at one object at a time: it compares neither
    a changed PreemptionConfig with the ClusterQueues that name it, nor ClusterQueues with each other.

    Warn first, refuse later:

    \b
    tenure policy --action warn | kubectl apply -f -
    tenure policy | kubectl apply -f -

    Keep the policies in a repository:

    \b
    tenure policy > policies/preemption-configs.yaml

    The cluster needs Kubernetes 1.30 or later, and the CustomResourceDefinition of PreemptionConfig.

    Exit codes: 0 written, 2 bad input.
    """
    from tenure.validation.admission_policy import admission_policies, policies_yaml

    policies = admission_policies(action)
    listed = {"apiVersion": "v1", "kind": "List", "items": policies}
    lines = policies_yaml(policies).splitlines() if output == Output.TEXT else ()
    print_answer(output, None, listed, lines, pointer=False)
