"""What is kept is what asking anew would say; whatever a verdict depends on, a change of it asks anew."""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tenure.model import MINUTE
from tenure.rules.time_based import is_time_expired
from tenure_proofs import kept
from tenure_proofs.bounded.spaces import Size
from tenure_proofs.bounded.trial import Part
from tenure_proofs.bridge import LiftReport
from tenure_proofs.budgets import FLOOR
from tenure_proofs.cache import UNUSED_S, Cache, default_folder
from tenure_proofs.command import Plan, run_plan
from tenure_proofs.fingerprints import Reached, UnknownCodeError, digest, modules_behind
from tenure_proofs.kept import Keys
from tenure_proofs.mutants.hunt import Hunted, all_mutants
from tenure_proofs.obligations import OBLIGATIONS
from tenure_proofs.registry import Obligation, Verdict, everywhere
from tenure_proofs.report import FromCache, to_json
from tenure_proofs.runner import Result, run_obligation
from tenure_proofs.trusted.claim import Claim
from tenure_proofs.trusted.logic import negation
from tests.proofs.trees import change, copied_tree, python

PROTECTED = OBLIGATIONS["PO-TBP-010"]


def key(
    obligation: Obligation = PROTECTED, preset: str = "guaranteed", *, both: bool = True, seeds: int = 1
) -> str:
    """The hash under which a verdict would be kept, by somebody who has looked at nothing yet."""
    return Keys().of_verdict(obligation, preset, both, seeds)


def made(statement: Any) -> Obligation:
    """An obligation that nobody else sees."""
    return Obligation("PO-TBP-999", ("TBP-020",), statement, everywhere(Verdict.PROVED), FLOOR, "")


def keeping(folder: Path) -> Plan:
    """One proof, one refutation with a story, one function, a few mutants."""
    asked = ("PO-TBP-010", "PO-KQ-190")
    return Plan(asked, ("as-written", "guaranteed"), examples=3, mutants=False, cache=folder)


def without_time(report: dict[str, Any]) -> dict[str, Any]:
    """A report without what differs from run to run."""
    for each in report["obligations"]:
        for verdict in each["verdicts"].values():
            del verdict["seconds"]
    return {name: value for name, value in report.items() if name not in ("seconds", "kept")}


def test_what_is_kept_is_what_asking_anew_says(tmp_path: Path) -> None:
    fresh, again = (run_plan(keeping(tmp_path)) for _ in range(2))
    assert fresh.kept == FromCache()
    assert again.kept == FromCache(len(fresh.lifted), len(fresh.results), 0)
    assert without_time(to_json(again)) == without_time(to_json(fresh))
    assert {each.verdict for each in again.results} == {Verdict.PROVED, Verdict.REFUTED}


def test_whole_decisions_depend_on_the_oracle_the_size_and_the_part() -> None:
    part = Part("one queue", Size.SMALL, 0, 2)
    other = (replace(part, family="trees"), replace(part, size=Size.DEEP), replace(part, number=1))
    assert len({Keys().of_part(each) for each in (part, *other, replace(part, of=3))}) == 5
    assert Keys().of_part(part) == Keys().of_part(replace(part))
    behind = modules_behind("tenure_proofs.bounded.trial")
    assert {"tenure.oracle.selection", "tenure.rules.reclaim", "tenure_proofs.bounded.policies"} <= set(
        behind
    )


def test_mutants_are_kept_too(tmp_path: Path) -> None:
    plan = Plan(("PO-KQ-190",), ("guaranteed",), with_cvc5=False, examples=1, cache=tmp_path)
    fresh, again = (run_plan(plan) for _ in range(2))
    assert again.kept.mutants == len(fresh.mutants) > 0
    assert again.mutants == fresh.mutants


def test_nothing_is_kept_where_no_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    run_plan(replace(keeping(tmp_path), only=("PO-KQ-190",), cache=None))
    assert list(tmp_path.iterdir()) == []


def test_the_hash_is_the_same_for_everybody() -> None:
    assert key() == key()
    is_time_expired_often()
    assert key() == key()


