"""The optimized core against the reference, as property tests; `make differential` is a campaign."""
