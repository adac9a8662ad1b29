"""`isinstance`, `issubclass`, `type`, `hasattr` and copies of what a source makes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tunepass.expr.nodes import Expr
from tunepass.frontends.dnn.interpreter import values as v
from tunepass.frontends.dnn.layers.arguments import TABLES
from tunepass.frontends.dnn.layers.rules import rule

PYTHON: dict[str, tuple[type, ...]] = {
    "int": (int,), "float": (float,), "str": (str,), "list": (list,), "tuple": (tuple,), "dict": (dict,),
    "bool": (bool,), "set": (list,), "Sequence": (list, tuple, str), "Iterable": (list, tuple, str, dict),
    "Number": (int, float), "Mapping": (dict,), "OrderedDict": (dict,), "Integral": (int,), "Real": (int, float),
}  # fmt: skip
FAMILIES = {"_ConvNd": "Conv", "_BatchNorm": "BatchNorm", "_NormBase": "BatchNorm", "_InstanceNorm": "InstanceNorm"}


def is_instance(value: v.PyValue, kinds: v.PyValue) -> bool | v.Unknown:
    if isinstance(value, v.Unknown):
        return value
    tests = [_is_one(value, kind) for kind in _each(kinds)]
    return True if any(test is True for test in tests) else next((t for t in tests if isinstance(t, v.Unknown)), False)


def _each(kinds: v.PyValue) -> Iterator[v.PyValue]:
    for kind in kinds if isinstance(kinds, (list, tuple)) else (kinds,):
        yield from _each(kind) if isinstance(kind, (list, tuple)) else (kind,)


def _is_one(value: v.PyValue, kind: v.PyValue) -> bool | v.Unknown:
    if isinstance(kind, v.UserClass):
        return isinstance(value, v.Instance) and kind in lineage(value.of)
    name = kind.name if isinstance(kind, v.Method) else kind.last if isinstance(kind, v.Symbol) else None
    if name is None:
        return v.Unknown("what kind this is")
    if isinstance(value, (v.TensorValue, v.FilledValue)):
        return name in ("Tensor", "KerasTensor")
    if isinstance(value, v.LayerValue):
        return name in (value.name, "Module", "Layer") or value.name.startswith(FAMILIES.get(name, "@"))
    if isinstance(value, v.SequentialValue):
        return name in ("Sequential", "Module", "Layer")
    if isinstance(value, v.Registered | v.RegisteredByName):
        return name in ("ModuleList" if isinstance(value, v.Registered) else "ModuleDict", "Module")
    if isinstance(value, v.Instance):
        return any(name == base or (base in LAYER_BASES and name in LAYER_BASES) for base in symbols(value.of))
    if isinstance(value, v.PartialValue):
        return name == "partial"
    if isinstance(value, v.UserFunction):
        return name in ("FunctionType", "Callable")
    if isinstance(value, Expr):
        return name in ("int", "Number", "Integral", "Real")
    if isinstance(value, (v.Symbol, v.UserClass)):
        return name == "type"
    return name in PYTHON and isinstance(value, PYTHON[name])


def is_subclass(kind: v.PyValue, bases: v.PyValue) -> bool | v.Unknown:
    tests = [_derived(kind, base) for base in _each(bases)]
    return True if any(test is True for test in tests) else next((t for t in tests if isinstance(t, v.Unknown)), False)


def _derived(kind: v.PyValue, base: v.PyValue) -> bool | v.Unknown:
    if isinstance(kind, v.UserClass):
        return base in lineage(kind) if isinstance(base, v.UserClass) else getattr(base, "last", "") in symbols(kind)
    if isinstance(kind, v.Symbol) and isinstance(base, (v.Symbol, v.UserClass)):
        return isinstance(base, v.Symbol) and base.last in (kind.last, "Module", "Layer")
    return v.Unknown("what kind this is")


FUNCTIONS = (v.UserFunction, v.PartialValue, v.UserClass, v.Symbol, v.Method)


def kind_of(value: v.PyValue) -> v.PyValue:
    """`type(value)`: of an object its class; of what can be called, and of plain values, a name."""
    if isinstance(value, v.Instance):
        return value.of
    if isinstance(value, v.Unknown):
        return value
    if isinstance(value, FUNCTIONS):
        return v.Method(None, "function")
    if isinstance(value, v.LayerValue):
        return v.Symbol(f"{'torch.nn' if value.framework == 'torch' else 'keras.layers'}.{value.name}")
    plain = next(
        (name for name in ("bool", "int", "float", "str", "list", "tuple", "dict") if type(value).__name__ == name),
        None,
    )
    return v.Method(None, plain) if plain else v.Unknown("what kind this is")


LAYER_BASES = frozenset({"Module", "Layer", "Model"})


def lineage(kind: v.UserClass) -> Iterator[v.UserClass]:
    """The class and its bases, the nearest first."""
    yield kind
    for base in kind.bases:
        if isinstance(base, v.UserClass):
            yield from lineage(base)


def symbols(kind: v.UserClass) -> list[str]:
    """The frameworks' classes that it is derived from."""
    return [base.last for candidate in lineage(kind) for base in candidate.bases if isinstance(base, v.Symbol)]


