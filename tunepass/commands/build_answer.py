"""What a build says at its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tunepass.commands.answer import Answer, Json, Status, plain
from tunepass.jobs.job import Job
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Infeasible, Measured
from tunepass.study.prior_origin import Origin
from tunepass.study.trial import Trial
from tunepass.tuning.result import Found, Gain, assignment, failure_kind

MOST_REFUSALS = 3
EXAMPLE_LINES = 6  # of a failure's log


@dataclass(frozen=True, slots=True)
class Built:
    """A kernel's job, what was found, the files written and the lock."""

    job: Job
    found: Found
    outputs: tuple[Path, ...]
    lock: Path | None

    @property
    def status(self) -> Status:
        if self.found.interrupted:
            return Status.INTERRUPTED
        return Status.DONE if self.found.gains else Status.ALL_FAILED


def answer(built: Sequence[Built]) -> Answer:
    """One object, or of several kernels a list; the worst of their statuses."""
    status = max((one.status for one in built), default=Status.DONE)
    data: Json = build_data(built[0]) if len(built) == 1 else [build_data(one) for one in built]
    return Answer("\n\n".join(build_text(one) for one in built), data, status)


def build_data(built: Built) -> dict[str, Json]:
    """The object that architecture and docs/cli.md promise."""
    job, found = built.job, built.found
    seconds = {name: round(found.seconds.get(name, 0.0), 3) for name in ("total", "compile", "measure", "strategy")}
    return {
        "source": job.kernel.source.name,
        "kernel": job.kernel.name,
        "device": job.identity.device,
        "choice": _assigned(found.choice) if found.gains else None,
        "default": _assigned(found.default),
        "objectives": {gain.objective.name: _gain(gain) for gain in found.gains},
        "pareto": [_point(trial) for trial in found.pareto],
        "trials": found.trial_count,
        "evaluations": found.evaluations,
        "failures": dict(found.failures),
        "kept_default": bool(found.gains) and found.kept_default,
        "transfer": found.origin.data() if found.origin else None,
        "seconds": seconds,
        "outputs": [str(path) for path in built.outputs],
        "lock": str(built.lock) if built.lock else None,
    }


def _assigned(configuration: Configuration) -> Json:
    return {name: plain(value) for name, value in configuration.items()}


def _gain(gain: Gain) -> Json:
    interval = list(gain.interval) if gain.interval else None
    unit = gain.objective.unit
    return {"unit": unit, "default": gain.default, "chosen": gain.chosen, "gain": gain.gain, "interval": interval}


def _point(trial: Trial) -> Json:
    values = dict(trial.outcome.values) if isinstance(trial.outcome, Measured) else {}
    return {"choice": _assigned(trial.configuration), "objectives": values}


def build_text(built: Built) -> str:
    job, found = built.job, built.found
    lines = [f"{job.key}: {_headline(built)}"]
    if found.gains:
        lines.append(f"  choice    {assignment(found.choice)}")
        lines += [f"  {gain.objective.name:<9} {gain.sentence().partition(': ')[2]}" for gain in found.gains]
        if found.evaluations:
            lines.append(f"  evaluated {found.evaluations} configurations in {found.seconds.get('total', 0.0):.1f} s")
        if found.failures and found.evaluations:
            lines.append(f"  failed    {', '.join(f'{n} {kind}' for kind, n in found.failures.items())}")
            lines += refusals(found.trials)
        lines += transferred(found.origin) if found.evaluations else []
        lines += [f"  wrote     {path}" for path in built.outputs]
        lines.append(f"  lock      {built.lock}")
    else:
        lines += failure_lines(found.trials)
    return "\n".join(lines)


def _headline(built: Built) -> str:
    found = built.found
    if found.interrupted:
        kept = f"{found.trial_count} trials are kept; run the same command to go on"
        return f"interrupted; the best so far was written, {kept}" if found.gains else f"interrupted; {kept}"
    if not found.gains:
        return f"every one of {found.trial_count} evaluations failed"
    if not found.evaluations:
        return "the lock fits; nothing was evaluated"
    if found.kept_default:
        return "no significant gain, kept the default"
    gain = found.gains[0]
    return f"{gain.gain:.2f}x better than the default" if gain.gain else "chosen; the default itself fails"


def transferred(origin: Origin | None) -> list[str]:
    """The earlier study that the search started from, and what it turned out to be worth."""
    if origin is None:
        return []
    worth = origin.worth()
    return [f"  transfer  {origin.sentence()}" + (f": {worth}" if worth else "")]


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
