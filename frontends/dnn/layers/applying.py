"""A layer of Keras or PyTorch applied to tensors: its rule, its arguments, and what the frameworks' own code adds."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

from tunepass.diagnostics import Diagnostic, SourceError, Span, spelling_hint
from tunepass.expr import algebra, typing
from tunepass.expr.nodes import Expr, Name
from tunepass.frontends.dnn.building import GraphBuilding
from tunepass.frontends.dnn.interpreter.values import LayerValue, PyValue, TensorValue, Unknown
from tunepass.frontends.dnn.layers import keras as keras_layers
from tunepass.frontends.dnn.layers.arguments import KERAS, OWN, TABLES
from tunepass.frontends.dnn.layers.rules import Argument, LayerRule, rule
from tunepass.ir.graph import Attribute

BOTH_WAYS = "@merge"  # the argument of a recurrent layer that Keras' Bidirectional adds: how both directions are merged


def apply_layer(building: GraphBuilding, layer: LayerValue, inputs: Sequence[TensorValue]) -> PyValue:
    """The layer's output, or outputs. A layer that is applied again uses its weights again."""
    if layer.framework == OWN:
        return _own(building, layer, inputs)
    return _LayerApplication(building, layer, inputs).result()


def _own(building: GraphBuilding, layer: LayerValue, inputs: Sequence[TensorValue]) -> PyValue:
    """A row of the user's table: its arguments are its attributes, by their names."""
    attributes = {name: attribute_of(value, name, layer.span) for name, value in layer.arguments.items()}
    values = building.apply(
        layer.name, inputs, attributes, span=layer.span, name=layer.name.lower(), reused=tuple(layer.applied)
    )
    layer.applied.append(values[0].name)
    return values[0] if len(values) == 1 else values


