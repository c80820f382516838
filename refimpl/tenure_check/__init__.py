"""Checks of a configuration of queues: what may happen in every state, and what files expect of it."""
