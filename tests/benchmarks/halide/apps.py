"""Four pipelines of Halide from the algorithms' definitions, without schedules.

blur            a 3 x 3 box filter of 16-bit integers in two passes
unsharp         unsharp masking of an RGB image: luminance, a 7 x 7 Gaussian blur in two passes, the sharpened ratio
bilateral_grid  Chen, Paris, Durand 2007: a histogram over space and intensity, blurred along each axis, sliced
matmul          a product of matrices of single precision
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import halide as hl
from tunepass.integrations.halide import Algorithm


def blur() -> Algorithm:
    x, y = hl.vars("x y")
    image = hl.ImageParam(hl.UInt(16), 2, "input")
    clamped = hl.BoundaryConditions.repeat_edge(image)
    across, result = hl.Func("across"), hl.Func("blur")
    across[x, y] = (clamped[x - 1, y] + clamped[x, y] + clamped[x + 1, y]) // 3
    result[x, y] = (across[x, y - 1] + across[x, y] + across[x, y + 1]) // 3
    return Algorithm(result, (1536, 1024), shapes={"input": (1536, 1024)}, ranges={"input": (0, 16383)})


def unsharp() -> Algorithm:
    x, y, c = hl.vars("x y c")
    image = hl.ImageParam(hl.Float(32), 3, "input")
    clamped = hl.BoundaryConditions.repeat_edge(image)
    weights = [math.exp(-i * i / (2 * 1.5**2)) for i in range(4)]
    total = weights[0] + 2 * sum(weights[1:])
    weights = [hl.f32(weight / total) for weight in weights]
    gray, down, across = hl.Func("gray"), hl.Func("down"), hl.Func("across")
    sharpened, ratio, result = hl.Func("sharpened"), hl.Func("ratio"), hl.Func("unsharp")
    gray[x, y] = hl.f32(0.299) * clamped[x, y, 0] + hl.f32(0.587) * clamped[x, y, 1] + hl.f32(0.114) * clamped[x, y, 2]
    down[x, y] = weights[0] * gray[x, y] + sum(
        (weights[i] * (gray[x, y - i] + gray[x, y + i]) for i in range(1, 4)), hl.f32(0)
    )
    across[x, y] = weights[0] * down[x, y] + sum(
        (weights[i] * (down[x - i, y] + down[x + i, y]) for i in range(1, 4)), hl.f32(0)
    )
    sharpened[x, y] = 2 * gray[x, y] - across[x, y]
    ratio[x, y] = sharpened[x, y] / gray[x, y]
    result[x, y, c] = ratio[x, y] * clamped[x, y, c]
    return Algorithm(result, (768, 512, 3), shapes={"input": (768, 512, 3)}, ranges={"input": (0.1, 1)})


def bilateral_grid() -> Algorithm:
    x, y, z, c = hl.vars("x y z c")
    cell, steps = 8, 10  # pixels of a cell along each axis, cells along the intensity
    image = hl.ImageParam(hl.Float(32), 2, "input")
    clamped = hl.BoundaryConditions.repeat_edge(image)
    r = hl.RDom([(0, cell), (0, cell)], "r")
    value = hl.clamp(clamped[x * cell + r.x - cell // 2, y * cell + r.y - cell // 2], 0.0, 1.0)
    level = hl.i32(value * steps + 0.5)
    grid = hl.Func("grid")
    grid[x, y, z, c] = hl.f32(0)
    grid[x, y, level, c] += hl.select(c == 0, value, 1.0)
    along_z, along_x, along_y = hl.Func("along_z"), hl.Func("along_x"), hl.Func("along_y")

    def smooth(get: Callable[[int], hl.Expr]) -> hl.Expr:
        return get(-2) + 4 * get(-1) + 6 * get(0) + 4 * get(1) + get(2)

    along_z[x, y, z, c] = smooth(lambda i: grid[x, y, z + i, c])
    along_x[x, y, z, c] = smooth(lambda i: along_z[x + i, y, z, c])
    along_y[x, y, z, c] = smooth(lambda i: along_x[x, y + i, z, c])
    here = hl.clamp(image[x, y], 0.0, 1.0) * steps
    zi = hl.i32(here)
    zf, xf, yf = here - zi, hl.f32(x % cell) / cell, hl.f32(y % cell) / cell
    xi, yi = x // cell, y // cell
    sliced, result = hl.Func("sliced"), hl.Func("bilateral_grid")
    sliced[x, y, c] = hl.lerp(
        hl.lerp(
            hl.lerp(along_y[xi, yi, zi, c], along_y[xi + 1, yi, zi, c], xf),
            hl.lerp(along_y[xi, yi + 1, zi, c], along_y[xi + 1, yi + 1, zi, c], xf),
            yf,
        ),
        hl.lerp(
            hl.lerp(along_y[xi, yi, zi + 1, c], along_y[xi + 1, yi, zi + 1, c], xf),
            hl.lerp(along_y[xi, yi + 1, zi + 1, c], along_y[xi + 1, yi + 1, zi + 1, c], xf),
            yf,
        ),
        zf,
    )
    result[x, y] = sliced[x, y, 0] / sliced[x, y, 1]
    return Algorithm(result, (768, 512), shapes={"input": (768, 512)}, ranges={"input": (0, 1)})


def matmul() -> Algorithm:
    x, y, n = hl.Var("x"), hl.Var("y"), 384
    a, b = hl.ImageParam(hl.Float(32), 2, "a"), hl.ImageParam(hl.Float(32), 2, "b")
    k = hl.RDom([(0, n)], "k")
    product, result = hl.Func("product"), hl.Func("matmul")
    product[x, y] += a[k, y] * b[x, k]
    result[x, y] = product[x, y]
    return Algorithm(result, (n, n), shapes={"a": (n, n), "b": (n, n)})


APPS: Mapping[str, Callable[[], Algorithm]] = {
    "blur": blur,
    "unsharp": unsharp,
    "bilateral_grid": bilateral_grid,
    "matmul": matmul,
}
