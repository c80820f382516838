"""What comes next in a cluster as it is: `tenure next`."""
