"""Import of other tuners' descriptions."""
