"""Tuned sources, and headers that choose among variants."""
