"""From tokens to the tree: statements, declarations and expressions."""
