"""Tune LLVM's passes for one function: `python tune_matmul.py [EVALUATIONS]`; docs/llvm.md.

matmul.ll: clang -O0 -Xclang -disable-O0-optnone -S -emit-llvm matmul.c
"""

import sys
from pathlib import Path

import tunepass as tp
from tunepass.integrations import llvm

HERE = Path(__file__).parent


def main(evaluations: int) -> None:
    function = llvm.Function(
        tp.Source("matmul.ll", (HERE / "matmul.ll").read_text()),
        "matmul",
        {
            "n": llvm.Scalar(96),
            "a": llvm.Array("double", "n * n", "in"),
            "b": llvm.Array("double", "n * n", "in"),
            "c": llvm.Array("double", "n * n", "out"),
        },
    )
    result = llvm.tune(function, max_evals=evaluations)
    for file in result.compilation.files:
        Path(file.name).write_text(file.text)
    print(*(gain.sentence() for gain in result.found.gains), sep="\n")
    print("wrote", ", ".join(file.name for file in result.compilation.files))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
