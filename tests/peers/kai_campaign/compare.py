"""Both answers to a case, and what differs."""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tenure.minimising import Minimiser
from tenure.readings import KaiVersion
from tenure_lab.generators.kai_cases import CASE_DRAWS, min_runtime_case
from tenure_lab.programs import OWN_ORACLE, Program, our_answer

Object = dict[str, Any]
Ask = Callable[[Sequence[Object]], list[Object]]
"""Requests to a peer, and its answers."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A case with both answers.

    Args:
        drawn: the bytes that it was made of.
        case: the request's input.
        ours, theirs: whole answers, each with `output` or `error`.
    """

    drawn: bytes
    case: Object
    ours: Object
    theirs: Object

    def differences(self) -> list[str]:
        """What is not the same, field by field; an error on either side is a difference."""
        for side, answer in (("ours", self.ours), ("theirs", self.theirs)):
            if "error" in answer:
                return [f"{side} is an error: {answer['error']['message']}"]
        return list(_fields("", self.ours["output"], self.theirs["output"]))


def _fields(at: str, ours: Any, theirs: Any) -> Iterator[str]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(ours.keys() | theirs.keys()):
            yield from _fields(f"{at}.{key}", ours.get(key), theirs.get(key))
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for index, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
            yield from _fields(f"{at}[{index}]", mine, other)
    elif ours != theirs or type(ours) is not type(theirs):
        yield f"{at.removeprefix('.')}: {ours!r}, theirs {theirs!r}"


def drawn_bytes(seed: int, index: int) -> bytes:
    """The bytes of a campaign's case, the same on every machine."""
    return random.Random(f"{seed}/{index}").randbytes(CASE_DRAWS)


def request_of(case: Object) -> Object:
    """A case as a request."""
    return {"id": 0, "call": "minruntime", "input": case}


def compare(drawn: Sequence[bytes], ask: Ask, version: KaiVersion = KaiVersion.MARCH_2026) -> list[Compared]:
    """Ask both sides about many cases of a KAI-Scheduler, the peer in one go.

    Raises:
        ProgramFailure: the peer failed as a program.
    """
    cases = [min_runtime_case(data, version) for data in drawn]
    theirs = ask([request_of(case) for case in cases])
    return [
        Compared(data, case, our_answer(request_of(case)), said)
        for data, case, said in zip(drawn, cases, theirs, strict=True)
    ]


def smallest(
    found: Compared, ask: Ask, version: KaiVersion = KaiVersion.MARCH_2026, most: int = 2000
) -> Compared:
    """A case as different as this one, of fewer and smaller draws.

    Args:
        found: one with differences.
        ask: the peer.
        version: the KAI-Scheduler that it was drawn for.
        most: how many cases may be asked about.
    """
    search = Minimiser(found, lambda smaller: bool(smaller.differences()), most)
    while any(search.tries(*compare([drawn], ask, version)) for drawn in _smaller(search.best.drawn)):
        pass
    return search.best


def _smaller(drawn: bytes) -> Iterator[bytes]:
    """Fewer draws, then simpler ones."""
    cut = len(drawn) // 2
    while cut:
        yield drawn[:-cut]
        cut //= 2
    for index, byte in enumerate(drawn):
        if byte:
            yield drawn[:index] + b"\0" + drawn[index + 1 :]
            yield drawn[:index] + bytes([byte // 2]) + drawn[index + 1 :]


def peer_parser(name: str, description: str) -> argparse.ArgumentParser:
    """The options of a comparison with a peer: which, and what it is built from."""
    parser = argparse.ArgumentParser(
        name, description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--peer", required=True, help=f"command line of the peer; {OWN_ORACLE}: Tenure itself"
    )
    parser.add_argument(
        "--as",
        dest="version",
        choices=[version.name.lower() for version in KaiVersion],
        default=KaiVersion.MARCH_2026.name.lower(),
        help="the KAI-Scheduler that the peer is built from",
    )
    return parser


def asker(peer: Program) -> Ask:
    """A peer as `compare` asks it."""
    return peer.ask
