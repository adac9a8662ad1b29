"""Types that the text of a source and its own headers does not settle, from one compile by the user's compiler."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tunepass.diagnostics import Diagnostic, Severity, SourceError, Span
from tunepass.frontends.c.call.arguments import named_argument
from tunepass.frontends.c.pragmas.arguments import ArgumentText
from tunepass.frontends.c.pragmas.kernel import KernelPragma
from tunepass.frontends.cfamily.functions.definitions import Formal, FunctionDefinition
from tunepass.frontends.cfamily.preprocessing.command import Command
from tunepass.frontends.cfamily.types.declared import CType, Types, declared, is_known, named_type
from tunepass.frontends.cfamily.unit import Unit

if TYPE_CHECKING:
    from tunepass.frontends.cfamily.types.ask import FunctionAsk, Refusal, TypeAnswer
    from tunepass.frontends.cfamily.types.conversion import Conversion
    from tunepass.frontends.cfamily.types.model import Type

DEPTH_LIMIT = 16  # structs in structs
MOST_ANSWERS = 16  # that are remembered: a command reads its source several times
_ANSWERS: dict[tuple[Unit, tuple[str, ...], tuple[FunctionDefinition, ...], tuple[str, ...]], TypeAnswer] = {}


@dataclass(frozen=True, slots=True)
class TypeQuestion:
    """A type's name that the text does not settle; `needed` where nothing can be done without it."""

    name: str
    span: Span
    where: str  # `the elements of `x``
    needed: bool
    function: bool = False  # it names a function, not a type


