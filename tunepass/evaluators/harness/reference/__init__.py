"""Reference: outputs of the untouched source, and the cases in which candidates are compared with them."""
