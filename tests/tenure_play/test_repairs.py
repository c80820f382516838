"""Which loops of kueue#14543 the repairs of fair sharing leave, as the page about them says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tenure.cli import main
from tenure.readings import FairSharingRepair
from tests.cikit.command import in_process

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "fair-sharing-repairs.md"


@pytest.mark.parametrize("repair", FairSharingRepair)
@pytest.mark.parametrize("scenario", ["kueue-14543-fill-back", "kueue-14543-three-in-a-circle"])
def test_the_page_says_which_loops_remain(scenario: str, repair: FairSharingRepair) -> None:
    (row,) = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if f"| `{scenario}` |" in line]
    today, guarded, others = (cell.strip() for cell in row.split("|")[2:5])
    expected = {
        FairSharingRepair.NONE: today,
        FairSharingRepair.REEVALUATION: today,
        FairSharingRepair.GUARDED_FILL_BACK: guarded,
    }.get(repair, others)
    chosen = f"fair_sharing_repair={repair.name.lower()}"
    done = in_process(
        main, ("simulate", "--scenario", scenario, "--reading", "released", "--override", chosen)
    )
    counts = done.out.splitlines()[1]
    every = expected.removeprefix("every ")
    assert counts.endswith("no loop" if expected.startswith("none") else f"a loop of {every}")
    if "preempt" in expected:
        assert f" {expected.split()[1] if 'preemptions' in expected else 0} preemptions" in counts


@pytest.mark.parametrize("repair", FairSharingRepair)
def test_with_every_repair_preemption_by_shares_alone_loops(repair: FairSharingRepair) -> None:
    # No ClusterQueue preempts inside itself; between preemptions a job is admitted into what is free.
    (row,) = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if "shares-alone` |" in line]
    today, guarded, others = (cell.strip() for cell in row.split("|")[2:5])
    checked, locking = others.split("; ")
    every = {
        FairSharingRepair.NONE: today,
        FairSharingRepair.REEVALUATION: today,
        FairSharingRepair.GUARDED_FILL_BACK: guarded,
        FairSharingRepair.SHARE_LOCKING: locking.removeprefix("`share_locking` "),
    }.get(repair, checked)
    chosen = f"fair_sharing_repair={repair.name.lower()}"
    asked = ("simulate", "--scenario", "kueue-14543-shares-alone", "--reading", "released")
    done = in_process(main, (*asked, "--override", chosen))
    assert done.out.splitlines()[1].endswith(f"a loop of {every.removeprefix('every ')}")
    preempted = [line for line in done.out.splitlines() if "  preempted  " in line]
    assert preempted
    assert all("InCohortFairSharing" in line for line in preempted)
