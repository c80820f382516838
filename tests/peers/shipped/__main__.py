"""The command line."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from docs.gen.sources import ROOT, vectors
from docs.gen.upstream import SHIPPED
from tenure.conformance.vectors import Vector, differences
from tenure.readings import KaiVersion, parse_reading
from tenure_lab.programs import Program, ProgramFailure, command_of
from tests.peers.kai_campaign.compare import Ask, asker, peer_parser, request_of
from tools.lints.pages import findings

DESCRIPTION = """Ask KAI-Scheduler's MinRuntime plugin about every vector of the findings about what it ships.

Ends with 0 if it does what they say, with 1 if it does not, with 2 if the peer fails as a program."""


def cases(only: str = "", version: KaiVersion = KaiVersion.MARCH_2026) -> Iterator[tuple[str, Vector]]:
    """Each finding about shipped behaviour with each of its vectors of a version.

    Args:
        only: one finding.
        version: the KAI-Scheduler that is asked.
    """
    known = {vector.id: vector for vector in vectors()}
    for page in findings(ROOT):
        if _is_asked(page.front) and only in ("", page.id):
            for name in page.front["vectors"]:
                if parse_reading(known[name].data["reading"]).kai_version == version:
                    yield page.id, known[name]


def _is_asked(front: Mapping[str, Any]) -> bool:
    return front["source"].startswith("KAI-Scheduler") and front["status"] in SHIPPED


def asked(
    ask: Ask, only: str = "", version: KaiVersion = KaiVersion.MARCH_2026
) -> Iterator[tuple[str, Vector, list[str]]]:
    """The same with what the peer answers otherwise than the vector expects; nothing, where it agrees.

    Raises:
        ProgramFailure: the peer failed as a program.
    """
    chosen = list(cases(only, version))
    answers = ask(
        [request_of({**vector.data["input"], "reading": vector.data["reading"]}) for _, vector in chosen]
    )
    for (finding, vector), said in zip(chosen, answers, strict=True):
        yield finding, vector, list(differences(_expected(vector), said))


def _expected(vector: Vector) -> dict[str, Any]:
    """What a vector expects of the scheduler, whose errors name no field of a request."""
    expected: dict[str, Any] = vector.data["expect"]
    return {"error": {"code": expected["error"]["code"], "field": ""}} if "error" in expected else expected


def main(given: Sequence[str] | None = None) -> int:
    """Ask about all; the exit code."""
    parser = peer_parser("python -m tests.peers.shipped", DESCRIPTION)
    parser.add_argument("--only", default="", help="one finding")
    options = parser.parse_args(given)
    version = KaiVersion[options.version.upper()]
    different = 0
    try:
        with Program(command_of(options.peer)) as peer:
            print(f"asked: {' '.join(peer.named())}")
            for finding, vector, problems in asked(asker(peer), options.only, version):
                print(f"{finding} {'differs' if problems else 'as shipped'}: {vector.id}")
                print("".join(f"  {problem}\n" for problem in problems), end="")
                different += bool(problems)
    except ProgramFailure as failure:
        print(f"shipped: {failure}", file=sys.stderr)
        return 2
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