def has_attribute(value: v.PyValue, name: v.PyValue) -> bool | v.Unknown:
    if isinstance(value, v.Instance) and isinstance(name, str):
        declared = any(name in candidate.methods or _sets(candidate, name) for candidate in lineage(value.of))
        return declared or name in value.fields
    if isinstance(value, (v.LayerValue, v.SequentialValue)) and isinstance(name, str):
        return name in MODULE_NAMES or (isinstance(value, v.LayerValue) and _has(value, name))
    if isinstance(value, (bool, int, float, str, list, tuple, dict, type(None))) and isinstance(name, str):
        return hasattr(value, name)
    if isinstance(value, v.Symbol):
        return True  # of a framework: what a source looks for is there
    if isinstance(value, v.Module) and value.scope is not None:
        return name in value.scope.names
    return v.Unknown("an attribute")


MODULE_NAMES = frozenset(
    {"forward", "training", "parameters", "modules", "children", "state_dict", "eval", "train", "to"}
)


def _has(layer: v.LayerValue, name: str) -> bool:
    """Of a layer's attributes those that it was told; one with weights has them too."""
    known = rule(TABLES[layer.framework][layer.name]) if layer.name in TABLES.get(layer.framework, {}) else None
    learned = name in ("weight", "bias") and known is not None and any(a.checked for a in known.arguments)
    return learned or name in layer.arguments or (known is not None and known.argument(name) is not None)


def _sets(kind: v.UserClass, name: str) -> bool:
    """Whether the class's body assigns the name."""
    targets = [
        target
        for statement in kind.node.body
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None
        for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
    ]
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


def copied(value: v.PyValue, deep: bool) -> v.PyValue:
    """A copy: of a layer a deep one has weights of its own."""
    if isinstance(value, (list, dict)) and not deep:
        return value.copy()
    if isinstance(value, v.Registered):
        return v.Registered(copied(item, deep) for item in value)
    if isinstance(value, list):
        return [copied(item, deep) for item in value]
    if isinstance(value, dict):
        return type(value)((key, copied(item, deep)) for key, item in value.items())
    if isinstance(value, v.LayerValue):
        return v.LayerValue(value.name, value.framework, value.arguments, value.span, [] if deep else value.applied)
    if isinstance(value, v.SequentialValue):
        items = [copied(item, deep) for item in value.items] if deep else list(value.items)
        places = {id(item): k for k, item in enumerate(value.items)}
        names = {name: items[places[id(item)]] for name, item in value.named.items() if id(item) in places}
        return v.SequentialValue(items, value.shape, value.span, value.shared, names)
    if isinstance(value, v.Instance):
        fields = {name: copied(item, deep) if deep else item for name, item in value.fields.items()}
        return v.Instance(value.of, fields, copied(value.container, deep), value.built)  # type: ignore[arg-type]
    if isinstance(value, v.ModelValue) and deep:
        return v.Unknown("a copy of a model")
    return value
