"""`tenure simulate`: what settings of queues do to a trace of jobs."""
