"""What may happen in a configuration of queues, whatever workloads come; both solvers settle cells."""
