"""`tunepass prune`: what limits leave of a source's space, and why it is no more."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from tunepass.commands.executors import opened_executor
from tunepass.commands.space import count
from tunepass.commands.targets import kernel_name, source_of, target_of, words_of
from tunepass.diagnostics import Span, TunepassError
from tunepass.executors.base import executor
from tunepass.jobs.pruned_files import format_of, write_pruned
from tunepass.jobs.pruning import Prunable, prunable
from tunepass.jobs.tables import number
from tunepass.pruning.base import Count, Limit, solver
from tunepass.pruning.extents import Extent, extents
from tunepass.pruning.proof import Proof, prove
from tunepass.pruning.prune import PruningResult, prune
from tunepass.reports.answer import Answer, Json, Status, plain, table
from tunepass.search.result import assignment
from tunepass.search.stop import Stop, stoppable
from tunepass.space.activity import canonical_constraints
from tunepass.space.columns import Mask
from tunepass.space.configuration import shown
from tunepass.space.parameter import Integer, Parameter
from tunepass.spread import Spread

MOST_VALUES = 12  # of a parameter, or runs of them, that are told one by one
MOST_LISTED = 100_000  # values of a parameter in the answer for programs
EXPECTED = "note: that a design fits {device} is only expected, a tool decides: it limits nothing here, --limit does"


def run(options: argparse.Namespace) -> Answer:
    outputs = _outputs(options)
    given = prunable(source_of(options), kernel_name(options), target_of(options), options.limit, words_of(options))
    with (
        stoppable(options.budget) as stop,
        opened_executor(options, options.jobs) as chosen_executor,
        executor(chosen_executor, options.jobs).workers() as spread,
    ):
        chosen = solver(options.solver, spread)
        constraints = canonical_constraints(given.kernel.parameters, given.kernel.constraints)
        pruned = prune(given.kernel.parameters, constraints, given.limits, chosen, stop=stop)
        proof = _proved(given, pruned, stop, spread) if options.prove else None
        for path, form in outputs:
            write_pruned(pruned, given.limits, path, form, given.title, spread)
        spans = extents(given.costs.values, pruned.remaining, given.limits)
    notes = [warning.render() for warning in given.parsed.warnings]
    if given.expected:
        notes.append(EXPECTED.format(device=given.device))
    lines = [
        *_lines(given, pruned),
        *_extent_lines(spans, given.costs.units),
        *(_proof_lines(proof) if proof else ()),
        *(f"  wrote   {p}" for p, _ in outputs),
    ]
    data = {
        **_data(given, pruned),
        "resources": _extent_data(spans, given.costs.units),
        "proof": _proof_data(proof),
        "outputs": [str(path) for path, _ in outputs],
    }
    status = Status.INTERRUPTED if stop.stop_signal else _status(pruned, proof)
    return Answer("\n".join(lines), data, status, tuple(notes))


def _status(pruned: PruningResult, proof: Proof | None) -> Status:
    if not pruned.left.high or (proof is not None and proof.refuted is not None):
        return Status.WRONG
    return Status.DONE if proof is None or proof.proved else Status.UNSETTLED


def _outputs(options: argparse.Namespace) -> list[tuple[Path, str]]:
    """The files to write, each with its format."""
    if options.form and not options.output:
        raise TunepassError("--as names the format of the file that -o names", hint="add -o FILE")
    files = [(Path(options.output), format_of(Path(options.output), options.form))] if options.output else []
    return [*files, (Path(options.smt2), "smt2")] if options.smt2 else files


def _proved(given: Prunable, pruned: PruningResult, stop: Stop, spread: Spread) -> Proof:
    conditions = [*pruned.constraints, *(limit.constraint for limit in given.limits)]
    return prove(pruned.parameters, conditions, pruned.remaining, stop=stop, spread=spread)


def _proof_lines(proof: Proof) -> Iterator[str]:
    if proof.refuted is not None:
        where = "is in the answer and breaks a limit" if proof.inside else "meets every limit and is not in the answer"
        yield f"  Z3      refutes it: {assignment(proof.refuted)} {where}"
    elif proof.bounded:
        yield "  Z3      was not asked: what is left is bounded, not known"
    elif proof.open:
        amount = f"{count(proof.open_volume)} configurations, in {proof.open} boxes"
        yield f"  Z3      did not settle {amount}; the others are proved"
    else:
        yield f"  proved  by Z3 in {proof.questions} questions: nothing in it breaks a limit, nothing else fits"
        if proof.rounded:
            yield f"          {proof.rounded} of them are within rounding of a limit, and decided as computed"


def _proof_data(proof: Proof | None) -> Json:
    if proof is None:
        return None
    refuted = None if proof.refuted is None else {name: plain(value) for name, value in proof.refuted.items()}
    counts = {"proved": proof.proved, "questions": proof.questions, "rounded": proof.rounded, "open": proof.open_volume}
    return {**counts, "refuted": refuted, "inside": proof.inside if refuted else None}


def _lines(given: Prunable, pruned: PruningResult) -> Iterator[str]:
    before = pruned.before.high
    yield given.title
    yield f"  {count(pruned.dense)} configurations"
    if before < pruned.dense:
        yield f"  {_counted(pruned.before)} of them meet the source's constraints"
    if pruned.effects:
        rows = [("limit", "by", "alone leaves", "the others leave")]
        for e in pruned.effects:
            limit = e.limit
            rows.append((limit.constraint.text, limit.origin, _share(e.alone, before), _share(e.without, before)))
        yield table(rows, indent="  ")
    yield f"  left    {_share(pruned.left, before)}"
    if pruned.binding is not None:
        yield f"  binds   {pruned.binding.constraint.text}"
    if not pruned.left.high:
        yield "  nothing is left: no configuration meets these together"
        for c in pruned.conflict:
            yield f"    {c.text}{_place(c.span)}"
        return
    masks = pruned.remaining.kept()
    values = [("parameter", "left", "")]
    values += [(p.name, _values(p, masks[p.name]), _of(masks[p.name])) for p in pruned.parameters if p.name in masks]
    yield table(values, indent="  ")


def _extent_lines(spans: Mapping[str, Extent], units: Mapping[str, str]) -> Iterator[str]:
    """What each resource comes to over what is left; what only bounds are known of has `>=` and `<=`."""
    if not spans:
        return
    rows = [("resource", "least", "most", "")]
    for name, span in spans.items():
        low, high = number(span.low), number(span.high)
        rows.append(
            (name, low if span.exact else f">= {low}", high if span.exact else f"<= {high}", units.get(name, ""))
        )
    yield table(rows, indent="  ")


def _extent_data(spans: Mapping[str, Extent], units: Mapping[str, str]) -> Json:
    return {
        name: {"least": plain(span.low), "most": plain(span.high), "exact": span.exact, "unit": units.get(name, "")}
        for name, span in spans.items()
    }


def _counted(number: Count) -> str:
    return count(number.low) if number.exact else f"{count(number.low)} to {count(number.high)}"


def _share(number: Count, total: int) -> str:
    """A count and its share of what there was."""
    if number.exact:
        return f"{count(number.low)} ({number.low / total:.1%})" if total else count(number.low)
    return f"{_counted(number)} ({number.low / total:.1%} to {number.high / total:.1%})"


def _place(span: Span | None) -> str:
    return f"  {span}" if span is not None else ""


def _values(parameter: Parameter, mask: Mask) -> str:
    """The values that are left, neighbours in a range of integers as a range."""
    places = np.flatnonzero(mask).tolist()
    domain = parameter.domain
    if not isinstance(parameter, Integer) or len(places) <= 3:
        values = [shown(domain[place]) for place in places]
    else:
        ends = np.flatnonzero(np.diff(places) > 1).tolist()
        runs = zip([0, *(e + 1 for e in ends)], [*ends, len(places) - 1])
        values = [f"{domain[places[a]]}..{domain[places[b]]}" if b > a else f"{domain[places[a]]}" for a, b in runs]
    return (
        ", ".join(values)
        if len(values) <= MOST_VALUES
        else f"{', '.join(values[: MOST_VALUES - 1])}, ..., {values[-1]}"
    )


def _of(mask: Mask) -> str:
    left = int(mask.sum())
    return f"{left:,} of {len(mask):,}" if left < len(mask) else ""


def _data(given: Prunable, pruned: PruningResult) -> Mapping[str, Json]:
    masks = pruned.remaining.kept()
    binding = pruned.binding
    return {
        "source": given.kernel.source.name,
        "kernel": given.kernel.name,
        "device": given.device,
        "dense": pruned.dense,
        "before": _number(pruned.before),
        "left": _number(pruned.left),
        "limits": [
            {**_limit(e.limit), "alone": _number(e.alone), "without": _number(e.without)} for e in pruned.effects
        ],
        "binds": None if binding is None else binding.constraint.text,
        "conflict": [c.text for c in pruned.conflict],
        "parameters": {
            p.name: [plain(p.domain[place]) for place in np.flatnonzero(masks[p.name])[:MOST_LISTED].tolist()]
            for p in pruned.parameters
            if p.name in masks
        },
    }


def _limit(limit: Limit) -> dict[str, Json]:
    side = "least" if limit.at_least else "most"
    return {"resource": limit.resource, side: limit.bound, "unit": limit.unit, "by": limit.origin}


def _number(number: Count) -> Json:
    """One number, or the two that it lies between."""
    return number.low if number.exact else [number.low, number.high]
