"""Variants of a kernel that may need compiler flags, or compilers, of their own: each is a translation unit by itself,
and NAME.dispatch.h declares them and picks one.

A unit holds the tuned source with its names at file scope made the variant's own, as the header of variants that share
their flags does; the header declares nothing but the kernel, so the kernel's types must be known outside the source.
"""

from __future__ import annotations

from collections.abc import Mapping

from tunepass.diagnostics import Source, SourceError, Span
from tunepass.frontends.c.emission.defaults import chosen
from tunepass.frontends.c.emission.files import scheduled_text
from tunepass.frontends.c.emission.variant_text import copy, formal_list, includes, own_types, plain_returns, unit_of
from tunepass.frontends.c.lowering import macros, scops_of
from tunepass.frontends.cfamily.annotated import annotated
from tunepass.frontends.cfamily.functions.definitions import FunctionDefinition
from tunepass.frontends.cfamily.text.tokens import names_in
from tunepass.frontends.cfamily.unit import Unit
from tunepass.ir.c_kernel import CKernel
from tunepass.ir.kernel import Kernel
from tunepass.ir.sizes import SizedVariants

PRIVATE = ("static", "inline")


def stand_apart(kernel: Kernel) -> bool:
    """Whether configurations of the kernel may differ in their flags: by a `flag` parameter, or by loops that are
    vector loops or parallel in some schedules only."""
    roles = {kernel.binding(parameter.name).role for parameter in kernel.parameters}
    marks = [(nest.directives.vectorize, nest.directives.parallel) for nest in scops_of(kernel)]
    return bool(roles & {"flag", "compiler"}) or any(vectorize or parallel for vectorize, parallel in marks)


def units(variants: SizedVariants, function: FunctionDefinition) -> tuple[str, ...]:
    """The text of each variant's translation unit."""
    return tuple(_unit(variant, function, number) for number, variant in enumerate(variants.variants))


def _unit(variant: Kernel, function: FunctionDefinition, number: int) -> str:
    text, values = scheduled_text((variant,)), macros(variant, chosen(variant))
    lines = [*includes(variant.source), *copy(variant, text, values, number)]
    if _is_private(function):  # other units cannot call it
        call = f"{function.name}_{number}({', '.join(f.name for f in function.formals)});"
        opened = with_macros(variant.source, function, frozenset(), variant.span)
        body = f"{{ {call if plain_returns(function) == 'void' else f'return {call}'} }}"
        lines += [*opened[0], f"{_prototype(function, number)};"]
        lines += [f"{_prototype(function, number)} {body}", *opened[1]]
    return "\n".join([*lines, ""])


def declarations(variants: SizedVariants, function: FunctionDefinition) -> tuple[list[str], list[str]]:
    """The header's lines before its functions that name the kernel's types, and after them."""
    kernel = variants.variants[0]
    check_types(unit_of(kernel), function, kernel)
    tuned = frozenset(name for name, _ in macros(kernel, chosen(kernel)))
    before, after = with_macros(kernel.source, function, tuned, kernel.span)
    call = kernel.body_as(CKernel).call
    linkage = kernel.language == "c" or (call is not None and call.prototype.startswith("extern"))
    prototypes = [f"{_prototype(function, number)};" for number in range(len(variants.variants))]
    if linkage:
        opened, closed = ['extern "C" {'], ["}"]
        guard = kernel.language == "c"
        opened = ["#ifdef __cplusplus", *opened, "#endif"] if guard else opened
        closed = ["#ifdef __cplusplus", *closed, "#endif"] if guard else closed
        prototypes = [*opened, *prototypes, *closed]
    return [*includes(kernel.source), *before, *prototypes], after


def called(function: FunctionDefinition, number: int) -> str:
    """The name by which other units call a variant."""
    return f"{function.name}_{number}{'_entry' if _is_private(function) else ''}"


def _prototype(function: FunctionDefinition, number: int) -> str:
    return f"{plain_returns(function)} {called(function, number)}({formal_list(function)})"


def _is_private(function: FunctionDefinition) -> bool:
    return any(word in function.private for word in PRIVATE)


def check_types(unit: Unit, function: FunctionDefinition, kernel: Kernel) -> None:
    own = sorted(set(names_in(_prototype_words(function))) & set(own_types(unit)))
    if own:
        raise SourceError(
            f"a header with variants cannot declare `{own[0]}`, a type of the kernel's that this source defines",
            kernel.span or Span(kernel.source, 0, 0),
            "define the type in a header, or --variants 1",
        )


def _prototype_words(function: FunctionDefinition) -> str:
    return f"{function.returns} {formal_list(function)}"


def with_macros(
    source: Source, function: FunctionDefinition, tuned: frozenset[str], span: Span | None
) -> tuple[list[str], list[str]]:
    """The source's macros that the formals use, defined and put back."""
    bodies = _macros(source)
    used: dict[str, None] = {}
    left = names_in(_prototype_words(function))
    while left:
        name = left.pop()
        if name in tuned:
            hint = "give the formal a type that is the same for every configuration, or --variants 1"
            raise SourceError(f"the kernel's prototype depends on `{name}`, which is tuned", span, hint)
        if name in bodies and name not in used:
            used[name] = None
            left += names_in(bodies[name])
    before = [line for name in used for line in (f'#pragma push_macro("{name}")', f"#undef {name}")]
    before += [f"#define {bodies[name]}" for name in used]
    return before, [f'#pragma pop_macro("{name}")' for name in used]


def _macros(source: Source) -> Mapping[str, str]:
    """By name what stands after the last `#define` of each macro."""
    defined = (d.body for d in annotated(source).directives if d.kind == "define")
    return {name: body for body in defined for name in names_in(body)[:1]}