def is_time_expired_often() -> None:
    """Python rewrites code that runs often, out of sight."""
    from tests.proofs.test_mutants import RUN_A_MINUTE

    for _ in range(2000):
        is_time_expired(RUN_A_MINUTE, MINUTE, MINUTE)


def test_what_is_asked_is_part_of_the_hash() -> None:
    asked = [
        key(),
        key(preset="released"),
        key(seeds=2),
        key(both=False),
        key(replace(PROTECTED, budget=replace(PROTECTED.budget, cvc5=1))),
        key(replace(PROTECTED, expect=everywhere(Verdict.PROVED) | {"guaranteed": Verdict.REFUTED})),
        key(replace(PROTECTED, also={"guaranteed+wake=events": Verdict.PROVED})),
        key(replace(PROTECTED, id="PO-TBP-011")),
        key(replace(PROTECTED, rules=("TBP-020",))),
        key(replace(PROTECTED, irrespective_of={"TBP-020": "told for the story"})),
    ]
    assert len(set(asked)) == len(asked)


def test_an_operator_of_a_statement_counts_and_its_name_for_things_does_not_hide_it() -> None:
    def claim_one(claim: Claim) -> None:
        now = claim.number("now")
        claim.assume(now > 1)
        claim.prove(now > 0)

    def claim_two(claim: Claim) -> None:
        now = claim.number("now")
        claim.assume(now > 1)
        claim.prove(now >= 0)

    claim_two.__name__, claim_two.__qualname__ = claim_one.__name__, claim_one.__qualname__
    assert key(made(claim_one)) != key(made(claim_two))


LIMITS = {"shortest": MINUTE}


def shortest() -> int:
    return LIMITS["shortest"]


def helped(claim: Claim) -> None:
    """A statement that reaches a helper, and through it a constant."""
    target, now = claim.workload("target"), claim.number("now")
    claim.prove(negation(claim.lift(is_time_expired)(target, now, shortest()).value))


