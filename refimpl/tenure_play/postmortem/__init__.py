"""A preemption that has happened: its record, and what is decided in the cluster as it was then."""
