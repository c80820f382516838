"""All that is printed goes out here, with what is not printable escaped: names come from files and peers.

A terminal alone gets colours, and progress. A pipe gets plain text, and none of that is imported.
"""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Final, TextIO, TypeVar

import typer

from tenure.errors import in_text, safe
from tenure.pages import IDENTIFIER, address_of

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress
    from rich.text import Text


_Item = TypeVar("_Item")

PATIENCE_S = 0.5
"""Work that is done sooner shows no progress: a bar that only flickers helps no one."""

Color = Annotated[
    bool | None,
    typer.Option(
        "--color/--no-color",
        help="Colours always, or never, whatever the output and NO_COLOR.",
        show_default="on a terminal, unless NO_COLOR is set",
    ),
]
"""The option of commands that print text."""

STYLES = (
    (r"^(?:Preempt|NoCandidates)(?=:)|(?<= )(?:Preempt|NoCandidates)(?= )", "bold yellow"),
    (r"^Fit(?=:)|(?<= )Fit(?= )", "bold green"),
    (r"^(?:NoFit|FAIL)\b|(?<= )NoFit(?= )|^error(?=:)", "bold red"),
    (r"^warning(?=:)", "bold yellow"),
    (r"^  preempt \S+", "bold"),
    (r"\bIn(?:ClusterQueue|Cohort)[A-Z]?\w*", "magenta"),
    (r"\b(?:KQ|TBP|UCQ|DYN|KMR|CYC|PCF|PPR|RBO|PO-[A-Z]+|F|DV)-\d{3}\b", "cyan"),
    (r"^ok\b", "green"),
    (r"^(?:WORKLOAD|Usage|Arguments|Options|Commands)\b.*$", "bold"),
    (r"(?:(?<=\s)|^)--?[a-z][a-z-]*", "cyan"),
)
"""Patterns of whole lines, and how Rich shows what they match."""


_LINKING: Final = ("iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper")
_LINKING_SESSIONS: Final = ("WT_SESSION", "KITTY_WINDOW_ID", "KONSOLE_VERSION")
_LINKING_VTE: Final = 5000
"""Terminals that follow links: programs, variables that others set, the first release of VTE."""


class _Choice:
    """The value of `--color` or `--no-color`; None where neither was given."""

    colour: bool | None = None


