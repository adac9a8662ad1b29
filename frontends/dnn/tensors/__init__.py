"""Functions of tensors that are no layers."""
