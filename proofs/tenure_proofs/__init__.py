"""Proofs about the very code of `tenure`: lifters, obligations, mutants, solvers."""
