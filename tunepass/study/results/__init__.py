"""Results of a study: trials as columns, fronts, recommendations."""
