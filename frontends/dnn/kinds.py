"""`isinstance`, `issubclass`, `type`, `hasattr` and copies of what a source makes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tunepass.expr.nodes import Expr
from tunepass.frontends.dnn.layers import TABLES
from tunepass.frontends.dnn.rules import rule
from tunepass.frontends.dnn.values import (
    FilledValue,
    Instance,
    LayerValue,
    Method,
    ModelValue,
    Module,
    PartialValue,
    PyValue,
    Registered,
    RegisteredByName,
    SequentialValue,
    Symbol,
    TensorValue,
    Unknown,
    UserClass,
    UserFunction,
)

PYTHON: dict[str, tuple[type, ...]] = {
    "int": (int,), "float": (float,), "str": (str,), "list": (list,), "tuple": (tuple,), "dict": (dict,),
    "bool": (bool,), "set": (list,), "Sequence": (list, tuple, str), "Iterable": (list, tuple, str, dict),
    "Number": (int, float), "Mapping": (dict,), "OrderedDict": (dict,), "Integral": (int,), "Real": (int, float),
}  # fmt: skip
FAMILIES = {"_ConvNd": "Conv", "_BatchNorm": "BatchNorm", "_NormBase": "BatchNorm", "_InstanceNorm": "InstanceNorm"}


def is_instance(value: PyValue, kinds: PyValue) -> bool | Unknown:
    if isinstance(value, Unknown):
        return value
    tests = [_is_one(value, kind) for kind in _each(kinds)]
    return True if any(test is True for test in tests) else next((t for t in tests if isinstance(t, Unknown)), False)


def _each(kinds: PyValue) -> Iterator[PyValue]:
    for kind in kinds if isinstance(kinds, (list, tuple)) else (kinds,):
        yield from _each(kind) if isinstance(kind, (list, tuple)) else (kind,)


def _is_one(value: PyValue, kind: PyValue) -> bool | Unknown:
    if isinstance(kind, UserClass):
        return isinstance(value, Instance) and kind in lineage(value.of)
    name = kind.name if isinstance(kind, Method) else kind.last if isinstance(kind, Symbol) else None
    if name is None:
        return Unknown("what kind this is")
    if isinstance(value, (TensorValue, FilledValue)):
        return name in ("Tensor", "KerasTensor")
    if isinstance(value, LayerValue):
        return name in (value.name, "Module", "Layer") or value.name.startswith(FAMILIES.get(name, "@"))
    if isinstance(value, SequentialValue):
        return name in ("Sequential", "Module", "Layer")
    if isinstance(value, Registered | RegisteredByName):
        return name in ("ModuleList" if isinstance(value, Registered) else "ModuleDict", "Module")
    if isinstance(value, Instance):
        return any(name == base or (base in LAYER_BASES and name in LAYER_BASES) for base in symbols(value.of))
    if isinstance(value, PartialValue):
        return name == "partial"
    if isinstance(value, UserFunction):
        return name in ("FunctionType", "Callable")
    if isinstance(value, Expr):
        return name in ("int", "Number", "Integral", "Real")
    if isinstance(value, (Symbol, UserClass)):
        return name == "type"
    return name in PYTHON and isinstance(value, PYTHON[name])


def is_subclass(kind: PyValue, bases: PyValue) -> bool | Unknown:
    tests = [_derived(kind, base) for base in _each(bases)]
    return True if any(test is True for test in tests) else next((t for t in tests if isinstance(t, Unknown)), False)


def _derived(kind: PyValue, base: PyValue) -> bool | Unknown:
    if isinstance(kind, UserClass):
        return base in lineage(kind) if isinstance(base, UserClass) else getattr(base, "last", "") in symbols(kind)
    if isinstance(kind, Symbol) and isinstance(base, (Symbol, UserClass)):
        return isinstance(base, Symbol) and base.last in (kind.last, "Module", "Layer")
    return Unknown("what kind this is")


FUNCTIONS = (UserFunction, PartialValue, UserClass, Symbol, Method)


def kind_of(value: PyValue) -> PyValue:
    """`type(value)`: of an object its class; of what can be called, and of plain values, a name."""
    if isinstance(value, Instance):
        return value.of
    if isinstance(value, Unknown):
        return value
    if isinstance(value, FUNCTIONS):
        return Method(None, "function")
    if isinstance(value, LayerValue):
        return Symbol(f"{'torch.nn' if value.framework == 'torch' else 'keras.layers'}.{value.name}")
    plain = next(
        (name for name in ("bool", "int", "float", "str", "list", "tuple", "dict") if type(value).__name__ == name),
        None,
    )
    return Method(None, plain) if plain else Unknown("what kind this is")


LAYER_BASES = frozenset({"Module", "Layer", "Model"})


def lineage(kind: UserClass) -> Iterator[UserClass]:
    """The class and its bases, the nearest first."""
    yield kind
    for base in kind.bases:
        if isinstance(base, UserClass):
            yield from lineage(base)


def symbols(kind: UserClass) -> list[str]:
    """The frameworks' classes that it is derived from."""
    return [base.last for candidate in lineage(kind) for base in candidate.bases if isinstance(base, Symbol)]


