"""Which loops of kueue#14543 the repairs of fair sharing leave, as the page about them says."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest

from benchmarks.repair_loops import Turns, counted, draw, loop_with_nominal_quota
from tenure.cli import main
from tenure.readings import FairSharingRepair
from tests.cikit.command import in_process

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "fair-sharing-repairs.md"
SCENARIOS = PAGE.parents[2] / "spec" / "vectors" / "scenarios"
CHECKED = (
    FairSharingRepair.OFFENDER_PRUNING,
    FairSharingRepair.LEVEL_LOCKED,
    FairSharingRepair.VERIFIED_REEVALUATION,
)
"""They check at their end, as those named after a check do."""


@pytest.mark.parametrize("repair", FairSharingRepair)
@pytest.mark.parametrize(
    "scenario", ["kueue-14543-fill-back", "kueue-14543-three-in-a-circle", "kueue-14543-within-nominal"]
)
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


def test_a_check_of_those_within_nominal_quota_as_well_ends_the_loop_within_nominal() -> None:
    chosen = ("--override", "fair_sharing_repair=post_check", "--override", "repair_within_nominal=checked")
    asked = ("simulate", "--scenario", "kueue-14543-within-nominal", "--reading", "released")
    assert in_process(main, (*asked, *chosen)).out.splitlines()[1].endswith(" 0 preemptions, no loop")


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


@pytest.mark.parametrize(
    "scenario",
    ["kueue-14543-at-the-ceiling", "kueue-14543-fair-in-a-tree", "kueue-14543-another-resource"],
)
def test_the_page_says_which_loops_no_repair_ends(scenario: str) -> None:
    (row,) = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if f"| `{scenario}` |" in line]
    (every,) = {cell.strip() for cell in row.split("|")[2:5]}
    chosen = ("--override", "fair_sharing_repair=level_locked")
    done = in_process(main, ("simulate", "--scenario", scenario, "--reading", "released", *chosen))
    assert done.out.splitlines()[1].endswith(f"a loop of {every.removeprefix('every ')}")


@pytest.mark.parametrize(
    "name",
    ["fill-back", "initial-share", "three-in-a-circle", "shares-alone", "at-the-ceiling", "fair-in-a-tree"],
)
def test_the_final_share_alone_ends_every_loop_of_one_resource(name: str, tmp_path: Path) -> None:
    assert played_with(name, "LessThanOrEqualToFinalShare", tmp_path).endswith("no loop")


@pytest.mark.parametrize("preemptors_first", [False, True])
def test_of_two_resources_the_final_share_alone_leaves_a_loop_and_the_initial_share_none(
    preemptors_first: bool, tmp_path: Path
) -> None:
    gates = "gates: {PrioritizePreemptorWorkloads: true}\n" if preemptors_first else ""
    loops = played_with("another-resource", "LessThanOrEqualToFinalShare", tmp_path, gates)
    assert loops.endswith(f"a loop of {'10.02s' if preemptors_first else '5.01s'}")
    assert played_with("another-resource", "LessThanInitialShare", tmp_path, gates).endswith("no loop")


def test_without_nominal_quota_it_takes_a_third_queue(tmp_path: Path) -> None:
    text = (SCENARIOS / "kueue-14543-another-resource.yaml").read_text(encoding="utf-8")
    quota = "[{name: cpu, nominalQuota: %d}, {name: gpu, nominalQuota: %d}]"
    assert (text.count(quota % (0, 8)), text.count(quota % (3, 0))) == (1, 2)
    text = text.replace(quota % (0, 8), quota % (12, 10)).replace(quota % (3, 0), quota % (0, 0))
    start = text.index("  - kind: ClusterQueue\n    metadata: {name: b}")
    end = text.index("  - {kind: LocalQueue")
    third = text[start:end].replace("{name: b}", "{name: c}")
    local = "  - {kind: LocalQueue, metadata: {namespace: default, name: c}, spec: {clusterQueue: c}}\n"
    text = text[:end] + third + local + text[end:]
    job = "  - {at: 0s, submit: {name: c-cpu, queue: c, priority: 10, requests: {cpu: 6}}}\n"
    text = text.replace("events:\n", f"events:\n{job}")
    scenario = tmp_path / "three.yaml"
    scenario.write_text(f"gates: {{PrioritizePreemptorWorkloads: true}}\n{text}", encoding="utf-8")
    counts = in_process(main, ("simulate", str(scenario), "--reading", "released")).out.splitlines()[1]
    assert counts.endswith("a loop of 10.02s")


def played_with(name: str, strategy: str, folder: Path, gates: str = "") -> str:
    """The counts of a scenario of the page, played with one strategy."""
    text = (SCENARIOS / f"kueue-14543-{name}.yaml").read_text(encoding="utf-8")
    changed, count = re.subn(r"preemptionStrategies: \[.*\]", f"preemptionStrategies: [{strategy}]", text)
    assert count == 1
    scenario = folder / "changed.yaml"
    scenario.write_text(gates + changed, encoding="utf-8")
    return in_process(main, ("simulate", str(scenario), "--reading", "released")).out.splitlines()[1]


@pytest.mark.parametrize("repair", FairSharingRepair)
def test_with_nominal_quota_six_workloads_can_loop_under_the_final_share_alone(
    repair: FairSharingRepair,
) -> None:
    lasso = loop_with_nominal_quota()
    turns, holds, kinds = Turns(lasso.drawn, repair), lasso.start, list[str]()
    for number in lasso.order:
        (step,) = [step for step in turns.of(holds) if step.job == number]
        holds = step.after
        kinds.append(step.kind)
    assert holds == lasso.start
    assert (len(lasso.drawn.jobs), kinds.count("admitted"), kinds.count("by shares")) == (6, 1, 5)


def test_of_two_resources_a_preemption_by_shares_may_let_no_shares_fall() -> None:
    drawing = partial(draw, 1, nested=False, strategies="both", within="any", resources=2)
    counts = counted(drawing, True, (34, 57))
    assert all(found["no fall"] == 2 for found in counts.values())


def test_a_loop_is_closed_by_an_admission_or_inside_a_queue_and_never_below_the_ceiling() -> None:
    drawing = partial(draw, 1, nested=False, strategies="both", within="any")
    counts = counted(drawing, True, (1, 5, 258))
    assert counts["SHARE_LOCKING"]["fit"] == counts["LEVEL_LOCKED"]["inside"] == 1
    assert {name: found["loop"] for name, found in counts.items() if found["loop"] == 1} == {
        repair.name: 1 for repair in FairSharingRepair if "CHECK" in repair.name or repair in CHECKED
    }
    for found in counts.values():
        assert found["shares"] == found["ceiling"] == found["no fall"] == 0


@pytest.mark.parametrize(
    "name",
    [
        "fill-back",
        "initial-share",
        "within-nominal",
        "another-resource",
        "three-in-a-circle",
        "shares-alone",
        "at-the-ceiling",
        "fair-in-a-tree",
    ],
)
def test_the_page_says_which_loops_remain_with_preemptors_first(name: str, tmp_path: Path) -> None:
    # Without a repair, the gate ends those in which the victim is admitted before its preemptor.
    (sentence,) = re.findall(
        r"gate\s+`PrioritizePreemptorWorkloads` alone ends\s+([^.]*)\.", PAGE.read_text(encoding="utf-8")
    )
    text = (SCENARIOS / f"kueue-14543-{name}.yaml").read_text(encoding="utf-8")
    scenario = tmp_path / "first.yaml"
    scenario.write_text("gates: {PrioritizePreemptorWorkloads: true}\n" + text, encoding="utf-8")
    done = in_process(main, ("simulate", str(scenario), "--reading", "released"))
    ended = done.out.splitlines()[1].endswith("no loop")
    assert ended == (f"`{name}`" in sentence)
