"""What ONNX moves: shapes, slices, joins, resizes."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.onnx.operators.products import lookup
from tunepass.frontends.onnx.operators.role import Rule
from tunepass.frontends.onnx.site import HUGE, Site, integers
from tunepass.frontends.onnx.values import Constant, Held, fitted, regrouped
from tunepass.graphs.values import product
from tunepass.ir.graph import Attribute, Shape


def reshape(site: Site) -> Sequence[Held]:
    target = site.listed("shape", 1)
    if target is None:
        raise site.error("the shape is not given")
    return site.put("Reshape", [site.tensor()], {"shape": reshape_target(site, target)})


def reshape_target(site: Site, target: Shape) -> Shape:
    """With zeros for sizes that stay, and following what varies."""
    shape, copied = site.shape(), []
    if not site.whole("allowzero", 0):
        copied = [k for k, size in enumerate(target) if algebra.number(size) == 0]
        if any(k >= len(shape) for k in copied):
            raise site.error(f"a size is to stay, of axes that there are not: its input has {len(shape)}")
    if site.varies and "shape" not in site.varied and not site.computed(1):
        followed = regrouped(target, copied, site.before(), shape)
        if followed is not None:
            return followed
    return tuple(shape[k] if k in copied else size for k, size in enumerate(target))


def flatten(site: Site) -> Sequence[Held]:
    rank = site.rank()
    axis = site.axis(1, rank)
    if axis == 1:
        return site.put("Flatten", [site.tensor()])
    shape = site.shape()
    return site.put("Reshape", [site.tensor()], {"shape": (product(shape[:axis]), product(shape[axis:]))})


def transpose(site: Site) -> Sequence[Held]:
    order = [site.fixed(item, "perm") for item in site.sizes("perm", list(range(site.rank()))[::-1])]
    return site.put("Transpose", [site.tensor()], {"order": integers(order)})


def squeeze(site: Site) -> Sequence[Held]:
    axes = site.axes(1, site.rank())
    if axes is None:
        axes = tuple(k for k, size in enumerate(site.before()) if size == 1)
    return site.put("Squeeze", [site.tensor()], {"axes": integers(axes)})


def unsqueeze(site: Site) -> Sequence[Held]:
    items = site.listed("axes", 1) or ()
    axes = site.axes(1, site.rank() + len(items)) or ()
    return site.put("Unsqueeze", [site.tensor()], {"axes": integers(axes)})


def pieces(site: Site) -> tuple[tuple[int, Expr | None, Expr | None, int], ...]:
    """Axis, begin, end and step of a slice; None: from the first, up to the last."""
    begins, ends = site.listed("starts", 1), site.listed("ends", 2)
    if begins is None or ends is None or len(begins) != len(ends):
        raise site.error("a slice has as many begins as ends")
    axes = site.axes(3, site.rank()) or tuple(range(len(begins)))
    steps = site.listed("steps", 4) or (algebra.lift(1),) * len(begins)
    if len(axes) != len(begins) or len(steps) != len(begins) or any(axis >= site.rank() for axis in axes):
        raise site.error("a slice has as many axes and steps as begins")
    found = []
    for axis, begin, end, stride in zip(axes, begins, ends, steps):
        step, first, last = site.fixed(stride, "steps"), algebra.number(begin), algebra.number(end)
        if step == 0:
            raise site.error("a step is never 0")
        whole_begin = (
            first == 0 or (first is not None and first <= -HUGE) if step > 0 else first in (-1,) or _huge(first)
        )
        whole_end = _huge(last) if step > 0 else last is not None and last <= -HUGE
        found.append((axis, None if whole_begin else begin, None if whole_end else end, step))
    return tuple(found)


def _huge(value: int | float | None) -> bool:
    return value is not None and value >= HUGE - 1


def cut(site: Site) -> Sequence[Held]:
    value = site.tensor()
    for axis, begin, end, step in pieces(site):
        shape, before = site.model.shape(value), site.before()[axis]
        attributes: dict[str, Attribute] = {}
        if step < 0:
            attributes["end"] = backwards(shape[axis], begin, end, -step)
        else:
            if begin is not None:
                attributes["begin"] = _followed(begin, before, shape[axis])
            if end is not None:
                attributes["end"] = _followed(end, before, shape[axis])
        (value,) = site.put("Slice", [value], attributes, axis=axis, step=max(step, 1))
    return [value]


def _followed(end: Expr, before: int | None, size: Expr) -> Expr:
    """The place where the axis ended in the file is where it ends now."""
    return size if before is not None and algebra.number(end) == before else end


def backwards(size: Expr, begin: Expr | None, end: Expr | None, step: int) -> Expr:
    """How many elements a slice takes from the end on: `[begin:end:-step]`."""
    last = algebra.sub(size, 1)
    first = last if begin is None else algebra.minimum(_counted(begin, size), last)
    stop = algebra.lift(-1) if end is None else algebra.maximum(_counted(end, size), -1)
    return algebra.maximum(algebra.ceildiv(algebra.sub(first, stop), step), 0)


def _counted(place: Expr, size: Expr) -> Expr:
    number = algebra.number(place)
    if number is not None:
        return algebra.add(size, place) if number < 0 else place
    return algebra.where(algebra.compare(place, "<", 0), algebra.add(size, place), place)


def split(site: Site) -> Sequence[Held]:
    axis = site.axis(0, site.rank())
    size, before = site.shape()[axis], site.before()[axis]
    parts = site.listed("split", 1)
    many = len(site.node.outputs)
    if parts is None:
        usual = algebra.ceildiv(size, many)
        parts = (usual,) * (many - 1) + (algebra.sub(size, algebra.mul(usual, many - 1)),)
        if algebra.number(usual) is None:
            parts = (usual,) * many
    elif before is not None and "split" not in site.varied and algebra.number(size) != before:
        parts = tuple(algebra.floordiv(algebra.mul(part, size), before) for part in parts)
    value = site.tensor()
    return [made for part in parts for made in site.put("Split", [value], {"size": part}, axis=axis)]


def concatenate(site: Site) -> Sequence[Held]:
    inputs = [site.tensor(k) for k in range(len(site.node.inputs)) if site.has(k)]
    return site.put("Concatenate", inputs, axis=site.whole("axis", 1))


def gather(site: Site) -> Sequence[Held]:
    data, indices = site.constant(0), site.constant(1)
    axis = site.axis(0, site.rank(0))
    if data is not None and data.root and len(data.dims) == 2 and axis == 0:
        return lookup(site, data)
    if indices is not None and not indices.dims:
        return site.put("Pick", [site.tensor(0)], axis=axis)
    return site.put("Gather", [site.tensor(0), site.tensor(1)], axis=axis)


def gather_elements(site: Site) -> Sequence[Held]:
    return site.put("GatherElements", [site.tensor(0), site.tensor(1)])


def gather_slices(site: Site) -> Sequence[Held]:
    """GatherND."""
    shared, indices, data = site.whole("batch_dims", 0), site.shape(1), site.shape(0)
    length = site.fixed(indices[-1], "the last size of the indices")
    shape = (*indices[:-1], *data[shared + length :])
    return site.put("Resample", [site.tensor(0)], {"shape": shape})


def pad(site: Site) -> Sequence[Held]:
    ends = site.listed("pads", 1)
    rank = site.rank()
    axes = site.axes(3, rank) or tuple(range(rank))
    if ends is None or len(ends) != 2 * len(axes):
        raise site.error(f"padding has a begin and an end of each of {len(axes)} axes")
    zero = algebra.lift(0)
    begin, end = [zero] * rank, [zero] * rank
    for k, axis in enumerate(axes):
        begin[axis], end[axis] = ends[k], ends[k + len(axes)]
    return site.put("Pad", [site.tensor()], {"begin": tuple(begin), "end": tuple(end)})


def tile(site: Site) -> Sequence[Held]:
    times = site.listed("repeats", 1)
    if times is None or len(times) != site.rank():
        raise site.error(f"a number of repetitions of each of {site.rank()} axes is needed")
    return site.put("Tile", [site.tensor()], {"times": times})


def expand(site: Site) -> Sequence[Held]:
    shape = site.listed("shape", 1)
    if shape is None:
        raise site.error("the shape is not given")
    if not site.computed(1) and "shape" not in site.varied:
        shape = fitted(shape, site.before(), site.shape())
    return site.put("Expand", [site.tensor()], {"shape": shape})


def resize(site: Site) -> Sequence[Held]:
    """To sizes, or by factors; of all axes, or of some."""
    old = site.opset < 11
    shape, rank = site.shape(), site.rank()
    scales = site.listed("scales", 1 if old else 2) or ()
    sizes = () if old else site.listed("sizes", 3) or ()
    axes = site.axes(99, rank) or tuple(range(rank))
    if len(sizes or scales) != len(axes):
        raise site.error(f"a size or a factor of each of {len(axes)} axes is needed")
    policy = site.word("keep_aspect_ratio_policy", "stretch") if sizes else "stretch"
    if policy != "stretch":
        scales = _same_factor(policy, [shape[axis] for axis in axes], sizes)
    by_size = bool(sizes) and policy == "stretch"
    target = list(shape)
    for k, axis in enumerate(axes):
        target[axis] = sizes[k] if by_size else _scaled(shape[axis], scales[k], rounded=policy != "stretch")
    mode = "nearest" if site.word("mode", "nearest") == "nearest" else "linear"
    if rank > 2 and set(axes) <= set(range(2, rank)) | _same(shape, target):
        return site.put("Resize", [site.tensor()], {"size": tuple(target[2:])}, mode=mode, layout="first")
    return site.put("Resample", [site.tensor()], {"shape": tuple(target)}, mode=mode)


def _same(shape: Shape, target: Sequence[Expr]) -> set[int]:
    """The axes that keep their size."""
    pairs = [(a, b, algebra.number(a)) for a, b in zip(shape, target)]
    return {k for k, (a, b, known) in enumerate(pairs) if a is b or (known is not None and known == algebra.number(b))}


def _same_factor(policy: str, shape: Sequence[Expr], sizes: Shape) -> tuple[Expr, ...]:
    factors = [algebra.div(new, old) for new, old in zip(sizes, shape)]
    factor = (algebra.minimum if policy == "not_larger" else algebra.maximum)(*factors)
    return (factor,) * len(sizes)


def _scaled(size: Expr, factor: Expr, rounded: bool = False) -> Expr:
    number, fixed = algebra.number(factor), algebra.number(size)
    if number is not None and number == int(number):
        return algebra.mul(size, int(number))
    if number is not None and fixed is not None:
        return algebra.lift(int(fixed * number + (0.5 if rounded else 0)))
    return algebra.apply("floor", algebra.add(algebra.mul(size, factor), 0.5 if rounded else 0))


def upsample(site: Site) -> Sequence[Held]:
    scales = site.listed("scales", 1)
    shape = site.shape()
    if scales is None or len(scales) != len(shape):
        raise site.error(f"a factor of each of {len(shape)} axes is needed")
    target = tuple(_scaled(size, factor) for size, factor in zip(shape, scales))
    mode = "nearest" if site.word("mode", "nearest") == "nearest" else "linear"
    return site.put("Resample", [site.tensor()], {"shape": target}, mode=mode)


def blocks(row: str) -> Rule:
    return lambda site: site.put(row, [site.tensor()], {"block": site.size("blocksize")})


def sampled(site: Site) -> Sequence[Held]:
    """GridSample: the places' sizes, in the first input's channels."""
    x, grid = site.shape(0), site.shape(1)
    return site.put("Resample", [site.tensor(0)], {"shape": (x[0], x[1], *grid[1:-1])}, mode="linear")


def places(site: Site) -> Sequence[Held]:
    """AffineGrid."""
    size = site.listed("size", 1)
    if not size:
        raise site.error("the size is not given")
    shape = (size[0], *size[2:], algebra.lift(len(size) - 2))
    return site.put("Resample", [site.tensor(0)], {"shape": shape}, mode="linear")


def centred(site: Site) -> Sequence[Held]:
    """CenterCropPad."""
    sizes, rank = site.listed("shape", 1), site.rank()
    axes = site.axes(99, rank) or tuple(range(rank))
    if sizes is None or len(sizes) != len(axes):
        raise site.error(f"a size of each of {len(axes)} axes is needed")
    target = list(site.shape())
    for axis, size in zip(axes, sizes):
        target[axis] = size
    return site.put("Resample", [site.tensor()], {"shape": tuple(target)})


def shape_of(site: Site) -> Sequence[Held]:
    rank = site.rank()
    begin, end = site.whole("start", 0), site.whole("end", rank)
    sizes = site.shape()[begin if begin >= -rank else 0 : end]
    return [Constant("", (algebra.lift(len(sizes)),), sizes)]


def size_of(site: Site) -> Sequence[Held]:
    return [Constant("", (), (product(site.shape()),))]


MOVEMENT: dict[str, Rule] = {
    "Reshape": reshape,
    "Flatten": flatten,
    "Transpose": transpose,
    "Squeeze": squeeze,
    "Unsqueeze": unsqueeze,
    "Slice": cut,
    "Split": split,
    "Concat": concatenate,
    "Gather": gather,
    "GatherElements": gather_elements,
    "GatherND": gather_slices,
    "Pad": pad,
    "Tile": tile,
    "Expand": expand,
    "Resize": resize,
    "Upsample": upsample,
    "DepthToSpace": blocks("DepthToSpace"),
    "SpaceToDepth": blocks("SpaceToDepth"),
    "GridSample": sampled,
    "AffineGrid": places,
    "CenterCropPad": centred,
    "Shape": shape_of,
    "Size": size_of,
}
