"""The knobs of a module: `transform.tune.knob`, `transform.tune.alternatives` and the attribute `tunepass.knobs`.

| in the module | parameter | the choice is written as |
|---|---|---|
| transform.tune.knob with `options` | one for each name | `selected` |
| transform.tune.alternatives without an operand | the number of its region, from 0 | `selected_region_attr` |
| {tunepass.knobs = {tile = [4, 8]}} on any operation | `tile` | the attribute `tile` of that operation |

Options are an array, or a dictionary as Lighthouse's `lh-tune` reads it (github.com/llvm/lighthouse): `lower_bound` and
`upper_bound`, both in, or `options`; and `divisible_by` and `divides`. Knobs in a region of `alternatives` are active
while that region is selected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from tunepass.diagnostics import TunepassError
from tunepass.integrations.mlir.reader import Attribute, ModuleReader, Operation
from tunepass.integrations.parameters import identifier
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Parameter
from tunepass.space.parameters.categorical import Categorical
from tunepass.space.parameters.ordinal import Ordinal

KNOB, ALTERNATIVES = "transform.tune.knob", "transform.tune.alternatives"
KNOBS, SELECTED, REGION = "tunepass.knobs", "selected", "selected_region_attr"
BOUNDS = ("lower_bound", "upper_bound", "divisible_by", "divides")
MOST_OPTIONS = 100_000


@dataclass(frozen=True, slots=True)
class Site:
    """A place that takes the choice of a knob: an attribute or a property of an operation."""

    op: Operation
    key: str
    inherent: bool  # the operation's own, a property


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
        default = self.values[self.default]
        numbers = [value for value in self.values if isinstance(value, (int, float)) and not isinstance(value, bool)]
        if len(numbers) == len(self.values):
            return Ordinal(self.parameter, numbers, default=numbers[self.default], when=self.condition)
        texts = [value for value in self.values if isinstance(value, str)]
        return Categorical(
            self.parameter, texts or [value is True for value in self.values], default=default, when=self.condition
        )

    def option(self, value: Value) -> Attribute:
        return self.options[self.values.index(value)]


@dataclass(slots=True)
class Knobs:
    """The knobs of a module in their order."""

    reader: ModuleReader
    by_name: dict[str, Knob] = field(default_factory=dict)
    parameter_of: dict[Operation, str] = field(default_factory=dict)  # of `transform.tune` operations

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return tuple(knob.as_parameter() for knob in self.by_name.values())

    def select(self, choice: Configuration) -> None:
        """Write the choice into the module; an inactive knob gets its default."""
        for knob in self.by_name.values():
            value = choice.get(knob.parameter, knob.values[knob.default])
            for site in knob.sites:
                self.reader.write(site.op, site.key, knob.option(value), inherent=site.inherent)

    def chooser(self, op: Operation) -> str | None:
        """The parameter that says which region of `alternatives` is selected: their own, or their operand's."""
        if (parameter := self.parameter_of.get(op)) is not None:
            return parameter
        owners = (self.reader.owner(operand) for operand in self.reader.operands(op))
        return next((self.parameter_of[owner] for owner in owners if owner in self.parameter_of), None)


def walked(op: Operation, knobs: Knobs, condition: str | None = None) -> Iterator[tuple[Operation, str | None]]:
    """The operations inside, outer ones first, each with the condition under which its region is selected."""
    reader = knobs.reader
    for number, operations in enumerate(reader.regions(op)):
        parameter = knobs.chooser(op) if reader.name(op) == ALTERNATIVES else None
        selected = f"{parameter} == {number}" if parameter else None
        inner = " and ".join(filter(None, (condition, selected))) or None
        for child in operations:
            yield child, inner
            yield from walked(child, knobs, inner)


def read_knobs(module: Operation, reader: ModuleReader) -> Knobs:
    """All knobs of the module.

    Raises:
        Exception: the reader's, for a knob without options, one whose selected value is none of them, two of one name
            with different options.
        TunepassError: the module has no knob.
    """
    knobs = Knobs(reader)
    for op, condition in walked(module, knobs):
        _read_operation(op, condition, knobs)
    if not knobs.by_name:
        hint = f"write {KNOB}, {ALTERNATIVES} or an attribute {KNOBS} = {{name = [values]}}"
        raise TunepassError("the module has no knob", hint=hint)
    return knobs


