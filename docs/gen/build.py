"""Writes the generated pages, and the generated parts of written ones; mkdocs runs it at every build."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

# mkdocs runs the file by its path, so the root of the repository is not on the path yet.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import mkdocs_gen_files

from docs.gen.charts import SCENARIOS, scenario_pages, scenario_places
from docs.gen.coverage import COVERAGE, coverage_list, coverage_site
from docs.gen.markdown import filled, linked
from docs.gen.proofs import proofs
from docs.gen.proved import proof_report
from docs.gen.reference import reference, restated
from docs.gen.rules import FINDINGS, RULES, finding_pages, lists, rule_pages
from docs.gen.sources import places, written_pages
from docs.gen.traceability import traceability


def main() -> None:
    """Write everything, and complete the navigation."""
    report, known = proof_report(), places() | scenario_places()
    of_rules, of_findings = rule_pages(report, known), finding_pages(known)
    of_sources = coverage_site(known)
    of_scenarios, charts, scenario_list = scenario_pages(known)
    generated = of_rules | of_findings | of_sources | of_scenarios | charts | restated(known)
    for path, text in generated.items():
        _write(path, text)
    fills = lists(known) | coverage_list() | scenario_list | proofs(report, known) | reference(known)
    fills |= traceability(known)
    for path in written_pages():
        with mkdocs_gen_files.open(path, "r") as page:
            written = page.read()
        _write(path, filled(linked(written, known, path), fills.get(path, {})))
    navigation: list[dict[str, Any]] = mkdocs_gen_files.config["nav"]
    for entry in navigation:
        for section, index, pages in (
            ("Rules", RULES, of_rules),
            ("Findings", FINDINGS, of_findings),
            ("Scenarios", SCENARIOS, of_scenarios),
            ("Coverage", COVERAGE, of_sources),
        ):
            if section in entry:
                entry[section] = [index, *sorted(pages)]


def _write(path: str, text: str) -> None:
    with mkdocs_gen_files.open(path, "w") as page:
        page.write(text)


# Importing the module, as the doctests do, builds nothing.
if __name__ == "<run_path>":
    main()
