"""Theorems of any size: about loops of the reference and kernels of the core; `listed` imports them all."""
