"""Scenarios of KAI-Scheduler: sessions that ask the MinRuntime plugin who may be preempted."""
