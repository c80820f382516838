"""kubectl as a program: found, run with the user's flags, bounded, and its reasons passed on."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, Final

from tenure.errors import safe
from tenure.manifests.limits import MAX_FILE, MAX_WAIT, in_mebibytes
from tenure.manifests.showing import printable
from tenure.processes import Printed

PROGRAM: Final = "KUBECTL"
"""The environment variable that names kubectl where PATH does not lead to it."""
_MOST_SAID: Final = 2**16
"""Bytes of standard error that are kept."""
_MOST_REASONS: Final = 4
_LONGEST: Final = 1000
"""Characters of a line."""
_SETTLED_S: Final = 10.0
"""After its end, so long for what it has said."""
_QUIET_S: Final = 1.0
"""After so long without an end, what is on standard error is for the user: the prompt of a login, say."""
_LOG_LINE: Final = re.compile(r"[EWIF]\d{4} \d\d:\d\d:\d\d\.\d+ ")
"""klog's; kubectl says the same again as its error."""
_CONTEXT: Final = (
    "a context of the kubeconfig, its cluster and its user; `kubectl config get-contexts` lists them"
)
_REMEDIES: Final = (
    ("(Forbidden)", "permission to get and list it in all namespaces; `kubectl auth can-i list` answers"),
    ("must be logged in", "credentials that the API server accepts"),
    ("getting credentials", "credentials that the API server accepts"),
    ("localhost:8080 was refused", "a kubeconfig: --kubeconfig, else KUBECONFIG, else ~/.kube/config"),
    ("context was not found", _CONTEXT),
    ("does not exist", _CONTEXT),
    ("no server found for cluster", _CONTEXT),
    ("unknown flag", "a kubectl that has this flag"),
    ("no such file", "a kubeconfig that exists"),
)
"""Parts of kubectl's messages, and what would help."""
_USUALLY: Final = "an API server that answers"


class ClusterError(Exception):
    """The cluster cannot be read, for a reason that kubectl gives.

    Args:
        what: the command of kubectl, or what was looked for.
        found: its reason.
        expected: what would help.
    """

    def __init__(self, what: str, found: str, expected: str) -> None:
        super().__init__(f"{what}: found {found}, expected {expected}")
        self.found = found

    @property
    def is_refused(self) -> bool:
        """Whether the API server forbids it, or has no such object."""
        return "(Forbidden)" in self.found or "(NotFound)" in self.found


@dataclass(frozen=True, slots=True)
class Kubectl:
    """A kubectl.

    Args:
        program: its path.
        flags: the user's own, for every command.
        get_flags: those of `kubectl get` besides.
        show: shows the user a line of standard error while kubectl runs.
        most: bytes of one answer.
        patience: seconds for one answer.
    """

    program: str
    flags: tuple[str, ...] = ()
    get_flags: tuple[str, ...] = ()
    show: Callable[[str], None] = field(default=lambda _: None)
    most: int = MAX_FILE
    patience: float = MAX_WAIT

    @staticmethod
    def find() -> str:
        """The path of kubectl: the environment variable KUBECTL, else the first on PATH.

        Raises:
            ClusterError: there is none.
        """
        named = os.environ.get(PROGRAM)
        found = shutil.which(named or "kubectl")
        if found is None:
            missing = (
                f"{PROGRAM}={printable(named)}, which is no program" if named else "no such program on PATH"
            )
            raise ClusterError("kubectl", missing, f"kubectl on PATH, or its path in {PROGRAM}")
        return found

    def get(self, kinds: Sequence[str], *words: str) -> bytes:
        """What `kubectl get KINDS WORDS -o json` prints.

        Raises:
            ClusterError: as `run`.
        """
        return self.run("get", ",".join(kinds), *words, "-o", "json", *self.get_flags)

    def run(self, *words: str) -> bytes:
        """What a command of kubectl prints.

        Raises:
            ClusterError: it fails, or prints more than is read.
        """
        what = f"kubectl {' '.join(words[:2])}"
        try:
            process = subprocess.Popen(
                [self.program, *words, *self.flags],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
            )
        except OSError as error:
            reason = printable((error.strerror or type(error).__name__).lower())
            raise ClusterError(
                what, reason, f"a program that can be run: {printable(self.program)}"
            ) from None
        assert process.stdout is not None
        said = _Said(process.stderr, self.show)
        thread = threading.Thread(target=said.read, daemon=True)
        thread.start()
        end, printed = time.monotonic() + self.patience, None
        try:
            printed = Printed(process.stdout.fileno(), self.most).within(self.patience)
            if printed is not None and len(printed) <= self.most:
                process.wait(max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            printed = None
        finally:
            # What it has started may keep its pipes open, and is not waited for.
            process.kill()
            code = process.wait()
            process.stdout.close()
            thread.join(_SETTLED_S if printed is not None else 0)
            said.leave()
        if printed is None:
            expected = "an end in that time; --request-timeout bounds each request of kubectl"
            raise ClusterError(what, f"no end within {self.patience:g} s", expected)
        if len(printed) > self.most:
            most = in_mebibytes(self.most)
            raise ClusterError(what, f"more than {most}", f"at most {most} in one answer")
        if code:
            raise _failed(what, code, said.lines())
        return printed


class _Said:
    """What kubectl says on standard error: kept as its reasons, shown where it waits for the user."""

    def __init__(self, stream: IO[bytes] | None, show: Callable[[str], None]) -> None:
        self._stream = stream
        self._show = show
        self._kept = b""
        self._left = False

    def read(self) -> None:
        """Read up to the end."""
        if self._stream is None:
            return
        descriptor = self._stream.fileno()
        with suppress(OSError, ValueError):  # it is closed
            self._gather(descriptor)

    def leave(self) -> None:
        """Read no more, whoever still writes."""
        self._left = True
        if self._stream is not None:
            self._stream.close()

    def _gather(self, descriptor: int) -> None:
        shown = 0
        while not self._left:
            if shown < len(self._kept) and not self._is_ready(descriptor):
                lines, shown = _lines(self._kept[shown:]), len(self._kept)
                for line in lines:
                    self._show(line)
            more = os.read(descriptor, _MOST_SAID)
            if not more:
                return
            self._kept = (self._kept + more)[:_MOST_SAID]

    def lines(self) -> list[str]:
        """All that is kept."""
        return _lines(self._kept)

    @staticmethod
    def _is_ready(descriptor: int) -> bool:
        # Elsewhere only sockets can be waited for.
        return sys.platform == "win32" or bool(select.select([descriptor], [], [], _QUIET_S)[0])


def _lines(raw: bytes) -> list[str]:
    lines = (line.strip() for line in raw.decode("utf-8", "replace").splitlines())
    return [safe(line[:_LONGEST]) for line in lines if line and not _LOG_LINE.match(line)]


def _failed(what: str, code: int, lines: Sequence[str]) -> ClusterError:
    found = "; ".join(lines[-_MOST_REASONS:]) or f"exit code {code} without a message"
    expected = next((remedy for part, remedy in _REMEDIES if part in found), _USUALLY)
    return ClusterError(what, found, expected)
