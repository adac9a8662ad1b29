"""Follows a Python source as far as its model needs: constants, loops, helper functions, classes, layers and tensors.

Nothing is executed or imported. What is not followed becomes `Unknown` and may be passed around; a size or a layer
that depends on it is an error at its line. A name that a comment declares as a parameter is one wherever it is
assigned, is a function's default, or is asked of something unknown (`args.filters`, `config["filters"]`).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from tunepass.diagnostics import Diagnostic, Source, SourceError, Span
from tunepass.expr.nodes import Expr
from tunepass.frontends.dnn.building import GraphBuilding
from tunepass.frontends.dnn.interpreter import values as v
from tunepass.frontends.dnn.interpreter.arithmetic import arithmetic, truth
from tunepass.frontends.dnn.interpreter.builtins import list_method
from tunepass.frontends.dnn.interpreter.calls import Calls
from tunepass.frontends.dnn.interpreter.expressions import Expressions, signed
from tunepass.frontends.dnn.interpreter.importing import Imports
from tunepass.frontends.dnn.interpreter.machine import Jumped, PartlyReturned, Returned
from tunepass.frontends.dnn.interpreter.modules import Modules
from tunepass.frontends.dnn.interpreter.unfollowed import Unfollowed
from tunepass.frontends.dnn.layers.arguments import ArgumentError
from tunepass.python_text import expression_tree

STEP_LIMIT = 1_000_000  # statements and expressions: a loop that never ends is told
LAYERS = (v.LayerValue, v.SequentialValue, v.Instance)
IDLE_STEPS = 20_000  # statements and expressions after which a loop is one of the training
IDLE_LIMIT = 500  # rounds of a loop that make no layer and no tensor


class Training(Exception):
    """A loop goes on, and makes no more of the model."""


class Interpreter(Expressions, Imports, Unfollowed):
    def __init__(self, source: Source, building: GraphBuilding, parameters: Mapping[str, Expr]):
        self.source, self.building, self.parameters = source, building, parameters
        self.modules = Modules(source)
        self.steps = self.depth = self._made = self._made_at = 0
        self.may_train = False  # whether what is followed now may be the training of a model
        self.calls = Calls(self)
        self.loops: list[
            tuple[v.Unknown, int] | None
        ] = []  # of each loop that is followed now, whether it may have ended
        self.overridden: dict[str, list[Span]] = {name: [] for name in parameters}
        self.decorated: dict[str, Diagnostic] = {}  # of functions that were called, decorators that are not followed
        self.largest: dict[str, int] = {}  # the largest value of each parameter
        self.smallest: dict[str, int] = {}
        self.globals = v.PyScope({"__name__": "__main__"})

    def fail(self, message: str, node: ast.AST, hint: str | None = None) -> SourceError:
        return SourceError(message, self.span(node), hint)

    def step(self, node: ast.AST) -> None:
        self.steps += 1
        if self.steps % 1000 == 0 and self.may_train:
            self._check_idle()
        if self.steps > STEP_LIMIT:
            raise self.fail("this does not come to an end", node, "a loop over a known number of items is followed")

    def _check_idle(self) -> None:
        """Training where there is a model, and long nothing is made."""
        made = self._layers()
        if made != self._made:
            self._made, self._made_at = made, self.steps
        elif self.calls.models and self.steps - self._made_at > IDLE_STEPS:
            raise Training

    def _layers(self) -> int:
        return self.calls.layers + len(self.calls.models)

    # Statements

    def script(self, body: Sequence[ast.stmt]) -> None:
        """The statements of the source. Loops that go on long after the model is made train it: they are left."""
        for statement in body:
            self._made, self._made_at, self.may_train = self._layers(), self.steps, _may_train(statement)
            try:
                self.run([statement], self.globals)
            except Training:
                lost = v.Unknown("it is set in a loop that trains", self.span(statement))
                self.lose([statement], self.globals, lost)
            finally:
                self.may_train = False

    def run(self, body: Sequence[ast.stmt], scope: v.PyScope) -> None:
        for k, statement in enumerate(body):
            try:
                self.statement(statement, scope)
            except PartlyReturned as part:  # noqa: PERF203
                self.after(part, body[k + 1 :], scope, statement)

    def statement(self, node: ast.stmt, scope: v.PyScope) -> None:
        self.step(node)
        depth = len(self.loops)
        match node:
            case ast.FunctionDef():
                scope.names[node.name] = v.UserFunction(node, scope)
            case ast.ClassDef():
                self._class(node, scope)
            case ast.Import() | ast.ImportFrom():
                self.imports(node, scope)
            case ast.Assign(value=ast.Tuple(elts=given), targets=[ast.Tuple(elts=targets)]) if len(given) == len(
                targets
            ) and not any(isinstance(part, ast.Starred) for part in (*given, *targets)):
                values = [self.value(part, scope) for part in given]
                for target, value, part in zip(targets, values, given):
                    self.assign(target, value, scope, part)
            case ast.Assign():
                value = self.value(node.value, scope)
                for target in node.targets:
                    self.assign(target, value, scope, node.value)
            case ast.AnnAssign(value=ast.expr() as given):
                self.assign(node.target, self.value(given, scope), scope, given)
            case ast.AugAssign():
                now, more = self.value(_loaded(node.target), scope), self.value(node.value, scope)
                if isinstance(now, list) and isinstance(node.op, ast.Add) and self.items(more) is not None:
                    list_method(self.calls, now, "extend", [more], {})  # the same list, also under other names
                else:
                    self.assign(node.target, arithmetic(self, type(node.op), now, more, node), scope, node)
            case ast.Expr():
                self.value(node.value, scope)
            case ast.If():
                self._if(node, scope)
            case ast.For() | ast.While():
                self.loops.append(None)
                try:
                    self._for(node, scope) if isinstance(node, ast.For) else self._while(node, scope)
                    self.check_loop()
                finally:
                    del self.loops[depth:]
            case ast.Return():
                raise Returned(self.value(node.value, scope) if node.value else None)
            case ast.Break():
                raise Jumped("break")
            case ast.Continue():
                raise Jumped("continue")
            case ast.With():
                for item in node.items:
                    if item.optional_vars is not None:
                        self.assign(item.optional_vars, self.value(item.context_expr, scope), scope, node)
                self.run(node.body, scope)
            case ast.Try():
                self._try(node, scope)
            case ast.Delete(targets=targets):
                for target in targets:
                    self._delete(target, scope)
            case ast.Match():
                body = [statement for case in node.cases for statement in case.body]
                self.lose(body, scope, v.Unknown("it is set in a `match`", self.span(node.subject)))
            case _:
                pass  # assertions and raises: of no consequence for the model

    def _try(self, node: ast.Try, scope: v.PyScope) -> None:
        """A handler is followed where arguments do not fit what is called."""
        try:
            self.run(node.body, scope)
        except ArgumentError:
            handler = next((item for item in node.handlers if _catches(item)), None)
            if handler is None:
                raise
            self.run(handler.body, scope)
        else:
            self.run(node.orelse, scope)
        self.run(node.finalbody, scope)

    def _delete(self, target: ast.expr, scope: v.PyScope) -> None:
        if isinstance(target, ast.Subscript):
            holder, key = self.value(target.value, scope), self.value(target.slice, scope)
            if isinstance(holder, dict) and isinstance(key, (str, int, float)):
                holder.pop(key, None)
            elif isinstance(holder, list) and isinstance(key, int) and -len(holder) <= key < len(holder):
                del holder[key]
        elif isinstance(target, ast.Attribute) and isinstance(holder := self.value(target.value, scope), v.Instance):
            holder.fields.pop(target.attr, None)

    def _class(self, node: ast.ClassDef, scope: v.PyScope) -> None:
        bases = tuple(self.value(base, scope) for base in node.bases)
        methods = {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}
        scope.names[node.name] = v.UserClass(node, scope, bases, methods)

    def assign(self, target: ast.expr, value: v.PyValue, scope: v.PyScope, given: ast.AST) -> None:
        match target:
            case ast.Name(id=name) if name in self.parameters and self.is_own(target):
                if isinstance(given, ast.Constant) or signed(given):
                    self.overridden[name].append(self.span(given))
                scope.names[name] = self.parameters[name]
            case ast.Name(id=name):
                scope.names[name] = value
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                for inner, part in zip(targets, _apart(targets, self.items(value), value)):
                    self.assign(inner, part, scope, target)
            case ast.Starred(value=inner):
                self.assign(inner, value, scope, given)
            case ast.Attribute(value=owner, attr=name):
                holder = self.value(owner, scope)
                if (
                    isinstance(holder, v.LayerValue)
                    and isinstance(value, v.Method)
                    and isinstance(value.owner, v.LayerValue)
                ):
                    holder.applied = value.owner.applied  # `head.weight = words.weight`: the weights are the same
                if isinstance(holder, v.Instance):
                    constant = isinstance(given, ast.Constant)
                    chosen = value
                    if name in self.parameters and constant and self.is_own(given):
                        self.overridden[name].append(self.span(given))
                        chosen = self.parameters[name]
                    holder.fields[name] = self.field(holder.fields.get(name), chosen)
                    if isinstance(holder.container, v.SequentialValue) and isinstance(chosen, LAYERS):
                        self.calls.append(holder.container, chosen)  # `self.conv = ...` in a class of nn.Sequential
            case ast.Subscript(value=owner, slice=index):
                self.put(self.value(owner, scope), self.value(index, scope), value, target)

    def _if(self, node: ast.If, scope: v.PyScope) -> None:
        test = truth(self.value(node.test, scope))
        if isinstance(test, v.Unknown):
            lost = v.Unknown(f"it is set where {test.reason}", self.span(node.test))
            return self.lose([*node.body, *node.orelse], scope, lost)
        if isinstance(test, bool):
            return self.run(node.body if test else node.orelse, scope)
        return self.branch(test, node, scope)

    def _for(self, node: ast.For, scope: v.PyScope) -> None:
        value = self.value(node.iter, scope)
        items = self.items(value)
        if items is None:
            if self._layers_in(node):
                hint = value.reason if isinstance(value, v.Unknown) else "a list or a range is followed"
                raise self.fail("what this loops over is not known here", node.iter, hint)
            reason = value.reason if isinstance(value, v.Unknown) else "what it loops over is not known"
            return self.lose([node], scope, v.Unknown(f"it is set in a loop: {reason}", self.span(node.iter)))
        before_all = self.calls.made()
        for k, item in enumerate(items):
            if k > IDLE_LIMIT and self.calls.made() == before_all:
                break  # a loop of the training, not of the model
            condition = item.condition if isinstance(item, v.ConditionalValue) else None
            self.assign(node.target, item.value if isinstance(item, v.ConditionalValue) else item, scope, node.iter)
            try:
                if condition is None:
                    self.run(node.body, scope)
                else:
                    before = dict(scope.names)
                    with self.under(condition):
                        self.run(node.body, scope)
                    scope.names = self.merged(condition, scope.names, before, before, node)
            except PartlyReturned:
                raise self.fail("whether this returns from a loop depends on a parameter", node) from None
            except Jumped as jump:
                if jump.word == "break":
                    return None
        return self.run(node.orelse, scope)

    def _layers_in(self, node: ast.stmt) -> bool:
        calls = (inner.func for inner in ast.walk(node) if isinstance(inner, ast.Call))
        names = (call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "") for call in calls)
        return any(self.calls.is_layer(name) for name in names)

    def _while(self, node: ast.While, scope: v.PyScope) -> None:
        while True:
            test = truth(self.value(node.test, scope))
            if isinstance(test, v.Unknown):
                if self._layers_in(node):
                    raise self.fail("how often this runs is not known here", node.test, test.reason)
                return self.lose(
                    node.body, scope, v.Unknown(f"it is set in a loop: {test.reason}", self.span(node.test))
                )
            if test is False:
                return None
            if not isinstance(test, bool):
                raise self.fail("how often this runs depends on a parameter", node.test, "loop over `range(...)`")
            try:
                self.run(node.body, scope)
            except Jumped as jump:
                if jump.word == "break":
                    return None


def _may_train(node: ast.stmt) -> bool:
    return isinstance(node, (ast.For, ast.While, ast.Expr, ast.If, ast.With))


def _catches(handler: ast.ExceptHandler) -> bool:
    """Whether a handler is one of Python's TypeError."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or getattr(kind, "id", "") in ("TypeError", "Exception") for kind in kinds)


def _apart(targets: Sequence[ast.expr], items: list[v.PyValue] | None, value: v.PyValue) -> list[v.PyValue]:
    """What each of several targets is given; one with a star takes what is left."""
    star = next((k for k, target in enumerate(targets) if isinstance(target, ast.Starred)), None)
    if items is None or len(items) < len(targets) - (star is not None):
        items = items or []
        lost = value if isinstance(value, v.Unknown) else v.Unknown("it was not taken apart")
        return [*items, *([lost] * (len(targets) - len(items)))]
    if star is None:
        return items
    after = len(targets) - star - 1
    middle = items[star : len(items) - after]
    return [*items[:star], list(middle), *items[len(items) - after :]]


def _loaded(target: ast.expr) -> ast.expr:
    copy = expression_tree(ast.unparse(target))
    return ast.copy_location(copy, target)
