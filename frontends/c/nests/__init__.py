"""Loop nests of a C kernel: their spaces, probes and rewritten text."""
