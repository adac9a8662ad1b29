"""What `make bench-search` is made of."""
