"""Answer of a build."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tunepass.commands.answers.finalists import finalists_data, kept_sentence
from tunepass.commands.answers.fronts import certificate_data, certificate_lines, front_data, front_table, unit_of
from tunepass.hwmodels.base import Costs
from tunepass.ir.c_kernel import UNCOMPARED
from tunepass.ir.sizes import size_text
from tunepass.jobs.build import BuildResult
from tunepass.jobs.estimates import extrapolated
from tunepass.jobs.job import Job
from tunepass.jobs.sizes import SizedChoices
from tunepass.reports.answer import Answer, Json, Status, plain
from tunepass.search.result import MANY, Gain, SearchResult, contributions, differing, failures_of
from tunepass.space.configuration import Configuration, shown
from tunepass.study.ledger import Ledger
from tunepass.study.outcome import Failed, Infeasible
from tunepass.study.prior_origin import Origin
from tunepass.study.results.trial_columns import failure_kinds
from tunepass.study.trial import Trial

MOST_REFUSALS = 3
UNCHANGED = "the lock fits; nothing was evaluated"
EXAMPLE_LINES = 6  # of a failure's log

SECONDS = {  # of a build, by what its object calls them
    "total": ("total",),
    "compile": ("compile", "apply"),
    "check": ("check",),
    "measure": ("measure", "probe"),
    "finalists": ("rerank", "sanitize"),
    "strategy": ("strategy",),
}


def status_of(built: BuildResult) -> Status:
    if built.search_result.interrupted:
        return Status(128 + built.search_result.interrupted)
    if built.refused:
        return Status.UNCHECKED
    return Status.DONE if built.search_result.gains else Status.ALL_FAILED


def answer(results: Sequence[BuildResult]) -> Answer:
    """One object, or of several kernels a list; the worst of their statuses."""
    status = max((status_of(result) for result in results), default=Status.DONE)
    data: Json = build_data(results[0]) if len(results) == 1 else [build_data(result) for result in results]
    return Answer("\n\n".join(build_text(result) for result in results), data, status)


def build_data(built: BuildResult) -> dict[str, Json]:
    """The object that architecture and docs/cli.md promise."""
    job, result, origin = built.job, built.search_result, origin_data(built.search_result.origin)
    seconds = {name: round(sum(result.seconds.get(s, 0.0) for s in stages), 3) for name, stages in SECONDS.items()}
    return {
        "source": job.kernel.source.name,
        "kernel": job.kernel.name,
        "device": job.identity.device,
        "choice": _assigned(result.choice) if result.gains else None,
        "default": _assigned(result.default),
        "objectives": {gain.objective.name: _gain(gain, job.backend.costs()) for gain in result.gains},
        "pareto": front_data(result.pareto, result.objectives, extrapolated(job, result.pareto)),
        "trials": result.trial_count,
        "evaluations": result.evaluations,
        "failures": dict(result.failures),
        "kept_default": bool(result.gains) and result.kept_default,
        "transfer": origin["transfer"],
        "seconds": seconds,
        "outputs": [str(path) for path in built.outputs],
        "lock": str(built.lock) if built.lock else None,
        "model": origin["model"],
        "picks": {point.name: _assigned(point.configuration) for point in built.picked},
        "certificate": certificate_data(result.certificate, result.gap) if result.certificate else None,
        "sizes": _sizes_data(built.sized) if built.sized else None,
        "finalists": finalists_data(result.comparison, result.trials, result.objectives, job.space),
        "estimated": job.only_priced,
        "brings": {} if job.only_priced else dict(_contributions(job, result)),
        "uncompared": _uncompared(job, result),
        "checks": checks_data(result.checks),
        "refused": [check.name for check in built.refused],
    }


def _uncompared(job: Job, result: SearchResult) -> list[Json]:
    """Results that nothing compares: by the source, and by the reference's run."""
    return [*job.kernel.uncompared_results, *(w for w in result.warnings if w.startswith(UNCOMPARED))]


def _contributions(job: Job, result: SearchResult) -> Mapping[str, float]:
    gains = result.gains
    return contributions(result.choice, job.space.defaults, result.trials, gains[0].objective) if gains else {}


