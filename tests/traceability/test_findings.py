"""A finding is what the solvers found, and its command replays it, with the outcomes that its page gives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tenure.cli.app import app
from tenure.conformance.protocol import answer
from tenure.conformance.vectors import Vector, expected_from, load_vectors, run_vector
from tenure.pages import Page
from tenure.readings import preset_names
from tenure.rules.registry import all_rules
from tenure_proofs.counterexamples import is_one_decision
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.registry import Verdict, reading_of
from tenure_proofs.runner import run_obligation
from tenure_proofs.trusted.claim import Claim
from tests.published import published_vectors
from tools.lints.pages import findings

ROOT = Path(__file__).resolve().parents[2]
STORY = "TBP-050/a-newer-equal-loses-its-guaranteed-four-hours"
PAGES = {page.id: page for page in findings(ROOT)}
PUBLISHED = published_vectors()
VECTORS = {vector.id: vector for vector in PUBLISHED}
BY_VECTORS = sorted({name for page in PAGES.values() for name in page.front.get("vectors", [])})

PREEMPTS, KEEPS, NEVER = "Preempt", "NoCandidates", "NoFit"
THIRDS, THIRDS_FLOORED = "a 7, b 7, c 6, h 30", ("a 7, b 7, c 7, h 30",) * 2
ONE_BY_ONE_FLOORED = ("a 10, b 10, c 10, h 30",) * 2
TWO_FLOORED, THREE_FLOORED = ("a 2, b 1, c 2, h 5",) * 2, ("a 1, b 1, c 1, h 5",) * 2
NESTED, NESTED_WHOLE = "a 0, b 0, c 0, h 20, k 10", ("a -2, b -2, c 5, h 20, k 10",) * 2
NONE, MERGED_ONCE = "none", ("b/b1", "hero/a1", "hero/a1")
DIFFERENT = {
    "DYN-010/no-timeout-before-the-first-step": (PREEMPTS, PREEMPTS, KEEPS),
    "DYN-020/as-written-the-first-step-is-taken-at-once": (PREEMPTS, PREEMPTS, KEEPS),
    "DYN-020/guaranteed-the-first-step-is-taken-after-an-hour": (PREEMPTS, PREEMPTS, KEEPS),
    "DYN-040/a-max-below-the-base-lowers-it-as-written": (KEEPS, KEEPS, "max"),
    "DYN-040/what-of-a-negative-step-as-written": (KEEPS, KEEPS, "step"),
    "DYN-040/without-a-max-the-priority-is-0-as-written": (KEEPS, KEEPS, "max"),
    "DYN-040/a-max-below-the-base-is-refused-as-guaranteed": (KEEPS, KEEPS, "max"),
    "DYN-040/what-of-a-negative-step-as-guaranteed": (KEEPS, KEEPS, "step"),
    "DYN-040/without-a-max-the-class-is-refused-as-guaranteed": (KEEPS, KEEPS, "max"),
    "PCF-100/one-typo-is-passed-over": (NONE,) * 3,
    "PCF-110/appended-the-own-workload-of-priority-50-leaves": MERGED_ONCE,
    "PCF-110/merged-the-other-workload-of-priority-0-leaves": MERGED_ONCE,
    "PCF-120/always-takes-part-from-the-start": MERGED_ONCE,
    "PCF-120/always-waits-for-a-failure-of-spec-preemption": MERGED_ONCE,
    "TBP-030/a-victim-of-time-queues-from-its-eviction": (PREEMPTS, PREEMPTS, KEEPS),
    "TBP-030/read-by-creation-a-victim-keeps-its-place": (PREEMPTS, PREEMPTS, KEEPS),
    "TBP-040/as-written-reserved-after-the-preemptor-came": (PREEMPTS, KEEPS, KEEPS),
    "TBP-040/as-written-the-older-takes-it-back-a-second-later": (PREEMPTS, PREEMPTS, KEEPS),
    "TBP-040/as-written-the-younger-of-two-takes-the-older": (PREEMPTS, KEEPS, KEEPS),
    "TBP-040/who-came-back-counts-from-its-creation-as-written": (PREEMPTS, KEEPS, KEEPS),
    "TBP-040/released-an-older-workload-reserved-late-is-not-newer": (PREEMPTS, KEEPS, KEEPS),
    "TBP-040/who-came-back-counts-from-its-return-as-released": (PREEMPTS, KEEPS, KEEPS),
    STORY: (PREEMPTS, KEEPS, KEEPS),
    "TBP-050/the-same-cluster-where-the-guarantee-is-kept": (PREEMPTS, KEEPS, KEEPS),
    "TBP-050/fill-back-spares-the-expired-and-takes-the-protected": (PREEMPTS, PREEMPTS, KEEPS),
    "UCQ-020/two-heroes-take-each-other-then-the-lower": (KEEPS,) * 3,
    "UCQ-040/the-same-tree-is-the-root-s": (NEVER,) * 3,
    "UCQ-040/the-same-tree-pays-in-every-branch": ("a 6, b 10, h 10",) * 3,
    "UCQ-050/what-is-lent-outside-is-taken-in-the-whole-tree": (KEEPS,) * 3,
    "UCQ-130/a-hero-of-three-is-not-billed-to-b": (*THREE_FLOORED, "a 1, b 1, c 0, h 5"),
    "UCQ-130/a-hero-of-two-is-billed-to-b": (*TWO_FLOORED, "a 2, b 0, c 1, h 5"),
    "UCQ-130/nested-heroes-leave-less-than-nothing-as-written": (*NESTED_WHOLE, NESTED),
    "UCQ-130/nested-heroes-leave-nothing-as-guaranteed": (*NESTED_WHOLE, NESTED),
    "UCQ-130/ten-over-three-queues-cumulative": (*THIRDS_FLOORED, THIRDS),
    "UCQ-130/ten-over-three-queues-floored": (*THIRDS_FLOORED, THIRDS),
    "UCQ-130/ten-over-three-queues-one-by-one": (*ONE_BY_ONE_FLOORED, THIRDS),
    "UCQ-130/where-no-queue-has-quota-nobody-is-billed": ("a 0, h 0", "a 0, h 0", "a 0, h 10"),
    "UCQ-130/where-no-queue-has-quota-the-cohort-pays": ("a 0, h 0", "a 0, h 0", "a 0, h 10"),
    "UCQ-160/a-hero-within-its-own-is-billed-as-written": ("a 6, h 20", "a 6, h 20", "a 10, h 20"),
    "UCQ-160/a-hero-within-its-own-is-billed-to-nobody": ("a 6, h 20", "a 6, h 20", "a 10, h 20"),
    "UCQ-240/what-is-not-lent-is-kept-where-limits-are-honoured": ("Fit",) * 3,
    "UCQ-250/a-limit-of-zero-leaves-the-nominal-quota": (NEVER, NEVER, "Fit"),
    "UCQ-250/a-limit-of-zero-stops-the-hero-as-written": (NEVER, NEVER, "Fit"),
    "UCQ-250/the-cohorts-own-quota-counts-as-guaranteed": (NEVER, NEVER, "Fit"),
    "UCQ-250/the-cohorts-own-quota-is-forgotten-as-written": (NEVER, NEVER, "Fit"),
}
"""Where presets answer differently from each other, or from the reading that the vector overrides.

