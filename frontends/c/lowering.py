"""From a configuration to what is compiled: -D macros, flags, rewritten nests."""

from __future__ import annotations

from tunepass.diagnostics import SpaceError, Span
from tunepass.ir.c_kernel import CKernel, TunedConstant
from tunepass.ir.candidate import Candidate, Request
from tunepass.ir.kernel import Binding, Kernel
from tunepass.ir.scop_directives import ScopNest
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Parameter

ITSELF = ("", "int", "bool")  # types that a plain value has


def scops_of(kernel: Kernel) -> tuple[ScopNest, ...]:
    """The static control parts to write anew."""
    return kernel.body_as(CKernel).scops


def compiled_scops(kernel: Kernel, configuration: Configuration) -> tuple[ScopNest, ...]:
    """Those in the branches of `#if`s that the configuration chooses."""
    return tuple(nest for nest in scops_of(kernel) if nest.is_compiled(kernel.filled(configuration)))


def macro_names(parameter: Parameter) -> tuple[str, ...]:
    """The macros a parameter sets: its name; for a permutation NAME_ITEM, the position of each item."""
    return tuple(name for name, _ in parameter.assignments(parameter.default))


def macros(kernel: Kernel, configuration: Configuration) -> tuple[tuple[str, str], ...]:
    """(macro, text) for every parameter that reaches the code by name, in the kernel's order."""
    definitions: list[tuple[str, str]] = []
    values = kernel.filled(configuration)
    for parameter in kernel.parameters:
        if kernel.binding(parameter.name).role != "macro":
            continue
        definitions += [(name, spelled(value)) for name, value in parameter.assignments(values[parameter.name])]
    return tuple(definitions)


def spelled(value: Value) -> str:
    """A value as C text; a Boolean is 1 or 0, a string is its own text."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float):
        return repr(value)
    return str(value)


def defines(kernel: Kernel, configuration: Configuration) -> tuple[str, ...]:
    """`-DTILE=32` for every macro."""
    return tuple(f"-D{name}={text}" for name, text in macros(kernel, configuration))


def flags(kernel: Kernel, configuration: Configuration) -> tuple[str, ...]:
    """The compiler arguments of every `flag` parameter, and what nests need."""
    words, nests = parameter_flags(kernel, configuration), compiled_scops(kernel, configuration)
    if not nests:
        return words
    from tunepass.frontends.c.nests.lowering import openmp_flags

    return (*words, *openmp_flags(nests, kernel.filled(configuration)))


def parameter_flags(kernel: Kernel, configuration: Configuration) -> tuple[str, ...]:
    """The compiler arguments of every `flag` parameter; its value may hold several, or none."""
    arguments: list[str] = []
    values = kernel.filled(configuration)
    for parameter in kernel.parameters:
        binding = kernel.binding(parameter.name)
        if binding.role == "flag":
            arguments += flag_arguments(binding, values[parameter.name])
    return tuple(arguments)


def presence_words(kernel: Kernel, configuration: Configuration) -> tuple[str, ...]:
    """The compiler's words for parameters that define a macro or leave it undefined."""
    values = ((b, kernel.filled(configuration)[b.parameter]) for b in kernel.bindings if b.role == "flag" and b.words)
    return tuple(w for b, value in values if isinstance(value, bool) for w in flag_arguments(b, value))


def flag_arguments(binding: Binding, value: Value) -> tuple[str, ...]:
    """The words of one of the flag's own values, or a number as it is; SpaceError for any other value."""
    if not (isinstance(value, str) or binding.words):
        return (spelled(value),)
    words = dict(binding.words).get(spelled(value))
    if words is None:
        raise SpaceError(f"{binding.parameter}: {value!r} is not one of its values", binding.span)
    return words


def lower(kernel: Kernel, configuration: Configuration) -> Candidate:
    """What to compile to try `configuration`; rewritten nests keep the source's line numbers. The text is
    None where the source need not be rewritten."""
    text, plain = rewritten(kernel, configuration), rewritten(kernel, configuration, hints=False)
    return Candidate(
        text=None if text == kernel.source.text else text,
        text_but_hints=None if plain == kernel.source.text else plain,
        defines=defines(kernel, configuration),
        flags=flags(kernel, configuration),
        requests=requests(kernel, configuration),
        compiler=compiler_of(kernel, configuration),
    )


