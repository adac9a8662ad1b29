"""C++ programs as descriptions: numbers, lists and lambdas are followed from statement to statement, nothing is run.

What is not followed (files, random numbers, devices) is unknown, and an unknown condition counts as false: the program
is read as if it were started without arguments. Inside a call over parameters nothing is assumed: what it returns is
unknown then. Calls of methods are told to `called`, who may give them a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.cfamily.syntax import tree
from tunepass.frontends.cfamily.unit import Unit
from tunepass.interchange import cpp_values as cpp
from tunepass.interchange.cpp_expressions import UNCHANGED, Called, Expressions
from tunepass.interchange.cpp_values import Formula, Function, Unknown, Value

STEPS = 200_000  # statements that are followed
TURNS, LOOPED = 300, 5000  # turns of a loop, and steps in all loops around one another: longer ones fill arrays
CALLS = 30  # in one another
QUALIFIERS = frozenset({"const", "constexpr", "static", "inline", "volatile", "extern", "register", "mutable"})


class _TooLong(Unknown):
    """A loop has more turns than are followed; those around it are left with it."""


class _Break(Unknown):
    """`break`, unknown to all but its loop."""


class _Continue(Unknown):
    """`continue`."""


@dataclass(slots=True, kw_only=True)
class CppProgram(Expressions):
    """Follows a program. A statement gives what it returns; None where it goes on.

    `returns` are those made under conditions over parameters so far, the first one that holds counts.
    """

    unit: Unit
    steps: int = 0
    loops: int = 0  # around the statement
    before_loops: int = 0  # steps
    calls: int = 0  # around the statement
    strict: bool = False  # inside a call over parameters
    returns: list[tuple[Formula, Value]] = field(default_factory=list)

    @property
    def missing(self) -> tuple[str, ...]:
        """Headers that were taken as empty."""
        return self.unit.text.missing

    def file(self) -> None:
        """Functions are kept by their names; `main` is then followed. Raises SourceError."""
        for fault in self.unit.faults:
            if not self.unit.is_included(fault.token):
                raise self.unit.unreadable(fault)
        for function in self.unit.functions:
            if not function.record:
                self.names[function.name.text] = Function(function.formals, lambda f=function: f.body)  # type: ignore[misc]
        for declaration in self.unit.globals:
            self.statement(declaration)
        main = self.names.get("main")
        if isinstance(main, Function):
            self.statement(main.body())

    def statement(self, s: tree.Statement) -> Value | None:
        self.steps += 1
        if self.steps > STEPS:
            raise SourceError(f"this program is longer than {STEPS} steps", self.source.span(0, 1))
        match s:
            case tree.Block(statements=statements):
                for inner in statements:
                    if (value := self.statement(inner)) is not None:
                        return value
            case tree.If():
                return self._if(s)
            case tree.For() | tree.ForEach() | tree.While():
                return self._looped(s)
            case tree.Declaration():
                self._declare(s)
            case tree.Evaluated(expression=tree.Tried(blocks=(tried, *_))) if not self.strict:
                return self.statement(tried)
            case tree.Evaluated(expression=e) if e is not None:
                self._evaluate(e)
            case tree.Jump(kind="return", value=e) if e is not None:
                return self.value(e)
            case tree.Jump(kind="break"):
                raise _Break
            case tree.Jump(kind="continue"):
                raise _Continue
            case tree.Jump(kind=kind) if self.strict or (kind == "return" and self.calls):
                raise Unknown
        return None

    def _evaluate(self, e: tree.Expression) -> None:
        for part in e.parts if isinstance(e, tree.Items) else (e,):
            if self.strict and isinstance(part, tree.Opaque):
                raise Unknown
            self.known(part)

    def _declare(self, declaration: tree.Declaration) -> None:
        words = [word.rpartition("::")[2] for word in declaration.words if word not in QUALIFIERS]
        kind = " ".join(words)
        for declarator in declaration.declarators:
            if declarator.parameters is not None:
                continue
            name, value = declarator.name.text, declarator.value
            self.names.pop(name, None)
            (self.constants.add if {"const", "constexpr"} & set(declaration.words) else self.constants.discard)(name)
            try:
                if isinstance(value, tree.Items):
                    self.names[name] = self.made(kind, value, declarator.last.text != ")")
                elif value is not None:
                    self.names[name] = cpp.converted(kind, self.value(value))
                elif kind.startswith("vector<") or kind == "DimensionVector":
                    self.names[name] = ()
            except Unknown:
                continue

    # --- branches -------------------------------------------------------------------------------------------------

    def _if(self, s: tree.If) -> Value | None:
        try:
            condition = cpp.truth(self.value(s.condition))
        except Unknown:
            if self.strict:
                raise
            condition = False
        if isinstance(condition, Formula):
            return self._either(condition, s)
        branch = s.then if condition else s.other
        return None if branch is None else self.statement(branch)

    def _either(self, condition: Formula, s: tree.If) -> Value | None:
        """Both branches, each under its condition."""
        outer, names = self.returns, self.names
        one, early, then_names = self._branch(s.then, names)
        other, late, else_names = self._branch(s.other, names)
        opposite = cpp.negated(condition)
        assert isinstance(opposite, Formula)
        self.returns = outer
        if one is not None and other is not None:
            return cpp.chosen(condition, _first(early, one), _first(late, other))
        if one is not None:
            self.returns, self.names = [*outer, (condition, _first(early, one)), *late], else_names
        elif other is not None:
            self.returns, self.names = [*outer, (opposite, _first(late, other)), *early], then_names
        else:
            self.returns = [*outer, *_under(condition, early), *_under(opposite, late)]
            self.names = _merged(condition, then_names, else_names)
        return None

    def _branch(
        self, s: tree.Statement | None, names: Mapping[str, Value]
    ) -> tuple[Value | None, list[tuple[Formula, Value]], dict[str, Value]]:
        self.returns, self.names = [], dict(names)
        try:
            value = None if s is None else self.statement(s)
        except (_Break, _Continue):
            raise Unknown from None
        return value, self.returns, self.names

    # --- loops ----------------------------------------------------------------------------------------------------

    def _looped(self, s: tree.For | tree.ForEach | tree.While) -> Value | None:
        self.loops += 1
        if self.loops == 1:
            self.before_loops = self.steps
        try:
            for _ in self._turns(s):
                if (value := self._turn(s.body)) is not None:
                    return value
        except _Break:
            return None
        except Unknown as problem:
            for target in _changed(s):
                self.forget(target)
            if self.strict or (isinstance(problem, _TooLong) and self.loops > 1):
                raise
        finally:
            self.loops -= 1
        return None

    def _turn(self, body: tree.Statement) -> Value | None:
        try:
            return self.statement(body)
        except _Continue:
            return None

    def _turns(self, s: tree.For | tree.ForEach | tree.While) -> Iterator[None]:
        """One item for each turn, with the loop's variable set."""
        if isinstance(s, tree.ForEach):
            values = self.value(s.array)
            if not isinstance(values, tuple):
                raise Unknown
            for turn, value in enumerate(values):
                self._count(turn)
                self.names[s.name.text] = value
                yield
            return
        if isinstance(s, tree.While) and s.kind == "switch":
            raise Unknown
        if isinstance(s, tree.For) and s.begin is not None:
            self._declare(s.begin) if isinstance(s.begin, tree.Declaration) else self._evaluate(s.begin)
        turn = 0
        while (turn == 0 and isinstance(s, tree.While) and s.kind == "do") or self._goes_on(s.condition):
            self._count(turn)
            yield
            turn += 1
            if isinstance(s, tree.For) and s.advance is not None:
                self._evaluate(s.advance)

    def _goes_on(self, condition: tree.Expression | None) -> bool:
        test = True if condition is None else cpp.truth(self.value(condition))
        if isinstance(test, Formula):
            raise Unknown
        return test

    def _count(self, turn: int) -> None:
        if turn >= TURNS or self.steps - self.before_loops > LOOPED:
            raise _TooLong

    # --- calls ----------------------------------------------------------------------------------------------------

    def call(self, function: Function, arguments: Sequence[Value], passed: Sequence[tree.Expression] = ()) -> Value:
        body = function.body()
        if self.calls >= CALLS:
            raise SourceError(f"calls are nested more than {CALLS} levels deep", self.span(body.first))
        names, strict, returns, loops = self.names, self.strict, self.returns, self.loops
        formals = [formal.declarators[0] for formal in function.formals]
        self.names = {**names, **{f.name.text: value for f, value in zip(formals, arguments)}}
        self.calls, self.strict, self.returns = self.calls + 1, strict or any(map(_symbolic, arguments)), []
        try:
            value = self.statement(body)
            if value is None:
                raise Unknown
            return _first(self.returns, value)
        finally:
            inner, self.names = self.names, names
            self.calls, self.strict, self.returns, self.loops = self.calls - 1, strict, returns, loops
            for formal, argument in zip(function.formals, passed):
                if "const" not in formal.words and formal.declarators[0].reference:
                    self._hand_back(argument, inner.get(formal.declarators[0].name.text))

    def _hand_back(self, argument: tree.Expression, value: Value | None) -> None:
        if value is None:
            self.forget(argument)
        elif isinstance(argument, tree.Name):
            self.names[argument.text] = value


