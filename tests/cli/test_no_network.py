"""No telemetry, and no network but where it is asked for by name."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_processes import CALLS
from tests.process import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
NETWORKS = {
    *("asyncio", "distributed", "ftplib", "http", "imaplib", "kubernetes", "poplib", "requests", "smtplib"),
    *("socket", "socketserver", "ssl", "telnetlib", "urllib", "urllib3", "webbrowser", "xmlrpc"),
}
ASKED_FOR = {
    "refimpl/tenure/apps/kubectl/objects.py": {"kubernetes"},
    "refimpl/tenure/apps/kubectl/server.py": {"http", "kubernetes", "urllib3"},
    "refimpl/tenure/lab/pool.py": {"distributed"},  # tenure campaign --scheduler
    "refimpl/tenure/reports/forms.py": {"urllib"},  # quotes a path
}

FORBIDDEN = """
import json, sys

def forbid(event, arguments):
    if event.startswith("socket.") and event != "socket.gethostname":
        raise SystemExit(f"{event} {arguments}")

sys.addaudithook(forbid)
from tenure.apps import cli
sys.argv = json.loads(sys.argv[1])
cli.main()
"""
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


@pytest.mark.parametrize("name", [*CALLS, *OTHERS])
def test_a_command_opens_no_socket(name: str) -> None:
    words = ["tenure", *name.split(), *(CALLS | OTHERS)[name]]
    done = subprocess.run(
        [sys.executable, "-c", FORBIDDEN, json.dumps(words)],
        input='{"id": 1, "call": "version"}\n',
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert "socket." not in done.stderr
    assert done.stdout or done.stderr


def test_a_socket_would_be_noticed() -> None:
    program = (
        FORBIDDEN.partition("from tenure")[0] + "import socket; socket.create_connection(('localhost', 9))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "socket." in done.stderr
