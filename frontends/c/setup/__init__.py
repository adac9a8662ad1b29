"""Functions of the user that make a kernel's input, and the places in memory that are compared."""
