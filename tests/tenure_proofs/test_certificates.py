"""Certificates: each proved question has one, and a change in one place is refused.

`TENURE_PROOF_CHECKER` is the command line of a checker, as `tenure prove --checker` takes it. Without it, no
steps are checked: only that the proof is one of this question.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tenure.errors import InputError
from tenure.programs import Ended
from tenure_proofs.answer import CertificateShape
from tenure_proofs.certificates import checking
from tenure_proofs.certificates.checking import Checker, checked, checker_of, sha256
from tenure_proofs.certificates.wellformed import NotWellFormedError, steps_without_proof
from tenure_proofs.certificates.writing import (
    certify_obligation,
    certify_theorem,
    lines_of,
    prover,
    read_index,
    write_index,
)
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.registry import Verdict
from tenure_proofs.solvers import Cvc5
from tenure_proofs.theorems.registry import all_theorems
from tests.sampling import sample
from tests.tenure_proofs.trees import tenure

CHECKER = os.environ.get("TENURE_PROOF_CHECKER")


@pytest.fixture(scope="module")
def solver() -> Iterator[Cvc5]:
    with prover() as cvc5:
        yield cvc5


@pytest.fixture(scope="module")
def folder(solver: Cvc5, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("certificates")
    write_index(made, certify_theorem("PO-ANY-360", solver, made, None))
    return made


@pytest.fixture
def one(folder: Path) -> CertificateShape:
    return read_index(folder).certificates[-1]


def texts(folder: Path, entry: CertificateShape) -> tuple[str, str]:
    assert entry.proof is not None
    return (folder / entry.question.file).read_text(), (folder / entry.proof.file).read_text()


def written(folder: Path, entry: CertificateShape, script: str, proof: str) -> CertificateShape:
    """A certificate of other texts, whose hashes are right."""
    assert entry.proof is not None
    for file, text in ((entry.question, script), (entry.proof, proof)):
        (folder / file.file).write_text(text)
    return entry.model_copy(
        update={
            "question": entry.question.model_copy(update={"sha256": sha256(script.encode())}),
            "proof": entry.proof.model_copy(update={"sha256": sha256(proof.encode())}),
        }
    )


CLAIMS = [
    *((identifier, ()) for identifier in all_theorems()),
    *(
        (obligation.id, proved)
        for obligation in OBLIGATIONS.values()
        if (
            proved := tuple(
                column
                for column in (*obligation.expect, *obligation.also)
                if obligation.expected_under(column) == Verdict.PROVED
            )
        )
    ),
]


@pytest.mark.parametrize(("claim", "columns"), CLAIMS[:: sample(20, 1)])
def test_every_proved_question_has_a_certificate(
    claim: str, columns: Sequence[str], solver: Cvc5, tmp_path: Path
) -> None:
    checker = checker_of(CHECKER) if CHECKER else None
    made = (
        certify_obligation(claim, columns, solver, tmp_path, checker, {})
        if columns
        else certify_theorem(claim, solver, tmp_path, checker)
    )
    assert made
    assert {entry.status for entry in made} <= {"accepted" if CHECKER else "written", "not supported"}


def test_an_index_that_is_read_is_the_one_that_was_written(folder: Path) -> None:
    index = read_index(folder)
    assert (index.format, index.granularity) == ("cpc", "dsl-rewrite")
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", index.cvc5)
    for entry in index.certificates:
        assert checked(entry, folder, None) == entry
        assert entry.proof is not None
        assert entry.proof.bytes == (folder / entry.proof.file).stat().st_size


@pytest.mark.parametrize("place", range(20))
@pytest.mark.parametrize("which", [0, 1])
def test_a_byte_that_is_changed_is_refused_by_its_hash(
    place: int, which: int, folder: Path, one: CertificateShape, tmp_path: Path
) -> None:
    both = [*texts(folder, one)]
    written(tmp_path, one, *both)
    at = place * len(both[which]) // 20
    both[which] = both[which][:at] + ("x" if both[which][at] != "x" else "y") + both[which][at + 1 :]
    written(tmp_path, one, *both)
    now = checked(one, tmp_path, None)
    assert (now.status, now.reason.partition(": ")[2]) == ("refused", "its hash is not that of the index")


CHANGES = {
    r"\n[^\n]*\n\Z": ("\n", "it ends with|are open at the end"),
    r"\(assume @p1 .*": ("(assume @p1 false)", "assumes what the question does not assert"),
    r"\)\n\Z": ("\n", "parentheses are open"),
    r":premises \(@p\d+": (":premises (@p999999", "which nothing before it shows"),
    r"\A": (")", "a parenthesis closes nothing"),
    r"\(step ": ("(stop ", "is no command of a proof"),
    r":rule (\S+)": (r"\1", "has no rule"),
}


@pytest.mark.parametrize("before", CHANGES)
def test_a_change_of_form_is_refused_though_the_hash_is_right(
    before: str, folder: Path, one: CertificateShape, tmp_path: Path
) -> None:
    script, proof = texts(folder, one)
    after, why = CHANGES[before]
    changed = re.sub(before, after, proof, count=1)
    assert changed != proof
    now = checked(written(tmp_path, one, script, changed), tmp_path, None)
    assert now.status == "refused"
    assert re.search(why, now.reason)


def test_a_proof_of_another_question_is_refused(folder: Path, one: CertificateShape, tmp_path: Path) -> None:
    script, proof = texts(folder, one)
    asserted = script.index("(assert", script.index("(assert") + 1) if script.count("(assert") > 1 else 0
    other = script[:asserted] + re.sub(r"\bnot\b", "and", script[asserted:], count=1)
    assert other != script
    now = checked(written(tmp_path, one, other, proof), tmp_path, None)
    assert (now.status, "does not assert" in now.reason) == ("refused", True)


def test_a_wrong_rule_is_left_to_the_checker(folder: Path, one: CertificateShape, tmp_path: Path) -> None:
    script, proof = texts(folder, one)
    changed = written(tmp_path, one, script, re.sub(r":rule \S+", ":rule refl", proof))
    assert checked(changed, tmp_path, None).status == "written"
    if CHECKER:
        assert checked(changed, tmp_path, checker_of(CHECKER)).status == "refused"


def program(code: str) -> Checker:
    return checker_of(shlex.join([sys.executable, "-c", f"import sys; {code}"]))


@pytest.mark.parametrize(
    ("code", "status", "reason"),
    [
        ("print('correct')", "accepted", ""),
        ("open(sys.argv[1])", "accepted", ""),
        ("sys.exit('step @p7 does not follow')", "refused", "exit code 1: step @p7 does not follow"),
        ("print('incomplete')", "not supported", "the checker says incomplete"),
    ],
)
def test_a_checker_answers_by_its_exit_code(
    code: str, status: str, reason: str, folder: Path, one: CertificateShape
) -> None:
    now = checked(one, folder, program(code))
    assert (now.status, now.reason) == (status, reason)


def test_a_checker_without_an_answer_leaves_a_certificate_unchecked(
    folder: Path, one: CertificateShape, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "run_bounded", lambda *_: Ended(None, -9, b""))
    assert checked(one, folder, program("0")).status == "unchecked"


def test_a_step_without_a_rule_is_not_supported_and_not_given_to_the_checker(
    folder: Path, one: CertificateShape, tmp_path: Path
) -> None:
    script, proof = texts(folder, one)
    changed = written(tmp_path, one, script, re.sub(r":rule \S+", ":rule trust", proof, count=1))
    now = checked(changed, tmp_path, program("sys.exit('it was run')"))
    assert now.status == "not supported"
    assert re.fullmatch(r"1 steps without a rule: @p\d+: trust", now.reason)


def test_the_files_take_the_places_that_are_named(tmp_path: Path) -> None:
    found = checker_of(f"{shlex.quote(sys.executable)} --reference={{question}} {{proof}} -v")
    assert found.words[1:] == ("--reference={question}", "{proof}", "-v")
    assert checker_of(shlex.quote(sys.executable)).words[1:] == ("{proof}",)
    for text in ("no-such-checker-anywhere", "", "'"):
        with pytest.raises(InputError, match="--checker"):
            checker_of(text)


@pytest.mark.parametrize(
    ("script", "proof"),
    [
        ("(assert (let ((x (- 5))) (< a x)))", "(define @t () (< a -5))\n(assume @p1 @t)"),
        ("(assert (and (or |a b|)))", "(assume @p1 |a b|)"),
    ],
)
def test_terms_are_the_same_however_they_are_written(script: str, proof: str) -> None:
    assert steps_without_proof(script, f"{proof}\n(step @p2 false :rule contra :premises (@p1 @p1))") == []
    with pytest.raises(NotWellFormedError, match="does not assert"):
        steps_without_proof("(assert a)", proof)


def test_the_command_writes_certificates_and_counts_them(tmp_path: Path) -> None:
    made = tmp_path / "certificates"
    asked = ("prove", "-j", "1", "--only", "PO-TBP-010", "--no-mutants", "--examples", "1")
    accepts = shlex.join([sys.executable, "-c", "pass"])
    done = tenure(*asked, "--certificates", str(made), "--checker", accepts, "-o", "json")
    assert (done.returncode, done.stderr) == (0, "")
    [entry] = json.loads(done.stdout)["certificates"]
    assert (entry["claim"], entry["under"], entry["status"]) == ("PO-TBP-010", "guaranteed", "accepted")
    assert json.loads((made / "index.json").read_text())["certificates"] == [entry]
    refuses = shlex.join([sys.executable, "-c", "raise SystemExit('no')"])
    done = tenure(*asked, "--certificates", str(made), "--checker", refuses)
    assert done.returncode == 1
    assert "FAIL certificate PO-TBP-010.guaranteed refused: exit code 1: no" in done.stdout
    assert "certificates: 1 proved questions" in done.stdout
    assert "NOT as expected: 1 certificates refused" in done.stdout


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("--checker", "true"), "only with --certificates DIR"),
        (("--certificates", "c", "--solver", "z3"), "not with --solver z3"),
        (("--certificates", "c", "--checker", "no-such-checker"), "a program on the PATH"),
    ],
)
def test_options_that_do_not_go_together_are_bad_input(options: Sequence[str], found: str) -> None:
    done = tenure("prove", "--only", "PO-TBP-010", *options)
    assert (done.returncode, found in done.stderr) == (2, True)


def test_what_is_not_accepted_is_listed_before_the_counts(one: CertificateShape) -> None:
    missing = one.model_copy(
        update={"proof": None, "status": "missing", "reason": "error: cvc5 says unknown"}
    )
    first, last = lines_of([missing, one])
    assert first == f"FAIL certificate {one.question.file[:-5]} missing: error: cvc5 says unknown"
    assert last.endswith(" 1 missing, 1 written")