def compiler_of(kernel: Kernel, configuration: Configuration) -> str:
    """The compiler that the configuration names; empty where none is a parameter."""
    named = [p.name for p in kernel.parameters if kernel.binding(p.name).role == "compiler"]
    return str(kernel.filled(configuration)[named[0]]) if named else ""


def requests(kernel: Kernel, configuration: Configuration) -> tuple[Request, ...]:
    """The loops that carry a `simd`, or should, from its pragma to the end of the body: gcc speaks of the body's lines,
    clang of the pragma's. Tiles, orders and unrolled copies are written out, so no compiler can refuse them."""
    nests = compiled_scops(kernel, configuration)
    if not nests:
        return ()
    from tunepass.frontends.c.nests.lowering import nest_requests

    return tuple(request for nest in nests for request in nest_requests(nest, kernel.filled(configuration)))


def rewritten(kernel: Kernel, configuration: Configuration, *, hints: bool = True) -> str:
    """The source's text with every nest and scop replaced, every constant that is tuned, and the hints for loops."""
    changes = constants(kernel, configuration) + (hint_changes(kernel, configuration) if hints else [])
    if nests := compiled_scops(kernel, configuration):
        from tunepass.frontends.c.nests.lowering import scheduled

        changes += [(nest.scop.span, scheduled(nest, kernel.filled(configuration), numbered=True)) for nest in nests]
    text, pieces, position = kernel.source.text, [], 0
    for span, replacement in sorted(changes, key=lambda change: change[0].start):
        pieces += [text[position : span.start], replacement]
        position = span.end
    return "".join([*pieces, text[position:]])


def hint_changes(kernel: Kernel, configuration: Configuration) -> list[tuple[Span, str]]:
    """The compilers' own pragmas for each hint: gcc and clang both obey `GCC unroll`; only clang is asked to vectorise,
    since gcc 12 has no pragma that leaves dependences to its own analysis. clang's stands first: nothing may stand
    between gcc's and the loop."""
    values = kernel.filled(configuration)
    changes: list[tuple[Span, str]] = []
    for hint in kernel.body_as(CKernel).hints:
        copies, vectors = (values[v] if isinstance(v, str) else v for v in (hint.unroll, hint.vectorize))
        words = []
        if vectors is not None:
            words.append(f'_Pragma("clang loop vectorize({"enable" if vectors else "disable"})")')
        if isinstance(copies, (int, float)):  # check_hints refuses all others
            words.append(f'_Pragma("GCC unroll {max(1, int(copies))}")')
        changes.append((hint.span, f"{' '.join(words)}{_lines_of(hint.span)}"))
    return changes


def _lines_of(span: Span) -> str:
    """The ends of lines within the span, so that what follows keeps its line number."""
    return "\n" * span.text.count("\n")


def constants(kernel: Kernel, configuration: Configuration) -> list[tuple[Span, str]]:
    """What stands in the source for each constant that is tuned."""
    values = kernel.filled(configuration)
    return [(c.span, _constant(c, values[c.parameter])) for c in kernel.body_as(CKernel).constants]


def stated(kernel: Kernel, configuration: Configuration) -> list[tuple[Span, str]]:
    """The calls themselves, with other defaults: what a source states that can be tuned again."""
    values = kernel.filled(configuration)
    return [(c.span, _stated(c, values[c.parameter])) for c in kernel.body_as(CKernel).constants]


def _stated(constant: TunedConstant, value: Value) -> str:
    call, default = constant.span, constant.default
    text = call.source.text
    return text[call.start : default.start] + _plain(value) + text[default.end : call.end]


def _constant(constant: TunedConstant, value: Value) -> str:
    text = _plain(value)
    return text if constant.type in ITSELF else f"static_cast<{constant.type}>({text})"


def _plain(value: Value) -> str:
    """As C++ writes a constant."""
    return ("false", "true")[value] if isinstance(value, bool) else spelled(value)
