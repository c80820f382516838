"""The script changes what it says, in the file, and nothing else; a few changes are asked about for real."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.proofs import fifty
from tests.proofs.trees import ROOT, copied_tree

CHANGES = fifty.changes()


def test_every_change_of_the_text_is_the_change_of_the_mutant() -> None:
    for mutant in CHANGES:
        text = (ROOT / fifty.file_of(mutant)).read_text(encoding="utf-8")
        before, after = (ast.parse(each) for each in (text, fifty.changed_text(mutant, text)))
        changed = [
            (ast.unparse(right), ast.unparse(wrong))
            for right, wrong in zip(before.body, after.body, strict=True)
            if ast.dump(right) != ast.dump(wrong)
        ]
        ((right, wrong),) = changed
        assert right != wrong, mutant.id
        assert f"def {mutant.function.__name__}" in right


@pytest.mark.parametrize("rule", ["KQ-060", "KMR-070"])
def test_a_changed_operator_in_the_sources_is_noticed(rule: str, tmp_path: Path) -> None:
    tree = copied_tree(tmp_path)
    mutant = next(each for each in CHANGES if each.rule == rule)
    before = (tree / fifty.file_of(mutant)).read_text(encoding="utf-8")
    outcome, by = fifty.noticed(mutant, tree)
    assert outcome == "exit 1"
    assert by.startswith("FAIL PO-")
    assert (tree / fifty.file_of(mutant)).read_text(encoding="utf-8") == before
