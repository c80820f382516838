"""`kubectl tenure`: the commands of `tenure` about the cluster that kubectl talks to, which is only read."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tenure.cli.app import ended
from tenure.cli.commands import SETTINGS, Front, built, command_named
from tenure.cli.exit_codes import ExitCode
from tenure.cli.terminal import complain, hint, print_text
from tenure.errors import bad_input
from tenure.manifests.given import StandardInput, in_place_of_stdin

if TYPE_CHECKING:
    from tenure.kubectl import KaiDump, Kubectl, KueueDump

COMMANDS_OF_A_CLUSTER: Final = (
    "decide",
    "why",
    "why-not",
    "next",
    "diff",
    "show",
    "analyze",
    "report",
    "validate",
    "kai",
)
"""The commands of `tenure` that read a cluster."""
_OF_PAST: Final = ("why", "why-not")
"""The commands for which Events are history."""
_NO_JOBS: Final = ("validate",)
"""The commands that make no Workloads of jobs."""
_LEFT_OUT: Final = ("check",)
"""Commands below these that read no cluster."""
_DUMP: Final = "dump"
_CLUSTER: Final = "-"


@dataclass(frozen=True, slots=True)
class _Flag:
    """A flag of kubectl that is passed on.

    Args:
        names: as kubectl has it, the long one first.
        help: empty for one that `--help` does not list.
        kind: `str`, `bool` or `list`.
        only_get: whether `kubectl get` alone has it.
        ours: whether it is not passed on, because everything is read of all namespaces.
    """

    names: tuple[str, ...]
    help: str = ""
    kind: type = str
    only_get: bool = False
    ours: bool = False

    @property
    def key(self) -> str:
        """Its name among the parameters of a command."""
        return "kubectl_" + self.names[0].strip("-").replace("-", "_")

    def parameter(self) -> inspect.Parameter:
        """The option of a command, as Typer has it."""
        hint: Any = {bool: bool, list: list[str] | None}.get(self.kind, str | None)
        option = typer.Option(*self.names, help=self.help, hidden=not self.help, show_default=False)
        return _parameter(self.key, Annotated[hint, option], False if self.kind is bool else None)

    def words(self, value: Any) -> Iterator[str]:
        """What is passed on to kubectl."""
        if self.kind is bool:
            yield from [self.names[0]] if value else []
        else:
            for one in value or () if self.kind is list else [] if value is None else [value]:
                yield f"{self.names[0]}={one}"


_NAMESPACE: Final = _Flag(
    ("--namespace", "-n"),
    "The only namespace where names without one are looked for; without it the context's first, then all.",
    ours=True,
)
_FLAGS: Final = (
    _Flag(("--context",), "A context of kubeconfig, which names the cluster."),
    _Flag(("--kubeconfig",), "The kubeconfig file."),
    _NAMESPACE,
    _Flag(("--request-timeout",), "How long kubectl waits for one answer of the API server: 10s, 1m."),
    _Flag(("--as",), "The user to impersonate."),
    _Flag(("--as-group",), kind=list),
    _Flag(("--as-uid",)),
    _Flag(("--cache-dir",)),
    _Flag(("--certificate-authority",)),
    _Flag(("--client-certificate",)),
    _Flag(("--client-key",)),
    _Flag(("--cluster",)),
    _Flag(("--disable-compression",), kind=bool),
    _Flag(("--insecure-skip-tls-verify",), kind=bool),
    _Flag(("--match-server-version",), kind=bool),
    _Flag(("--password",)),
    _Flag(("--server", "-s")),
    _Flag(("--tls-server-name",)),
    _Flag(("--token",)),
    _Flag(("--user",)),
    _Flag(("--username",)),
    _Flag(("--chunk-size",), only_get=True),
)
"""Those of `kubectl options` that select the cluster, and how it is read."""
_KUEUE_NAMESPACE: Final = "kueue_namespace"
_WORDS: Final = ("sides", "words", "paths", "files")
"""The parameters of commands that are files, among other words or alone."""

_OTHER_SOURCES: Final = ("example", "identifier")
"""The parameters of commands that name something else than a cluster."""


class Plugin(Front):
    """The commands about a cluster, and `dump`."""

    def list_commands(self, ctx: Any) -> list[str]:
        del ctx
        return [*COMMANDS_OF_A_CLUSTER, _DUMP]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        del ctx
        objects = _of_kai if cmd_name == "kai" else _of_kueue
        if cmd_name in COMMANDS_OF_A_CLUSTER:
            return _of_cluster(command_named(cmd_name), objects)
        return _dump_command(objects) if cmd_name == _DUMP else None

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Flags of kubectl may come before the command too, as kubectl takes them."""
        valued = {name for flag in _FLAGS if flag.kind is not bool for name in flag.names}
        known = valued | {name for flag in _FLAGS for name in flag.names}
        end = 0
        while end < len(args) and args[end].partition("=")[0] in known:
            end += 2 if args[end] in valued else 1
        last = args.index("--") if "--" in args else len(args)
        return super().parse_args(ctx, [*args[end:last], *args[:end], *args[last:]])


