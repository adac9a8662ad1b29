"""What expressions are: numbers, texts, lists, tensors, and what parameters choose."""

from __future__ import annotations

import ast
from abc import ABC
from collections.abc import Sequence

from tunepass.diagnostics import Source
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.dnn.interpreter import values as v
from tunepass.frontends.dnn.interpreter.arithmetic import arithmetic, compared, compared_tensors, truth
from tunepass.frontends.dnn.interpreter.choices import Choices
from tunepass.frontends.dnn.interpreter.iterating import distinct
from tunepass.frontends.dnn.interpreter.presence import where_there
from tunepass.frontends.dnn.interpreter.user_calls import YIELDED
from tunepass.graphs.conditions import negated


class Expressions(Choices, ABC):
    """The part of the interpreter that follows expressions."""

    source: Source

    def value(self, node: ast.expr, scope: v.PyScope) -> v.PyValue:
        self.step(node)
        match node:
            case ast.Constant(value=constant):
                return (
                    constant
                    if isinstance(constant, (bool, int, float, str)) or constant is None
                    else v.Unknown("bytes")
                )
            case ast.Name(id=name):
                return self.resolved(self._name(name, scope), node)
            case ast.Tuple(elts=items):
                return tuple(self.parts(items, scope))
            case ast.List(elts=items):
                return self.parts(items, scope)
            case ast.Dict():
                return self._dict(node, scope)
            case ast.Set(elts=items):
                return distinct(self.parts(items, scope))
            case ast.NamedExpr():
                value = self.value(node.value, scope)
                self.assign(node.target, value, scope, node.value)
                return value
            case ast.DictComp():
                pair = ast.Tuple([node.key, node.value], ast.Load())
                pairs = self._comprehension(ast.ListComp(ast.copy_location(pair, node.key), node.generators), scope)
                return (
                    pairs
                    if isinstance(pairs, v.Unknown)
                    else self.calls.apply(v.Method(None, "dict"), [pairs], {}, node)
                )
            case ast.BinOp():
                left, right = self.value(node.left, scope), self.value(node.right, scope)
                return where_there(
                    self.building, [left, right], lambda pair: arithmetic(self, type(node.op), pair[0], pair[1], node)
                )
            case ast.UnaryOp():
                return self._unary(node, scope)
            case ast.BoolOp():
                return self._logical(node, scope)
            case ast.Compare():
                return self._comparison(node, scope)
            case ast.IfExp():
                test = truth(self.value(node.test, scope))
                if isinstance(test, v.Unknown):
                    return v.Unknown(test.reason, self.span(node))
                if isinstance(test, bool):
                    return self.value(node.body if test else node.orelse, scope)
                with self.under(test):
                    then = self.value(node.body, scope)
                with self.under(negated(test)):
                    other = self.value(node.orelse, scope)
                return then if then is other else self.chosen(test, then, other, node)
            case ast.Attribute(value=owner, attr=name):
                return self.calls.attribute(self.value(owner, scope), name, node)
            case ast.Subscript():
                return self.calls.subscript(self.value(node.value, scope), self._index(node.slice, scope), node)
            case ast.Call():
                return self.calls.call(node, scope)
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
                return self._comprehension(node, scope)
            case ast.Lambda():
                return v.UserFunction(node, scope)
            case ast.JoinedStr():
                return self._text(node, scope)
            case ast.Yield() | ast.YieldFrom():
                return self._yielded(node, scope)
            case ast.Starred():
                return self.value(node.value, scope)
        return v.Unknown(f"`{ast.unparse(node)[:40]}` is not followed")

    def _name(self, name: str, scope: v.PyScope) -> v.PyValue:
        found = scope.find(name)
        if found is not None or name in ("None",):
            return found
        here: v.PyScope | None = scope
        while here is not None:
            if name in here.names:
                return None
            here = here.outer
        if name in self.parameters:
            return self.parameters[name]
        return v.Method(None, name) if name in self.calls.builtins else v.Unknown(f"`{name}` is not defined here")

    def _yielded(self, node: ast.Yield | ast.YieldFrom, scope: v.PyScope) -> v.PyValue:
        """A generator's values are collected: the whole of it is a list."""
        collected = scope.find(YIELDED)
        value = self.value(node.value, scope) if node.value is not None else None
        if isinstance(node, ast.YieldFrom):
            self.calls.apply(v.Method(collected, "extend"), [value], {}, node)
        else:
            self.calls.apply(v.Method(collected, "append"), [value], {}, node)
        return None

    def parts(self, nodes: Sequence[ast.expr], scope: v.PyScope) -> list[v.PyValue]:
        values: list[v.PyValue] = []
        for node in nodes:
            value = self.value(node, scope)
            if isinstance(node, ast.Starred):
                items = self.items(value)
                lost = value if isinstance(value, v.Unknown) else v.Unknown("it was not taken apart")
                values += items if items is not None else [lost]
            else:
                values.append(value)
        return values

    def items(self, value: v.PyValue) -> list[v.PyValue] | None:
        """What a loop over the value sees; None where that is not known."""
        if isinstance(value, (list, tuple)):
            return list(value)
        if isinstance(value, dict):
            return [key for key in value if v.is_key(key)]
        return self.calls.items(value)

    def _dict(self, node: ast.Dict, scope: v.PyScope) -> v.PyValue:
        result: dict[object, v.PyValue] = {}
        for key, item in zip(node.keys, node.values):
            value = self.value(item, scope)
            if key is None:
                result |= value if isinstance(value, dict) else {}
                continue
            name = self.value(key, scope)
            if isinstance(name, str) and name in self.parameters and self.is_own(item):
                if isinstance(item, ast.Constant) or signed(item):
                    self.overridden[name].append(self.span(item))
                value = self.parameters[name]
            if v.is_key(name):
                result[name] = value
        return result

    def _unary(self, node: ast.UnaryOp, scope: v.PyScope) -> v.PyValue:
        value = self.value(node.operand, scope)
        if isinstance(node.op, ast.Not):
            test = truth(value)
            return negated(test) if isinstance(test, Expr) else test if isinstance(test, v.Unknown) else not test
        if isinstance(node.op, ast.USub):
            return arithmetic(self, ast.Sub, 0, value, node)
        same = isinstance(node.op, ast.UAdd) or isinstance(value, (v.TensorValue, v.FilledValue))
        return value if same else v.Unknown("`~` is not followed")

    def _logical(self, node: ast.BoolOp, scope: v.PyScope) -> v.PyValue:
        every = isinstance(node.op, ast.And)
        value: v.PyValue = every
        for item in node.values:
            value = self.value(item, scope)
            test = truth(value)
            if isinstance(test, bool) and test != every:
                return value
            if not isinstance(test, bool):
                rest = node.values[node.values.index(item) + 1 :]
                others = [truth(self.value(other, scope)) for other in rest]
                return _joined(every, [test, *others])
        return value

    def _comparison(self, node: ast.Compare, scope: v.PyScope) -> v.PyValue:
        left = self.value(node.left, scope)
        tests: list[bool | Expr | v.Unknown] = []
        for op, right_node in zip(node.ops, node.comparators):
            right = self.value(right_node, scope)
            if len(node.ops) == 1 and (mask := compared_tensors(self, type(op), left, right, node)) is not None:
                return mask
            tests.append(compared(type(op), left, right))
            left = right
        return _joined(True, tests)

    def _index(self, node: ast.expr, scope: v.PyScope) -> v.PyValue:
        if isinstance(node, ast.Slice):
            ends = [None if end is None else self.value(end, scope) for end in (node.lower, node.upper, node.step)]
            return v.Method(tuple(ends), "slice")
        if isinstance(node, ast.Tuple):
            return tuple(self._index(item, scope) for item in node.elts)
        if isinstance(node, ast.Constant) and node.value is Ellipsis:
            return v.Method(None, "ellipsis")
        return self.value(node, scope)

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, scope: v.PyScope) -> v.PyValue:
        results: list[v.PyValue] = []
        lost: list[v.Unknown] = []
        inner = v.PyScope(outer=scope)

        def over(k: int) -> bool:
            if k == len(node.generators):
                results.append(self.value(node.elt, inner))
                return True
            over_what = self.value(node.generators[k].iter, inner)
            items = self.items(over_what)
            if items is None:
                lost.extend([over_what] if isinstance(over_what, v.Unknown) else [])
                return False
            for item in items:
                bare = item.value if isinstance(item, v.ConditionalValue) else item
                self.assign(node.generators[k].target, bare, inner, node)
                tests = [truth(self.value(test, inner)) for test in node.generators[k].ifs]
                if any(isinstance(test, (Expr, v.Unknown)) for test in tests) and False not in tests:
                    lost.extend(test for test in tests if isinstance(test, v.Unknown))
                    return False
                if all(test is True for test in tests):
                    before = len(results)
                    if not over(k + 1):
                        return False
                    if isinstance(item, v.ConditionalValue):
                        results[before:] = [v.ConditionalValue(item.condition, made) for made in results[before:]]
            return True

        if not over(0):
            return lost[0] if lost else v.Unknown("what this runs over is not known")
        return distinct(results) if isinstance(node, ast.SetComp) else results

    def _text(self, node: ast.JoinedStr, scope: v.PyScope) -> v.PyValue:
        parts = []
        for part in node.values:
            value = self.value(part.value if isinstance(part, ast.FormattedValue) else part, scope)
            parts.append(str(value) if isinstance(value, (str, int, float, bool)) else "_")
        return "".join(parts)


def _joined(every: bool, tests: Sequence[bool | Expr | v.Unknown]) -> v.PyValue:
    """All of the tests, or any of them."""
    kept: list[Expr] = []
    unknown: v.Unknown | None = None
    for test in tests:
        if isinstance(test, v.Unknown):
            unknown = unknown or test
        elif isinstance(test, bool):
            if test != every:
                return test
        else:
            kept.append(test)
    if unknown is not None:
        return unknown
    if not kept:
        return every
    if every:
        return algebra.both(*kept)
    return negated(algebra.both(*(negated(test) for test in kept)))


def signed(node: ast.AST) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)
