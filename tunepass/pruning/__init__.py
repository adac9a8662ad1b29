"""Which configurations limits leave, before anything runs: counted, listed, and why there are no more."""
