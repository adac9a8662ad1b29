"""Installed tuners of other projects as peers of the search benchmark: one adapter each."""
