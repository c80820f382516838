"""What of Kueue's API is not modelled, from `spec/kueue-api.toml`."""

from __future__ import annotations

from typing import Final

from docs.gen.markdown import Fills, table
from tenure.manifests.kueue_api import ApiEntry, api_entries

PAGE: Final = "reference/not-modelled.md"
_TOLD: Final = {
    "not-known": "answers that it touches are *not known*",
    "refused": "refused by name; a pending Workload is set aside",
    "over-time": "refused by `next`, `simulate` and `analyze loops`",
    "by-usage": "refused where the order of workloads of several LocalQueues decides",
    "by-quota": "answers are by quota alone, and say so",
    "noted": "a warning",
    "assumed": "assumed to come to nothing",
}


def not_modelled() -> Fills:
    """What the page takes from the list."""
    entries = [entry for entry in api_entries() if entry.effect in _TOLD]
    ordered = sorted(entries, key=lambda entry: [*_TOLD].index(entry.effect))
    rows = [
        [_object(entry), ", ".join(f"`{field}`" for field in entry.fields), _TOLD[entry.effect], _why(entry)]
        for entry in ordered
    ]
    return {PAGE: {"not-modelled": table(["Of", "Name", "Effect", "What it decides"], rows)}}


def _object(entry: ApiEntry) -> str:
    return f"annotation of {entry.on}" if entry.on else "name" if entry.object == "metadata" else entry.object


def _why(entry: ApiEntry) -> str:
    gate = f"; with feature gate {entry.gate}" if entry.gate else ""
    under = f"; under {entry.under}" if entry.under else ""
    since = f" ({', '.join(filter(None, (f'v{entry.since}', entry.kep)))})" if entry.since else ""
    return f"{entry.why.rstrip(',')}{gate}{under}{since}"
