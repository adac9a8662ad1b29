"""The expressions of a thread's code: loads, stores, operations, and calls of functions that the file has.

Functions of the file and lambdas are read where they are called. What is not understood counts nothing: these are
amounts for an estimate, never a reason to refuse a source.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

from tunepass.frontends.gpu.thread.amounts import OpenRegion
from tunepass.frontends.gpu.thread.brackets import closing, is_unary, split
from tunepass.frontends.gpu.thread.file_text import TYPE_WORDS, FileText, Variable, Where

SHARED = ("__shared__", "__local", "local")
SPECIAL = (
    *(
        "sqrtf",
        "sqrt",
        "rsqrtf",
        "rsqrt",
        "expf",
        "exp",
        "__expf",
        "logf",
        "log",
        "__logf",
        "sinf",
        "cosf",
        "sin",
        "cos",
    ),
    *("powf", "pow", "native_rsqrt", "native_exp", "native_recip", "__fdividef", "__frcp_rn", "tanhf", "erff"),
)
BARRIERS = ("__syncthreads", "barrier", "work_group_barrier")
ASSIGNING = ("=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "%=", "<<=", ">>=")
MOST_CALLS = 12  # functions within each other
MOST_STEPS = 200_000  # words walked, those of called functions again at each call


class TooLongError(Exception):
    """The text takes more steps than an estimate is worth."""


@dataclass(slots=True)
class Expressions(ABC):
    """Adds to `region`, the one that is being read."""

    file: FileText
    region: OpenRegion = field(default_factory=OpenRegion)
    kept: bool = False  # what is loaded goes to a local array
    varies: dict[str, frozenset[str]] = field(default_factory=dict)  # with which loops' variables a variable changes
    calls: int = 0
    steps: int = 0

    @abstractmethod
    def statements(self, words: Sequence[str], at: int, end: int) -> None:
        """Walks the statements from `at` to `end`."""

    def bind(self, parameters: Sequence[tuple[str, list[str]]], given: Sequence[Sequence[str]] = ()) -> None:
        for index, (name, declared) in enumerate(parameters):
            size = self.file.type_words([w for w in declared if w.isidentifier()])
            argument = given[index] if index < len(given) else ()
            base = next((self.file.variables[w] for w in argument if w in self.file.variables), None)
            self.varies[name] = self.varying(argument)
            if "*" in declared or "[" in declared:
                where: Where = "shared" if set(declared) & set(SHARED) else base.where if base else "global"
                self.file.variables[name] = Variable(where, size)

    def expression(self, words: Sequence[str]) -> None:
        at = 0
        while at < len(words):
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise TooLongError
            word, following = words[at], words[at + 1] if at + 1 < len(words) else ""
            if word in self.file.functions and following == "(" and self.calls < MOST_CALLS:
                self._call(word, words, at)
            elif word in self.file.variables and following == "[":
                at = self._element(words, at)
                continue
            elif word == "*" and is_unary(words, at):
                self._dereference(words, at)
            elif word in BARRIERS:
                self.region.count("barriers")
            elif word in SPECIAL or (word == "/" and self.file.arithmetic.read([following]) is None):
                self.region.count("special")
            elif word in ("+", "-", "*", "+=", "-=", "*="):
                self.region.count("operations")
            at += 1

    def _element(self, words: Sequence[str], at: int) -> int:
        """`NAME[...][...].member`: a load or a store by what stands around it; the indices are walked."""
        variable, start = self.file.variables[words[at]], at
        at += 1
        stride = self._stride(words[at + 1 : closing(words, at)])
        while at < len(words) and words[at] == "[":
            end = closing(words, at)
            self.expression(words[at + 1 : end])
            at = end + 1
        while at + 1 < len(words) and words[at] in (".", "->"):
            at += 2
            if at < len(words) and words[at] == "[":
                at = closing(words, at) + 1
        address = start > 0 and words[start - 1] == "&" and is_unary(words, start - 1)
        through = address and start > 2 and words[start - 3] == "__ldg"
        if not address or through:
            self._access(variable, words[at] if at < len(words) else "", stride)
        return at

    def _stride(self, index: Sequence[str]) -> frozenset[str] | None:
        """The loops' variables with which changes what is multiplied by a number that only the run knows; None where
        nothing is."""
        last = None
        for at in range(1, len(index) - 1):
            known = (self.file.arithmetic.read([index[side]]) for side in (at - 1, at + 1))
            if index[at] == "*" and not is_unary(index, at) and all(value is None for value in known):
                last = at
        return None if last is None else self.varying(index[:last])

    def _access(self, variable: Variable, following: str, stride: frozenset[str] | None) -> None:
        if variable.where not in ("global", "shared"):
            return
        if following in ASSIGNING:
            self.region.count(f"{variable.where}_stores")
        if following != "=":
            self.region.count(f"{variable.where}_loads")
            if stride is not None and variable.where == "global":
                hoisted = self.region.variable and self.region.variable not in stride
                self.region.count("hoisted_loads" if hoisted else "strided_loads", of=stride)
            if variable.where == "shared" or not self.kept:
                self.region.count(f"{variable.where}_load_words", variable.words)

    def _dereference(self, words: Sequence[str], at: int) -> None:
        """`*pointer` and `*reinterpret_cast<const Vector *>(address)`."""
        end = next((i for i in range(at + 1, len(words)) if words[i] == "("), None)
        end = min(at + 2, len(words)) if end is None else closing(words, end) + 1
        address = words[at + 1 : end]
        base = next((self.file.variables[word] for word in address if word in self.file.variables), None)
        if base is not None:
            of = [word for word in address if word in self.file.types or word in TYPE_WORDS]
            size = self.file.type_words(of) if "<" in address else base.words
            following = words[end] if end < len(words) else ""
            self._access(Variable(base.where, size), following, self._stride(address))

    def _call(self, name: str, words: Sequence[str], at: int) -> None:
        """Read in place, as the compiler has it."""
        function, end = self.file.functions[name], closing(words, at + 1)
        variables, known = dict(self.file.variables), dict(self.file.arithmetic.known)
        self.calls += 1
        self.bind(function.parameters, split(words[at + 2 : end]))
        self.statements(function.body, 0, len(function.body))
        self.file.variables, self.file.arithmetic.known = variables, known
        self.calls -= 1

    def varying(self, words: Sequence[str]) -> frozenset[str]:
        return frozenset[str]().union(*(self.varies.get(word, ()) for word in words))

    def _where(self, words: Sequence[str]) -> Where:
        known = (self.file.variables[word].where for word in words if word in self.file.variables)
        return next(known, "global")
