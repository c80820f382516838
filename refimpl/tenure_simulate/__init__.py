"""Settings of queues compared on a trace of jobs: waits, preemptions, lost and unmet quota.

Read a trace (`read_trace`, `TraceColumns`), choose the settings (`parse_sweep`, `settings_of`), simulate
all of them (`TraceCourse`, `simulated`), and print the answer as text or Markdown (`outline_of`), or as one
HTML file (`html_report`). Needs the extra `fast`; everything is imported when first used.

>>> from tenure_simulate import parse_sweep, settings_of
>>> settings_of([parse_sweep("minAdmitDuration=off,4h")])
({'minAdmitDuration': 'off'}, {'minAdmitDuration': '4h'})
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tenure_simulate.answer_types import SettingFigures, SimulateAnswer
    from tenure_simulate.choices import Preference
    from tenure_simulate.figures import Counting
    from tenure_simulate.page import html_report
    from tenure_simulate.parallel import simulated
    from tenure_simulate.run import TraceCourse
    from tenure_simulate.summary import outline_of
    from tenure_simulate.sweep import Sweep, parse_sweep, settings_of
    from tenure_simulate.traces import JobTrace, TraceColumns, read_trace

__all__ = [
    "Counting",
    "JobTrace",
    "Preference",
    "SettingFigures",
    "SimulateAnswer",
    "Sweep",
    "TraceColumns",
    "TraceCourse",
    "html_report",
    "outline_of",
    "parse_sweep",
    "read_trace",
    "settings_of",
    "simulated",
]

_PLACES = {
    "tenure_simulate.answer_types": (
        "SettingFigures",
        "SimulateAnswer",
    ),
    "tenure_simulate.figures": ("Counting",),
    "tenure_simulate.page": ("html_report",),
    "tenure_simulate.parallel": ("simulated",),
    "tenure_simulate.run": ("TraceCourse",),
    "tenure_simulate.summary": (
        "Preference",
        "outline_of",
    ),
    "tenure_simulate.sweep": (
        "Sweep",
        "parse_sweep",
        "settings_of",
    ),
    "tenure_simulate.traces": (
        "JobTrace",
        "TraceColumns",
        "read_trace",
    ),
}


def __getattr__(name: str) -> object:
    # Late: a command, or the plugin of pytest, imports no more than it needs.
    from tenure.registration import late

    return late(__name__, _PLACES, name)
