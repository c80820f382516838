"""The stages of the tests: what runs where, and what runs all of it.

    python -m tools.stages run test-site   the tests of one stage, as its make target does
    python -m tools.stages all             every stage after the other, with a table of their times
    python -m tools.stages write           writes CONTRIBUTING.md's table again

A test file belongs to the stage that names it, or the closest folder above it. What `make test` draws at
random is a sample, as `tests/sampling.py` says; another stage runs the same files `longer`. Of other files
that are slow, since they start many processes, or ask the same of every example, vector or scenario, another
stage runs the `rest`: `make test` runs every fourth test of both.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.marked import filled
from tools.pythons import PYTHONS

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "CONTRIBUTING.md"
DOCTESTS = ("refimpl", "proofs/tenure_proofs", "tools", "docs/gen")
LONGER = "TENURE_TEST_LONGER"
"""Set where everything random is drawn in full number."""
PART = "--part"
"""Which tests of files run that `make test` shares with another stage: every fourth, or all others.

An option, which no pytest that a test starts inherits.
"""
FEW, OTHERS, EVERY = "few", "others", 4
INTERPRETED = "NUMBA_DISABLE_JIT"
"""Set where the core is interpreted: compiling it takes minutes, and its answers are the same."""
KEPT = "TENURE_TEST_CACHE"
"""Names the folder in which tests find what an earlier stage has proved."""


@dataclass(frozen=True)
class Stage:
    """A part of what a change must pass.

    Args:
        name: in a word or two.
        make: the target, with its variables.
        holds: what is in it, for people.
        tests: files and folders of tests that are its own.
        longer: files and folders of `make test`, which runs every fourth test of each; this stage runs all,
            with everything drawn in full number.
        rest: files and folders of `make test`, which runs every fourth test of each; this one all others.
        again: folders whose files of `make test` it runs once more, with a sample of everything random.
        needs: a program without which it is left out.
        proves: whether it proves everything, or finds it proved by an earlier stage of the run.
        workers: how many processes run its tests; 0 for pytest's own.
    """

    name: str
    make: str
    holds: str
    tests: tuple[str, ...] = ()
    longer: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    needs: str = ""
    proves: bool = False
    workers: int = 2

    @property
    def target(self) -> str:
        """The make target alone."""
        return self.make.split()[0]


STAGES = (
    Stage(
        "quick",
        "test",
        "formatting, lints, types, import contracts, doctests, units, vectors, recorded decisions, protocol, "
        "command line, and a sample of everything random or slow; the optimized core is interpreted",
        tests=("tests",),
    ),
    Stage(
        "proofs",
        "check",
        "the bundled example, the vectors, every obligation with several seeds",
        proves=True,
    ),
    Stage(
        "mutants and kills",
        "test-kills",
        "every obligation kills a mutant, every refuted one has its story; no statement runs what it speaks "
        "of; the prover on changed copies of the sources, and as a command; the rest of its slow tests",
        tests=(
            "tests/tenure_lab/test_wrong_encodings.py",
            "tests/tenure_proofs/test_cache.py",
            "tests/tenure_proofs/test_changed_trees.py",
            "tests/tenure_proofs/test_every_counterexample.py",
            "tests/tenure_proofs/test_every_obligation_kills.py",
            "tests/tenure_proofs/test_by_hand.py",
            "tests/tenure_proofs/test_fifty.py",
            "tests/tenure_proofs/test_mutants.py",
            "tests/tenure_proofs/test_prove_command.py",
            "tests/tenure_proofs/test_stating.py",
        ),
        longer=("tests/tenure_proofs/test_certificates.py",),
        rest=(
            "tests/lints/test_coverage.py",
            "tests/lints/test_lints.py",
            "tests/tenure_proofs/bounded",
            "tests/tenure_proofs/test_analysis.py",
            "tests/tenure_proofs/test_budgets.py",
            "tests/tenure_proofs/test_claims.py",
            "tests/tenure_proofs/test_formats.py",
            "tests/tenure_proofs/test_hero_counterexamples.py",
            "tests/tenure_proofs/test_reaching.py",
            "tests/tenure_proofs/test_specified.py",
            "tests/tenure_proofs/test_theorems.py",
            "tests/tenure_proofs/test_tournament.py",
            "tests/tenure_proofs/test_vacuity.py",
            "tests/tenure_proofs/test_weaker_laws.py",
            "tests/traceability/test_findings.py",
            "tests/traceability/test_table.py",
        ),
    ),
    Stage(
        "site and browser",
        "test-site",
        "the whole site, its links, its pages in a browser; every command that a page shows; the notebook; "
        "pictures",
        tests=(
            "tests/docs/browser",
            "tests/docs/test_notebook.py",
            "tests/docs/test_pictures.py",
            "tests/docs/test_readme.py",
            "tests/docs/test_site.py",
        ),
        rest=("tests/docs/test_generator.py",),
        proves=True,
    ),
    Stage(
        "wheel",
        "test-wheel",
        "the distribution, installed and used elsewhere; the rest of the tests of what runs in your CI",
        tests=("tests/wheel",),
        rest=(
            "tests/cikit/test_action.py",
            "tests/cikit/test_gitlab.py",
            "tests/cikit/test_kubectl.py",
            "tests/cikit/test_pre_commit.py",
            "tests/cikit/test_pull_request.py",
            "tests/cikit/test_pytest_plugin.py",
        ),
    ),
    Stage(
        "campaigns",
        "test-campaigns",
        "campaigns that are stopped and go on; proofs that are interrupted; what is proved of configurations "
        "against random states; the optimized core and the trace engine compiled; adapters in Python and Go; "
        "the rest of the tests that start processes",
        tests=(
            "tests/tenure_check/test_analysis.py",
            "tests/tenure_lab/test_settings_on_machines.py",
            "tests/tenure_lab/test_stopping.py",
            "tests/docs/test_adapters.py",
            "tests/tenure_proofs/test_interrupted.py",
            "tests/tenure_simulate/trace/test_compiled.py",
        ),
        longer=(
            "tests/tenure_lab/test_core.py",
            "tests/tenure_lab/test_go_repairs.py",
            "tests/cli/test_same_bytes.py",
            "tests/tenure/conformance/test_recorded.py",
            "tests/differential",
            "tests/hostile/test_hostile.py",
            "tests/tenure_simulate/core",
            "tests/tenure/test_engines.py",
        ),
        rest=(
            "tests/cli/test_cli.py",
            "tests/cli/test_completion.py",
            "tests/cli/test_no_network.py",
            "tests/cli/test_processes.py",
            "tests/cli/test_simulate.py",
            "tests/cli/test_terminal.py",
            "tests/hostile/test_surroundings.py",
            "tests/peers/cycles",
            "tests/tenure/conformance/test_lines.py",
            "tests/tenure/test_packages.py",
            "tests/tenure_lab/test_conform.py",
            "tests/tenure_lab/test_matrix_jobs.py",
            "tests/tenure_lab/test_programs.py",
            "tests/tenure_lab/test_reports.py",
            "tests/tenure_lab/test_scenarios.py",
            "tests/tenure_play/test_chart.py",
            "tests/tenure_play/test_chart_commands.py",
            "tests/tenure_report",
            "tests/tenure_simulate/test_machine_code.py",
            "tests/tenure_simulate/trace/test_equality.py",
        ),
    ),
    Stage(
        "long properties",
        "test-properties",
        "properties of random histories, trees and timelines, lifted functions, played steps and premises, "
        "what has no effect, smallest examples, in full number; the rest of the tests that ask the same of "
        "every example, vector or scenario",
        longer=(
            # Its tests take longest: at the end, one worker would be idle meanwhile.
            "tests/tenure_proofs/test_fuzz_loops.py",
            "tests/properties",
            "tests/docs/test_playground.py",
            "tests/tenure_check/test_sanity.py",
            "tests/tenure_check/test_configured_cells.py",
            "tests/tenure_check/test_configured_sanity.py",
            "tests/tenure/oracle/test_topology.py",
            "tests/tenure_play/test_kept.py",
            "tests/tenure_proofs/test_believed.py",
            "tests/tenure_proofs/test_bridge.py",
            "tests/tenure_proofs/test_fuzz_lifter.py",
            "tests/tenure_proofs/test_played_steps.py",
        ),
        rest=(
            "tests/cli/test_analyze_baseline.py",
            "tests/cli/test_analyze_diff.py",
            "tests/cli/test_analyze_guarantees.py",
            "tests/cli/test_analyze_loops.py",
            "tests/cli/test_analyze_matrix.py",
            "tests/cli/test_bounded.py",
            "tests/cli/test_edits.py",
            "tests/cli/test_explain_commands.py",
            "tests/cli/test_not_modelled.py",
            "tests/cli/test_oracle_schemas.py",
            "tests/cli/test_pending.py",
            "tests/cli/test_premises.py",
            "tests/cli/test_recorded_history.py",
            "tests/cli/test_schemas.py",
            "tests/cli/test_set_aside.py",
            "tests/cli/test_show.py",
            "tests/cli/test_warnings.py",
            "tests/tenure/oracle/test_fair_repairs.py",
            "tests/tenure/test_explain.py",
            "tests/tenure/test_functions.py",
            "tests/tenure/test_obstacles.py",
            "tests/tenure/validation/test_hostile.py",
            "tests/tenure_check/test_configured_loops.py",
            "tests/tenure_check/test_loops.py",
            "tests/tenure_check/test_upstream_cells.py",
            "tests/tenure_play/test_hero_turns.py",
            "tests/tenure_play/test_repairs.py",
            "tests/tenure_play/test_scenarios.py",
        ),
    ),
    *(
        Stage(
            f"Python {version}",
            f"test-python VERSION={version}",
            "units, vectors, recorded decisions",
            again=(
                "tests/tenure",
                "tests/tenure_check",
                "tests/tenure_kai",
                "tests/tenure_play",
                "tests/tenure_simulate",
            ),
        )
        for version in PYTHONS
    ),
    Stage("peers", "peers N=600", "decisions against the real Kueue; the vectors from go test", needs="go"),
    Stage(
        "live cluster",
        "e2e",
        "an API server and Kueue, as released, on loopback: what Tenure forecasts against what Kueue does",
        tests=("tests/live",),
        needs="go",
        workers=0,  # one control plane for all of them
    ),
)


def all_tests() -> list[str]:
    """Every file that pytest collects below tests/, from the root of the repository."""
    found = (path for pattern in ("test_*.py", "*.tenure.yaml") for path in (ROOT / "tests").rglob(pattern))
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def stages_of(file: str) -> list[str]:
    """The targets of the stages that name a test file, or else the closest folder above it.

    >>> stages_of("tests/wheel/test_wheel.py")
    ['test-wheel']
    >>> stages_of("tests/tenure/rules/test_unlifted.py")
    ['test']
    """
    for place in (file, *(folder.as_posix() for folder in Path(file).parents)):
        if named := [stage.target for stage in STAGES if place in stage.tests]:
            return named
    return []


def files_of(stage: Stage) -> list[str]:
    """The test files that are a stage's own."""
    return [file for file in all_tests() if stages_of(file) == [stage.target]]


