"""Matrix products, dense layers, recurrent layers and attention of ONNX."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.dnn.interpreter.values import TensorValue
from tunepass.frontends.onnx.operators.role import Rule
from tunepass.frontends.onnx.site import Site
from tunepass.frontends.onnx.values import Constant, Held
from tunepass.ir.graph import Attribute, Shape


def matrices(a: int, b: int) -> Rule:
    """A product; one with weights of two sizes is a dense layer."""

    def rule(site: Site) -> Sequence[Held]:
        weights = site.constant(b)
        if weights is not None and len(weights.dims) == 2 and site.rank(a) >= 2:
            return dense(site, a, b, weights.dims, bias=None)
        if site.rank(a) == 1 or site.rank(b) == 1:
            return _with_vectors(site, a, b)
        return site.put("MatMul", [site.tensor(a), site.tensor(b)])

    return rule


def _with_vectors(site: Site, a: int, b: int) -> Sequence[Held]:
    """NumPy's rule: a vector is a row on the left and a column on the right, and the size of 1 goes again."""
    left, right = site.tensor(a), site.tensor(b)
    row, column = site.rank(a) == 1, site.rank(b) == 1
    if row:
        (left,) = site.put("Unsqueeze", [left], axes=(0,))
    if column:
        (right,) = site.put("Unsqueeze", [right], axes=(1,))
    (made,) = site.put("MatMul", [left, right])
    gone = ((-2,) if row else ()) + ((-1,) if column else ())
    return site.put("Squeeze", [made], axes=gone)


def dense(site: Site, x: int, weights: int, dims: Shape, bias: int | None) -> Sequence[Held]:
    """`dims` are the inner and the outer size."""
    before, inner = site.before(x)[-1], algebra.number(dims[0])
    if before is not None and inner is not None and before != inner:
        raise site.error(f"its weights are of {inner} features, its input has {before}")
    used = [weights] if bias is None else [weights, bias]
    attributes: dict[str, Attribute] = {"units": site.size("units", dims[1])}
    return site.layer("Dense", [site.tensor(x)], used, attributes, bias=int(bias is not None))


def gemm(site: Site) -> Sequence[Held]:
    across, turned = site.whole("transA", 0), site.whole("transB", 0)
    weights, bias = site.constant(1), site.constant(2)
    if site.rank(0) != 2 or site.rank(1) != 2:
        raise site.error(f"both operands are matrices, not of {site.rank(0)} and {site.rank(1)} sizes")
    if weights is not None and not across:
        dims = (weights.dims[1], weights.dims[0]) if turned else weights.dims
        vector = bias is not None and (len(bias.dims) == 1 or algebra.number(bias.dims[0]) == 1)
        made = dense(site, 0, 1, dims, 2 if vector else None)
        if site.has(2) and not vector:
            return site.put("Add", [_tensor(made[0]), site.tensor(2)])
        return made
    made = site.put("MatMul", [site.tensor(0), site.tensor(1)], transpose_x=across, transpose_y=turned)
    return site.put("Add", [_tensor(made[0]), site.tensor(2)]) if site.has(2) else made


def _tensor(value: Held) -> TensorValue:
    assert isinstance(value, TensorValue)
    return value


def einsum(site: Site) -> Sequence[Held]:
    inputs = [site.tensor(k) for k in range(len(site.node.inputs))]
    return site.put("Einsum", inputs, equation=site.word("equation", ""))


def recurrent(row: str, gates: int) -> Rule:
    def rule(site: Site) -> Sequence[Held]:
        batch_first = bool(site.whole("layout", 0))
        shape = site.shape()
        if len(shape) != 3:
            raise site.error(f"its input has steps, a batch and features, not {len(shape)} sizes")
        steps, batch = (shape[1], shape[0]) if batch_first else (shape[0], shape[1])
        both = 2 if site.word("direction", "forward") == "bidirectional" else 1
        units = site.size("hidden_size", algebra.floordiv(site.shape(1)[1], gates))
        attributes: dict[str, Attribute] = {"units": units}
        more: dict[str, int] = {"biases": 2 if site.has(3) else 0, "directions": both, "sequences": 1}
        if row == "LSTM":
            more["peephole"] = int(site.has(7))
        x = [site.tensor()]
        made = site.layer(row, x, [1, 2, 3, 7], attributes, **more, steps_first=int(not batch_first))
        sides = algebra.lift(both)
        whole = (batch, steps, sides, units) if batch_first else (steps, sides, batch, units)
        (sequence,) = site.put("Reshape", [made[0]], {"shape": whole})
        states: list[Held] = []
        for state in made[1:]:
            states += site.put("Reshape", [state], {"shape": (batch, sides, units)}) if batch_first else [state]
        return [sequence, *states]

    return rule


