"""From a function of a file to the body of a kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tunepass.diagnostics import Diagnostic, SourceError, nearest
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.cfamily.syntax.tree import Attribute, Declaration, SyntaxFault
from tunepass.frontends.cfamily.unit import Function
from tunepass.frontends.hls.body.blocks import BlockBuilder
from tunepass.frontends.hls.body.calls import Frame
from tunepass.frontends.hls.body.pruning import pruned
from tunepass.frontends.hls.body.state import known
from tunepass.frontends.hls.body.statements import Statements
from tunepass.frontends.hls.body.types import Kind, TypeReader
from tunepass.frontends.hls.body.values import ArrayFacts, Binding, Place, ScalarName
from tunepass.frontends.hls.file import HlsFile
from tunepass.ir.hardware import INT
from tunepass.ir.hls import ONE, HlsArray, HlsDialect, HlsKernel, HlsLoop, HlsRegion, NdRange, Storage, items_of

UNKNOWN_EXTENT = 1024  # elements of an array whose size nothing tells
UNKNOWN_GROUP = 256  # work-items
UNKNOWN_ITEMS = 1 << 16
ATTRIBUTES = ("num_simd_work_items", "num_compute_units", "reqd_work_group_size", "max_work_group_size", "task",
              "autorun", "max_global_work_dim", "uses_global_work_offset", "work_group_size_hint", "vec_type_hint",
              "scheduler_target_fmax_mhz", "max_concurrency", "always_inline")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadKernel:
    """`factors` are the most that each knob of a factor may be; `used` the parameters that the function reads,
    `widths` those that widths of its types depend on."""

    body: HlsKernel
    factors: Mapping[str, Expr]
    used: frozenset[str]
    widths: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What pragmas say besides the code: values of scalar formals, extents of arrays, iterations of loops by where
    these begin, work-items along each dimension and those of a group. `defaults` are of parameters that are whole
    numbers."""

    scalars: Mapping[str, Expr] = field(default_factory=dict)
    extents: Mapping[str, tuple[Expr, ...]] = field(default_factory=dict)
    trips: Mapping[int, Expr] = field(default_factory=dict)
    items: tuple[Expr, ...] = ()
    group: tuple[Expr, ...] = ()
    work_items: Expr | None = None
    launches: Expr = ONE
    defaults: Mapping[str, int] = field(default_factory=dict)
    clock_hz: Expr | None = None
    rate: Expr | None = None


def read_kernel(
    file: HlsFile,
    function: Function,
    dialect: HlsDialect,
    parameters: Mapping[str, Expr],
    stated: Stated,
    warnings: list[Diagnostic],
) -> ReadKernel:
    """`parameters` are the names of the space, knobs among them."""
    reader = Statements(file, dialect, dict(parameters), warnings)
    reader.types = TypeReader(file, reader.constant, defaults=stated.defaults)
    reader.knobs, reader.stated = dict(parameters), dict(stated.trips)
    try:
        return _read(reader, function, stated)
    except SyntaxFault as fault:
        raise reader.fail(fault) from None
    except RecursionError:
        message = f"`{function.name.text}` is nested too deeply to be read"
        raise SourceError(message, reader.span(function.name)) from None


def _read(reader: Statements, function: Function, stated: Stated) -> ReadKernel:
    _file_scope(reader)
    items = work_items(reader, function, stated) if reader.dialect == "intel" else None
    with reader.scope():
        for formal in function.formals:
            _formal(reader, formal, stated)
        reader.frames.append(Frame(function))
        reader.region(function, function.body.statements)
    (whole,) = reader.items[-1][-1:] or [HlsRegion(label=function.name.text, items=())]
    assert isinstance(whole, HlsRegion)
    scalars = frozenset(f.name for f in reader.arrays.values() if f.storage == "scalar" and not f.formal)
    whole = pruned(whole, scalars)
    body = HlsKernel(
        dialect=reader.dialect,
        function=function.name.text,
        whole=whole,
        arrays=_arrays(reader, whole),
        range=items,
        launches=stated.launches,
        clock_hz=stated.clock_hz,
        rate=stated.rate,
        span=reader.span(function.name),
    )
    widths = frozenset(reader.types.widths) & frozenset(stated.defaults)
    return ReadKernel(body=body, factors=reader.factors, used=frozenset(reader.used), widths=widths)


def _file_scope(reader: Statements) -> None:
    for name, value in reader.file.unit.enumerators.items():
        number = reader.constant(value)
        if number is not None:
            reader.scopes[0][name] = known(number, INT)
    for declaration in reader.file.globals:
        reader.declare(declaration, file_scope=True)
    reader.block = BlockBuilder(reader.serial)
    reader.used.clear()
    reader.held = {name: v for name, v in reader.held.items() if v.op is None}


def _formal(reader: Statements, formal: Declaration, stated: Stated) -> None:
    declarator = formal.declarators[0]
    name, kind = declarator.name.text, reader.types.kind(formal.words)
    if not name:
        return
    dims = reader.extents(declarator, kind)
    dims += [None] * kind.pointers
    extents = stated.extents.get(name, ())
    if extents and dims:
        dims = [*extents, *dims[len(extents) :]]
    storage = _storage(reader, formal, dims, kind)
    binding = reader.variable(name, kind, dims, storage, reader.span(declarator.name))
    reader.scopes[-1][name] = binding
    reference = declarator.reference
    for facts in _facts(binding, reader.arrays):
        facts.formal = reference or storage != "scalar"
    if isinstance(binding, ScalarName) and name in stated.scalars:
        reader.held[binding.array] = known(stated.scalars[name], binding.element)


