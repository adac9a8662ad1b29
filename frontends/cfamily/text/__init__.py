"""The text of the C family: lexemes, tokens with their ranges, and sections of a source."""
