"""`isinstance`, `hasattr`, `getattr` and copies of what a source makes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tunepass.expr.nodes import Expr
from tunepass.frontends.dnn.values import (
    FilledValue,
    Instance,
    LayerValue,
    Method,
    ModelValue,
    Module,
    PyValue,
    Registered,
    RegisteredByName,
    SequentialValue,
    Symbol,
    TensorValue,
    Unknown,
    UserClass,
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
    if isinstance(value, Expr):
        return name in ("int", "Number", "Integral", "Real")
    if isinstance(value, (Symbol, UserClass)):
        return name == "type"
    return name in PYTHON and isinstance(value, PYTHON[name])


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
    if isinstance(value, LayerValue) and isinstance(name, str) and name in value.arguments:
        return True
    if isinstance(value, Module) and value.scope is not None:
        return name in value.scope.names
    return Unknown("an attribute")


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
        return SequentialValue(items, value.shape, value.span, value.shared)
    if isinstance(value, Instance):
        fields = {name: copied(item, deep) if deep else item for name, item in value.fields.items()}
        return Instance(value.of, fields, copied(value.container, deep), value.built)  # type: ignore[arg-type]
    if isinstance(value, ModelValue) and deep:
        return Unknown("a copy of a model")
    return value
