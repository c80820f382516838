"""What the pages tell users to write into their own files is what there is."""

from __future__ import annotations

from typing import Any

from tenure.kubectl.dump import CLASSES, QUEUES, READ_COMMAND, WORKLOADS
from tests.cikit.repository import ROOT
from tests.docs.blocks import blocks
from tools import libyaml

HOW_TO = ROOT / "docs" / "how-to"


def written(page: str) -> list[dict[str, Any]]:
    """The YAML of a page."""
    return [libyaml.load(block.text) for block in blocks(HOW_TO / page) if block.language == "yaml"]


def test_the_workflow_and_the_hooks_of_the_page_are_published() -> None:
    workflow, hooks = written("check-manifests-in-ci.md")
    (step,) = [item for item in workflow["jobs"]["queues"]["steps"] if "/tenure@" in item["uses"]]
    action = libyaml.load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert set(step["with"]) <= set(action["inputs"])
    published = libyaml.load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hooks["repos"][0]["hooks"] == [{"id": item["id"]} for item in published]


def test_every_page_and_help_reads_a_cluster_by_the_one_command() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
    helps = [*(ROOT / "refimpl").rglob("*.py"), *(ROOT / "proofs").rglob("*.py")]
    found = {
        (file.name, line.strip())
        for file in (*pages, *helps)
        for line in file.read_text(encoding="utf-8").splitlines()
        if "kubectl get clusterqueues" in line
    }
    assert {line for _, line in found} == {READ_COMMAND}
    assert {name for name, _ in found} == {"README.md", "kubectl.md", "analyze_matrix.py"}


def test_the_permissions_of_the_page_are_to_read_only() -> None:
    (role,) = written("kubectl.md")
    assert set(role["rules"][0]["resources"]) == {*QUEUES, WORKLOADS, CLASSES}
    assert {verb for rule in role["rules"] for verb in rule["verbs"]} == {"get", "list"}
