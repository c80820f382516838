"""Certificates: cvc5's proofs of the questions, written beside them, for a checker of a third party."""
