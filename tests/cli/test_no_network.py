"""No telemetry, and no network but where it is asked for by name."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

from tests.cli.test_processes import CALLS
from tests.command_line import run_program

ROOT = Path(__file__).resolve().parents[2]
NETWORKS = {
    *("asyncio", "distributed", "ftplib", "http", "imaplib", "poplib", "requests", "smtplib"),
    *("socket", "socketserver", "ssl", "telnetlib", "urllib", "urllib3", "webbrowser", "xmlrpc"),
}
ASKED_FOR = {
    "refimpl/tenure/pools.py": {"distributed"},  # --scheduler
    "refimpl/tenure/reports/forms.py": {"urllib"},  # quotes a path
    "refimpl/tenure_report/serving.py": {"http", "socketserver"},  # --serve, on loopback
}

FORBIDDEN = """
import contextlib, io, json, sys

opened = []

def forbid(event, arguments):
    if event.startswith("socket.") and event != "socket.gethostname":
        opened.append(event)
        raise SystemExit(f"{event} {arguments}")

sys.addaudithook(forbid)
"""
EACH = f"""{FORBIDDEN}
from tenure import cli

found = {{}}
for name, words in json.loads(sys.argv[1]).items():
    opened.clear()
    sys.argv, sys.stdin = words, io.StringIO('{{"id": 1, "call": "version"}}\\n')
    said = io.TextIOWrapper(io.BytesIO(), "utf-8")
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), contextlib.suppress(SystemExit):
        cli.main()
    said.flush()
    found[name] = len(said.buffer.getvalue()), list(opened)
print(json.dumps(found))
"""
"""All commands, one after the other: of each, how much it printed and what it opened."""
OTHERS = {"campaign": ("--scenarios", "4", "--jobs", "1"), "conform": ("--call", "guess")}


def test_nothing_else_imports_what_opens_connections() -> None:
    found = {}
    for path in [*(ROOT / "refimpl").rglob("*.py"), *(ROOT / "proofs").rglob("*.py")]:
        named = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                named |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                named.add((node.module or "").partition(".")[0])
        if named & NETWORKS:
            found[path.relative_to(ROOT).as_posix()] = named & NETWORKS
    assert found == ASKED_FOR


def test_no_command_opens_a_socket(tmp_path: Path) -> None:
    words = {name: ["tenure", *name.split(), *given] for name, given in (CALLS | OTHERS).items()}
    done = run_program(sys.executable, "-c", EACH, json.dumps(words), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found.keys() == words.keys()
    assert [name for name, (printed, _) in found.items() if not printed] == []
    assert {name: opened for name, (_, opened) in found.items() if opened} == {}


def test_a_socket_would_be_noticed() -> None:
    program = f"{FORBIDDEN}\nimport socket; socket.create_connection(('localhost', 9))"
    done = run_program(sys.executable, "-c", program)
    assert "socket." in done.stderr
