"""T1, the input format that Kernel Tuner, KTT and BAT share: a space, and how its kernel is launched.

Schema: odgaard/TuningSchema, `TuningSchema.json`; Kernel Tuner adds `GridDivX` and `ProblemSize`. `Values`,
`Conditions` and sizes are Python expressions in it: they are read by `ast`, and nothing else than a value or an
expression of tunepass's language comes of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import yaml

from tunepass.diagnostics import Source, SourceError, Span, TunepassError
from tunepass.expr.algebra import substitute
from tunepass.expr.from_python import from_python
from tunepass.expr.nodes import INTEGER, Type
from tunepass.expr.parser import parse
from tunepass.expr.printer import to_text
from tunepass.interchange.foreign_kernel import ForeignArgument, ForeignKernel, ForeignParameter, Language, Scalar
from tunepass.interchange.python_values import PythonValue, python_value
from tunepass.yaml_nodes import Composer, NodeReader

SIZE_LIMIT, DEPTH_LIMIT = 1 << 20, 16  # characters; levels
LENGTH_LIMIT = 2**40  # elements of a buffer
LANGUAGES: Mapping[str, Language] = {"cuda": "cuda", "hip": "cuda", "opencl": "opencl"}
ELEMENTS = {
    "int8": "char",
    "int16": "short",
    "int32": "int",
    "int64": "long",
    "bool": "bool",
    "uint8": "unsigned char",
    "uint16": "unsigned short",
    "uint32": "unsigned int",
    "uint64": "unsigned long",
}
PLAIN = ("half", "float", "double")
DIRECTIONS = {"ReadOnly": "in", "WriteOnly": "out", "ReadWrite": "inout"}
AXES = "XYZ"


def read_t1(source: Source) -> ForeignKernel:
    """The kernel in T1 text. SourceError, with the place, for what is no T1 or cannot be read safely."""
    _check_json(source)
    return _T1Reader(source).kernel()


def _check_json(source: Source) -> None:
    if len(source.text) > SIZE_LIMIT:
        raise SourceError(f"{source.name} is larger than a T1 file can be ({SIZE_LIMIT >> 10} KiB)")
    try:
        json.loads(source.text)
    except json.JSONDecodeError as error:
        raise SourceError(f"this is not JSON: {error.msg}", Span(source, error.pos, error.pos + 1)) from None
    except (ValueError, RecursionError):
        raise SourceError(f"{source.name} is no JSON that can be read: a number or its nesting is too large") from None


class _T1Reader(NodeReader[SourceError]):
    def __init__(self, source: Source):
        # JSON is YAML, and YAML's nodes know where they stand; only tabs between tokens are not.
        plain = replace(source, text=source.text.replace("\t", " "))
        super().__init__(plain, SourceError, "T1: github.com/odgaard/TuningSchema")
        self.notes: list[str] = []
        self.parameters: tuple[ForeignParameter, ...] = ()
        self.types: dict[str, Type] = {}
        self.names: dict[str, PythonValue] = {}

    def kernel(self) -> ForeignKernel:
        node = Composer("a T1 file", SourceError, SIZE_LIMIT, DEPTH_LIMIT, self.hint).filled(self.source)
        top = self.mapping(node, "a T1 file")
        space = self.mapping(self.at(top, "ConfigurationSpace", node), "ConfigurationSpace")
        self.parameters = self.read_parameters(self.at(space, "TuningParameters", node))
        self.types = {p.name: p.parameter().type for p in self.parameters}
        self.names = {p.name: tuple(p.values) for p in self.parameters}
        constraints = self.constraints(space.get("Conditions"))
        spec_node = self.at(top, "KernelSpecification", node)
        spec = self.mapping(spec_node, "KernelSpecification")
        name = self.identifier(self.at(spec, "KernelName", spec_node))
        language = LANGUAGES.get(self.text(self.at(spec, "Language", spec_node)).lower())
        if language is None:
            self.notes.append(f"the language {self.text(spec['Language'])!r} is none that tunepass reads")
        self.names["ProblemSize"] = problem = self.problem_size(spec.get("ProblemSize"))
        block = self.block(spec.get("LocalSize"))
        return ForeignKernel(
            function=name,
            language=language,
            parameters=self.parameters,
            constraints=constraints,
            grid=self.grid(spec, problem, block, language) if block else (),
            block=block,
            arguments=self.arguments(spec.get("Arguments")),
            flags=self.flags(spec.get("CompilerOptions")),
            source=self.text(spec["KernelFile"]) if "KernelFile" in spec else None,
            notes=tuple(self.notes),
        )

    # What varies

    def read_parameters(self, node: yaml.Node) -> tuple[ForeignParameter, ...]:
        parameters: dict[str, ForeignParameter] = {}
        for item in self.items(node, "TuningParameters"):
            fields = self.mapping(item, "a parameter")
            name = self.text(self.at(fields, "Name", item))
            if name in parameters:
                raise self.fail(f"there are two parameters `{name}`", fields["Name"])
            parameters[name] = self.parameter(name, self.at(fields, "Values", item), fields.get("Default"))
            try:
                parameters[name].parameter()
            except TunepassError as error:
                raise self.fail(error.diagnostics[0].message, fields["Name"]) from None
        if not parameters:
            raise self.fail("a space has at least one parameter", node)
        return tuple(parameters.values())

    def parameter(self, name: str, node: yaml.Node, default_node: yaml.Node | None) -> ForeignParameter:
        listed = self.value(node)
        if not isinstance(listed, tuple) or not listed:
            raise self.fail(f"the values of `{name}` are a list", node)
        values: list[Scalar] = []
        for value in listed:
            if value is None or isinstance(value, tuple):
                raise self.fail(f"a value of `{name}` is a number, a text or a truth value", node)
            if isinstance(value, str) and (not value.isprintable() or "\\" in value):
                raise self.fail(f"a text of `{name}` becomes a macro: it has no line breaks and backslashes", node)
            if value not in values:
                values.append(value)
        default = self.value(default_node, read=False) if default_node is not None else None
        if isinstance(default, tuple):
            default = default[0] if default else None
        if default is None or isinstance(default, tuple) or default not in values:
            if default is not None:
                self.notes.append(f"the default of {name}, {default!r}, is none of its values")
            default = values[0]
        return ForeignParameter(name, tuple(values), values[values.index(default)])

    def constraints(self, node: yaml.Node | None) -> tuple[str, ...]:
        if node is None or self.is_null(node):
            return ()
        constraints = []
        for item in self.items(node, "Conditions"):
            expression = self.at(self.mapping(item, "a condition"), "Expression", item)
            constraints.append(self.expression(self.text(expression), expression))
        return tuple(constraints)

    # How it is launched

    def problem_size(self, node: yaml.Node | None) -> tuple[PythonValue, ...]:
        if node is None or self.is_null(node):
            return ()
        value = self.value(node)
        return value if isinstance(value, tuple) else (value,)

    def block(self, node: yaml.Node | None) -> tuple[str, ...]:
        """LocalSize; where it names no parameters, those that Kernel Tuner takes by their names."""
        extents = [] if node is None or self.is_null(node) else self.extents(node)
        if extents is None or not extents:
            usual = [f"block_size_{axis.lower()}" for axis in AXES]
            extents = [name if name in self.types else "1" for name in usual] if usual[0] in self.types else []
        if not extents:
            self.notes.append("LocalSize names no parameters: the launch is left out")
        return _without_ones(extents)

    def extents(self, node: yaml.Node) -> list[str] | None:
        fields = self.mapping(node, "an extent")
        if "X" not in fields:
            raise self.fail("an extent has an X", node)
        try:
            return [self.expression(self.text(fields[axis]), fields[axis]) for axis in AXES if axis in fields]
        except SourceError:
            return None

    def grid(
        self, spec: Mapping[str, yaml.Node], problem: Sequence[PythonValue], block: Sequence[str], language: str | None
    ) -> tuple[str, ...]:
        if problem and any(f"GridDiv{axis}" in spec for axis in AXES):
            return _without_ones([self.divided(spec, axis, size) for axis, size in zip(AXES, problem)])
        extents = self.extents(spec["GlobalSize"]) if "GlobalSize" in spec else None
        if extents is None:
            self.notes.append("GlobalSize names no parameters: the launch is left out")
            return ()
        kind = self.text(spec["GlobalSizeType"]) if "GlobalSizeType" in spec else str(language)
        if kind.lower() == "opencl":  # in threads
            threads = [*block, *["1"] * 3]
            extents = [self.canonical(f"ceildiv({whole}, {part})") for whole, part in zip(extents, threads)]
        return _without_ones(extents)

    def divided(self, spec: Mapping[str, yaml.Node], axis: str, size: PythonValue) -> str:
        """Kernel Tuner's grid: the problem's extent over the product of its divisors, or over the block's."""
        node, usual = spec.get(f"GridDiv{axis}"), f"block_size_{axis.lower()}"
        if node is None or self.is_null(node):
            divisors = [usual] if usual in self.types else []
        else:
            divisors = [f"({self.expression(self.text(item), item)})" for item in self.items(node, f"GridDiv{axis}")]
        whole = size if isinstance(size, str) else f"{size}"
        return self.canonical(f"ceildiv({whole}, {' * '.join(divisors)})" if divisors else whole)

    # What it is called with

    def arguments(self, node: yaml.Node | None) -> tuple[ForeignArgument, ...]:
        if node is None or self.is_null(node):
            self.notes.append("the arguments are not described: the kernel line is left out")
            return ()
        arguments = []
        for number, item in enumerate(self.items(node, "Arguments")):
            argument = self.argument(number, item, self.mapping(item, "an argument"))
            if argument is None:
                return ()
            arguments.append(argument)
        return tuple(arguments)

    def argument(self, number: int, item: yaml.Node, fields: Mapping[str, yaml.Node]) -> ForeignArgument | None:
        name = self.identifier(fields["Name"]) if "Name" in fields else f"argument{number}"
        kind = self.text(self.at(fields, "Type", item))
        plain = kind in ELEMENTS or kind.rstrip("0123456789") in PLAIN
        memory = self.text(self.at(fields, "MemoryType", item))
        if not plain or memory not in ("Scalar", "Vector", "Local", "Symbol"):
            self.notes.append(f"the argument {name} is a {memory} of {kind}: the kernel line is left out")
            return None
        element = ELEMENTS.get(kind, kind)
        if memory == "Scalar":
            value = self.value(fields["FillValue"], read=False) if "FillValue" in fields else 0
            if not isinstance(value, (int, float)):
                raise self.fail(f"the argument `{name}` has a number as its FillValue", item)
            return ForeignArgument(
                name=name, element=element, value=repr(float(value) if kind in PLAIN else int(value))
            )
        access = self.text(fields["AccessType"]) if "AccessType" in fields else "ReadWrite"
        return ForeignArgument(
            name=name,
            element=element,
            direction="local" if memory == "Local" else DIRECTIONS.get(access, "inout"),
            length=self.length(name, self.at(fields, "Size", item)),
            fill=self.fill(name, fields) if access != "WriteOnly" and memory != "Local" else "",
            symbol=memory == "Symbol" or ("MemType" in fields and self.text(fields["MemType"]) == "Constant"),
        )

    def length(self, name: str, node: yaml.Node) -> int:
        value = self.value(node)
        if not isinstance(value, (int, float)) or not 0 < value < LENGTH_LIMIT or value != int(value):
            raise self.fail(f"the Size of `{name}` is a positive whole number, got {value!r}", node)
        return int(value)

    def fill(self, name: str, fields: Mapping[str, yaml.Node]) -> str:
        """The clause of the pragma that fills a buffer so, if one does."""
        how = self.text(fields["FillType"]) if "FillType" in fields else "Random"
        if how == "Generator" and "DataSource" in fields:
            try:
                return f" fill({self.expression(self.text(fields['DataSource']), fields['DataSource'], ('i',))})"
            except SourceError:
                how = "a generator that has no translation"
        value = self.value(fields["FillValue"], read=False) if "FillValue" in fields else None
        if how in ("Constant", "Random") and isinstance(value, (int, float)):
            if how == "Constant":
                return f" fill({value!r})"
            return f" range(0, {value!r})" if value > 0 else ""
        if how != "Random":
            self.notes.append(f"{name} is filled with random numbers here, not by {how}")
        return ""

    def flags(self, node: yaml.Node | None) -> tuple[str, ...]:
        if node is None or self.is_null(node):
            return ()
        return tuple(self.text(item) for item in self.items(node, "CompilerOptions"))

    # Texts and numbers

    def at(self, fields: Mapping[str, yaml.Node], key: str, node: yaml.Node) -> yaml.Node:
        if key not in fields:
            raise self.fail(f"`{key}` is missing", node)
        return fields[key]

    def text(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode):
            raise self.fail("this is one text", node)
        return str(node.value)

    def identifier(self, node: yaml.Node) -> str:
        name = self.text(node)
        if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
            raise self.fail("this is a name of the kernel's source", node)
        return name

    def is_null(self, node: yaml.Node) -> bool:
        return isinstance(node, yaml.ScalarNode) and node.style is None and node.value == "null"

    def value(self, node: yaml.Node, *, read: bool = True) -> PythonValue:
        """What stands there; a text is a Python value, if it is to be `read`."""
        if isinstance(node, yaml.SequenceNode):
            return tuple(self.value(item, read=read) for item in node.value)
        text = self.text(node)
        if isinstance(node, yaml.ScalarNode) and node.style is None:
            plain = json.loads(text)
            assert plain is None or isinstance(plain, (bool, int, float))
            return plain
        if not read:
            return text
        try:
            return python_value(text, self.names)
        except TunepassError as error:
            raise self.fail(error.diagnostics[0].message, node) from None

    def expression(self, python: str, node: yaml.Node, more: Sequence[str] = ()) -> str:
        """Python's expression in tunepass's language, over parameters and the whole numbers `more`."""
        try:
            return self.canonical(from_python(python), more)
        except TunepassError as error:
            raise self.fail(error.diagnostics[0].message, node, error.diagnostics[0].hint) from None

    def canonical(self, text: str, more: Sequence[str] = ()) -> str:
        types = {**self.types, **dict.fromkeys(more, INTEGER)}
        return to_text(substitute(parse(text, types), {}))


def _without_ones(extents: Sequence[str]) -> tuple[str, ...]:
    """Without the extents at the end that are 1 anyway; the first stays."""
    remaining = list(extents)
    while len(remaining) > 1 and remaining[-1] == "1":
        remaining.pop()
    return tuple(remaining)
