"""`tenure analyze loops`, as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tenure.cli.bundled import schema
from tests.command_line import tenure
from tests.objects import an_object
from tests.tenure_check.test_loops import FAIR, queue
from tools import libyaml

TWO = ("--priorities", "0,100")
POLICY = {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"}


@pytest.fixture
def queues(tmp_path: Path) -> Path:
    """The circle of kueue#14543, as a file."""
    flavor = an_object("ResourceFlavor", "default")
    objects = [FAIR, flavor, queue("a", 0, **POLICY), queue("b", 0, **POLICY), queue("lender", 4)]
    file = tmp_path / "queues.yaml"
    file.write_text(libyaml.dump_all(objects, sort_keys=False), encoding="utf-8")
    return file


def test_a_loop_has_the_line_of_every_field_that_it_needs_and_can_be_simulated(queues: Path) -> None:
    done = tenure("analyze", "loops", queues.name, *TWO, "--to", "loops.yaml", cwd=queues.parent)
    told = done.stdout.decode()
    lines = queues.read_text(encoding="utf-8").splitlines()
    assert done.returncode == 1
    assert "a loop of 3 workloads, a turn every 18.01s" in told
    needed = [line for line in told.splitlines() if "spec.preemption.withinClusterQueue" in line]
    (fact,) = needed
    number = int(fact.rstrip(")").rpartition(":")[2])
    assert lines[number - 1].strip() == "withinClusterQueue: LowerPriority"
    played = tenure("simulate", "loops.yaml", "--story", "0", cwd=queues.parent)
    assert played.returncode == 0
    assert "a loop of 18.01s" in played.stdout.decode()


def test_the_answer_is_as_its_schema_says(queues: Path) -> None:
    done = tenure("analyze", "loops", str(queues), "-o", "json", *TWO, "--evictions", "5s")
    answer = json.loads(done.stdout)
    assert done.returncode == 1
    assert list(Draft202012Validator(schema("analyze-loops")).iter_errors(answer)) == []
    (search,) = answer["trees"][0]["searches"]
    assert [workload["eviction"] for workload in search["loop"]["workloads"]] == ["5s"] * 3
    assert (answer["found"], search["loop"]["period"]) == (True, "18.01s")


def test_no_loop_within_the_bounds_is_no_proof_and_says_so(queues: Path) -> None:
    never = ["--set", "clusterqueue/a.spec.preemption.withinClusterQueue=Never"]
    never += ["--set", "clusterqueue/b.spec.preemption.withinClusterQueue=Never"]
    few = (*TWO, "--up-to", "2", "--evictions", "5s", "--within", "0s")
    done = tenure("analyze", "loops", str(queues), *never, *few)
    told = done.stdout.decode()
    assert done.returncode == 0
    assert "no loop found up to 2 workloads" in told
    searched = "with at most 2 workloads whose pods end after 5s: all of them were simulated."
    assert told.startswith(
        f"No loop in cohort all {searched} A change of the fields below would prove it for "
    )


def test_where_a_theorem_excludes_loops_nothing_is_played_and_it_is_named(tmp_path: Path) -> None:
    file = tmp_path / "queues.yaml"
    alone = queue("alone", 4, cohort="own", withinClusterQueue="LowerPriority")
    file.write_text(libyaml.dump_all([alone]), encoding="utf-8")
    done = tenure("analyze", "loops", str(file), "-o", "json")
    answer = json.loads(done.stdout)
    (tree,) = answer["trees"]
    assert list(Draft202012Validator(schema("analyze-loops")).iter_errors(answer)) == []
    assert (done.returncode, answer["complete"], tree["searches"]) == (0, True, [])
    assert (tree["proved"]["theorems"], tree["proved"]["excluded"]) == (["PO-ANY-340", "PO-ANY-350"], True)
    told = tenure("analyze", "loops", str(file)).stdout.decode()
    assert told.startswith("No loops: theorems exclude them in 1 tree of ClusterQueues")


def test_what_is_not_searched_is_not_known_and_has_the_fields_that_a_theorem_misses(queues: Path) -> None:
    done = tenure("analyze", "loops", queues.name, cwd=queues.parent)
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 5
    assert lines[0] == "Not known: no theorem excludes loops in cohort all; --search looks for one."
    (reclaims,) = (line for line in lines if "ClusterQueue/b spec.preemption.reclaimWithinCohort" in line)
    number = int(reclaims.rstrip(")").rpartition(":")[2])
    source = queues.read_text(encoding="utf-8").splitlines()
    assert source[number - 1].strip() == "reclaimWithinCohort: Any"
    answer = json.loads(tenure("analyze", "loops", str(queues), "-o", "json").stdout)
    assert list(Draft202012Validator(schema("analyze-loops")).iter_errors(answer)) == []
    (tree,) = answer["trees"]
    assert (answer["searched"], answer["complete"], tree["searches"]) == (False, False, [])
    limits = [known["object"] for known in tree["missing"][1]["fields"]]
    assert limits == ["ClusterQueue/a", "ClusterQueue/b"]  # the lender can borrow nothing
    markdown = tenure("analyze", "loops", str(queues), "-o", "markdown").stdout.decode()
    assert (
        "- PO-ANY-340 excludes loops only where a ClusterQueue reclaims quota from lower priorities only"
        in markdown
    )


def test_a_search_that_runs_out_of_time_has_an_exit_code_of_its_own(queues: Path) -> None:
    done = tenure("analyze", "loops", str(queues), "--up-to", "9", "--priorities", "0", "--within", "1ns")
    assert done.returncode == 5
    assert "the rest was not simulated" in done.stdout.decode()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--evictions", "5s,5s"), "different durations"),
        (("--evictions", "soon"), "--evictions"),
        (("--within", "-1s"), "at least 0s"),
        (("--sizes", "none"), "none"),
        (("--resource", "cpus"), "one of cpu"),
    ],
)
def test_options_that_mean_nothing_are_refused(queues: Path, arguments: tuple[str, ...], words: str) -> None:
    done = tenure("analyze", "loops", str(queues), *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in done.stderr.decode()
