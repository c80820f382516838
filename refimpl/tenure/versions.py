"""As which schedulers is decided, and the version of every form of data that is written or read.

A form is written as `tenure-decide/1`: what it is, and which version. A number counts as long as whoever
reads the older data reads the newer as it is meant; another field does not change it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Final

from tenure.errors import InputError, Problem
from tenure.release import __version__

KUEUE: Final = "0.19"
"""The release of Kueue that decides as Tenure does; see `spec/divergences.toml` for where it does not."""

KUEUE_FROM_TEXT: Final = "0.20"
"""The release of Kueue that is known by its text and its tests alone."""

NOT_RUN: Final = f"from v{KUEUE_FROM_TEXT}'s text and its tests, not run"
"""What every answer about that release says."""

KAI: Final = "0.13.1-0.20260307233626-72de64fc8eca"
"""KAI-Scheduler likewise: the revision of the plugin, as Go writes it."""

KAI_REVISIONS: Final[Mapping[str, str]] = {"march_2026": KAI, "v0_17": "0.17.0"}
"""KAI-Scheduler by choice of the reading `kai_version`."""

WITH_PROPOSALS: Final = "+proposals"
"""Behind a release of Kueue: with all that KEP-8522, KEP-8826 and KEP-754 add to it."""

_NUMBERS: Final[Mapping[str, int]] = {"proof-cache": 2}
"""Of forms that are no longer in their first version."""


def form(name: str) -> str:
    """The name of a form with its version.

    Args:
        name: of the schema that describes it, or of what is kept.

    >>> form("decide")
    'tenure-decide/1'
    """
    return f"tenure-{name}/{_NUMBERS.get(name, 1)}"


def versioned(name: str, answer: Mapping[str, Any]) -> dict[str, Any]:
    """An answer as JSON has it, with its form and who answers before everything else.

    Args:
        name: of its schema.
        answer: all other fields of the schema.

    >>> versioned("vectors", {"formatted": []})["schema"]
    'tenure-vectors/1'
    """
    return {"schema": form(name), "tenure": __version__, **answer}


def need_form(found: object, name: str, *, object: str = "", file: str = "") -> None:  # noqa: A002 - as in errors
    """Refuse what another Tenure has written, or what is nothing of the kind, by its name.

    Args:
        found: its `schema`; None without one.
        name: of the form that is read.
        object, file: where, as a `Problem` has them.

    Raises:
        InputError: it is another form, or another version.

    >>> need_form("tenure-vectors/9", "vectors", file="quota.json")
    Traceback (most recent call last):
    tenure.errors.InputError: quota.json: schema: found 'tenure-vectors/9', expected tenure-vectors/1
    """
    if found != form(name):
        shown = repr(found[:80]) if isinstance(found, str) else "nothing" if found is None else "no text"
        raise InputError([Problem("schema", shown, form(name), object, file)])


def kai_revision(version: IntEnum) -> str:
    """The KAI-Scheduler that an answer is about, as answers have it.

    Args:
        version: the reading, `kai_version`.

    >>> from tenure.readings import KaiVersion
    >>> kai_revision(KaiVersion.V0_17)
    '0.17.0'
    """
    return KAI_REVISIONS[version.name.lower()]


def kueue_version(release: str | None) -> str:
    """The Kueue that an answer is about, as answers have it.

    Args:
        release: as `--kueue` takes it; None for one with all that the proposals add.

    >>> kueue_version(None), kueue_version("0.19")
    ('0.19+proposals', '0.19')
    """
    return release or f"{KUEUE}{WITH_PROPOSALS}"