In their order: the decision, the last name of the refused field, or what is accessible to each queue.
"""


def answered(vector: Vector, preset: str) -> dict[str, Any]:
    """What a vector's case comes to under a preset, in the version of KAI-Scheduler that it is about."""
    request, own = vector.request(), vector.data["reading"]
    version = {key: own[key] for key in ("kai_version",) if key in own} if isinstance(own, dict) else {}
    reading = {"preset": preset, **version}
    return expected_from(answer({**request, "input": {**request["input"], "reading": reading}}))


def in_a_word(expected: dict[str, Any]) -> str:
    if "error" in expected:
        return str(expected["error"]["field"]).rpartition(".")[2]
    if "output" in expected:
        return ", ".join(f"{row['clusterQueue']} {row['accessible']}" for row in expected["output"]["rows"])
    return str(expected["decision"])


def by_victims(expected: dict[str, Any]) -> str:
    """Whom the readings of PreemptionConfigs preempt: the decision is one."""
    return ", ".join(key for key, _ in victims(expected)) or NONE


def command(identifier: str) -> str:
    """The command that a page gives."""
    found = re.search(r"^    tenure (.+)$", PAGES[identifier].body, re.MULTILINE)
    assert found is not None
    return found[1]


def test_the_story_of_f_001_is_the_counterexample_that_the_solvers_find() -> None:
    result = run_obligation(OBLIGATIONS["PO-TBP-010"], "as-written", None)
    assert result.counterexample is not None
    assert result.counterexample.scenario is not None
    found = dict(result.counterexample.scenario["input"])
    assert found.pop("reading") == VECTORS[STORY].data["reading"] == "as-written"
    assert found == VECTORS[STORY].data["input"]


