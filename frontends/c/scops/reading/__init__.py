"""A region taken apart into loops, conditions and statements."""