def longer_of(stage: Stage) -> list[str]:
    """The test files that a stage runs in full number, in its order."""
    return [file for place in stage.longer for file in all_tests() if is_below(file, place)]


def rest_of(stage: Stage) -> list[str]:
    """The test files of `make test` of which a stage runs the rest."""
    return [file for file in files_of(STAGES[0]) if any(is_below(file, place) for place in stage.rest)]


def again_of(stage: Stage) -> list[str]:
    """The test files of `make test` that a stage runs once more as they are."""
    return [file for file in files_of(STAGES[0]) if any(is_below(file, place) for place in stage.again)]


def is_below(file: str, place: str) -> bool:
    """Whether a file is, or lies in, a place.

    >>> is_below("tests/cli/test_cli.py", "tests/cli"), is_below("tests/cli/test_cli.py", "tests/c")
    (True, False)
    """
    return file == place or file.startswith(f"{place}/")


def table() -> str:
    """The stages as CONTRIBUTING.md shows them."""
    rows = [f"| {stage.name} | `make {stage.make}` | {stage.holds} |" for stage in STAGES]
    return "\n".join(["| Stage | Command | What runs |", "|---|---|---|", *rows, ""])


def written(page: str) -> str:
    """The page with the table in its place."""
    return filled(page, "stages", table())


