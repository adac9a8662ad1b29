"""Dialogues with a running harness, and the samples that it reports."""
