"""Calls: of Python's own functions, of those of the source, and of those of the frameworks."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from tunepass.diagnostics import SourceError, nearest
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr, Name
from tunepass.frontends.dnn.interpreter import values as v
from tunepass.frontends.dnn.interpreter.builtins import BUILTINS, MATH, call_builtin, list_method
from tunepass.frontends.dnn.interpreter.library import library_call, unknown_call
from tunepass.frontends.dnn.interpreter.lookups import Lookups
from tunepass.frontends.dnn.interpreter.presence import joining, optional, where_there
from tunepass.frontends.dnn.interpreter.user_calls import CLASS, SELF, layer_framework
from tunepass.frontends.dnn.layers import keras as keras_layers
from tunepass.frontends.dnn.layers.applying import apply_layer
from tunepass.frontends.dnn.layers.arguments import KERAS, TABLES, TORCH, known_layer
from tunepass.frontends.dnn.tensors.call import weight_of
from tunepass.frontends.dnn.tensors.operations import call_tensor_function, filled_method, tensor_method

NUMBER_METHODS = frozenset(
    {"item", "tolist", "float", "int", "long", "clone", "detach", "cpu", "to"}
)  # of one in a tensor
DEPTH_LIMIT = 60  # calls inside calls
CONTAINERS = frozenset({"ModuleList", "ParameterList"})
LAYER_PLACES = ("torch.nn.", "keras.layers.", "tensorflow.keras.layers.", "tf.keras.layers.", "keras.src.layers.")
LISTED = frozenset({"append", "extend", "insert", "items", "keys", "values", "pop", "update"})


class Calls(Lookups):
    builtins = BUILTINS

    # Calls

    def call(self, node: ast.Call, scope: v.PyScope) -> v.PyValue:
        run = self.interpreter
        function = run.value(node.func, scope)
        if isinstance(function, v.Method) and function.owner is None and function.name == "super":
            return self._super(scope)
        positional = run.parts(node.args, scope)
        named: dict[str, v.PyValue] = {}
        for keyword in node.keywords:
            value = run.value(keyword.value, scope)
            if keyword.arg is None:
                lost = value.get(v.LOST) if isinstance(value, dict) else value
                if isinstance(lost, v.Unknown) and self._makes_layers(function):
                    raise run.fail(f"what is in this is not known: {lost.reason}", keyword.value)
                named |= (
                    {k: entry for k, entry in value.items() if isinstance(k, str)} if isinstance(value, dict) else {}
                )
            else:
                named[keyword.arg] = value
        run.depth += 1
        if run.depth > DEPTH_LIMIT:
            raise run.fail("calls are nested too deeply here", node)
        try:
            result = self.apply(function, positional, named, node)
        finally:
            run.depth -= 1
        if isinstance(result, v.Unknown) and result.span is None:
            owner = function.owner if isinstance(function, v.Method) else None
            if self._tensors([owner, *positional, *named.values()], {}):
                return result.at(run.span(node))  # a tensor that is lost, not a number
        return result

    def _makes_layers(self, function: v.PyValue) -> bool:
        """Whether arguments of the call may say something of the model."""
        if isinstance(function, v.Symbol):
            return layer_framework(function) is not None
        return isinstance(function, (v.UserClass, v.UserFunction, v.PartialValue))

    def _super(self, scope: v.PyScope) -> v.PyValue:
        """`super()`, and `super(Class, self)`: of the method that is followed now."""
        instance, kind = scope.find(SELF), scope.find(CLASS)
        if isinstance(instance, v.Instance) and isinstance(kind, v.UserClass):
            return v.SuperValue(instance, kind)
        return v.Unknown("`super()` outside of a method")

    def apply(
        self, function: v.PyValue, positional: Sequence[v.PyValue], named: Mapping[str, v.PyValue], node: ast.AST
    ) -> v.PyValue:
        match function:
            case v.Method(owner=None, name=name):
                return call_builtin(self, name, list(positional), dict(named), node)
            case v.Method(owner=owner, name=name):
                return where_there(
                    self.interpreter.building,
                    [owner, *positional],
                    lambda given: self._method(given[0], name, given[1:], dict(named), node),
                )
            case v.Symbol() if function.last in self.interpreter.building.table.own:
                return self.own(function.last, list(positional), dict(named), node)
            case v.UserClass() if function.node.name in self.interpreter.building.table.own:
                return self.own(function.node.name, list(positional), dict(named), node)
            case v.Symbol():
                return self._symbol(function, list(positional), dict(named), node)
            case v.UserFunction():
                return self.function(function, list(positional), named, node)
            case v.UserClass():
                return self.instance(function, list(positional), named, node)
            case v.Instance():
                return self.forward(function, list(positional), named, node)
            case v.LayerValue():
                return where_there(
                    self.interpreter.building, positional, lambda given: self._applied(function, given, named, node)
                )
            case v.SequentialValue():
                return self.sequence(function, positional, node)
            case v.PartialValue():
                given = {**function.named, **named}
                return self.apply(function.function, [*function.positional, *positional], given, node)
            case v.ConditionalValue():
                value = positional[0] if positional else None
                with self.interpreter.building.when(function.condition):
                    result = self.apply(function.value, positional, named, node)
                return self.interpreter.chosen(function.condition, result, value, node)
            case v.AlternativesValue():
                return self._alternatives(function, positional, named, node)
            case v.ModelValue():
                lost = self._lost((*positional, *named.values()))
                tensors = self._tensors(positional, named)
                return (
                    lost.at(self.interpreter.span(node))
                    if lost and not tensors
                    else self.model(function, tensors, node)
                )
        if isinstance(function, v.Unknown):
            first = positional[0] if positional else None
            if isinstance(first, str) and first in self.interpreter.parameters:
                return self.interpreter.parameters[first]  # trial.suggest_int("filters", 16, 64)
        return function if isinstance(function, v.Unknown) else v.Unknown("what is called is not known")

    def _applied(
        self, layer: v.LayerValue, positional: Sequence[v.PyValue], named: Mapping[str, v.PyValue], node: ast.AST
    ) -> v.PyValue:
        """A layer on tensors. Of those that are joined, some may only be there under a condition."""
        span = self.interpreter.span(node)
        positional = [self.tensor(value, node) if isinstance(value, v.FilledValue) else value for value in positional]
        lost = self._lost((*positional, *named.values()))
        if lost is not None:
            return lost.at(span)
        items = next((value for value in positional if isinstance(value, (list, tuple))), ())
        if any(isinstance(item, v.ConditionalValue) for item in items):
            return self._join(layer, items, node)
        return apply_layer(self.interpreter.building, layer, self._tensors(positional, named))

    def _join(self, layer: v.LayerValue, items: Sequence[v.PyValue], node: ast.AST) -> v.PyValue:
        """Tensors of which some are only there under conditions."""
        axis, building, span = layer.arguments.get("axis", -1), self.interpreter.building, self.interpreter.span(node)
        if layer.name != "Concatenate" or not isinstance(axis, int):
            raise self.interpreter.fail(
                "some of these are only there under a condition", node, "write `x = x + y` in the `if`"
            )
        values = self._tensors([optional(building, item, axis, span) for item in items], {})
        return building.apply(joining(items), values, {"axis": algebra.lift(axis)}, span=span)[0]

    def _alternatives(
        self,
        function: v.AlternativesValue,
        positional: Sequence[v.PyValue],
        named: Mapping[str, v.PyValue],
        node: ast.AST,
    ) -> v.PyValue:
        """Each under its condition, and the one that holds is taken."""
        result: v.PyValue = None
        for condition, item in function.items:
            with self.interpreter.building.when(condition):
                value = self.apply(item, positional, named, node) if item is not None else None
            result = value if result is None else self.interpreter.chosen(condition, value, result, node)
        return result

    def _symbol(
        self, symbol: v.Symbol, positional: list[v.PyValue], named: dict[str, v.PyValue], node: ast.AST
    ) -> v.PyValue:
        path, name = symbol.path, symbol.last
        known = library_call(self, path, positional, named)
        if known is not None:
            return known[0]
        if ".optim" in path or "optimizers." in path:
            return self._optimizer(name, named)
        keras, torch = "keras" in path, path.startswith("torch")
        if name == "Sequential" and (keras or torch):
            model = self.sequential(positional, named, node)
            self.models.append(model)
            return model
        if keras and name in ("Input", "InputLayer"):
            return self._keras_input(name, positional, named, node)
        if keras and name in ("Model", "Functional"):
            return self._keras_model(positional, named, node)
        if keras and known_layer(KERAS, name):
            return self.layer(KERAS, name, positional, named, node)
        if keras and name in keras_layers.FUNCTIONS:
            arguments: dict[str, v.PyValue] = {key: named[key] for key in ("axis", "axes") if key in named}
            return self.apply(self._made(KERAS, keras_layers.FUNCTIONS[name], arguments, node), positional, {}, node)
        if keras and name == "Lambda" and (positional or "function" in named):
            return positional[0] if positional else named["function"]
        if keras and name in ("Bidirectional", "TimeDistributed"):
            return self._wrapped(name, positional, named, node)
        if torch and name in ("TransformerEncoder", "TransformerDecoder"):
            return self._repeated(positional, named, node)
        if torch and name in CONTAINERS:
            return self.module_list(positional)
        if torch and name == "ModuleDict":
            return v.RegisteredByName(positional[0] if positional and isinstance(positional[0], dict) else {})
        if torch and ".nn." in path and "functional" not in path and known_layer(TORCH, name):
            return self.layer(TORCH, name, positional, named, node)
        if name[:1].isupper() and name != "Parameter" and path.startswith(LAYER_PLACES):
            close = nearest(name, TABLES[TORCH if torch else KERAS])
            hint = f", did you mean `{close}`?" if close else ""
            return v.Unknown(f"the layer `{name}` is not known{hint}", self.interpreter.span(node))
        if torch or path.startswith(("tensorflow", "keras")):
            return where_there(
                self.interpreter.building,
                positional,
                lambda given: call_tensor_function(self, path, given, named, node),
            )
        if path == "collections.OrderedDict" and not positional:
            return dict(named.items())
        if path == "collections.OrderedDict":
            if isinstance(positional[0], dict):
                return dict(positional[0])
            pairs = self.interpreter.items(positional[0])
            if pairs is None:
                return positional[0] if isinstance(positional[0], v.Unknown) else v.Unknown("its items")
            unknown = next((pair for pair in pairs if isinstance(pair, v.Unknown)), None)
            return unknown or {p[0]: p[1] for p in pairs if isinstance(p, (list, tuple)) and len(p) == 2}
        if name == "namedtuple":
            return v.Method(None, "tuple of")
        if path == "functools.partial" and positional:
            return v.PartialValue(positional[0], tuple(positional[1:]), named)
        if name == "ArgumentParser":
            return v.ArgumentsValue()
        if path in MATH or path in ("math.prod", "math.gcd", "math.pow"):
            return call_builtin(self, path, positional, named, node)
        return unknown_call(path, positional)

    def _method(
        self, owner: v.PyValue, name: str, positional: list[v.PyValue], named: dict[str, v.PyValue], node: ast.AST
    ) -> v.PyValue:
        match owner:
            case v.TensorValue():
                return tensor_method(self, owner, name, positional, named, node)
            case v.SuperValue():
                return self.super_method(owner, name, positional, named, node)
            case v.Method(owner=v.LayerValue() as layer, name="weight"):
                return filled_method(self, weight_of(layer), name, positional, named, node)
            case v.FilledValue():
                return filled_method(self, owner, name, positional, named, node)
            case v.Instance(container=list() | dict()) if name in LISTED:
                return list_method(self, owner.container, name, positional, named)
            case v.Instance(container=v.SequentialValue()) if name in ("append", "extend", "insert"):
                return self._model_method(owner.container, name, positional, named, node)
            case list() if name == "add_module" and len(positional) > 1:
                owner.append(positional[1])
                return None
            case v.SequentialValue() | v.ModelValue() | v.Instance():
                return self._model_method(owner, name, positional, named, node)
            case v.ArgumentsValue():
                return self._argument(owner, name, positional, named, node)
            case list() | tuple() | dict() | str():
                return list_method(self, owner, name, positional, named)
            case bool() | int() | float() if name in NUMBER_METHODS:
                return int(owner) if name in ("int", "long") else owner
            case Name() | Expr():
                return v.Unknown("a method of a number")
        return v.Unknown(f"`{name}` is not followed")

    def error(self, message: str, node: ast.AST, hint: str | None = None) -> SourceError:
        return self.interpreter.fail(message, node, hint)
