"""From a source and its comments to the kernel: the model is followed, its parameters are declared, its limits read."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from tunepass.diagnostics import Diagnostic, Severity, Source, SourceError, Span, spelling_hint
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr, Name, Type
from tunepass.expr.parser import parse as parse_expression
from tunepass.frontends.dnn.building import GraphBuilding
from tunepass.frontends.dnn.comments import Comments, InputText, read_comments
from tunepass.frontends.dnn.finishing import ends, open_conditions, owning, whole_number, words
from tunepass.frontends.dnn.interpreter import values as v
from tunepass.frontends.dnn.interpreter.interpreter import Interpreter
from tunepass.frontends.dnn.interpreter.modules import parsed
from tunepass.frontends.dnn.interpreter.presence import presence
from tunepass.frontends.dnn.layers.applying import attribute_of
from tunepass.frontends.dnn.layers.unused import unused_nodes
from tunepass.frontends.dnn.own_operators import kept_words, own_operators
from tunepass.frontends.params.build import construct, default_value
from tunepass.frontends.params.tokens import ExpressionText
from tunepass.frontends.params.training import LIMIT_S, trained_by
from tunepass.frontends.problems import each
from tunepass.graphs.inference import ELEMENT_BYTE
from tunepass.graphs.table import table_of
from tunepass.ir.graph import Graph, ResourceLimit, Training
from tunepass.ir.kernel import Binding, Kernel
from tunepass.python_text import expression_tree
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter

BATCH = ("batch", "batch_size")  # names of parameters that are the batch, where no input says


def lower(source: Source, given: Sequence[str] = ()) -> tuple[Kernel, tuple[Diagnostic, ...]]:
    """The model of a source. SourceError for what is not Python, and for what cannot be followed."""
    tree = parsed(source)
    comments = read_comments(source)
    own = own_operators(source, comments.operators, given)
    return _Lowering(source, tree, comments, own, kept_words(source, given)).kernel()


def places(source: Source, own: Source | None) -> Mapping[str, list[Span]]:
    """Where the source sets each parameter to a number or a word; `own` are the user's operators."""
    lowering = _Lowering(source, parsed(source), read_comments(source), own)
    lowering.kernel()
    return lowering.run.overridden


