"""Doors into other tools: each module is imported by its user, none by tunepass."""
