"""PO-TBP-300 to PO-TBP-360 of histories that the timeline plays, cycle by cycle, with whole-second stamps."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenure.model import MINUTE, SECOND
from tenure.readings import parse_reading, preset
from tenure_play import Record, parse_scenario, play

DURATION = 2 * MINUTE
DELAY = 10 * SECOND
"""From the end of a protected time to the successor's reservation: cycles and evictions take a moment."""


def played(reading: Any, places: int, submitted: list[int]) -> Record:
    """Equal workloads of one ClusterQueue with a few places, submitted at these seconds; none finishes."""
    flavor = {"name": "f", "resources": [{"name": "cpu", "nominalQuota": str(places)}]}
    preemption = {
        "withinClusterQueue": "LowerOrNewerEqualPriority",
        "withinClusterQueueConfig": {"minAdmitDuration": "2m"},
    }
    spec = {
        "preemption": preemption,
        "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [flavor]}],
    }
    scenario = {
        "until": "40m",
        "objects": [
            {"kind": "ResourceFlavor", "metadata": {"name": "f"}},
            {"kind": "ClusterQueue", "metadata": {"name": "q"}, "spec": spec},
        ],
        "defaults": {"requests": {"cpu": "1"}},
        "events": [
            {"at": f"{second}s", "submit": {"name": f"w{number}"}}
            for number, second in enumerate(sorted(submitted))
        ],
    }
    return play(parse_scenario(scenario), reading)


@settings(max_examples=15, deadline=None)
@given(
    places=st.integers(1, 3),
    submitted=st.lists(st.integers(0, 600), min_size=1, max_size=6, unique=True),
)
def test_under_the_guarantee_what_is_proved_of_every_history_holds_of_these(
    places: int, submitted: list[int]
) -> None:
    record = played(preset("guaranteed"), places, submitted)
    # A stamp in whole seconds protects for up to a second less (PO-TBP-160).
    assert [preemption for preemption in record.preemptions if preemption.cut_short >= SECOND] == []
    if places == 1:
        times = [preemption.at for preemption in record.preemptions]
        for first in range(len(times)):
            for last in range(first, len(times)):
                assert last - first + 1 <= (times[last] - times[first]) // (DURATION - SECOND) + 1
    for wait in record.waits:
        waiting = sum(
            wait_span.start <= wait.start < wait_span.end or wait_span is wait for wait_span in record.waits
        )
        # A protected time that has begun before the wait ends the sooner; one that ends with the play is cut.
        assert wait.end - wait.start <= waiting * (DURATION + DELAY)


def turns(reading: Any, workloads: int) -> dict[str, int]:
    """How often each of several equals ran, in a place for one."""
    record = played(reading, 1, list(range(0, 10 * workloads, 10)))
    return {summary.workload.rpartition("/")[2]: summary.runs for summary in record.workloads}


def test_by_creation_two_have_their_turns_and_the_third_of_three_never() -> None:
    by_creation = parse_reading({"preset": "guaranteed", "requeue_order": "creation"})
    assert min(turns(by_creation, 2).values()) > 1
    assert turns(by_creation, 3)["w2"] == 0
    assert min(turns(preset("guaranteed"), 3).values()) > 1


@pytest.mark.parametrize("workloads", [2, 3])
def test_without_cycles_no_workload_has_a_turn(workloads: int) -> None:
    asleep = parse_reading({"preset": "guaranteed", "wake": "events"})
    assert [runs for name, runs in turns(asleep, workloads).items() if name != "w0"] == [0] * (workloads - 1)
