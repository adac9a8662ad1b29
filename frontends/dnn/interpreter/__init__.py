"""Follows a Python source as far as its model needs."""
