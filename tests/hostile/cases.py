"""Cases by number: the same seed draws the same case, whatever ran before it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Any, Final

from tests.hostile import corpus
from tests.hostile.mutations import as_json, as_yaml, damaged, mutated
from tests.hostile.structures import STRUCTURES


class Target(StrEnum):
    """Who gets the bytes: the loader, as a file, or the oracle, as a line."""

    FILE = "file"
    LINE = "line"


@dataclass(frozen=True, slots=True)
class Case:
    """One input.

    Args:
        number: with the seed, all that it takes to draw it again.
        kind: what was done to it.
        target: who gets it.
        suffix: of the file.
        data: the input itself.
    """

    number: int
    kind: str
    target: Target
    suffix: str
    data: bytes


_KINDS: Final = (
    "manifest changed",
    "manifest changed",
    "manifest damaged",
    "manifest damaged",
    "object changed",
    "object changed",
    "objects together",
    "request changed",
    "request changed",
    "request damaged",
)


def cases(count: int, seed: int, first: int = 0) -> Iterator[Case]:
    """So many cases.

    >>> [case.data for case in cases(3, seed=1)] == [case.data for case in cases(3, seed=1)]
    True
    """
    return (case(number, seed) for number in range(first, first + count))


def case(number: int, seed: int) -> Case:
    """The case of one number; every third is a structure made to hurt."""
    random = Random(f"{seed}/{number}")
    if number % 3 == 0:
        return _structure(number, random)
    kind = random.choice(_KINDS)
    if kind.startswith("request"):
        return _request(number, kind, random)
    if kind == "manifest damaged":
        text = random.choice(corpus.manifests()).text.encode()
        return Case(
            number, kind, Target.FILE, random.choice((".yaml", ".yaml", ".json")), damaged(text, random)
        )
    return _objects(number, kind, random)


def _structure(number: int, random: Random) -> Case:
    name = random.choice(tuple(STRUCTURES))
    data = STRUCTURES[name](random)
    target = random.choice((Target.FILE, Target.FILE, Target.FILE, Target.LINE))
    if target == Target.LINE:
        # A line has no line breaks; what is no JSON at all is a bad line, inside a request it is a bad input.
        data = data.replace(b"\n", b" ").replace(b"\r", b" ")
        if random.random() < 0.5:
            data = b'{"id": ' + data + b', "call": "decide", "input": ' + data + b"}"
    return Case(number, name, target, random.choice((".yaml", ".yml", ".json", "")), data)


def _request(number: int, kind: str, random: Random) -> Case:
    whole: Any = {"id": number, "call": "decide", "input": random.choice(corpus.inputs())}
    if random.random() < 0.3:
        whole["input"] = {**whole["input"], "explain": True}
    if kind == "request changed":
        return Case(number, kind, Target.LINE, "", as_json(mutated(whole, random)))
    data = damaged(json.dumps(whole).encode(), random).replace(b"\n", b" ").replace(b"\r", b" ")
    return Case(number, kind, Target.LINE, "", data)


def _objects(number: int, kind: str, random: Random) -> Case:
    if kind == "manifest changed":
        found = list(random.choice(corpus.manifests()).objects)
    elif kind == "object changed":
        found = [random.choice(corpus.objects())]
    else:
        # Unrelated objects: names appear twice, and refer to what is not there.
        found = [random.choice(corpus.objects()) for _ in range(random.randint(2, 12))]
    changed = mutated(found, random) if random.random() < 0.9 else found
    if random.random() < 0.5:
        items = {"apiVersion": "v1", "kind": "List", "items": changed}
        form = random.choice((as_json, as_yaml))
        return Case(number, kind, Target.FILE, ".json" if form is as_json else ".yaml", form(items))
    documents = changed if isinstance(changed, list) else [changed]
    return Case(number, kind, Target.FILE, ".yaml", b"---\n".join(map(as_yaml, documents)))
