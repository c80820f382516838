"""Where the kernels' machine code is kept: a folder of the user's own.

numba keeps machine code as pickles, and whoever writes a pickle that is read here runs code here. So the
folder does not depend on the current one, and is used only while no other user can write to it.
"""

from __future__ import annotations

import logging
import os
import stat
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from tenure.keeping import cache_folder, digest, digest_of_files

_PACKAGES = Path(__file__).parents[1]
_KERNELS = ("tenure_simulate/core", "tenure/rules", "tenure_simulate/trace")
"""Where there is what is compiled."""
ENGINE: Final = "turns.go_on"
"""The kernel that calls all others of the trace engine."""
FEW_JOBS: Final = 1000
"""So many are simulated without machine code before it could be compiled."""


def default_folder() -> Path:
    """The folder with a folder for each state of the sources. Nothing in it is ever removed; the user may."""
    return cache_folder("core", "NUMBA_CACHE_DIR")


def kept_folder() -> Path | None:
    """The folder for the present sources, made if need be; None, and a warning in the log, if unsafe."""
    try:
        folder = default_folder() / _state()
        fault = _made(folder)
    except (OSError, RuntimeError) as error:
        fault = str(error)
    if not fault:
        return folder
    warn_not_kept(fault)
    return None


def is_kept(kernel: str, folder: Path | None) -> bool:
    """Whether the machine code of a kernel is kept in a folder.

    Args:
        kernel: its module and name, such as `turns.go_on`.
        folder: of the present sources; None where nothing is kept.
    """
    return folder is not None and any(folder.rglob(f"{kernel}-*.nbi"))


def interpret_few(jobs: int) -> bool:
    """Have the engine interpreted in this process if that takes less than to compile it.

    Nothing is changed where its machine code is kept, or where it has been imported.

    Args:
        jobs: how many are simulated, under all settings together.

    Returns:
        Whether it is interpreted.
    """
    if jobs > FEW_JOBS or "tenure_simulate.core.compiled" in sys.modules:
        return False
    _Here.interpreted = find_spec("numba") is not None and not is_kept(ENGINE, kept_folder())
    return _Here.interpreted


def is_interpreted() -> bool:
    """Whether `interpret_few` settled it so."""
    return _Here.interpreted


class _Here:
    interpreted = False


def warn_not_kept(fault: str) -> None:
    """A warning in the log that the machine code is not kept, and why."""
    warning = "tenure: the core's machine code is not kept, so each process compiles it again: %s"
    logging.getLogger("tenure").warning(warning, fault)


def _state() -> str:
    """A name for all that machine code depends on, except for the processor, which numba looks at itself.

    numba looks at the file of a kernel too, but not at those of the kernels that it calls.
    """
    # numba looks for it by the folder of the sources, too: what another copy of them has kept is not found.
    versions = [sys.version, str(_PACKAGES)]
    versions += (f"{name} {version(name)}" for name in ("llvmlite", "numba", "numpy"))
    # Kernels take constants from single files; the trace engine's call rules.
    kernels = (path for folder in _KERNELS for path in (_PACKAGES / folder).rglob("*.py"))
    files = (*kernels, *(_PACKAGES / "tenure" / name for name in ("model.py", "readings.py")))
    return digest(versions, digest_of_files(_PACKAGES, files))[:32]


def _made(folder: Path) -> str:
    """Make a folder and those above it; why another user could write there, or nothing."""
    core, ours, cache = folder.parents[:3]
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in (ours, core, folder):
        path.mkdir(mode=0o700, exist_ok=True)
    if sys.platform == "win32":  # what protects folders there is no mode
        return ""
    faults = (*map(_shared_fault, (cache, ours)), *map(_private_fault, (core, folder)))
    return next(filter(None, faults), "")


def _shared_fault(path: Path) -> str:
    """Of a folder where others may look, but not put something in the place of what is below."""
    found = path.stat()
    if found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX:
        return f"{path}: found {stat.filemode(found.st_mode)}, expected a folder that others cannot write to"
    if found.st_uid not in (0, os.geteuid()):
        return f"{path}: found the owner {found.st_uid}, expected {os.geteuid()} or root"
    return ""


def _private_fault(path: Path) -> str:
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode):
        return f"{path}: found a link, expected a folder"
    if found.st_uid != os.geteuid():
        return f"{path}: found the owner {found.st_uid}, expected {os.geteuid()}"
    if found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        return f"{path}: found {stat.filemode(found.st_mode)}, expected drwx------; delete it"
    return ""
