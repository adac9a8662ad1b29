"""Canonical text of an expression: parsing it gives the same tree back."""

from __future__ import annotations

from tunepass.expr.nodes import Binary, Call, Compare, Constant, Expr, If, Index, Logical, Member, Name, Scalar, Unary

OR, AND, NOT, COMPARISON, SHIFT, SUM, PRODUCT, SIGN, POWER, ATOM = range(10)
LEVEL = {"<<": SHIFT, ">>": SHIFT, "+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "//": PRODUCT, "%": PRODUCT}


def to_text(e: Expr) -> str:
    return _print(e)[0]


def literal(value: Scalar) -> str:
    """A constant as the parser reads it."""
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
        return f'"{escaped}"'
    return repr(value)


def _print(e: Expr) -> tuple[str, int]:
    """Text and how tightly it binds."""
    if isinstance(e, Constant):
        text = literal(e.value)
        return text, SIGN if text.startswith("-") else ATOM
    if isinstance(e, Name):
        return e.name, ATOM
    if isinstance(e, Unary):
        return _unary(e)
    if isinstance(e, Binary):
        return _binary(e)
    if isinstance(e, Compare):
        parts = [_at(e.operands[0], SHIFT)]
        for op, operand in zip(e.ops, e.operands[1:]):
            parts += [op, _at(operand, SHIFT)]
        return " ".join(parts), COMPARISON
    if isinstance(e, Logical):
        level = AND if e.op == "and" else OR
        return f" {e.op} ".join(_at(operand, level + 1) for operand in e.operands), level
    if isinstance(e, Member):
        return f"{_at(e.item, SHIFT)} in {{{', '.join(map(to_text, e.choices))}}}", COMPARISON
    if isinstance(e, If):
        return f"if({to_text(e.condition)}, {to_text(e.then)}, {to_text(e.otherwise)})", ATOM
    if isinstance(e, Index):
        return f"{e.order.name}[{to_text(e.index)}]", ATOM
    assert isinstance(e, Call)
    return f"{e.function}({', '.join(map(to_text, e.arguments))})", ATOM


def _at(e: Expr, level: int) -> str:
    """The text of `e`, in parentheses if it binds looser than `level`."""
    text, binds = _print(e)
    return text if binds >= level else f"({text})"


def _unary(e: Unary) -> tuple[str, int]:
    if e.op == "not":
        return f"not {_at(e.operand, NOT)}", NOT
    if isinstance(e.operand, Constant) and not isinstance(e.operand.value, bool):
        return f"-({to_text(e.operand)})", SIGN  # -1 alone is a constant
    return f"-{_at(e.operand, SIGN)}", SIGN


def _binary(e: Binary) -> tuple[str, int]:
    if e.op == "**":  # groups to the right, and its exponent may have a sign
        return f"{_at(e.left, ATOM)} ** {_at(e.right, SIGN)}", POWER
    level = LEVEL[e.op]
    return f"{_at(e.left, level)} {e.op} {_at(e.right, level + 1)}", level
