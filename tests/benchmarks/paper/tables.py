"""The paper's tables and what its figures say, as Markdown, beside what it prints; what was not run is named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from sklearn.ensemble import RandomForestRegressor

from tests.benchmarks.paper import classifier, published
from tests.benchmarks.paper.indicator import Indicator, interval
from tests.benchmarks.paper.problems import OBJECTIVES, Floats, Problem
from tests.benchmarks.paper.runs import Kept, Run
from tunepass.space.features.encoding import Encoding
from tunepass.study.results.pareto import nondominated

CURVE = 60  # points of a curve


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def indicator_of(p: Problem, kept: Kept) -> Indicator | None:
    """None until both of the paper's experiments have run for every seed."""
    runs = [*kept.runs(p, "hypermapper"), *kept.runs(p, "baseline")]
    return Indicator.of(p.front, runs) if len(runs) == 2 * kept.scale.seeds else None


def table4(problems: Sequence[Problem], kept: Kept) -> Iterator[str]:
    """The indicator at the end, and the share of the exact hypervolume on logarithms."""
    kinds = ("hypermapper", "baseline", "auto", "uniform")
    header = ["program", "paper: HyperMapper 2.0", "baseline", *(f"here: {kind}" for kind in kinds), "of"]
    rows, shares, missing = list[list[str]](), list[list[str]](), list[str]()
    for p in problems:
        indicator = indicator_of(p, kept)
        if indicator is None:
            missing.append(p.name)
            continue
        cells, share_cells = list[str](), list[str]()
        for kind in kinds:
            runs = kept.runs(p, kind)
            full = len(runs) == kept.scale.seeds
            cells.append(_interval([indicator.at(r.feasible()) for r in runs]) if full else "not run")
            fit = float(np.mean([r.fits.mean() for r in runs])) if runs else 0.0
            share = _interval([p.share(r.feasible()) for r in runs], 4) if full else ""
            share_cells.append(f"{share}; {len(runs[0].losses):,}, {fit:.1%}" if full else "not run")
        paper = [_pair(*pair) for pair in published.TABLE_IV[p.name]]
        rows.append([p.name, *paper, *cells, f"{indicator.volume:.2f}"])
        shares.append([p.name, *share_cells])
    yield f"table4: indicator at the end, mean ± 80 % confidence of {kept.scale.seeds} repetitions"
    yield markdown(header, rows)
    yield "fig8: share of the exact hypervolume on logarithms; evaluations, and what of them fits"
    yield markdown(["program", *kinds], shares)
    if missing:
        yield f"not run: {', '.join(missing)}"


def crossing(p: Problem, kept: Kept, indicator: Indicator) -> dict[str, int | None]:
    """The evaluations after which the mean indicator of HyperMapper, and of `auto`, is the baseline's at its end or
    less; None where it never is, nothing where it was not run."""
    target = np.mean([indicator.at(r.feasible()) for r in kept.runs(p, "baseline")])
    found: dict[str, int | None] = {}
    for kind in ("hypermapper", "auto"):
        if len(runs := kept.runs(p, kind)) < kept.scale.seeds:
            continue
        counts, mean, _ = curve(runs, indicator)
        reached = np.flatnonzero(mean <= target + 1e-12)
        found[kind] = int(counts[reached[0]]) if len(reached) else None
    return found


def efficiency(problems: Sequence[Problem], kept: Kept) -> Iterator[str]:
    """§IV-E: evaluations to what the baseline reaches at its end."""
    rows = list[list[str]]()
    for p in problems:
        indicator = indicator_of(p, kept)
        if indicator is None:
            continue
        samples = len(kept.runs(p, "baseline")[0].losses)
        paper = published.BASELINE_SAMPLES.get(p.name)
        found = {
            k: "never" if n is None else f"{n:,} ({samples / n:.3g}x)" for k, n in crossing(p, kept, indicator).items()
        }
        ours = [found.get(kind, "not run") for kind in ("hypermapper", "auto")]
        claimed = "" if paper is None else f"12,500 of {paper:,} ({paper / 12_500:.3g}x)"
        rows.append([p.name, f"{samples:,}", claimed, *ours])
    yield "fig8: evaluations until the mean indicator is the baseline's at its end (how many times fewer)"
    yield markdown(["program", "baseline", "paper", "hypermapper", "auto"], rows)


def curve(runs: Sequence[Run], indicator: Indicator) -> tuple[Floats, Floats, Floats]:
    """Counts of evaluations, spread evenly on logarithms; the mean indicator after each, and half its interval."""
    most = min(len(run.losses) for run in runs)
    counts = np.unique(np.geomspace(min(10, most), most, CURVE).astype(int))
    values = np.array([indicator.curve(run, counts.tolist()) for run in runs])
    pairs = [interval(column.tolist()) for column in values.T]
    return counts, np.array([mean for mean, _ in pairs]), np.array([half for _, half in pairs])