class _LayerApplication:
    def __init__(self, building: GraphBuilding, layer: LayerValue, inputs: Sequence[TensorValue]):
        self.building, self.layer, self.inputs = building, layer, list(inputs)
        self.rule: LayerRule = rule(TABLES[layer.framework][layer.name])
        self.arguments = layer.arguments

    @property
    def span(self) -> Span:
        return self.layer.span

    def fail(self, message: str, hint: str | None = None) -> SourceError:
        return SourceError(Diagnostic(f"{self.layer.name}: {message}", self.span, hint))

    def result(self) -> PyValue:
        if not self.inputs:
            raise self.fail("it is applied to no tensor")
        attributes = self._attributes()
        if self.layer.framework == KERAS:
            return self._keras(attributes)
        return self._torch(attributes)

    # What the rule says

    def _attributes(self) -> dict[str, Attribute]:
        attributes = dict(self.rule.fixed)
        for argument in self.rule.arguments:
            value = self.arguments.get(argument.name)
            if argument.name == "pool_size" and value is None:
                value = 2  # the pool size of Keras' pooling layers
            if argument.checked:
                self._check(argument, value)
            if argument.attribute is None:
                continue
            if value is None and argument.otherwise:
                value = self.arguments.get(argument.otherwise)
                if value is None and self.layer.framework == KERAS:
                    value = 2  # the pool size of Keras' pooling layers
            if value is not None:
                attributes[argument.attribute] = self._attribute(argument, value)
        return attributes

    def _attribute(self, argument: Argument, value: PyValue) -> Attribute:
        if argument.attribute == "layout":
            return "first" if value == "channels_first" else "last"
        found = attribute_of(value, f"{self.layer.name}: {argument.name}", self.span)
        return found.lower() if argument.attribute == "padding" and isinstance(found, str) else found

    def _check(self, argument: Argument, value: PyValue) -> None:
        """The size that PyTorch's modules are told has to be the input's."""
        if value is None:
            return
        shape = self.building.shape(self.inputs[0])
        at = 1 if argument.checked == "channels" else -1
        if len(shape) < 2:
            raise self.fail("its input has no channels")
        told, found = attribute_of(value, argument.name, self.span), shape[at]
        if not isinstance(told, Expr):
            raise self.fail(f"{argument.name} is a number")
        if not self.building.require(told, found, f"{argument.name} is what the input has", self.layer.name):
            raise self.fail(f"{argument.name} is {algebra.number(told)}, and the input has {algebra.number(found)}")

    def _apply(
        self, operator: str, attributes: dict[str, Attribute], in_place: bool = False
    ) -> tuple[TensorValue, ...]:
        name = self.arguments.get("name")
        values = self.building.apply(
            operator,
            self.inputs,
            attributes,
            span=self.span,
            name=name if isinstance(name, str) and name.isidentifier() else self.layer.name.lower(),
            in_place=in_place,
            reused=tuple(self.layer.applied),
        )
        self.layer.applied.append(values[0].name)
        return values

    # What Keras adds

    def _keras(self, attributes: dict[str, Attribute]) -> PyValue:
        name = self.layer.name
        operator = self.rule.operator
        if name == "Activation":
            return self._activated(self.inputs[0], in_place=False)
        if name == "Normalization" and self.arguments.get("mean") is not None:
            operator = "Rescaling"  # by numbers of the source: nothing is kept
        if name in ("LSTM", "GRU", "SimpleRNN"):
            return self._keras_recurrent(operator, attributes)
        if self.rule.operator == "Resizing":
            operator, sides = "Resize", (self.arguments.get("height"), self.arguments.get("width"))
            attributes["size"] = attribute_of(sides, "the size of the image", self.span)
        if name == "Reshape":
            batch = self.building.shape(self.inputs[0])[0]
            target = attribute_of(self.arguments.get("target_shape"), "target_shape", self.span)
            attributes["shape"] = (batch, *(target if isinstance(target, tuple) else (target,)))
        if name == "Permute":
            dims = attribute_of(self.arguments.get("dims"), "dims", self.span)
            attributes["order"] = (algebra.lift(0), *(dims if isinstance(dims, tuple) else (dims,)))
        if name == "EinsumDense":
            attributes |= self._einsum_dense()
        if name.endswith("Transpose") and "extra" not in attributes:
            attributes["extra"] = algebra.lift(-1)
        value = self._apply(operator, attributes)[0]
        return self._activated(value, in_place=True) if self.rule.argument("activation") else value

    def _activated(self, value: TensorValue, in_place: bool) -> TensorValue:
        given = self.arguments.get("activation")
        words = self.building.words.get(given.name, ()) if isinstance(given, Name) else ()
        if not isinstance(given, Name) or not words:
            return self._activation(given, value, in_place)
        chosen = self._activation(words[-1], value, in_place, _is(given, words[-1]))
        for word in words[-2::-1]:
            test = _is(given, word)
            other = self._activation(word, value, in_place, test)
            chosen = self.building.apply("Select", [other, chosen], {"condition": test}, span=self.span)[0]
        return chosen

    def _activation(
        self, given: PyValue, value: TensorValue, in_place: bool, present: Expr | None = None
    ) -> TensorValue:
        """`present`: for which configurations it is this one."""
        if given is None or given == "linear":
            return value
        text = given if isinstance(given, str) else getattr(given, "path", "").rpartition(".")[2]
        operator = keras_layers.ACTIVATIONS.get(text)
        if operator is None:
            raise self.fail(
                f"there is no activation {text!r}", spelling_hint(text, keras_layers.ACTIVATIONS, quote=repr)
            )
        with self.building.when(present) if present is not None else nullcontext():
            return self.building.apply(operator, [value], span=self.span, name=text, in_place=in_place)[0]

    def _keras_recurrent(self, operator: str, attributes: dict[str, Attribute]) -> PyValue:
        reset_after = self.arguments.get("reset_after", True) if operator == "GRU" else False
        biased = self.arguments.get("use_bias", True)
        attributes["biases"] = algebra.lift((2 if reset_after else 1) if biased else 0)
        merge = self.arguments.get(BOTH_WAYS)
        if merge is not None:
            attributes |= {"directions": algebra.lift(2), "merge": "concat" if merge == "concat" else "sum"}
        values = self._apply(operator, attributes)
        if not self.arguments.get("return_state"):
            return values[0]
        shape = self.building.shape(values[0])
        states = (2 if operator == "LSTM" else 1) * (1 if merge is None else 2)
        width = attribute_of(self.arguments.get("units"), "units", self.span)
        part = values[1]
        if merge is not None:
            part = self.building.apply("Pick", [part], {"axis": algebra.lift(0)}, span=self.span)[0]
        last = self.building.apply("Reshape", [part], {"shape": (shape[0], width)}, span=self.span)[0]
        return [values[0], *([last] * states)]

    def _einsum_dense(self) -> dict[str, Attribute]:
        equation, shape = self.arguments.get("equation"), self.arguments.get("output_shape")
        if not isinstance(equation, str):
            raise self.fail("its equation is a text such as 'abc,cd->abd'")
        inputs, _, rest = equation.partition(",")
        kernel, _, output = rest.partition("->")
        sizes = dict(zip(inputs, self.building.shape(self.inputs[0])))
        made = attribute_of(shape, "output_shape", self.span)
        made = made if isinstance(made, tuple) else (made,)
        sizes |= dict(zip(output[-len(made) :], made))  # type: ignore[arg-type]
        axes = self.arguments.get("bias_axes")
        return {
            "kernel": tuple(sizes[letter] for letter in kernel),
            "bias_shape": tuple(sizes[letter] for letter in axes) if isinstance(axes, str) else (),
        }

    # What PyTorch adds

    def _torch(self, attributes: dict[str, Attribute]) -> PyValue:
        name = self.layer.name
        true = algebra.lift(True)
        if name in ("LSTM", "GRU", "RNN"):
            return self._torch_recurrent(attributes)
        if name.endswith("Cell"):
            return self._cell(attributes)
        if name == "MultiheadAttention":
            return self._torch_attention(attributes)
        if name.startswith("Transformer"):
            attributes.setdefault("hidden", algebra.lift(2048))
            attributes["steps_first"] = algebra.lift(not self.arguments.get("batch_first", False))
        if name.startswith("BatchNorm") or name in ("SyncBatchNorm", "GroupNorm"):
            learned = algebra.lift(bool(self.arguments.get("affine", True)))
            attributes |= {"scale": learned, "center": learned}
        if name.startswith("InstanceNorm"):
            learned = algebra.lift(bool(self.arguments.get("affine", False)))
            attributes |= {"scale": learned, "center": learned}
            if self.arguments.get("track_running_stats"):
                attributes |= {"statistics": algebra.lift(2), "counter": true}
        if name in ("LayerNorm", "RMSNorm"):
            shape = self.arguments.get("normalized_shape")
            count = len(shape) if isinstance(shape, (list, tuple)) else 1
            attributes["axes"] = tuple(algebra.lift(-axis) for axis in range(count, 0, -1))
            if name == "LayerNorm" and "center" not in attributes:
                attributes["center"] = attributes.get("scale", true)
        if name == "Upsample" and "scale" not in attributes:
            size = attribute_of(self.arguments.get("size"), "size", self.span)
            mode = {key: value for key, value in attributes.items() if key in ("mode", "layout")}
            return self._apply("Resize", {"size": size, **mode})[0]
        if self.rule.operator == "ZeroPadding":
            attributes["padding"] = self._torch_padding()
        if name == "Unflatten":
            return self._unflatten()
        in_place = bool(self.arguments.get("inplace", False))
        return self._apply(self.rule.operator, attributes, in_place=in_place)[0]

    def _torch_padding(self) -> Attribute:
        given = attribute_of(self.arguments.get("padding"), "padding", self.span)
        if isinstance(given, tuple) and len(given) == 4:
            left, right, top, bottom = given
            return ((top, bottom), (left, right))
        return given

    def _unflatten(self) -> PyValue:
        shape = self.building.shape(self.inputs[0])
        at = self.arguments.get("dim")
        sizes = attribute_of(self.arguments.get("unflattened_size"), "unflattened_size", self.span)
        if not isinstance(at, int) or not isinstance(sizes, tuple):
            raise self.fail("its arguments are an axis and sizes")
        at %= len(shape)
        target = (*shape[:at], *sizes, *shape[at + 1 :])
        return self._apply("Reshape", {"shape": target})[0]

    def _torch_recurrent(self, attributes: dict[str, Attribute]) -> PyValue:
        biased = self.arguments.get("bias", True)
        attributes |= {
            "biases": algebra.lift(2 if biased else 0),
            "directions": algebra.lift(2 if self.arguments.get("bidirectional") else 1),
            "steps_first": algebra.lift(not self.arguments.get("batch_first", False)),
            "sequences": algebra.lift(True),
        }
        values = self._apply(self.rule.operator, attributes)
        state: PyValue = values[1] if self.rule.operator != "LSTM" else (values[1], values[2])
        return (values[0], state)

    def _cell(self, attributes: dict[str, Attribute]) -> PyValue:
        """States that are not given are zeros: the table's inputs have the output's shape."""
        attributes["biases"] = algebra.lift(2 if self.arguments.get("bias", True) else 0)
        states = 2 if self.layer.name == "LSTMCell" else 1
        self.inputs = [self.inputs[0], *([self.inputs[-1]] * states)] if len(self.inputs) == 1 else self.inputs
        values = self._apply(self.rule.operator, attributes)
        return values if states == 2 else values[0]

    def _torch_attention(self, attributes: dict[str, Attribute]) -> PyValue:
        width, heads = self.arguments.get("embed_dim"), attributes.get("heads")
        total = attribute_of(width, "embed_dim", self.span)
        if not isinstance(total, Expr) or not isinstance(heads, Expr):
            raise self.fail("embed_dim and num_heads are numbers")
        if not self.building.require(
            algebra.mod(total, heads), algebra.lift(0), "num_heads divides embed_dim", "heads"
        ):
            raise self.fail("num_heads has to divide embed_dim")
        attributes["key_width"] = algebra.floordiv(total, heads)
        attributes["steps_first"] = algebra.lift(not self.arguments.get("batch_first", False))
        query, key, value = (self.inputs * 3)[:3] if len(self.inputs) == 1 else (*self.inputs, self.inputs[-1])[:3]
        self.inputs = [query, value, key]
        return (self._apply("MultiHeadAttention", attributes)[0], None)


def attribute_of(value: PyValue, what: str, span: Span) -> Attribute:
    """A value of the source as an attribute. SourceError for what is not followed."""
    if isinstance(value, (bool, int, float)):
        return algebra.lift(value)
    if isinstance(value, (Expr, str)):
        return value
    if isinstance(value, (list, tuple)):
        return tuple(attribute_of(item, what, span) for item in value)
    if isinstance(value, Unknown):
        raise SourceError(f"{what} is not known here: {value.reason}", span, "make it a number, or a parameter")
    raise SourceError(f"{what} is no number, word or tuple", span)


def _is(parameter: Expr, word: str) -> Expr:
    return typing.compare((parameter, typing.constant(word)), ("==",))
