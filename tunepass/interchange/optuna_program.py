"""A define-by-run program of Optuna: Python that asks a trial for the active parameters and no others."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.diagnostics import SpaceError
from tunepass.expr import nodes
from tunepass.interchange.search_spaces import listed
from tunepass.space.activity import Activity
from tunepass.space.parameter import Integer, Parameter, Real


def optuna_program(parameters: Sequence[Parameter], title: str, activity: Activity | None = None) -> str:
    """`suggest(trial)` returns the values of the active parameters by name. `activity` has the conditions of the
    parameters before values were left out."""
    activity = activity or Activity(parameters)
    places = {name: place for place, name in enumerate(activity.whole)}
    lines = [f"# {title}", "", "", "def suggest(trial):", "    v = {}"]
    for p in sorted(parameters, key=lambda p: places.get(p.name, -1)):
        assignment = f"v[{p.name!r}] = {_suggestion(p)}"
        if p.name not in activity.whole:
            lines.append(f"    {assignment}")
            continue
        lines += [f"    if {_python(activity.whole[p.name], activity, p.name)}:", f"        {assignment}"]
    return "\n".join([*lines, "    return v", ""])


def _suggestion(p: Parameter) -> str:
    match p:
        case Real(step=None):
            return f"trial.suggest_float({p.name!r}, {p.lo!r}, {p.hi!r}, log={p.log})"
        case Real(log=False):
            return f"trial.suggest_float({p.name!r}, {p.lo!r}, {p.hi!r}, step={p.step!r})"
        case Integer(log=False):
            return f"trial.suggest_int({p.name!r}, {p.lo}, {p.hi}, step={p.step})"
        case Integer(step=1):
            return f"trial.suggest_int({p.name!r}, {p.lo}, {p.hi}, log=True)"
    return f"trial.suggest_categorical({p.name!r}, {listed(p)!r})"


def _python(e: nodes.Expr, activity: Activity, child: str) -> str:
    """The condition in Python, whose `and` and `or` read no more than tunepass does."""

    def operand(part: nodes.Expr) -> str:
        return _python(part, activity, child)

    match e:
        case nodes.Constant(value=value):
            return repr(value)
        case nodes.Name(name=name, type=nodes.CategoryType()):
            return f"str(v[{name!r}])"
        case nodes.Name(name=name) if not isinstance(e.type, nodes.OrderType):
            return f"v[{name!r}]"
        case nodes.Unary(op=op):
            return f"({op} {operand(e.operand)})"
        case nodes.Binary(op=op):
            return f"({operand(e.left)} {op} {operand(e.right)})"
        case nodes.Logical(op=op):
            return f"({f' {op} '.join(map(operand, e.operands))})"
        case nodes.Compare(ops=ops):
            first, *others = map(operand, e.operands)
            return f"({first}{''.join(f' {op} {other}' for op, other in zip(ops, others))})"
        case nodes.Member(choices=choices):
            return f"({operand(e.item)} in ({''.join(f'{operand(choice)}, ' for choice in choices)}))"
    when = activity.conditions[child]
    raise SpaceError(
        f"this condition is not written as Python: {child} is active only when {when}",
        when.span,
        "functions, `if` and items of orders have no Python here",
    )
