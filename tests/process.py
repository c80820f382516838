"""The installed command line as a process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TENURE = Path(sys.executable).with_name("tenure")


def tenure(
    *arguments: str, stdin: bytes = b"", cwd: Path | None = None, patience_s: float = 60
) -> subprocess.CompletedProcess[bytes]:
    """Run `tenure`; whatever happens, it shows nobody a traceback."""
    done = subprocess.run(
        [str(TENURE), *arguments], input=stdin, capture_output=True, cwd=cwd, check=False, timeout=patience_s
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done
