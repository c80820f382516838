"""Command lines whose words are workloads and files, in any order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tenure.errors import InputError, Problem
from tenure.resources import is_there

if TYPE_CHECKING:
    from tenure.manifests import Loaded

NAME_HELP: Final = "its name or its Job's, with namespace where that is needed"
"""The help text of an argument that is a workload."""
_MOST_SIBLINGS: Final = 1000


def named_workloads(
    words: Sequence[str], option: str | None, example: str | None = None, *, least: int = 1, most: int = 1
) -> tuple[list[str], list[str]]:
    """The workloads of a command line, the one of `-w` first, and its files.

    Args:
        words: all that are no options.
        option: what `-w` names; None without it.
        example, least, most: as `split_words` has them.

    Raises:
        InputError: as `split_words`.

    >>> named_workloads(["ml/old", "-"], "ml/train", most=2), named_workloads(["-"], "ml/train")
    ((['ml/train', 'ml/old'], ['-']), (['ml/train'], ['-']))
    """
    given = [] if option is None else [option]
    if len(given) == most or (not least and all(map(_is_manifest, words))):
        return given, list(words)
    named, paths = split_words(words, example, least=max(0, least - len(given)), most=most - len(given))
    return [*given, *named], paths


def split_words(
    words: Sequence[str], example: str | None = None, *, least: int = 1, most: int = 1
) -> tuple[list[str], list[str]]:
    """The workloads among the words of a command line, and its files; each kind in its order.

    A word is a file, a folder or standard input where there is such a thing. Where all are, the first one is
    a workload if one is needed: a folder may be called like one.

    Args:
        words: all that are no options.
        example: the bundled example that is given instead of files.
        least, most: how many workloads the command takes.

    Raises:
        InputError: too few or too many are no files; or several, and no manifests are given.

    >>> split_words(["ml/train", "-"]), split_words(["-", "ml/train"])
    ((['ml/train'], ['-']), (['ml/train'], ['-']))
    """
    named = [word for word in words if word != "-" and not is_there(word)]
    paths = [word for word in words if word not in named]
    if len(named) < least and len(words) > least and not any(map(_is_manifest, words[:least])):
        named, paths = list(words[:least]), list(words[least:])
    without_files = len(named) > 1 and not paths and example is None
    if not least <= len(named) <= most or without_files:
        wanted = "a workload" if most == 1 else "a workload or two"
        expected = f"{wanted}, and manifests: files, folders, or - for standard input"
        raise InputError([Problem("words", _told(words, named), expected + _meant(named))])
    return named, paths


def in_order(loaded: Loaded, pending: str, running: str) -> tuple[str, str]:
    """Two words as a pending and a running workload, also where they can only mean the opposite.

    Args:
        loaded: the cluster.
        pending, running: what they are called, as they stand on the command line.
    """
    from tenure.manifests.naming import WorkloadState, workload_states

    first, second = (workload_states(loaded, word) for word in (pending, running))
    turned = WorkloadState.RUNNING in first - second and WorkloadState.PENDING in second - first
    return (running, pending) if turned else (pending, running)


def _is_manifest(word: str) -> bool:
    return word == "-" or word.endswith((".yaml", ".yml", ".json"))


def _told(words: Sequence[str], named: Sequence[str]) -> str:
    from tenure.manifests import comma_separated

    if not named:
        return f"{comma_separated(words)}, and no workload" if words else "nothing"
    are = "is no file or folder" if len(named) == 1 else "are no files or folders"
    return f"{comma_separated(map(repr, named))}, which {are}"


def _meant(named: Sequence[str]) -> str:
    """A file whose name looks like one of some words."""
    from tenure.manifests import did_you_mean
    from tenure.manifests.showing import ONE_NAME

    for word in named:
        folder = Path(word).parent
        try:
            beside = [str(folder / entry.name) for entry in islice(folder.iterdir(), _MOST_SIBLINGS)]
        except (OSError, ValueError):
            continue
        if hint := did_you_mean(word, beside, ONE_NAME):
            return hint
    return ""
