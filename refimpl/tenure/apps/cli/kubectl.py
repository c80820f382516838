"""`kubectl tenure`: `why` and `why-not` of a cluster that is asked itself, and never written to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

import typer

from tenure.apps.cli.app import ended
from tenure.apps.cli.asked import Inquiry, asked_about
from tenure.apps.cli.commands import SETTINGS, Command, Group, with_records
from tenure.apps.cli.explain import print_why, print_why_not
from tenure.apps.cli.inputs import changed
from tenure.apps.cli.named import NAME_HELP
from tenure.apps.cli.options import EditOptions, Flips, Interpretation, Now, Strict, instant_of
from tenure.apps.cli.output import Every, Printing
from tenure.apps.cli.terminal import choose_colour, complain
from tenure.errors import InputError, Problem
from tenure.manifests import build, parse_duration
from tenure.manifests.naming import Home
from tenure.telling.flips import DEFAULT_LIMIT

EXIT_NO_CLUSTER = 4
SHORTEST_WAIT, LONGEST_WAIT = 10**8, 24 * 3600 * 10**9
"""Nanoseconds."""

KubeConfig = Annotated[
    str | None, typer.Option(help="The kubeconfig file.", show_default="KUBECONFIG, else ~/.kube/config")
]
Context = Annotated[
    str | None, typer.Option(help="A context of it, which names the cluster.", show_default="the current one")
]
Namespace = Annotated[
    str | None,
    typer.Option(
        "--namespace",
        "-n",
        help="The only one where names without a namespace are looked for.",
        show_default="the context's first, then all",
    ),
]
KueueNamespace = Annotated[str, typer.Option(help="Where Kueue runs, whose Configuration decides too.")]
Timeout = Annotated[
    str,
    typer.Option(
        help="How long to wait for one answer of the API server: 10s, 1m; a bare number is seconds."
    ),
]
TotalTimeout = Annotated[str, typer.Option(help="How long to wait for all answers together.")]


@dataclass(frozen=True, slots=True)
class ClusterAccess:
    """Which cluster is asked, and how."""

    kubeconfig: KubeConfig = None
    context: Context = None
    namespace: Namespace = None
    kueue_namespace: KueueNamespace = "kueue-system"
    request_timeout: Timeout = "30s"
    total_timeout: TotalTimeout = "10m"
    strict: Strict = False


app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings=SETTINGS,
    help=(
        "Why a workload of this cluster is preempted, or waits. Reads Kueue's objects; changes nothing."
        "\n\n\b\n"
        "kubectl tenure why ml/old\n"
        "kubectl tenure why-not train -n ml"
    ),
    epilog="Exit codes: 0 answered, 2 bad input, 3 internal error, 4 the cluster cannot be read.",
)


@app.command("why", cls=Command)
@with_records
def why_command(
    *,
    victim: Annotated[
        str, typer.Argument(help=f"The running or preempted workload: {NAME_HELP}.", metavar="VICTIM")
    ],
    workload: Annotated[
        str | None,
        typer.Option("--workload", "-w", help="The pending workload.", show_default="all of them"),
    ] = None,
    access: ClusterAccess,
    edits: EditOptions,
    now: Now = None,
    interpretation: Interpretation,
    flips: Flips = DEFAULT_LIMIT,
    every: Every = False,
    printing: Printing,
) -> None:
    """Say who could preempt a running workload, why it is preempted, or why a preempted one was.

    \b
    kubectl tenure why ml/old
    kubectl tenure why old -n ml -w train --context prod
    """
    choose_colour(printing.color)
    asked, home = _ask(access, now, interpretation, edits)
    print_why(asked, victim, workload, flips, printing.output, every=every, home=home)


@app.command("why-not", cls=Command)
@with_records
def why_not_command(
    *,
    workload: Annotated[str, typer.Argument(help=f"The pending workload: {NAME_HELP}.", metavar="WORKLOAD")],
    victim: Annotated[
        str | None, typer.Argument(help="A running workload that it does not preempt.", show_default=False)
    ] = None,
    access: ClusterAccess,
    edits: EditOptions,
    now: Now = None,
    interpretation: Interpretation,
    flips: Flips = DEFAULT_LIMIT,
    every: Every = False,
    printing: Printing,
) -> None:
    """Say why a pending workload is not admitted, or why it does not preempt a running one.

    \b
    kubectl tenure why-not ml/train
    kubectl tenure why-not train old -n ml
    """
    choose_colour(printing.color)
    asked, home = _ask(access, now, interpretation, edits)
    print_why_not(asked, workload, victim, flips, printing.output, every=every, home=home)


def main() -> None:
    """Run the plugin; every failure is a message and an exit code, never a traceback."""
    ended(lambda: app(prog_name="kubectl tenure"), "kubectl tenure")


def _ask(
    access: ClusterAccess, now: str | None, interpretation: Interpretation, edits: EditOptions
) -> tuple[Inquiry, Home]:
    """The cluster, and where names without a namespace are looked for.

    Raises:
        InputError: a malformed option or kubeconfig, or what is not modelled in the cluster.
        Exit: the cluster cannot be read.
    """
    from tenure.apps.kubectl import Bounds, ClusterError, connect, fetch

    said = None if now is None else instant_of(now)
    chosen, changes, kueue = interpretation.chosen(), edits.edits(), interpretation.asked_kueue()
    bounds = Bounds(
        _seconds(access.request_timeout, "--request-timeout"),
        _seconds(access.total_timeout, "--total-timeout"),
    )
    server = connect(access.kubeconfig, access.context, bounds)
    try:
        fetched = fetch(server, access.kueue_namespace)
    except ClusterError as error:
        complain("error", error)
        raise typer.Exit(EXIT_NO_CLUSTER) from None
    # The clock is read after the objects: nothing of theirs happened later.
    instant = instant_of(None) if said is None else said
    loaded = kueue.stamped(build(changed(fetched.objects, changes, kueue), strict=access.strict))
    asked = asked_about(loaded, instant, chosen, warnings=fetched.warnings, strict=access.strict)
    return asked, Home(access.namespace or server.namespace, only=access.namespace is not None)


def _seconds(text: str, option: str) -> float:
    """A time to wait, as kubectl takes it.

    Raises:
        InputError: it is no duration, or shorter than a tenth of a second or longer than a day.

    >>> _seconds("30", "--wait"), _seconds("1m30s", "--wait"), _seconds("0.5", "--wait")
    (30.0, 90.0, 0.5)
    """
    bare = re.fullmatch(r"[0-9]+(\.[0-9]+)?", text)
    waited = parse_duration(f"{text}s" if bare else text, field=option)
    if not SHORTEST_WAIT <= waited <= LONGEST_WAIT:
        raise InputError([Problem(option, repr(text), "at least 100ms and at most 24h")])
    return waited / 10**9
