"""Constants that a source names, and values of its expressions."""
