"""What `tenure analyze loops` says of configurations in which loops were reported."""
