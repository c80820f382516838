"""What the pages tell users to write into their own files is what there is."""

from __future__ import annotations

from typing import Any

import yaml

from tests.cikit.repository import ROOT
from tests.docs.blocks import blocks

HOW_TO = ROOT / "docs" / "how-to"


def written(page: str) -> list[dict[str, Any]]:
    """The YAML of a page."""
    return [yaml.safe_load(block.text) for block in blocks(HOW_TO / page) if block.language == "yaml"]


def test_the_workflow_and_the_hooks_of_the_page_are_published() -> None:
    workflow, hooks = written("check-manifests-in-ci.md")
    (step,) = [item for item in workflow["jobs"]["queues"]["steps"] if "/tenure@" in item["uses"]]
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert set(step["with"]) <= set(action["inputs"])
    published = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hooks["repos"][0]["hooks"] == [{"id": item["id"]} for item in published]


def test_the_permissions_of_the_page_are_to_read_only() -> None:
    (role,) = written("kubectl.md")
    assert {verb for rule in role["rules"] for verb in rule["verbs"]} == {"get", "list"}