def attention(site: Site) -> Sequence[Held]:
    """Of heads that stand in an axis of their own, or side by side in the last one; what came before is joined on."""
    query, key, value = (site.tensor(k) for k in range(3))
    flat = site.rank(0) == 3
    if flat:
        heads, shared = site.size("q_num_heads"), site.size("kv_num_heads")
        query, key, value = (
            _split(site, part, site.shape(k), heads if k == 0 else shared) for k, part in enumerate((query, key, value))
        )
    past = [k for k in (4, 5) if site.has(k)]
    if len(past) == 2:
        (key,) = site.put("Concatenate", [site.tensor(4), key], axis=2)
        (value,) = site.put("Concatenate", [site.tensor(5), value], axis=2)
    (made,) = site.put("Attention", [query, value, key])
    present: list[Held] = [key, value]
    if not flat:
        return [made, *present]
    shape = site.model.shape(made)
    (turned,) = site.put("Transpose", [made], order=(0, 2, 1, 3))
    joined = (shape[0], shape[2], algebra.mul(shape[1], shape[3]))
    return [*site.put("Reshape", [turned], {"shape": joined}), *present]


def _split(site: Site, part: TensorValue, shape: Shape, heads: Expr) -> TensorValue:
    """N, length, heads x width as N, heads, length, width."""
    parts = (shape[0], shape[1], heads, algebra.floordiv(shape[2], heads))
    (split,) = site.put("Reshape", [part], {"shape": parts})
    return site.put("Transpose", [split], order=(0, 2, 1, 3))[0]


def determinant(site: Site) -> Sequence[Held]:
    axes = (site.rank() - 2, site.rank() - 1)
    return site.put("ReduceProduct", [site.tensor()], axes=axes)


def lookup(site: Site, weights: Constant) -> Sequence[Held]:
    """Rows of weights by number: an embedding."""
    attributes: dict[str, Attribute] = {
        "vocabulary": site.size("vocabulary", weights.dims[0]),
        "width": site.size("width", weights.dims[1]),
    }
    return site.layer("Embedding", [site.tensor(1)], [0], attributes)


def loss(entropy: bool) -> Rule:
    """A number, or one for each label."""

    def rule(site: Site) -> Sequence[Held]:
        x, labels = site.tensor(0), site.tensor(1)
        more: list[Held] = []
        if entropy:
            more = [*site.put("LogSoftmax", [x])]
        if site.word("reduction", "mean") == "none":
            return [*site.put("Elementwise", [labels]), *more]
        return [*site.put("CrossEntropy", [x, labels]), *more]

    return rule


def scalars(site: Site) -> Sequence[Held]:
    """DynamicQuantizeLinear: and its scale and zero."""
    none = Constant("", (), (algebra.lift(0),), "float32")
    return [*site.put("Elementwise", [site.tensor()]), none, none]


PRODUCTS: dict[str, Rule] = {
    "MatMul": matrices(0, 1),
    "MatMulInteger": matrices(0, 1),
    "QLinearMatMul": matrices(0, 3),
    "Gemm": gemm,
    "Einsum": einsum,
    "RNN": recurrent("RNN", 1),
    "LSTM": recurrent("LSTM", 4),
    "GRU": recurrent("GRU", 3),
    "Attention": attention,
    "Det": determinant,
    "NegativeLogLikelihoodLoss": loss(entropy=False),
    "SoftmaxCrossEntropyLoss": loss(entropy=True),
    "DynamicQuantizeLinear": scalars,
}
