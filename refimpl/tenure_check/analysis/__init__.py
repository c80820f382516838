"""What may happen in a configuration of queues, whatever workloads come; cells are asked of both solvers."""
