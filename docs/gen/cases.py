"""The published vectors: a page for each area, and the list of areas."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from docs.gen.drawing import shown, themed
from docs.gen.markdown import Fills, Pages, heading, link, linked, table
from docs.gen.openings import Openings
from docs.gen.sources import VECTORS_PAGE, vectors, vectors_page
from tenure.api import Loaded
from tenure.conformance.requests import read_cluster_request, read_decide_request
from tenure.conformance.vectors import Vector
from tenure.errors import InputError
from tenure.pages import anchor
from tenure_play.drawing.cluster import ClusterPicture, picture_of, picture_of_decision
from tenure_play.drawing.cluster_sketch import sentences_of, sketch_of

Pictures: TypeAlias = dict[str, tuple[str, str]]
"""By vector: the picture's path below `docs/` without its theme, and what it shows."""
MOST = 3
"""A picture of more flavor-resources would be too long to read."""


def vector_pictures() -> tuple[Pages, Pictures]:
    """A picture of every vector of which there is one, as SVG by path below `docs/`; and where they are."""
    files: Pages = {}
    pictures: Pictures = {}
    for vector in vectors():
        picture = _picture(vector.data["call"], vector.request()["input"])
        if picture is not None and 0 < len(picture.columns) <= MOST:
            path, title = f"vectors/pictures/{anchor(vector.id)}", " ".join(sentences_of(picture))
            files |= themed(path, sketch_of(picture), title)
            pictures[vector.id] = path, title
    return files, pictures


def _picture(call: str, given: Mapping[str, Any]) -> ClusterPicture | None:
    """What is drawn of an oracle's request; None where there is nothing to be drawn."""
    try:
        if call == "accessible":
            at = read_cluster_request(given)
            return picture_of(Loaded(at.cluster), at.now, at.reading)
        if call == "decide":
            return picture_of_decision(read_decide_request(given).decided())
    except InputError:
        pass
    return None


def vector_pages(pictures: Pictures, openings: Openings) -> Pages:
    """A page for each area."""
    return {
        vectors_page(area): "\n\n".join(_page(area, mine, pictures, openings)) + "\n"
        for area, mine in _areas().items()
    }


def vector_list() -> Fills:
    """The areas, how many vectors each has, and why these exist."""
    areas = _areas()
    rows = [
        [f"[{area}]({area}.md)", str(len(mine)), ", ".join(f"*{flag}*" for flag in mine[0].flags)]
        for area, mine in areas.items()
    ]
    rows.append(["all", str(sum(map(len, areas.values()))), ""])
    listed = table(["Area", "Vectors", "Flags"], rows) if areas else "None is published yet."
    return {VECTORS_PAGE: {"vectors": listed}}


def _areas() -> dict[str, list[Vector]]:
    areas: dict[str, list[Vector]] = {}
    for vector in sorted(vectors(), key=lambda vector: vector.file):
        areas.setdefault(vector.file.stem, []).append(vector)
    return areas


def _page(area: str, mine: list[Vector], pictures: Pictures, openings: Openings) -> Iterator[str]:
    yield f"# Vectors: {area.replace('-', ' ')}"
    yield "Run these cases against code of your own, as [the format](../reference/vectors.md) describes."
    yield table(["Flag", "Why such a case exists"], [[*item] for item in mine[0].flags.items()])
    for vector in mine:
        yield from _case(vector, openings)
        if vector.id in pictures:
            yield shown(*pictures[vector.id], "picture")


def _case(vector: Vector, openings: Openings) -> Iterator[str]:
    data = vector.data
    yield heading(2, f"`{vector.id}`", vector.id)
    yield f"{linked(data['comment'])} {openings.link(vector.id)}"
    rows = [
        ["Rules", ", ".join(link(rule) for rule in data["rules"])],
        ["Verdict", data["verdict"]],
        ["Reading", _reading(data["reading"])],
        ["Flags", ", ".join(data["flags"])],
        ["Expected", _expected(data["expect"])],
    ]
    yield table(["", ""], rows)


def _reading(reading: str | dict[str, str]) -> str:
    if isinstance(reading, str):
        return reading
    return ", ".join(f"`{key}: {choice}`" for key, choice in reading.items())


def _expected(expect: dict[str, Any]) -> str:
    if "error" in expect:
        return f"error `{expect['error']['code']}` at `{expect['error']['field']}`"
    if "output" in expect:
        return f"`{json.dumps(expect['output'])}`"
    taken = [f"`{item['workload']}` ({item['reason']})" for item in expect["preempted"]]
    return ", ".join([expect["decision"], *taken])