app = typer.Typer(
    cls=Plugin,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings=SETTINGS,
    help=(
        "Which workloads may preempt which others in this cluster, when, and why. Reads by `kubectl get`; "
        "changes nothing."
        "\n\n\b\n"
        "kubectl tenure why ml/old\n"
        "kubectl tenure why-not train -n ml\n"
        "kubectl tenure decide --all-pending --context prod\n"
        "kubectl tenure next job.yaml\n"
        "kubectl tenure report -o cluster.html\n"
        "kubectl tenure dump > cluster.json"
        "\n\n"
        "Each command is the one of `tenure`, with the objects of the cluster in place of PATHS; files that "
        "are named are read too. All flags of kubectl that select the cluster, and how it is read, are "
        "passed on to it: see `kubectl options`."
    ),
    epilog="Exit codes: as for `tenure`; 4 the cluster cannot be read.",
)


@app.callback()
def _group() -> None:
    # Without a callback Typer makes a group of one command that command.
    pass


def main() -> None:
    """Run the plugin; every failure is a message and an exit code, never a traceback."""
    ended(lambda: app(prog_name="kubectl tenure"), "kubectl tenure")


@dataclass(frozen=True, slots=True)
class _Use:
    """What the objects of a cluster are read for; without values, to be kept for all commands.

    Args:
        past: whether the question is about the past.
        beside: the files that are read beside the cluster, and other words; None for those of any command.
    """

    past: bool = True
    beside: Sequence[str] | None = None

    def submits(self) -> bool:
        """Whether there may be jobs that are yet to be created."""
        from tenure.manifests.files import iterate_objects
        from tenure.manifests.jobs.integrations import integration_of

        if self.beside is None:
            return True
        # What is wrong with a file is an error where the command reads it.
        objects = iterate_objects([word for word in self.beside if Path(word).exists()], [])
        return any(integration_of(found.object) is not None for found in objects)


_Objects = Callable[["Kubectl", Mapping[str, Any], _Use], "KueueDump | KaiDump"]


def _of_kueue(kubectl: Kubectl, options: Mapping[str, Any], use: _Use) -> KueueDump:
    from tenure.kubectl import KueueDump

    return KueueDump(kubectl, options[_NAMESPACE.key], options[_KUEUE_NAMESPACE], use.past, use.submits())


def _of_kai(kubectl: Kubectl, options: Mapping[str, Any], use: _Use) -> KaiDump:
    from tenure.kubectl import KaiDump

    del options, use
    return KaiDump(kubectl)


def _of_cluster(command: Any, objects: _Objects) -> Any:
    """A command with the objects of the cluster in place of its paths; of a group, each command of it."""
    made = copy.copy(command)
    if hasattr(command, "commands"):
        made.commands = {
            name: _of_cluster(each, objects)
            for name, each in command.commands.items()
            if name not in _LEFT_OUT
        }
        if objects is _of_kai:
            made.commands[_DUMP] = _dump_command(objects)
        return made
    others = {each.name: None for each in command.params if each.name in _OTHER_SOURCES}
    replaced = [parameter for parameter in command.params if parameter.name not in _OTHER_SOURCES]
    made.params = [*replaced, *built("", _with_parameters(lambda **_: None, objects)).params]

    def run(**given: Any) -> None:
        beside = [] if command.name in _NO_JOBS else _beside(given)
        read = _reading(objects, given, _Use(command.name in _OF_PAST, beside))
        with in_place_of_stdin(read):
            command.callback(**_with_cluster({**others, **given}))

    made.callback = _answering(run)
    return made


