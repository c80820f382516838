"""Campaigns: random scenarios by the hundred thousand, decided twice."""
