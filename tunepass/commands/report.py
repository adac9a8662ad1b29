"""`tunepass report`: a picture (.svg) or a page with every trial (.html) of a source's search or a store's studies."""

from __future__ import annotations

import argparse
from pathlib import Path

from tunepass.commands.answers.build import transferred
from tunepass.commands.answers.store import is_store, report_of_store
from tunepass.commands.explain import importance_of
from tunepass.diagnostics import TunepassError
from tunepass.files import printable, write_text
from tunepass.jobs.past import Past, past_searches
from tunepass.reports.answer import Answer
from tunepass.reports.convergence import convergence_svg
from tunepass.reports.page import page, section
from tunepass.reports.rounds import drawings, rounds_svg
from tunepass.reports.thinning import PAGE_BYTES
from tunepass.search.result import differing, failed_sentence
from tunepass.study.lock.lock import LockedObjective
from tunepass.study.results.trial_columns import collecting_later
from tunepass.study.storage.location import StoreLocation


@collecting_later()
def run(options: argparse.Namespace) -> Answer:
    path = Path(options.output)
    if path.suffix not in (".svg", ".html"):
        raise TunepassError(f"a report is written to FILE.html or FILE.svg, got {options.output!r}")
    if is_store(options.source):
        return report_of_store(StoreLocation.named(options.source), options.study, path)
    if options.study is not None:
        raise TunepassError("--study names a study of a store", hint="name the store in place of the source")
    pasts = past_searches(options.source, options.kernel, options.store)
    if path.suffix == ".svg":
        if len(pasts) > 1:
            names = ", ".join(past.job.kernel.name for past in pasts)
            raise TunepassError(f"{options.source} has several kernels: {names}", hint="name one with --kernel")
        past = pasts[0]
        text = convergence_svg(past.history.trials, past.job.objective, past.job.key)
    else:
        most_bytes = PAGE_BYTES // len(pasts)
        text = page(f"tunepass: {options.source}", [_section(past, most_bytes) for past in pasts])
    write_text(path, printable(text))
    return Answer(f"wrote {path}", {"output": str(path)})


def _section(past: Past, most_bytes: int) -> str:
    history = past.history
    return section(
        past.job.key, history.trials, history.objectives, past.choice, _facts(past), _rounds(past), most_bytes
    )


def _facts(past: Past) -> dict[str, str]:
    """The choice, what it gained, with which compiler, what decides and what the search began from, where known."""
    facts = {"choice": differing(past.choice, past.job.space.default) if past.choice else "nothing was measured"}
    entry = past.job.entry
    if entry is not None and past.choice == entry.choice:
        facts["gain"] = _gain(entry.objective)
        facts["compiler"] = " ".join([entry.identity.compiler, *entry.identity.flags])
    if failed := failed_sentence(past.history.trials, past.job.space.default):
        facts["failures"] = failed
    if past.checks:
        facts["checks"] = "; ".join(line.strip() for line in past.checks.lines()).replace(":; ", ": ")
    if notes := past.job.kernel.uncompared_results:
        facts["results"] = "; ".join(notes)
    if decisive := importance_of(past):
        facts["what decides"] = ", ".join(f"{name} {share:.2f}" for name, share in decisive.items())
    if past.history.origin:
        facts["transfer"] = transferred(past.history.origin)[0].strip().removeprefix("transfer").strip()
    return facts


def _gain(objective: LockedObjective) -> str:
    """`time: 2.31x (2.22 to 2.40), 4.1 -> 1.77 ms`, as far as it is known."""
    if objective.gain is None or objective.default is None:
        return f"{objective.name}: {objective.chosen:.4g} {objective.unit}".rstrip() + "; the default fails"
    low, high = objective.interval or (None, None)
    interval = f" ({low:.2f} to {high:.2f})" if low is not None and high is not None else ""
    values = f"{objective.default:.4g} -> {objective.chosen:.4g} {objective.unit}".rstrip()
    return f"{objective.name}: {objective.gain:.2f}x{interval}, {values}"


def _rounds(past: Past) -> list[str]:
    """A picture of the finalists' rounds, if there were any."""
    comparison = past.history.comparison
    objective = next((o for o in past.history.objectives if comparison and o.name == comparison.objective), None)
    if comparison is None or objective is None:
        return []
    title = f"{past.job.key}: finalists, in {comparison.rounds} rounds with the default"
    return [rounds_svg(drawings(comparison, objective), title)]
