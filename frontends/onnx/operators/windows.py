"""Convolutions and poolings of ONNX: channels stand first, a pool's stride is 1 unless it says otherwise, and padding
is a word or the begins and ends of all axes."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.dnn.interpreter.values import TensorValue
from tunepass.frontends.onnx.operators.role import Rule
from tunepass.frontends.onnx.site import Site
from tunepass.frontends.onnx.values import Constant, Held
from tunepass.graphs.values import product, total
from tunepass.ir.graph import Attribute, Shape

AUTO = {"NOTSET": "", "VALID": "valid", "SAME_UPPER": "same", "SAME_LOWER": "same"}


def padding(site: Site, axes: int) -> Attribute:
    word = AUTO.get(site.word("auto_pad", "NOTSET"))
    if word is None:
        raise site.error(f"there is no padding {site.word('auto_pad', '')!r}")
    if word:
        return word
    ends = site.sizes("pads", [0] * 2 * axes)
    if len(ends) != 2 * axes:
        raise site.error(f"'pads' has a begin and an end of each of {axes} axes, not {len(ends)} numbers")
    return tuple((ends[k], ends[k + axes]) for k in range(axes))


def window(site: Site, axes: int, kernel: Shape) -> dict[str, Attribute]:
    """What slides: its size, steps and padding."""
    return {
        "kernel": kernel,
        "stride": site.sizes("strides", [1] * axes),
        "dilation": site.sizes("dilations", [1] * axes),
        "padding": padding(site, axes),
        "layout": "first",
    }


def kernel_of(site: Site, weights: int) -> Shape:
    """The window's size: an attribute, or what the weights say."""
    axes = site.rank(0) - 2
    shape = site.shape(weights)
    if axes < 1 or len(shape) != axes + 2:
        raise site.error(f"weights of {len(shape)} sizes do not fit an input of {site.rank(0)}")
    return site.sizes("kernel_shape", shape[2:])


def groups(site: Site, channels: Expr, before: int | None) -> tuple[Expr, bool]:
    """How many, and whether each channel is one: then there are as many as there are channels now."""
    stated = site.size("group", 1)
    depthwise = before not in (None, 1) and algebra.number(stated) == before and "group" not in site.varied
    return (channels if depthwise else stated), depthwise


