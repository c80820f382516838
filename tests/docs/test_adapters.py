"""The adapters of the how-to are run as they stand on the page and beside it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.command_line import PATIENCE_S, TENURE, run_program
from tests.docs.blocks import ROOT, blocks, environment, matches

PAGE = ROOT / "docs" / "how-to" / "make-your-scheduler-conform.md"
FILES = PAGE.parent / "adapters"


def titled(title: str) -> str:
    """The code below a title of the page."""
    found = re.search(rf'^```\w+ title="{re.escape(title)}"\n(.*?)^```$', PAGE.read_text(), re.M | re.S)
    assert found is not None
    return found[1]


def shown(beginning: str, language: str = "sh") -> str:
    """The one block of the page that begins so."""
    (found,) = [
        block.text
        for block in blocks(PAGE)
        if block.language == language and block.text.startswith(beginning)
    ]
    return found


def conform(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    """The page's command, with the program that belongs to these tests."""
    line = command.replace("tenure ", f"{TENURE} ", 1).replace('--exec "python ', '--exec "python3 ')
    return subprocess.run(
        line, shell=True, cwd=folder, capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )


def test_the_adapter_in_python_has_the_fault_that_the_page_shows(tmp_path: Path) -> None:
    shutil.copy(FILES / "adapter.py", tmp_path)
    done = conform(tmp_path, shown('tenure conform --exec "python adapter.py"'))
    assert done.returncode == 1, done.stderr
    assert matches(shown("FAIL", "text"), done.stdout), done.stdout


def test_the_smallest_adapter_fails_as_the_page_shows(tmp_path: Path) -> None:
    (tmp_path / "fit.py").write_text(titled("fit.py"), encoding="utf-8")
    command = 'tenure conform --exec "python fit.py" --only KQ-060 --scenarios 0'
    assert f"`{command}`" in PAGE.read_text()
    done = conform(tmp_path, command)
    assert done.returncode == 1, done.stderr
    assert matches(titled("conform fit.py"), done.stdout), done.stdout
    assert "decision Fit does not conform" not in done.stdout


def test_mended_as_the_page_says_it_conforms(tmp_path: Path) -> None:
    code, mended = (FILES / "adapter.py").read_text(encoding="utf-8"), titled("decide, mended")
    unmended = '    return "Preempt", leaving\n'
    assert code.count(unmended) == 1
    (tmp_path / "adapter.py").write_text(code.replace(unmended, mended), encoding="utf-8")
    done = conform(tmp_path, shown('tenure conform --exec "python adapter.py"'))
    assert done.returncode == 0, done.stdout
    last = "conform: adapter 0.1 conforms (mode victims, at least 1 % answered, without DYN, PCF, PPR)"
    assert done.stdout.splitlines()[-1] == last
    assert last in PAGE.read_text()


@pytest.mark.skipif(shutil.which("go") is None, reason="no Go here")
def test_the_adapter_in_go_answers_what_it_models(tmp_path: Path) -> None:
    shutil.copy(FILES / "main.go", tmp_path)
    command = 'tenure conform --exec "go run main.go" --partial'
    assert f"`{command}`" in PAGE.read_text()
    done = conform(tmp_path, f"{command} --scenarios 20")
    # It says Fit wherever nothing runs, so the vectors in which that is too much are told, and no others.
    assert done.returncode == 1, done.stderr
    assert "conform: go-adapter 0.1 does not conform" in done.stdout
    assert re.findall(r"^     theirs   (.*)$", done.stdout, re.M) == ["Fit"] * done.stdout.count("FAIL ")
    assert " agree" in done.stdout


@pytest.mark.skipif(shutil.which("go") is None, reason="no Go here")
def test_the_client_in_go_asks_the_oracle_and_prints_what_the_page_shows(tmp_path: Path) -> None:
    for name in ("oracle.go", "oracle_test.go"):
        shutil.copy(FILES / name, tmp_path)
    (tmp_path / "go.mod").write_text("module example\n\ngo 1.22\n", encoding="utf-8")
    done = run_program("go", "test", "-v", ".", cwd=tmp_path, environment=environment())
    assert done.returncode == 0, done.stdout + done.stderr
    assert titled("go test -v .") in done.stdout


@pytest.mark.skipif(shutil.which("go") is None, reason="no Go here")
def test_the_vectors_from_go_fail_in_the_sentences_that_the_page_shows(tmp_path: Path) -> None:
    name = "conformance_test.go"
    shutil.copy(FILES / name, tmp_path)
    needed = f"require tenuretest v0.0.0\n\nreplace tenuretest => {ROOT / 'go'}\n"
    (tmp_path / "go.mod").write_text(f"module example\n\ngo 1.24\n\n{needed}", encoding="utf-8")
    done = run_program("go", "test", ".", cwd=tmp_path, environment=environment())
    assert done.returncode == 1, done.stdout + done.stderr
    assert matches(titled("go test ."), done.stdout), done.stdout