@dataclass(frozen=True, slots=True)
class CompiledTypes:
    """The types of one source. `words` are the compiler and its words, `defines` give parameters their defaults."""

    unit: Unit
    types: Types
    words: tuple[str, ...]
    defines: tuple[str, ...]
    warnings: list[Diagnostic]

    def settled(self, kernels: Sequence[tuple[KernelPragma, FunctionDefinition]]) -> Types:
        """The types with all that these kernels' arguments, results and variables are made of.

        Raises SourceError where the compiler knows no type that a pragma names.
        """
        questions: dict[str, TypeQuestion] = {}
        for pragma, definition in kernels:
            for question in self._questions(pragma, definition):
                earlier = questions.get(question.name)
                questions[question.name] = question if earlier is None or question.needed else earlier
        scoped = [pair for pair in kernels if self._is_scoped(*pair)]
        return self._with_answers(list(questions.values()), scoped) if questions or scoped else self.types

    def _is_scoped(self, pragma: KernelPragma, definition: FunctionDefinition) -> bool:
        """A function of C++ whose parameters' types may have other names at the end of the file."""
        around = any(scope.kind != "extern" for scope in definition.scopes) or bool(definition.path)
        bases = [self.types.resolved(CType(named_type(a.element or ""))).base for a in pragma.arguments]
        return around and any(base and not is_number(base) for base in bases)

    def _questions(self, pragma: KernelPragma, definition: FunctionDefinition) -> Iterator[TypeQuestion]:
        open_ = template_words(definition)
        for argument, formal in zip(pragma.arguments, definition.formals):
            what = f"`{argument.name}`"
            if not (formal.reference or formal.container or is_scoped(formal.type.base)):
                for name in self._unsettled(formal.type):
                    if name not in open_:
                        yield TypeQuestion(name, argument.span, what, needed=False)
            yield from self._of_functions(argument, formal)
            stated = named_type(argument.element or "")
            of_cpp = self.unit.cxx and stated and not is_number(self.types.resolved(CType(stated)).base)
            for name in (stated,) if of_cpp else self._unsettled(CType(stated)):
                yield TypeQuestion(name, argument.span, f"the elements of {what}", needed=name == stated)
        if not is_scoped(definition.result.base):
            for name in self._unsettled(definition.result):
                if name not in open_:
                    yield TypeQuestion(name, pragma.span, f"the result of `{pragma.name}`", needed=False)
        yield from self._of_variables(pragma)
        yield from self._of_setup(pragma, definition)

    def _of_setup(self, pragma: KernelPragma, definition: FunctionDefinition) -> Iterator[TypeQuestion]:
        """The types of the arguments that a setup makes, with all that they lead to, and of the object."""
        classes = [*(scope.name for scope in definition.scopes if scope.name), *definition.path]
        kinds = [(pragma.object.span, "`this`", CType("::".join(classes)))] if pragma.object is not None else []
        pairs = zip(pragma.arguments, definition.formals)
        kinds += [(a.span, f"`{a.name}`", CType(f.type.base)) for a, f in pairs if a.open and not f.container]
        for span, where, kind in kinds:
            open_ = kind.base in template_words(definition) or "<" in kind.base
            if is_type_name(kind.base) and not open_ and not self._is_settled(kind, 0, set()):
                yield TypeQuestion(kind.base, span, where, needed=False)

    def _of_functions(self, argument: ArgumentText, formal: Formal) -> Iterator[TypeQuestion]:
        """A function of a header that an argument names; in C++ it may be overloaded, and the entry's compile tells."""
        named = named_argument(argument, self.types.resolved(formal.type))
        own = {function.name.text for function in self.unit.functions}
        if named is not None and named.text not in (*own, "0") and not self.unit.cxx and argument.value is not None:
            span = self.unit.source.span(argument.value.start, argument.value.end)
            yield TypeQuestion(named.text, span, f"what `{argument.name}` is given", needed=True, function=True)

    def _of_variables(self, pragma: KernelPragma) -> Iterator[TypeQuestion]:
        named = {variable.name for variable in pragma.globals or ()}
        used = {t.text for function in self.unit.functions if not function.in_header for t in function.tokens}
        for variable in self.unit.globals:
            for declarator in variable.declarators:
                kind = declared(variable, declarator)
                if declarator.parameters is None and kind.name in used | named and not is_scoped(kind.type.base):
                    for name in () if kind.type.depth else self._unsettled(kind.type):
                        yield TypeQuestion(name, pragma.span, f"the variable `{kind.name}`", needed=False)

    def _unsettled(self, kind: CType) -> tuple[str, ...]:
        """The name to ask for, if the text leaves anything of the type open."""
        base = self.types.resolved(kind).base
        return (base,) if is_type_name(base) and not self._is_settled(CType(base), 0) else ()

    def _is_settled(self, kind: CType, depth: int, through: set[str] | None = None) -> bool:
        """Does the text say all of it? `through` grows by the structs that were seen, where pointers are followed."""
        kind = self.types.resolved(kind)
        base = kind.base
        record = self.types.records.get(base)
        if depth and (kind.function or (kind.depth and through is None) or (through is not None and base in through)):
            return True
        if record is None or depth > DEPTH_LIMIT:
            plain = base in ("", "void", "auto") or base in self.types.enums
            return plain or is_number(base)
        if depth and through is None and not all(dim.isdigit() for dim in kind.dims):
            return False
        if through is not None:
            through.add(base)
        if record.bases and through is not None:
            return False
        return all(m.bits or self._is_settled(m.type, depth + 1, through) for m in record.members)

    def _with_answers(
        self, questions: Sequence[TypeQuestion], scoped: Sequence[tuple[KernelPragma, FunctionDefinition]]
    ) -> Types:
        from tunepass.frontends.cfamily.types.ask import Refusal
        from tunepass.frontends.cfamily.types.conversion import Conversion

        names = tuple(question.name for question in questions)
        answer = self._answer(names, tuple(definition for _, definition in scoped))
        if answer.failure is not None:
            place = f"{answer.failure.file}:{answer.failure.line}: " if answer.failure.file else ""
            self._doubt(questions, f"the compiler does not tell its types: {place}{answer.failure.message}")
            return self.types
        conversion = Conversion(self.types)
        for pragma, definition in scoped:
            self._declare_elements(conversion, pragma, definition, answer)
        for question in questions:
            if question.name in conversion.meanings or question.name in conversion.records:
                continue
            found = answer.types[question.name]
            if isinstance(found, Refusal) and (question.needed or not self.unit.cxx):
                self._doubt([question], f"the compiler says of it: {found.reason}")
            elif question.function:
                continue
            elif question.needed and is_incomplete(found):
                self._doubt([question], "the compiler sees no definition of it")
            elif isinstance(found, Refusal):
                continue  # of a scope or a template: the entry is compiled with what the compiler finds there
            else:
                conversion.declare(question.name, found)
        return conversion.types()

    def _declare_elements(
        self, conversion: Conversion, pragma: KernelPragma, definition: FunctionDefinition, answer: TypeAnswer
    ) -> None:
        """What the pragma and the definition call an element is what the compiler says of the parameter."""
        from tunepass.frontends.cfamily.types.ask import Refusal

        signature = answer.functions[function_ask(self.unit, definition).key]
        if isinstance(signature, Refusal) or len(signature.parameters) < len(pragma.arguments):
            return
        for argument, formal, parameter in zip(pragma.arguments, definition.formals, signature.parameters):
            stated = named_type(argument.element or "")
            told = element_of(parameter.type)
            kind = conversion.convert(told)
            if stated and last_part(kind.base) == last_part(stated):
                conversion.declare(stated, told)
                conversion.declare(formal.type.base, told)

    def _doubt(self, questions: Sequence[TypeQuestion], why: str) -> None:
        for question in questions:
            message = f"`{question.name}`, {'' if question.function else 'the type of '}{question.where}, is not known"
            if question.needed:
                raise SourceError(message, question.span, why)
            message = f"{message}: it is taken for a number's"
            self.warnings.append(Diagnostic(message, question.span, why, Severity.WARNING))

    def _answer(self, names: tuple[str, ...], functions: tuple[FunctionDefinition, ...]) -> TypeAnswer:
        key = (self.unit, names, functions, self.defines)
        answer = _ANSWERS.get(key)
        if answer is None:
            answer = self._asked(names, functions)
            if len(_ANSWERS) >= MOST_ANSWERS:
                oldest, *_ = list(_ANSWERS)
                _ANSWERS.pop(oldest, None)  # which another thread may have done
            _ANSWERS[key] = answer
        return answer

    def _asked(self, names: tuple[str, ...], functions: tuple[FunctionDefinition, ...]) -> TypeAnswer:
        from tunepass.frontends.cfamily.types.ask import Ask
        from tunepass.frontends.cfamily.types.reading import read_types

        source, unit = self.unit.source, self.unit
        command = Command.of(self.words, source.name, "c++" if unit.cxx else "c")
        words = [command.program, *command.words, *self.defines]
        own = [f for f in unit.functions if not f.in_header]
        bodies = [(unit.tokens[f.opening].start, unit.tokens[f.closing].end) for f in own]
        name = source.name
        asked = tuple(function_ask(unit, function) for function in functions)
        sizes = [f"char[sizeof({name})]" for name in names if "<" in name]  # instantiates a template
        return read_types(source.text, Path.cwd(), name, words, command.language, Ask(asked, (*names, *sizes)), bodies)


