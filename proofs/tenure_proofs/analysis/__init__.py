"""Which workloads may ever preempt which others in a configuration: cells, asked of both solvers."""
