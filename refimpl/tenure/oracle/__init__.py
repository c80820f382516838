"""Loops and trees: what the rules decide, put together as a real scheduler does."""
