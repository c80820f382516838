"""Which release this is; a module by itself, since `import tenure` reads nothing else."""

__version__ = "0.1.0"
"""The same as in pyproject.toml."""