def convolution(site: Site, x: int = 0, weights: int = 1, bias: int = 2, row: str = "Conv") -> Sequence[Held]:
    axes, shape = site.rank(x) - 2, site.shape(weights)
    channels, before = site.shape(x)[1], site.before(x)[1]
    kernel = kernel_of(site, weights)
    group, depthwise = groups(site, channels, before)
    filters, per_group = algebra.number(shape[0]), algebra.number(shape[1])
    stated = algebra.number(site.size("group", 1))
    if None not in (before, per_group, stated) and per_group * stated != before:  # type: ignore[operator]
        raise site.error(f"its weights are of {per_group * stated} channels, its input has {before}")  # type: ignore[operator]
    usual = algebra.mul(int(filters) // before, channels) if depthwise and filters and before else shape[0]
    attributes: dict[str, Attribute] = {
        **window(site, axes, kernel),
        "filters": site.size("filters", usual),
        "groups": group,
        "bias": algebra.lift(int(site.has(bias))),
    }
    inputs = [site.tensor(x)]
    used = [weights, bias]
    if row == "DeformConv":
        inputs, used = [site.tensor(0), site.tensor(2)], [1, 3]
        attributes["bias"] = algebra.lift(int(site.has(3)))
    return site.layer(row, inputs, used, attributes)


def quantised(site: Site) -> Sequence[Held]:
    return convolution(site, 0, 3, 8)


def plain_integers(site: Site) -> Sequence[Held]:
    return convolution(site, 0, 1, 99)


def deformable(site: Site) -> Sequence[Held]:
    return convolution(site, 0, 1, 3, "DeformConv")


def transposed(site: Site) -> Sequence[Held]:
    axes, shape = site.rank(0) - 2, site.shape(1)
    kernel = kernel_of(site, 1)
    channels, before = site.shape(0)[1], site.before(0)[1]
    if before is not None and algebra.number(shape[0]) not in (None, before):
        raise site.error(f"its weights are of {algebra.number(shape[0])} channels, its input has {before}")
    group, depthwise = groups(site, channels, before)
    usual = channels if depthwise and algebra.number(shape[1]) == 1 else algebra.mul(shape[1], site.size("group", 1))
    sliding = window(site, axes, kernel)
    attributes: dict[str, Attribute] = {
        **sliding,
        "filters": site.size("filters", usual),
        "groups": group,
        "bias": algebra.lift(int(site.has(2))),
        "extra": site.sizes("output_padding", [0] * axes),
    }
    if site.given("output_shape") is not None:
        sizes = site.sizes("output_shape")[-axes:]
        strides, dilations = site.sizes("strides", [1] * axes), site.sizes("dilations", [1] * axes)
        attributes["padding"] = "valid"
        attributes["extra"] = tuple(
            algebra.sub(
                o, total([algebra.mul(algebra.sub(i, 1), s), algebra.mul(d, algebra.sub(k, 1)), algebra.lift(1)])
            )
            for o, i, s, d, k in zip(sizes, site.shape(0)[2:], strides, dilations, kernel)
        )
    return site.layer("ConvTranspose", [site.tensor()], [1, 2], attributes)


def columns(site: Site) -> Sequence[Held]:
    """Col2Im."""
    sizes, block = site.listed("image_shape", 1), site.listed("block_shape", 2)
    if sizes is None or block is None:
        raise site.error("the sizes of the image and of the block are needed")
    return site.put("Fold", [site.tensor()], {"size": sizes, "kernel": block})


CLIPPED_SINCE = 22  # the version from which on a last window that begins in the padding is not counted


def pool(row: str) -> Rule:
    def rule(site: Site) -> Sequence[Held]:
        axes = site.rank() - 2
        attributes = window(site, axes, site.sizes("kernel_shape"))
        up = site.whole("ceil_mode", 0)
        if attributes["padding"] == "valid" and up:
            zero = algebra.lift(0)
            attributes["padding"] = ((zero, zero),) * axes
        if up and site.opset < CLIPPED_SINCE and isinstance(attributes["padding"], tuple):
            strides, up = site.sizes("strides", [1] * axes), 0
            ends = attributes["padding"]
            attributes["padding"] = tuple(
                (pair[0], algebra.add(pair[1], algebra.sub(stride, 1)))  # type: ignore[arg-type]
                for pair, stride in zip(ends, strides)
                if isinstance(pair, tuple)
            )
        made = site.put(row, [site.tensor()], attributes, ceil=up)
        return [made[0], made[0]]  # the places of the largest have the same shape

    return rule


def whole_pool(row: str) -> Rule:
    """Over all that is neither the batch nor the channels."""

    def rule(site: Site) -> Sequence[Held]:
        if row != "Norm":
            return site.put(row, [site.tensor()], keep=1, layout="first")
        axes = tuple(algebra.lift(axis) for axis in range(2, site.rank()))
        return site.put(row, [site.tensor()], {"axes": axes}, keep=1)

    return rule


def unpool(site: Site) -> Sequence[Held]:
    axes = site.rank() - 2
    kernel, stride = site.sizes("kernel_shape"), site.sizes("strides", [1] * axes)
    stated = site.listed("output_shape", 2) if site.has(2) else None
    if stated is not None:
        return site.put("Resample", [site.tensor()], {"shape": stated})
    attributes: dict[str, Attribute] = {"kernel": kernel, "stride": stride, "padding": padding(site, axes)}
    return site.put("MaxUnpool", [site.tensor(0), site.tensor(1)], attributes)


def regions(site: Site) -> Sequence[Held]:
    size = (site.size("output_height", 1), site.size("output_width", 1))
    samples = site.size("sampling_ratio", 0)
    attributes: dict[str, Attribute] = {"size": size}
    if algebra.number(samples) != 0:
        attributes["samples"] = samples
    return site.put("RoiAlign", [site.tensor(0), site.tensor(1)], attributes)


def largest_regions(site: Site) -> Sequence[Held]:
    return site.put("MaxRoiPool", [site.tensor(0), site.tensor(1)], {"size": site.sizes("pooled_shape")})


def normalisation(site: Site) -> Sequence[Held]:
    made = site.layer("BatchNorm", [site.tensor()], [1, 2, 3, 4], layout="first")
    statistics: list[TensorValue] = []
    for name in site.node.outputs[1:]:
        if name:
            axes = tuple(algebra.lift(axis) for axis in range(site.rank()) if axis != 1)
            statistics += site.put("ReduceMean", [site.tensor()], {"axes": axes})
    return [made[0], *statistics]


def instance(site: Site) -> Sequence[Held]:
    return site.layer("InstanceNorm", [site.tensor()], [1, 2], scale=1, center=1, layout="first")


def grouped(site: Site) -> Sequence[Held]:
    """Up to version 20 a group has one scale."""
    scale = site.constant(1)
    by_group = scale is not None and algebra.number(product(scale.dims)) != algebra.number(site.shape()[1])
    has = int(not by_group)
    attributes: dict[str, Attribute] = {"groups": site.size("num_groups")}
    return site.layer("GroupNorm", [site.tensor()], [1, 2], attributes, scale=has, center=has, layout="first")


def along_last(row: str) -> Rule:
    """Over the axes from one on; mean and deviation have a size of 1 there."""

    def rule(site: Site) -> Sequence[Held]:
        rank = site.rank()
        first = site.axis(-1, rank)
        axes = tuple(algebra.lift(axis) for axis in range(first, rank))
        more: dict[str, int] = {"center": int(site.has(2))} if row == "LayerNorm" else {}
        made: list[Held] = [*site.layer(row, [site.tensor()], [1, 2], {"axes": axes}, **more)]
        for name in site.node.outputs[1:]:
            made += site.put("ReduceMean", [site.tensor()], {"axes": axes}, keep=1) if name else [Constant("", ())]
        return made

    return rule


def mean_variance(site: Site) -> Sequence[Held]:
    axes = site.axes(99, site.rank()) or (0, 2, 3)
    chosen = tuple(algebra.lift(axis) for axis in axes)
    return site.put("LayerNorm", [site.tensor()], {"axes": chosen}, scale=0, center=0)


def local_response(site: Site) -> Sequence[Held]:
    return site.put("LocalResponseNorm", [site.tensor()], {"size": site.size("size")})


WINDOWS: dict[str, Rule] = {
    "Conv": convolution,
    "ConvInteger": plain_integers,
    "QLinearConv": quantised,
    "DeformConv": deformable,
    "ConvTranspose": transposed,
    "Col2Im": columns,
    "MaxPool": pool("MaxPool"),
    "AveragePool": pool("AveragePool"),
    "LpPool": pool("LpPool"),
    "GlobalMaxPool": whole_pool("GlobalMaxPool"),
    "GlobalAveragePool": whole_pool("GlobalAveragePool"),
    "GlobalLpPool": whole_pool("Norm"),
    "MaxUnpool": unpool,
    "RoiAlign": regions,
    "MaxRoiPool": largest_regions,
    "BatchNormalization": normalisation,
    "InstanceNormalization": instance,
    "GroupNormalization": grouped,
    "LayerNormalization": along_last("LayerNorm"),
    "RMSNormalization": along_last("RMSNorm"),
    "MeanVarianceNormalization": mean_variance,
    "LRN": local_response,
}
