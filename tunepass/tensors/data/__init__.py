"""The numbers of tensors: read, generated, packed level by level, cached, and described by statistics."""