def _symbolic(value: Value) -> bool:
    return isinstance(value, Formula) or (isinstance(value, tuple) and any(map(_symbolic, value)))


def _first(returns: Sequence[tuple[Formula, Value]], last: Value) -> Value:
    """What is returned: under each condition in turn, and at the end."""
    for condition, value in reversed(returns):
        last = cpp.chosen(condition, value, last)
    return last


def _under(condition: Formula, returns: Sequence[tuple[Formula, Value]]) -> Iterator[tuple[Formula, Value]]:
    for inner, value in returns:
        both = cpp.both("&&", condition, lambda inner=inner: inner)  # type: ignore[misc]
        assert isinstance(both, Formula)
        yield both, value


def _merged(condition: Formula, one: Mapping[str, Value], other: Mapping[str, Value]) -> dict[str, Value]:
    """The names after both branches; one that has no value over parameters is forgotten."""
    both = {name: _either_value(condition, value, other[name]) for name, value in one.items() if name in other}
    return {name: value for name, value in both.items() if value is not None}


def _either_value(condition: Formula, one: Value, other: Value) -> Value | None:
    try:
        return one if one == other else cpp.chosen(condition, one, other)
    except Unknown:
        return None


def _changed(node: object) -> Iterator[tree.Expression]:
    """What a statement assigns, steps or fills somewhere."""
    match node:
        case tree.Assign(target=target) | tree.Step(target=target):
            yield target
        case tree.Call(function=tree.Member(base=base, name=method)) if method.text not in UNCHANGED:
            yield base
        case tuple():
            for part in node:
                yield from _changed(part)
    if is_dataclass(node):
        for item in fields(node):
            yield from _changed(getattr(node, item.name))


def program(source: Source, called: Called, words: Sequence[str] = ()) -> CppProgram:
    """Ready to be followed by `file`. `words` are the compiler's, as `-D`. Raises SourceError."""
    unit = read(source, tuple(words), "c++", lenient=True)
    return CppProgram(source=source, called=called, unit=unit)
