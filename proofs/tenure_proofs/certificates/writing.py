"""Writes certificates: for each proved question its text, cvc5's proof of it, and an entry of the index."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import z3

from tenure.disk import read_bytes, write_file
from tenure.errors import bad_input
from tenure.processes import python_module
from tenure_proofs.answer import CertificateIndex, CertificateShape, FileShape
from tenure_proofs.certificates.checking import Checker, checked, sha256
from tenure_proofs.certificates.worker import GRANULARITY
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.registry import reading_of
from tenure_proofs.runner import question_of, stated
from tenure_proofs.solvers import Cvc5, Question, solver_versions
from tenure_proofs.theorems.proving import BUDGET, SetQuestion
from tenure_proofs.theorems.registry import registered
from tenure_proofs.trusted.claim import Claim, Traces
from tenure_proofs.trusted.induction import Part

INDEX = "index.json"
_MOST_INDEX = 50_000_000
_UNSAT = "unsat\n"


def prover() -> Cvc5:
    """cvc5 in a process of its own, which writes proofs."""
    return Cvc5(python_module("tenure_proofs.certificates.worker"))


def certify_obligation(
    identifier: str, columns: Sequence[str], cvc5: Cvc5, folder: Path, checker: Checker | None, traces: Traces
) -> list[CertificateShape]:
    """Certificates of an obligation; columns in which the question is the same share one.

    Args:
        identifier: the obligation's.
        columns: the presets and further columns under which it is proved.
        cvc5: see `prover`.
        folder: where the files go; it exists.
        checker: a third party's, or None.
        traces: formulas shared with other obligations.
    """
    obligation = OBLIGATIONS[identifier]
    questions: dict[str, tuple[Question, list[str]]] = {}
    for column in columns:
        claim = Claim(reading_of(column), traces)
        problem = stated(obligation, claim)
        if problem:
            raise bad_input(identifier, problem, "a statement of which a certificate can be written")
        question = question_of(claim, obligation)
        questions.setdefault(question.smt2(), (question, []))[1].append(column)
    return [
        _written(
            identifier,
            f"{identifier}.{under[0]}",
            ", ".join(under),
            _answered(question, cvc5),
            folder,
            checker,
        )
        for question, under in questions.values()
    ]


def certify_theorem(
    identifier: str, cvc5: Cvc5, folder: Path, checker: Checker | None
) -> list[CertificateShape]:
    """Certificates of a theorem: one for each part of its proof, or for each goal of a part.

    Args:
        identifier: the theorem's.
        cvc5, folder, checker: as of an obligation.
    """
    made = []
    for number, part in enumerate(registered(identifier).parts()):

        def asked(goal: z3.BoolRef, part: Part = part) -> _Answered:
            return _answered(SetQuestion((*part.hypotheses, z3.Not(goal)), BUDGET), cvc5)

        together = asked(z3.And([goal for _, goal in part.goals]))
        answers = [(part.place, together)]
        if len(part.goals) > 1 and not together.on_bits and together.proof is None:
            answers = [(f"{part.place}: {label}", asked(goal)) for label, goal in part.goals]
        for place, (words, answered) in enumerate(answers):
            name = f"{identifier}.{number:02d}" + (f".{place:02d}" if len(answers) > 1 else "")
            made.append(_written(identifier, name, words, answered, folder, checker))
    return made


class _Answered(NamedTuple):
    """What cvc5 says of a question.

    Args:
        script: the question in SMT-LIB 2.
        on_bits: whether it is about bit vectors; such a one is not asked.
        proof: cvc5's; None without one.
        said: why there is none.
        seconds: wall time of cvc5.
    """

    script: str
    on_bits: bool
    proof: str | None
    said: str
    seconds: float


def _answered(question: Question, cvc5: Cvc5) -> _Answered:
    script, begun = question.smt2(), time.perf_counter()
    on_bits = "(_ BitVec " in script
    said = "cvc5's proofs about bit vectors take too long" if on_bits else cvc5.ask(question)
    seconds = time.perf_counter() - begun
    if said.startswith(_UNSAT):
        return _Answered(script, on_bits, said.removeprefix(_UNSAT), "", seconds)
    return _Answered(script, on_bits, None, said.partition("\n")[0], seconds)


def _written(
    claim: str, name: str, under: str, answered: _Answered, folder: Path, checker: Checker | None
) -> CertificateShape:
    script = _file(folder, f"{name}.smt2", answered.script)
    proof = None if answered.proof is None else _file(folder, f"{name}.cpc", answered.proof)
    entry = CertificateShape(
        claim=claim,
        under=under,
        question=script,
        proof=proof,
        status="not supported" if answered.on_bits else "missing" if proof is None else "written",
        reason=answered.said,
        seconds=round(answered.seconds, 4),
    )
    return checked(entry, folder, checker)


def _file(folder: Path, name: str, text: str) -> FileShape:
    content = text.encode()
    try:
        write_file(folder / name, content, durable=False)
    except OSError as error:
        raise bad_input("--certificates", str(folder), f"a folder that can be written: {error}") from None
    return FileShape(file=name, bytes=len(content), sha256=sha256(content))


def made_folder(folder: Path) -> None:
    """Make the folder of certificates.

    Raises:
        InputError: it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise bad_input("--certificates", str(folder), f"a folder that can be written: {error}") from None


def write_index(folder: Path, certificates: Iterable[CertificateShape]) -> None:
    """Write the index of all certificates of a folder, last: an index is there for files that are.

    Raises:
        InputError: it cannot be written.
    """
    index = CertificateIndex(
        cvc5=solver_versions()["cvc5"],
        format="cpc",
        granularity=GRANULARITY,
        certificates=list(certificates),
    )
    _file(folder, INDEX, json.dumps(index.model_dump(mode="json", by_alias=True), indent=2) + "\n")


def read_index(folder: Path) -> CertificateIndex:
    """The index of a folder.

    Raises:
        InputError: there is none, or it is none.
    """
    try:
        return CertificateIndex.model_validate_json(read_bytes(folder / INDEX, _MOST_INDEX))
    except (OSError, ValueError) as error:
        raise bad_input(
            str(folder / INDEX), str(error), "an index that tenure prove --certificates has written"
        ) from None


def lines_of(certificates: Sequence[CertificateShape]) -> Iterator[str]:
    """Certificates in a report for people: what is not accepted, and the counts."""
    for entry in certificates:
        if entry.status not in ("accepted", "written"):
            mark = "FAIL " if entry.status in ("refused", "missing") else ""
            name = entry.question.file.removesuffix(".smt2")
            yield f"{mark}certificate {name} {entry.status}: {entry.reason}"
    counts = {
        status: sum(entry.status == status for entry in certificates)
        for status in ("accepted", "refused", "not supported", "unchecked", "missing", "written")
    }
    size = sum(entry.proof.bytes for entry in certificates if entry.proof is not None)
    found = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    yield f"certificates: {len(certificates)} proved questions, {size:,} bytes of proofs: {found or 'none'}"
