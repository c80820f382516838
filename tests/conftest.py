"""What holds for every test."""

from hypothesis import settings

# A machine that is busy is no fault of a test; speed is measured by benchmarks.
settings.register_profile("untimed", deadline=None, print_blob=True)
settings.load_profile("untimed")
