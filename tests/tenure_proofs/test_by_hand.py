"""Every mistake of the list is noticed by what the list says, and the sources as they are pass all of it."""

from __future__ import annotations

import sys

import pytest

from tests.command_line import run_program
from tests.tenure_proofs import by_hand
from tests.tenure_proofs.asking import Asked, AskingError
from tests.tenure_proofs.by_hand import Mistake
from tests.tenure_proofs.trees import ROOT

MISTAKES = by_hand.mistakes()
RIGHT = Mistake(
    "a name", "tenure_play/queues.py", "actor.key, not self.is_strict", "actor.key, True", "seen", ("x",)
)


def test_every_mistake_is_noticed_by_name() -> None:
    command = [sys.executable, "-m", "tests.tenure_proofs.by_hand"]
    done = run_program(*command, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("\nnoticed ") + done.stdout.startswith("noticed ") == sum(
        not mistake.equivalent for mistake in MISTAKES
    )
    assert f"{len(MISTAKES)} mistakes made, 0 missed" in done.stdout


def test_names_are_given_once_and_say_what_would_be_seen() -> None:
    assert len({mistake.name for mistake in MISTAKES}) == len(MISTAKES)
    assert all(mistake.seen and mistake.before != mistake.after for mistake in MISTAKES)


def test_every_mistake_still_has_its_place() -> None:
    for mistake in MISTAKES:
        compile(mistake.wrong(), mistake.file, "exec")


def test_a_place_that_is_gone_is_told() -> None:
    gone = Mistake(RIGHT.name, RIGHT.file, "nothing like it", "", "seen", ("x",))
    with pytest.raises(ValueError, match=r"'nothing like it' occurs 0 times in tenure_play/queues\.py"):
        gone.wrong()


def test_what_notices_nothing_is_told() -> None:
    said = by_hand.told(RIGHT, [("vector A/b", "vector A/b: otherwise"), ("scenario c", "")])
    assert said.startswith("MISSED")
    assert said.endswith("scenario c notices nothing")


def test_what_is_asked_by_a_name_that_does_not_exist_is_refused() -> None:
    with pytest.raises(
        AskingError, match="nothing to ask about simulation that is called scenario no-such-one"
    ):
        Asked().measure("simulation", ["scenario no-such-one"])
