"""The picture of the cluster in the site's playground."""

from __future__ import annotations

import json
from dataclasses import dataclass

from pydantic import TypeAdapter

from tenure.as_json import as_json
from tenure.errors import InputError
from tenure.manifests import parse_instant
from tenure.playground import PageQuestion, load_text
from tenure.readings import parse_reading
from tenure_play.drawing.cluster import picture_of
from tenure_play.drawing.cluster_bars import bars_of


@dataclass(frozen=True, slots=True)
class PagePicture:
    """The picture of a text."""

    html: str
    """The bars, in which everything is escaped; empty where the text cannot be drawn."""


def pictured(question: str) -> str:
    """The bars that `tenure report` draws, for the text in the editor.

    Args:
        question: JSON with the fields of `PageQuestion`, with a clock.

    Returns:
        JSON with the fields of `PagePicture`. What is wrong with the text is in the answer about a workload.

    >>> pictured('{"text": "kind: Pod", "now": "2026-03-02T14:00:00Z"}')
    '{"html": ""}'
    """
    asked = TypeAdapter(PageQuestion).validate_json(question)
    try:
        loaded = load_text(asked.text, asked.assigned)
        now = parse_instant(asked.now, field="now")
        html = bars_of(picture_of(loaded, now, parse_reading(asked.reading or None)))
    except InputError:
        html = ""
    return json.dumps(as_json(PagePicture(html)))
