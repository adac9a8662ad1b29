"""The statements of a region: their text and edits, the variables that they name, and what each reads and writes."""
