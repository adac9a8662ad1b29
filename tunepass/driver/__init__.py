"""From a path to kernels, and from kernels to a pipeline that tunes them: what commands and `tp.load` are made of."""
