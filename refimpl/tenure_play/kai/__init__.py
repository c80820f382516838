"""Scenarios of KAI-Scheduler: sessions that call the MinRuntime plugin about victims."""
