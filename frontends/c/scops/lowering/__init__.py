"""A region in plainer words: accessors, members, references and loops of other forms."""
