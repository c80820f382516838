"""The command line: `tenure`."""

from tenure.apps.cli.app import main

__all__ = ["main"]
