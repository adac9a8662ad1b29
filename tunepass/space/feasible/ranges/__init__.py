"""Ranges of values that constraints leave."""
