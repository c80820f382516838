"""The commands `tenure analyze` and `tenure test`."""