def test_a_helper_and_its_constants_count(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key(made(helped))
    monkeypatch.setitem(LIMITS, "shortest", MINUTE + 1)
    changed = key(made(helped))
    monkeypatch.setitem(LIMITS, "shortest", MINUTE)
    assert changed != before == key(made(helped))


def test_what_has_no_fingerprint_is_never_kept() -> None:
    anything = object()

    def statement(claim: Claim) -> None:
        claim.prove(claim.flag("flag") == bool(anything))

    with pytest.raises(UnknownCodeError):
        key(made(statement))


@pytest.mark.parametrize("mutant", [each for each in all_mutants().values() if each.rule.startswith("TBP-0")])
def test_every_mutant_of_a_rule_asks_anew_about_what_reaches_it(mutant: Any) -> None:
    reached, elsewhere = key(), key(OBLIGATIONS["PO-KQ-120"])
    reaches = mutant.rule in PROTECTED.rules
    with mutant.applied():
        assert (key() != reached) or not reaches
        assert key(OBLIGATIONS["PO-KQ-120"]) == elsewhere


PRINTED = """
import json
from tenure.rules.time_based import is_time_expired
from tenure_proofs.fingerprints import package_digest
from tenure_proofs.kept import Keys
from tenure_proofs.mutants.hunt import all_mutants
from tenure_proofs.obligations import OBLIGATIONS

keys, everybody = Keys(), tuple(OBLIGATIONS.values())
(mutant,) = [each.id for each in all_mutants().values() if each.rule == "TBP-020" and ">= min" in each.after]
print(json.dumps({
    "expiry": keys.of_verdict(OBLIGATIONS["PO-TBP-020"], "guaranteed", True, 1),
    "tree": keys.of_verdict(OBLIGATIONS["PO-KQ-120"], "guaranteed", True, 1),
    "lifting": keys.of_lifting(is_time_expired, 50, 0),
    "mutant": keys.of_mutant(mutant, everybody, ("guaranteed",)),
    "oracle": package_digest("tenure"),
}))
"""
EVERY_VERDICT = {"expiry", "tree", "mutant"}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources that each test changes and mends."""
    return copied_tree(tmp_path_factory.mktemp("tree"))


def printed(tree: Path) -> dict[str, str]:
    done = python(PRINTED, root=tree)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def before(tree: Path) -> dict[str, str]:
    return printed(tree)


CHANGES = {
    "a comment in a rule": (
        "refimpl/tenure/rules/time_based.py",
        "    if min_admit_duration is None:\n",
        "    # Why.\n\n    if min_admit_duration is None:\n",
        set(),
    ),
    "an operator of a rule": (
        "refimpl/tenure/rules/time_based.py",
        "now - quota_reservation_time(target, now) > min_admit_duration",
        "now - quota_reservation_time(target, now) > min_admit_duration + 1",
        {"expiry", "lifting", "mutant", "oracle"},
    ),
    "an operator of a rule that it calls": (
        "refimpl/tenure/rules/reservation.py",
        "    return target.quota_reserved_at\n",
        "    return target.quota_reserved_at + 1\n",
        {"expiry", "lifting", "mutant", "oracle"},
    ),
    "an operator of another rule": (
        "refimpl/tenure/rules/share.py",
        "evidence.ground == Ground.FINAL_SHARE and",
        "evidence.ground == Ground.FINAL_SHARE or",
        {"mutant", "oracle"},
    ),
    "an operator of the oracle": (
        "refimpl/tenure/oracle/selection.py",
        "        if state.fits:\n            break",
        "        if not state.fits:\n            break",
        {"mutant", "oracle"},
    ),
    "the tracer": (
        "proofs/tenure_proofs/trusted/tracer.py",
        "if len(paths) >= PATH_LIMIT:",
        "if len(paths) > PATH_LIMIT:",
        {*EVERY_VERDICT, "lifting"},
    ),
    "the syntax lifter": (
        "proofs/tenure_proofs/trusted/ast_lifter.py",
        "                return first >= second",
        "                return first > second",
        {"lifting"},
    ),
    "domains": (
        "proofs/tenure_proofs/trusted/domains.py",
        "domain = domain_of(inner[0]) if len(inner) == 1 else None",
        "domain = domain_of(inner[0]) if len(inner) != 2 else None",
        {*EVERY_VERDICT, "lifting"},
    ),
    "the model": (
        "refimpl/tenure/model.py",
        "MINUTE = 60 * SECOND",
        "MINUTE = 61 * SECOND",
        {*EVERY_VERDICT, "lifting", "oracle"},
    ),
    "a statement": (
        "proofs/tenure_proofs/obligations/time_based.py",
        "    claim.assume(shorter <= longer)\n",
        "    claim.assume(shorter < longer)\n",
        {"mutant"},
    ),
    "the second solver's process": (
        "proofs/tenure_proofs/cvc5_worker.py",
        "        return said\n",
        '        return "unknown: it sleeps"\n',
        EVERY_VERDICT,
    ),
    "how mutants are hunted": (
        "proofs/tenure_proofs/mutants/hunt.py",
        "MANY_RULES = 7",
        "MANY_RULES = 8",
        {"mutant"},
    ),
    "what a reading chooses": (
        "spec/readings.toml",
        'the proofs say so."\nsame_priority_gate = "expired_only"',
        'the proofs say so."\nsame_priority_gate = "either"',
        EVERY_VERDICT,
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_asks_anew_about_what_depends_on_it(name: str, tree: Path, before: dict[str, str]) -> None:
    file, right, wrong, expected = CHANGES[name]
    text = (tree / file).read_text(encoding="utf-8")
    change(tree, file, right, wrong)
    try:
        after = printed(tree)
    finally:
        (tree / file).write_text(text, encoding="utf-8")
    assert {each for each in before if after[each] != before[each]} == expected


def warned(folder: Path) -> tuple[Cache, list[str]]:
    heard: list[str] = []
    return Cache(folder, heard.append), heard


def files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.glob("*/*") if path.is_file())


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda _: "",
        lambda _: "[]",
        lambda text: text.replace("proved", "refuted"),
        lambda text: text.replace("tenure-proof-cache/1", "tenure-proof-cache/0"),
    ],
    ids=["half of it", "nothing", "something else", "another verdict", "another form"],
)
def test_a_damaged_file_is_warned_of_and_written_anew(tmp_path: Path, damage: Any) -> None:
    cache, heard = warned(tmp_path)
    cache.put("ab12", {"verdict": "proved"})
    (path,) = files(tmp_path)
    path.write_text(damage(path.read_text()))
    assert cache.get("ab12") is None
    assert heard == [f"{path}: damaged, proved again"]
    cache.put("ab12", {"verdict": "proved"})
    assert cache.get("ab12") == {"verdict": "proved"}


def test_a_file_under_another_name_is_not_believed(tmp_path: Path) -> None:
    cache, heard = warned(tmp_path)
    cache.put("ab12", 1)
    (path,) = files(tmp_path)
    path.rename(path.with_name("ab13.json"))
    assert cache.get("ab13") is None
    assert len(heard) == 1


def test_a_file_that_is_no_text_is_warned_of(tmp_path: Path) -> None:
    cache, heard = warned(tmp_path)
    cache.put("ab12", 1)
    (path,) = files(tmp_path)
    path.write_bytes(b"\xff\xfe")
    assert cache.get("ab12") is None
    assert "not readable, proved again" in heard[0]


def test_a_folder_that_cannot_be_written_is_warned_of_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache, heard = warned(tmp_path / "file")
    for name in ("ab12", "cd34"):
        assert cache.get(name) is None
        cache.put(name, 1)
    assert len([each for each in heard if "nothing is kept there" in each]) == 1


def _put_many(folder: Path) -> None:
    cache = Cache(folder, lambda text: pytest.fail(text))
    for number in range(200):
        cache.put("ab12", {"filler": "x" * 5000, "number": number})
        value = cache.get("ab12")
        assert value["filler"] == "x" * 5000


def test_processes_that_keep_the_same_at_once_do_each_other_no_harm(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    others = [context.Process(target=_put_many, args=(tmp_path,)) for _ in range(3)]
    for each in others:
        each.start()
    for each in others:
        each.join()
    assert [each.exitcode for each in others] == [0, 0, 0]
    assert [path.name for path in files(tmp_path)] == ["ab12.json"]


def test_what_nobody_asks_for_is_removed_after_a_run_that_added_something(tmp_path: Path) -> None:
    cache, _ = warned(tmp_path)
    for name in ("ab12", "cd34"):
        cache.put(name, 1)
    for path in files(tmp_path):
        os.utime(path, (time.time() - 2 * UNUSED_S,) * 2)
    cache.get("ab12")
    cache.tidy()
    assert [path.name for path in files(tmp_path)] == ["ab12.json"]


def test_only_sound_answers_are_kept() -> None:
    for verdict in (Verdict.UNKNOWN, Verdict.ERROR, Verdict.VACUOUS):
        assert kept.verdict_form(Result(PROTECTED, "guaranteed", verdict)) is None
        beside = replace(
            Result(PROTECTED, "guaranteed", Verdict.PROVED), beside=(Result(PROTECTED, "released", verdict),)
        )
        assert kept.verdict_form(beside) is None
    assert kept.lifting_form(LiftReport("f", 1, "they differ")) is None
    assert kept.mutant_form(Hunted("MU-1", "KQ-060", "a", "b", "survived")) is None


def test_a_counterexample_of_another_oracle_is_replayed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run_obligation(PROTECTED, "as-written", None)
    form = kept.verdict_form(result)
    assert form is not None
    assert kept.read_verdict(PROTECTED, form) is not None
    monkeypatch.setattr(kept, "package_digest", lambda _: "another")
    assert kept.read_verdict(PROTECTED, form) is None


def test_the_users_cache_folder_is_where_xdg_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert default_folder() == Path("/somewhere/tenure/proofs")
    for ignored in ("", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", ignored)
        assert default_folder() == Path.home() / ".cache/tenure/proofs"


def test_a_hash_is_of_plain_values_only() -> None:
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    with pytest.raises(UnknownCodeError):
        digest(object())


def test_all_that_obligations_reach_has_a_fingerprint() -> None:
    reached = Reached()
    found = {reached.digest(each.statement) for each in OBLIGATIONS.values()}
    assert len(found) == len(OBLIGATIONS)
