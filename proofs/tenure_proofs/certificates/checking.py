"""Checks certificates: hashes, form, and the steps by a checker of a third party where there is one."""

from __future__ import annotations

import hashlib
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

from tenure.disk import NotReadableError, TooLargeError, read_bytes
from tenure.errors import bad_input
from tenure.programs import run_bounded
from tenure_proofs.answer import CertificateShape, CertificateStatus
from tenure_proofs.budgets import CLOCK_S
from tenure_proofs.certificates.wellformed import NotWellFormedError, steps_without_proof
from tenure_proofs.certificates.worker import LONGEST

SCRIPT, PROOF = "{question}", "{proof}"
"""What stands for the two files in a checker's command line."""

_MOST_PRINTED = 2**16
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Checker:
    """A program that checks proofs: it accepts with exit code 0.

    Args:
        words: its command line; the files' paths replace what stands for them.
    """

    words: tuple[str, ...]

    def check(self, script: Path, proof: Path) -> tuple[CertificateStatus, str]:
        """What the program says of a proof, and why it does not accept it."""
        command = [word.replace(SCRIPT, str(script)).replace(PROOF, str(proof)) for word in self.words]
        try:
            ended = run_bounded(command, _MOST_PRINTED, CLOCK_S)
        except OSError as error:
            raise bad_input("--checker", command[0], f"a program that runs: {error.strerror}") from None
        if ended.printed is None:
            return "unchecked", f"the checker has no answer after {CLOCK_S:g} s"
        printed = ended.printed.decode(errors="replace").split()
        if ended.code:
            said = " ".join(ended.stderr.decode(errors="replace").split() or printed)
            return "refused", f"exit code {ended.code}: {said[:_SHOWN]}"
        # So does Ethos answer a proof of which it has not checked every step.
        return (
            ("not supported", "the checker says incomplete")
            if printed[-1:] == ["incomplete"]
            else ("accepted", "")
        )


def checker_of(text: str) -> Checker:
    """The checker that a command line names.

    Args:
        text: a program and its options. `{question}` and `{proof}` stand for the files; without the latter
            the proof's path is the last word.

    Raises:
        InputError: there is no such program, or the text is no command line.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise bad_input("--checker", text, f"a command line: {error}") from None
    program = shutil.which(words[0]) if words else None
    if program is None:
        raise bad_input("--checker", text, "a program on the PATH, such as ethos, with its options")
    asked = [program, *words[1:]]
    return Checker(tuple(asked if any(PROOF in word for word in asked) else [*asked, PROOF]))


def sha256(content: bytes) -> str:
    """The hash of a file in an index."""
    return hashlib.sha256(content).hexdigest()


def checked(certificate: CertificateShape, folder: Path, checker: Checker | None) -> CertificateShape:
    """A certificate with what became of it now.

    Args:
        certificate: of an index; one without a proof stays as it is.
        folder: where its files are.
        checker: a third party's; None to look at hashes and form only.
    """
    if certificate.proof is None:
        return certificate
    contents = []
    for named in (certificate.question, certificate.proof):
        try:
            content = read_bytes(folder / named.file, 2 * LONGEST)
        except TooLargeError:
            return _now(certificate, "refused", f"{named.file}: too large")
        except (OSError, NotReadableError) as error:
            return _now(certificate, "refused", f"{named.file}: {error}")
        if sha256(content) != named.sha256:
            return _now(certificate, "refused", f"{named.file}: its hash is not that of the index")
        contents.append(content.decode(errors="replace"))
    try:
        unproved = steps_without_proof(contents[0], contents[1])
    except NotWellFormedError as error:
        return _now(certificate, "refused", f"not well-formed: {error}")
    if unproved:
        return _now(certificate, "not supported", f"{len(unproved)} steps without a rule: {unproved[0]}")
    if checker is None:
        return _now(certificate, "written", "")
    return _now(
        certificate, *checker.check(folder / certificate.question.file, folder / certificate.proof.file)
    )


def _now(certificate: CertificateShape, status: CertificateStatus, reason: str) -> CertificateShape:
    return certificate.model_copy(update={"status": status, "reason": reason})