def choose_colour(wanted: bool | None) -> None:
    """Keep the value of an option; None keeps the earlier one."""
    if wanted is not None:
        _Choice.colour = wanted


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person may be looking; whoever starts us may have closed a stream, and it is then None.

    >>> is_terminal(None)
    False
    """
    return stream is not None and stream.isatty()


def wants_colour(stream: TextIO) -> bool:
    """Whether a stream gets colours: by the options, else on a terminal without NO_COLOR.

    >>> import io
    >>> wants_colour(io.StringIO())
    False
    """
    if _Choice.colour is not None:
        return _Choice.colour
    return is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def follows_links(stream: TextIO | None) -> bool:
    """Whether a terminal is known to follow links behind text; FORCE_HYPERLINK=1 or 0 decides.

    >>> follows_links(None)
    False
    """
    forced = os.environ.get("FORCE_HYPERLINK")
    if forced:
        return forced != "0"
    version = os.environ.get("VTE_VERSION", "")
    return is_terminal(stream) and (
        os.environ.get("TERM_PROGRAM") in _LINKING
        or any(name in os.environ for name in _LINKING_SESSIONS)
        or (version.isdecimal() and int(version) >= _LINKING_VTE)
    )


def print_lines(lines: Iterable[str]) -> None:
    """Print lines on standard output, coloured where that is wanted; the text is the same either way."""
    _write(lines, sys.stdout)


def print_text(text: str, *, is_json: bool = False) -> None:
    """Print a text of several lines on standard output as it is, but for what is not printable in a line.

    Args:
        text: with its line breaks.
        is_json: whether it has to stay JSON; that means the same when it is escaped as JSON does it.
    """
    if sys.stdout is None:
        return
    if is_json and (sys.stdout.encoding or "utf-8").replace("-", "").lower() != "utf8":
        text = "".join(here if here.isascii() else _in_json(here) for here in text)
    if not text.replace("\n", "").isprintable():
        spell = _in_json if is_json else in_text
        text = "\n".join(safe(line, spell) for line in text.split("\n"))
    sys.stdout.write(text)
    sys.stdout.flush()


def _in_json(character: str) -> str:
    import json

    return json.dumps(character)[1:-1]


def write_as_text(*streams: TextIO | None) -> None:
    """Let streams escape what their encoding has no character for, where they would fail.

    Args:
        streams: of which one may be closed, or in memory.
    """
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def discard(stream: TextIO | None) -> None:
    """Let nothing come of what a stream still holds, which would fail once more when the program ends."""
    # A stream in memory has no descriptor, and never fails.
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # type: ignore[union-attr] # None has none


def complain(kind: str, text: object) -> None:
    """A warning or an error on standard error; where it cannot be written, there is the exit code alone."""
    _tell(f"{kind}: {text}")


def hint(text: str) -> None:
    """What to do next, on standard error."""
    _tell(text)


@cache
def log_as_hints() -> None:
    """Print from now on what Tenure logs, such as that it compiles, on standard error."""
    import logging

    class Hints(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            hint(record.getMessage())

    logger = logging.getLogger("tenure")
    logger.addHandler(Hints())
    logger.setLevel(logging.INFO)


def _tell(line: str) -> None:
    try:
        _write([line], sys.stderr)
    except OSError:
        discard(sys.stderr)


def coloured(text: str) -> str:
    """A text for standard output, coloured where that is wanted."""
    if not wants_colour(sys.stdout):
        return text
    console = _console(sys.stdout)
    with console.capture() as captured:
        _paint(text.splitlines(), console)
    return captured.get().rstrip("\n")


def progress(items: Iterable[_Item], what: str, total: int | None = None) -> Iterator[_Item]:
    """The items; from `PATIENCE_S` on with progress on standard error while that is a terminal.

    >>> list(progress([1, 2], "counting"))
    [1, 2]
    """
    if not is_terminal(sys.stderr):
        yield from items
        return
    bar: Progress | None = None
    started = time.monotonic()
    try:
        for done, item in enumerate(items):
            if bar is None and time.monotonic() - started >= PATIENCE_S:
                bar = _begun(what, total)
            if bar is not None:
                bar.update(bar.task_ids[0], completed=done)
            yield item
    finally:
        if bar is not None:
            bar.stop()


def _write(lines: Iterable[str], stream: TextIO | None) -> None:
    if stream is None:
        return
    lines = map(safe, lines)
    if wants_colour(stream):
        _paint(lines, _console(stream), linked=follows_links(stream))
    else:
        stream.writelines(f"{line}\n" for line in lines)


def _paint(lines: Iterable[str], console: Console, *, linked: bool = False) -> None:
    from rich.text import Text

    addresses: dict[str, str | None] = {}
    for line in lines:
        text = Text(line)
        for pattern, style in STYLES:
            text.highlight_regex(pattern, style)
        if linked:
            _link(text, addresses)
        # A line stays one line: whoever copies it from a terminal gets what a pipe would.
        console.print(text, soft_wrap=True)


def _link(text: Text, addresses: dict[str, str | None]) -> None:
    """Put behind every identifier where to read on about it."""
    from rich.style import Style

    for found in IDENTIFIER.finditer(text.plain):
        if found[0] not in addresses:
            addresses[found[0]] = address_of(found[0])
        address = addresses[found[0]]
        if address is not None:
            text.stylize(Style(link=address), *found.span())


def _begun(what: str, total: int | None) -> Progress:
    from rich import progress as rich_progress

    counted = (
        rich_progress.MofNCompleteColumn()
        if total
        else rich_progress.TextColumn("{task.completed:,.0f} so far")
    )
    columns: list[Any] = [
        rich_progress.TextColumn("{task.description}"),
        rich_progress.BarColumn(),
        counted,
        rich_progress.TimeElapsedColumn(),
    ]
    bar = rich_progress.Progress(*columns, console=_console(sys.stderr), transient=True)
    bar.add_task(what, total=total)
    bar.start()
    return bar


def _console(stream: TextIO) -> Console:
    from rich.console import Console

    colour = wants_colour(stream)
    return Console(
        file=stream,
        force_terminal=True,
        no_color=not colour,
        # Without a terminal there is nothing to query for its colours.
        color_system="auto" if stream.isatty() else "standard",
        highlight=False,
    )


_EVERY_S: Final = 5.0
_EVERY_ON_A_TERMINAL_S: Final = 0.1


class RateLine:
    """Shows progress: on a terminal one line that changes, elsewhere a line every few seconds.

    Args:
        line: the line, from how much is done, how much of it failed, and how much is done a second.
        before: what was done when the work began, and does not count for the rate.
    """

    def __init__(self, line: Callable[[int, int, float], str], before: int = 0) -> None:
        self._line, self._before = line, before
        self._started = self._shown = time.monotonic()
        self._watched = is_terminal(sys.stderr)
        self._open = False

    def __call__(self, done: int, failed: int) -> None:
        now = time.monotonic()
        if now - self._shown < (_EVERY_ON_A_TERMINAL_S if self._watched else _EVERY_S):
            return
        self._shown = now
        line = safe(self._line(done, failed, (done - self._before) / max(now - self._started, 0.001)))
        self._open = self._watched
        end = "" if self._watched else "\n"
        print(f"\r{line}" if self._watched else line, end=end, file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leave the line that changes."""
        if self._open:
            print(file=sys.stderr)
            self._open = False
