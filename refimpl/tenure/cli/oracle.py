"""`tenure oracle`."""

from __future__ import annotations

import sys

from tenure.choices import Engine
from tenure.cli.options import EngineName
from tenure.cli.terminal import discard
from tenure.errors import InputError, Problem


def oracle_command(engine: EngineName = Engine.REFERENCE) -> None:
    """Answer JSON-lines requests on standard input, one answer a line, in order.

    A request is {"id": any, "call": "decide", "input": {...}}; the answer has the same id, and an output
    or an error with code, message and field. A bad line gets an error answer, and the loop goes on.

    \b
    echo '{"id": 1, "call": "decide", "input": {...}}' | tenure oracle

    What is wrong with objects, for another program:

    \b
    jq -c '{id: 1, call: "validate", input: {objects: .items}}' cluster.json | tenure oracle

    A request that names no engine is decided by that of --engine.

    Exit codes: 0 at the end of the requests, also where answers are errors; 2 when nothing can be read or
    written.
    """
    from tenure.conformance.lines import serve

    # Whoever starts us may have closed either: then no request comes, or no answer is read.
    if sys.stdin is None or sys.stdout is None:
        return
    try:
        serve(sys.stdin.buffer, sys.stdout, engine)
    except BrokenPipeError:
        # The reader has left, which is no fault, and needs no message.
        discard(sys.stdout)
    except OSError as error:
        discard(sys.stdout)
        found = (error.strerror or type(error).__name__).lower()
        expected = "requests on standard input, and room for answers on standard output"
        raise InputError([Problem("", found, expected)]) from None
