"""Writes the generated pages, and the generated parts of written ones; mkdocs runs it at every build."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

# mkdocs runs the file by its path, so the root of the repository is not on the path yet.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import mkdocs_gen_files

from docs.gen.analyzed import analyzed
from docs.gen.bounded import whole_decisions
from docs.gen.cases import vector_list, vector_pages, vector_pictures
from docs.gen.charts import scenario_pages
from docs.gen.coverage import coverage_list, coverage_site
from docs.gen.explained import said_of_rules
from docs.gen.findings import finding_list, finding_pages
from docs.gen.illustrations import illustrations
from docs.gen.lessons import lesson_pictures
from docs.gen.listings import listings
from docs.gen.markdown import filled, linked, placed
from docs.gen.navigation import completed
from docs.gen.not_modelled import not_modelled
from docs.gen.openings import openings
from docs.gen.playground import page_fills, playground_files
from docs.gen.proofs import claim_pages, claims_by_page, proofs
from docs.gen.proved import proof_report
from docs.gen.real_traces import real_traces
from docs.gen.reference import command_pages, reference, restated
from docs.gen.rules import rule_list, rule_pages
from docs.gen.schemas import schema_files, schema_list
from docs.gen.sources import edited, identifier_addresses, written_pages
from docs.gen.theorems import theorems
from docs.gen.traceability import traceability
from docs.gen.upstream import reports
from docs.gen.woven import woven


def main() -> None:
    """Write everything, and complete the navigation."""
    report = proof_report()
    of_scenarios, charts, scenario_list, views, played = scenario_pages()
    opened = openings(played)
    drawings, pictures = vector_pictures()
    claims = claims_by_page(report)
    pages = (
        rule_pages(report, claims, said_of_rules(), pictures, views)
        | finding_pages(pictures, views, opened)
        | coverage_site()
        | of_scenarios
        | claim_pages(claims)
        | vector_pages(pictures, opened)
    )
    of_analysis, analysis = analyzed()
    of_traces, traces = real_traces()
    drawings |= lesson_pictures() | of_analysis | of_traces
    made = pages | charts | drawings | schema_files() | restated() | reports() | command_pages()
    made["assets/places.json"] = json.dumps(identifier_addresses(), separators=(",", ":"))
    for path, text in made.items():
        _write(path, text)
    for path, content in playground_files(opened).items():
        with mkdocs_gen_files.open(path, "wb") as file:
            file.write(content)
    fills = (
        rule_list()
        | finding_list()
        | vector_list()
        | coverage_list()
        | scenario_list
        | proofs(report)
        | theorems(report)
        | whole_decisions(report)
        | reference()
        | traceability()
        | schema_list()
        | not_modelled()
        | page_fills()
    )
    navigation: list[dict[str, Any]] = mkdocs_gen_files.config["nav"]
    illustrated = (illustrations(pictures, views), analysis, traces, listings(navigation, made))
    for path, parts in (item for found in illustrated for item in found.items()):
        fills.setdefault(path, {}).update(parts)
    for path in written_pages():
        with mkdocs_gen_files.open(path, "r") as page:
            written = page.read()
        _write(path, filled(linked(written), fills.get(path, {})))
    navigation[:] = completed(navigation, pages)


def _write(path: str, text: str) -> None:
    with mkdocs_gen_files.open(path, "w") as page:
        page.write(placed(woven(text, path), path) if path.endswith(".md") else text)
    mkdocs_gen_files.set_edit_path(path, edited(path))


# Importing the module, as the doctests do, builds nothing.
if __name__ == "<run_path>":
    main()
