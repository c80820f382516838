"""Importing every module of a package loads no package above it; contracts of floors read imports alone."""

from __future__ import annotations

import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from tests.command_line import run_program

ROOT = Path(__file__).resolve().parents[2]
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
PACKAGES: list[str] = next(
    contract["layers"] for contract in CONTRACTS["contracts"] if contract["name"] == "Packages, top to bottom"
)[::-1]
"""Of Tenure, the lowest first."""
IMPORT_ALL = """
import importlib, pkgutil, sys
for name in sys.argv[1:]:
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, f"{name}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    print(*sorted({name.partition(".")[0] for name in sys.modules if name.startswith("tenure")}))
"""


def test_the_contract_names_every_package() -> None:
    folders = [*(ROOT / "refimpl").iterdir(), *(ROOT / "proofs").iterdir()]
    assert sorted(PACKAGES) == sorted(path.name for path in folders if (path / "__init__.py").exists())


def test_importing_a_package_loads_none_above_it() -> None:
    """One process imports them, the lowest first: whichever is there too early was loaded from below."""
    done = run_program(sys.executable, "-c", IMPORT_ALL, *PACKAGES)
    assert done.returncode == 0, done.stderr
    loaded = [set(line.split()) for line in done.stdout.splitlines()]
    assert loaded == [set(PACKAGES[: place + 1]) for place in range(len(PACKAGES))]


@pytest.mark.parametrize(
    "package",
    ["tenure_simulate", "tenure_lab", "tenure_kai", "tenure_play", "tenure_check", "tenure_report"],
)
def test_a_package_lists_what_is_public_and_has_it(package: str) -> None:
    module = import_module(package)
    assert all(getattr(module, name) is not None for name in module.__all__)
    assert module.__doc__
    with pytest.raises(AttributeError, match="absent"):
        _ = module.absent