def _read_operation(op: Operation, condition: str | None, knobs: Knobs) -> None:
    reader = knobs.reader
    stated = reader.attribute(op, KNOBS)
    if stated is not None:
        listed = reader.plain(stated)
        if not isinstance(listed, dict) or not listed:
            reader.refuse(op, f"`{KNOBS}` is a dictionary from an attribute's name to its values, got {stated}")
        for key, options in listed.items():
            _add(knobs, key, _listed(reader, op, key, options), condition, Site(op, key, inherent=False))
    if reader.name(op) == KNOB:
        name = _name(reader, op)
        options = _listed(reader, op, name, reader.attribute(op, "options"))
        knobs.parameter_of[op] = _add(knobs, name, options, condition, Site(op, SELECTED, inherent=True)).parameter
    if reader.name(op) == ALTERNATIVES and not reader.operands(op):
        name = _name(reader, op)
        if not (count := len(reader.regions(op))):
            reader.refuse(op, f"alternatives `{name}` have no region to choose")
        numbers = tuple(reader.integer(number, index=True) for number in range(count))
        knobs.parameter_of[op] = _add(knobs, name, numbers, condition, Site(op, REGION, inherent=True)).parameter


def _name(reader: ModuleReader, op: Operation) -> str:
    attribute = reader.attribute(op, "name")
    name = None if attribute is None else reader.plain(attribute)
    if not isinstance(name, str) or not name:
        reader.refuse(op, "a knob has a `name`, a string")
    return name


def _listed(reader: ModuleReader, op: Operation, name: str, options: Attribute | None) -> tuple[Attribute, ...]:
    listed = None if options is None else reader.plain(options)
    if isinstance(listed, dict):
        listed = _of_bounds(reader, op, name, listed)
    if not isinstance(listed, tuple):
        given = "none" if options is None else str(options)
        reader.refuse(op, f"knob `{name}`: options are an array of values, or a dictionary of bounds, got {given}")
    if not listed:
        reader.refuse(op, f"knob `{name}` has no options to choose from")
    return listed


def _of_bounds(
    reader: ModuleReader, op: Operation, name: str, stated: dict[str, Attribute]
) -> tuple[Attribute, ...] | None:
    """The whole numbers that a dictionary of bounds stands for; None for one that cannot be read."""
    numbers: dict[str, int] = {}
    for key in BOUNDS:
        number = reader.plain(stated[key]) if key in stated else None
        if key in stated and not (isinstance(number, int) and not isinstance(number, bool)):
            return None
        if isinstance(number, int):
            numbers[key] = number
    if not set(stated) <= {*BOUNDS, "options"} or any(numbers.get(key, 1) < 1 for key in BOUNDS[2:]):
        return None
    step, whole = numbers.get("divisible_by", 1), numbers.get("divides")

    def fits(number: int) -> bool:
        return number % step == 0 and (whole is None or (number != 0 and whole % number == 0))

    if "options" in stated:
        options = reader.plain(stated["options"])
        if not isinstance(options, tuple):
            return None
        values = [(option, reader.plain(option)) for option in options]
        return tuple(option for option, value in values if isinstance(value, int) and fits(value))
    if not {"lower_bound", "upper_bound"} <= set(numbers):
        return None
    low, high = numbers["lower_bound"], numbers["upper_bound"]
    candidates = range(low + -low % step, high + 1, step)
    if len(candidates) > MOST_OPTIONS:
        reader.refuse(op, f"knob `{name}` has {len(candidates):,} options; {MOST_OPTIONS:,} at most can be searched")
    return tuple(reader.integer(number) for number in candidates if fits(number))


def _add(knobs: Knobs, name: str, options: tuple[Attribute, ...], condition: str | None, site: Site) -> Knob:
    reader = knobs.reader
    if len(set(options)) < len(options):
        reader.refuse(site.op, f"knob `{name}` has an option twice")
    known = knobs.by_name.get(name)
    if known is not None:
        if known.options != options or known.condition != condition:
            reader.refuse(site.op, f"knob `{name}` is another one elsewhere: its options or its region differ")
        known.sites.append(site)
        return known
    current = reader.attribute(site.op, site.key)
    default = 0 if current is None else _place(reader, current, options)
    if default is None:
        reader.refuse(site.op, f"knob `{name}`: {current}, which is selected, is none of its options")
    used = {knob.parameter for knob in knobs.by_name.values()}
    knob = Knob(name, identifier(name, used), options, _values(reader, options), condition, default, [site])
    knobs.by_name[name] = knob
    return knob


def _place(reader: ModuleReader, current: Attribute, options: Sequence[Attribute]) -> int | None:
    """The option that is selected; a number of another type counts as the option of its value."""
    if current in options:
        return options.index(current)
    value = reader.plain(current)
    numbers = [reader.plain(option) for option in options]
    return numbers.index(value) if type(value) is int and value in numbers else None


def _values(reader: ModuleReader, options: Sequence[Attribute]) -> tuple[Value, ...]:
    """Numbers, texts or Booleans where all options are such, else how the options are printed."""
    plain = [reader.plain(option) for option in options]
    kinds: tuple[Callable[[object], bool], ...] = (
        lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
        lambda value: isinstance(value, str),
        lambda value: isinstance(value, bool),
    )
    for kind in kinds:
        values = [value for value in plain if isinstance(value, (bool, int, float, str)) and kind(value)]
        if len(values) == len(options) == len(set(values)):
            return tuple(values)
    return tuple(str(option) for option in options)
