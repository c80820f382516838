"""Campaigns: what is drawn, what is counted, and what survives being stopped."""
