"""The entry of a kernel that no other file can call: a function after the source, in the same translation unit.

For the harness, functions that are `static`, `inline`, templates, static methods or in a namespace have no name, or
none that is known; containers and references are of types that it does not know. The entry takes numbers and
addresses. In C++ the compiler itself says what the kernel's parameters are (harness/entry.h).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources

from tunepass.frontends.c.call.signatures import called_object, kernel_type, with_arguments
from tunepass.frontends.c.harness.isolation import without_macros
from tunepass.frontends.c.setup.entry import SetupText
from tunepass.frontends.c.setup.place_text import COMMON, OF_C, OF_CPP
from tunepass.frontends.cfamily.functions.definitions import Formal, FunctionDefinition
from tunepass.frontends.cfamily.functions.overloading import ClassScope
from tunepass.frontends.cfamily.text.names import pieces, plain_name
from tunepass.frontends.cfamily.text.tokens import names_in
from tunepass.frontends.cfamily.types.declared import CType, Types, canonical_type, is_known
from tunepass.ir.c_kernel import Argument, ArrayArgument, EntryFunction, NamedArgument, OpenArgument, ScalarArgument

FUNCTION = "tunepass_call"
ANY_ACCESS = "-fno-access-control"  # a member function may be private, and so may members that are compared
REFERENCE = re.compile(r"\bconst\b|&|\bstd\s*::\s*(?=\w+_t\b)")


def needs_entry(definition: FunctionDefinition, given: int, overloaded: bool, cpp: bool, types: Types) -> bool:
    """Whether another file cannot call it as its prototype says, with `given` arguments."""
    if not cpp:
        return bool(definition.private)
    if any({definition.name, "main"} & _type_names(formal, types) for formal in definition.formals):
        return True  # the harness has other names for these types, and the kernel's linkage name has them in it
    unknown = any(f.reference or f.container or not (f.pointer or is_known(f.element)) for f in definition.formals)
    unknown = unknown or "::" in definition.returns or "->" in definition.prototype
    return bool(definition.private) or unknown or overloaded or given < len(definition.formals)


def _type_names(formal: Formal, types: Types) -> set[str]:
    """The names in its type, as it is written and as it is."""
    return {*names_in(formal.text), *names_in(types.resolved(formal.type).base)} - {formal.name}


def returned_type(name: str, definition: FunctionDefinition, types: Types) -> str:
    """What the entry returns: an arithmetic type or a typedef of one, a struct that the harness can name, or `void`.
    Template parameters are replaced."""
    text = canonical_type(" ".join(REFERENCE.sub(" ", with_arguments(definition.returns, name, definition)).split()))
    meant = types.resolved(CType(text))
    if "*" in definition.returns or meant.depth or meant.dims:
        return "void"
    inside = any(scope.kind != "extern" for scope in definition.scopes) or bool(definition.path)
    named = meant.base in types.records and (not inside or "::" in meant.base)
    return meant.base if is_known(meant.base) or named else "void"


def c_entry(
    definition: FunctionDefinition, arguments: Sequence[Argument], reals: Sequence[bool], setup: SetupText | None = None
) -> EntryFunction:
    """C converts numbers and addresses to whatever the kernel takes."""
    prototype = f"{definition.returns} {FUNCTION}({_formals(arguments, reals, counted=False)})"
    made = iter(range(len(arguments)))
    words = [setup.passed(next(made)) if setup and is_open(a) else _given(k, a) for k, a in enumerate(arguments)]
    call = f"{definition.name}({', '.join(words)})"
    leave = "" if definition.returns == "void" else "return "
    opened = ["#include <stddef.h>", *(COMMON + OF_C).splitlines(), *setup.lines()] if setup else []
    lines = ["#include <stdint.h>", *opened, f"{prototype};", f"{prototype} {{ {leave}{call}; }}"]
    return EntryFunction(function=FUNCTION, prototype=prototype, text=_placed(definition.name, lines))


def _given(k: int, argument: Argument) -> str:
    if isinstance(argument, NamedArgument):
        return argument.text
    if isinstance(argument, ArrayArgument) and argument.by_value:
        return f"*({argument.element} *)tp_{k}"
    return f"tp_{k}"


def cpp_entry(
    name: str,
    definition: FunctionDefinition,
    arguments: Sequence[Argument],
    reals: Sequence[bool],
    classes: Sequence[ClassScope] | None,
    types: Types,
    setup: SetupText | None = None,
) -> EntryFunction:
    """In the kernel's own namespace, so that names mean what they mean there. `classes`: see `kernel_type`."""
    called, returned = _called(name, definition), returned_type(name, definition, types)
    prototype = f'extern "C" {returned} {FUNCTION}({_formals(arguments, reals, counted=True)})'
    made = iter(range(setup.on_object if setup else 0, len(arguments) + 1))
    passed = [
        setup.passed(next(made)) if setup and is_open(argument) else _passed(k, argument)
        for k, argument in enumerate(arguments)
    ]
    object_ = called_object(definition, classes, setup.passed(0)) if setup and setup.on_object else ""
    leave = "static_cast<void>" if returned == "void" else f"return static_cast<{returned}>"
    cases = [
        f"case {number}: return tunepass_entry::contained<tunepass_kernel::parameter<{k}>, {k}>::asked(what, count);"
        for number, k in enumerate(k for k, a in enumerate(arguments) if isinstance(a, ArrayArgument))
    ]
    named = [scope.name for scope in definition.scopes if scope.kind == "namespace" and scope.name]
    spaces = [part for name in named for part in name.split("::")]
    text = (resources.files("tunepass.frontends.c.harness") / "entry.h").read_text(encoding="utf-8")
    lines = [
        *without_macros(text, _words_of_source(called, returned, definition, arguments, setup)),
        "#include <stddef.h>",
        "#include <stdint.h>",
        text,
        *(f"namespace {space} {{" for space in spaces),
        *kernel_type(called, definition, classes),
        *_opened(setup, called),
        f"{prototype} {{",
        f"    {leave}({object_}{called}({', '.join(passed)}));",
        "}",
        'extern "C" tunepass_entry::answer tunepass_container(int argument, int what, std::size_t count) {',
        "    (void)what; (void)count;",
        f"    switch (argument) {{ {' '.join(cases)} default: return tunepass_entry::answer(); }}",
        "}",
        "}" * len(spaces),
    ]
    member = definition.path or any(scope.kind == "class" for scope in definition.scopes)
    flags = (ANY_ACCESS,) if member or setup is not None else ()
    return EntryFunction(function=FUNCTION, prototype=prototype, text=_placed(name, lines), counted=True, flags=flags)


