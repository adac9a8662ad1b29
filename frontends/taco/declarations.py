"""The tensors of an expression: as they are declared, and dense of doubles where they are not."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.diagnostics import Diagnostic, Severity, SourceError, spelling_hint
from tunepass.frontends.problems import each
from tunepass.frontends.taco.formats import dense, element_of, format_of
from tunepass.frontends.taco.written import Declaration
from tunepass.ir.tensor import Access, Assignment, Element, Format, Tensor, accesses
from tunepass.tensors.notation import expression_text


def declared(
    assignment: Assignment, declarations: Sequence[Declaration]
) -> tuple[tuple[Tensor, ...], tuple[Diagnostic, ...]]:
    """The tensors in the order of their first access, the result first; and notes on what is not declared."""
    used = (assignment.left, *accesses(assignment.right))
    first: dict[str, Access] = {}
    for access in used:
        first.setdefault(access.tensor, access)
    _check_accesses(assignment, used, first)
    by_name: dict[str, Declaration] = {}
    for declaration in declarations:
        name, span = declaration.access.tensor, declaration.access.span
        if name in by_name:
            raise SourceError(
                f"tensor `{name}` is declared twice", span, f"the first is at {by_name[name].access.span}"
            )
        by_name[name] = declaration
    each(declarations, lambda declaration: _check(declaration, first))
    tensors = each(first.values(), lambda access: _tensor(access, by_name.get(access.tensor)))
    notes = [note for access in first.values() for note in _notes(access, by_name.get(access.tensor))]
    return tuple(tensors), tuple(notes)


def _check_accesses(assignment: Assignment, used: Sequence[Access], first: dict[str, Access]) -> None:
    for access in used:
        expected = len(first[access.tensor].index)
        if len(access.index) != expected:
            hint = f"at {first[access.tensor].span} it has {expected}"
            raise SourceError(f"`{access.tensor}` has {_count(access)} here", access.span, hint)
        if repeated := [v for place, v in enumerate(access.index) if v in access.index[:place]]:
            hint = "a diagonal is not an access; copy it out first"
            raise SourceError(f"`{repeated[0]}` is twice in one access", access.span, hint)
    result = assignment.left
    for access in used[1:]:
        if access.tensor == result.tensor:
            hint = f"write `{result.tensor}… += …` to add to it, or call the result otherwise"
            raise SourceError(f"the result `{result.tensor}` is read on the right", access.span, hint)
    if len(used) == 1:
        raise SourceError("there is no tensor on the right", result.span, "write `A(i,k) = B(i,j) * C(j,k)`")
    names = {access.tensor for access in used}
    for access in used:
        if clash := [variable for variable in access.index if variable in names]:
            raise SourceError(f"`{clash[0]}` is a tensor and an index variable", access.span, "rename one")


def _check(declaration: Declaration, first: dict[str, Access]) -> None:
    access = declaration.access
    if access.tensor not in first:
        hint = spelling_hint(access.tensor, first, "remove the line")
        raise SourceError(f"no tensor `{access.tensor}` in the expression", access.span, hint)
    expected = len(first[access.tensor].index)
    if len(access.index) != expected:
        hint = f"at {first[access.tensor].span} it has {expected}"
        raise SourceError(f"`{access.tensor}` has {_count(access)} here", access.span, hint)


def _count(access: Access) -> str:
    return f"{len(access.index)} index variable{'s' * (len(access.index) != 1)}"


def _tensor(access: Access, declaration: Declaration | None) -> Tensor:
    order, span = len(access.index), access.span
    format_: Format | None = None
    element: Element | None = None
    for word in declaration.words if declaration else ():
        span = declaration.access.span if declaration else span
        known = element_of(word)
        if (known and element) or (not known and format_):
            what = "an element" if known else "a format"
            raise SourceError(f"`{access.tensor}` has {what} already", word.span, "remove one")
        if known:
            element = known
        elif not order:
            raise SourceError(f"`{access.tensor}` is a scalar, it has no format", word.span, f"remove `{word.text}`")
        else:
            format_ = format_of(word, access.tensor, order)
    return Tensor(
        name=access.tensor, index=access.index, format=format_ or dense(order), element=element or "double", span=span
    )


def _notes(access: Access, declaration: Declaration | None) -> list[Diagnostic]:
    if declaration is None:
        text, what = f"tensor {expression_text(access)} dense double", "dense, of doubles"
        problem = f"`{access.tensor}` is not declared: it is {what}"
        return [Diagnostic(problem, access.span, f"to say so, write `{text}`", Severity.NOTE)]
    if declaration.access.index != access.index and set(declaration.access.index) == set(access.index):
        problem = f"`{access.tensor}` is used as `{expression_text(access)}`: the modes are in the order of their use"
        hint = "to store them in another order, write one after the format, as in `ds:1,0`"
        return [Diagnostic(problem, declaration.access.span, hint, Severity.WARNING)]
    return []
