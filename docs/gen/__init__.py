"""Pages of the site that are made from the specification, the code and the proofs, at every build.

Each module has one function that returns pages: a path below `docs/` and Markdown. Only `build` writes.
"""
