"""The limits of a kernel: those of its device, those that its source states, and those that are given in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tunepass.backends.base import Starts, Target
from tunepass.diagnostics import Source, SourceError, Span, nearest, spelling_hint
from tunepass.expr import algebra
from tunepass.expr.nodes import CategoryType, Compare, Constant, Expr, Name, OrderType
from tunepass.expr.printer import to_text
from tunepass.expr.sharing import Sharing
from tunepass.frontends.base import Parsed
from tunepass.frontends.params.tokens import Cursor
from tunepass.frontends.params.units import BYTES, NUMBERS, SECONDS, amount
from tunepass.hwmodels.base import Costs
from tunepass.ir.kernel import Kernel
from tunepass.jobs.estimates import estimator_of
from tunepass.pruning.base import Limit
from tunepass.pruning.pruned_space import PrunedSpace
from tunepass.space.constraint import Constraint
from tunepass.space.feasible.diagram.terms import conjuncts
from tunepass.space.parameter import Parameter

GIVEN = "--limit"
SIGNS = {"=": "<=", "<=": "<=", ">=": ">="}  # what may stand in a limit that is given in words
LONGEST = 60  # characters of a condition that stands for a resource without a name
SIZES: Mapping[str, float] = {**BYTES, **NUMBERS}
UNITS_OF: Mapping[str, Mapping[str, float]] = dict.fromkeys(BYTES, SIZES) | dict.fromkeys(SECONDS, SECONDS)


@dataclass(frozen=True, slots=True)
class Prunable:
    """A kernel's parameters and constraints, and what limits there are on it. `expected`: what the device holds is only
    expected to be enough or not, and forbids nothing."""

    kernel: Kernel
    device: str
    limits: tuple[Limit, ...]
    costs: Costs
    expected: bool
    parsed: Parsed

    @property
    def title(self) -> str:
        return f"{self.kernel.source.name}::{self.kernel.name}" + (f" on {self.device}" if self.device else "")


def prunable(
    given: str | Source, kernel: str | None, target: Target, texts: Sequence[str], words: Sequence[str] | None = None
) -> Prunable:
    """The one kernel of a source, or the one called so, with its limits and those in `texts`: `memory=16GB`."""
    model, parsed = estimator_of(given, kernel, target, words)
    costs, parameters = model.costs, model.kernel.parameters
    limits = (*stated_limits(costs, model.backend.device), *(given_limit(text, costs, parameters) for text in texts))
    return Prunable(model.kernel, model.backend.device, limits, costs, costs.expected and bool(costs.limits), parsed)


def pruned_space(
    source: str | Path, *, device: str | None = None, limits: Sequence[str] = (), kernel: str | None = None
) -> PrunedSpace:
    """The configurations of a priced source that fit a device and meet limits; nothing is run.

    Args:
        source: the path of a source that a hardware model prices, such as a deep-learning model.
        device: a device's name.
        limits: bounds in words: `memory=16GB`, `time <= 20 ms`, `batch >= 32`.
        kernel: the name of one of several kernels.

    Returns:
        The pruned space.

    Raises:
        SourceError: the source or a limit is wrong, with its place.
        SpaceError: nothing is left; the message names the conditions that conflict.

    Example:
        >>> pruned = tp.pruned_space("samples/dnn/mnist_keras.py", device="phone", limits=["flops=60M"])
        >>> pruned.space.size < pruned.space.dense
        True
    """
    given = prunable(str(source), kernel, Target(device=device, starts=Starts.NOTHING), limits)
    return PrunedSpace(given.kernel.parameters, given.kernel.constraints, given.limits)


def stated_limits(costs: Costs, device: str) -> Iterator[Limit]:
    """Conditions for a configuration to fit, each as a limit on a resource."""
    sharing = Sharing()
    names = {id(sharing.shared(value)): name for name, value in costs.values.items()}
    for part in () if costs.expected else conjuncts(costs.fits):
        match part:
            case Constant(True):
                continue
            case Compare((value, Constant(int() | float() as bound)), ("<=",)) if id(sharing.shared(value)) in names:
                name = names[id(sharing.shared(value))]
            case _:
                text = to_text(part)
                name, value, bound = text if len(text) <= LONGEST else f"{text[:LONGEST]}...", _truth(part), True
        of_device = costs.limits.get(name) == bound and part.span is None
        text = part.span.text if part.span else f"{name} <= {bound:,}"
        constraint = Constraint(part, text, part.span, derived=True)
        unit = costs.units.get(name, "")
        yield Limit(name, value, bound, unit, device if of_device else "the source", constraint, bound is True)


def _truth(e: Expr) -> Expr:
    return algebra.where(e, 1, 0)


def given_limit(text: str, costs: Costs, parameters: Sequence[Parameter]) -> Limit:
    """A limit in words: `memory=16GB`, `time <= 20 ms`, `batch >= 32`. SourceError for what is none, at its place."""
    source = Source(GIVEN, text)
    cursor = Cursor(source, text, 0, unit="limit")
    resource = cursor.name("a resource", "write --limit memory=16GB")
    sign = next((cursor.take().text for sign in SIGNS if cursor.at(sign)), None)
    if sign is None:
        cursor.fail(f"expected `=`, `<=` or `>=` after `{resource.text}`, found {cursor.shown}")
    bound, word = amount(cursor, "a number")
    cursor.finish("the limit")
    counted = (p for p in parameters if not isinstance(p.type, CategoryType | OrderType))
    known: dict[str, Expr] = {p.name: Name(p.name, p.type) for p in counted} | dict(costs.values)
    if resource.text not in known:
        hint = spelling_hint(resource.text, known, f"there are {', '.join(known)}")
        raise SourceError(f"there is no resource `{resource.text}`", cursor.span(resource), hint)
    unit = costs.units.get(resource.text, "")
    _check_unit(resource.text, unit, word, cursor.span(cursor.last), costs)
    if word:
        bound /= UNITS_OF.get(unit, {}).get(unit, 1)
    whole = int(bound) if bound == int(bound) else bound
    value, relation = known[resource.text], SIGNS[sign]
    constraint = Constraint(algebra.compare(value, relation, whole), text, source.span(), derived=True)
    return Limit(resource.text, value, whole, unit, GIVEN, constraint, relation == ">=")


def _check_unit(resource: str, unit: str, word: str, span: Span, costs: Costs) -> None:
    """Seconds limit what is measured in seconds, bytes what is in bytes."""
    usual = UNITS_OF.get(unit, NUMBERS)
    if not word or word in usual:
        return
    kind = "B" if word in BYTES else "s" if word in SECONDS else ""
    others = [name for name, of in costs.units.items() if of == kind and name in costs.values]
    close = nearest(resource, others) or next((name for name in others if name.startswith(resource.rstrip("s"))), None)
    listed = f"in {word} are {', '.join(others)}" if others else None
    hint = f"did you mean `{close}`?" if close else listed
    raise SourceError(f"{resource} is counted in {unit or 'numbers'}, not in {word}", span, hint)
