"""Valid input for another command, and the hint that names the command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tenure.manifests.conversion import GROUP
from tenure.manifests.structure import dig, entries, is_list_kind

KAI_GROUPS: Final = ("scheduling.run.ai", "kai.scheduler")
"""API groups of KAI-Scheduler alone."""
KAI_VERSIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "Queue": ("scheduling.run.ai/v2",),
    "PodGroup": ("scheduling.run.ai/v2alpha2",),
    "Pod": ("v1",),
    "ConfigMap": ("v1",),
    "SchedulingShard": ("kai.scheduler/v1",),
}
"""The versions in which each kind of KAI-Scheduler, and of those that it looks at, is read."""
OF_KAI: Final = "an object of KAI-Scheduler"
SCENARIO: Final = "a scenario"
_OF_KUEUE: Final = "an object of Kueue"
_ASK: Final = {
    OF_KAI: "`tenure kai filter` answers about these",
    _OF_KUEUE: "`tenure decide`, `why` and `why-not` answer about these",
    SCENARIO: "`tenure simulate` simulates it",
    "expectations": "`tenure test` checks them",
    "a request": "`tenure oracle` answers it",
}


def what_it_is(raw: object) -> str:
    """What an object is, as far as a command is made for it; empty for anything else.

    Args:
        raw: as parsed from YAML or JSON, untrusted.

    >>> what_it_is({"apiVersion": "scheduling.run.ai/v2", "kind": "Queue"}), what_it_is({"until": "1h"})
    ('an object of KAI-Scheduler', 'a scenario')
    """
    version, held = dig(raw, "apiVersion"), entries(dig(raw, "items"))
    if is_list_kind(dig(raw, "kind")) and held:
        version = dig(held[0][1], "apiVersion")
    if isinstance(version, str):
        group = version.partition("/")[0]
        return OF_KAI if group in KAI_GROUPS else _OF_KUEUE if group == GROUP else ""
    if not isinstance(raw, dict):
        return ""
    found = (("until", SCENARIO), ("manifests", "expectations"), ("call", "a request"))
    return next((what for key, what in found if key in raw), "")


def ask_instead(what: str) -> str:
    """The end of a sentence about such input: the command that is meant for it; empty where none is.

    >>> ask_instead("a scenario"), ask_instead("")
    ('; `tenure simulate` simulates it', '')
    """
    return f"; {_ASK[what]}" if what in _ASK else ""
