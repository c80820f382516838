"""Settings of `tenure simulate` that are played by the workers of a Dask scheduler."""

from __future__ import annotations

from pathlib import Path

from tests.command_line import tenure
from tests.tenure_lab.test_stopping import cluster

FOLDER = Path(__file__).parents[1] / "cli" / "trace"
WORDS = ("--trace", str(FOLDER / "trace.csv"), str(FOLDER / "queues.yaml"), "-o", "json")
SWEPT = ("--sweep", "minAdmitDuration=off,1h,4h")


def test_workers_of_a_scheduler_say_what_one_process_says(tmp_path: Path) -> None:
    alone = tenure("simulate", *WORDS, *SWEPT)
    with cluster(tmp_path) as (address, _):
        done = tenure("simulate", *WORDS, *SWEPT, "--scheduler", address)
    assert (done.returncode, done.stdout) == (0, alone.stdout), done.stderr
