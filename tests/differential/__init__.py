"""The optimized core against the reference: `python -m tests.differential --n 20000 --seed 1`."""
