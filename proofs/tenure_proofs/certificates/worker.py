"""A process that answers SMT-LIB scripts with cvc5, each with its proof; killed when it hangs."""

from __future__ import annotations

from typing import Any

from tenure_proofs.cvc5_worker import run, serve

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

    solver, said = run(script, work, clock_s, produce_proofs="true", proof_granularity=GRANULARITY)
    if said != "unsat":
        return f"error: cvc5 says {said} where it writes a proof"
    printed: Any = solver.proofToString(solver.getProof()[0], cvc5.ProofFormat.CPC)
    proof = printed.decode() if isinstance(printed, bytes) else printed
    # cvc5 puts the commands of a proof into one pair of parentheses, which are none of them.
    proof = proof.strip().removeprefix("(").removesuffix(")").strip()
    if len(proof) > LONGEST:
        return f"error: the proof has {len(proof):,} bytes, more than {LONGEST:,}"
    return f"unsat\n{proof}\n"


if __name__ == "__main__":
    serve(proof_of)
