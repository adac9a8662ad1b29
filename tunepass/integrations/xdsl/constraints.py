"""`transform.smt.constrain_params` as constraints: what its region asserts, over the parameters of knobs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue

from tunepass.integrations.xdsl.knobs import Knobs, name_of, operations, refuse

CONSTRAIN, CONSTANT = "transform.smt.constrain_params", "transform.param.constant"
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
    """Each assertion with its operation. Raises PassFailedException for what cannot be checked."""
    texts: dict[SSAValue, str] = {}
    assertions: list[tuple[Operation, str]] = []
    for op in operations(module, CONSTRAIN):
        block = op.regions[0].blocks[0]
        if len(block.args) != len(op.operands):
            refuse(op, f"{len(op.operands)} values are constrained, and the region has {len(block.args)} arguments")
        for operand, argument in zip(op.operands, block.args):
            texts[argument] = _operand(op, operand, knobs, texts)
        for inner in block.ops:
            name = name_of(inner)
            if name == "smt.assert":
                assertions.append((inner, _bare(texts[inner.operands[0]])))
            elif name == "smt.yield":
                for result, value in zip(op.results, inner.operands):
                    texts[result] = texts[value]
            else:
                texts[inner.results[0]] = _expression(inner, texts)
    return assertions


def _operand(op: Operation, value: SSAValue, knobs: Knobs, texts: Mapping[SSAValue, str]) -> str:
    if value in texts:
        return texts[value]
    owner = value.owner
    if isinstance(owner, Operation):
        if (parameter := knobs.parameter_of(owner)) is not None:
            return parameter
        constant = owner.properties.get("value", owner.attributes.get("value"))
        if name_of(owner) == CONSTANT and isinstance(constant, IntegerAttr):
            return str(constant.value.data)
    return refuse(op, "only knobs and constants can be constrained before the module is transformed")


def _expression(op: Operation, texts: Mapping[SSAValue, str]) -> str:
    """The value of an operation of `smt`, in brackets."""
    name, given = name_of(op), [texts[operand] for operand in op.operands]
    if name in JOINED:
        return f"({f' {JOINED[name]} '.join(given)})"
    if name in DIVIDED:
        divisor = given[1].strip("()")
        if not divisor.isdigit() or int(divisor) == 0:
            return refuse(op, f"{name} by {divisor} is not known to be by a positive number")
        return f"({given[0]} {DIVIDED[name]} {given[1]})"
    rule = RULES.get(name)
    if rule is None:
        return refuse(op, f"{name} has no counterpart in a constraint of tunepass")
    return rule(op, given)


def _constant(op: Operation, given: list[str]) -> str:
    value = _value(op, "value")
    if not isinstance(value, IntegerAttr):
        return refuse(op, "its value is no whole number")
    return str(value) if str(value) in ("true", "false") else str(value.value.data)


def _comparison(op: Operation, given: list[str]) -> str:
    pred = _value(op, "pred")
    number = pred.value.data if isinstance(pred, IntegerAttr) else -1
    if not 0 <= number < len(COMPARISONS):
        return refuse(op, f"a comparison has a `pred` from 0 to {len(COMPARISONS) - 1}")
    return f"({given[0]} {COMPARISONS[number]} {given[1]})"


def _value(op: Operation, name: str) -> Attribute | None:
    return op.properties.get(name, op.attributes.get(name))


def _pairs(sign: str, given: list[str]) -> str:
    return f"({' and '.join(f'{a} {sign} {b}' for k, a in enumerate(given) for b in given[k + 1 :])})"


RULES: Mapping[str, Callable[[Operation, list[str]], str]] = {
    "smt.int.constant": _constant,
    "smt.constant": _constant,
    "smt.int.cmp": _comparison,
    "smt.eq": lambda op, given: _pairs("==", given),
    "smt.distinct": lambda op, given: _pairs("!=", given),
    "smt.not": lambda op, given: f"(not {given[0]})",
    "smt.implies": lambda op, given: f"(not {given[0]} or {given[1]})",
    "smt.int.neg": lambda op, given: f"(-{given[0]})",
    "smt.int.abs": lambda op, given: f"abs({given[0]})",
    "smt.ite": lambda op, given: f"if({given[0]}, {given[1]}, {given[2]})",
}


def _bare(text: str) -> str:
    """Without the brackets around all of it."""
    depth = 0
    for place, letter in enumerate(text[:-1]):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0 and place:
            return text
    return text[1:-1] if text.startswith("(") else text
