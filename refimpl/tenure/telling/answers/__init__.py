"""Answers to *why* and *why not*: what the findings, the explanation and the nearest flips say together.

The dataclasses of `shapes` are what the commands print as JSON; `lines` says the same in sentences. Nothing
is imported here, so that a decision that asks for neither does not load what answers them.
"""
