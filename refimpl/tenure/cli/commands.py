"""Which commands there are. Each is imported when it is used, so that the others start quickly."""

from __future__ import annotations

import copy
import importlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from itertools import compress
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from tenure.cli.terminal import coloured
from tenure.errors import close_name
from tenure.registration import added

PLUGINS = "tenure.commands"
"""Entry points that add commands: the proofs are one, so that the reference never imports them."""

ENTRY_POINT = ""
"""Where a command is that a package above this one adds; this one imports it by its entry point alone."""

GROUPS = {
    "Ask": {
        "decide": (
            "tenure.cli.decide:decide_command",
            "Decide which workloads are preempted for a pending one, and why.",
        ),
        "why": (
            ENTRY_POINT,
            "Explain why a workload was preempted, or which pending workloads could preempt a running one.",
        ),
        "why-not": (
            ENTRY_POINT,
            "Explain why a workload is not admitted, or why it does not preempt a running one.",
        ),
        "next": (
            ENTRY_POINT,
            "Forecast the coming scheduling cycles of the cluster as it is, "
            "or when one workload has its turn.",
        ),
        "diff": (
            ENTRY_POINT,
            "Show what a change does to all pending workloads together, and to each decision taken alone.",
        ),
    },
    "Analyze": {
        "analyze": (
            ENTRY_POINT,
            "Find out what may happen in a configuration of queues, whatever workloads come.",
        ),
        "simulate": (
            ENTRY_POINT,
            "Simulate scheduling over time: a scenario cycle by cycle, or settings of queues on a trace.",
        ),
        "report": (
            ENTRY_POINT,
            "Draw the cohorts, ClusterQueues and jobs of a cluster as one HTML page.",
        ),
    },
    "Check": {
        "validate": (
            "tenure.cli.validate:validate_command",
            "List everything that is wrong with manifests, before the API server does.",
        ),
        "test": (
            ENTRY_POINT,
            "Check what *.tenure.yaml files expect of decisions, manifests and scenarios, "
            "and explain each failure.",
        ),
        "policy": (
            "tenure.cli.policy:policy_command",
            "Write admission policies that refuse a PreemptionConfig that is invalid or may loop.",
        ),
    },
    "KAI": {
        "kai": (
            ENTRY_POINT,
            "Show which jobs KAI-Scheduler's MinRuntime plugin protects, until when, and why.",
        ),
    },
    "Specification": {
        "show": (
            "tenure.cli.show:show_command",
            "Show an entry of the specification by its identifier, or the quota of every ClusterQueue.",
        ),
        "prove": (
            ENTRY_POINT,
            "Prove every claim about the rules' own code, or refute it by a replayable counterexample.",
        ),
        "conform": (
            ENTRY_POINT,
            "Compare another scheduler's program with Tenure on the same questions.",
        ),
        "campaign": (
            ENTRY_POINT,
            "Decide hundreds of thousands of random scenarios by two engines, and compare the decisions.",
        ),
        "oracle": (
            "tenure.cli.oracle:oracle_command",
            "Answer JSON-lines requests on standard input, one answer a line, in order.",
        ),
        "vectors": (
            "tenure.cli.vectors:vectors_app",
            "Run, check, format and add the test cases of spec/vectors.",
        ),
        "schema": (
            "tenure.cli.examples:schema_command",
            "Print the JSON Schema (Draft 2020-12) of a JSON input or output, or list the schemas.",
        ),
        "example": (
            "tenure.cli.examples:example_command",
            "List the bundled examples, or copy the manifests of one.",
        ),
    },
}
"""By its group and name, where a command is and its help's first sentence, known before it is imported.

A test compares that sentence with the command's own.
"""

COMMANDS = {name: stated for group in GROUPS.values() for name, stated in group.items()}

WIDEST = 100
"""The most columns that a help text takes."""

SETTINGS: dict[str, Any] = {"help_option_names": ["--help", "-h"], "max_content_width": WIDEST}


