"""Whole applications: a description in YAML in, one kernel out. docs/applications.md says what it means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import yaml

from tunepass.diagnostics import Diagnostic, Severity, Source, SourceError, TunepassError
from tunepass.expr.numpy_eval import satisfied
from tunepass.frontends.app.document import DocumentReader, compose
from tunepass.frontends.app.emission import emit_files
from tunepass.frontends.app.parameters import read_parameter
from tunepass.frontends.app.sections import read_build, read_check, read_models, read_run, read_sources
from tunepass.frontends.app.words import FLAGS, holes
from tunepass.frontends.base import Frontend, Parsed
from tunepass.ir.application import Application, ApplicationCheck, Build, Words
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Binding, Kernel
from tunepass.ir.stated_model import StatedModel
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter

SECTIONS = ("name", "sources", "tools", "parameters", "constraints", "model", "build", "run", "check")


class AppFrontend(Frontend):
    suffixes: ClassVar[tuple[str, ...]] = (".yaml", ".yml")

    def parse(self, source: Source, only: str | None = None, words: Sequence[str] = ()) -> Parsed:
        return _Description(source).read()

    def emit(self, kernels: Sequence[Kernel], note: str = "", word: str = "tuned") -> tuple[EmittedFile, ...]:
        return tuple(file for kernel in kernels for file in emit_files(kernel, note, word))


class _Description:
    """Reads section by section; what is wrong in one does not hide what is wrong in another."""

    def __init__(self, source: Source):
        self.source, self.reader = source, DocumentReader(source)
        self.warnings: list[Diagnostic] = []

    def read(self) -> Parsed:
        reader, root = self.reader, compose(self.source)
        top = reader.record(root, "a description", SECTIONS, ("parameters", "run"))
        pairs = self.parameters(top["parameters"])
        if reader.problems:  # constraints and commands would only complain about what is missing
            raise SourceError(reader.problems)
        parameters, bindings = tuple(p for p, _ in pairs), tuple(b for _, b in pairs)
        names = [p.name for p in parameters]
        name = reader.collect(lambda: self.name(top.get("name")))
        constraints = self.constraints(top["constraints"], parameters) if "constraints" in top else ()
        sources = reader.collect(lambda: read_sources(reader, top["sources"])) if "sources" in top else ()
        tools = reader.collect(lambda: self.tools(top["tools"])) if "tools" in top else ()
        build = reader.collect(lambda: read_build(reader, top["build"], names)) if "build" in top else Build()
        run = reader.collect(lambda: read_run(reader, top["run"], names))
        check = (
            reader.collect(lambda: read_check(reader, top["check"], names)) if "check" in top else ApplicationCheck()
        )
        models: tuple[StatedModel, ...] | None = ()
        if "model" in top and run:
            metrics = run[0].metrics
            models = reader.collect(lambda: read_models(reader, top["model"], parameters, metrics))
        if not reader.problems and build and run:
            reader.collect(lambda: self.check_use(bindings, build, run[0].arguments, top))
        if reader.problems:
            raise SourceError(reader.problems)
        assert name and build and run and check and sources is not None and tools is not None and models is not None
        command, _, limits = run
        application = Application(
            run=command,
            sources=sources,
            sources_span=reader.span(top["sources"]) if "sources" in top else None,
            tools=tools,
            build=build,
            check=check,
        )
        kernel = Kernel(
            name=name,
            language="application",
            source=self.source,
            parameters=parameters,
            constraints=constraints,
            bindings=bindings,
            body=replace(application, **limits),  # type: ignore[arg-type]
            models=models,
            span=reader.span(top["run"]),
        )
        return Parsed((kernel,), tuple(self.warnings))

    def name(self, node: yaml.Node | None) -> str:
        """As given; else the folder's name."""
        if node is None:
            return re.sub(r"\W+", "_", Path(self.source.name).absolute().parent.name).strip("_") or "application"
        text = self.reader.text(node, "name")
        if not re.fullmatch(r"\w[\w.-]*", text):
            raise self.reader.fail(f"a name is letters, digits, `_`, `-` and `.`, got `{text}`", node)
        return text

    def tools(self, node: yaml.Node) -> Words:
        return tuple(self.reader.text(item, "a tool") for item in self.reader.items(node, "tools"))

    def parameters(self, node: yaml.Node) -> list[tuple[Parameter, Binding]]:
        reader = self.reader
        reader.mapping(node, "parameters")
        assert isinstance(node, yaml.MappingNode)
        if not node.value:
            raise reader.fail("there is nothing to tune: no parameter is given", node)
        pairs = [
            reader.collect(lambda key=key, value=value: read_parameter(reader, key, value))  # type: ignore[misc]
            for key, value in node.value
        ]
        return [pair for pair in pairs if pair is not None]

    def constraints(self, node: yaml.Node, parameters: Sequence[Parameter]) -> tuple[Constraint, ...]:
        reader = self.reader
        nodes = reader.collect(lambda: reader.items(node, "constraints")) or []
        constraints = [
            reader.collect(lambda item=item: self.constraint(item, parameters))  # type: ignore[misc]
            for item in nodes
        ]
        return tuple(c for c in constraints if c is not None)

    def constraint(self, node: yaml.Node, parameters: Sequence[Parameter]) -> Constraint:
        text, offset = self.reader.text(node, "a constraint"), self.reader.offset_of(node)
        span = self.reader.span(node)
        try:
            if offset is None:
                constraint = replace(Constraint.parse(text, parameters), span=span)
            else:
                constraint = Constraint.parse(text, parameters, source=self.source, offset=offset)
        except TunepassError as error:
            first = error.diagnostics[0]
            raise SourceError(first if offset is not None else replace(first, span=span)) from None
        if not satisfied(constraint.expression, {p.name: p.column([p.default]) for p in parameters}, 1).all():
            hint = "the default is the first configuration tried; choose one that satisfies the constraints"
            warning = Diagnostic("the default configuration violates this", span, hint, Severity.WARNING)
            self.warnings.append(warning)
        return constraint

    def check_use(self, bindings: Sequence[Binding], build: Build, run: Words, top: dict[str, yaml.Node]) -> None:
        """A parameter that reaches nothing would be tuned for nothing; sources that are not named are not copied."""
        in_build = holes(word for command in build.commands for word in command)
        in_run = holes(run)
        for binding in bindings:
            if binding.role == "profile":
                self.check_profile(binding, in_build, top)
            if binding.role in ("flag", "macro") and not {FLAGS, binding.parameter} & in_build:
                raise SourceError(
                    f"{binding.parameter} reaches no build command",
                    binding.span,
                    f"put `{{{FLAGS}}}` or `{{{binding.parameter}}}` where the compiler's flags stand",
                )
            if binding.role == "environment" and binding.parameter in in_build | in_run:
                raise SourceError(
                    f"{binding.parameter} is a variable of the run's environment and a word of a command",
                    binding.span,
                    "make it a flag or an argument, or remove it from the command",
                )
            if binding.role == "argument" and binding.parameter in in_build:
                raise SourceError(
                    f"{binding.parameter} is an argument of the run, and stands in a build command", binding.span
                )
        if build.training and not any(binding.role == "profile" for binding in bindings):
            raise self.reader.fail("there is no parameter of the role `profile` to train for", top["build"])
        if build.commands and "sources" not in top:
            raise self.reader.fail(
                "a description with a `build` lists its `sources`",
                top["build"],
                "they are what is copied for every configuration, and what the lock's identity covers",
            )

    def check_profile(self, binding: Binding, in_build: set[str], top: dict[str, yaml.Node]) -> None:
        if FLAGS not in in_build:
            hint = f"put `{{{FLAGS}}}` where the compiler's and the linker's flags stand"
            raise SourceError(f"{binding.parameter} needs `{{{FLAGS}}}` in the build", binding.span, hint)
        if "tools" not in top:
            hint = "write `tools: [gcc]` or `tools: [clang, llvm-profdata]`: their words for it differ"
            raise SourceError(f"{binding.parameter} needs the compiler among `tools`", binding.span, hint)
