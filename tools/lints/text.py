"""TNL070: text that belongs to one machine or names a package registry stays out of the repository."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tools.lints.problem import Problem

# Put together at run time, so that this file passes its own check.
_HOME_OF_A_MACHINE = re.compile(r"(?<![\w.~/-])/(?:" + "|".join(["work", "root"]) + r")/[\w.-]*")
_REGISTRIES = re.compile(
    "|".join(
        re.escape(".".join(parts))
        for parts in (
            ("pypi", "org"),
            ("files", "pythonhosted", "org"),
            ("registry", "npmjs", "org"),
            ("proxy", "golang", "org"),
        )
    )
)
_RULES = (
    (_HOME_OF_A_MACHINE, "is a path of one machine: write it relative to the repository"),
    (_REGISTRIES, "names a package registry: leave the host to the reader's own configuration"),
)


def forbidden_text(root: Path) -> Iterator[Problem]:
    """TNL070: every file that is, or would be, under version control."""
    for name in tracked_files(root):
        try:
            text = (root / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            for pattern, why in _RULES:
                for found in pattern.finditer(line):
                    yield Problem(name, number, "TNL070", f"{found[0]} {why}")


def tracked_files(root: Path) -> list[str]:
    """The files that git knows or would add; without git, every file outside hidden folders."""
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-co", "-z", "--exclude-standard"],
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0:
        names = [name for name in listed.stdout.split("\0") if name]
    else:
        names = [path.relative_to(root).as_posix() for path in root.rglob("*")]
        names = [name for name in names if not any(part.startswith(".") for part in name.split("/")[:-1])]
    return sorted(name for name in set(names) if (root / name).is_file())
