"""Functions of the frameworks and of Python's own modules that say something about sizes, without a tensor."""

from __future__ import annotations

import ast

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.dnn.interpreter.iterating import of_itertools
from tunepass.frontends.dnn.interpreter.kinds import copied
from tunepass.frontends.dnn.interpreter.machine import Caller
from tunepass.frontends.dnn.interpreter.numbers import counted_row, of_rows
from tunepass.frontends.dnn.interpreter.values import LOST, Instance, PyValue, TensorValue, Unknown
from tunepass.frontends.dnn.tensors.filled import filled, is_filled, of_data

NEVER = frozenset({"torch.jit.is_scripting", "torch.jit.is_tracing", "torch.onnx.is_in_onnx_export"})
DATA_CLASSES = frozenset({"dataclasses.replace", "dataclasses.asdict", "dataclasses.field"})
INITIALISING = ("torch.nn.init.", "nn.init.")
Answer = tuple[PyValue] | None


def library_call(calls: Caller, path: str, positional: list[PyValue], named: dict[str, PyValue]) -> Answer:
    """What a function gives. None: it is none of these."""
    name = path.rpartition(".")[2]
    if path in NEVER:
        return (False,)
    if path.startswith(INITIALISING):
        return (positional[0] if positional else None,)
    if path in ("os.environ.get", "os.getenv"):
        return (positional[1] if len(positional) > 1 else named.get("default"),)  # as where nobody sets it
    if path == "typing.cast" and len(positional) == 2:
        return (positional[1],)
    if path in ("copy.copy", "copy.deepcopy") and positional:
        return (copied(positional[0], deep=path.endswith("deepcopy")),)
    if path.startswith(("numpy.", "np.", "torch.")) and (found := of_rows(name, positional)) is not None:
        return (found,)
    if path.startswith("numpy.") and name in ("arange", "linspace"):
        return (_row(name, positional, named),)
    if path in ("numpy.array", "numpy.asarray") and positional and (data := of_data(positional[0])) is not None:
        return (data,)
    if path.startswith("itertools."):
        return (of_itertools(calls, name, positional, named),)
    if path.startswith("numpy.") and is_filled(name, positional):
        return (filled(name, positional, named),)
    if path in DATA_CLASSES:
        return _of_data_class(calls, name, positional, named)
    if name == "image_data_format":
        return ("channels_last",)
    if name == "obtain_input_shape" and positional:  # of keras.applications: the shape that it is given
        return (positional[0],)
    if name == "correct_pad" and len(positional) > 1 and isinstance(positional[0], TensorValue):
        return (_keras_padding(calls, positional[0], positional[1]),)
    return None


def _of_data_class(calls: Caller, name: str, positional: list[PyValue], named: dict[str, PyValue]) -> Answer:
    """`replace`, `asdict` and `field` of dataclasses."""
    if name == "field":
        made = named.get("default_factory")
        if made is not None:
            return (calls.apply(made, [], {}, ast.Pass()),)
        return (named["default"],) if "default" in named else None
    first = positional[0] if positional else None
    if not isinstance(first, Instance) or LOST in named:
        return None
    if name == "asdict":
        return ({key: copied(value, deep=True) for key, value in first.fields.items()},)
    return (Instance(first.of, {**first.fields, **named}, first.container),)


def _row(name: str, positional: list[PyValue], named: dict[str, PyValue]) -> PyValue:
    """`numpy.arange` and `numpy.linspace`."""
    if name == "linspace":
        ends = {**dict(zip(("start", "stop", "num"), positional)), **named}
        return counted_row(name, ends.get("start"), ends.get("stop"), ends.get("num", 50)) or Unknown("a row")
    ends = {**dict(zip(("start", "stop", "step") if len(positional) > 1 else ("stop",), positional)), **named}
    return counted_row(name, ends.get("start", 0), ends.get("stop"), ends.get("step", 1)) or Unknown("a row")


def _keras_padding(calls: Caller, tensor: TensorValue, kernel: PyValue) -> PyValue:
    """Zeros around an image so that a stride of 2 leaves half of it (keras.applications.imagenet_utils)."""
    sizes = [algebra.number(size) for size in calls.interpreter.building.shape(tensor)[1:3]]
    widths = kernel if isinstance(kernel, (list, tuple)) else (kernel, kernel)
    pairs: list[PyValue] = []
    for size, width in zip(sizes, widths):
        if size is None or not isinstance(width, int) or isinstance(width, Expr):
            return Unknown("the padding of an image whose size a parameter decides")
        pairs.append((width // 2 - (1 - int(size) % 2), width // 2))
    return tuple(pairs)


def unknown_call(path: str, positional: list[PyValue]) -> Unknown:
    """A function that is not followed may change the dictionaries that it is given."""
    lost = Unknown(f"`{path}` is not followed")
    for value in positional:
        if isinstance(value, dict):
            value[LOST] = lost
    return lost
