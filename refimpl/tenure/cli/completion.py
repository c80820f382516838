"""What a shell offers for the word that is being typed. A failure offers nothing; it never speaks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import typer

from tenure.cli.bundled import example_names, scenario_names, schema_names
from tenure.resources import is_there

LARGEST_BYTES = 2_000_000
"""Manifests of at most this size are read for the names in them; a key press does not wait for more."""


def complete_example(incomplete: str) -> Iterator[str]:
    """Bundled examples.

    >>> list(complete_example("two"))
    ['two-teams']
    """
    return (name for name in example_names() if name.startswith(incomplete))


def complete_scenario(incomplete: str) -> Iterator[str]:
    """Bundled scenarios.

    >>> list(complete_scenario("tbp-it-2-rotation-"))
    ['tbp-it-2-rotation-of-wakers']
    """
    return (name for name in scenario_names() if name.startswith(incomplete))


def complete_reading(incomplete: str) -> Iterator[tuple[str, str]]:
    """Presets, with what they are.

    >>> [name for name, _ in complete_reading("as")]
    ['as-written']
    """
    from tenure.readings import readings_file

    presets = readings_file()["presets"].items()
    return ((name, preset["summary"]) for name, preset in presets if name.startswith(incomplete))


def complete_override(incomplete: str) -> Iterator[tuple[str, str]]:
    """Every choice as KEY=CHOICE, with its meaning.

    >>> [each for each, _ in complete_override("newer_than=q")]
    ['newer_than=queue_order']
    """
    from tenure.readings import readings_file

    for key, entry in readings_file()["keys"].items():
        for choice, meaning in entry["choices"].items():
            if f"{key}={choice}".startswith(incomplete):
                yield f"{key}={choice}", meaning


def complete_schema(incomplete: str) -> Iterator[str]:
    """Published schemas.

    >>> list(complete_schema("dec"))
    ['decide']
    """
    return (name for name in schema_names() if name.startswith(incomplete))


def complete_identifier(incomplete: str) -> Iterator[tuple[str, str]]:
    """What `tenure show` takes, with its title; vectors once a slash is typed.

    >>> [name for name, _ in complete_identifier("KQ-32")]
    ['KQ-320']
    """
    from tenure.reference import entries_of

    return ((entry.id, entry.title) for entry in entries_of(incomplete) if entry.id.startswith(incomplete))


def complete_workload(ctx: typer.Context, incomplete: str) -> Iterator[str]:
    """The pending workloads of the manifests or the example typed so far, as far as these are small."""
    try:
        found = _pending(_given(ctx), ctx.params.get("example"))
    except Exception:  # noqa: BLE001 - a traceback in the middle of a command line that is being typed is no help
        return
    yield from (name for name in found if name.startswith(incomplete))


def _given(ctx: typer.Context) -> list[str]:
    """The manifests typed so far. An option without its value, as here, leaves all arguments unparsed."""
    words = ctx.params.get("words") or ctx.params.get("paths") or ctx.args
    return [word for word in words if word == "-" or is_there(word)]


def _pending(paths: Sequence[str], example: str | None) -> list[str]:
    if "-" in paths or sum(map(_size, paths)) > LARGEST_BYTES:
        return []
    from tenure.cli.inputs import load_input

    return sorted(workload.key for workload in load_input(list(paths), example).cluster.pending)


def _size(path: str) -> int:
    given = Path(path)
    files = given.iterdir() if given.is_dir() else [given]
    return sum(file.stat().st_size for file in files)
