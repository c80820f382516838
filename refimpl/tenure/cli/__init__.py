"""The command line: `tenure`."""

from tenure.cli.app import main

__all__ = ["main"]
