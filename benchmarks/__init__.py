"""What is measured, and never tested: `make bench`."""
