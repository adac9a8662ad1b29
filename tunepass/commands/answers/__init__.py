"""Answers of commands, as text, data and pictures."""
