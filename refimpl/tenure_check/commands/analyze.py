"""`tenure analyze`: what may happen in a configuration of queues, whatever workloads come."""

from __future__ import annotations

import typer

from tenure.cli.commands import SETTINGS, Command, Group
from tenure_check.commands.analyze_baseline import analyze_baseline_command
from tenure_check.commands.analyze_check import check_command
from tenure_check.commands.analyze_diff import analyze_diff_command
from tenure_check.commands.analyze_guarantees import guarantees_command
from tenure_check.commands.analyze_loops import loops_command
from tenure_check.commands.analyze_matrix import matrix_command
from tenure_check.commands.analyze_sanity import sanity_command

analyze_app = typer.Typer(
    cls=Group,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings=SETTINGS,
    help=(
        "Find out what may happen in a configuration of queues, whatever workloads come.\n\n"
        "The bundled example, and then your own queues:\n\n\b\n"
        "tenure analyze loops --example shared-cohort\n"
        "tenure analyze loops queues/ --search\n"
        "tenure analyze sanity queues/\n"
        "tenure analyze matrix queues/\n"
        "tenure analyze guarantees queues/\n"
        "tenure analyze diff main:queues/ HEAD:queues/\n"
        "tenure analyze check queues/"
    ),
    epilog="Exit codes: 0 nothing found, all is known; 1 something found; 2 bad input; 5 not all is known.",
)
analyze_app.command("loops", cls=Command, context_settings=SETTINGS)(loops_command)
analyze_app.command("sanity", cls=Command, context_settings=SETTINGS)(sanity_command)
analyze_app.command("check", cls=Command, context_settings=SETTINGS)(check_command)
analyze_app.command("matrix", cls=Command, context_settings=SETTINGS)(matrix_command)
analyze_app.command("guarantees", cls=Command, context_settings=SETTINGS)(guarantees_command)
analyze_app.command("diff", cls=Command, context_settings=SETTINGS)(analyze_diff_command)
analyze_app.command("baseline", cls=Command, context_settings=SETTINGS)(analyze_baseline_command)


@analyze_app.callback()
def _group() -> None:
    # Without a callback Typer makes a group of one command that command.
    pass
