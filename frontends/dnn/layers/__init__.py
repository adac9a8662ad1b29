"""Layers of Keras and PyTorch as operators."""
