"""The elaborator of a program: every kind of statement and expression, each handed to the module that knows it."""

from __future__ import annotations

from tunepass.expr import algebra
from tunepass.expr.nodes import INT_MAX
from tunepass.frontends.spatial.elaborate import calls, methods, statements
from tunepass.frontends.spatial.elaborate.context import Context
from tunepass.frontends.spatial.elaborate.controllers.conditionals import conditional
from tunepass.frontends.spatial.elaborate.declarations import declare
from tunepass.frontends.spatial.elaborate.functions import call, with_placeholders
from tunepass.frontends.spatial.elaborate.memories.accesses import update
from tunepass.frontends.spatial.elaborate.memories.transfers import TRANSFER_OPERATORS, transfer
from tunepass.frontends.spatial.elaborate.numbers.arithmetic import BINARY, binary, prefixed
from tunepass.frontends.spatial.elaborate.numbers.ranges import RANGE_OPERATORS, range_value
from tunepass.frontends.spatial.elaborate.values import UNIT, Closure, Known, Scope, Text, TupleOf, Unmodelled, Value
from tunepass.frontends.spatial.parameters.declared import PRIORS
from tunepass.frontends.spatial.syntax import nodes as n
from tunepass.frontends.spatial.syntax.lexer import Tokens
from tunepass.frontends.spatial.syntax.parser import parse


class ProgramElaborator:
    """Turns the syntax of one app into values; what it builds lands in the innermost body of `context`."""

    def __init__(self, context: Context, tokens: Tokens):
        self.context, self.tokens = context, tokens

    def block(self, node: n.Node, scope: Scope) -> Value:
        if isinstance(node, n.Unparsed):
            node = parse(self.tokens, node.first, node.last)
        sentences = node.statements if isinstance(node, n.Block) else (node,)
        inner = Scope(scope)
        for sentence in sentences:  # functions may be used before they are written
            if isinstance(sentence, n.Definition):
                _define(sentence, inner)
        result: Value = UNIT
        for sentence in sentences:
            result = self.value(sentence, inner)
        return result

    def value(self, node: n.Node, scope: Scope, name: str | None = None) -> Value:
        match node:
            case n.Literal():
                return self._literal(node)
            case n.Ident():
                return self._named(node, scope)
            case n.Parenthesis(items=(item,)):
                return self.value(with_placeholders(item), scope, name)
            case n.Parenthesis():
                return TupleOf(tuple(self.value(item, scope) for item in node.items))
            case n.Block():
                return self.block(node, scope)
            case n.Function():
                return Closure("function", node.parameters, node.body, scope)
            case n.Ascribed():
                return self.value(node.value, scope, name)
            case n.Select():
                return methods.selected(self, node, scope, name)
            case n.Typed():
                return self.value(n.Apply(node.span, node, ()), scope, name)
            case n.Apply():
                return calls.apply(self, node, scope, name)
            case n.Infix():
                return self._infix(node, scope, name)
            case n.Prefixed():
                return prefixed(self.context, node.operator, self.value(node.operand, scope), node.span)
            case n.Conditional():
                return conditional(self, node, scope)
            case n.Star():
                return Unmodelled("*")
            case n.Matching() | n.WhileLoop() | n.Instance() | n.Thrown() | n.Cases():
                return self.context.unmodelled("this Scala construct", node.span)
            case _:
                return self._statement(node, scope)

    def _literal(self, node: n.Literal) -> Value:
        if isinstance(node.value, str):
            return Text(node.value)
        if isinstance(node.value, int) and node.value > INT_MAX:  # of an unsigned type
            return self.context.unmodelled("a number beyond 63 bits", node.span)
        return Known(algebra.lift(node.value))

    def _statement(self, node: n.Node, scope: Scope) -> Value:
        match node:
            case n.Value():
                statements.bind(self, node, scope)
            case n.Definition():
                _define(node, scope)
            case n.Alias():
                self.context.types.aliases[node.name] = node.target
            case n.Assign():
                return statements.assign(self, node, scope)
            case n.Update():
                return update(self, node, scope)
            case n.Comprehension():
                return statements.unroll(self, node, scope)
            case _:
                return Unmodelled(type(node).__name__)
        return UNIT

    def _named(self, node: n.Ident, scope: Scope) -> Value:
        """What a name stands for; a function without parameters is called."""
        value = scope.get(node.name)
        if value is None:
            return self.context.unmodelled(f"`{node.name}`, unknown here,", node.span)
        if isinstance(value, Closure) and not value.parameters and value.name == node.name:
            return call(self, value, [], node.span)
        return value

    def _infix(self, node: n.Infix, scope: Scope, name: str | None) -> Value:
        if node.operator in PRIORS and isinstance(node.right, n.Parenthesis):
            return declare(self, node.left, node.right.items, node.operator, node.span, scope, name)
        if node.operator in TRANSFER_OPERATORS:
            return transfer(self, node, scope)
        if node.operator in RANGE_OPERATORS:
            return range_value(self, node, scope)
        if node.operator in BINARY or node.operator == "**":
            left, right = self.value(node.left, scope), self.value(node.right, scope)
            return binary(self.context, node.operator, left, right, node.span)
        if node.operator.isidentifier():  # `xs map f`
            method = n.Select(node.left.span, node.left, node.operator)
            return self.value(n.Apply(node.span, method, (node.right,)), scope, name)
        self.value(node.left, scope)
        self.value(node.right, scope)
        return self.context.unmodelled(f"the operator `{node.operator}`", node.span)


def _define(node: n.Definition, scope: Scope) -> None:
    signature = node.signature
    scope.set(signature.name, Closure(signature.name, signature.parameter_names, node.body, scope))
