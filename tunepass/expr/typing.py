"""Checked constructors of expression nodes: each works out the type or raises a diagnostic at the operand's span."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tunepass.diagnostics import ExpressionError, Span, nearest, spelling_hint
from tunepass.expr import nodes as n

NUMERIC = (n.BoolType, n.IntegerType, n.RealType)
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


def constant(value: n.Scalar, span: Span | None = None) -> n.Constant:
    """A literal; integers must fit 64 bits, reals must be finite."""
    if isinstance(value, bool):
        return n.Constant(value, n.BOOL, span)
    if isinstance(value, int):
        if not n.INT_MIN <= value <= n.INT_MAX:
            raise ExpressionError("this integer does not fit in 64 bits", span)
        return n.Constant(value, n.INTEGER, span)
    if isinstance(value, float):
        if not -float("inf") < value < float("inf"):
            raise ExpressionError("this number is too large for a Real", span)
        return n.Constant(value, n.REAL, span)
    return n.Constant(value, n.CategoryType((value,)), span)


def name(text: str, names: Mapping[str, n.Type], span: Span | None = None) -> n.Expr:
    """A declared name, or one of the constants True and False; else a diagnostic with the nearest known name."""
    kind = names.get(text)
    if kind is not None:
        return n.Name(text, kind, span)
    if text in ("True", "true"):
        return n.Constant(True, n.BOOL, span)
    if text in ("False", "false"):
        return n.Constant(False, n.BOOL, span)
    if text in FUNCTIONS:
        raise ExpressionError(f"`{text}` is a function; it needs its arguments in parentheses", span)
    hint = spelling_hint(text, names, f"known names: {', '.join(list(names)[:20]) or 'none'}")
    raise ExpressionError(f"unknown name `{text}`", span, hint)


def unary(op: str, operand: n.Expr, span: Span | None = None) -> n.Expr:
    if op == "not":
        return n.Unary(op, _boolean(operand, "not"), n.BOOL, span)
    _numeric(operand, f"unary `{op}`")
    return n.Unary(op, operand, _arithmetic(operand), span)


def binary(op: str, left: n.Expr, right: n.Expr, span: Span | None = None) -> n.Expr:
    for operand in (left, right):
        _numeric(operand, f"`{op}`")
    if op in ("<<", ">>"):
        for operand in (left, right):
            _integral(operand, f"`{op}`")
        return n.Binary(op, left, right, n.INTEGER, span)
    if op == "/":
        return n.Binary(op, left, right, n.REAL, span)
    return n.Binary(op, left, right, _arithmetic(left, right), span)


def compare(operands: Sequence[n.Expr], ops: Sequence[str], span: Span | None = None) -> n.Expr:
    """A chained comparison. Strings only compare with == and !=, and take the Category of what they stand beside."""
    items = list(operands)
    for i, op in enumerate(ops):
        left, right = items[i], items[i + 1]
        if isinstance(left.type, n.CategoryType) or isinstance(right.type, n.CategoryType):
            if op in ORDERINGS:
                culprit = left if isinstance(left.type, n.CategoryType) else right
                raise ExpressionError(
                    f"`{op}` does not apply to a string", culprit.span, "strings compare with ==, != and in"
                )
            items[i], items[i + 1] = _same_category(left, right)
        else:
            _numeric(left, f"`{op}`")
            _numeric(right, f"`{op}`")
    return n.Compare(tuple(items), tuple(ops), n.BOOL, span)


def logical(op: str, operands: Sequence[n.Expr], span: Span | None = None) -> n.Expr:
    return n.Logical(op, tuple(_boolean(operand, op) for operand in operands), n.BOOL, span)


def member(item: n.Expr, choices: Sequence[n.Expr], span: Span | None = None) -> n.Expr:
    typed = []
    for choice in choices:
        if isinstance(item.type, n.CategoryType) or isinstance(choice.type, n.CategoryType):
            item, choice = _same_category(item, choice)
        else:
            _numeric(item, "`in`")
            _numeric(choice, "`in`")
        typed.append(choice)
    return n.Member(item, tuple(typed), n.BOOL, span)


def conditional(condition: n.Expr, then: n.Expr, otherwise: n.Expr, span: Span | None = None) -> n.Expr:
    _boolean(condition, "the condition of `if`")
    if isinstance(then.type, n.CategoryType) and isinstance(otherwise.type, n.CategoryType):
        values = tuple(dict.fromkeys((*then.type.values, *otherwise.type.values)))
        return n.If(condition, then, otherwise, n.CategoryType(values), span)
    for branch in (then, otherwise):
        _numeric(branch, "a branch of `if`", "both branches are numbers, or both strings")
    return n.If(condition, then, otherwise, _widest(then, otherwise), span)


def index(order: n.Expr, position: n.Expr, span: Span | None = None) -> n.Expr:
    """`order[position]`: an Integer when the items are integers, else a Category of the items."""
    if not isinstance(order, n.Name) or not isinstance(order.type, n.OrderType):
        raise ExpressionError(f"only an order (a permutation) can be indexed, not {_a(order)}", order.span)
    _integral(position, "an index")
    items = order.type.items
    if isinstance(position, n.Constant) and not 0 <= int(position.value) < len(items):
        raise ExpressionError(
            f"position {position.value} is outside `{order.name}`",
            position.span,
            f"positions are 0 to {len(items) - 1}",
        )
    return n.Index(order, position, item_type(order.type), span)


def item_type(order: n.OrderType) -> n.Type:
    return (
        n.INTEGER
        if all(isinstance(i, int) for i in order.items)
        else n.CategoryType(tuple(str(i) for i in order.items))
    )


def call(function: str, arguments: Sequence[n.Expr], span: Span | None = None, name_span: Span | None = None) -> n.Expr:
    """A function applied; wrong arity and unknown functions are diagnostics."""
    if function not in FUNCTIONS:
        hint = spelling_hint(function, FUNCTIONS, f"functions: {', '.join(FUNCTIONS)}")
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
    return n.Call(function, tuple(arguments), _result(function, arguments), span)


def _result(function: str, arguments: Sequence[n.Expr]) -> n.Type:
    if function in ("sqrt", "exp", "log", "log2"):
        return n.REAL
    if function in ("ceil", "floor", "round"):
        return n.INTEGER
    return n.BOOL if function == "ispow2" else _arithmetic(*arguments)


def _position(order: n.Expr, item: n.Expr, span: Span | None) -> n.Expr:
    if not isinstance(order, n.Name) or not isinstance(order.type, n.OrderType):
        raise ExpressionError(f"the first argument of `pos` must be an order, not {_a(order)}", order.span)
    items = item_type(order.type)
    if isinstance(items, n.CategoryType):
        if not isinstance(item.type, n.CategoryType):
            raise ExpressionError(f"`{order.name}` orders strings, not {_a(item)}", item.span, _listed(items.values))
        item = _retyped(item, items)
    else:
        _integral(item, f"an item of `{order.name}`")
        if isinstance(item, n.Constant) and int(item.value) not in order.type.items:
            raise ExpressionError(
                f"{item.value} is not an item of `{order.name}`", item.span, _listed(order.type.items)
            )
    return n.Call("pos", (order, item), n.INTEGER, span)


def _widest(*operands: n.Expr) -> n.Type:
    if any(isinstance(operand.type, n.RealType) for operand in operands):
        return n.REAL
    return n.BOOL if all(isinstance(operand.type, n.BoolType) for operand in operands) else n.INTEGER


def _arithmetic(*operands: n.Expr) -> n.Type:
    return n.REAL if any(isinstance(operand.type, n.RealType) for operand in operands) else n.INTEGER


def _same_category(left: n.Expr, right: n.Expr) -> tuple[n.Expr, n.Expr]:
    for side, other in ((left, right), (right, left)):
        if not isinstance(side.type, n.CategoryType):
            raise ExpressionError(f"{_a(side)} and {_a(other)} cannot be compared", side.span)
    if isinstance(right, n.Constant) and not isinstance(left, n.Constant):
        assert isinstance(left.type, n.CategoryType)
        return left, _retyped(right, left.type)
    if isinstance(left, n.Constant) and not isinstance(right, n.Constant):
        assert isinstance(right.type, n.CategoryType)
        return _retyped(left, right.type), right
    return left, right


def _retyped(e: n.Expr, category: n.CategoryType) -> n.Expr:
    """A string constant as one of `category`, or a diagnostic; other expressions as they are."""
    if not isinstance(e, n.Constant) or e.type == category:
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


def _a(e: n.Expr) -> str:
    return f"{'an' if isinstance(e.type, (n.IntegerType, n.OrderType)) else 'a'} {e.type}"


def _numeric(e: n.Expr, where: str, hint: str | None = None) -> n.Expr:
    if isinstance(e.type, NUMERIC):
        return e
    if hint is None:
        hint = (
            "strings compare with ==, != and in"
            if isinstance(e.type, n.CategoryType)
            else "use order[i] or pos(order, item)"
        )
    raise ExpressionError(f"{where} needs a number, got {_a(e)}", e.span, hint)


def _integral(e: n.Expr, where: str) -> n.Expr:
    if isinstance(e.type, (n.BoolType, n.IntegerType)):
        return e
    hint = "floor, ceil and round give an Integer" if isinstance(e.type, n.RealType) else None
    raise ExpressionError(f"{where} needs an Integer, got {_a(e)}", e.span, hint)


def _boolean(e: n.Expr, where: str, needs: str = "needs a Bool") -> n.Expr:
    if isinstance(e.type, n.BoolType):
        return e
    hint = "compare it with something, as in `x != 0`" if isinstance(e.type, NUMERIC) else None
    raise ExpressionError(
        f"{'`' + where + '`' if where in ('and', 'or', 'not') else where} {needs}, got {_a(e)}", e.span, hint
    )
