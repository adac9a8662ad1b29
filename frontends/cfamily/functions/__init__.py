"""Functions of a source: definitions, overloads and references."""
