"""Types, layouts and signatures of C-family sources, from DWARF that the user's compiler writes."""
