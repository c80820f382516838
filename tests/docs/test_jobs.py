"""The page about jobs has the table that the recorded Workloads make, and names every kind that is read."""

from __future__ import annotations

from tenure.manifests.jobs.integrations import INTEGRATIONS
from tools.integrations import PAGE, written


def test_the_table_of_fields_is_the_one_that_the_recordings_make() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == written(page), "python -m tools.integrations writes it"


def test_every_kind_is_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8").partition("## What is filled in")[0]
    assert [kind for _, kind in INTEGRATIONS if kind not in page] == []