def _assigned(configuration: Configuration) -> Json:
    return {name: plain(value) for name, value in configuration.items()}


def _gain(gain: Gain, costs: Costs | None) -> Json:
    interval = list(gain.interval) if gain.interval else None
    unit = unit_of(gain.objective, costs)
    return {"unit": unit, "default": gain.default, "chosen": gain.chosen, "gain": gain.gain, "interval": interval}


def origin_data(origin: Origin | None) -> dict[str, Json]:
    """Origin of the search's prior mean: an earlier study as `transfer`, a model as `model`."""
    known: Json = origin.data() if origin else None
    model = origin is not None and origin.is_model
    return {"transfer": None if model else known, "model": known if model else None}


def build_text(built: BuildResult) -> str:
    job, result = built.job, built.search_result
    where = f" on {job.backend.device}" if job.only_priced else ""
    lines = [f"{job.key}{where}: {_headline_of(built)}"]
    if result.gains:
        lines.append(f"  choice    {differing(result.choice, result.default)}")
        lines += [f"  {gain.objective.name:<9} {gain.sentence().partition(': ')[2]}" for gain in result.gains]
        lines += _contribution_lines(job, result)
        lines += [f"  estimated {job.backend.basis}"] if job.backend.basis else []
    elif not job.only_priced or _failed(result):
        return "\n".join([*lines, *failure_lines(result.trials)])
    lines += _evaluated(job, result)
    lines += [] if job.only_priced else checks_lines(result.checks)
    if result.certificate is not None:
        lines += certificate_lines(result.certificate, result.gap, within_fit=result.within_fit)
    if len(result.objectives) > 1 and result.pareto and (job.only_priced or len(result.pareto) > 1):
        front = front_table(result.pareto, result.objectives, extrapolated(job, result.pareto))
        lines += [f"  the front has {len(result.pareto):,} points:", front]
    lines += _sizes_lines(built)
    lines += [f"  wrote     {path}" for path in built.outputs]
    return "\n".join([*lines, *([f"  lock      {built.lock}"] if built.lock else [])])


def _sizes_data(sized: SizedChoices) -> list[Json]:
    """A size an item: its variant's number and choice, with its value and the best known where they are."""
    numbers, known = sized.variants, bool(sized.values)
    return [
        {
            "size": dict(size),
            "variant": numbers.index(choice),
            "choice": _assigned(choice),
            "value": sized.values[i] if known else None,
            "best": sized.best[i] if known else None,
        }
        for i, (size, choice) in enumerate(zip(sized.sizes, sized.choices))
    ]


def _sizes_lines(built: BuildResult) -> list[str]:
    """Variant of each size, and its slowdown against the best known for that size."""
    sized, objective = built.sized, built.job.objective
    if sized is None:
        return []
    lines = []
    for i, (size, choice) in enumerate(zip(sized.sizes, sized.choices)):
        line = f"  {size_text(size)}: variant {sized.variants.index(choice)}"
        if sized.values:
            unit = f" {objective.unit}" if objective.unit else ""
            slowdown = objective.gain(sized.values[i], sized.best[i])
            line += f", {sized.values[i]:.4g}{unit}"
            line += " (the best known)" if slowdown <= 1 else f" ({slowdown:.2f}x the best known)"
        lines.append(line)
    count = len(sized.variants)
    return [f"  {count} variant{'s' if count > 1 else ''} for {len(sized.sizes)} sizes", *lines]


def _evaluated(job: Job, result: SearchResult) -> list[str]:
    """Number of evaluations in this run, and their outcomes."""
    if not result.evaluations:
        return []
    noun = "configuration" if result.evaluations == 1 else "configurations"
    line = f"  evaluated {result.evaluations:,} {noun} in {result.seconds.get('total', 0.0):.1f} s"
    if job.only_priced:
        unfit = result.failures.get("infeasible", 0)
        line += f", {unfit:,} of them do not fit" if unfit and result.certificate is None else ""
        return [line, *_failed(result), *transferred(result.origin)]
    failed = (
        [f"  failed    {', '.join(f'{n} {kind}' for kind, n in result.failures.items())}"] if result.failures else []
    )
    return [line, *failed, *refusals(result.trials), *transferred(result.origin)]


