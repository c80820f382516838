"""Theorems of any size: about loops and steps of the reference; `listed` imports them all."""