# `Any`, here and below: Typer's commands and contexts are click's own in some releases and copies in others.
class Command(TyperCommand):
    """A command with its help in colours, on a terminal."""

    def get_help(self, ctx: Any) -> str:
        return coloured(super().get_help(ctx))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """The options under the titles that `with_records` gave them, the shared ones first."""
        sections: dict[str, list[Any]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            is_option = parameter.param_type_name == "option"
            title = getattr(parameter, "rich_help_panel", None) or ("Options" if is_option else "Arguments")
            sections.setdefault(title, []).extend([record] if record else [])
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class Group(TyperGroup):
    """Commands below one name."""

    _has_options = True

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options before the command; where none is given their defaults hold.

        Typer imports pydantic to convert even these, which takes as long as all the rest of a help text.
        """
        self._has_options = not args or args[0].startswith("-")
        try:
            return super().parse_args(ctx, args)
        finally:
            self._has_options = True

    def get_params(self, ctx: Any) -> list[Any]:
        return super().get_params(ctx) if self._has_options else []

    def get_help(self, ctx: Any) -> str:
        return coloured(super().get_help(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if not ctx.resilient_parsing and not name.startswith("-") and self.get_command(ctx, name) is None:
            close = close_name(name, self.list_commands(ctx), cutoff=0.6)
            hint = f"Did you mean '{close}'?" if close else f"One of {', '.join(self.list_commands(ctx))}."
            ctx.fail(f"No such command '{name}'. {hint}")
        return super().resolve_command(ctx, args)


class Front(Group):
    """The commands of this package, and those that other installed packages add."""

    def list_commands(self, ctx: Any) -> list[str]:
        from importlib.metadata import entry_points

        plugins = [entry.name for entry in entry_points(group=PLUGINS)]
        ours = [name for name, (place, _) in COMMANDS.items() if place != ENTRY_POINT or name in plugins]
        return list(dict.fromkeys([*ours, *plugins, *super().list_commands(ctx)]))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        found = super().get_command(ctx, cmd_name) or command_named(cmd_name)
        if found is not None:
            self.commands[cmd_name] = found
        return found

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """The commands' names with their first sentences; none of them is imported for that."""
        for name, (_, sentence) in COMMANDS.items():
            self.commands.setdefault(name, Command(name, help=sentence))
        return super().shell_complete(ctx, incomplete)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        left = dict.fromkeys(self.list_commands(ctx))
        for group in (*GROUPS, "Others"):
            names = [name for name in left if name in GROUPS.get(group, left)]
            if names:
                with formatter.section(group):
                    formatter.write_dl([(name, self._summary(ctx, name)) for name in names])
            for name in names:
                del left[name]

    def _summary(self, ctx: Any, name: str) -> str:
        if name in COMMANDS:
            return COMMANDS[name][1]
        return str(self.get_command(ctx, name).get_short_help_str(WIDEST))


def with_records(command: Callable[..., None]) -> Callable[..., None]:
    """A command some of whose parameters are records: each field of a record is an option of its own.

    Args:
        command: its options are in the order of its parameters, those of a record in the order of its fields,
            which are annotated as Typer has it, or records again. A record may be annotated by the title of
            its options in `--help`.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Names:
    ...     first: str = "a"
    ...     last: str = "b"
    >>> @with_records
    ... def greet(*, names: Names, loud: bool = False) -> None:
    ...     print(names, loud)
    >>> inspect.signature(greet)
    <Signature (*, first: str = 'a', last: str = 'b', loud: bool = False) -> None>
    >>> greet(first="x", last="y", loud=True)
    Names(first='x', last='y') True
    """
    hints = get_type_hints(command, include_extras=True)
    bare = {
        name: get_args(hint) if get_origin(hint) is Annotated else (hint,) for name, hint in hints.items()
    }
    records: dict[str, Any] = {name: hint[0] for name, hint in bare.items() if is_dataclass(hint[0])}
    options: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name in records:
            options.extend(_options(*bare[parameter.name]))
        else:
            kind = inspect.Parameter.KEYWORD_ONLY
            options.append(parameter.replace(annotation=hints[parameter.name], kind=kind))

    @wraps(command)
    def run(**given: Any) -> None:
        for name, record in records.items():
            given[name] = _filled(record, given)
        command(**given)

    vars(run).update(__signature__=inspect.Signature(options, return_annotation=None))
    run.__annotations__.clear()
    run.__annotations__.update({parameter.name: parameter.annotation for parameter in options})
    return run


def _filled(record: Any, given: dict[str, Any]) -> Any:
    """A record of the options that are given, which are taken out."""
    hints = get_type_hints(record)
    return record(
        **{
            field.name: _filled(hints[field.name], given)
            if is_dataclass(hints[field.name])
            else given.pop(field.name)
            for field in fields(record)
        }
    )


def _options(record: Any, title: str | None = None) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(record, include_extras=True)
    for field in fields(record):
        if is_dataclass(hints[field.name]):
            yield from _options(hints[field.name], title)
            continue
        yield inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=_titled(hints[field.name], title),
        )


def _titled(hint: Any, title: str | None) -> Any:
    """The annotation of an option that `--help` lists under a title."""
    if title is None:
        return hint
    kind, option = get_args(hint)
    option = copy.copy(option)
    option.rich_help_panel = title
    return Annotated[kind, option]


def options_given(*records: Any) -> list[str]:
    """The options that differ from their defaults, by their long names.

    Args:
        records: of a command that `with_records` made.
    """
    given: list[str] = []
    for record in records:
        changed = [*_changed(record)]
        if any(changed):
            given += (option.opts[0] for option in compress(_parsed(type(record)), changed))
    return given


def _changed(record: Any) -> Iterator[bool]:
    for field in fields(record):
        value = getattr(record, field.name)
        if is_dataclass(value):
            yield from _changed(value)
        else:
            yield value != field.default


def _parsed(record: Any) -> list[Any]:
    """A record's options as the command line has them."""

    def command(**given: Any) -> None:
        del given

    options = [*_options(record)]
    vars(command).update(__signature__=inspect.Signature(options))
    command.__annotations__.update({option.name: option.annotation for option in options})
    return list(built("", command).params)


def command_named(name: str) -> Any:
    """The command of a name, built; None without one."""
    if name in COMMANDS and COMMANDS[name][0] != ENTRY_POINT:
        module, _, attribute = COMMANDS[name][0].partition(":")
        return built(name, getattr(importlib.import_module(module), attribute))
    found = added(PLUGINS, name)
    return None if found is None else built(name, found)


def built(name: str, found: Any, help_text: str | None = None) -> Any:
    """The command that Typer makes of an application or of a function, with its own help or another."""
    if isinstance(found, typer.Typer):
        return typer.main.get_command(found)
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name, cls=Command, context_settings=SETTINGS, help=help_text)(found)
    return typer.main.get_command(alone)
