"""The search of one space: the loop, its finalists, and its choice."""
