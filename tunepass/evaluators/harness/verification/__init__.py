"""Verification of finalists: sanitizers, and runs under other schedules."""
