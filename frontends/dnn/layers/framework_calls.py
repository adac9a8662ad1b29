"""Layers, models, optimizers and arguments as a source makes them: what the graph is later built from."""

from __future__ import annotations

import ast
from abc import ABC
from collections.abc import Mapping, Sequence

from tunepass.diagnostics import SourceError
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.dnn.interpreter.builtins import call_builtin
from tunepass.frontends.dnn.interpreter.machine import Caller, Machine
from tunepass.frontends.dnn.interpreter.presence import presence
from tunepass.frontends.dnn.interpreter.values import (
    ArgumentsValue,
    ConditionalValue,
    FilledValue,
    Instance,
    LayerValue,
    ModelValue,
    PyValue,
    Registered,
    SequentialValue,
    TensorValue,
    Unknown,
)
from tunepass.frontends.dnn.layers.applying import BOTH_WAYS, apply_layer, attribute_of
from tunepass.frontends.dnn.layers.arguments import KERAS, OWN, TORCH, bound_arguments, known_layer
from tunepass.graphs.inference import output_name
from tunepass.graphs.optimizers import OPTIMIZER_SLOTS

TENSOR_ARGUMENTS = ("query", "value", "key", "inputs", "input", "x", "src", "tgt", "initial_state")


MODULE_METHODS = frozenset({
    "parameters", "named_parameters", "modules", "named_modules", "state_dict", "load_state_dict", "summary",
    "fit", "evaluate", "predict", "compile", "zero_grad", "requires_grad_", "save", "build", "buffers",
    "named_buffers", "train_on_batch", "save_weights", "load_weights",
})  # fmt: skip


