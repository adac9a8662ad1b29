"""What a build says at its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tunepass.commands.answer import Answer, Json, Status, plain
from tunepass.commands.fronts import certificate_data, certificate_lines, front_data, front_table
from tunepass.jobs.build import Built
from tunepass.jobs.job import Job
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Infeasible
from tunepass.study.prior_origin import Origin
from tunepass.study.trial import Trial
from tunepass.tuning.result import Found, Gain, assignment, failure_kind

MOST_REFUSALS = 3
UNCHANGED = "the lock fits; nothing was evaluated"
EXAMPLE_LINES = 6  # of a failure's log


def status_of(built: Built) -> Status:
    if built.found.interrupted:
        return Status.INTERRUPTED
    return Status.DONE if built.found.gains else Status.ALL_FAILED


def answer(built: Sequence[Built]) -> Answer:
    """One object, or of several kernels a list; the worst of their statuses."""
    status = max((status_of(one) for one in built), default=Status.DONE)
    data: Json = build_data(built[0]) if len(built) == 1 else [build_data(one) for one in built]
    return Answer("\n\n".join(build_text(one) for one in built), data, status)


def build_data(built: Built) -> dict[str, Json]:
    """The object that architecture and docs/cli.md promise."""
    job, found, origin = built.job, built.found, origin_data(built.found.origin)
    seconds = {name: round(found.seconds.get(name, 0.0), 3) for name in ("total", "compile", "measure", "strategy")}
    return {
        "source": job.kernel.source.name,
        "kernel": job.kernel.name,
        "device": job.identity.device,
        "choice": _assigned(found.choice) if found.gains else None,
        "default": _assigned(found.default),
        "objectives": {gain.objective.name: _gain(gain) for gain in found.gains},
        "pareto": front_data(found.pareto, found.objectives),
        "trials": found.trial_count,
        "evaluations": found.evaluations,
        "failures": dict(found.failures),
        "kept_default": bool(found.gains) and found.kept_default,
        "transfer": origin["transfer"],
        "seconds": seconds,
        "outputs": [str(path) for path in built.outputs],
        "lock": str(built.lock) if built.lock else None,
        "model": origin["model"],
        "picks": {point.name: _assigned(point.configuration) for point in built.picked},
        "certificate": certificate_data(found.certificate, found.gap) if found.certificate else None,
    }


def _assigned(configuration: Configuration) -> Json:
    return {name: plain(value) for name, value in configuration.items()}


def _gain(gain: Gain) -> Json:
    interval = list(gain.interval) if gain.interval else None
    unit = gain.objective.unit
    return {"unit": unit, "default": gain.default, "chosen": gain.chosen, "gain": gain.gain, "interval": interval}


def origin_data(origin: Origin | None) -> dict[str, Json]:
    """What the search started from: an earlier study as `transfer`, a model as `model`."""
    known: Json = origin.data() if origin else None
    model = origin is not None and origin.is_model
    return {"transfer": None if model else known, "model": known if model else None}


def build_text(built: Built) -> str:
    job, found = built.job, built.found
    where = f" on {job.backend.device}" if job.only_priced else ""
    lines = [f"{job.key}{where}: {_priced_headline(job, found) if job.only_priced else _headline(found)}"]
    if found.gains:
        lines.append(f"  choice    {assignment(found.choice)}")
        lines += [f"  {gain.objective.name:<9} {gain.sentence().partition(': ')[2]}" for gain in found.gains]
    elif not job.only_priced:
        return "\n".join([*lines, *failure_lines(found.trials)])
    lines += _evaluated(job, found)
    if found.certificate is not None:
        lines += certificate_lines(found.certificate, found.gap)
    if found.pareto and job.only_priced:
        lines += [f"  the front has {len(found.pareto):,} points:", front_table(found.pareto, found.objectives)]
    lines += [f"  wrote     {path}" for path in built.outputs]
    return "\n".join([*lines, *([f"  lock      {built.lock}"] if built.lock else [])])


def _evaluated(job: Job, found: Found) -> list[str]:
    """What this run evaluated, and what became of it."""
    if not found.evaluations:
        return []
    line = f"  evaluated {found.evaluations:,} configurations in {found.seconds.get('total', 0.0):.1f} s"
    if job.only_priced:
        unfit = found.failures.get("infeasible", 0)
        return [line + (f", {unfit:,} of them do not fit" if unfit and found.certificate is None else "")]
    failed = [f"  failed    {', '.join(f'{n} {kind}' for kind, n in found.failures.items())}"] if found.failures else []
    return [line, *failed, *refusals(found.trials), *transferred(found.origin)]


def _headline(found: Found) -> str:
    if found.interrupted:
        kept = f"{found.trial_count} trials are kept; run the same command to go on"
        return f"interrupted; the best so far was written, {kept}" if found.gains else f"interrupted; {kept}"
    if not found.gains:
        return f"every one of {found.trial_count} evaluations failed"
    if not found.evaluations:
        return UNCHANGED
    if found.kept_default:
        return "no significant gain, kept the default"
    gain = found.gains[0]
    return f"{gain.gain:.2f}x better than the default" if gain.gain else "chosen; the default itself fails"


def _priced_headline(job: Job, found: Found) -> str:
    if found.interrupted:
        return "interrupted; what was found so far is kept, and the same command goes on"
    if not found.gains:
        return f"nothing fits: {found.trial_count:,} configurations were evaluated"
    if not found.evaluations:
        return UNCHANGED
    gain = next(g for g in found.gains if g.objective == job.objective)
    if found.kept_default:
        return f"the default is the best in {job.objective.name}"
    if gain.gain is None:
        return "chosen; the default does not fit"
    return f"{gain.gain:.2f}x the default in {job.objective.name}"


def transferred(origin: Origin | None) -> list[str]:
    """What the search started from, and what it turned out to be worth."""
    if origin is None:
        return []
    worth = origin.worth()
    word = "model   " if origin.is_model else "transfer"
    return [f"  {word}  {origin.sentence()}" + (f": {worth}" if worth else "")]


def refusals(trials: Sequence[Trial]) -> list[str]:
    """What the compiler was asked to do and did not, with its reason, once each."""
    reasons = Counter(
        " - ".join(line.strip() for line in t.outcome.log.splitlines()[:2])
        for t in trials
        if isinstance(t.outcome, Failed) and t.outcome.stage == "not_applied"
    )
    return [f"  refused   {reason} ({count} times)" for reason, count in reasons.most_common(MOST_REFUSALS)]


def failure_lines(trials: Sequence[Trial]) -> list[str]:
    """Failures grouped by kind, each with one example."""
    examples: dict[str, list[Trial]] = {}
    for trial in trials:
        kind = failure_kind(trial)
        if kind is not None:
            examples.setdefault(kind, []).append(trial)
    lines = []
    for kind, failed in sorted(examples.items(), key=lambda item: -len(item[1])):
        first = failed[0]
        lines.append(f"  {len(failed)} {kind}, for example {assignment(first.configuration)}:")
        text = first.log
        match first.outcome:
            case Failed(_, log):
                text = log or first.log
            case Infeasible(constraint):
                text = constraint
        lines += [f"    {line}" for line in text.strip().splitlines()[:EXAMPLE_LINES]]
    return lines
