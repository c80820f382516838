"""A process that answers SMT-LIB scripts with cvc5, each with its proof; killed when it hangs."""

from __future__ import annotations

import json
import sys
from typing import Any

LONGEST = 50_000_000
"""Bytes of a proof; a longer one is not written."""

GRANULARITY = "dsl-rewrite"
"""Every rewrite is a step of its own, as far as cvc5 has a rule for it."""


def proof_of(script: str, work: int, clock_s: float) -> str:
    """What cvc5 says of one script with a single check-sat, and after `unsat` in a new line its proof.

    Args:
        script: in SMT-LIB 2.
        work: how many units of work the answer may cost. The proof costs none: what ends it is the clock.
        clock_s: seconds after which the answer is ended all the same.

    Returns:
        `unsat` and the proof in the format CPC, or `error: …`.
    """
    import cvc5

    solver = cvc5.Solver(cvc5.TermManager())
    for option, value in (
        ("produce-proofs", "true"),
        ("proof-granularity", GRANULARITY),
        ("rlimit-per", str(work)),
        ("tlimit-per", str(int(clock_s * 1000))),
    ):
        solver.setOption(option, value)
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "question")
    symbols: Any = parser.getSymbolManager()
    said = "error: the script asks nothing"
    while not (command := parser.nextCommand()).isNull():
        said = str(command.invoke(solver, symbols)).strip() or said
    if said != "unsat":
        return f"error: cvc5 says {said} where it writes a proof"
    printed: Any = solver.proofToString(solver.getProof()[0], cvc5.ProofFormat.CPC)
    proof = printed.decode() if isinstance(printed, bytes) else printed
    # cvc5 puts the commands of a proof into one pair of parentheses, which are none of them.
    proof = proof.strip().removeprefix("(").removesuffix(")").strip()
    if len(proof) > LONGEST:
        return f"error: the proof has {len(proof):,} bytes, more than {LONGEST:,}"
    return f"unsat\n{proof}\n"


def main() -> None:
    """Answer until standard input ends."""
    for line in sys.stdin:
        request = json.loads(line)
        try:
            result = proof_of(**request)
        except Exception as error:  # noqa: BLE001 - the parent must hear of whatever the solver raises
            result = f"error: {error}"
        sys.stdout.write(json.dumps(result) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
