"""Pareto fronts as text, data, tables and pictures; certificates in words."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from typing import TextIO

from tunepass.exact.base import Certificate
from tunepass.hwmodels.base import Costs
from tunepass.jobs.tables import EXTRAPOLATED, configuration_cells, number, parameter_names, tidy
from tunepass.reports.answer import Json, plain, table
from tunepass.search.picks import picked_of, possible
from tunepass.search.result import value_of
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.trial import Trial

MOST_ROWS = 16  # of a front on the terminal
HEARTBEAT_S = 2.0


def front_table(front: Sequence[Trial], objectives: Sequence[Objective], beyond: Collection[Configuration] = ()) -> str:
    """At most sixteen points, spread evenly, among them what can be picked; `beyond` are extrapolations."""
    named: dict[int, list[str]] = {}
    for pick in possible(objectives):
        named.setdefault(picked_of(pick, front, objectives).number, []).append(pick)
    listed_numbers = set(named)
    for k in range(MOST_ROWS):
        if len(listed_numbers) < MOST_ROWS:
            listed_numbers.add(front[round(k * (len(front) - 1) / max(1, MOST_ROWS - 1))].number)
    names = parameter_names([trial.configuration for trial in front])
    rows = [("", *(o.name for o in objectives), *names, *([EXTRAPOLATED] if beyond else []))]
    for trial in front:
        if trial.number in listed_numbers:
            values = (number(value_of(trial, o) or 0.0) for o in objectives)
            flag = ["yes" if trial.configuration in beyond else ""] if beyond else []
            cells = (*values, *configuration_cells(trial.configuration, names), *flag)
            rows.append((" ".join(named.get(trial.number, [])), *cells))
    text = table(rows, indent="  ")
    hidden = len(front) - (len(rows) - 1)
    return f"{text}\n  ... and {hidden:,} more between them" if hidden else text


def front_data(front: Sequence[Trial], objectives: Sequence[Objective], beyond: Collection[Configuration] = ()) -> Json:
    """The points; those in `beyond` are `extrapolated`."""
    return [
        {
            "choice": {name: plain(value) for name, value in trial.configuration.items()},
            "objectives": {o.name: tidy(value_of(trial, o) or 0.0) for o in objectives},
            **({EXTRAPOLATED: True} if trial.configuration in beyond else {}),
        }
        for trial in front
    ]


def unit_of(objective: Objective, costs: Costs | None) -> str:
    """The unit for a program that reads; texts leave out one that is the objective's own name, such as cycles."""
    return objective.unit or (costs.units.get(objective.name, "") if costs is not None else "")


def certificate_lines(certificate: Certificate, gap: float | None, *, within_fit: bool = False) -> list[str]:
    """What was done to every configuration, and what that proves; `within_fit`: of what the model was fitted to."""
    rows = [
        ("evaluated", certificate.evaluated),
        ("left out: cannot be better", certificate.bounded),
        ("left out: cannot be used", certificate.infeasible),
        ("not looked at", certificate.open),
    ]
    lines = [f"  {certificate.points:,} configurations, in {certificate.boxes:,} boxes"]
    lines += [
        f"    {name:<28}{_share(count, certificate.points):>8}  {count:,}"
        for name, count in rows
        if count or name == "evaluated"
    ]
    if certificate.exact:
        where = "among what the model was fitted to (--extrapolate takes the rest in)" if within_fit else "anywhere"
        lines.append(f"  the front is exact: nothing that fits is better than it {where}")
    elif gap is not None and gap < float("inf"):
        lines.append(f"  stopped early: what was not looked at is at most {gap:.2%} better than this front")
    else:
        lines.append("  stopped early: how much better the rest could be is not known")
    return lines


def certificate_data(certificate: Certificate, gap: float | None) -> Json:
    return {
        "exact": certificate.exact,
        "points": certificate.points,
        "evaluated": certificate.evaluated,
        "bounded": certificate.bounded,
        "infeasible": certificate.infeasible,
        "open": certificate.open,
        "boxes": certificate.boxes,
        "gap": gap if gap is not None and gap < float("inf") else None,
    }


def _share(count: int, points: int) -> str:
    return f"{100 * (count / points):.3g}%"


def front_watch(
    title: str, stream: TextIO, clock: Callable[[], float] = time.monotonic
) -> Callable[[Certificate], None]:
    """A line about a running exact search every two seconds."""
    reported_at = clock()

    def watch(certificate: Certificate) -> None:
        nonlocal reported_at
        if clock() - reported_at < HEARTBEAT_S:
            return
        reported_at = clock()
        c = certificate
        stream.write(
            f"{title}: {c.found:,} on the front, {c.evaluated:,} evaluated, "
            f"{_share(c.open, c.points)} of the space open\n"
        )
        stream.flush()

    return watch
