"""Knobs in modules of MLIR, tuned by a pass of xDSL: `xdsl-opt -p 'tunepass{...}'`. docs/mlir.md."""
