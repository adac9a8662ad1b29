"""From finalists to the choice."""
