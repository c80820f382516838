"""BEFORE and AFTER: two clusters, what is decided otherwise in them, and how that is listed."""
