"""Changes that people, editors, networks and attackers make to an input."""

from __future__ import annotations

import copy
import datetime
import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final, TypeAlias

import yaml

Place: TypeAlias = tuple[Any, Any]
"""A container and the key or index of something in it."""

VALUES: Final[tuple[Any, ...]] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    2**63,
    -(2**63),
    10**40,
    10**400,
    0.5,
    -0.0,
    1e308,
    float("nan"),
    float("inf"),
    "",
    " ",
    "\x00",
    "\x1b[31m",
    "\ud800",
    "\u202e",
    "é" * 300,
    "x" * 5000,
    "1e99999999",
    "1" * 5000,
    "-1",
    "1e-99999",
    ".5Ki",
    "NaN",
    "Infinity",
    "1969-12-31T23:59:59Z",
    "10000-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999999Z",
    "0000-00-00T00:00:00Z",
    "-4h",
    "99999999999h",
    "*",
    "../../../etc/passwd",
    [],
    {},
    [None],
    [[]],
    [{}],
    {"": ""},
    {"name": None},
    {"x": {"y": {"z": []}}},
)


def mutated(raw: Any, random: Random, *, most: int = 3) -> Any:
    """A copy of an object with a few changes.

    >>> mutated({"a": 1}, Random(1)) == mutated({"a": 1}, Random(1))
    True
    """
    whole = {"": copy.deepcopy(raw)}
    for _ in range(random.randint(1, most)):
        places = list(_places(whole))
        if not places:
            break
        random.choice(CHANGES)(random, *random.choice(places), places)
    return whole.get("")


def _places(value: Any) -> Iterator[Place]:
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])


def _delete(_: Random, container: Any, key: Any, places: list[Place]) -> None:
    del container[key]


def _replace(random: Random, container: Any, key: Any, places: list[Place]) -> None:
    container[key] = copy.deepcopy(random.choice(VALUES))


def _rename(random: Random, container: Any, key: Any, places: list[Place]) -> None:
    if isinstance(container, dict):
        container[_misspelt(str(key), random)] = container.pop(key)


def _misspell(random: Random, container: Any, key: Any, places: list[Place]) -> None:
    if isinstance(container[key], str):
        container[key] = _misspelt(container[key], random)


def _misspelt(text: str, random: Random) -> str:
    at = random.randint(0, len(text))
    return random.choice(
        (
            text[:at] + text[at + 1 :],
            text[:at] + text[at : at + 1] * 2 + text[at + 1 :],
            text.swapcase(),
            text + "\u0000",
            text + "é",
            "",
        )
    )


def _retype(random: Random, container: Any, key: Any, places: list[Place]) -> None:
    found = container[key]
    container[key] = random.choice((str(found)[:9999], [found], {"value": found}, bool(found)))


def _move(random: Random, container: Any, key: Any, places: list[Place]) -> None:
    other, place = random.choice(places)
    other[place] = copy.deepcopy(container[key])


def _add(random: Random, container: Any, key: Any, places: list[Place]) -> None:
    value = copy.deepcopy(random.choice(VALUES))
    if isinstance(container, dict):
        container[random.choice(("x", "", "spec", "name", "é", "\x00", "a.b/c"))] = value
    else:
        container.append(value)


def _double(random: Random, container: Any, key: Any, places: list[Place]) -> None:
    if isinstance(container, list):
        container.insert(random.randint(0, len(container)), copy.deepcopy(container[key]))


def _deepen(random: Random, container: Any, key: Any, places: list[Place]) -> None:
    deep = container[key]
    for _ in range(random.choice((2, 50, 300))):
        deep = [deep] if random.random() < 0.5 else {"a": deep}
    container[key] = deep


CHANGES: Final[tuple[Callable[[Random, Any, Any, list[Place]], None], ...]] = (
    _delete,
    _replace,
    _replace,
    _replace,
    _rename,
    _misspell,
    _retype,
    _move,
    _add,
    _double,
    _deepen,
)


def as_json(value: Any) -> bytes:
    """JSON as a careless program writes it: NaN and half characters included."""
    return json.dumps(value, default=_written).encode("utf-8", "surrogatepass")


def as_yaml(value: Any) -> bytes:
    """YAML, and where YAML cannot say it, JSON."""
    try:
        return yaml.safe_dump(value).encode("utf-8", "surrogatepass")
    except (yaml.YAMLError, RecursionError):
        return as_json(value)


def _written(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime.datetime | datetime.date) else str(value)


_TOKENS: Final = tuple(b"{}[]:,\"'&*!|>%@`#-?\n\r\t \0\xff\xc3\xed\xa0\x80\xef\xbb\xbf")
_PIECES: Final = (
    b"---\n",
    b"...\n",
    b"%YAML 9.9\n",
    b"<<: *a\n",
    b"&a ",
    b"*a",
    b"!!python/object:os.system ",
    b"\r\n",
    b"\t",
    b"NaN",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"9" * 400,
    b'{"a":',
    b"[" * 300,
    b"? ",
    b"| \n",
)


def damaged(text: bytes, random: Random) -> bytes:
    """Text after an accident: cut off, flipped, doubled, in another encoding.

    >>> damaged(b"a: 1", Random(2)) != b"a: 1"
    True
    """
    return random.choice(_DAMAGES)(text, random)


def _cut(text: bytes, random: Random) -> bytes:
    return text[: random.randint(0, max(0, len(text) - 1))]


def _counterfactual(text: bytes, random: Random) -> bytes:
    changed = bytearray(text or b"a")
    for _ in range(random.randint(1, 8)):
        changed[random.randrange(len(changed))] = random.choice(
            (random.randrange(256), random.choice(_TOKENS))
        )
    return bytes(changed)


def _insert(text: bytes, random: Random) -> bytes:
    at = random.randint(0, len(text))
    return text[:at] + random.choice(_PIECES) + text[at:]


def _splice(text: bytes, random: Random) -> bytes:
    start, end = sorted((random.randint(0, len(text)), random.randint(0, len(text))))
    return text[:end] + text[start:]


def _shift(text: bytes, random: Random) -> bytes:
    """Other indentation on one line."""
    lines = text.split(b"\n")
    at = random.randrange(len(lines))
    lines[at] = random.choice((b" ", b"  ", b"\t")) + lines[at]
    return b"\n".join(lines)


def _encode(text: bytes, random: Random) -> bytes:
    return text.decode("utf-8", "replace").encode(
        random.choice(("utf-16", "utf-32", "latin-1", "utf-8-sig")), "replace"
    )


def _windows(text: bytes, random: Random) -> bytes:
    return text.replace(b"\n", random.choice((b"\r\n", b"\r", b"\xc2\x85", b"\xe2\x80\xa8")))


_DAMAGES: Final[tuple[Callable[[bytes, Random], bytes], ...]] = (
    _cut,
    _counterfactual,
    _counterfactual,
    _insert,
    _splice,
    _shift,
    _encode,
    _windows,
)
