"""A process that answers SMT-LIB scripts with cvc5, one JSON line each; killed when it hangs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from tenure_proofs.budgets import CLOCK, SPENT

UNKNOWN = {"(RESOURCEOUT)": SPENT, "(TIMEOUT)": CLOCK}


def answer(script: str, work: int, clock_s: float) -> tuple[str, int]:
    """What cvc5 says of one script with a single check-sat.

    Args:
        script: in SMT-LIB 2.
        work: how many units of work it may cost.
        clock_s: seconds after which it is ended all the same.

    Returns:
        `sat`, `unsat`, `unknown: …` or `error: …`, and the units of work that it has cost.
    """
    solver, said = run(script, work, clock_s)
    spent = solver.getStatistics().get(internal=True)["resource::resourceUnitsUsed"]["value"]
    return _words(said), spent


def run(script: str, work: int, clock_s: float, **options: str) -> tuple[Any, str]:
    """A solver after one script, and what its last command printed.

    Args:
        script, work, clock_s: as of `answer`.
        options: further ones of cvc5, with `_` for `-`.
    """
    import cvc5

    solver = cvc5.Solver(cvc5.TermManager())
    for name, value in options.items():
        solver.setOption(name.replace("_", "-"), value)
    solver.setOption("rlimit-per", str(work))
    solver.setOption("tlimit-per", str(int(clock_s * 1000)))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "obligation")
    symbols: Any = parser.getSymbolManager()
    said = "error: the script asks nothing"
    while not (command := parser.nextCommand()).isNull():
        printed = str(command.invoke(solver, symbols)).strip()
        if printed:
            said = printed
    return solver, said


def _words(said: str) -> str:
    if said in ("sat", "unsat"):
        return said
    answered, _, why = said.partition(" ")
    return f"unknown: {UNKNOWN.get(why, why)}" if answered == "unknown" else f"error: {said}"


def serve(answered: Callable[..., str]) -> None:
    """Answer each line of standard input, until it ends.

    Args:
        answered: what is answered to a script, the units of work and the seconds that it may cost.
    """
    for line in sys.stdin:
        request = json.loads(line)
        try:
            result = answered(**request)
        except Exception as error:  # noqa: BLE001 - the parent must hear of whatever the solver raises
            result = f"error: {error}"
        sys.stdout.write(json.dumps(result) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve(lambda **request: answer(**request)[0])
