"""`tenure report --serve`: who is answered, a picture that follows the files, and errors of reading."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import threading
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tenure_report.serving import DrawnPage, serve
from tests.command_line import PATIENCE_S, TENURE, tenure, wait_until
from tests.tenure_report.test_report import NOW, TWO, job
from tools import libyaml

QUICK = ("--port", "0", "--every", "0", "--budget", "0")


@dataclass(frozen=True)
class Answer:
    """What a server sends back."""

    status: int
    headers: dict[str, str]
    body: str


@dataclass(frozen=True)
class Serving:
    """A server that runs."""

    process: subprocess.Popen[bytes]
    port: int
    first_line: str

    def ask(self, path: str = "/", method: str = "GET", host: str | None = None) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        connection.request(method, path, headers={"Host": host or f"127.0.0.1:{self.port}"})
        got = connection.getresponse()
        return Answer(got.status, dict(got.getheaders()), got.read().decode())

    def state(self) -> Any:
        return json.loads(self.ask("/state").body)

    def interrupted(self) -> tuple[int, str]:
        """Its exit code after Ctrl-C, and what is on standard error."""
        assert self.process.stderr is not None
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(PATIENCE_S)
        return code, self.process.stderr.read().decode()


@contextmanager
def serving(*words: str, cwd: Path) -> Iterator[Serving]:
    """A server that draws what these words name as it is at `NOW`."""
    with served_by([str(TENURE)], "--now", NOW, *words, cwd=cwd) as found:
        yield found


@contextmanager
def served_by(
    program: Sequence[str], *words: str, cwd: Path, environment: Mapping[str, str] = os.environ
) -> Iterator[Serving]:
    """The server that a command line starts, which reads again at once."""
    whole = [*program, "report", "--serve", *QUICK, *words]
    with subprocess.Popen(
        whole, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline().decode()
        found = re.match(r"http://127\.0\.0\.1:(\d+)/ ", line)
        try:
            assert found, process.stderr and process.stderr.read().decode()
            yield Serving(process, int(found[1]), line)
        finally:
            process.kill()


def write(path: Path, *objects: dict[str, Any]) -> None:
    """Replace a file as a whole, so that no reading meets half of it."""
    new = path.with_suffix(".new")
    new.write_text(libyaml.dump_all(objects), encoding="utf-8")
    new.replace(path)


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("served")
    write(folder / "cluster.yaml", *TWO)
    with serving("cluster.yaml", "--every", "3600", cwd=folder) as found:
        yield found


def test_one_line_has_the_address(started: Serving) -> None:
    shown = "2 ClusterQueues, 3 running and 1 pending workloads, 0 of them answered"
    assert started.first_line == f"http://127.0.0.1:{started.port}/ shows {shown}; Ctrl-C ends it\n"


def test_the_page_may_ask_its_own_server_alone(started: Serving) -> None:
    page = started.ask()
    assert page.status == 200
    assert 'data-picture="1"' in page.body
    assert "a/one" in page.body
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page.body)
    assert "default-src 'none'; " in policy
    assert " connect-src 'self'; " in policy
    assert page.headers["Content-Security-Policy"] == f"{policy}; frame-ancestors 'none'"
    assert page.headers["Cache-Control"] == "no-store"
    assert page.headers["X-Content-Type-Options"] == "nosniff"
    assert started.ask(method="HEAD").body == ""
    state = started.state()
    assert (state["picture"], state["every"]) == (1, 3600)
    assert state["age"] >= 0


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:{port}", 200),
        ("LOCALHOST:{port}", 200),
        ("127.0.0.1", 421),
        ("127.0.0.1:1", 421),
        ("evil.example:{port}", 421),
        ("127.0.0.1:{port}.evil.example", 421),
    ],
)
def test_only_the_servers_own_address_is_answered(started: Serving, host: str, status: int) -> None:
    for path in ("/", "/state", "/absent"):
        answer = started.ask(path, host=host.format(port=started.port))
        assert answer.status == (404 if status == 200 and path == "/absent" else status)
        assert (status == 200) or "a/one" not in answer.body
        assert "no-store" in answer.headers["Cache-Control"]


def test_a_request_without_a_host_or_with_two_is_refused(started: Serving) -> None:
    own = f"Host: 127.0.0.1:{started.port}\r\n"
    for headers in ("", own + own):
        with socket.create_connection(("127.0.0.1", started.port), timeout=PATIENCE_S) as connection:
            connection.sendall(f"GET / HTTP/1.1\r\n{headers}\r\n".encode())
            assert connection.makefile("rb").readline().split()[1] == b"421"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_nothing_can_be_changed(started: Serving, method: str) -> None:
    answer = started.ask(method=method)
    assert answer.status == 405
    assert answer.headers["Allow"] == "GET, HEAD"


@pytest.mark.parametrize("path", ["/cluster.yaml", "/../cluster.yaml", "/?x", "/state?x", "/index.html"])
def test_there_is_nothing_beside_the_page(started: Serving, path: str) -> None:
    assert started.ask(path).status == 404


def test_other_machines_cannot_connect(started: Serving) -> None:
    for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
        local, state = line.split()[1], line.split()[3]
        if local.endswith(f":{started.port:04X}") and state == "0A":
            assert local == f"0100007F:{started.port:04X}"
            return
    pytest.fail("nothing listens")


def test_the_picture_follows_the_files_and_an_error_leaves_the_last_one(tmp_path: Path) -> None:
    path = tmp_path / "cluster.yaml"
    write(path, *TWO)
    with serving("cluster.yaml", cwd=tmp_path) as server:
        assert "b/waits" in server.ask().body
        write(path, *TWO, job("later", "b", 3))
        wait_until(lambda: "b/later" in server.ask().body, "the new job is on the page")

        path.unlink()
        wait_until(lambda: "error" in server.state(), "the file cannot be read")
        state = server.state()
        assert state["error"].startswith("cluster.yaml: found no such file")
        assert 0 <= state["errorAge"] <= state["age"]
        assert "b/later" in server.ask().body
        last = state["picture"]

        write(path, *TWO)
        wait_until(lambda: server.state()["picture"] > last, "the file is read again")
        assert "error" not in server.state()
        assert "b/later" not in server.ask().body

        code, err = server.interrupted()
        assert code == 0
        # Readings warn and fail again and again; each line is printed once.
        warning, error = err.splitlines()
        assert warning.startswith("warning: 2 ClusterQueues: no ResourceFlavor was given")
        assert error == f"error: {state['error']}"


def test_no_reading_begins_until_someone_looks() -> None:
    readings: list[int] = []
    before: list[int] = []

    def draw(number: int) -> DrawnPage:
        readings.append(number)
        if number == 2:
            raise KeyboardInterrupt
        return DrawnPage("page", "summary", "default-src 'none'")

    def ready(address: str, summary: str) -> None:
        def look() -> None:
            before.extend(readings)
            # As the page does, it asks again and again.
            with suppress(OSError):
                while readings == [1]:
                    urllib.request.urlopen(f"{address}state").close()

        threading.Thread(target=look).start()

    serve(0, 0, draw, ready)
    assert (before, readings) == ([1], [1, 2])


def test_control_c_ends_it_with_0_and_without_a_word(tmp_path: Path) -> None:
    with serving("--example", "two-teams", cwd=tmp_path) as server:
        assert server.interrupted() == (0, "")


def test_a_port_that_is_taken_is_an_error(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = tenure("report", "--serve", "--port", port, "--example", "two-teams", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.decode().splitlines()[0] == (
        f"error: --port: found {port}, expected a port of 127.0.0.1 that is free, or 0 for any: "
        "address already in use"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "--output, --serve: found neither, expected one of them: "),
        (("--serve", "-o", "page.html"), "--output, --serve: found both, expected one of them: "),
        (("-o", "page.html", "--port", "1"), "--port: found 'no --serve', expected --serve, "),
        (("-o", "page.html", "--every", "1"), "--every: found 'no --serve', expected --serve, "),
        (("--serve", "-"), "paths: found '-', expected files or folders, which --serve can read again"),
        (("--serve", "--port", "0", "absent.yaml"), "absent.yaml: found no such file"),
    ],
    ids=["neither", "both", "port", "every", "stdin", "no file"],
)
def test_options_that_make_no_sense_are_errors(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    example = () if "-" in words or "absent.yaml" in words else ("--example", "two-teams")
    done = tenure("report", *words, *example, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr.decode()
    assert list(tmp_path.iterdir()) == []
