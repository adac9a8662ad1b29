"""The type of a kernel in C++, as the entry writes it: of the kernel's address, or of its formal parameters.

The address of an overloaded function means no function, and that of a member with a reference qualifier has a type that
harness/entry.h does not know. The types of formal parameters are written where the names of the class mean what they
mean in it: in a class that is derived from it. From a final class and from a union none can be: what it declares itself
is written with its name there, and what it inherits is inherited.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from tunepass.frontends.cfamily.functions.definitions import FunctionDefinition
from tunepass.frontends.cfamily.functions.overloading import ClassScope
from tunepass.frontends.cfamily.text.names import pieces, split_arguments, template_arguments
from tunepass.frontends.cfamily.text.tokens import Token, tokens

KERNEL = "tunepass_kernel"
SCOPE = "tunepass_scope_"
QUIET = ('"-Wnon-virtual-dtor"', '"-Weffc++"')  # the derived classes have no objects


def kernel_type(called: str, definition: FunctionDefinition, classes: Sequence[ClassScope] | None) -> list[str]:
    """Lines that define `tunepass_kernel`. `classes` are those around a kernel that has to be named by its
    formal parameters; None: its address means it alone."""
    if classes is None:
        return [f"typedef tunepass_entry::signature<decltype(&{called})> {KERNEL};"]
    outer = pieces(called)[:-1]
    first = len(outer) - len(classes)
    spaces, inner = outer[:first], outer[first:]
    names = ["::".join(inner[: k + 1]) for k in range(len(inner))]
    types = ", ".join(_in_classes(nameless(f.text, f.name), names, classes) for f in definition.formals)
    signature = with_arguments(f"tunepass_entry::signature<void (*)({types})>", called, definition)
    if not spaces and not inner:
        return [f"typedef {signature} {KERNEL};"]
    scopes = [f"{SCOPE}{k}" for k in range(len(inner))]
    derived = [_bases(name, scope) for name, scope in zip(names, classes)]
    return [
        *(f"namespace {space} {{" for space in spaces),
        "struct tunepass_no_class {};",
        "#pragma GCC diagnostic push",
        *(f"#pragma GCC diagnostic ignored {option}" for option in QUIET),
        *(f"struct {scope} : {bases} {{" for scope, bases in zip(scopes, derived)),
        f"typedef {signature} type_of_kernel;",
        "};" * len(inner),
        "#pragma GCC diagnostic pop",
        "}" * len(spaces),
        f"typedef {'::'.join([*spaces, *scopes, 'type_of_kernel'])} {KERNEL};",
    ]


def _bases(name: str, scope: ClassScope) -> str:
    """The bases of the class that stands for `name`."""
    if scope.final and scope.bases:
        return ", ".join(scope.bases)
    return f"std::conditional<__is_final({name}) || __is_union({name}), tunepass_no_class, {name}>::type"


def _in_classes(text: str, names: Sequence[str], classes: Sequence[ClassScope]) -> str:
    """A type with the name of its class before what a final class declares."""
    owners: dict[str, str] = {}
    for name, scope in zip(names, classes):
        owners |= {member: f"{name}::{member}" if scope.final else member for member in scope.names}
    code = list(tokens(text))
    for before, token in reversed(list(zip([None, *code], code))):
        if token.kind == "name" and token.text in owners and not (before is not None and before.at("::", ".", "->")):
            text = text[: token.start] + owners[token.text] + text[token.end :]
    return text


def called_object(definition: FunctionDefinition, classes: Sequence[ClassScope] | None, object_: str) -> str:
    """The object that the member function is called on, which settles the overload: by a pointer or a reference."""
    words = definition.qualifiers.split()
    if not words or classes is None:
        return f"({object_})->"
    reference = words.pop() if words[-1] in ("&", "&&") else "&"
    return f"static_cast<{' '.join(['tunepass_object', *words, reference])}>(*({object_}))."


def with_arguments(text: str, name: str, definition: FunctionDefinition) -> str:
    """`text` with the parameters of the template, and of the class templates around it, as `name` gives them."""
    named = pieces(name)
    lists = [(definition.template or "", name)]
    for scope in definition.scopes:
        lists += [(scope.template or "", piece) for piece in named[:-1] if piece.startswith(f"{scope.name}<")]
    lists += [(definition.of_class, piece) for piece in named[-2:-1] if definition.path and definition.of_class]
    for parameters, given in lists:
        text = _replaced(text, split_arguments(parameters), template_arguments(given) or ())
    return text


def _replaced(text: str, parameters: Sequence[str], arguments: Sequence[str]) -> str:
    if any("..." in part for part in parameters):
        return text
    given: dict[str, str] = {}
    for part, argument in zip(parameters, arguments):
        names = [token.text for token in _before_default(part) if token.kind == "name"]
        given |= dict.fromkeys(names[-1:], argument)
    for token in reversed(list(tokens(text))):
        if token.kind == "name" and token.text in given:
            text = text[: token.start] + given[token.text] + text[token.end :]
    return text


def nameless(text: str, name: str) -> str:
    """A formal parameter's type."""
    listed = _before_default(text)
    end = listed[-1].end if listed else 0
    named = next((token for token in reversed(listed) if name and token.text == name), None)
    return text[:end] if named is None else text[: named.start] + text[named.end : end]


def _before_default(text: str) -> list[Token]:
    """The tokens of a parameter, without what it is by default."""
    return list(takewhile(lambda token: token.text != "=", tokens(text)))
