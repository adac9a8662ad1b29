"""Tune a module through MLIR's Python bindings: `python tune.py matmul.mlir > matmul.tuned.mlir`.

Each choice of the knobs is judged by price.py in a process of its own.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from torch_mlir import ir

from tunepass.integrations import mlir

PRICE = Path(__file__).with_name("price.py")


def main() -> None:
    with ir.Context() as context:
        context.allow_unregistered_dialects = True  # for the attributes tunepass.knobs
        module = ir.Module.parse(Path(sys.argv[1]).read_text())
        result = mlir.tune(module, mlir.Command(shlex.join([sys.executable, str(PRICE), "{}"])), max_evals=16)
        sys.stderr.write(f"{dict(result.choice)}: {result.found.gains[0].sentence()}\n")
        sys.stdout.write(f"{module}\n")


if __name__ == "__main__":
    main()
