"""Parameters of C sources: pragmas, macros, and calls of `tune`."""
