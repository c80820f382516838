"""Random scenarios, from dice or from Hypothesis, written as Kueue's API objects."""