class _Lowering:
    def __init__(
        self, source: Source, tree: ast.Module, comments: Comments, own: Source | None, given: tuple[str, ...] = ()
    ):
        self.source, self.tree, self.comments, self.own, self.words = source, tree, comments, own, given
        self.warnings: list[Diagnostic] = []
        self.model: v.PyValue = None  # the object that is applied, where there is one
        self.parameters: tuple[Parameter, ...] = tuple(
            each(comments.params, lambda param: construct(param, default_value(param)))
        )
        self.types: Mapping[str, Type] = {p.name: p.type for p in self.parameters}
        self.building = GraphBuilding(table_of(own))
        self.building.words = {p.name: words(p) for p in self.parameters}
        self.run = Interpreter(source, self.building, self._names())
        both = {p.name: ends(p) for p in self.parameters}
        self.run.smallest = {name: math.ceil(lo) for name, (lo, _) in both.items()}
        self.run.largest = {name: math.floor(hi) for name, (_, hi) in both.items()}

    def _names(self) -> dict[str, Expr]:
        names: dict[str, Expr] = {name: Name(name, kind) for name, kind in self.types.items()}
        batch = next((names[name] for name in BATCH if name in names), None)
        return {**names, "@batch": batch} if batch is not None else names

    def kernel(self) -> tuple[Kernel, tuple[Diagnostic, ...]]:
        try:
            self._follow()
            outputs, name, span = self._model()
        except RecursionError:
            raise SourceError("this is nested too deeply to be followed", self.source.span(0, 1)) from None
        graph = self._graph(outputs, span)
        kernel = Kernel(
            name=name,
            language="python",
            source=self.source,
            parameters=self.parameters,
            constraints=self._constraints(graph),
            bindings=tuple(self._binding(p) for p in self.parameters),
            body=graph,
            span=span,
        )
        return kernel, tuple(self.warnings)

    # The model

    def _follow(self) -> None:
        """The statements of the source. What a script does with a model that a comment names need not be followed."""
        *body, last = self.tree.body or [ast.Pass()]
        self.run.script(body)
        try:
            self.run.script([last])
        except SourceError:
            if self.comments.model is None or not (isinstance(last, ast.If) and "__main__" in ast.unparse(last.test)):
                raise

    def _model(self) -> tuple[list[str], str, Span | None]:
        """The outputs of the model, its name, and where it is."""
        if self.comments.model is not None:
            return self._named(*self.comments.model)
        models = self.run.calls.models
        functional = [model for model in models if isinstance(model, v.ModelValue)]
        if functional:
            model = functional[-1]
            return model.outputs, self._called(model), model.span
        instances = [model for model in models if isinstance(model, v.Instance)]
        top = [value for value in self.run.globals.names.values() if any(value is m for m in models)]
        candidates = (
            [value for value in top if isinstance(value, (v.Instance, v.SequentialValue))] or instances or models
        )
        if not candidates:
            candidates = [value for value in self.run.globals.names.values() if _module(value)]
            if not candidates:
                raise SourceError("there is no model in this source", self.source.span(0, 1), self._hint())
        chosen = candidates[-1]
        return self._applied(chosen, self._called(chosen))

    def _hint(self) -> str:
        return "name what makes it: `# tunepass model build_model`, a class or a function"

    def _named(self, name: str, span: Span) -> tuple[list[str], str, Span | None]:
        try:
            node = expression_tree(name)
        except SyntaxError:
            raise SourceError("this is no call of a class or of a function", span) from None
        value = self.run.value(node, self.run.globals)
        if value is None or isinstance(value, v.Unknown):
            if isinstance(value, v.Unknown) and self._defines(node):
                raise SourceError(f"what `{name}` makes is not known: {value.reason}", value.span or span)
            raise SourceError(f"there is no `{name}` here", span, spelling_hint(name, self.run.globals.names))
        called = node.func if isinstance(node, ast.Call) else node
        return self._applied(value, called.id if isinstance(called, ast.Name) else "model", span)

    def _defines(self, node: ast.expr) -> bool:
        called = node.func if isinstance(node, ast.Call) else node
        return isinstance(called, ast.Name) and called.id in self.run.globals.names

    def _called(self, model: v.PyValue) -> str:
        names = [name for name, value in self.run.globals.names.items() if value is model]
        if names:
            return names[-1]
        if isinstance(model, v.Instance):
            return model.of.node.name
        return PurePath(self.source.name).stem.replace("-", "_")

    def _applied(self, model: v.PyValue, name: str, span: Span | None = None) -> tuple[list[str], str, Span | None]:
        """The model on its inputs."""
        node = self.tree.body[0] if self.tree.body else self.tree
        calls = self.run.calls
        if isinstance(model, v.UserClass):
            model = calls.apply(model, [], {}, model.node)
        if isinstance(model, v.UserFunction) and isinstance(model.node, ast.FunctionDef):
            node, span = model.node, span or self.run.span(model.node)
            if not self.comments.inputs or not self._takes_inputs(model.node):
                model = calls.apply(model, [], {}, model.node)
        if isinstance(model, v.ModelValue):
            return model.outputs, name, model.span
        self.model = model
        if isinstance(model, v.Instance):
            node, span = model.of.node, span or self.run.span(model.of.node)
        if isinstance(model, v.SequentialValue):
            span = span or model.span
        value = calls.apply(model, list(self._inputs(model, span)), {}, node)
        outputs = [value.name for value in _tensors(value)]
        if not outputs:
            lost = next((part for part in _parts(value) if isinstance(part, v.Unknown)), None)
            if lost is not None:
                place = lost.span or span or self.source.span(0, 1)
                raise SourceError(f"`{name}` depends on something that is not known: {lost.reason}", place)
            raise SourceError(f"`{name}` gives no tensor", span or self.source.span(0, 1), self._hint())
        return outputs, name, span

    def _takes_inputs(self, function: ast.FunctionDef) -> bool:
        given = {text.name for text in self.comments.inputs}
        return bool(given & {argument.arg for argument in function.args.args})

    def _inputs(self, model: v.PyValue, span: Span | None) -> list[v.TensorValue]:
        if self.comments.inputs:
            return [self._input(text) for text in self.comments.inputs]
        if isinstance(model, v.SequentialValue) and model.shape is not None:
            place = span or self.source.span(0, 1)
            shape = tuple(attribute_of(size, "a size of the input", place) for size in model.shape)
            batch = self.run.parameters.get("@batch", algebra.lift(self.run.calls.batch or 1))
            return [self.building.input("x", (batch, *shape), "float32", span)]  # type: ignore[arg-type]
        raise SourceError(
            "the shape of the model's input is not given",
            span or self.source.span(0, 1),
            "write `# tunepass input x: float32[batch, 3, 32, 32]`",
        )

    def _input(self, text: InputText) -> v.TensorValue:
        shape = tuple(self._expression(size) for size in text.sizes)
        return self.building.input(text.name, shape, text.element, text.span)

    def _expression(self, text: ExpressionText) -> Expr:
        return parse_expression(text.text, self.types, source=self.source, offset=text.start)

    # What is made of it

    def _graph(self, outputs: list[str], span: Span | None) -> Graph:
        needed = owning(self.building.between((), outputs))
        nodes = (*needed, *unused_nodes(self.building, self.model, {node.name for node in needed}))
        assumed = (self.building.assumed.get(node.name) for node in nodes)
        self.warnings += {told.span: told for told in assumed if told is not None}.values()
        self.warnings += self.run.decorated.values()
        used = {value for node in nodes for value in node.inputs} | set(outputs)
        inputs = tuple(value for value in self.building.inputs if value.name in used)
        batch = inputs[0].shape[0] if inputs and inputs[0].shape else algebra.lift(1)
        precision: Expr | str = "float32"
        if self.comments.precision is not None:
            word, place = self.comments.precision
            precision = self.run.parameters.get(word, word)
            if isinstance(precision, str) and word not in ELEMENT_BYTE:
                hint = spelling_hint(word, ELEMENT_BYTE, f"known: {', '.join(ELEMENT_BYTE)}, or a parameter of these")
                raise SourceError(f"`{word}` is no precision", place, hint)
            if isinstance(precision, Expr) and str(precision.type) != "string":
                raise SourceError(
                    f"the precision `{word}` is a parameter of types: categorical(float32, float16)", place
                )
        run = self.comments.run
        return Graph(
            inputs=inputs,
            nodes=nodes,
            outputs=tuple(outputs),
            batch=batch,
            precision=precision,
            training=Training(
                used=bool(self.run.calls.optimizer or run),
                optimizer=self.run.calls.optimizer or "sgd",
                run=trained_by(run, self.source, self.types, self._set_here()) if run else None,
                limit_s=run.limit_s if run else LIMIT_S,
            ),
            limits=tuple(
                ResourceLimit(resource=limit.resource, most=whole_number(limit.most), text=limit.text, span=limit.span)
                for limit in self.comments.limits
            ),
            operators=self.own,
            files=tuple(self.run.modules.files),
            words=self.words,
            span=span,
        )

    def _set_here(self) -> list[str]:
        """The parameters that the tuned source sets."""
        return [name for name, spans in self.run.overridden.items() if spans]

    def _constraints(self, graph: Graph) -> tuple[Constraint, ...]:
        texts = [(text, self._expression(text)) for text in self.comments.constraints]
        stated = [
            Constraint(expression, text.text, Span(self.source, text.start, text.end), expression)
            for text, expression in texts
        ]
        there = {node.name: node for node in graph.nodes}
        derived = []
        for condition in open_conditions(self.building.conditions, self.parameters):
            node = there.get(condition.node)
            span = node.span if node is not None and node.span is not None else self.source.span(0, 1)
            derived.append(Constraint(condition.holds, f"{condition.node}: {condition.text}", span, derived=True))
        return (*stated, *derived)

    def _binding(self, parameter: Parameter) -> Binding:
        places = self.run.overridden.get(parameter.name, [])
        said = self.comments.run is not None and f"{{{parameter.name}}}" in self.comments.run.command
        if not places and not said and parameter.name not in BATCH:
            self.warnings.append(
                Diagnostic(
                    f"nothing in the source sets `{parameter.name}` to a number: the tuned source will not hold it",
                    parameter.span,
                    f"write `{parameter.name} = {parameter.default!r}`",
                    Severity.WARNING,
                )
            )
        return Binding(parameter.name, "constant", span=places[0] if places else parameter.span)


def _tensors(value: v.PyValue) -> list[v.TensorValue]:
    plain = [presence(part)[1] for part in _parts(value)]
    return [part for part in plain if isinstance(part, v.TensorValue)]


def _parts(value: v.PyValue) -> list[v.PyValue]:
    """What is in tuples, lists and dictionaries, all the way down."""
    items = list(value.values()) if isinstance(value, dict) else value
    return [part for item in items for part in _parts(item)] if isinstance(items, (list, tuple)) else [value]


def _module(value: v.PyValue) -> bool:
    return isinstance(value, v.UserClass) and any(name in value.methods for name in ("forward", "call"))
