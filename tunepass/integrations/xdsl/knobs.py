"""The knobs of a module: `transform.tune.knob`, `transform.tune.alternatives` and the attribute `tunepass.knobs`.

| in the module | parameter | the choice is written as |
|---|---|---|
| transform.tune.knob, an array `options` | one for each name | `selected` |
| transform.tune.alternatives | the number of its region, from 0 | `selected_region_attr` |
| {tunepass.knobs = {tile = [4, 8]}} on any operation | `tile` | the attribute `tile` of that operation |

Knobs in a region of `alternatives` are active while that region is selected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    UnregisteredOp,
    i64,
)
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import PassFailedException

from tunepass.diagnostics import TunepassError
from tunepass.integrations.parameters import identifier
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Parameter
from tunepass.space.parameters.categorical import Categorical
from tunepass.space.parameters.ordinal import Ordinal

KNOB, ALTERNATIVES = "transform.tune.knob", "transform.tune.alternatives"
KNOBS, REGION = "tunepass.knobs", "selected_region_attr"


def name_of(op: Operation) -> str:
    """The operation's name, also of one whose dialect is not registered."""
    return str(op.op_name.data if isinstance(op, UnregisteredOp) else op.name)


def refuse(op: Operation, message: str) -> NoReturn:
    """Raises PassFailedException, which shows the module with the operation underlined."""
    op.emit_error(message, PassFailedException(message))
    raise AssertionError("an error was told")


@dataclass(slots=True)
class Site:
    """A place that takes the choice of a knob: an attribute or a property of an operation."""

    op: Operation
    key: str
    inherent: bool  # a property

    @property
    def current(self) -> Attribute | None:
        return (self.op.properties if self.inherent else self.op.attributes).get(self.key)

    def select(self, value: Attribute) -> None:
        (self.op.properties if self.inherent else self.op.attributes)[self.key] = value


@dataclass(slots=True)
class Knob:
    """A knob by its name: the attributes that may be chosen, the parameter's value of each, and where it is written."""

    name: str
    parameter: str
    options: tuple[Attribute, ...]
    values: tuple[Value, ...]
    condition: str | None
    default: int
    sites: list[Site] = field(default_factory=list)

    def as_parameter(self) -> Parameter:
        default, numbers = self.values[self.default], all(_is_number(value) for value in self.values)
        if numbers:
            values = [value for value in self.values if isinstance(value, (int, float))]
            return Ordinal(self.parameter, values, default=values[self.default], when=self.condition)
        texts = [value for value in self.values if isinstance(value, str)]
        return Categorical(
            self.parameter, texts or [bool(value) for value in self.values], default=default, when=self.condition
        )

    def option(self, value: Value) -> Attribute:
        return self.options[self.values.index(value)]


@dataclass(slots=True)
class Knobs:
    """The knobs of a module in their order."""

    by_name: dict[str, Knob] = field(default_factory=dict)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return tuple(knob.as_parameter() for knob in self.by_name.values())

    def parameter_of(self, op: Operation) -> str | None:
        """The parameter of the knob that the operation is."""
        sites = ((site.op, knob.parameter) for knob in self.by_name.values() for site in knob.sites)
        return next((parameter for known, parameter in sites if known is op), None)

    def select(self, choice: Configuration) -> None:
        """Write the choice into the module; an inactive knob gets its default."""
        for knob in self.by_name.values():
            value = choice.get(knob.parameter, knob.values[knob.default])
            for site in knob.sites:
                site.select(knob.option(value))


def read_knobs(module: Operation) -> Knobs:
    """All knobs of the module.

    Raises:
        PassFailedException: a knob without options, one whose selected value is none of them, two of one name with
            different options.
        TunepassError: the module has no knob.
    """
    knobs = Knobs()
    _read(module, None, knobs)
    if not knobs.by_name:
        hint = f"write {KNOB}, {ALTERNATIVES} or an attribute {KNOBS} = {{name = [values]}}"
        raise TunepassError("the module has no knob", hint=hint)
    return knobs


