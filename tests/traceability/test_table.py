"""The table from source sentences to pages is complete, and whatever breaks it is named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from docs.gen import traceability as page
from tenure.rules.registry import all_rules
from tests.tenure_proofs.trees import ROOT, change, copied_tree, python
from tools.traceability import RECORD, missing, rows

CHECK = "import sys; from tools.traceability import main; sys.exit(main(sys.argv[1:]))"
KEP = "spec/coverage/kep-8826.md"
RANK = "refimpl/tenure/rules/hero_rank.py"
FIT = "spec/rules/UCQ-240-when-a-hero-s-request-fits.md"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of all that the table is made from."""
    copy = copied_tree(tmp_path_factory.mktemp("tree"))
    shutil.copytree(ROOT / "tools", copy / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    return copy


@contextmanager
def edited(tree: Path, file: str) -> Iterator[Path]:
    """A file that is put back afterwards."""
    path = tree / file
    before = path.read_text(encoding="utf-8")
    yield path
    path.write_text(before, encoding="utf-8")


def test_the_table_is_complete_and_recorded() -> None:
    assert list(missing(ROOT)) == []


def test_every_rule_and_every_sentence_that_a_rule_says_has_a_row() -> None:
    table = list(rows(ROOT))
    assert {row.rule.id for row in table} == {entry.id for entry in all_rules()}
    assert len({row.entry.id for row in table if row.entry is not None}) > 150
    lines = page.traceability()[page.TRACEABILITY]["traceability"].splitlines()
    assert lines[0] == f"| {' | '.join(page.HEAD)} |"
    assert len(lines) == 2 + len(table)


def test_the_page_is_not_made_while_something_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "missing", lambda _: ["rule UCQ-010 has no obligation"])
    with pytest.raises(ValueError, match="rule UCQ-010 has no obligation"):
        page.traceability()


def test_a_vector_that_was_deleted_is_named(tree: Path) -> None:
    with edited(tree, "spec/vectors/heroes.json") as path:
        area = json.loads(path.read_text(encoding="utf-8"))
        deleted = area["vectors"].pop(0)
        path.write_text(json.dumps(area), encoding="utf-8")
        (said,) = missing(tree)
    assert said == (
        f"recorded, and no longer there: vector {deleted['id']} "
        f"is to {deleted['verdict']} {', '.join(deleted['rules'])}"
    )


def test_a_rule_without_a_vector_of_a_verdict_is_named(tree: Path) -> None:
    with edited(tree, "spec/vectors/heroes.json") as path, edited(tree, "spec/vectors/heroes-findings.json"):
        for name in (path.name, "heroes-findings.json"):
            area = json.loads((path.parent / name).read_text(encoding="utf-8"))
            area["vectors"] = [item for item in area["vectors"] if "UCQ-010" not in item["rules"]]
            (path.parent / name).write_text(json.dumps(area), encoding="utf-8")
        said = list(missing(tree))
    assert {"rule UCQ-010 has no vector to accept", "rule UCQ-010 has no vector to reject"} <= set(said)


def test_a_rule_that_was_renamed_is_named(tree: Path) -> None:
    with edited(tree, RANK):
        change(tree, RANK, '@rule("UCQ-010")', '@rule("UCQ-015")')
        said = list(missing(tree))
    assert "rule UCQ-015 has no obligation" in said
    assert "recorded, and no longer there: rule UCQ-010 is tenure.rules.hero_rank.is_above" in said


def test_a_function_that_was_renamed_is_named(tree: Path) -> None:
    with edited(tree, RANK):
        change(tree, RANK, "def is_above(", "def stands_above(")
        said = list(missing(tree))
    assert "recorded, and no longer there: rule UCQ-010 is tenure.rules.hero_rank.is_above" in said


@pytest.mark.parametrize(
    ("file", "before", "after", "named"),
    [
        (
            KEP,
            "irrespective of priority or guaranteed",
            "respective of priority or guaranteed",
            "not recorded: sentence 8826-005",
        ),
        (FIT, "Sum(NominalQuota of all CQs", "Sum(Quota of all CQs", "rule UCQ-240: kep-8826"),
    ],
    ids=["a sentence of a source", "a quote on a page"],
)
def test_a_sentence_that_was_edited_is_named(
    tree: Path, file: str, before: str, after: str, named: str
) -> None:
    with edited(tree, file):
        change(tree, file, before, after)
        said = list(missing(tree))
    assert any(name.startswith(named) for name in said), said


def test_the_command_names_it_and_records_what_there_is(tree: Path) -> None:
    with edited(tree, str(RECORD)) as record:
        record.write_text("rule UCQ-001 is gone\n", encoding="utf-8")
        failed = python(CHECK, root=tree)
        assert (failed.returncode, failed.stderr) == (1, "")
        assert "recorded, and no longer there: rule UCQ-001 is gone\n" in failed.stdout
        written = python(CHECK, "--write", root=tree)
        assert (written.returncode, written.stderr) == (0, "")
        assert record.read_text(encoding="utf-8") == (ROOT / RECORD).read_text(encoding="utf-8")
