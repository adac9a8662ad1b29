"""What a value is asked for: its attributes, its items, and what stands at an index."""

from __future__ import annotations

import ast
import math
from abc import ABC

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.dnn.interpreter import values as v
from tunepass.frontends.dnn.interpreter.arithmetic import compared
from tunepass.frontends.dnn.interpreter.builtins import range_items
from tunepass.frontends.dnn.interpreter.kinds import kind_of
from tunepass.frontends.dnn.interpreter.numbers import row
from tunepass.frontends.dnn.interpreter.presence import presence, where_there
from tunepass.frontends.dnn.interpreter.user_calls import UserCalls
from tunepass.frontends.dnn.layers.arguments import TORCH
from tunepass.frontends.dnn.tensors.operations import subscript_tensor, tensor_attribute, tensor_items

WINDOW = {"kernel_size": 1, "stride": 1, "padding": 0, "dilation": 1}  # a convolution has one of each for each axis
CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf}


class Lookups(UserCalls, ABC):
    """Attributes, items and subscripts of what a source has made."""

    def items(self, value: v.PyValue) -> list[v.PyValue] | None:
        if isinstance(value, v.Instance) and value.container is not None:
            return self.interpreter.items(value.container)
        if isinstance(value, v.TensorValue):
            return tensor_items(self.interpreter, value)
        if isinstance(value, v.FilledValue):
            return list(value.numbers) if value.numbers is not None else None
        return list(value.items) if isinstance(value, v.SequentialValue) else range_items(value)

    def attribute(self, owner: v.PyValue, name: str, node: ast.AST) -> v.PyValue:
        match owner:
            case v.ConditionalValue(value=v.TensorValue() as tensor):
                found = self.attribute(tensor, name, node)
                return v.Method(owner, name) if isinstance(found, v.Method) else found
            case v.Symbol() | v.UserClass() | v.UserFunction() if name == "__name__":
                return owner.last if isinstance(owner, v.Symbol) else getattr(owner.node, "name", "_")
            case str() | int() if name == "value":
                return owner  # of an Enum
            case v.PartialValue() if name in ("func", "args", "keywords"):
                keywords: dict[object, v.PyValue] = dict(owner.named.items())
                return owner.function if name == "func" else owner.positional if name == "args" else keywords
            case v.Instance() | v.LayerValue() if name == "__class__":
                return kind_of(owner)
            case v.Symbol(path="math") if name in CONSTANTS:
                return CONSTANTS[name]
            case v.Symbol():
                return v.Symbol(f"{owner.path}.{name}")
            case v.Module():
                run = self.interpreter
                return run.resolved(run.of_module(owner, name, node), node)
            case v.Instance():
                if name in owner.fields:
                    return self._current(owner.fields[name])
                if name == "training":
                    return False
                if (method := self.bound(owner.of, name, owner, node)) is not None:
                    return method
                return self.attribute(owner.container, name, node) if of_layer(owner) else v.Method(owner, name)
            case v.FilledValue() if name in ("T", "mT") and len(owner.shape) >= 2:
                return v.FilledValue((*owner.shape[:-2], owner.shape[-1], owner.shape[-2]))
            case v.SequentialValue() if name in owner.named:
                return owner.named[name]
            case v.LayerValue():
                return layer_attribute(owner, name)
            case v.SuperValue():
                return self.super_attribute(owner, name, node)
            case v.TensorValue():
                return tensor_attribute(self.interpreter, owner, name, node)
            case v.UserClass():
                fields = self.class_fields(owner)
                return fields[name] if name in fields else self.bound(owner, name, None, node) or v.Method(owner, name)
            case v.FilledValue() if name in ("shape", "ndim"):
                return owner.shape if name == "shape" else len(owner.shape)
            case v.ArgumentsValue() if owner.read:
                found = self._parameter(name)
                return (
                    found if found is not None else owner.defaults.get(name, v.Unknown(f"`{name}` is not an argument"))
                )
            case v.Unknown():
                return self._parameter(name) or owner
            case v.ModelValue() if name in ("output", "input"):
                return v.TensorValue((owner.outputs if name == "output" else owner.inputs)[0])
        return v.Method(owner, name)

    def subscript(self, owner: v.PyValue, index: v.PyValue, node: ast.Subscript) -> v.PyValue:
        if isinstance(presence(owner)[1], v.TensorValue):
            return where_there(
                self.interpreter.building,
                [owner],
                lambda given: subscript_tensor(self.interpreter, given[0], self._places(index, node), node),  # type: ignore[arg-type]
            )
        if isinstance(owner, v.Unknown) and isinstance(index, str):
            return self._parameter(index) or owner
        if isinstance(owner, v.Unknown):
            return owner
        sliced = isinstance(index, v.Method) and index.name == "slice" and isinstance(index.owner, tuple)
        if sliced and not (isinstance(owner, v.FilledValue) and owner.numbers is None):
            return self._part(owner, index.owner)  # type: ignore[union-attr, arg-type]
        along = index is None or isinstance(index, (tuple, v.TensorValue, v.FilledValue))
        if isinstance(owner, v.FilledValue) and (owner.numbers is None or along):
            return self.subscript(self.tensor(owner, node), index, node)
        holder = owner.container if isinstance(owner, v.Instance) else owner
        holder = holder.numbers if isinstance(holder, v.FilledValue) else holder
        holder = holder.items if isinstance(holder, v.SequentialValue) else holder
        if isinstance(holder, Expr) or isinstance(index, (Expr, v.Unknown)):
            return self._listed(holder, index)
        try:
            return holder[index]  # type: ignore[index]
        except (TypeError, KeyError, IndexError):
            return v.Unknown(f"`{ast.unparse(node)[:40]}` is not there")

    def _places(self, index: v.PyValue, node: ast.AST) -> v.PyValue:
        """An index, tensors of numbers as ones of the graph."""
        if isinstance(index, tuple):
            return tuple(self._places(part, node) for part in index)
        return self.tensor(index, node) if isinstance(index, v.FilledValue) else index

    def _part(self, owner: v.PyValue, given: tuple[v.PyValue, ...]) -> v.PyValue:
        """A slice of a list, a tuple, a text or a sequence of layers."""
        ends = [end if isinstance(end, int) else None for end in given]
        if list(given) != ends:
            return v.Unknown("this part is not known")
        if isinstance(owner, v.Instance):
            owner = owner.container
        if isinstance(owner, v.SequentialValue):
            return v.SequentialValue(owner.items[slice(*ends)], span=owner.span)
        if isinstance(owner, v.FilledValue) and owner.numbers is not None:
            return row(owner.numbers[slice(*ends)])
        return owner[slice(*ends)] if isinstance(owner, (list, tuple, str)) else v.Unknown("this part is not known")

    def _listed(self, holder: v.PyValue, index: v.PyValue) -> v.PyValue:
        """One of some numbers, by a position or a key that a parameter decides."""
        pairs: list[tuple[object, v.PyValue]] = list(enumerate(holder)) if isinstance(holder, (list, tuple)) else []
        if isinstance(holder, dict):
            pairs = list(holder.items())
        values = [value for _, value in pairs]
        if (
            not isinstance(index, Expr)
            or not values
            or not all(isinstance(length, (bool, int, float, Expr)) for length in values)
        ):
            return v.Unknown("which of them is not known")
        result = values[-1]
        for key, value in pairs[-2::-1]:
            test = compared(ast.Eq, index, key)  # type: ignore[arg-type]
            if isinstance(test, v.Unknown):
                return test
            result = algebra.where(algebra.lift(test), value, result)  # type: ignore[arg-type]
        return result

    def _current(self, value: v.PyValue) -> v.PyValue:
        """Of alternatives the one of the condition that is looked at now."""
        if not isinstance(value, v.AlternativesValue):
            return value
        sharing = self.interpreter.building.sharing
        active = {id(sharing.shared(condition)) for condition in self.conditions}
        active.add(id(sharing.shared(algebra.both(*self.conditions))) if self.conditions else 0)
        found = [item for condition, item in value.items if id(sharing.shared(condition)) in active]
        if found:
            return found[0]
        numbers = [item for _, item in value.items if isinstance(item, (bool, int, float, Expr))]
        if len(numbers) == len(value.items):
            result = algebra.lift(numbers[0])
            for (condition, _), number in list(zip(value.items, numbers))[1:]:
                result = algebra.where(condition, number, result)
            return result
        return value

    def _parameter(self, name: str) -> v.PyValue:
        """Something unknown is asked for a name that is a parameter's: `args.filters`."""
        return self.interpreter.parameters.get(name)


def of_layer(instance: v.Instance) -> bool:
    return isinstance(instance.container, v.LayerValue)


def layer_attribute(layer: v.LayerValue, name: str) -> v.PyValue:
    """What a layer was told, its weight, or a method."""
    if layer.framework == TORCH and name in WINDOW and layer.name.startswith("Conv") and layer.name[-2].isdigit():
        told = layer.arguments.get(name, WINDOW[name])
        if isinstance(told, (list, tuple, str)):
            return tuple(told) if not isinstance(told, str) else told
        return (told,) * int(layer.name[-2])
    if layer.framework == TORCH and name == "groups" and layer.name.startswith("Conv"):
        return layer.arguments.get(name, 1)
    if name in layer.arguments and name != "bias":
        return layer.arguments[name]
    if name == "bias" and (layer.arguments.get("bias") is False or layer.arguments.get("use_bias") is False):
        return None
    return v.Method(layer, name)