def figure5(problems: Sequence[Problem], kept: Kept) -> Iterator[str]:
    scale, names = kept.scale, classifier.settings(kept.scale.trees)
    stages = (scale.active_warm_up, scale.active_warm_up + scale.active_iterations * scale.per_iteration)
    for (title, paper), n in zip(published.FIGURE_5.items(), stages):
        found = {p.name: scores for p in problems if (scores := recalls(p, kept, n)) is not None}
        if not found:
            yield f"fig5, {title}: not run"
            continue
        table = np.array(list(found.values()))  # (programs, 81)
        best, safest = int(table.mean(axis=0).argmax()), int(table.min(axis=0).argmax())
        median = int(np.median(table, axis=0).argmax())
        yield f"fig5, {title} ({n:,} evaluations), {len(found)} of {len(problems)} programs"
        yield markdown(
            ["", "here", "setting", "paper"],
            [
                ["max mean", f"{table[:, best].mean():.3f}", names[best], f"{paper[0]:.3f}"],
                ["max median", f"{np.median(table[:, median]):.3f}", names[median], ""],
                ["max min", f"{table[:, safest].min():.3f}", names[safest], f"{paper[1]:.3f}"],
                ["its mean", f"{table[:, safest].mean():.3f}", "", f"{paper[2]:.3f}"],
                ["mean of the settings", f"{table.mean():.3f}", "", ""],
            ],
        )
        rows = [[name, f"{s.min():.3f}", f"{s.mean():.3f}", f"{s.max():.3f}"] for name, s in found.items()]
        yield markdown(["program", "worst setting", "mean", "best setting"], rows)


def recalls(p: Problem, kept: Kept, n: int) -> Floats | None:
    """(81,), after n evaluations of the first seed."""
    run = kept.run(p, "active", 0)
    if run is None:
        return None
    return classifier.recalls(run.rows[:n], run.fits[:n], kept.scale.trees, kept.folder, kept.may_run)


def figure6(p: Problem, kept: Kept) -> Iterator[str]:
    scale, indicator = kept.scale, indicator_of(p, kept)
    last = scale.active_warm_up + scale.few_iterations * scale.per_iteration
    pairs = list(zip(kept.runs(p, "active"), kept.runs(p, "unfiltered")))
    if len(pairs) < scale.seeds or indicator is None:
        yield "fig6: not run"
        return
    rows = list[list[str]]()
    for title, i in (("with the classifier", 0), ("without (HyperMapper 1.0)", 1)):
        runs = [pair[i] for pair in pairs]
        chosen = [float(r.fits[scale.active_warm_up : last].mean()) for r in runs]
        ends = [indicator.at(r.feasible(last)) for r in runs]
        shares = [p.share(r.feasible(last)) for r in runs]
        beaten = [_beaten(pair[i].feasible(last), pair[1 - i].feasible(last)) for pair in pairs]
        rows.append([title, _interval(chosen), _interval(ends), _interval(shares, 4), _interval(beaten)])
    sizes = f"{scale.active_warm_up:,} draws and {scale.few_iterations} iterations"
    yield f"fig6: {p.name}, {sizes}, {scale.seeds} repetitions"
    yield markdown(
        ["", "chosen that fit", "indicator", "share on logarithms", "of its front, beaten by the other's"], rows
    )


def _beaten(own: Floats, other: Floats) -> float:
    """The share of the front of `own` that a point of `other` dominates."""
    front = own[nondominated(own)]
    both = np.concatenate([front, other[nondominated(other)]])
    return float(1 - nondominated(both)[: len(front)].mean())


def figure7(problems: Sequence[Problem], kept: Kept) -> Iterator[str]:
    scale = kept.scale
    last = scale.active_warm_up + scale.few_iterations * scale.per_iteration
    rows = list[list[str]]()
    for p in problems:
        indicator = indicator_of(p, kept)
        runs = kept.runs(p, "active") if p.name in published.EXHAUSTIVE else []
        autos = kept.runs(p, "auto") if runs else []
        if indicator is None or not runs or len(runs) < scale.seeds:
            continue
        ends = _interval([indicator.at(r.feasible(last)) for r in runs])
        shares = _interval([p.share(r.feasible(last)) for r in runs], 4)
        ours = _interval([p.share(r.feasible()) for r in autos], 4) if len(autos) == scale.seeds else "not run"
        rows.append([p.name, f"{len(p.front):,}", ends, f"{indicator.volume:.2f}", shares, ours])
    yield f"fig7: the front after {last:,} evaluations against the exact one, {scale.seeds} repetitions"
    yield markdown(["program", "exact front", "indicator", "of", "share on logarithms", f"auto, {scale.auto:,}"], rows)


def table5(problems: Sequence[Problem], kept: Kept) -> Iterator[str]:
    """By the impurity of random forests, over uniform draws, fitting or not, and over what the search evaluated."""
    yield "table5: importance by impurity over uniform draws / over what the search evaluated and fits (paper)"
    for p in problems:
        run = kept.run(p, "active", 0)
        if (p.name, "alms") not in published.TABLE_V or run is None:
            continue
        names = [q.name for q in p.model.kernel.parameters]
        columns = p.space.sample_columns(kept.scale.importance, np.random.default_rng(0))
        uniform = Encoding(p.space).encode(columns)
        losses, _ = p.price(columns, len(uniform))
        rows = list[list[str]]()
        for objective in reversed(OBJECTIVES):
            j, paper = OBJECTIVES.index(objective), published.TABLE_V[p.name, objective]
            pairs = [
                _importances(p, x, y[:, j]) for x, y in ((uniform, losses), (run.rows[run.fits], run.losses[run.fits]))
            ]
            cells = [f"{a:.2f} / {b:.2f} ({q:.2f})" for a, b, q in zip(*pairs, paper)]
            rows.append([p.name, objective, *cells])
        yield markdown(["program", "", *names], rows)


def _importances(p: Problem, x: Floats, y: Floats) -> list[float]:
    forest = RandomForestRegressor(20, random_state=0).fit(x, y)
    by_feature, blocks = forest.feature_importances_, Encoding(p.space).blocks
    return [float(sum(by_feature[b.start : b.stop])) for b in blocks]


def _interval(values: Sequence[float], digits: int = 3) -> str:
    return _pair(*interval(values), digits)


def _pair(mean: float, half: float, digits: int = 2) -> str:
    return f"{mean:.{digits}f} ± {half:.{digits}f}"
