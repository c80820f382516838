"""The laboratory: random scenarios, decided by two engines or another program; differences made small."""
