"""A parameter of an application: its kind, values and prior, and how it reaches the build or the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast, get_args

import yaml

from tunepass.diagnostics import Diagnostic, Source, SourceError, SpaceError
from tunepass.frontends.app.document import DocumentReader, Scalar
from tunepass.ir.kernel import Binding, Role
from tunepass.space.configuration import Value
from tunepass.space.parameter import Categorical, Integer, Number, Ordinal, Parameter, Permutation, Real
from tunepass.space.parameters.condition import Condition
from tunepass.space.prior import SHAPES

ROLES = tuple(role for role in get_args(Role) if role not in ("directive", "constant", "compiler"))
COMMON = ("kind", "role", "default", "prior", "when", "form", "omit_default")
FIELDS: Mapping[str, tuple[str, ...]] = {
    "integer": (*COMMON, "range", "step", "log"),
    "real": (*COMMON, "range", "log"),
    "ordinal": (*COMMON, "values", "log"),
    "categorical": (*COMMON, "values"),
    "permutation": (*COMMON, "items"),
}
NEEDED = {"integer": "range", "real": "range", "ordinal": "values", "categorical": "values", "permutation": "items"}
TAKEN = frozenset({"FLAGS", "ARGUMENTS", "INPUT", "build_dir", "source_dir"})  # placeholders of their own

Fields = Mapping[str, yaml.Node]


def read_parameter(reader: DocumentReader, key: yaml.Node, node: yaml.Node) -> tuple[Parameter, Binding]:
    """`key` is its name, `node` holds the fields; what is wrong with a value is told where the value stands."""
    name = reader.text(key, "a parameter's name")
    what = f"parameter {name}"
    if name in TAKEN:
        raise reader.fail(f"`{{{name}}}` has a meaning of its own; call the parameter otherwise", key)
    listed = reader.mapping(node, what)
    for field in ("kind", "role"):
        if field not in listed:
            raise reader.fail(f"{what} lacks `{field}`", node, f"{field}s: {', '.join(_options(field))}")
    kind, role = (reader.one_of(listed[field], field, _options(field)) for field in ("kind", "role"))
    fields = reader.record(node, f"{what} ({kind})", FIELDS[kind], (NEEDED[kind],))
    try:
        parameter = _construct(reader, name, kind, fields)
    except SpaceError as error:
        first = error.diagnostics[0]
        faulty_node = fields["prior"] if "prior" in first.message and "prior" in fields else fields[NEEDED[kind]]
        faulty_node = key if "name is" in first.message else faulty_node
        faulty_node = fields["when"] if first.span is not None else faulty_node  # nothing else has a place of its own
        is_placed = first.span is not None and first.span.source == reader.source
        span = first.span if is_placed else reader.span(faulty_node)
        raise SourceError(Diagnostic(first.message, span, first.hint)) from None
    if "default" in fields:
        parameter = _with_default(reader, name, kind, fields, parameter)
    choices = parameter.domain if isinstance(parameter, Categorical) else ()
    if role == "profile" and not (choices and all(isinstance(value, bool) for value in choices)):
        raise reader.fail("a profile is used or not: its values are false and true", fields[NEEDED[kind]])
    form, omitted = _form(reader, name, role, fields), _omits_default(reader, role, fields)
    span = reader.span(node)
    return parameter, Binding(name, cast(Role, role), span, form, omitted=parameter.default if omitted else None)


def _options(field: str) -> tuple[str, ...]:
    return tuple(FIELDS) if field == "kind" else ROLES


def _form(reader: DocumentReader, name: str, role: str, fields: Fields) -> str:
    """How the value is spelled, around one `{}`."""
    standard = {"macro": f"-D{name}={{}}", "environment": f"{name}={{}}"}.get(role, "{}")
    if "form" not in fields:
        return standard
    text = reader.text(fields["form"], f"the form of {name}")
    if text.count("{}") != 1:
        raise reader.fail(f"a form holds one `{{}}` where the value stands, got `{text}`", fields["form"])
    variable = text.partition("=")[0]
    if role == "environment" and not (variable.isidentifier() and "=" in text):
        raise reader.fail("the form of an environment parameter is `VARIABLE={}`", fields["form"])
    return text


def _omits_default(reader: DocumentReader, role: str, fields: Fields) -> bool:
    """Whether no word is written at the default."""
    node = fields.get("omit_default")
    if node is not None and role not in ("flag", "macro", "argument"):
        raise reader.fail(f"a parameter of the role `{role}` is not a word that could be left out", node)
    return node is not None and reader.boolean(node, "omit_default")


def _with_default(reader: DocumentReader, name: str, kind: str, fields: Fields, parameter: Parameter) -> Parameter:
    node = fields["default"]
    value: Value
    if kind == "permutation":
        value = tuple(_item(reader, item) for item in reader.items(node, f"the default of {name}"))
    else:
        value = reader.scalar(node, f"the default of {name}")
    if not parameter.admits(value):
        raise reader.fail(f"the default of {name} is not one of its values: {parameter}", node)
    return _construct(reader, name, kind, fields, value)


def _construct(reader: DocumentReader, name: str, kind: str, fields: Fields, default: Value | None = None) -> Parameter:
    build: Callable[[DocumentReader, str, Fields, Value | None], Parameter] = _KINDS[kind]
    return build(reader, name, fields, default)


def _integer(reader: DocumentReader, name: str, fields: Fields, default: Value | None) -> Parameter:
    lo, hi = _range(reader, name, fields)
    if not (isinstance(lo, int) and isinstance(hi, int)):
        raise reader.fail(f"the range of an integer has whole ends, got {lo} and {hi}", fields["range"], "use `real`")
    step = reader.whole(fields["step"], f"the step of {name}", 1) if "step" in fields else 1
    log, prior, when = _log(reader, fields), _beta(reader, name, fields), _condition(reader, fields)
    return Integer(
        name,
        lo,
        hi,
        step=step,
        log=log,
        default=cast("int | None", default),
        prior=prior,
        when=when,
    )


def _real(reader: DocumentReader, name: str, fields: Fields, default: Value | None) -> Parameter:
    lo, hi = _range(reader, name, fields)
    log, prior, when = _log(reader, fields), _beta(reader, name, fields), _condition(reader, fields)
    return Real(
        name,
        float(lo),
        float(hi),
        log=log,
        default=cast("float | None", default),
        prior=prior,
        when=when,
    )


def _ordinal(reader: DocumentReader, name: str, fields: Fields, default: Value | None) -> Parameter:
    values = [reader.number(v, f"a value of {name}") for v in reader.items(fields["values"], f"the values of {name}")]
    log, prior, when = _log(reader, fields), _beta(reader, name, fields), _condition(reader, fields)
    return Ordinal(name, values, log=log, default=cast("Number | None", default), prior=prior, when=when)


def _categorical(reader: DocumentReader, name: str, fields: Fields, default: Value | None) -> Parameter:
    nodes = reader.items(fields["values"], f"the values of {name}")
    values = cast(list[str], [_category(reader, v, name) for v in nodes])
    prior = _weights(reader, fields["prior"], f"the prior of {name}") if "prior" in fields else None
    when = _condition(reader, fields)
    return Categorical(name, values, default=default, prior=prior, when=when)


def _permutation(reader: DocumentReader, name: str, fields: Fields, default: Value | None) -> Parameter:
    node = fields["items"]
    rows = [_weights(reader, row, "a row of weights") for row in _rows(reader, name, fields)] or None
    order, when = cast("tuple[int | str, ...] | None", default), _condition(reader, fields)
    if isinstance(node, yaml.SequenceNode):
        return Permutation(
            name,
            [reader.text(i, "an item") for i in node.value],
            default=order,
            prior=rows,
            when=when,
        )
    return Permutation(name, reader.whole(node, f"the items of {name}", 1), default=order, prior=rows, when=when)


_KINDS = {
    "integer": _integer,
    "real": _real,
    "ordinal": _ordinal,
    "categorical": _categorical,
    "permutation": _permutation,
}


def _condition(reader: DocumentReader, fields: Fields) -> Condition | None:
    """The condition as it stands in the file, where its text does."""
    node = fields.get("when")
    if node is None:
        return None
    text, offset = reader.text(node, "a condition"), reader.offset_of(node)
    return Condition(text, Source("<when>", text)) if offset is None else Condition(text, reader.source, offset)


def _category(reader: DocumentReader, node: yaml.Node, name: str) -> Scalar:
    value = reader.scalar(node, f"a value of {name}")
    return reader.text(node, f"a value of {name}") if isinstance(value, str) else value


def _item(reader: DocumentReader, node: yaml.Node) -> int | str:
    value = reader.scalar(node, "an item")
    return value if isinstance(value, int) and not isinstance(value, bool) else str(node.value)


def _range(reader: DocumentReader, name: str, fields: Fields) -> tuple[Number, Number]:
    ends = [reader.number(end, f"an end of the range of {name}") for end in _pair(reader, name, fields["range"])]
    return ends[0], ends[1]


def _pair(reader: DocumentReader, name: str, node: yaml.Node) -> list[yaml.Node]:
    ends = reader.items(node, f"the range of {name}")
    if len(ends) != 2:
        raise reader.fail(f"the range of {name} is its least and its largest value, got {len(ends)}", node)
    return ends


def _log(reader: DocumentReader, fields: Fields) -> bool:
    return reader.boolean(fields["log"], "log") if "log" in fields else False


def _beta(reader: DocumentReader, name: str, fields: Fields) -> str | tuple[float, float] | None:
    """A shape's name, or the two numbers of a Beta distribution."""
    node = fields.get("prior")
    if node is None:
        return None
    if isinstance(node, yaml.SequenceNode):
        numbers = _weights(reader, node, f"the prior of {name}")
        if len(numbers) != 2:
            raise reader.fail(f"the prior of {name} is a shape's name or two numbers", node)
        return numbers[0], numbers[1]
    return reader.one_of(node, f"the prior of {name}", tuple(SHAPES))


def _weights(reader: DocumentReader, node: yaml.Node, what: str) -> list[float]:
    return [float(reader.number(item, f"an entry of {what}")) for item in reader.items(node, what)]


def _rows(reader: DocumentReader, name: str, fields: Fields) -> list[yaml.Node]:
    return reader.items(fields["prior"], f"the prior of {name}") if "prior" in fields else []
