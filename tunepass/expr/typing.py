"""Checked constructors of expression nodes: each works out the type or raises a diagnostic at the operand's span."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tunepass.diagnostics import ExpressionError, Span, nearest
from tunepass.expr.nodes import (
    BOOL,
    INT_MAX,
    INT_MIN,
    INTEGER,
    REAL,
    Binary,
    BoolType,
    Call,
    CategoryType,
    Compare,
    Constant,
    Expr,
    If,
    Index,
    IntegerType,
    Logical,
    Member,
    Name,
    OrderType,
    RealType,
    Scalar,
    Type,
    Unary,
)

NUMERIC = (BoolType, IntegerType, RealType)
ORDERINGS = {"<", "<=", ">", ">="}
# name -> fewest and most arguments (None: any number)
FUNCTIONS: dict[str, tuple[int, int | None]] = {
    "min": (1, None),
    "max": (1, None),
    "abs": (1, 1),
    "ceil": (1, 1),
    "floor": (1, 1),
    "round": (1, 1),
    "sqrt": (1, 1),
    "exp": (1, 1),
    "log": (1, 1),
    "log2": (1, 1),
    "ceildiv": (2, 2),
    "gcd": (2, 2),
    "lcm": (2, 2),
    "ispow2": (1, 1),
    "pos": (2, 2),
    "if": (3, 3),
}


def constant(value: Scalar, span: Span | None = None) -> Constant:
    """A literal; integers must fit 64 bits, reals must be finite."""
    if isinstance(value, bool):
        return Constant(value, BOOL, span)
    if isinstance(value, int):
        if not INT_MIN <= value <= INT_MAX:
            raise ExpressionError("this integer does not fit in 64 bits", span)
        return Constant(value, INTEGER, span)
    if isinstance(value, float):
        if not -float("inf") < value < float("inf"):
            raise ExpressionError("this number is too large for a Real", span)
        return Constant(value, REAL, span)
    return Constant(value, CategoryType((value,)), span)


def name(text: str, names: Mapping[str, Type], span: Span | None = None) -> Expr:
    """A declared name, or one of the constants True and False; else a diagnostic with the nearest known name."""
    kind = names.get(text)
    if kind is not None:
        return Name(text, kind, span)
    if text in ("True", "true"):
        return Constant(True, BOOL, span)
    if text in ("False", "false"):
        return Constant(False, BOOL, span)
    if text in FUNCTIONS:
        raise ExpressionError(f"`{text}` is a function; it needs its arguments in parentheses", span)
    close = nearest(text, names)
    hint = f"did you mean `{close}`?" if close else f"known names: {', '.join(list(names)[:20]) or 'none'}"
    raise ExpressionError(f"unknown name `{text}`", span, hint)


def unary(op: str, operand: Expr, span: Span | None = None) -> Expr:
    if op == "not":
        return Unary(op, _boolean(operand, "not"), BOOL, span)
    _numeric(operand, f"unary `{op}`")
    return Unary(op, operand, _arithmetic(operand), span)


def binary(op: str, left: Expr, right: Expr, span: Span | None = None) -> Expr:
    for operand in (left, right):
        _numeric(operand, f"`{op}`")
    if op in ("<<", ">>"):
        for operand in (left, right):
            _integral(operand, f"`{op}`")
        return Binary(op, left, right, INTEGER, span)
    if op == "/":
        return Binary(op, left, right, REAL, span)
    return Binary(op, left, right, _arithmetic(left, right), span)


def compare(operands: Sequence[Expr], ops: Sequence[str], span: Span | None = None) -> Expr:
    """A chained comparison. Strings only compare with == and !=, and take the Category of what they stand beside."""
    items = list(operands)
    for i, op in enumerate(ops):
        left, right = items[i], items[i + 1]
        if isinstance(left.type, CategoryType) or isinstance(right.type, CategoryType):
            if op in ORDERINGS:
                culprit = left if isinstance(left.type, CategoryType) else right
                raise ExpressionError(
                    f"`{op}` does not apply to a string", culprit.span, "strings compare with ==, != and in"
                )
            items[i], items[i + 1] = _same_category(left, right)
        else:
            _numeric(left, f"`{op}`")
            _numeric(right, f"`{op}`")
    return Compare(tuple(items), tuple(ops), BOOL, span)


def logical(op: str, operands: Sequence[Expr], span: Span | None = None) -> Expr:
    return Logical(op, tuple(_boolean(operand, op) for operand in operands), BOOL, span)


def member(item: Expr, choices: Sequence[Expr], span: Span | None = None) -> Expr:
    typed = []
    for choice in choices:
        if isinstance(item.type, CategoryType) or isinstance(choice.type, CategoryType):
            item, choice = _same_category(item, choice)
        else:
            _numeric(item, "`in`")
            _numeric(choice, "`in`")
        typed.append(choice)
    return Member(item, tuple(typed), BOOL, span)


def conditional(condition: Expr, then: Expr, otherwise: Expr, span: Span | None = None) -> Expr:
    _boolean(condition, "the condition of `if`")
    if isinstance(then.type, CategoryType) and isinstance(otherwise.type, CategoryType):
        values = tuple(dict.fromkeys((*then.type.values, *otherwise.type.values)))
        return If(condition, then, otherwise, CategoryType(values), span)
    for branch in (then, otherwise):
        _numeric(branch, "a branch of `if`", "both branches are numbers, or both strings")
    return If(condition, then, otherwise, _widest(then, otherwise), span)


def index(order: Expr, position: Expr, span: Span | None = None) -> Expr:
    """`order[position]`: an Integer when the items are integers, else a Category of the items."""
    if not isinstance(order, Name) or not isinstance(order.type, OrderType):
        raise ExpressionError(f"only an order (a permutation) can be indexed, not {_a(order)}", order.span)
    _integral(position, "an index")
    items = order.type.items
    if isinstance(position, Constant) and not 0 <= int(position.value) < len(items):
        raise ExpressionError(
            f"position {position.value} is outside `{order.name}`",
            position.span,
            f"positions are 0 to {len(items) - 1}",
        )
    return Index(order, position, item_type(order.type), span)


def item_type(order: OrderType) -> Type:
    return INTEGER if all(isinstance(i, int) for i in order.items) else CategoryType(tuple(str(i) for i in order.items))


def call(function: str, arguments: Sequence[Expr], span: Span | None = None, name_span: Span | None = None) -> Expr:
    """A function applied; wrong arity and unknown functions are diagnostics."""
    if function not in FUNCTIONS:
        close = nearest(function, FUNCTIONS)
        hint = f"did you mean `{close}`?" if close else f"functions: {', '.join(FUNCTIONS)}"
        raise ExpressionError(f"unknown function `{function}`", name_span or span, hint)
    fewest, most = FUNCTIONS[function]
    if len(arguments) < fewest or (most is not None and len(arguments) > most):
        takes = f"{fewest}" if most == fewest else f"at least {fewest}"
        plural = "" if fewest == 1 else "s"
        raise ExpressionError(f"`{function}` takes {takes} argument{plural}, got {len(arguments)}", span)
    if function == "if":
        return conditional(arguments[0], arguments[1], arguments[2], span)
    if function == "pos":
        return _position(arguments[0], arguments[1], span)
    for argument in arguments:
        _numeric(argument, f"`{function}`")
        if function in ("gcd", "lcm", "ispow2"):
            _integral(argument, f"`{function}`")
    return Call(function, tuple(arguments), _result(function, arguments), span)


def _result(function: str, arguments: Sequence[Expr]) -> Type:
    if function in ("sqrt", "exp", "log", "log2"):
        return REAL
    if function in ("ceil", "floor", "round"):
        return INTEGER
    return BOOL if function == "ispow2" else _arithmetic(*arguments)


def _position(order: Expr, item: Expr, span: Span | None) -> Expr:
    if not isinstance(order, Name) or not isinstance(order.type, OrderType):
        raise ExpressionError(f"the first argument of `pos` must be an order, not {_a(order)}", order.span)
    items = item_type(order.type)
    if isinstance(items, CategoryType):
        if not isinstance(item.type, CategoryType):
            raise ExpressionError(f"`{order.name}` orders strings, not {_a(item)}", item.span, _listed(items.values))
        item = _retyped(item, items)
    else:
        _integral(item, f"an item of `{order.name}`")
        if isinstance(item, Constant) and int(item.value) not in order.type.items:
            raise ExpressionError(
                f"{item.value} is not an item of `{order.name}`", item.span, _listed(order.type.items)
            )
    return Call("pos", (order, item), INTEGER, span)


def _widest(*operands: Expr) -> Type:
    if any(isinstance(operand.type, RealType) for operand in operands):
        return REAL
    return BOOL if all(isinstance(operand.type, BoolType) for operand in operands) else INTEGER


def _arithmetic(*operands: Expr) -> Type:
    return REAL if any(isinstance(operand.type, RealType) for operand in operands) else INTEGER


def _same_category(left: Expr, right: Expr) -> tuple[Expr, Expr]:
    for side, other in ((left, right), (right, left)):
        if not isinstance(side.type, CategoryType):
            raise ExpressionError(f"{_a(side)} and {_a(other)} cannot be compared", side.span)
    if isinstance(right, Constant) and not isinstance(left, Constant):
        assert isinstance(left.type, CategoryType)
        return left, _retyped(right, left.type)
    if isinstance(left, Constant) and not isinstance(right, Constant):
        assert isinstance(right.type, CategoryType)
        return _retyped(left, right.type), right
    return left, right


def _retyped(e: Expr, category: CategoryType) -> Expr:
    """A string constant as one of `category`, or a diagnostic; other expressions as they are."""
    if not isinstance(e, Constant) or e.type == category:
        return e
    if e.value not in category.values:
        close = nearest(str(e.value), category.values)
        raise ExpressionError(
            f'"{e.value}" is not among the values',
            e.span,
            f'did you mean "{close}"?' if close else _listed(category.values),
        )
    return replace(e, type=category)


def _listed(values: Sequence[int | str]) -> str:
    text = ", ".join(f'"{v}"' if isinstance(v, str) else str(v) for v in values[:20])
    return f"one of {text}{', …' if len(values) > 20 else ''}"


def _a(e: Expr) -> str:
    return f"{'an' if isinstance(e.type, (IntegerType, OrderType)) else 'a'} {e.type}"


def _numeric(e: Expr, where: str, hint: str | None = None) -> Expr:
    if isinstance(e.type, NUMERIC):
        return e
    if hint is None:
        hint = (
            "strings compare with ==, != and in"
            if isinstance(e.type, CategoryType)
            else "use order[i] or pos(order, item)"
        )
    raise ExpressionError(f"{where} needs a number, got {_a(e)}", e.span, hint)


def _integral(e: Expr, where: str) -> Expr:
    if isinstance(e.type, (BoolType, IntegerType)):
        return e
    hint = "floor, ceil and round give an Integer" if isinstance(e.type, RealType) else None
    raise ExpressionError(f"{where} needs an Integer, got {_a(e)}", e.span, hint)


def _boolean(e: Expr, where: str, needs: str = "needs a Bool") -> Expr:
    if isinstance(e.type, BoolType):
        return e
    hint = "compare it with something, as in `x != 0`" if isinstance(e.type, NUMERIC) else None
    raise ExpressionError(
        f"{'`' + where + '`' if where in ('and', 'or', 'not') else where} {needs}, got {_a(e)}", e.span, hint
    )
