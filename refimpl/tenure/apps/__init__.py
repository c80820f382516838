"""What people run: the command line, the kubectl plugin, expectations in files, and pytest's plugin."""
