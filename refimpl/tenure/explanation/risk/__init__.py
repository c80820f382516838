"""Who could preempt a running workload, with a workload of any size, and until when it is safe."""
