"""`Study.optimize`: its loop, intermediate values, and pruners."""
