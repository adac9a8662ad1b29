"""Local variables and pointers of a nest replaced by what they stand for."""
