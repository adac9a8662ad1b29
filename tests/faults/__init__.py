"""Calls of the operating system that fail, after SQLite's method: the n-th of each kind in turn, in all commands."""
