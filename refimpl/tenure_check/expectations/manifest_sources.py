"""Where the manifests that documents name come from: files, standard input, and renderers that may run."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from tenure.errors import InputError, safe
from tenure.manifests import Place, SourcedObject, read_objects, show
from tenure.manifests.files import read_referenced
from tenure.manifests.given import StandardInput, in_place_of_stdin
from tenure.manifests.limits import MAX_FILE, in_mebibytes
from tenure.manifests.showing import printable
from tenure.programs import run_bounded

RENDERED: Final = "rendered"
"""What messages call the file of what a renderer printed."""
RENDER_WITHIN: Final = 60.0
"""Seconds that a renderer may take."""
_STDIN, _RENDER = "-", "render"
_MOST_LINES: Final = 4
"""Lines of a renderer's own error that are shown."""
_LONGEST: Final = 400
"""Characters of each."""
_LOG_PREFIX: Final = re.compile(r"[EWIF]\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ [\w.]+:\d+\] ")
"""What Kubernetes programs write before a message: its severity, time, thread and line."""
_ENTRY: Final = "the name of a file or folder, -, a Kubernetes object, or render with a command"


@dataclass(slots=True)
class ManifestSources:
    """The sources of one run, each read or rendered once, though several documents name it.

    Args:
        may_render: the commands that may run, word for word: a file that is checked does not decide that.
    """

    may_render: Collection[str] = ()
    _found: dict[tuple[str, Path], tuple[SourcedObject, ...]] = field(default_factory=dict)

    def objects(self, entry: object, where: str, place: Place) -> tuple[SourcedObject, ...]:
        """The objects that an entry of `manifests` stands for.

        Args:
            entry: a name, an object, or a map with `render` alone, untrusted.
            where: the path of its field.
            place: the document that names it.

        Raises:
            InputError: it cannot be read or rendered, or may not be.
        """
        if entry == _STDIN:
            return self._once("-", Path(), lambda: read_referenced({where: entry}, place))
        if isinstance(entry, str):
            return read_referenced({where: entry}, place)
        if not isinstance(entry, dict):
            raise place.error(where, show(entry), _ENTRY)
        if set(entry) != {_RENDER}:
            return (SourcedObject(place.file, entry),)
        command, where = entry[_RENDER], f"{where}.{_RENDER}"
        render = partial(rendered, command, where=where, place=place)
        words_of(command, where, place)
        if command not in self.may_render:
            allowed = f"a command that the caller allows, word for word: --render {shlex.quote(command)}"
            raise place.error(where, show(command), allowed)
        folder = Path(place.file).parent if place.file not in ("", "stdin") else Path()
        return self._once(command, folder, lambda: render(folder))

    def _once(
        self, name: str, folder: Path, read: Callable[[], tuple[SourcedObject, ...]]
    ) -> tuple[SourcedObject, ...]:
        if (name, folder) not in self._found:
            self._found[name, folder] = read()
        return self._found[name, folder]


def words_of(command: Any, where: str, place: Place) -> list[str]:
    """The words of a command.

    Args:
        command: untrusted.
        where: the path of its field, or the option that has it.
        place: what has it.

    Raises:
        InputError: it is no text, has an open quote, or is empty.

    >>> words_of("helm template charts/queues", "--render", Place())
    ['helm', 'template', 'charts/queues']
    """
    expected = "a command such as kubectl kustomize overlays/prod; no shell reads it"
    try:
        words = shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        words = []
    if not words:
        raise place.error(where, show(command), expected)
    return words


def rendered(command: str, folder: Path, *, where: str, place: Place) -> tuple[SourcedObject, ...]:
    """What a renderer prints, as objects.

    Args:
        command: runs as it is, without a shell.
        folder: where it runs.
        where, place: as of `words_of`.

    Raises:
        InputError: it fails, which its own error explains; it takes or prints too much; no objects.
    """
    words = words_of(command, where, place)
    name = printable(words[0])
    try:
        ended = run_bounded(words, MAX_FILE, RENDER_WITHIN, stdin=subprocess.DEVNULL, folder=folder)
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise place.error(where, f"{name}: {reason}", "a program on PATH") from None
    if ended.printed is None:
        raise place.error(where, f"no end of {name} within {RENDER_WITHIN:g} s", "manifests in that time")
    if len(ended.printed) > MAX_FILE:
        most = in_mebibytes(MAX_FILE)
        raise place.error(where, f"more than {most} from {name}", f"at most {most}")
    if ended.code:
        lines = ended.stderr.decode("utf-8", "replace").strip().splitlines()[-_MOST_LINES:]
        told = [safe(_LOG_PREFIX.sub("", line.strip()))[:_LONGEST] for line in lines]
        why = "; ".join(told) or "no message"
        raise place.error(where, f"{name} ended with {ended.code}: {why}", "manifests on standard output")
    printed = ended.printed
    try:
        with in_place_of_stdin(StandardInput(RENDERED, lambda: printed)):
            return read_objects([_STDIN])
    except InputError as error:
        problem = error.problems[0]
        raise place.error(where, f"{problem.found} in what {name} printed", problem.expected) from None