def run(stage: Stage, *options: str) -> int:
    """Run the tests of a stage; the rest of those of `make test` apart, by an interpreted core as there."""
    quick = stage is STAGES[0]
    doctests = ["--doctest-modules", *DOCTESTS, *_helpers()] if quick else []
    part = [PART, FEW] if quick else []
    settings = {LONGER: "1" if stage.longer else "", INTERPRETED: str(int(quick or bool(stage.again)))}
    files = [*files_of(stage), *longer_of(stage), *again_of(stage)]
    failed = _pytest(stage, settings, *part, *options, *doctests, *files)
    if rest := rest_of(stage):
        failed = _pytest(stage, {LONGER: "", INTERPRETED: "1"}, PART, OTHERS, *options, *rest) or failed
    return failed


def _pytest(stage: Stage, settings: dict[str, str], *words: str) -> int:
    command = [sys.executable, "-m", "pytest", "-n", str(stage.workers), "--dist", "worksteal", *words]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **settings}, check=False).returncode


def left_out(part: str, tests: Sequence[str]) -> set[str]:
    """Of tests that were collected, by their identifiers, those that another stage runs.

    >>> sorted(left_out(FEW, [f"tests/cikit/test_action.py::test_{number}" for number in range(3)]))
    ['tests/cikit/test_action.py::test_1', 'tests/cikit/test_action.py::test_2']
    """
    if not part:
        return set()
    places = [place for stage in STAGES for place in (*stage.rest, *(stage.longer if part == FEW else ()))]
    quick = [STAGES[0].target]
    shared = {
        file
        for file in {test.partition("::")[0] for test in tests}
        if stages_of(file) == quick and any(is_below(file, place) for place in places)
    }
    left: set[str] = set()
    numbers: Counter[str] = Counter()
    for test in tests:
        file = test.partition("::")[0]
        if file in shared and (numbers[file] % EVERY == 0) != (part == FEW):
            left.add(test)
        numbers[file] += 1
    return left


