"""Programs of a harness: compiled and linked."""
