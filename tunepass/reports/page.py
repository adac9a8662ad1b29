"""A search as one self-contained HTML page: the convergence picture and its trials. No script, nothing fetched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import chain

from tunepass.reports.axis import short
from tunepass.reports.convergence import convergence_svg
from tunepass.reports.thinning import PAGE_BYTES, listing_order
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Infeasible, Measured
from tunepass.study.results.trial_columns import configurations
from tunepass.study.trial import Trial

STYLE = """\
:root { color-scheme: light dark } body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 70em;
padding: 0 1em } table { border-collapse: collapse; font-size: 13px } td, th { padding: .2em .7em; text-align: left;
border-bottom: 1px solid #8884; vertical-align: top } td.number { text-align: right } .wide { overflow-x: auto }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2em 1em } dd { margin: 0 }
tr.chosen { background: #f9731630 } pre { margin: 0; white-space: pre-wrap; max-width: 60em } svg { max-width: 100% }"""


def page(title: str, sections: Sequence[str]) -> str:
    """The whole page around its sections."""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>\n<body>\n'
        + "\n".join(sections)
        + "\n</body></html>\n"
    )


def section(
    title: str,
    trials: Sequence[Trial],
    objectives: Sequence[Objective],
    choice: Configuration | None,
    facts: Mapping[str, str],
    further: Sequence[str] = (),
    most_bytes: int = PAGE_BYTES,
) -> str:
    """One kernel: its facts by name, the picture of each objective, `further` ones, the table of trials, which has as
    many rows as fit into `most_bytes`."""
    pictures = [convergence_svg(trials, objective, f"{title}: {objective.name}") for objective in objectives]
    listed = "".join(f"<dt>{escape(name)}</dt><dd>{escape(fact)}</dd>" for name, fact in facts.items())
    return "\n".join(
        [
            f"<h1>{escape(title)}</h1>",
            f"<dl>{listed}</dl>",
            *pictures,
            *further,
            *_table(trials, objectives, choice, most_bytes),
        ]
    )


def _table(
    trials: Sequence[Trial], objectives: Sequence[Objective], choice: Configuration | None, most_bytes: int
) -> Iterator[str]:
    known = configurations(trials)
    names = list(dict.fromkeys(chain.from_iterable(dict.fromkeys(map(tuple, known)))))
    units = [f"{o.name} [{o.unit}]" if o.unit else o.name for o in objectives]
    heads = "".join(f"<th>{escape(head)}</th>" for head in ("trial", *names, *units, "seconds", "failure"))
    rows = dict[int, str]()
    for i in listing_order(trials, objectives, choice):
        rows[i] = _row(trials[i], names, objectives, chosen=known[i] == choice)
        most_bytes -= len(rows[i].encode("utf-8", "replace"))
        if most_bytes < 0:
            break
    if len(rows) < len(trials):
        amount = f"{len(rows):,} of {len(trials):,} trials are listed"
        yield f"<p>{amount}: the choice, the improvements of the best, and others evenly.</p>"
    yield f'<div class="wide"><table><tr>{heads}</tr>'
    yield from (rows[i] for i in sorted(rows))
    yield "</table></div>"


def _row(trial: Trial, names: Sequence[str], objectives: Sequence[Objective], *, chosen: bool) -> str:
    values = trial.outcome.values if isinstance(trial.outcome, Measured) else {}
    cells = [str(trial.number + 1), *(_cell(trial, name) for name in names)]
    cells += [short(values[o.name]) if o.name in values else "" for o in objectives]
    cells.append(f"{sum(trial.seconds.values()):.2f}")
    text = "".join(f'<td class="number">{escape(cell)}</td>' for cell in cells)
    mark = ' class="chosen"' if chosen else ""
    return f"<tr{mark}>{text}<td>{_failure(trial)}</td></tr>"


def _cell(trial: Trial, name: str) -> str:
    value = trial.configuration.get(name, "")  # an inactive parameter has none
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _failure(trial: Trial) -> str:
    match trial.outcome:
        case Failed(stage, log):
            return f"<details><summary>{escape(stage)}</summary><pre>{escape(log or trial.log)}</pre></details>"
        case Infeasible(constraint):
            return f"infeasible: {escape(constraint)}"
        case Measured(censored=True):
            return "cut short"
        case _:
            return "" if trial.same_as is None else f"same code as trial {trial.same_as + 1}"
