"""The variables of its file that a kernel changes: found from its code, or named by `globals(...)`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tunepass.diagnostics import Diagnostic, Severity, Source, SourceError, nearest
from tunepass.expr.nodes import INTEGER
from tunepass.frontends.c.call.arguments import Names, expression
from tunepass.frontends.c.call.reach import Code, Reach, may_change, may_write_through
from tunepass.frontends.c.call.variables import FileVariable, variables
from tunepass.frontends.c.pragmas.kernel import GlobalText, KernelPragma
from tunepass.frontends.c.setup.elements import UnknownElement, enumerators_of, leaves_of
from tunepass.frontends.cfamily.functions.definitions import FunctionDefinition, definitions
from tunepass.frontends.cfamily.text.tokens import Token, names_in
from tunepass.frontends.cfamily.types.declared import CType, Types
from tunepass.frontends.cfamily.unit import Unit
from tunepass.ir.c_kernel import GlobalVariable, Leaf

EXPOSED = "tunepass_globals"


@dataclass(frozen=True)
class GlobalsReader:
    """Reads one file. `tuned` are macros that parameters set: what depends on them differs by configuration."""

    unit: Unit
    types: Types
    tuned: frozenset[str]
    warnings: list[Diagnostic]

    @property
    def source(self) -> Source:
        return self.unit.source

    @cached_property
    def variables(self) -> tuple[FileVariable, ...]:
        return variables(self.unit)

    @cached_property
    def code(self) -> Code:
        return Code(self.unit)

    def read(self, pragma: KernelPragma, function: FunctionDefinition, names: Names) -> tuple[GlobalVariable, ...]:
        if pragma.globals is not None:
            return tuple(self._named(text, names) for text in pragma.globals)
        reach = self.code.reach(function)
        found = [variable for variable in self.variables if self._counts(variable, reach)]
        self._doubt_static_locals(pragma, function, reach)
        known = {variable.name for variable in found}
        if pragma.setup is not None:
            known |= {name for name, _ in self.setup_variables(function, pragma.setup.function)}
        self._doubt_pointers(pragma, [v for v in self.variables if v.name not in known], reach)
        read = [(variable, self._found(variable, pragma)) for variable in found]
        return tuple(variable for _, variable in read if variable is not None)

    def setup_variables(self, function: FunctionDefinition, setup: str) -> tuple[tuple[str, CType], ...]:
        """Variables, which both the kernel and the function `setup` mention, with their types."""
        makers = [f for f in definitions(self.unit) if f.name == setup.rpartition("::")[2]]
        reached = [self.code.reach(f).mentions for f in (function, *makers)]
        kinds = [(v.name, self.types.resolved(v.type)) for v in self.variables if not (v.constant or v.threads)]
        return tuple((name, kind) for name, kind in kinds if makers and all(name in names for names in reached))

    def _counts(self, variable: FileVariable, reach: Reach) -> bool:
        """Is it changed, and can anything else see that?"""
        if variable.constant or not may_change(variable.name, variable.type, reach, self.types):
            return False
        return not variable.static or reach.rest.get(variable.name, 0) > 1  # once where it is declared

    def _found(self, variable: FileVariable, pragma: KernelPragma) -> GlobalVariable | None:
        """None, and a warning, where it cannot be compared."""
        depends = set(names_in(" ".join(variable.type.dims))) & self.tuned
        try:
            if variable.threads:
                raise UnknownElement("each thread has one of its own")
            if depends:
                raise UnknownElement(f"its length depends on {', '.join(sorted(depends))}")
            dims, leaves = self._elements(variable)
        except UnknownElement as problem:
            self.warnings.append(
                Diagnostic(
                    f"`{pragma.name}` may change `{variable.name}`, which is not compared",
                    self.source.span(variable.start, variable.end),
                    str(problem),
                    Severity.WARNING,
                )
            )
            return None
        name = variable.qualified
        return GlobalVariable(name=name, dims=dims, leaves=leaves, condition=variable.condition)

    def _named(self, text: GlobalText, names: Names) -> GlobalVariable:
        variable = next((v for v in self.variables if text.name in (v.name, v.qualified)), None)
        if variable is None:
            close = nearest(text.name, [v.qualified for v in self.variables])
            hint = f"did you mean `{close}`?" if close else "a variable outside all functions of this file can be named"
            raise SourceError(f"no variable of this file is called `{text.name}`", text.span, hint)
        if variable.constant or variable.threads:
            what = "const" if variable.constant else "one for each thread"
            raise SourceError(f"`{text.name}` is {what}, so there is nothing to compare", text.span)
        try:
            dims, leaves = self._elements(variable)
        except UnknownElement as problem:
            raise SourceError(f"`{text.name}` cannot be compared", text.span, str(problem)) from None
        if text.filled and any(leaf.kind in ("pointer", "bytes") for leaf in leaves):
            raise SourceError(f"`{text.name}` does not hold numbers alone, so it cannot be filled", text.span)
        inner = {**names, "i": INTEGER}
        return GlobalVariable(
            name=variable.qualified,
            dims=dims,
            leaves=leaves,
            enumerators=enumerators_of(CType(variable.type.base), self.types),
            filled=text.filled,
            fill=expression(text.fill, inner, self.source, "a number") if text.fill else None,
            lo=expression(text.lo, names, self.source, "a number") if text.lo else None,
            hi=expression(text.hi, names, self.source, "a number") if text.hi else None,
            named=True,
        )

    def _elements(self, variable: FileVariable) -> tuple[int, tuple[Leaf, ...]]:
        """How many dimensions it has, and the numbers in an element that is no plain one."""
        kind = self.types.resolved(variable.type)
        if not variable.defined and kind.dims[:1] == ("",):
            raise UnknownElement("its length is not declared here")
        if kind.dims and kind.dims[0] == "*":
            kind = CType(kind.base, 1)
        leaves = leaves_of(CType(kind.base, kind.depth), self.types)
        plain = len(leaves) == 1 and leaves[0].alone
        return len(kind.dims), () if plain else leaves

    def _doubt_pointers(self, pragma: KernelPragma, others: Sequence[FileVariable], reach: Reach) -> None:
        """Warnings about memory that variables point to, which are not compared."""
        for variable in others:
            kind = self.types.resolved(variable.type)
            if variable.constant_target or kind.function or not may_write_through(variable.name, kind, reach):
                continue
            message = f"`{pragma.name}` may change what `{variable.name}` points to, which is not compared"
            hint = f"let a `setup(FUNCTION)` of yours set it, and name `{variable.name}: inout TYPE[LENGTH]`"
            span = self.source.span(variable.start, variable.end)
            self.warnings.append(Diagnostic(message, span, hint, Severity.WARNING))

    def _doubt_static_locals(self, pragma: KernelPragma, function: FunctionDefinition, reach: Reach) -> None:
        for local in self._static_locals(function, reach):
            self.warnings.append(
                Diagnostic(
                    f"`{local.text}` keeps its value from one call of `{pragma.name}` to the next and is not compared",
                    self.source.span(local.start, local.end),
                    "outside the function it could be compared, and restored before each call",
                    Severity.WARNING,
                )
            )

    def _static_locals(self, function: FunctionDefinition, reach: Reach) -> Iterator[Token]:
        """The names of numbers and pointers, in the kernel and what it calls; arrays are taken for scratch memory."""
        called = [f for f in self.unit.functions if not f.in_header and f.name.text in reach.mentions]
        kernel = next(f for f in self.unit.functions if f.name.start == function.name_start)
        for each in (kernel, *(f for f in called if f is not kernel)):
            yield from _static_names(each.tokens)


def _static_names(code: Sequence[Token]) -> Iterator[Token]:
    for at, token in enumerate(code):
        if token.at("static") and not code[at + 1].at("const", "constexpr", "inline"):
            end = next(n for n in range(at, len(code)) if code[n].at("=", ";", "(", ")", "{", "}", "["))
            if code[end].at("=", ";") and code[end - 1].kind == "name":
                yield code[end - 1]


def exposing_text(function: str, globals_: Sequence[GlobalVariable]) -> str:
    """C or C++ for the end of the source, which tells the harness where these variables are; nothing for none."""
    if not globals_:
        return ""
    rows = "".join(conditional(v.condition, f"{{&{v.name}, sizeof {v.name}}},", "{0, 0},") for v in globals_)
    return f"""
#line 1 "the variables that {function} changes"
{DECLARED}
#ifdef __cplusplus
extern "C"
#endif
const struct tunepass_global {EXPOSED}[] = {{
{rows}}};
"""


def conditional(condition: str, text: str, otherwise: str) -> str:
    """Lines of C: `text` under a condition of the preprocessor."""
    return f"#if {condition}\n{text}\n#else\n{otherwise}\n#endif\n" if condition else f"{text}\n"


DECLARED = f"""\
struct tunepass_global {{ const volatile void *tp_at; unsigned long tp_size; }};
#ifdef __cplusplus
extern "C"
#else
extern
#endif
const struct tunepass_global {EXPOSED}[];"""
