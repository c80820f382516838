"""The page about jobs names every kind that is read, and gets the table that the recorded Workloads make."""

from __future__ import annotations

from docs.gen.reference import JOBS
from tenure.manifests.jobs.integrations import INTEGRATIONS
from tests.docs.blocks import ROOT
from tools.integrations import table


def test_the_table_has_what_decides_and_what_does_not() -> None:
    rows = table().splitlines()
    assert "| `spec.queueName` | every kind | yes |" in rows
    assert "| `spec.maximumExecutionTimeSeconds` | Job | no |" in rows
    assert "| `spec.resourceClaims` | refused: it is not modelled |" in rows


def test_every_kind_is_on_the_page() -> None:
    page = (ROOT / "docs" / JOBS).read_text(encoding="utf-8").partition("## What is filled in")[0]
    assert [kind for _, kind in INTEGRATIONS if kind not in page] == []
