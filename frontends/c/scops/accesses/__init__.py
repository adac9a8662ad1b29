"""Accesses as maps from instances to elements, with the rows of flat arrays."""
