"""Tune the schedule of a blur: `python blur.py [EVALUATIONS]`; docs/halide.md."""

import sys
from pathlib import Path

import halide as hl

from tunepass.integrations import halide


def blur() -> hl.Func:
    x, y = hl.vars("x y")
    image = hl.ImageParam(hl.UInt(16), 2, "image")
    clamped = hl.BoundaryConditions.repeat_edge(image)
    blur_x, blur_y = hl.funcs("blur_x blur_y")
    blur_x[x, y] = (clamped[x - 1, y] + clamped[x, y] + clamped[x + 1, y]) // 3
    blur_y[x, y] = (blur_x[x, y - 1] + blur_x[x, y] + blur_x[x, y + 1]) // 3
    return blur_y


def main(evaluations: int) -> None:
    algorithm = halide.Algorithm(blur(), (640, 480), shapes={"image": (640, 480)}, ranges={"image": (0, 1023)})
    result = halide.tune(algorithm, max_evals=evaluations)
    for file in result.compilation.files:
        Path(file.name).write_text(file.text)
    print(*(gain.sentence() for gain in result.found.gains), sep="\n")
    print("wrote", ", ".join(file.name for file in result.compilation.files))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