def _words_of_source(
    called: str, returned: str, definition: FunctionDefinition, arguments: Sequence[Argument], setup: SetupText | None
) -> str:
    """What the entry writes as the source and the pragma do."""
    named = [a.text for a in arguments if isinstance(a, NamedArgument)]
    types = [formal.text for formal in definition.formals]
    return " ".join([called, returned, *types, *named, *(setup.words_of_source() if setup else ())])


def is_open(argument: Argument) -> bool:
    return isinstance(argument, OpenArgument)


def _opened(setup: SetupText | None, called: str) -> list[str]:
    if setup is None:
        return []
    object_ = [f"typedef {'::'.join(pieces(called)[:-1])} tunepass_object;"] if setup.on_object else []
    return [*(COMMON + OF_CPP).splitlines(), *object_, *setup.lines()]


def _called(name: str, definition: FunctionDefinition) -> str:
    """The kernel's name as its namespace knows it: classes, and template arguments as they are written."""
    classes = [scope.name for scope in definition.scopes if scope.kind == "class"]
    own = [*classes, *definition.path, definition.name]
    written = pieces(name)[-len(own) :]
    return "::".join([*own[: len(own) - len(written)], *written])


def _formals(arguments: Sequence[Argument], reals: Sequence[bool], *, counted: bool) -> str:
    words = []
    for k, (argument, real) in enumerate(zip(arguments, reals)):
        if isinstance(argument, ArrayArgument):
            words.append(f"void *tp_{k}" + (f", size_t tp_count_{k}" if counted else ""))
        elif isinstance(argument, ScalarArgument):
            words.append(f"{'double' if real else 'int64_t'} tp_{k}")
    return ", ".join(words) or "void"


def _passed(k: int, argument: Argument) -> str:
    if isinstance(argument, NamedArgument):
        return argument.text
    if isinstance(argument, ArrayArgument):
        return f"tunepass_entry::object<tunepass_kernel::parameter<{k}>>::from(tp_{k}, tp_count_{k})"
    return f"tunepass_entry::number<tunepass_kernel::parameter<{k}>>(tp_{k})"


def _placed(name: str, lines: Sequence[str]) -> str:
    """Diagnostics of the compiler name the entry, not a line behind the source's last."""
    return "\n".join(["", f'#line 1 "the entry of {plain_name(name)}"', *lines, ""])