def _helpers() -> Iterator[str]:
    """What tests import and has examples of its own."""
    for path in sorted((ROOT / "tests").rglob("*.py")):
        if not path.name.startswith("test_") and ">>> " in path.read_text(encoding="utf-8"):
            yield path.relative_to(ROOT).as_posix()


def run_all() -> int:
    """Run every stage; after a failure of the first no other is begun, after one of another all are.

    Everything is proved once: what is proved is kept for this run alone, in a new folder. No test that might
    have changed a rule writes there.
    """
    told: list[tuple[str, str, str]] = []
    with tempfile.TemporaryDirectory() as kept:
        for stage in STAGES:
            started = time.monotonic()
            outcome = _made(stage, kept)
            told.append((stage.name, outcome, f"{time.monotonic() - started:.0f} s"))
            if outcome == "failed" and stage is STAGES[0]:
                break
    print("\n" + "\n".join(f"{name:20}{outcome:24}{took:>8}" for name, outcome, took in told))
    return int(any(outcome == "failed" for _, outcome, _ in told))


def keeping(folder: str) -> dict[str, str]:
    """The environment in which commands keep what they prove in a folder; all else is kept as ever."""
    usual = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    others = {"GOCACHE": usual / "go-build", "PIP_CACHE_DIR": usual / "pip", "NUMBA_CACHE_DIR": usual}
    return {
        "XDG_CACHE_HOME": folder,
        **{name: os.environ.get(name, str(place)) for name, place in others.items()},
    }


def _made(stage: Stage, kept: str) -> str:
    if stage.needs and shutil.which(stage.needs) is None:
        return f"left out: no {stage.needs} here"
    print(f"== {stage.name}: make {stage.make}", flush=True)
    kept_there = {**keeping(kept), KEPT: kept} if stage.proves else {}
    environment = {**os.environ, **kept_there}
    made = subprocess.run(["make", *stage.make.split()], cwd=ROOT, env=environment, check=False)
    return "failed" if made.returncode else "passed"


def main(words: list[str]) -> int:
    """Do what is asked for."""
    match words:
        case ["run", target, *options] if named := [stage for stage in STAGES if stage.target == target]:
            return run(named[0], *options)
        case ["all"]:
            return run_all()
        case ["write"]:
            PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
            return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
