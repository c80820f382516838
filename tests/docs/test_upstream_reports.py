"""The reports to upstream: each has every part, is in the index, and says what was not run.

What their `$ ` commands and Python examples print is compared as on every page (`test_readme.py`).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.blocks import ROOT, blocks, pages

FOLDER = ROOT / "docs" / "findings" / "upstream"
INDEX = FOLDER / "README.md"
REPORTS = sorted(set(FOLDER.glob("*.md")) - {INDEX})
PARTS = [
    "What happens",
    "Why it matters",
    "Reproduction",
    "What upstream's text says",
    "A possible fix",
    "What was not run",
]
COMPARED = "2-docs-against-code.md"
"""Its first part is a table of the quotations."""
BETA = "7-what-a-beta-must-decide.md"
REPAIRS = "8-repairs-of-fair-sharing.md"
MINIMUM = "9-minimum-runtime-across-queues.md"
RUN_HERE = {COMPARED, "3-story-3-6.md", "4-hero-and-any.md", "5-kai-potential.md", BETA, REPAIRS, MINIMUM}


@pytest.mark.parametrize("report", REPORTS, ids=lambda path: path.stem)
def test_a_report_has_every_part_in_order(report: Path) -> None:
    lines = report.read_text(encoding="utf-8").splitlines()
    parts = [line.removeprefix("## ") for line in lines if line.startswith("## ")]
    assert parts == [part for part in PARTS if report.name != COMPARED or part != "What upstream's text says"]
    assert any(line.startswith("**To:** ") for line in lines)


def test_the_index_lists_every_report() -> None:
    index = INDEX.read_text(encoding="utf-8")
    assert len(REPORTS) == 9
    assert [report.name for report in REPORTS if f"]({report.name})" not in index] == []


def test_reproductions_that_need_no_other_program_are_run_by_tests() -> None:
    assert {page.name for page in pages() if page.parent == FOLDER} == RUN_HERE
    for report in set(REPORTS) - {FOLDER / name for name in RUN_HERE}:
        assert {block.language for block in blocks(report)} & {"yaml", "go"}
