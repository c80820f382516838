"""A process that answers SMT-LIB scripts with cvc5, one JSON line each; killed when it hangs."""

from __future__ import annotations

import json
import sys
from typing import Any


def answer(script: str, limit_ms: int) -> str:
    """`sat`, `unsat`, `unknown`, or `error: …` for one script with a single check-sat."""
    import cvc5

    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    solver.setOption("tlimit-per", str(limit_ms))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "obligation")
    symbols: Any = parser.getSymbolManager()
    said = "error: the script asks nothing"
    while not (command := parser.nextCommand()).isNull():
        printed = str(command.invoke(solver, symbols)).strip()
        if printed:
            said = printed
    # Why it does not know stands in brackets behind.
    said = "unknown" if said.startswith("unknown") else said
    return said if said in ("sat", "unsat", "unknown") else f"error: {said}"


def main() -> None:
    """Answer until standard input ends."""
    for line in sys.stdin:
        request = json.loads(line)
        try:
            result = answer(request["script"], request["limit_ms"])
        except Exception as error:  # noqa: BLE001 - the parent must hear of whatever the solver raises
            result = f"error: {error}"
        sys.stdout.write(json.dumps(result) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
