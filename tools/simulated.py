"""`python -m tools.simulated FOLDER`: records what published traces come to under every preset.

The traces are no part of this repository; docs/explanation/real-traces.md says what they are. FOLDER has them
as `philly-2017-gpu.csv.gz` and `wagap-2013-hpc.csv.gz`. What is recorded depends on them and the code only.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Final, NamedTuple

from tenure.apps.simulate.course import TraceCourse
from tenure.apps.simulate.figures import Counting
from tenure.apps.simulate.hands import simulated
from tenure.apps.simulate.sweep import Sweep, settings_of
from tenure.apps.simulate.tables import setting_words
from tenure.apps.simulate.traces import TraceColumns, read_trace
from tenure.as_json import as_json
from tenure.manifests import read_objects
from tenure.model import MINUTE, SECOND
from tenure.pools import Hands
from tenure.readings import default_preset, preset_names

DATA: Final = Path(__file__).resolve().parents[1] / "docs" / "data" / "traces"
HOUR: Final = 60 * MINUTE
DURATIONS: Final = ("off", "24h", "8h", "4h", "1h")
DRAWN: Final = {
    "philly": (("as-written", "4h"), ("guaranteed", "4h")),
    "wagap": (("as-written", "4h"),),
}
"""The settings whose ClusterQueues and jobs are drawn over time."""


class Recorded(NamedTuple):
    """A trace that is recorded.

    Args:
        file: in the folder of the traces.
        columns: what differs from the usual ones.
    """

    file: str
    columns: TraceColumns


TRACES: Final = {
    "philly": Recorded("philly-2017-gpu.csv.gz", TraceColumns()),
    "wagap": Recorded("wagap-2013-hpc.csv.gz", TraceColumns(queue="user")),
}


def record(name: str, folder: Path, jobs: int) -> dict[str, Any]:
    """What a trace comes to under every preset and duration, without what is not drawn."""
    recorded = TRACES[name]
    course = TraceCourse(
        objects=read_objects([DATA / f"{name}.yaml"]),
        trace=read_trace(folder / recorded.file, recorded.columns),
        other_queue="rest",
        reading=default_preset(),
        eviction=30 * SECOND,
        after=HOUR,
        keeps=True,
        counting=Counting(checkpoint=HOUR, restart=5 * MINUTE, warm_up=7 * 24 * HOUR),
        drawn=True,
    )
    settings = settings_of([Sweep("reading", preset_names()), Sweep("minAdmitDuration", DURATIONS)])
    answer = simulated(
        course,
        settings,
        lambda number, figures: print(name, number, setting_words(figures.setting), file=sys.stderr),
        hands=Hands(jobs),
    )
    return pruned(name, as_json(answer) | {"trace": recorded.file})


def pruned(name: str, answer: dict[str, Any]) -> dict[str, Any]:
    """An answer without what the site does not draw."""
    for each in answer["settings"]:
        if (each["setting"]["reading"], each["setting"]["minAdmitDuration"]) not in DRAWN[name]:
            each["drawn"] |= {"queues": [], "mostPreempted": []}
        elif name == "wagap":  # of 21 ClusterQueues
            each["drawn"] |= {"queues": []}
    return answer


def written(answer: dict[str, Any]) -> str:
    """An answer as the file has it: a line for each setting."""
    settings = ",\n".join(json.dumps(each) for each in answer["settings"])
    rest = json.dumps({key: value for key, value in answer.items() if key != "settings"})
    return f'{rest[:-1]}, "settings": [\n{settings}\n]}}\n'


def main() -> None:
    """Record one trace, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path, help="where the traces are")
    parser.add_argument("--only", choices=sorted(TRACES), help="one trace")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    asked = parser.parse_args()
    for name in [asked.only] if asked.only else TRACES:
        found = record(name, asked.folder, asked.jobs)
        (DATA / f"{name}.json").write_text(written(found), encoding="utf-8")


if __name__ == "__main__":
    main()
