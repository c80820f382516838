"""What the API server takes and `tenure validate` refuses, or the other way round: nothing unsigned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from tests.live.plane import Plane
from tests.live.verdicts import compared, created, prepare, schemas_of
from tools.served import FILE, text_of

SEED: Final = 1
NUMBER: Final = {"creates": 400, "updates": 200, "configurations": 60}
RECORDED = Path(__file__).parents[1] / "tenure" / "validation" / "server_verdicts.json"


def test_random_objects_and_configurations_are_taken_and_refused_alike(plane: Plane) -> None:
    plane.configure({})
    apart, table = compared(plane, NUMBER, SEED)
    print(f"{table}\nseed {SEED}: python -m tests.live.verdicts draws more and other ones")
    assert not apart, "\n".join(map(str, apart))


def test_recorded_verdicts_are_the_servers(plane: Plane) -> None:
    plane.configure({})
    prepare(plane.server)
    cases = json.loads(RECORDED.read_text(encoding="utf-8"))["cases"]
    new = [case for case in cases if "new" in case]
    apart = [
        case["name"] for case in new if bool(created(plane.server, case["new"]).refused) == case["accepted"]
    ]
    assert not apart


def test_the_schemas_are_the_servers(plane: Plane) -> None:
    assert FILE.read_text(encoding="utf-8") == text_of(schemas_of(plane.server))
