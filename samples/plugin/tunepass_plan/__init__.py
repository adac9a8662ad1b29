"""A plug-in of tunepass: a language, its backend, a strategy, a surrogate and a device."""
