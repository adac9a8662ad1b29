"""The commands of `tunepass`, one module each, loaded when it is asked for. They return text; only the cli prints."""
