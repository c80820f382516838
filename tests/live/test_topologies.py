"""No answer by quota alone is contradicted by the released Kueue, with nodes and topologies."""

from __future__ import annotations

from tests.live.plane import Plane
from tests.live.topologies import Tally, compare, told

CLUSTERS = 12


def test_no_answer_by_quota_alone_is_contradicted(plane: Plane) -> None:
    plane.configure({})
    tally = Tally()
    for seed in range(CLUSTERS):
        compare(plane.server, seed, tally)
    print("\n".join(told(tally)))
    assert not tally.contradicted
    kinds = {kind for kind, count in tally.counts.items() if count}
    assert ("NoFit", "waits") in kinds
    assert ("Fit by quota alone", "admitted") in kinds
    assert ("Fit by quota alone", "waits") in kinds, "no Job failed for its place alone"
