"""Locks of sources: read, signed, and compared with the sources."""