def _contribution_lines(job: Job, result: SearchResult) -> list[str]:
    """Contributions of the parameters that differ from the default, for a choice among many parameters."""
    if len(result.choice) <= MANY:
        return []
    gains = _contributions(job, result)
    return [f"  brings    {gain:.3f}x  {name}={shown(result.choice[name])}" for name, gain in gains.items()]


def _failed(result: SearchResult) -> list[str]:
    """How candidates failed that a model could not price: they did not compile, say."""
    kinds = [f"{n} {kind}" for kind, n in result.failures.items() if kind != "infeasible"]
    return [f"  failed    {', '.join(kinds)}"] if kinds else []


def _headline_of(built: BuildResult) -> str:
    job, result, refused = built.job, built.search_result, len(built.refused)
    if refused:
        return f"refused, and nothing was written: {refused} check{'s' * (refused > 1)} of the choice could not run"
    return _priced_headline(job, result) if job.only_priced else _headline(job, result)


def checks_data(ledger: Ledger) -> list[Json]:
    """A row an item."""
    return [
        {"check": check.name, "state": check.state, "reason": check.reason, "remedy": check.remedy}
        for check in ledger.checks
    ]


def checks_lines(ledger: Ledger) -> list[str]:
    """One line where all checks ran or were not requested; a line more for each that could not run."""
    if not ledger:
        return []
    counts, *missed = ledger.lines()
    return [f"  checks    {counts}", *(f"  {line}" for line in missed)]


def _headline(job: Job, result: SearchResult) -> str:
    if result.interrupted:
        note = f"{result.trial_count} trials are kept; run the same command to go on"
        return f"interrupted; the best so far was written, {note}" if result.gains else f"interrupted; {note}"
    if not result.gains:
        return f"every one of {result.trial_count} evaluations failed"
    if not result.evaluations:
        return UNCHANGED
    if result.kept_default:
        return kept_sentence(result.comparison, result.trials, result.objectives, job.space)
    gain = result.gains[0]
    return f"{gain.gain:.2f}x better than the default" if gain.gain else "chosen; the default itself fails"


def _priced_headline(job: Job, result: SearchResult) -> str:
    if result.interrupted:
        return "interrupted; what was found so far is kept, and the same command goes on"
    if not result.gains and _failed(result):
        return f"every one of {result.trial_count} evaluations failed"
    if not result.gains:
        return f"nothing fits: {result.trial_count:,} configurations were evaluated"
    if not result.evaluations:
        return UNCHANGED
    gain = next(g for g in result.gains if g.objective == job.objective)
    if result.kept_default:
        return f"the default is the best in {job.objective.name}"
    if gain.gain is None:
        return "chosen; the default does not fit"
    return f"{gain.gain:.2f}x the default in {job.objective.name}"


def transferred(origin: Origin | None) -> list[str]:
    """Origin and trust of the search's prior mean."""
    if origin is None:
        return []
    worth = origin.worth()
    word = "model   " if origin.is_model else "transfer"
    return [f"  {word}  {origin.sentence()}" + (f": {worth}" if worth else "")]


def refusals(trials: Sequence[Trial]) -> list[str]:
    """Directives that the compiler refused, with its reason, once each."""
    reasons = Counter(
        " - ".join(line.strip() for line in t.outcome.log.splitlines()[:2])
        for t in trials
        if isinstance(t.outcome, Failed) and t.outcome.stage == "not_applied"
    )
    return [f"  refused   {reason} ({count} times)" for reason, count in reasons.most_common(MOST_REFUSALS)]


def failure_lines(trials: Sequence[Trial]) -> list[str]:
    """Failures grouped by kind, each with one example."""
    kinds = failure_kinds(trials)
    lines = []
    for kind, count in failures_of(trials).items():
        first = trials[kinds.index(kind)]
        lines.append(f"  {count} {kind}, for example {differing(first.configuration, trials[0].configuration)}:")
        text = first.log
        match first.outcome:
            case Failed(_, log):
                text = log or first.log
            case Infeasible(constraint):
                text = constraint
        lines += [f"    {line}" for line in text.strip().splitlines()[:EXAMPLE_LINES]]
    return lines
