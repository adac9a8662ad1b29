"""The types of objects and their members, as the source's own classes declare them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tunepass.frontends.c.scops.statements.variables import Variable, Variables
from tunepass.frontends.cfamily.syntax.tree import Expression, Index, Member, Name, Record, Unary
from tunepass.frontends.cfamily.text.names import pieces, plain_name, template_arguments
from tunepass.frontends.cfamily.text.tokens import renamed
from tunepass.frontends.cfamily.unit import Function, Unit

TAGS = ("struct ", "class ", "union ")
THIS = "this"


@dataclass(frozen=True)
class Objects:
    """`this` is the class whose members names without an object may be."""

    unit: Unit
    variables: Variables
    this: Record | None = None

    def inside(self, record: Record | None) -> Objects:
        return replace(self, this=record)

    def variable(self, e: Expression) -> Variable | None:
        """What `e` is, as a variable of its type; None where that is not known."""
        match e:
            case Name() if e.text == THIS and self.this is not None:
                return Variable(THIS, self.this.name, (None,), (True,), "formal")
            case Name():
                return self.variables.get(e.text)
            case Member(base, name, _):
                held = self.variable(base)
                return self.member(held, name.text) if held is not None else None
            case Index(base, _):
                held = self.variable(base)
                return replace(held, shape=held.shape[1:]) if held is not None and held.shape else None
            case Unary(op, operand) if op.text == "*":
                held = self.variable(operand)
                return replace(held, shape=held.shape[1:]) if held is not None and held.shape else None
            case Unary(op, operand) if op.text == "&":
                held = self.variable(operand)
                return replace(held, shape=(None, *held.shape)) if held is not None else None
        return None

    def record(self, held: Variable | None) -> Record | None:
        """The class of an object."""
        return None if held is None or held.container else self.unit.record(_class_name(held.element))

    def member(self, held: Variable, name: str) -> Variable | None:
        """A data member of an object, or of what a pointer points to."""
        record = self.record(held)
        if record is None:
            return None
        for declaration in record.members:
            for declarator in declaration.declarators:
                if declarator.name.text == name:
                    words = tuple(self._given(word, record, held) for word in declaration.words)
                    return Variables.variable(self.variables, words, declarator, "global")
        for base in record.bases:
            inherited = self.member(replace(held, element=base), name)
            if inherited is not None:
                return inherited
        return None

    def hiding(self, object_: Variable, name: str) -> Record | None:
        """The class in which a data member of an object is private or protected."""
        record = self.record(object_)
        if record is None or name in record.hidden:
            return record
        if any(d.name.text == name for declaration in record.members for d in declaration.declarators):
            return None
        bases = (self.hiding(replace(object_, element=base), name) for base in record.bases)
        return next((base for base in bases if base is not None), None)

    @staticmethod
    def _given(word: str, record: Record, held: Variable) -> str:
        """A template's parameters replaced by what the object's type says."""
        arguments = template_arguments(held.element) or ()
        return renamed(word, {parameter.name: text for parameter, text in zip(record.template, arguments)})

    def methods(self, record: Record, name: str, count: int) -> Sequence[Function]:
        """The member functions of that name with `count` parameters; none where one of the name is virtual."""
        named = [f for f in self.unit.functions if _is_member(f, record.name, name)]
        if any("virtual" in f.words for f in self.unit.functions if f.name.text.rpartition("::")[2] == name):
            return ()
        found = [f for f in named if len(f.formals) == count]
        if found or named:
            return found
        for base in record.bases:
            inner = self.unit.record(base.partition("<")[0])
            if inner is not None and (inherited := self.methods(inner, name, count)):
                return inherited
        return ()


def _class_name(type_: str) -> str:
    """`Matrix` of `struct blas::Matrix<double>`."""
    last = pieces(type_)[-1].partition("<")[0].strip()
    return next((last.removeprefix(tag).strip() for tag in TAGS if last.startswith(tag)), last)


def _is_member(f: Function, record: str, name: str) -> bool:
    if "static" in f.words:
        return False
    if f.record:
        return f.record == record and f.name.text == name
    owner, _, own = plain_name(f.name.text).rpartition("::")
    return own == name and owner.rpartition("::")[2] == record
