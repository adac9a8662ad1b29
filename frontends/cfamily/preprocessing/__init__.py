"""A source as its compiler's preprocessor sees it."""
