"""Runs a command for as long as standard input is open: kept.py GRACE FOLDER COMMAND...

Whoever started it may end in any way, by SIGKILL too: the pipe closes, the command gets SIGTERM and, after
GRACE seconds, SIGKILL. FOLDER, where it is not empty, is removed afterwards.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import threading


def main(grace: float, folder: str, command: list[str]) -> int:
    """Start the command, and end it when standard input ends; the command's exit code."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL)

    def end() -> None:
        # Not by sys.stdin, whose lock would be held when this process exits.
        while os.read(0, 1):
            pass
        child.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(grace)
        child.kill()

    threading.Thread(target=end, daemon=True).start()
    code = child.wait()
    if folder:
        shutil.rmtree(folder, ignore_errors=True)
    return code


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), sys.argv[2], sys.argv[3:]))
