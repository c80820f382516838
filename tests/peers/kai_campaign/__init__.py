"""Random cases to Tenure and to KAI-Scheduler's own MinRuntime plugin.

What is drawn is drawn by `tenure_lab.generators.kai_cases`.
"""
