"""What `tenure diff` says of a random change is what deciding both clusters by hand says."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest

from tenure_lab.generators.scenarios import examples
from tests.command_line import tenure
from tests.properties.edits_by_hand import cases, differences, objects_of
from tests.sampling import sample

SEED = 21
EDITS = sample(10, 350)


def test_a_difference_is_what_deciding_both_clusters_says(tmp_path: Path) -> None:
    counted: Counter[str] = Counter()
    count = 0
    for case in cases(EDITS, SEED):
        assert differences(case, tmp_path, counted) == [], (SEED, case.number, case.words)
        count += 1
    assert count == EDITS
    # The draws are worth it: decisions change in both directions, and some victims are safe later.
    assert min(counted[name] for name in ("changed", "gained", "lost", "ends", "endless")) >= EDITS // 40, (
        counted
    )


@pytest.mark.parametrize("fail_on", ["gained-victims", "any"])
def test_a_change_of_nothing_fails_no_check(tmp_path: Path, fail_on: str) -> None:
    drawn = next(iter(examples(1, SEED)))
    file = tmp_path / "before.json"
    items = objects_of(drawn, random.Random(SEED))
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}), encoding="utf-8")
    done = tenure("diff", str(file), str(file), "--now", drawn["now"], "--fail-on", fail_on)
    assert done.returncode == 0
    assert b"\nTaken alone, no decision changes: " in done.stdout
