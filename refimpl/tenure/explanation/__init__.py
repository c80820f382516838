"""Tells why: explanations, answers to *why* and *why not*, and what would change an answer."""
