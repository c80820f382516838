"""kubectl as a program: found, run with the user's flags, bounded, and its reasons passed on."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from tenure.errors import safe
from tenure.manifests.limits import MAX_FILE, MAX_WAIT, in_mebibytes
from tenure.manifests.showing import printable
from tenure.programs import run_bounded

PROGRAM: Final = "KUBECTL"
"""The environment variable that names kubectl where PATH does not lead to it."""
_MOST_REASONS: Final = 4
_LONGEST: Final = 1000
"""Characters of a line."""
_LOG_LINE: Final = re.compile(r"[EWIF]\d{4} \d\d:\d\d:\d\d\.\d+ ")
"""klog's lines; kubectl repeats them as its error."""
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
        program = os.environ.get(PROGRAM)
        found = shutil.which(program or "kubectl")
        if found is None:
            missing = (
                f"{PROGRAM}={printable(program)}, which is no program"
                if program
                else "no such program on PATH"
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
            ended = run_bounded(
                [self.program, *words, *self.flags],
                self.most,
                self.patience,
                on_quiet=self._show_all,
            )
        except OSError as error:
            reason = printable((error.strerror or type(error).__name__).lower())
            raise ClusterError(
                what, reason, f"a program that can be run: {printable(self.program)}"
            ) from None
        if ended.printed is None:
            expected = "an end in that time; --request-timeout bounds each request of kubectl"
            raise ClusterError(what, f"no end within {self.patience:g} s", expected)
        if len(ended.printed) > self.most:
            most = in_mebibytes(self.most)
            raise ClusterError(what, f"more than {most}", f"at most {most} in one answer")
        if ended.code:
            raise _failed(what, ended.code, _lines(ended.stderr))
        return ended.printed

    def _show_all(self, stderr: bytes) -> None:
        for line in _lines(stderr):
            self.show(line)


def _lines(raw: bytes) -> list[str]:
    lines = (line.strip() for line in raw.decode("utf-8", "replace").splitlines())
    return [safe(line[:_LONGEST]) for line in lines if line and not _LOG_LINE.match(line)]


def _failed(what: str, code: int, lines: Sequence[str]) -> ClusterError:
    found = "; ".join(lines[-_MOST_REASONS:]) or f"exit code {code} without a message"
    expected = next((remedy for part, remedy in _REMEDIES if part in found), _USUALLY)
    return ClusterError(what, found, expected)
