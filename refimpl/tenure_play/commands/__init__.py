"""Commands that simulate over time: what comes next, why of the past, what a change does."""
