"""What holds for every test."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator, Iterator

import pytest
from hypothesis import settings

from tests.shared import shared_base
from tools.stages import FEW, KEPT, OTHERS, PART, keeping, left_out

# A machine that is busy is no fault of a test; speed is measured by benchmarks.
settings.register_profile("untimed", deadline=None, print_blob=True)
settings.load_profile("untimed")

# A shell that starts the tests in the background has them, and all that they start, ignore Control-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays: looking through it again and again takes a fifth of the time.

    Of what tests make hardly anything is in cycles: they are looked for as seldom as in `tenure`.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(400_000, 20, 20)
        gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    """A stage says which part of the files that it shares with another it runs."""
    parser.addoption(
        PART, choices=(FEW, OTHERS), default="", help="of files that stages share: tools/stages.py"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What another stage runs is left out."""
    tests = [item.nodeid for item in items if isinstance(item, pytest.Function)]
    left = left_out(config.getoption(PART), tests)
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left])
    items[:] = [item for item in items if item.nodeid not in left]


@pytest.fixture(scope="session", autouse=True)
def kept_by_this_run_alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What commands keep is shared by the workers of this run, and by no other run.

    Unless whoever started it names a folder: those stages of one run that need everything proved share one.
    """
    with pytest.MonkeyPatch.context() as patched:
        for name, value in keeping(os.environ.get(KEPT, str(shared_base(tmp_path_factory) / "kept"))).items():
            patched.setenv(name, value)
        yield
