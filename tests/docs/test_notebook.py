"""The notebook of the page about Python runs as it is, and shows words, tables and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "docs" / "how-to" / "use-tenure-from-python.ipynb"
SECONDS_OF_A_CELL = 600


def kept() -> Any:
    """The notebook as it is in the repository."""
    return nbformat.reads(NOTEBOOK.read_text(encoding="utf-8"), as_version=4)  # type: ignore[no-untyped-call]


def executed(folder: Path) -> Any:
    """The notebook with its outputs.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell fails.
    """
    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(kept(), timeout=SECONDS_OF_A_CELL, kernel_name="python3", resources=resources)
    return client.execute()


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The HTML of each cell that has any, by the cell's last line."""
    folder = tmp_path_factory.mktemp("notebook")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("JUPYTER_RUNTIME_DIR", str(folder / "runtime"))
        patched.setenv("IPYTHONDIR", str(folder / "ipython"))
        book = executed(folder)
    return {
        cell.source.splitlines()[-1]: output.data["text/html"]
        for cell in book.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "text/html" in output.get("data", {})
    }


def test_the_notebook_is_kept_without_outputs() -> None:
    cells = [cell for cell in kept().cells if cell.cell_type == "code"]
    assert [(cell.outputs, cell.execution_count) for cell in cells] == [([], None)] * len(cells)


def test_every_answer_is_shown_as_html(shown: dict[str, str]) -> None:
    answers = [html for html in shown.values() if "<h3>" in html]
    assert len(answers) == 8
    assert "team-b/job-eval-suite-d739e" in shown['tenure.why(cluster, "job-pretrain-7b-e95a1", now=now)']


def test_a_matrix_and_a_counterexample_have_a_picture(shown: dict[str, str]) -> None:
    assert '<svg style="background: var(--paper)" ' in shown["matrix"]
    refuted = shown["prove(a_job_is_never_preempted_by_an_equal)"]
    assert "<svg" in refuted
    assert "target is preempted: InClusterQueueTimeBased" in refuted
    proved = shown["prove(a_job_is_never_preempted_by_a_lower_priority)"]
    assert "Proved for every state" in proved
    assert "<svg" not in proved


def test_tables_are_frames_and_the_page_has_a_frame_of_its_own(shown: dict[str, str]) -> None:
    frames = [html for line, html in shown.items() if "to_frame()" in line]
    assert len(frames) == 2
    assert all("<table" in html for html in frames)
    assert shown["tenure.report(cluster, now=now, budget=2)"].startswith("<iframe sandbox=")
