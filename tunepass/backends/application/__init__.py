"""Whole applications."""
