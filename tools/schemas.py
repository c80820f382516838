"""`python -m tools.schemas`: writes the published JSON Schemas, spec/schemas, as the types make them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tenure.cli.answer_types import ExampleAnswer, ScenariosListed, SchemasListed, VectorsAnswer
from tenure.cli.decision_answers import DecideAnswer
from tenure.conformance.answer_types import (
    AccessibleAnswer,
    PendingAnswer,
)
from tenure.conformance.protocol_types import Answer
from tenure.conformance.request_types import Request
from tenure.explanation.answer_types import WhyAnswer, WhyNotAnswer
from tenure.reference import Card, CardList
from tenure.validation.answer_types import ManifestsAnswer
from tenure.versions import form
from tenure_check.analysis.difference_answer import MatrixDifference
from tenure_check.analysis.guarantee_answer import GuaranteesAnswer
from tenure_check.analysis.loop_answer import LoopsAnswer
from tenure_check.analysis.matrix_answer import MatrixAnswer
from tenure_check.analysis.sanity import SanityAnswer
from tenure_check.expectations.baseline import BaselineShape
from tenure_check.expectations.expectation_file import DecisionsShape
from tenure_check.expectations.results import ChecksAnswer
from tenure_kai.answer_types import FilterAnswer, PairsAnswer, ResolveAnswer, ValidateAnswer
from tenure_lab.campaign_report import CampaignReport
from tenure_lab.conform_report import Conformance
from tenure_play.diff.difference import DiffAnswer
from tenure_play.forecast.answer_types import NextAnswer
from tenure_play.kai.scenario_file import KaiScenarioShape
from tenure_play.not_queued import NotQueuedAnswer
from tenure_play.postmortem.answer_types import PastAnswer
from tenure_play.record import PlayAnswer
from tenure_play.scenario_file import ScenarioShape
from tenure_proofs.answer import ProveAnswer, ProvedByAnswer
from tenure_simulate.answer_types import SimulateAnswer
from tools.json_schemas import json_schema

FOLDER: Final = Path(__file__).resolve().parents[1] / "spec" / "schemas"

WRITTEN: Final[Mapping[str, tuple[Any, str]]] = {
    "accessible": (AccessibleAnswer, "tenure show -f FILES -o json"),
    "analyze-diff": (MatrixDifference, "tenure analyze diff -o json"),
    "analyze-guarantees": (GuaranteesAnswer, "tenure analyze guarantees -o json"),
    "analyze-matrix": (MatrixAnswer, "tenure analyze matrix -o json"),
    "analyze-loops": (LoopsAnswer, "tenure analyze loops -o json"),
    "analyze-sanity": (SanityAnswer, "tenure analyze sanity -o json"),
    "campaign": (CampaignReport, "tenure campaign -o json"),
    "conform": (Conformance, "tenure conform -o json"),
    "decide": (DecideAnswer, "tenure decide -o json"),
    "diff": (DiffAnswer, "tenure diff -o json"),
    "example": (ExampleAnswer, "tenure example -o json"),
    "kai-filter": (FilterAnswer, "tenure kai filter -o json"),
    "kai-pairs": (PairsAnswer, "tenure kai pairs -o json"),
    "kai-resolve": (ResolveAnswer, "tenure kai resolve -o json"),
    "kai-validate": (ValidateAnswer, "tenure kai validate -o json"),
    "next": (NextAnswer, "tenure next -o json"),
    "oracle-answer": (Answer, "an answer of tenure oracle"),
    "pending": (PendingAnswer, "tenure decide --all-pending -o json"),
    "prove": (ProveAnswer, "tenure prove -o json"),
    "prove-why": (ProvedByAnswer, "tenure prove --why … -o json"),
    "schemas": (SchemasListed, "tenure schema -o json"),
    "show": (Card | CardList, "tenure show -o json"),
    "simulate": (PlayAnswer | ScenariosListed, "tenure simulate -o json"),
    "simulate-trace": (SimulateAnswer, "tenure simulate --trace -o json"),
    "test": (ChecksAnswer, "tenure test -o json"),
    "validate": (ManifestsAnswer, "tenure validate -o json"),
    "vectors": (VectorsAnswer, "tenure vectors … -o json"),
    "why": (WhyAnswer | PastAnswer, "tenure why -o json"),
    "why-not": (WhyNotAnswer | NotQueuedAnswer, "tenure why-not -o json"),
}
"""What is written, by the schema's name: the type, and the schema's title."""

READ: Final[Mapping[str, tuple[Any, str]]] = {
    "baseline": (BaselineShape, "what tenure analyze diff --baseline accepts"),
    "expectations": (DecisionsShape, "expectations on decisions for tenure test"),
    "kai-scenario": (KaiScenarioShape, "scenario of KAI-Scheduler for tenure simulate"),
    "oracle-request": (Request, "a request of tenure oracle"),
    "scenario": (ScenarioShape, "scenario for tenure simulate"),
}
"""What is read, likewise."""


def schema_names() -> list[str]:
    """Of every schema that is made."""
    return [*WRITTEN, *READ]


def made_schema(name: str) -> dict[str, Any]:
    """The schema of a name.

    >>> made_schema("oracle-request")["title"]
    'a request of tenure oracle'
    """
    if name in WRITTEN:
        made = json_schema(*WRITTEN[name])
        return made if name == "oracle-answer" else _versioned(made, name)
    return json_schema(*READ[name], mode="validation")


def _versioned(made: dict[str, Any], name: str) -> dict[str, Any]:
    """With what `print_answer` begins with, of one answer or another."""
    said = {
        "schema": {"description": "Which answer this is, and its version.", "const": form(name)},
        "tenure": {"description": "The release of Tenure that answers.", "type": "string"},
    }
    answers = [made["$defs"][part["$ref"].rpartition("/")[2]] for part in made.get("anyOf", ())] or [made]
    for answer in answers:
        answer["required"] = [*said, *answer["required"]]
        answer["properties"] = {**said, **answer["properties"]}
    return made


if __name__ == "__main__":
    for name in schema_names():
        text = json.dumps(made_schema(name), indent=2, ensure_ascii=False) + "\n"
        (FOLDER / f"{name}.schema.json").write_text(text, encoding="utf-8")
