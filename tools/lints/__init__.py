"""Checks of our own: `python -m tools.lints` prints `path:line: CODE message` for each problem.

Every lint is a function from the repository's root to problems. Python is read as text and never imported, so
that a changed copy of the tree can be checked beside the real one.
"""