def refuted_decisions(page: Page) -> Iterator[tuple[str, str]]:
    """Obligations that a page names, and readings, of which a counterexample is one decision.

    A claim with quotas and bills of its own, as PO-UCQ-590, has numbers for a counterexample, no manifests.
    """
    for name in page.front.get("obligations", []):
        expect = OBLIGATIONS[name].expect
        claim = Claim(reading_of(preset_names()[0]))
        OBLIGATIONS[name].state(claim)
        if is_one_decision(claim) and "nominal" not in claim.symbols:
            yield from ((name, reading) for reading in expect if expect[reading] == Verdict.REFUTED)


def told_apart(page: Page) -> set[tuple[str, str]]:
    """Obligations and readings of which a page says that its scenario is not the solvers' counterexample."""
    told = re.findall(
        r"For (PO-[A-Z]+-\d+) the solvers return another case under ([^:]+):", " ".join(page.body.split())
    )
    return {(name, reading) for name, readings in told for reading in re.split(", | and ", readings)}


@pytest.mark.parametrize("identifier", [text for text in PAGES if PAGES[text].front.get("obligations")])
def test_the_scenario_of_a_finding_is_the_smallest_counterexample_or_the_page_says_why_not(
    identifier: str,
) -> None:
    page = PAGES[identifier]
    for name, reading in refuted_decisions(page):
        result = run_obligation(OBLIGATIONS[name], reading, None)
        assert result.counterexample is not None
        scenario = result.counterexample.scenario
        assert scenario is not None
        found = {key: value for key, value in scenario["input"].items() if key != "reading"}
        vectors = [VECTORS[item].data for item in page.front.get("vectors", [])]
        equal = any(vector["input"] == found and vector["reading"] == reading for vector in vectors)
        assert equal != ((name, reading) in told_apart(page)), (name, reading)


def published_read_once(folder: Path | None = None) -> tuple[Vector, ...]:
    """The published vectors, which each of many commands would read and check again."""
    return PUBLISHED if folder is None else load_vectors(folder)


@pytest.mark.parametrize("identifier", PAGES)
def test_the_command_of_a_finding_replays_it(identifier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("tenure.conformance.vectors.load_vectors", published_read_once)
    ran = CliRunner().invoke(app, command(identifier).split())
    assert ran.exit_code == 0, ran.output


@pytest.mark.parametrize("identifier", BY_VECTORS)
def test_a_vector_of_a_finding_replays(identifier: str) -> None:
    assert run_vector(VECTORS[identifier]).differences == ()


@pytest.mark.parametrize("identifier", [vector for vector in BY_VECTORS if vector not in DIFFERENT])
def test_where_a_finding_says_every_preset_it_is_every_preset(identifier: str) -> None:
    vector = VECTORS[identifier]
    for preset in preset_names():
        said = answered(vector, preset)
        assert said.get("decision") == vector.data["expect"].get("decision"), preset
        assert said.get("output") == vector.data["expect"].get("output"), preset
        assert victims(said) == victims(vector.data["expect"]), preset


def test_what_differs_is_of_a_finding() -> None:
    named = {name for page in findings(ROOT) for name in page.front.get("vectors", [])}
    # What a page would rest on of a proposal that has no rule yet has no page either.
    families = {rule.id.partition("-")[0] for rule in all_rules()}
    assert {text for text in DIFFERENT if text.partition("-")[0] in families} <= named


@pytest.mark.parametrize(
    ("identifier", "words"), [(name, words) for name, words in DIFFERENT.items() if name in BY_VECTORS]
)
def test_where_presets_differ_they_do_so_as_the_page_says(identifier: str, words: tuple[str, ...]) -> None:
    in_words = by_victims if identifier.startswith("PCF-") else in_a_word
    found = tuple(in_words(answered(VECTORS[identifier], preset)) for preset in preset_names())
    assert found == words


def victims(expected: dict[str, Any]) -> list[tuple[str, str]]:
    """Who is preempted, and for what reason."""
    return [(item["workload"], item["reason"]) for item in expected.get("preempted", [])]