class FrameworkCalls(Caller, ABC):
    """What calls of the frameworks, and of argparse, make; `models` in the order in which they were made."""

    def __init__(self, interpreter: Machine):
        self.interpreter = interpreter
        self.conditions: list[Expr] = []
        self.models: list[PyValue] = []
        self.optimizer: str | None = None
        self.batch: int | None = None
        self.layers = 0

    def made(self) -> int:
        """How much there is of the model by now."""
        return self.layers + len(self.interpreter.building.nodes)

    def is_layer(self, name: str) -> bool:
        return known_layer(KERAS, name) or known_layer(TORCH, name)

    def _lost(self, values: Sequence[PyValue]) -> Unknown | None:
        """The first of the values that is not known."""
        for value in values:
            if isinstance(value, Unknown):
                return value
            if isinstance(value, (list, tuple)) and (inner := self._lost(value)) is not None:
                return inner
        return None

    def _tensors(self, positional: Sequence[PyValue], named: Mapping[str, PyValue]) -> list[TensorValue]:
        values: list[PyValue] = []
        for value in (*positional, *(named[k] for k in TENSOR_ARGUMENTS if k in named)):
            values += _flat(value)
        plain = [presence(value)[1] for value in values]
        return [value for value in plain if isinstance(value, TensorValue)]

    def tensor(self, value: FilledValue, node: ast.AST) -> TensorValue:
        """The numbers as a value of the graph."""
        span = self.interpreter.span(node)
        shape = attribute_of(value.shape, "the shape of this tensor", span)
        return self.interpreter.building.apply("Constant", [], {"shape": shape}, span=span)[0]

    def sizes(self, tensor: TensorValue) -> tuple[PyValue, ...]:
        """Its shape as Python's numbers where they are ones."""
        known = [(size, algebra.number(size)) for size in self.interpreter.building.shape(tensor)]
        return tuple(int(number) if number is not None else size for size, number in known)

    def _optimizer(self, name: str, named: Mapping[str, PyValue]) -> PyValue:
        momentum = named.get("momentum")
        if name.lower() in OPTIMIZER_SLOTS:
            self.optimizer = "momentum" if name.lower() == "sgd" and momentum not in (None, 0, 0.0) else name.lower()
        return Unknown("an optimizer")

    def _made(self, framework: str, name: str, arguments: dict[str, PyValue], node: ast.AST) -> LayerValue:
        return LayerValue(name, framework, arguments, self.interpreter.span(node))

    def layer(
        self, framework: str, name: str, positional: list[PyValue], named: dict[str, PyValue], node: ast.AST
    ) -> LayerValue:
        span = self.interpreter.span(node)
        self.layers += 1
        return LayerValue(name, framework, bound_arguments(framework, name, positional, named, span), span)

    def own(self, name: str, positional: list[PyValue], named: dict[str, PyValue], node: ast.AST) -> PyValue:
        """A layer that the user's table describes; called with tensors, what it makes of them."""
        span, attributes = self.interpreter.span(node), self.interpreter.building.table.operators[name].attributes
        tensors = [value for value in positional if isinstance(value, TensorValue)]
        given = [value for value in positional if not isinstance(value, TensorValue)]
        layer = LayerValue(name, OWN, {**dict(zip(attributes, given)), **named}, span)
        if tensors:
            return apply_layer(self.interpreter.building, layer, tensors)
        self.layers += 1
        return layer

    def _wrapped(self, name: str, positional: list[PyValue], named: dict[str, PyValue], node: ast.AST) -> PyValue:
        layer = positional[0] if positional else named.get("layer")
        if not isinstance(layer, LayerValue):
            raise self.interpreter.fail(f"{name} needs a layer", node)
        if name == "TimeDistributed" and layer.name not in ("Dense", "Activation", "Dropout"):
            raise self.interpreter.fail(
                f"TimeDistributed({layer.name}) is not known", node, "Dense acts on the last axis"
            )
        if name == "TimeDistributed":
            return layer
        both_ways: dict[str, PyValue] = {BOTH_WAYS: named.get("merge_mode", "concat")}
        return LayerValue(layer.name, KERAS, layer.arguments | both_ways, layer.span)

    def _repeated(self, positional: list[PyValue], named: dict[str, PyValue], node: ast.AST) -> PyValue:
        """torch.nn.TransformerEncoder and -Decoder: copies of a layer one after the other, and a normalisation."""
        given = dict(zip(("layer", "num_layers", "norm"), positional)) | named
        layer = next((given[key] for key in ("layer", "encoder_layer", "decoder_layer") if key in given), None)
        count, norm = given.get("num_layers"), given.get("norm")
        if not isinstance(layer, LayerValue):
            raise self.interpreter.fail("this repeats a layer", node)
        counted = call_builtin(self, "range", [count], {}, node)
        model = SequentialValue(span=self.interpreter.span(node), shared="Decoder" in layer.name)
        items = self.interpreter.items(counted)
        if items is None:
            raise self.interpreter.fail("how many layers there are is not known", node)
        for item in items:
            copy = LayerValue(layer.name, layer.framework, layer.arguments, layer.span)
            model.items.append(ConditionalValue(item.condition, copy) if isinstance(item, ConditionalValue) else copy)
        model.items += [norm] if norm is not None else []
        self.models.append(model)
        return model

    def sequential(self, positional: list[PyValue], named: Mapping[str, PyValue], node: ast.AST) -> SequentialValue:
        given = positional or ([named["layers"]] if "layers" in named else [])
        names: dict[str, PyValue] = {}
        if len(given) == 1 and isinstance(given[0], dict):
            names = {str(name): item for name, item in given[0].items()}
            given = list(given[0].values())
        elif len(given) == 1 and isinstance(given[0], (list, tuple)):
            given = list(given[0])
        model = SequentialValue(span=self.interpreter.span(node), named=names)
        for item in given:
            self.append(model, item)
        return model

    def module_list(self, positional: Sequence[PyValue]) -> Registered:
        """torch.nn.ModuleList: of items that are not known it holds that they are not."""
        items = self.interpreter.items(positional[0]) if positional else []
        if items is None:
            items = [positional[0] if isinstance(positional[0], Unknown) else Unknown("the items of this list")]
        return Registered(items)

    def append(self, model: SequentialValue, item: PyValue) -> None:
        """A layer at the end; one of Keras may give the shape of the model's input."""
        if isinstance(item, TensorValue):  # keras.Input(...)
            model.shape = tuple(self.interpreter.building.shape(item)[1:])
            return
        if isinstance(item, LayerValue) and not model.items:
            shape = item.arguments.get("input_shape") or item.arguments.get("batch_input_shape")
            if isinstance(shape, (list, tuple)):
                model.shape = tuple(shape[1:] if "batch_input_shape" in item.arguments else shape)
            elif item.name == "Dense" and item.arguments.get("input_dim") is not None:
                model.shape = (item.arguments["input_dim"],)
        if self.conditions:
            item = ConditionalValue(algebra.both(*self.conditions), item)
        model.items.append(item)

    def sequence(self, model: SequentialValue, positional: Sequence[PyValue], node: ast.AST) -> PyValue:
        value, others = (positional[0], positional[1:]) if positional else (None, ())
        for item in model.items:
            layer = item.value if isinstance(item, ConditionalValue) else item
            shared = model.shared and isinstance(layer, LayerValue) and "Decoder" in layer.name
            value = self.apply(item, [value, *(others if shared else ())], {}, node)
        return value

    def model(self, model: ModelValue, inputs: Sequence[TensorValue], node: ast.AST) -> PyValue:
        """A functional model applied to other tensors: its layers again, with the same weights."""
        building, span = self.interpreter.building, self.interpreter.span(node)
        if len(inputs) != len(model.inputs):
            raise self.interpreter.fail(f"the model takes {len(model.inputs)} tensors, not {len(inputs)}", node)
        made = {name: value.name for name, value in zip(model.inputs, inputs)}
        for layer in building.between(model.inputs, model.outputs):
            values = [TensorValue(made.get(name, name)) for name in layer.inputs]
            again = building.apply(
                layer.operator,
                values,
                dict(layer.attributes),
                span=layer.span or span,
                name=layer.name,
                in_place=layer.in_place,
                reused=(layer.weights_of or layer.name,),
            )
            made |= {output_name(layer.name, k): value.name for k, value in enumerate(again)}
        outputs: list[PyValue] = [TensorValue(made.get(name, name)) for name in model.outputs]
        return outputs[0] if len(outputs) == 1 else outputs

    def _keras_input(self, name: str, positional: list[PyValue], named: dict[str, PyValue], node: ast.AST) -> PyValue:
        shape = next((named[key] for key in ("shape", "input_shape", "batch_shape") if key in named), None)
        shape = shape if shape is not None else positional[0] if positional else None
        sizes = self.interpreter.items(shape) if shape is not None else None
        if sizes is None:
            raise self.interpreter.fail("the input's shape is not known here", node)
        span = self.interpreter.span(node)
        if "batch_shape" in named:
            sizes = sizes[1:]
        if any(size is None for size in sizes):
            raise self.interpreter.fail(
                "a size of the input is open", node, "give it: `# tunepass param length: ordinal(128, 256)`, and use it"
            )
        read = tuple(attribute_of(size, "a size of the input", span) for size in sizes)
        given = named.get("name")
        element = named.get("dtype")
        return self.interpreter.building.input(
            given if isinstance(given, str) and given.isidentifier() else "x",
            (self.interpreter.parameters.get("@batch", algebra.lift(1)), *read),  # type: ignore[arg-type]
            element if isinstance(element, str) else "float32",
            span,
        )

    def _keras_model(self, positional: list[PyValue], named: dict[str, PyValue], node: ast.AST) -> PyValue:
        ends = [*positional, *(named[key] for key in ("inputs", "outputs") if key in named)]
        lists = [self._tensors([end], {}) for end in ends[:2]]
        lost = self._lost(ends)
        if lost is not None:
            raise SourceError(
                f"the model depends on something that is not known: {lost.reason}",
                lost.span or self.interpreter.span(node),
            )
        if len(lists) != 2 or not all(lists):
            raise self.interpreter.fail("a model needs its inputs and outputs", node)
        model = ModelValue([v.name for v in lists[0]], [v.name for v in lists[1]], self.interpreter.span(node))
        self.models.append(model)
        return model

    def _argument(
        self, owner: ArgumentsValue, name: str, positional: list[PyValue], named: dict[str, PyValue], node: ast.AST
    ) -> PyValue:
        """argparse: what is not given on the command line has its default."""
        if name == "add_argument":
            words = [word for word in positional if isinstance(word, str)]
            stated = named.get("dest")
            longest = max(words, key=len, default="").lstrip("-").replace("-", "_")
            key = stated if isinstance(stated, str) else longest
            flag = isinstance(named.get("action"), str) and str(named["action"]).startswith("store_")
            owner.defaults[key] = named.get("default", named.get("action") == "store_false" if flag else None)
            if key in self.interpreter.parameters and isinstance(node, ast.Call) and self.interpreter.is_own(node):
                for keyword in node.keywords:
                    if keyword.arg == "default" and isinstance(keyword.value, ast.Constant):
                        self.interpreter.overridden[key].append(self.interpreter.span(keyword.value))
            return None
        if name in ("add_argument_group", "add_mutually_exclusive_group"):
            return owner
        if name in ("parse_args", "parse_known_args"):
            read = ArgumentsValue(owner.defaults, read=True)
            return read if name == "parse_args" else (read, [])
        return Unknown(f"`{name}` of arguments is not followed")

    def _model_method(
        self, owner: PyValue, name: str, positional: list[PyValue], named: Mapping[str, PyValue], node: ast.AST
    ) -> PyValue:
        if isinstance(owner, SequentialValue):
            if name in ("add", "append") and positional:
                self.append(owner, positional[0])
                return None
            if name == "build" and positional and isinstance(positional[0], (list, tuple)):
                owner.shape = tuple(positional[0][1:])
        if isinstance(owner, Instance) and (known := self._object_method(owner, name, positional, named, node)):
            return known[0]
        if name in ("add_module", "register_module") and len(positional) > 1:
            self.registered(owner, positional[0], positional[1])
            return None
        if name == "compile":
            optimizer = named.get("optimizer", positional[0] if positional else None)
            if isinstance(optimizer, str) and optimizer.lower() in OPTIMIZER_SLOTS:
                self.optimizer = optimizer.lower()
        if name == "fit":
            batch = named.get("batch_size")
            self.batch = batch if isinstance(batch, int) else self.batch
        if name in ("to", "cuda", "train", "eval", "half", "float", "apply"):
            return owner
        if name in ("children", "named_children") and isinstance(owner, SequentialValue):
            return list(owner.items) if name == "children" else [(str(k), item) for k, item in enumerate(owner.items)]
        if isinstance(owner, Instance) and name not in MODULE_METHODS:
            return Unknown(f"`{owner.of.node.name}` has no `{name}` that is followed")
        return Unknown(f"`{name}` says nothing about the model")

    def _object_method(
        self, owner: Instance, name: str, positional: list[PyValue], named: Mapping[str, PyValue], node: ast.AST
    ) -> tuple[PyValue] | None:
        """What an object's class has from the frameworks; None: it is none of these."""
        first = positional[0] if positional else named.get("name")
        if name == "__setattr__" and len(positional) > 1:
            owner.fields[str(first)] = positional[1]
            return (None,)
        if name == "__getattr__" and positional:
            return (owner.fields.get(str(first), Unknown("an attribute")),)
        if name in ("register_buffer", "register_parameter") and isinstance(first, str):
            owner.fields[first] = positional[1] if len(positional) > 1 else named.get("tensor")
            return (None,)
        if name == "add_weight":
            shapes = [value for value in (named.get("shape"), *positional) if isinstance(value, (list, tuple))]
            shape = attribute_of(tuple(shapes[0]) if shapes else (), "the weight's shape", self.interpreter.span(node))
            span = self.interpreter.span(node)
            return (self.interpreter.building.apply("Parameter", [], {"shape": shape}, span=span)[0],)
        if name in ("children", "named_children"):
            layers = (LayerValue, SequentialValue, Instance, list)
            pairs = [(key, value) for key, value in owner.fields.items() if isinstance(value, layers)]
            return ([value for _, value in pairs] if name == "children" else list(pairs),)
        return None

    def registered(self, owner: PyValue, name: PyValue, layer: PyValue) -> None:
        """`add_module`: a layer of a container, or an object's field."""
        held = owner.container if isinstance(owner, Instance) else owner
        if isinstance(held, SequentialValue):
            self.append(held, layer)
            held.named[str(name)] = layer
        elif isinstance(held, dict):
            held[name] = layer
        elif isinstance(held, list):
            held.append(layer)
        if isinstance(owner, Instance) and isinstance(name, str):
            owner.fields[name] = layer


def _flat(value: PyValue) -> list[PyValue]:
    return [part for item in value for part in _flat(item)] if isinstance(value, (list, tuple)) else [value]
