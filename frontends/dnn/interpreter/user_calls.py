"""Functions and classes of the source: calls, methods, what a class takes from its bases, and generators."""

from __future__ import annotations

import ast
from abc import ABC
from collections.abc import Mapping
from functools import lru_cache

from tunepass.diagnostics import Diagnostic, Severity
from tunepass.frontends.dnn.interpreter import values as v
from tunepass.frontends.dnn.interpreter.kinds import lineage, symbols
from tunepass.frontends.dnn.interpreter.machine import PartlyReturned, Returned
from tunepass.frontends.dnn.layers.arguments import KERAS, TORCH, ArgumentError, known_layer
from tunepass.frontends.dnn.layers.framework_calls import FrameworkCalls

ENUMS = frozenset({"Enum", "IntEnum", "StrEnum"})
FORWARD = ("forward", "call", "__call__")
YIELDED, SELF, CLASS = "@yielded", "@self", "@class"  # names that no source has


class UserCalls(FrameworkCalls, ABC):
    """Calls of what the source itself defines."""

    # Functions

    def function(
        self, function: v.UserFunction, positional: list[v.PyValue], named: Mapping[str, v.PyValue], node: ast.AST
    ) -> v.PyValue:
        run = self.interpreter
        scope = v.PyScope(outer=function.scope)
        if function.bound is not None:
            positional = [function.bound, *positional]
        if function.owner is not None:
            scope.names |= {SELF: function.bound, CLASS: function.owner}
        self._bind(function.node, scope, positional, named, node)
        if isinstance(function.node, ast.Lambda):
            return run.value(function.node.body, scope)
        self._tell_of_decorators(function.node, function.scope)
        yields = _yields(function.node)
        if yields:
            scope.names[YIELDED] = []
        loops, run.loops = run.loops, []
        try:
            run.run(function.node.body, scope)
            value: v.PyValue = None
        except Returned as returned:
            value = returned.value
        except PartlyReturned as part:
            value = run.chosen(part.condition, part.value, None, node)
        finally:
            run.loops = loops
        return self._given(scope, scope.names[YIELDED] if yields else value)

    def _tell_of_decorators(self, definition: ast.FunctionDef, scope: v.PyScope) -> None:
        """Those of the source itself are passed over: what they change, or remember elsewhere, is not known."""
        for item in definition.decorator_list:
            name = _decorator(item)
            found = scope.find(name)
            own = found is not None and isinstance(self.interpreter.resolved(found, item), v.UserFunction)
            if not own or name in self.interpreter.decorated:
                continue
            self.interpreter.decorated[name] = Diagnostic(
                f"the decorator `{name}` of `{definition.name}` is passed over: what it changes is not known",
                self.interpreter.span(item),
                None,
                Severity.WARNING,
            )

    def _given(self, scope: v.PyScope, value: v.PyValue) -> v.PyValue:
        """What a function gives: not known where it may have returned before."""
        if scope.left is None:
            return value
        lost, made = scope.left
        if value is None and self.made() > made:
            raise self.interpreter.doubtful("returns", lost)
        return None if value is None else v.Unknown(lost.reason.replace("it is set", "it is returned", 1), lost.span)

    def _bind(
        self,
        function: ast.FunctionDef | ast.Lambda,
        scope: v.PyScope,
        positional: list[v.PyValue],
        named: Mapping[str, v.PyValue],
        node: ast.AST,
    ) -> None:
        run, arguments = self.interpreter, function.args
        names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
        if len(positional) > len(names) and arguments.vararg is None:
            raise ArgumentError(f"{len(positional)} arguments, the function takes {len(names)}", run.span(node))
        scope.names |= dict(zip(names, positional))
        if arguments.vararg:
            scope.names[arguments.vararg.arg] = list(positional[len(names) :])
        keywords = [argument.arg for argument in arguments.kwonlyargs]
        scope.names |= {name: value for name, value in named.items() if name in (*names, *keywords)}
        if arguments.kwarg:
            rest = {name: value for name, value in named.items() if name not in (*names, *keywords)}
            scope.names[arguments.kwarg.arg] = dict(rest.items())
        defaults = [*zip(names[len(names) - len(arguments.defaults) :], arguments.defaults)]
        defaults += [(n, d) for n, d in zip(keywords, arguments.kw_defaults) if d is not None]
        for name, default in defaults:
            if name in scope.names:
                continue
            if name in run.parameters and run.is_own(default):
                if isinstance(default, ast.Constant):
                    run.overridden[name].append(run.span(default))
                scope.names[name] = run.parameters[name]
            else:
                scope.names[name] = run.value(default, scope)
        for name in (*names, *keywords):
            if name not in scope.names:
                scope.names[name] = run.parameters.get(name) or v.Unknown(f"the argument `{name}` is not given")

    # Classes

    def method(self, kind: v.UserClass, name: str) -> tuple[ast.FunctionDef, v.UserClass] | None:
        """A method, and the class that has it: the class itself, or the first of its bases."""
        for candidate in lineage(kind):
            if name in candidate.methods:
                return candidate.methods[name], candidate
        return None

    def bound(self, kind: v.UserClass, name: str, instance: v.Instance | None, node: ast.AST) -> v.PyValue:
        """`object.name` or `Class.name` for a method; a property is what it gives. None: there is no such method."""
        found = self.method(kind, name)
        if found is None:
            return None
        definition, owner = found
        decorators = {_decorator(item) for item in definition.decorator_list}
        if "staticmethod" in decorators:
            return v.UserFunction(definition, owner.scope, None, owner)
        if "classmethod" in decorators:
            return v.UserFunction(definition, owner.scope, kind, owner)
        method = v.UserFunction(definition, owner.scope, instance, owner)
        if instance is not None and decorators & {"property", "cached_property"}:
            return self.function(method, [], {}, node)
        return method

    def instance(
        self, kind: v.UserClass, positional: list[v.PyValue], named: Mapping[str, v.PyValue], node: ast.AST
    ) -> v.PyValue:
        if positional and set(symbols(kind)) & ENUMS:
            return positional[0]  # the member of that value
        made = v.Instance(kind, self.class_fields(kind))
        start = self.bound(kind, "__init__", made, node)
        if isinstance(start, v.UserFunction):
            self.function(start, positional, named, node)
        elif fields := _declared(kind):
            self._fill(made, fields, positional, named)
            after = self.bound(kind, "__post_init__", made, node)
            if isinstance(after, v.UserFunction):
                self.function(after, [], {}, node)
        else:
            self.contained(made, kind, positional, named, node)
        if made.container is not None or any(self.method(kind, name) for name in FORWARD):
            self.models.append(made)
        return made

    def _fill(
        self, made: v.Instance, fields: list[str], positional: list[v.PyValue], named: Mapping[str, v.PyValue]
    ) -> None:
        """The fields of a dataclass or a named tuple."""
        made.fields |= dict(zip(fields, positional))
        made.fields |= {name: value for name, value in named.items() if name in fields}
        for name in fields:
            made.fields.setdefault(name, v.Unknown(f"the field `{name}` is not given"))

    def class_fields(self, kind: v.UserClass) -> dict[str, v.PyValue]:
        """What the class and its bases assign in their bodies."""
        scope = v.PyScope(outer=kind.scope)
        for base in kind.bases:
            if isinstance(base, v.UserClass):
                scope.names |= self.class_fields(base)
        for statement in kind.node.body:
            if isinstance(statement, (ast.Assign, ast.AnnAssign)):
                self.interpreter.statement(statement, scope)
        return scope.names

    def contained(
        self,
        made: v.Instance,
        kind: v.UserClass,
        positional: list[v.PyValue],
        named: Mapping[str, v.PyValue],
        node: ast.AST,
    ) -> None:
        """What a class of the source that is a container of a framework holds."""
        for base in (base for candidate in lineage(kind) for base in candidate.bases):
            if not isinstance(base, v.Symbol):
                continue
            if base.last == "Sequential":
                made.container = self.sequential(positional, named, node)
            elif base.last in ("ModuleList", "ParameterList"):
                made.container = self.module_list(positional)
            elif base.last in ("ModuleDict", "OrderedDict"):
                given = positional[0] if positional else None
                made.container = v.RegisteredByName(given) if isinstance(given, dict) else v.RegisteredByName()
            elif (framework := layer_framework(base)) is not None:
                made.container = self.layer(framework, base.last, positional, dict(named), node)

    def super_attribute(self, owner: v.SuperValue, name: str, node: ast.AST) -> v.PyValue:
        """`super().name`: of the first base that has it; what the frameworks' bases do is known of `__init__`."""
        for base in owner.of.bases:
            if isinstance(base, v.UserClass):
                found = self.bound(base, name, owner.instance, node)
                if found is not None:
                    return found
        return v.Method(owner, name)

    def super_method(
        self, owner: v.SuperValue, name: str, positional: list[v.PyValue], named: Mapping[str, v.PyValue], node: ast.AST
    ) -> v.PyValue:
        if name == "__init__":
            if fields := _declared(owner.of):
                self._fill(owner.instance, fields, positional, named)
            self.contained(owner.instance, owner.of, positional, named, node)
            return None
        if name in FORWARD and isinstance(owner.instance.container, (v.SequentialValue, v.LayerValue)):
            return self.apply(owner.instance.container, positional, named, node)
        return self._model_method(owner.instance, name, positional, named, node)

    def forward(
        self, instance: v.Instance, positional: list[v.PyValue], named: Mapping[str, v.PyValue], node: ast.AST
    ) -> v.PyValue:
        """The instance applied: its `forward`, or Keras' `call`."""
        build = self.bound(instance.of, "build", instance, node)
        if isinstance(build, v.UserFunction) and positional and not instance.built:
            instance.built = True
            self.function(build, [self._input_shape(positional[0])], {}, node)
        for name in FORWARD:
            held = instance.fields.get(name)  # `self.forward = self.forward_fast`
            method = held if isinstance(held, v.UserFunction) else self.bound(instance.of, name, instance, node)
            if isinstance(method, v.UserFunction):
                return self.function(method, positional, named, node)
        if isinstance(instance.container, (v.SequentialValue, v.LayerValue)):
            return self.apply(instance.container, positional, named, node)
        raise self.interpreter.fail(f"`{instance.of.node.name}` has no forward", node)

    def _input_shape(self, value: v.PyValue) -> v.PyValue:
        """What Keras gives to `build`."""
        if isinstance(value, v.TensorValue):
            return self.sizes(value)
        if isinstance(value, (list, tuple)):
            return [self._input_shape(item) for item in value]
        return v.Unknown("the shape of what this is applied to")


def layer_framework(base: v.Symbol) -> str | None:
    """Of a framework's class that is a layer."""
    framework = TORCH if base.path.startswith("torch") else KERAS if "keras" in base.path else None
    return framework if framework is not None and known_layer(framework, base.last) else None


@lru_cache(maxsize=1024)
def _yields(function: ast.FunctionDef) -> bool:
    """Whether it is a generator: a function inside it may be one without it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)
    return False


def _decorator(node: ast.expr) -> str:
    called = node.func if isinstance(node, ast.Call) else node
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def _declared(kind: v.UserClass) -> list[str]:
    """The fields of a dataclass or of a named tuple, in order."""
    found: list[str] = []
    for candidate in reversed(list(lineage(kind))):
        decorators = {_decorator(item) for item in candidate.node.decorator_list}
        named = any(isinstance(base, v.Symbol) and base.last == "NamedTuple" for base in candidate.bases)
        if named or decorators & {"dataclass"}:
            for item in candidate.node.body:
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                    found += [] if item.target.id in found else [item.target.id]
    return found
