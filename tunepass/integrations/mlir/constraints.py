"""Constraints between the knobs of a module: `transform.smt.constrain_params` and `transform.match.param.cmpi`.

In a region of `transform.tune.alternatives` a constraint holds while that region is selected.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tunepass.integrations.mlir.knobs import ALTERNATIVES, Knobs, walked
from tunepass.integrations.mlir.reader import ModuleReader, Operation, SsaValue

CONSTRAIN, CONSTANT = "transform.smt.constrain_params", "transform.param.constant"
MATCHED, MATCHES = "transform.match.param.cmpi", ("==", "!=", "<", "<=", ">", ">=")  # by the number of `predicate`
COMPARISONS = ("<", "<=", ">", ">=")  # of smt.int.cmp, by the number of `pred`
JOINED: Mapping[str, str] = {
    "smt.int.add": "+",
    "smt.int.sub": "-",
    "smt.int.mul": "*",
    "smt.and": "and",
    "smt.or": "or",
}
# SMT-LIB rounds a quotient so that the remainder is not negative: as `//` and `%` do where the divisor is positive.
DIVIDED: Mapping[str, str] = {"smt.int.div": "//", "smt.int.mod": "%"}


def read_constraints(module: Operation, knobs: Knobs) -> list[tuple[Operation, str]]:
    """Each assertion with its operation.

    Raises:
        Exception: the reader's, for what cannot be checked.
    """
    reader, texts = knobs.reader, _Texts(knobs)
    assertions: list[tuple[Operation, str]] = []
    for op, condition in walked(module, knobs):
        stated: list[tuple[Operation, str]] = []
        if reader.name(op) == CONSTRAIN:
            stated = _constrained(op, texts)
        elif reader.name(op) == MATCHED:
            stated = _matched(op, texts)
        for inner, text in stated:
            assertions.append((inner, _bare(text) if condition is None else f"not ({condition}) or {text}"))
    return assertions


class _Texts(dict[SsaValue, str]):
    """The values that are known, in brackets."""

    def __init__(self, knobs: Knobs):
        super().__init__()
        self.knobs, self.reader = knobs, knobs.reader

    def of(self, value: SsaValue) -> str | None:
        """A knob, a constant, or what the selected region of alternatives yields; None for any other value."""
        if value in self:
            return self[value]
        owner = self.reader.owner(value)
        if owner is None:
            return None
        if self.reader.name(owner) == ALTERNATIVES:
            return self._yielded(owner, list(self.reader.results(owner)).index(value))
        if (parameter := self.knobs.parameter_of.get(owner)) is not None:
            return parameter
        return _literal(self.reader, owner) if self.reader.name(owner) == CONSTANT else None

    def _yielded(self, op: Operation, place: int) -> str | None:
        parameter = self.knobs.chooser(op)
        ends = [operations[-1] for operations in self.reader.regions(op) if operations]
        values = [list(self.reader.operands(end)) for end in ends]
        texts = [self.of(given[place]) if place < len(given) else None for given in values]
        if parameter is None or len(texts) < len(self.reader.regions(op)) or None in texts:
            return None
        joined = str(texts[-1])
        for number in reversed(range(len(texts) - 1)):
            joined = f"if({parameter} == {number}, {texts[number]}, {joined})"
        return joined


def _constrained(op: Operation, texts: _Texts) -> list[tuple[Operation, str]]:
    reader, stated = texts.reader, []
    operands, arguments = reader.operands(op), reader.arguments(op)
    if len(arguments) != len(operands):
        reader.refuse(op, f"{len(operands)} values are constrained, and the region has {len(arguments)} arguments")
    for operand, argument in zip(operands, arguments):
        known = texts.of(operand)
        if known is None:
            reader.refuse(op, "only knobs and constants can be constrained before the module is transformed")
        texts[argument] = known
    for inner in reader.regions(op)[0]:
        name, given = reader.name(inner), reader.operands(inner)
        if name == "smt.assert":
            stated.append((inner, _known(inner, given[0], texts)))
        elif name == "smt.yield":
            for result, value in zip(reader.results(op), given):
                texts[result] = _known(inner, value, texts)
        else:
            texts[reader.results(inner)[0]] = _expression(inner, texts)
    return stated


def _known(op: Operation, value: SsaValue, texts: _Texts) -> str:
    if value not in texts:
        texts.reader.refuse(op, "it reads a value from outside of what is constrained")
    return texts[value]


def _matched(op: Operation, texts: _Texts) -> list[tuple[Operation, str]]:
    """A comparison that a sequence demands; none where one of its sides is known only while it runs."""
    left, right = (texts.of(value) for value in texts.reader.operands(op))
    predicate = _number(texts.reader, op, "predicate")
    if left is None or right is None or predicate is None or not 0 <= predicate < len(MATCHES):
        return []
    return [(op, f"({left} {MATCHES[predicate]} {right})")]


def _expression(op: Operation, texts: _Texts) -> str:
    """The value of an operation of `smt`, in brackets."""
    reader = texts.reader
    name, given = reader.name(op), [_known(op, operand, texts) for operand in reader.operands(op)]
    if name in JOINED:
        return f"({f' {JOINED[name]} '.join(given)})"
    if name in DIVIDED:
        divisor = given[1].strip("()")
        if not divisor.isdigit() or int(divisor) == 0:
            return reader.refuse(op, f"{name} by {divisor} is not known to be by a positive number")
        return f"({given[0]} {DIVIDED[name]} {given[1]})"
    rule = RULES.get(name)
    if rule is None:
        return reader.refuse(op, f"{name} has no counterpart in a constraint of tunepass")
    return rule(reader, op, given)


def _number(reader: ModuleReader, op: Operation, key: str) -> int | None:
    attribute = reader.attribute(op, key)
    value = None if attribute is None else reader.plain(attribute)
    return value if isinstance(value, int) else None


def _literal(reader: ModuleReader, op: Operation) -> str | None:
    """The constant `value`: a whole number or a Boolean."""
    value = _number(reader, op, "value")
    return str(value).lower() if isinstance(value, bool) else None if value is None else str(value)


def _constant(reader: ModuleReader, op: Operation, given: list[str]) -> str:
    return _literal(reader, op) or reader.refuse(op, "its value is no whole number")


def _comparison(reader: ModuleReader, op: Operation, given: list[str]) -> str:
    number = _number(reader, op, "pred")
    if number is None or not 0 <= number < len(COMPARISONS):
        return reader.refuse(op, f"a comparison has a `pred` from 0 to {len(COMPARISONS) - 1}")
    return f"({given[0]} {COMPARISONS[number]} {given[1]})"


def _pairs(sign: str, given: list[str]) -> str:
    return f"({' and '.join(f'{a} {sign} {b}' for k, a in enumerate(given) for b in given[k + 1 :])})"


RULES: Mapping[str, Callable[[ModuleReader, Operation, list[str]], str]] = {
    "smt.int.constant": _constant,
    "smt.constant": _constant,
    "smt.int.cmp": _comparison,
    "smt.eq": lambda reader, op, given: _pairs("==", given),
    "smt.distinct": lambda reader, op, given: _pairs("!=", given),
    "smt.not": lambda reader, op, given: f"(not {given[0]})",
    "smt.implies": lambda reader, op, given: f"(not {given[0]} or {given[1]})",
    "smt.int.neg": lambda reader, op, given: f"(-{given[0]})",
    "smt.int.abs": lambda reader, op, given: f"abs({given[0]})",
    "smt.ite": lambda reader, op, given: f"if({given[0]}, {given[1]}, {given[2]})",
}


def _bare(text: str) -> str:
    """Without the brackets around all of it."""
    depth = 0
    for place, letter in enumerate(text[:-1]):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0 and place:
            return text
    return text[1:-1] if text.startswith("(") else text
