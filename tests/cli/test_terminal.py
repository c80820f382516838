"""What a terminal gets and a pipe does not: colours and progress; and what ends a command early."""

from __future__ import annotations

import json
import logging
import re
import signal
import subprocess
from math import inf
from pathlib import Path

import pytest

from tenure.cli import terminal
from tenure.cli.output import Output, print_answer
from tests.cli.terminals import ESCAPE, on_terminal
from tests.command_line import PATIENCE_S, TENURE, tenure, wait_until
from tests.objects import Object, a_group, a_list, a_queue, a_workload, admitted_to, an_object

DECIDE = ("decide", "--example", "two-teams", "--now", "2026-03-02T14:00:00Z")
ONE = (*DECIDE, "-w", "team-b/job-eval-suite-d739e")


# The tenth decision is the last of this process.
INTERRUPTED = """
import os, signal

from tenure.inquiry import Inquiry
decided_all = Inquiry.decided_all
def interrupted(self):
    for number, decision in enumerate(decided_all(self)):
        if number == 10:
            os.kill(os.getpid(), signal.SIGINT)
        yield decision
Inquiry.decided_all = interrupted
"""


@pytest.mark.parametrize(
    "name", ["né \u4e2d", 'a "b" \\ c/d', "", "tab\tline\nbell\x07del\x7f", "\u202e", "half \udc80"]
)
def test_json_says_the_same_whatever_is_in_a_name(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    answer = {name: [name, 2**70, -1, 0.1, 1e22, True, None, [], {}, [[], {}]], "more": {"a": [{"b": name}]}}
    print_answer(Output.JSON, None, answer, ())
    printed = capsys.readouterr().out
    assert json.loads(printed) == answer
    assert all(line.isprintable() for line in printed.splitlines())
    if name.isprintable():
        assert printed == json.dumps(answer, indent=2, ensure_ascii=False) + "\n"


def without_colours(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@pytest.mark.parametrize("arguments", [(*ONE, "--verbose"), (*DECIDE, "--all-pending")], ids=["one", "all"])
def test_a_terminal_gets_the_same_text_in_colours(arguments: tuple[str, ...]) -> None:
    shown = on_terminal(*arguments)
    assert ESCAPE in shown.terminal
    assert without_colours(shown.terminal) == tenure(*arguments).stdout.decode()


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (("--no-color",), {}),
        ((), {"NO_COLOR": "1"}),
        ((), {"TERM": "dumb"}),
        (("--no-color",), {"FORCE_COLOR": "1"}),
        (("-o", "json"), {}),
        (("-o", "yaml"), {}),
    ],
    ids=str,
)
def test_a_terminal_can_be_kept_plain(arguments: tuple[str, ...], environment: dict[str, str]) -> None:
    shown = on_terminal(*ONE, *arguments, environment=environment)
    assert shown.code == 0
    assert ESCAPE not in shown.terminal


def test_the_option_stands_before_the_command_too() -> None:
    assert ESCAPE not in on_terminal("--no-color", *ONE).terminal


def test_an_empty_no_color_says_nothing() -> None:
    assert ESCAPE in on_terminal(*ONE, environment={"NO_COLOR": ""}).terminal


def test_a_pipe_gets_colours_only_when_told_to() -> None:
    assert ESCAPE not in tenure(*ONE).stdout.decode()
    coloured = tenure(*ONE, "--color").stdout.decode()
    assert ESCAPE in coloured
    assert without_colours(coloured) == tenure(*ONE).stdout.decode()


def test_errors_and_help_are_coloured_on_a_terminal_alone() -> None:
    refused = (*DECIDE, "-w", "nobody/there")
    shown = on_terminal(*refused, stream="stderr")
    assert ESCAPE in shown.terminal
    assert without_colours(shown.terminal) == tenure(*refused).stderr.decode()
    assert ESCAPE in on_terminal("decide", "--help").terminal
    assert ESCAPE not in tenure("decide", "--help").stdout.decode()


def many_pending(folder: Path, count: int) -> Path:
    """A cluster of one full queue, in which deciding for all takes a while."""

    def workload(number: int) -> Object:
        return a_workload(f"job-{number:05d}", {"cpu": "1"}, queueName="main", priority=number % 7)

    group = a_group("plain", quota=str(count))
    preemption = {"withinClusterQueue": "LowerPriority"}
    items = [
        an_object("ResourceFlavor", "plain", {}),
        a_queue("main", group, namespaceSelector={}, preemption=preemption),
        *(admitted_to("main", workload(number), "plain") for number in range(count)),
        *(workload(count + number) for number in range(count)),
    ]
    path = folder / "dump.json"
    path.write_text(json.dumps(a_list(items)), encoding="utf-8")
    return path


def test_progress_is_shown_on_standard_error_while_that_is_a_terminal(tmp_path: Path) -> None:
    path = many_pending(tmp_path, 60)
    shown = on_terminal("decide", str(path), "--all-pending", stream="stderr", first=waiting(0))
    assert shown.code == 0
    assert "deciding" in shown.terminal
    assert "60 pending workloads" in shown.pipe
    assert ESCAPE not in shown.pipe
    piped = tenure("decide", str(path), "--all-pending")
    assert piped.stderr.decode() == "warning: no LocalQueue is given; the only ClusterQueue is used\n"


def test_what_is_logged_while_a_command_runs_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        terminal.log_as_hints()
    logging.getLogger("tenure").info("compiling the core once, about %d s", 10)
    assert capsys.readouterr() == ("", "compiling the core once, about 10 s\n")


def test_what_is_quick_shows_no_progress() -> None:
    assert 0 < terminal.PATIENCE_S < 5
    assert on_terminal(*DECIDE, "--all-pending", stream="stderr", first=waiting(inf)).terminal == ""


def waiting(seconds: float) -> str:
    """Code after which progress is shown so late, however slow or quick the machine is."""
    return f"from tenure.cli import terminal; terminal.PATIENCE_S = float('{seconds}')"


@pytest.mark.skipif(not Path("/proc/self/syscall").exists(), reason="whether it reads is seen in /proc")
@pytest.mark.parametrize(
    "arguments", [("oracle",), ("decide", "-"), ("vectors", "add", "time-based")], ids=" ".join
)
def test_control_c_ends_a_command_without_a_word(arguments: tuple[str, ...]) -> None:
    with subprocess.Popen(
        [str(TENURE), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        wait_until(lambda: reads_standard_input(process.pid), "it reads")
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130
        assert process.stderr.read() == b""


def test_control_c_in_the_middle_of_all_decisions_leaves_a_clean_terminal(tmp_path: Path) -> None:
    path = many_pending(tmp_path, 20)
    shown = on_terminal("decide", str(path), "--all-pending", stream="stderr", first=waiting(0) + INTERRUPTED)
    assert (shown.code, shown.pipe) == (130, "")
    assert "deciding" in shown.terminal
    assert shown.terminal.endswith(f"{ESCAPE}?25h\r{ESCAPE}1A{ESCAPE}2K"), (
        "the cursor is back, the line empty"
    )


def reads_standard_input(process: int) -> bool:
    """Whether a process waits in a read of its first descriptor."""
    return Path(f"/proc/{process}/syscall").read_text(encoding="ascii").split()[:2] == ["0", "0x0"]
