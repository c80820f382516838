"""`tenure oracle`."""

from __future__ import annotations

import sys

from tenure.conformance.protocol import serve


def oracle_command() -> None:
    """Answer JSON-lines requests on standard input, one answer a line, in order.

    A request is {"id": any, "call": "decide", "input": {...}}; the answer has the same id, and an output
    or an error with code, message and field. A bad line gets an error answer, and the loop goes on.

    \b
    echo '{"id": 1, "call": "decide", "input": {...}}' | tenure oracle
    """
    serve(sys.stdin.buffer, sys.stdout)
