"""Broken and hostile input: mutated manifests and requests, random bytes, structures made to hurt.

python -m tests.hostile --n 20000 --seed 1
python -m tests.hostile.around --n 2000 --seed 1
"""
