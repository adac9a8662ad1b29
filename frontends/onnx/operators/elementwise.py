"""What ONNX computes element by element, and over axes."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.expr import algebra
from tunepass.frontends.onnx.operators.role import Rule
from tunepass.frontends.onnx.site import Site, integers
from tunepass.frontends.onnx.values import Constant, Held, count, fitted
from tunepass.graphs.values import product
from tunepass.ir.graph import Attribute

KNOWN_LIMIT = 1_024  # elements of a filled tensor whose numbers are followed
UNARY = {
    "Relu": "ReLU",
    "LeakyRelu": "LeakyReLU",
    "ThresholdedRelu": "ThresholdedReLU",
    "Elu": "ELU",
    "Selu": "SELU",
    "Celu": "CELU",
    "Sigmoid": "Sigmoid",
    "HardSigmoid": "HardSigmoid",
    "Tanh": "Tanh",
    "Softplus": "Softplus",
    "Softsign": "Softsign",
    "Softmax": "Softmax",
    "LogSoftmax": "LogSoftmax",
    "HardSwish": "HardSwish",
    "Swish": "SiLU",
    "Gelu": "GELU",
    "Mish": "Mish",
    "Sqrt": "Sqrt",
    "Exp": "Exp",
    "Log": "Log",
    "Abs": "Abs",
    "Neg": "Negate",
    "Erf": "Erf",
    "Clip": "Clip",
    "Identity": "Identity",
    "LpNormalization": "UnitNorm",
    "RotaryEmbedding": "RotaryEmbedding",
    **dict.fromkeys(
        (
            *("Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Cos", "Cosh", "Sin", "Sinh", "Tan", "Ceil", "Floor"),
            *("Round", "Sign", "Reciprocal", "Not", "BitwiseNot", "IsNaN", "IsInf", "Hardmax", "Shrink", "Bernoulli"),
            *("QuantizeLinear", "DequantizeLinear", "Trilu", "ReverseSequence", "EyeLike"),
            *("RandomNormalLike", "RandomUniformLike"),
        ),
        "Elementwise",
    ),
}
SEVERAL = {
    "Add": "Add",
    "Sub": "Subtract",
    "Mul": "Multiply",
    "Div": "Divide",
    "Pow": "Power",
    "Max": "Maximum",
    "Min": "Minimum",
    "Mean": "Average",
    "Sum": "Add",
    "Where": "Where",
    **dict.fromkeys(("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"), "Compare"),
    **dict.fromkeys(("And", "Or", "Xor", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitShift", "Mod"), "Elementwise"),
}
WITH_NUMBER = {"Add": "AddScalar", "Sub": "AddScalar", "Mul": "Scale", "Div": "Scale"}
REDUCTIONS = {
    "ReduceSum": "ReduceSum",
    "ReduceMean": "ReduceMean",
    "ReduceMax": "ReduceMax",
    "ReduceMin": "ReduceMax",
    "ReduceProd": "ReduceProduct",
    **dict.fromkeys(("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"), "Norm"),
}


def unary(row: str) -> Rule:
    return lambda site: site.put(row, [site.tensor()])


def several(operator: str, row: str) -> Rule:
    def rule(site: Site) -> Sequence[Held]:
        number = WITH_NUMBER.get(operator)
        if number and len(site.node.inputs) == 2:
            for k in (0, 1):
                constant = site.constant(k)
                if constant is not None and not constant.dims and site.constant(1 - k) is None:
                    return site.put(number, [site.tensor(1 - k)])
        return site.put(row, site.tensors())

    return rule


def prelu(site: Site) -> Sequence[Held]:
    """With a slope for each element, or for those of some axes."""
    slope = site.constant(1)
    if slope is None:
        return site.put("Multiply", site.tensors())
    shape = fitted(slope.dims, site.before(), site.shape())
    return site.layer("PReLU", [site.tensor()], [1], {"count": product(shape)})


def dropout(site: Site) -> Sequence[Held]:
    ratio = site.numbers(1) or ((site.size("ratio", algebra.lift(0.5)),))
    made = site.put("Dropout", [site.tensor()], {"rate": ratio[0]})
    return [made[0], made[0]]


def cast(site: Site) -> Sequence[Held]:
    return site.put("Cast", [site.tensor()], element="float32")


def reduction(row: str) -> Rule:
    def rule(site: Site) -> Sequence[Held]:
        rank = site.rank()
        axes = site.axes(1, rank)
        if not axes and site.whole("noop_with_empty_axes", 0):
            return site.put("Identity", [site.tensor()])
        chosen: dict[str, Attribute] = {"axes": integers(axes or range(rank))}
        return site.put(row, [site.tensor()], chosen, keep=site.whole("keepdims", 1))

    return rule


def largest_place(site: Site) -> Sequence[Held]:
    axis = site.axis(0, site.rank())
    return site.put("ArgMax", [site.tensor()], axes=(axis,), keep=site.whole("keepdims", 1))


def largest(site: Site) -> Sequence[Held]:
    k = site.listed("k", 1)
    if not k:
        raise site.error("the number of elements is not given")
    return site.put("TopK", [site.tensor()], {"k": k[0]}, axis=site.axis(-1, site.rank()))


def running_sum(site: Site) -> Sequence[Held]:
    axis = site.axes(1, site.rank(), "axis")
    return site.put("CumSum", [site.tensor()], axis=axis[0] if axis else -1)


def placed(site: Site) -> Sequence[Held]:
    """OneHot: a new axis, as long as there are classes."""
    depth = site.listed("depth", 1)
    if not depth:
        raise site.error("the number of classes is not given")
    rank = site.rank() + 1
    at = site.axis(-1, rank)
    shape = site.shape()
    return site.put("OneHot", [site.tensor()], {"shape": (*shape[:at], depth[0], *shape[at:])})


def as_first(site: Site) -> Sequence[Held]:
    """What changes some elements of the first input."""
    return site.put("Elementwise", [site.tensor()])


def ranged(site: Site) -> Sequence[Held]:
    """Range, of numbers that are known up to parameters: how many there are is known then."""
    ends = [site.numbers(k) for k in range(3)]
    if any(end is None for end in ends):
        raise site.error(
            "how many numbers there are depends on what goes in",
            f"say so in a tune.yaml: `shapes: {{{site.node.outputs[0]}: [...]}}`",
        )
    begin, end, step = (numbers[0] for numbers in ends if numbers)
    length = algebra.maximum(algebra.ceildiv(algebra.sub(end, begin), step), 0)
    return site.put("Constant", [], {"shape": (length,)})


def filled(site: Site) -> Sequence[Held]:
    """ConstantOfShape and random numbers: a shape that is given."""
    shape = site.listed("shape", 0)
    if shape is None:
        raise site.error("the shape is not given")
    given = site.node.attributes.get("value")
    value = algebra.lift(given) if isinstance(given, (int, float)) else None
    number = count(shape)
    if number is None or site.node.operator != "ConstantOfShape":
        return site.put("Constant", [], {"shape": shape})
    element = "float32" if value is None or isinstance(algebra.number(value), float) else "int64"
    items = (value or algebra.lift(0),) * number if number <= KNOWN_LIMIT else None
    return [Constant("" if items else site.node.outputs[0], shape, items, element)]


def weights_of_window(site: Site) -> Sequence[Held]:
    """HannWindow and its like."""
    size = site.numbers(0)
    if not size:
        raise site.error("its length depends on what goes in")
    return site.put("Constant", [], {"shape": (size[0],)})


def sampled(site: Site) -> Sequence[Held]:
    """Multinomial."""
    return site.put("Constant", [], {"shape": (site.shape()[0], site.size("sample_size", 1))})


ELEMENTWISE: dict[str, Rule] = {
    **{operator: unary(row) for operator, row in UNARY.items()},
    **{operator: several(operator, row) for operator, row in SEVERAL.items()},
    **{operator: reduction(row) for operator, row in REDUCTIONS.items()},
    **dict.fromkeys(("ScatterElements", "ScatterND", "Scatter", "TensorScatter"), as_first),
    **dict.fromkeys(("ConstantOfShape", "RandomNormal", "RandomUniform"), filled),
    **dict.fromkeys(("HannWindow", "HammingWindow", "BlackmanWindow"), weights_of_window),
    "Multinomial": sampled,
    "PRelu": prelu,
    "Dropout": dropout,
    "Cast": cast,
    "CastLike": cast,
    "BitCast": cast,
    "ArgMax": largest_place,
    "ArgMin": largest_place,
    "TopK": largest,
    "CumSum": running_sum,
    "CumProd": running_sum,
    "OneHot": placed,
    "Range": ranged,
}
