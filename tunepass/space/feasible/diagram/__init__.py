"""Constraints compiled into a layered decision diagram."""
