"""`tunepass report`: the convergence picture (.svg) or a page with it and every trial (.html)."""

from __future__ import annotations

import argparse
from pathlib import Path

from tunepass.commands.answer import Answer
from tunepass.commands.build_answer import transferred
from tunepass.diagnostics import TunepassError
from tunepass.files import printable, write_text
from tunepass.jobs.past import Past, look_back
from tunepass.report.convergence import convergence_svg
from tunepass.report.page import page, section
from tunepass.tuning.result import assignment


def run(options: argparse.Namespace) -> Answer:
    path = Path(options.output)
    if path.suffix not in (".svg", ".html"):
        raise TunepassError(f"a report is written to FILE.html or FILE.svg, got {options.output!r}")
    pasts = look_back(options.source, options.kernel, options.store)
    if path.suffix == ".svg":
        if len(pasts) > 1:
            names = ", ".join(past.job.kernel.name for past in pasts)
            raise TunepassError(f"{options.source} has several kernels: {names}", hint="name one with --kernel")
        past = pasts[0]
        text = convergence_svg(past.history.trials, past.job.objective, past.job.key)
    else:
        text = page(f"tunepass: {options.source}", [_section(past) for past in pasts])
    write_text(path, printable(text))
    return Answer(f"wrote {path}", {"output": str(path)})


def _section(past: Past) -> str:
    chosen = f"choice: {assignment(past.choice)}" if past.choice else "nothing was measured"
    if past.history.origin:
        chosen = f"{chosen}; {transferred(past.history.origin)[0].strip()}"
    return section(past.job.key, past.history.trials, past.history.objectives, past.choice, chosen)