def has_attribute(value: PyValue, name: PyValue) -> bool | Unknown:
    if isinstance(value, Instance) and isinstance(name, str):
        declared = any(name in candidate.methods or _sets(candidate, name) for candidate in lineage(value.of))
        return declared or name in value.fields
    if isinstance(value, (LayerValue, SequentialValue)) and isinstance(name, str):
        return name in MODULE_NAMES or (isinstance(value, LayerValue) and _has(value, name))
    if isinstance(value, (bool, int, float, str, list, tuple, dict, type(None))) and isinstance(name, str):
        return hasattr(value, name)
    if isinstance(value, Symbol):
        return True  # of a framework: what a source looks for is there
    if isinstance(value, Module) and value.scope is not None:
        return name in value.scope.names
    return Unknown("an attribute")


MODULE_NAMES = frozenset(
    {"forward", "training", "parameters", "modules", "children", "state_dict", "eval", "train", "to"}
)


def _has(layer: LayerValue, name: str) -> bool:
    """Of a layer's attributes those that it was told; one with weights has them too."""
    known = rule(TABLES[layer.framework][layer.name]) if layer.name in TABLES.get(layer.framework, {}) else None
    learned = name in ("weight", "bias") and known is not None and any(a.checked for a in known.arguments)
    return learned or name in layer.arguments or (known is not None and known.argument(name) is not None)


def _sets(kind: UserClass, name: str) -> bool:
    """Whether the class's body assigns the name."""
    targets = [
        target
        for statement in kind.node.body
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None
        for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
    ]
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


def copied(value: PyValue, deep: bool) -> PyValue:
    """A copy: of a layer a deep one has weights of its own."""
    if isinstance(value, (list, dict)) and not deep:
        return value.copy()
    if isinstance(value, Registered):
        return Registered(copied(item, deep) for item in value)
    if isinstance(value, list):
        return [copied(item, deep) for item in value]
    if isinstance(value, dict):
        return type(value)((key, copied(item, deep)) for key, item in value.items())
    if isinstance(value, LayerValue):
        return LayerValue(value.name, value.framework, value.arguments, value.span, [] if deep else value.applied)
    if isinstance(value, SequentialValue):
        items = [copied(item, deep) for item in value.items] if deep else list(value.items)
        places = {id(item): k for k, item in enumerate(value.items)}
        names = {name: items[places[id(item)]] for name, item in value.named.items() if id(item) in places}
        return SequentialValue(items, value.shape, value.span, value.shared, names)
    if isinstance(value, Instance):
        fields = {name: copied(item, deep) if deep else item for name, item in value.fields.items()}
        return Instance(value.of, fields, copied(value.container, deep), value.built)  # type: ignore[arg-type]
    if isinstance(value, ModelValue) and deep:
        return Unknown("a copy of a model")
    return value