def is_type_name(base: str) -> bool:
    """An anonymous struct has none, nor has what could not be read."""
    return "<" in base or all(word.isidentifier() for word in base.replace("::", " ").split())


def is_number(base: str) -> bool:
    return is_known(base) or base.endswith(" _Complex")


def function_ask(unit: Unit, definition: FunctionDefinition) -> FunctionAsk:
    from tunepass.frontends.cfamily.types.ask import FunctionAsk

    template = bool(template_words(definition))
    body, line = (definition.body_start, definition.body_end), unit.source.span(definition.name_start, 0).line
    return FunctionAsk(definition.qualified, line, definition.start, body, template)


def element_of(type: Type) -> Type:
    """What the pointers, references and arrays of a parameter lead to."""
    from tunepass.frontends.cfamily.types.model import Array, Pointer, Qualified, Reference

    while isinstance(type, Pointer | Reference | Qualified | Array):
        type = type.element if isinstance(type, Array) else type.target
    return type


def last_part(name: str) -> str:
    return name.partition("<")[0].rpartition("::")[2].rpartition(" ")[2]


def is_scoped(base: str) -> bool:
    """A name of C++ that may mean something else, or nothing, at the end of the file."""
    return "::" in base or "<" in base


def is_incomplete(found: Type | Refusal) -> bool:
    """A struct or class of which there is a declaration alone."""
    from tunepass.frontends.cfamily.types.ask import Refusal
    from tunepass.frontends.cfamily.types.model import Record, underlying

    return not isinstance(found, Refusal) and isinstance(bare := underlying(found), Record) and not bare.complete


def template_words(definition: FunctionDefinition) -> frozenset[str]:
    """Of the template parameters of a function and of the classes around it."""
    texts = [definition.template or "", *(scope.template or "" for scope in definition.scopes)]
    return frozenset(" ".join(texts).replace(",", " ").replace("=", " ").split())
