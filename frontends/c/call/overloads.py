"""The definition that a `kernel` pragma means: by name, template arguments, and among overloads by its arguments."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.diagnostics import SourceError, nearest
from tunepass.frontends.c.pragmas.arguments import CALL, ArgumentText
from tunepass.frontends.c.pragmas.kernel import CLAUSES, KernelPragma
from tunepass.frontends.cfamily.functions.definitions import Formal, FunctionDefinition, named
from tunepass.frontends.cfamily.text.names import pieces, plain_name, split_arguments, template_arguments
from tunepass.frontends.cfamily.types.declared import canonical_type, is_integral, is_known


def overloads(pragma: KernelPragma, definitions: Sequence[FunctionDefinition]) -> list[FunctionDefinition]:
    """All that its name may mean, one for each prototype. Raises SourceError for none, and for several functions."""
    candidates = named(pragma.name, definitions, pragma.span.start)
    if not candidates:
        names = {d.qualified for d in definitions} | {d.name for d in definitions}
        close = nearest(plain_name(pragma.name), names)
        hint = f"did you mean `{close}`?" if close else "the pragma names a function with a body in the same file"
        hint = f"the function's name comes first: `kernel {CALL}`" if pragma.name in CLAUSES else hint
        raise SourceError(f"no function `{pragma.name}` is defined in this file", pragma.span, hint)
    functions = list(dict.fromkeys(d.qualified for d in candidates))
    if len(functions) > 1:
        words = " and ".join(f"`{name}`" for name in functions[:3])
        raise SourceError(f"`{pragma.name}` may be {words}", pragma.span, f"write `{functions[0]}`")
    candidates = _templates(pragma, candidates)
    return list({(tuple(f.text for f in d.formals), d.qualifiers): d for d in reversed(candidates)}.values())[::-1]


def _templates(pragma: KernelPragma, candidates: list[FunctionDefinition]) -> list[FunctionDefinition]:
    """Templates where the pragma has template arguments, others where it has none. Where a `template <>` is for these
    arguments, it alone."""
    given = template_arguments(pragma.name)
    fitting = [d for d in candidates if (d.template is not None) == (given is not None)]
    first = candidates[0]
    if given is not None:
        fitting = _specialised(given, fitting)
    if not fitting and given is not None:
        others = [f"`{first.qualified}<{', '.join(d.specialised)}>`" for d in candidates if d.specialised is not None]
        if others:
            message = f"no definition of `{first.qualified}` is for these template arguments"
            raise SourceError(message, pragma.span, f"there are {'; '.join(others[:4])}")
        raise SourceError(f"`{first.qualified}` is no template", pragma.span, f"write `{plain_name(pragma.name)}`")
    if not fitting:
        example = ", ".join(first.specialised) if first.specialised is not None else _example(first.template or "")
        hint = f"say which: `{first.qualified}<{example}>`"
        raise SourceError(f"`{first.qualified}` is a template", pragma.span, hint)
    written = pieces(pragma.name)[:-1]
    for scope in first.scopes:
        if scope.template is not None and not any(piece.startswith(f"{scope.name}<") for piece in written):
            hint = f"say which: `{scope.name}<{_example(scope.template)}>::{first.name}`"
            raise SourceError(f"`{scope.name}` is a template", pragma.span, hint)
    return fitting


def _specialised(given: tuple[str, ...], candidates: list[FunctionDefinition]) -> list[FunctionDefinition]:
    exact = [d for d in candidates if d.specialised is not None and _same_arguments(given, d.specialised)]
    return exact or [d for d in candidates if d.specialised is None]


def _same_arguments(given: tuple[str, ...], written: tuple[str, ...]) -> bool:
    """Each the same but for scopes that one of them leaves out: `lib::Level::NONE` and `Level::NONE`."""
    pairs = [[pieces("".join(text.split())) for text in pair] for pair in zip(given, written)]
    ends = (a[-len(b) :] == b or b[-len(a) :] == a for a, b in pairs)
    return len(given) == len(written) and all(ends)


def _example(parameters: str) -> str:
    """Template arguments that are as many as the parameters."""
    kinds = [canonical_type(part.split()[0].removeprefix("std::")) for part in split_arguments(parameters)]
    return ", ".join("8" if is_integral(kind) else "double" for kind in kinds)


def chosen(
    pragma: KernelPragma, candidates: Sequence[FunctionDefinition], definitions: Sequence[FunctionDefinition]
) -> FunctionDefinition:
    """The overload that takes the pragma's arguments; of several the one that the pragma stands before.

    Raises SourceError where none takes them, and where several do and the pragma stands before another function."""
    if len(candidates) == 1:
        return candidates[0]
    scores = {k: score for k, d in enumerate(candidates) if (score := _score(pragma.arguments, d.formals)) is not None}
    best = [candidates[k] for k, score in scores.items() if score == max(scores.values())]
    listed = "; ".join(f"`{d.prototype}`" for d in (best or candidates)[:4])
    if not best:
        raise SourceError(f"no overload of `{pragma.name}` takes these arguments", pragma.span, f"there are {listed}")
    following = min((d for d in definitions if d.start > pragma.span.start), key=lambda d: d.start, default=None)
    best = [d for d in best if d == following] or best
    if len(best) > 1:
        hint = f"{listed}; write the pragma before the one that is meant"
        raise SourceError(f"{len(best)} overloads of `{pragma.name}` take these arguments", pragma.span, hint)
    return best[0]


def _score(given: Sequence[ArgumentText], formals: Sequence[Formal]) -> int | None:
    """How well they fit; None where they do not."""
    if len(given) > len(formals) or any("=" not in formal.text for formal in formals[len(given) :]):
        return None
    scores = [_one(argument, formal) for argument, formal in zip(given, formals)]
    return None if None in scores else sum(s for s in scores if s is not None) - (len(formals) - len(given))


def _one(argument: ArgumentText, formal: Formal) -> int | None:
    if argument.direction is None:
        if formal.pointer or formal.container or (formal.reference and not formal.constant):
            return None
        whole = argument.value is not None and "." not in argument.value.text
        return int(is_known(formal.element) and is_integral(formal.element) == whole)
    if is_known(formal.element) and not (formal.pointer or formal.container or formal.reference):
        return None
    element = canonical_type((argument.element or "").removeprefix("std::"))
    if is_known(element) and is_known(formal.element) and element != formal.element:
        return None
    copied = formal.container and not (formal.reference or "*" in formal.text)
    if argument.direction != "in" and (formal.constant or copied):
        return None
    return int(element == formal.element) + int(formal.constant == (argument.direction == "in"))
