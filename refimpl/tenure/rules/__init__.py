"""One small pure function per rule. Importing this package registers all of them."""

from tenure.rules import eligibility, ordering, priority, queue_order, quota, reservation, time_based

__all__ = ["eligibility", "ordering", "priority", "queue_order", "quota", "reservation", "time_based"]
