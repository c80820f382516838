"""Theorems of any size, about loops and steps of the reference; `registry.all_theorems` has them all."""
