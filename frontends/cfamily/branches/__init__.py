"""Branches of `#if` that values of parameters decide."""
