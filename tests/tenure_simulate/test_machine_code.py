"""The core's machine code: kept where no other user can put any, whatever the current folder holds."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from tenure_simulate import machine_code
from tenure_simulate.core import compiled
from tests.command_line import NO_BYTECODE, run_program

KERNEL = """
import os, sys
from tenure_simulate.core.compiled import compiled

@compiled
def twice(number):
    return 2 * number

for folder in sys.argv[1:]:
    os.chdir(folder)
twice(21)
from numba.core import config
kept = sum(twice.stats.cache_hits.values())
print(twice.stats.cache_path, kept, config.CACHE_DIR or "-", config.DEBUG_CACHE, sep="\\n")
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache, empty."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    return folder


def run_kernel(folder: Path, *visited: Path, package: Path | None = None) -> list[str]:
    """Where a kernel is kept, how often it was found there, and two of numba's settings."""
    (folder / "kernel.py").write_text(KERNEL, encoding="utf-8")
    done = run_program(
        sys.executable,
        "kernel.py",
        *map(str, visited),
        cwd=folder,
        environment={**os.environ, "PYTHONPATH": str(package or ""), "NUMBA_DISABLE_JIT": "0"},
        check=True,
    )
    assert not done.stderr
    return done.stdout.splitlines()


def test_the_current_folder_says_nothing_to_the_compiler(tmp_path: Path, cache: Path) -> None:
    pytest.importorskip("numba")
    evil = tmp_path / "evil"
    settings = f"cache_dir: {evil}\ndebug_cache: 1\n"
    # One is current when the compiler is imported, the other when it compiles.
    begun, visited = tmp_path / "begun", tmp_path / "visited"
    for folder in (begun, visited):
        folder.mkdir()
        (folder / ".numba_config.yaml").write_text(settings, encoding="utf-8")
    for found in ("0", "1"):
        kept, hits, *said = run_kernel(begun, visited)
        assert Path(kept).is_relative_to(cache / "tenure" / "core")
        assert (hits, said) == (found, ["-", "0"])
    assert not evil.exists()


def test_importing_deletes_nothing_and_puts_nothing_beside_the_sources(tmp_path: Path) -> None:
    pytest.importorskip("numba")
    package = tmp_path / "package"
    source = Path(compiled.__file__).parents[2]
    shutil.copytree(source, package, ignore=shutil.ignore_patterns("__pycache__"))
    old = package / "tenure_simulate" / "core" / "__pycache__" / "bases.own_basis-1.py311.nbi"
    old.parent.mkdir()
    old.write_bytes(b"of another process")
    os.utime(old, (1, 1))
    run_kernel(tmp_path, package=package)
    assert list(package.rglob("*.nb?")) == [old]


def test_another_state_of_any_source_is_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(machine_code, "_PACKAGES", tmp_path)
    kernels = ("core/callee.py", "core/heroes/fit.py", "trace/turns.py")
    rest = ("rules/cycle.py", "model.py", "readings.py")
    files = [tmp_path / "tenure_simulate" / name for name in kernels]
    files += [tmp_path / "tenure" / name for name in rest]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("before", encoding="utf-8")
    folders = [machine_code.kept_folder()]
    for file in files:
        file.write_text("later!", encoding="utf-8")
        os.utime(file, (1, 1))
        folders.append(machine_code.kept_folder())
    assert None not in folders
    assert len(set(folders)) == len(folders)


@pytest.mark.parametrize("said", ["", "cache", "./cache", "../cache"])
def test_a_relative_cache_is_none(said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", said)
    assert machine_code.default_folder() == tmp_path / "cache" / "tenure" / "core"
    monkeypatch.setenv("XDG_CACHE_HOME", said)
    assert machine_code.default_folder() == Path.home() / ".cache" / "tenure" / "core"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert machine_code.default_folder() == tmp_path / "tenure" / "core"


def _linked(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))
    folder.symlink_to("elsewhere")