def _read(op: Operation, condition: str | None, knobs: Knobs) -> None:
    for child in (child for region in op.regions for block in region.blocks for child in block.ops):
        _read_operation(child, condition, knobs)
        if name_of(child) != ALTERNATIVES:
            _read(child, condition, knobs)


def _read_operation(op: Operation, condition: str | None, knobs: Knobs) -> None:
    stated = op.attributes.get(KNOBS)
    if stated is not None:
        if not isinstance(stated, DictionaryAttr) or not stated.data:
            refuse(op, f"`{KNOBS}` is a dictionary from an attribute's name to its values, got {stated}")
        for key, options in stated.data.items():
            _add(knobs, op, key, _listed(op, key, options), condition, Site(op, key, inherent=False))
    if name_of(op) == KNOB:
        name = _name(op)
        options = op.properties.get("options", op.attributes.get("options"))
        site = Site(op, "selected", inherent="name" in op.properties)
        _add(knobs, op, name, _listed(op, name, options), condition, site)
    if name_of(op) == ALTERNATIVES:
        _read_alternatives(op, condition, knobs)


def _read_alternatives(op: Operation, condition: str | None, knobs: Knobs) -> None:
    name = _name(op)
    if len(op.regions) < 1:
        refuse(op, f"alternatives `{name}` have no region to choose")
    numbers = tuple(IntegerAttr(number, i64) for number in range(len(op.regions)))
    knob = _add(knobs, op, name, numbers, condition, Site(op, REGION, inherent="name" in op.properties))
    for number, region in enumerate(op.regions):
        selected = " and ".join(filter(None, (condition, f"{knob.parameter} == {number}")))
        for child in (child for block in region.blocks for child in block.ops):
            _read_operation(child, selected, knobs)
            _read(child, selected, knobs)


def _name(op: Operation) -> str:
    name = op.properties.get("name", op.attributes.get("name"))
    if not isinstance(name, StringAttr) or not name.data:
        refuse(op, "a knob has a `name`, a string")
    return str(name.data)


def _listed(op: Operation, name: str, options: Attribute | None) -> tuple[Attribute, ...]:
    if not isinstance(options, ArrayAttr):
        given = "none" if options is None else str(options)
        refuse(op, f"knob `{name}`: options are an array of values, got {given}")
    if not options.data:
        refuse(op, f"knob `{name}` has no options to choose from")
    return tuple(options.data)


def _add(
    knobs: Knobs, op: Operation, name: str, options: tuple[Attribute, ...], condition: str | None, site: Site
) -> Knob:
    if len(set(options)) < len(options):
        refuse(op, f"knob `{name}` has an option twice")
    known = knobs.by_name.get(name)
    if known is not None:
        if known.options != options or known.condition != condition:
            refuse(op, f"knob `{name}` is another one elsewhere: its options or its region differ")
        known.sites.append(site)
        return known
    current = site.current
    if current is not None and current not in options:
        refuse(op, f"knob `{name}`: {current}, which is selected, is none of its options")
    used = {knob.parameter for knob in knobs.by_name.values()}
    default = 0 if current is None else options.index(current)
    knob = Knob(name, identifier(name, used), options, _values(options), condition, default, [site])
    knobs.by_name[name] = knob
    return knob


def _values(options: Sequence[Attribute]) -> tuple[Value, ...]:
    """Numbers or texts where all options are such, else how the options are printed."""
    readers: tuple[Callable[[Attribute], Value | None], ...] = (_number, _text)
    for reader in readers:
        values = [reader(option) for option in options]
        complete = [value for value in values if value is not None]
        if len(complete) == len(options) and len(set(complete)) == len(complete):
            return tuple(complete)
    return tuple(str(option) for option in options)


def _number(option: Attribute) -> Value | None:
    if isinstance(option, (IntegerAttr, FloatAttr)) and str(option) not in ("true", "false"):
        number: int | float = option.value.data
        return number
    return None


def _text(option: Attribute) -> Value | None:
    return str(option.data) if isinstance(option, StringAttr) else None


def _is_number(value: Value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def operations(module: Operation, name: str) -> Iterator[Operation]:
    """The operations of this name, inner ones too."""
    return (op for op in module.walk() if name_of(op) == name)
