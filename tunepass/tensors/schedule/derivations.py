"""Requirements of each derivation, checked as soon as its directive is applied."""

from __future__ import annotations

from collections.abc import Mapping

from tunepass.ir.tensor import Access, Bound, Directive, Fuse, Pos, Tensor, Unroll, accesses
from tunepass.tensors.refusal import IllegalSchedule
from tunepass.tensors.schedule.loops import BoundOf, DivideBy, FuseOf, PosOf, ScheduledNest, SplitBy


def check_directive(nest: ScheduledNest, directive: Directive, extents: Mapping[str, int]) -> None:
    """Raises IllegalSchedule where `nest`, to which `directive` has been applied, breaks a rule of it."""
    match directive:
        case Pos():
            _check_position(nest, directive)
        case Fuse():
            _check_fuse(nest, directive)
        case Bound():
            _check_bound(nest, directive, _stated_extents(nest, extents))
        case Unroll(variable) if constant_extent(nest, variable, {}) is None:
            raise IllegalSchedule(
                "constant",
                f"the loop {variable} has no constant extent to unroll",
                directive.span,
                "split it and unroll the inner loop, or bound it first",
            )


def constant_extent(nest: ScheduledNest, variable: str, extents: Mapping[str, int]) -> int | None:
    """How many iterations a loop over `variable` has, as far as that is fixed. `extents`: of index variables."""
    for derivation in nest.derivations:
        match derivation:
            case SplitBy(inner=inner, factor=factor) if inner == variable:
                return factor
            case SplitBy(parent, outer, _, factor) if outer == variable:
                whole = constant_extent(nest, parent, extents)
                return None if whole is None else -(-whole // factor)
            case DivideBy(outer=outer, factor=factor) if outer == variable:
                return factor
            case DivideBy(parent, _, inner, factor) if inner == variable:
                whole = constant_extent(nest, parent, extents)
                return None if whole is None else -(-whole // factor)
            case FuseOf(outer, inner, fused) if fused == variable:
                left, right = constant_extent(nest, outer, extents), constant_extent(nest, inner, extents)
                return None if left is None or right is None else left * right
            case PosOf(position=position) if position == variable:
                return None
            case BoundOf(bounded=bounded, extent=extent) if bounded == variable:
                return extent
    return extents.get(variable)


def _stated_extents(nest: ScheduledNest, extents: Mapping[str, int]) -> dict[str, int]:
    """Extents of index variables, those that earlier bounds state and those of workspaces' variables too."""
    known, renamed = dict(extents), nest.renamed_variables()
    for derivation in nest.derivations[:-1]:
        if isinstance(derivation, BoundOf) and not nest.parents(derivation.variable):
            known.setdefault(renamed.get(derivation.variable, derivation.variable), derivation.extent)
    return known | {new: known[old] for new, old in renamed.items() if old in known}


def _check_bound(nest: ScheduledNest, bound: Bound, extents: Mapping[str, int]) -> None:
    stated = constant_extent(nest, bound.bounded, {})
    if bound.bound != "MaxExact":
        raise IllegalSchedule("bound", f"a bound is MaxExact, got {bound.bound}", bound.span)
    is_position = any(isinstance(d, PosOf) and d.position in nest.ancestors(bound.variable) for d in nest.derivations)
    true = constant_extent(nest, bound.variable, extents)
    if true is None and (is_position or nest.parents(bound.variable)):
        message = f"the extent of {bound.variable} is not fixed, so it cannot be stated"
        raise IllegalSchedule("bound", message, bound.span, "bound an index variable, before it is split")
    if true is not None and true != stated:
        raise IllegalSchedule("bound", f"{bound.variable} has the extent {true}, not {stated}", bound.span)


def _check_fuse(nest: ScheduledNest, fuse: Fuse) -> None:
    for derivation in nest.derivations:
        if isinstance(derivation, PosOf) and derivation.position in nest.ancestors(fuse.fused):
            message = f"{derivation.position} runs over positions, and those are not fused"
            raise IllegalSchedule("fused", message, fuse.span, "fuse the coordinates, then write pos of the fused loop")


def _check_position(nest: ScheduledNest, pos: Pos) -> None:
    tensor = nest.tensor(pos.tensor)
    read = [a for statement in nest.statements() for a in accesses(statement.expression) if a.tensor == pos.tensor]
    if tensor is None or not read:
        operands = [a.tensor for s in nest.statements() for a in accesses(s.expression) if nest.tensor(a.tensor)]
        hint = f"the operands are {', '.join(dict.fromkeys(operands))}"
        raise IllegalSchedule("position", f"`{pos.tensor}` is no operand", pos.span, hint)
    if any(isinstance(d, PosOf) and d.position in nest.ancestors(pos.variable) for d in nest.derivations):
        raise IllegalSchedule("position", f"{pos.variable} runs over positions already", pos.span)
    roots = nest.roots(pos.variable)
    access = next((a for a in read if set(roots) <= set(a.index)), None)
    if access is None:
        names = " and ".join(roots)
        raise IllegalSchedule("position", f"{names} is no index of {pos.tensor}", pos.span)
    _check_levels(access, tensor, roots, pos)
    if not _is_contiguous(nest, pos.variable):
        message = f"{pos.variable} does not run over neighbouring coordinates, so their positions are no range"
        raise IllegalSchedule("position", message, pos.span, "take the inner loop of a split, or the whole coordinate")


def _check_levels(access: Access, tensor: Tensor, roots: tuple[str, ...], pos: Pos) -> None:
    """The coordinates are those of levels that follow each other, the last of them compressed."""
    along = [access.index[mode] for mode in tensor.format.order]
    last = along.index(roots[-1])
    if tensor.format.levels[last] == "dense":
        message = f"{roots[-1]} is stored by a dense level of {tensor.name}: it has no positions of its own"
        raise IllegalSchedule("position", message, pos.span, f"leave {pos.variable} to its coordinates")
    if tuple(along[last - len(roots) + 1 : last + 1]) != roots:
        names = ", ".join(roots)
        message = f"{tensor.name} does not store {names} by levels that follow each other in this order"
        raise IllegalSchedule("position", message, pos.span)


def _is_contiguous(nest: ScheduledNest, variable: str) -> bool:
    """Does it run over neighbouring coordinates: an index variable, the inner of a split, or such fused with all of
    the next?"""
    for derivation in nest.derivations:
        match derivation:
            case SplitBy(parent, outer, inner) | DivideBy(parent, outer, inner) if variable in (outer, inner):
                return variable == inner and _is_contiguous(nest, parent)
            case FuseOf(outer, inner, fused) if variable == fused:
                return _is_contiguous(nest, outer) and _is_whole(nest, inner)
            case BoundOf(parent, bounded) if variable == bounded:
                return _is_contiguous(nest, parent)
    return True


def _is_whole(nest: ScheduledNest, variable: str) -> bool:
    return all(
        isinstance(d, (BoundOf, FuseOf)) or not {variable, *nest.ancestors(variable)} & _made_by(d)
        for d in nest.derivations
    )


def _made_by(derivation: SplitBy | DivideBy | FuseOf | PosOf | BoundOf) -> set[str]:
    match derivation:
        case SplitBy(_, outer, inner) | DivideBy(_, outer, inner):
            return {outer, inner}
        case FuseOf(fused=fused):
            return {fused}
        case PosOf(position=position):
            return {position}
        case BoundOf(bounded=bounded):
            return {bounded}
