"""Commands that compare engines and schedulers with the reference."""