def _dump_command(objects: _Objects) -> Any:
    def dump(**given: Any) -> None:
        read = _reading(objects, given, _Use())
        print_text((read.read or bytes)().decode("utf-8", "replace"), is_json=True)

    name, group = ("KAI-Scheduler's objects", " kai") if objects is _of_kai else ("Kueue's objects", "")
    help_text = (
        f"Print {name} as one List in JSON: what `tenure{group}` reads from a file or from standard input."
        f"\n\n\b\nkubectl tenure{group} dump > cluster.json"
    )
    return built(_DUMP, _with_parameters(_answering(dump), objects), help_text)


def _parameters(objects: _Objects) -> list[inspect.Parameter]:
    found = [flag.parameter() for flag in _FLAGS]
    if objects is _of_kueue:
        where = typer.Option(help="Where Kueue runs, whose Configuration decides too.")
        found.append(_parameter(_KUEUE_NAMESPACE, Annotated[str, where], "kueue-system"))
    return found


def _parameter(name: str, annotation: Any, default: object) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _with_parameters(command: Callable[..., None], objects: _Objects) -> Callable[..., None]:
    """A function with the options that select the cluster, and how it is read."""
    vars(command).update(__signature__=inspect.Signature(_parameters(objects)))
    return command


def _answering(run: Callable[..., None]) -> Callable[..., None]:
    def answer(**given: Any) -> None:
        from tenure.kubectl import ClusterError

        try:
            run(**given)
        except ClusterError as error:
            complain("error", error)
            raise typer.Exit(ExitCode.NO_CLUSTER) from None

    return answer


def _reading(objects: _Objects, given: dict[str, Any], use: _Use) -> StandardInput:
    """What reads the cluster when it is used; its options are taken out of those given."""
    from tenure.kubectl import NAME, Kubectl

    options = {each.name: given.pop(each.name) for each in _parameters(objects)}
    flags = {only: _passed(options, only_get=only) for only in (False, True)}

    def reading() -> StandardInput:
        kept: list[bytes] = []
        read = StandardInput(NAME, again=reading)

        def text() -> bytes:
            if not kept:
                kubectl = Kubectl(Kubectl.find(), flags[False], flags[True], hint)
                dump = objects(kubectl, options, use).read()
                kept.append(dump.text)
                read.home = dump.home
                read.warnings.extend(dump.warnings)
                for warning in dump.warnings:
                    complain("warning", warning)
            return kept[0]

        read.read = text
        return read

    return reading()


def _passed(options: Mapping[str, Any], *, only_get: bool) -> tuple[str, ...]:
    flags = [flag for flag in _FLAGS if flag.only_get == only_get and not flag.ours]
    return tuple(word for flag in flags for word in flag.words(options[flag.key]))


def _beside(given: Mapping[str, Any]) -> list[str]:
    """All words that may be files beside the cluster."""
    return [str(word) for name in (*_WORDS, "beside") for word in given.get(name) or ()]


def _with_cluster(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a command with the cluster among what it reads.

    >>> _with_cluster({"paths": None}), _with_cluster({"sides": ["queues/"], "beside": None})
    ({'paths': ['-']}, {'sides': ['-', 'queues/'], 'beside': ['-']})
    >>> _with_cluster({"paths": ["queues/"], "old": None})
    {'paths': ['queues/'], 'old': ['-']}
    """
    named = next(name for name in _WORDS if name in given)
    words = list(given[named] or ())
    if _CLUSTER in words:
        raise bad_input(
            named, "-", "files or folders: the objects of the cluster take the place of standard input"
        )
    if named == "sides":
        beside = [*(given["beside"] or ()), *([_CLUSTER] if words else [])]
        return {**given, "sides": [_CLUSTER, *words], "beside": beside}
    if words and "old" in given:
        return {**given, "old": [*(given["old"] or ()), _CLUSTER]}
    return {**given, named: [*words, _CLUSTER]}