def _a_file(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("", encoding="utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="permissions there are no modes")
@pytest.mark.parametrize(
    ("depth", "change", "words"),
    [
        (0, _linked, "found a link, expected a folder"),
        (1, _linked, "found a link, expected a folder"),
        (0, lambda folder: folder.chmod(0o750), "found drwxr-x---, expected drwx------"),
        (1, lambda folder: folder.chmod(0o711), "found drwx--x--x, expected drwx------"),
        (2, lambda folder: folder.chmod(0o757), "found drwxr-xrwx, expected a folder that others cannot"),
        (3, lambda folder: folder.chmod(0o777), "found drwxrwxrwx, expected a folder that others cannot"),
        (1, _a_file, "File exists"),
        (3, _a_file, "File exists"),
    ],
)
def test_a_folder_that_others_can_write_to_is_not_used(
    depth: int,
    change: Callable[[Path], None],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    pytest.importorskip("numba")
    folder = machine_code.kept_folder()
    assert folder is not None
    assert [path.stat().st_mode & 0o777 for path in (folder, folder.parent)] == [0o700, 0o700]
    change((folder, *folder.parents)[depth])
    assert machine_code.kept_folder() is None
    (said,) = caplog.messages
    assert words in said
    assert "compiles it again" in said


@pytest.mark.skipif(sys.platform == "win32", reason="permissions there are no modes")
def test_a_folder_of_another_user_is_not_used(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("numba")
    assert machine_code.kept_folder() is not None
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    assert machine_code.kept_folder() is None
    assert f"found the owner {owner}, expected {owner + 1}" in caplog.text


def test_without_a_home_nothing_is_kept(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def none() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", none)
    assert machine_code.kept_folder() is None
    assert "Could not determine home directory" in caplog.text


@pytest.mark.parametrize("off", [False, True], ids=["on", "off"])
def test_a_compiler_that_is_switched_off_is_none(off: bool) -> None:
    pytest.importorskip("numba")
    asked = ("decide", "--example", "two-teams", "-w", "team-b/job-eval-suite-d739e")
    at_two = ("--now", "2026-03-02T14:00:00Z", "--engine", "fast")
    program = (
        "import sys, tenure_simulate.core, tenure.cli\n"
        "print(tenure_simulate.core.COMPILED, flush=True)\n"
        "tenure.cli.main() if len(sys.argv) > 1 else None"
    )
    done = run_program(
        sys.executable,
        "-c",
        program,
        *((*asked, *at_two) if off else ()),
        environment={**os.environ, "NUMBA_DISABLE_JIT": str(int(off))},
        check=True,
    )
    compiles, *said = done.stdout.splitlines()
    assert compiles == str(not off)
    assert not off or said[0].startswith("Preempt: 3 of 16 running workloads"), done.stdout


@pytest.mark.skipif(not compiled.COMPILED, reason="the compiler is switched off here")
def test_what_the_compiler_would_keep_elsewhere_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "_kept_in", nullcontext)

    @compiled.compiled
    def same(number: int) -> int:
        return number

    assert same.stats.cache_path is None  # type: ignore[attr-defined]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_a_full_disk_costs_no_answer(tmp_path: Path) -> None:
    limited = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
    program = tmp_path / "kernel.py"
    program.write_text(limited + KERNEL, encoding="utf-8")
    environment = {**os.environ, **NO_BYTECODE, "NUMBA_DISABLE_JIT": "0"}
    done = run_program(sys.executable, program, cwd=tmp_path, environment=environment)
    assert done.returncode == 0, done.stderr
    assert "is not kept, so each process compiles it again: [Errno 27] File too large" in done.stderr


@pytest.mark.skipif(not compiled.COMPILED, reason="the compiler is switched off here")
def test_compiled_code_calls_what_is_made_once_for_all_constants_and_has_no_wrapper(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from numba.core.types import literal

    monkeypatch.setattr(compiled, "_KEPT", None)  # numba prints no code that it loads
    halved = compiled.compiled(_halved)
    for number in (4, 6):
        template, *_ = halved.get_call_template((literal(number),), {})  # type: ignore[attr-defined, no-untyped-call]
        (signature,) = template.cases
    library = halved.get_overload.__self__.overloads[signature.args].library  # type: ignore[attr-defined]
    assert "cpython" not in library.get_llvm_str()
    assert halved(8) == 4


def _halved(number: int) -> int:
    return number // 2


def test_what_another_copy_of_the_sources_has_kept_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = machine_code.default_folder() / machine_code._state()
    (ours / "trace").mkdir(parents=True)
    (ours / "trace" / f"{machine_code.ENGINE}-1.py311.nbi").touch()
    assert machine_code.is_kept(machine_code.ENGINE, ours)
    copy = tmp_path / "copy"
    shutil.copytree(machine_code._PACKAGES, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(machine_code, "_PACKAGES", copy)
    assert not machine_code.is_kept(
        machine_code.ENGINE, machine_code.default_folder() / machine_code._state()
    )
