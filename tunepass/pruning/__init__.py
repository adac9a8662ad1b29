"""Pruning: the configurations that limits leave before anything runs, counted and listed, with reasons."""