def _storage(reader: Statements, formal: Declaration, dims: Sequence[Expr | None], kind: Kind) -> Storage:
    """Arrays of Merlin's and OpenCL's kernels are in DRAM, those of Vitis' where an interface says so, or where they
    are pointers."""
    if not dims:
        return "scalar"
    if reader.dialect == "vitis":
        return "global" if any(formal.declarators[0].pointers) or kind.pointers else "local"
    words = set(formal.words)
    if words & {"__local", "local"}:
        return "local"
    return "constant" if words & {"__constant", "constant"} else "global"


def _facts(binding: Binding, arrays: Mapping[str, ArrayFacts]) -> list[ArrayFacts]:
    if isinstance(binding, (Place, ScalarName)):
        return [arrays[binding.array]]
    members = getattr(binding, "members", {})
    return [facts for member in members.values() for facts in _facts(member, arrays)]


def _arrays(reader: Statements, whole: HlsRegion) -> tuple[HlsArray, ...]:
    """Those that operations or pragmas name."""
    used: dict[str, None] = {}
    for item in items_of(whole):
        for operation in getattr(item, "operations", ()):
            if operation.array is not None:
                used[operation.array] = None
        if isinstance(item, HlsLoop):
            used.update(dict.fromkeys((*item.reductions, *item.independent)))
    return tuple(_array(reader, facts) for name, facts in reader.arrays.items() if name in used)


def _array(reader: Statements, facts: ArrayFacts) -> HlsArray:
    dims: list[Expr] = []
    for extent in facts.dims:
        if extent is not None:
            dims.append(extent)
        elif facts.reaches and not dims:
            dims.append(algebra.maximum(*facts.reaches))
        else:
            hint = f"state it: `#pragma tunepass hls NAME({facts.name}: float[4096])`"
            reader.warn(f"the size of `{facts.name}` is not known; taken as {UNKNOWN_EXTENT}", facts.span, hint)
            dims.append(algebra.lift(UNKNOWN_EXTENT))
    return HlsArray(
        name=facts.name,
        element=facts.element,
        storage=facts.storage,
        dims=tuple(dims),
        partitions=tuple(facts.partitions),
        port=facts.port or ("gmem" if facts.storage == "global" and reader.dialect == "vitis" else None),
        port_bit=facts.port_bit,
        resource=facts.resource,
        read=facts.read,
        written=facts.written,
        span=facts.span,
    )


def _positive(reader: Statements, attribute: Attribute) -> Expr:
    """The number of an attribute, 1 where nothing here tells it."""
    span = reader.span(attribute.name)
    if not attribute.arguments:
        raise SourceError(f"`{attribute.name.text}` has no number", span, f"write `{attribute.name.text}(4)`")
    value = reader.constant(attribute.arguments[0])
    number = None if value is None else algebra.number(value)
    if number is not None and number < 1:
        raise SourceError(f"`{attribute.name.text}` is 1 or more, got {number}", span)
    return ONE if value is None else value


def work_items(reader: Statements, function: Function, stated: Stated) -> NdRange:
    """How many work-items there are, and what the function's attributes ask of them."""
    attributes = {a.name.text.strip("_"): a for a in function.attributes}

    def number(name: str) -> Expr:
        attribute = attributes.get(name)
        return ONE if attribute is None else _positive(reader, attribute)

    for name, attribute in attributes.items():
        close = nearest(name, ATTRIBUTES)
        if name not in ATTRIBUTES and close:
            reader.warn(f"unknown attribute `{name}`", reader.span(attribute.name), f"did you mean `{close}`?")
    simd, units = number("num_simd_work_items"), number("num_compute_units")
    calls = {token.text for token in function.tokens if token.text.startswith("get_")}
    if "task" in attributes or "autorun" in attributes or not calls:
        return NdRange(work_items=ONE, group=ONE, compute_units=units)
    sizes = attributes.get("reqd_work_group_size") or attributes.get("max_work_group_size")
    group = stated.group
    if sizes is not None:
        group = tuple(reader.constant(e) or ONE for e in sizes.arguments)
    if not group:
        hint = "state it: `__attribute__((reqd_work_group_size(X, Y, Z)))`, or `local(X, Y)` in its `hls` pragma"
        reader.warn("the size of a work-group is not known; taken as 256", reader.span(function.name), hint)
        group = (algebra.lift(UNKNOWN_GROUP),)
    items = stated.items
    whole = stated.work_items or (algebra.mul(*items) if items else None)
    if whole is None:
        hint = "state them: `#pragma tunepass hls NAME(…) global(X, Y)`"
        message = f"the number of work-items is not known; taken as {UNKNOWN_ITEMS}"
        reader.warn(message, reader.span(function.name), hint)
        whole = algebra.lift(UNKNOWN_ITEMS)
    for dimension in range(3):
        local = group[dimension] if dimension < len(group) else ONE
        along = items[dimension] if dimension < len(items) else whole if dimension == 0 and not items else ONE
        reader.sizes |= {
            f"get_local_size({dimension})": local,
            f"get_global_size({dimension})": along,
            f"get_num_groups({dimension})": algebra.ceildiv(along, local),
            f"get_group_size({dimension})": algebra.ceildiv(along, local),
        }
    width = group[0] if any(algebra.number(e) != 1 for e in group[1:]) else None
    return NdRange(work_items=whole, group=algebra.mul(*group), width=width, simd=simd, compute_units=units)
