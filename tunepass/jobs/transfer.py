"""Prior means from earlier studies: `--transfer-from`, or the nearest study in the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from tunepass.diagnostics import EnvironmentFault, TunepassError, spelling_hint
from tunepass.files import cannot_read
from tunepass.jobs.job import Job
from tunepass.jobs.places import store_location
from tunepass.search.prior import SearchPrior, joined
from tunepass.space.configuration import Configuration, Value
from tunepass.space.space import Space
from tunepass.strategies.prior_mean.sources import ObservedPriorMean
from tunepass.study.lock.lock import Entry, Lock
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Infeasible, Measured
from tunepass.study.prior_origin import Origin, identity_changes
from tunepass.study.storage.location import StoreLocation
from tunepass.study.storage.postgres_url import is_postgres, split_study
from tunepass.study.storage.store import Store, StudyRecord
from tunepass.study.trial import Trial

NONE = "none"
FEWEST = 2  # measured trials that an earlier study is worth looking at for
# How far an identity's difference puts an earlier study away, most first; the harness changes what is measured little.
DISTANCE = {
    "device": 8, "source": 4, "space": 4, "files": 2, "compiler": 2, "toolchain": 1, "flags": 2, "harness": 1
}  # fmt: skip
SQLITE = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipient:
    """The kernel that is about to be searched. `study` is the name of its own study."""

    key: str
    study: str
    space: Space
    objective: Objective
    identity: Mapping[str, str]


def transfer_to(job: Job, store: StoreLocation, named: Sequence[str]) -> SearchPrior | None:
    """Prior mean of the search from earlier studies, if there is one. Several objectives have none."""
    if len(job.objectives) > 1:
        if set(named) - {NONE}:
            names = ", ".join(o.name for o in job.objectives)
            raise TunepassError(f"--transfer-from guides the search for one objective, not for {names}")
        return None
    recipient = Recipient(
        key=job.key, study=job.study, space=job.space, objective=job.objectives[0], identity=job.identity.texts()
    )
    return transfer(recipient, store, named)


def transfer(recipient: Recipient, store: StoreLocation, named: Sequence[str] = ()) -> SearchPrior | None:
    """From all that `named` names (PATH[:STUDY], URL[:STUDY] or "none"), else from where this study began, else
    from the nearest earlier study of the kernel in the store; None where there is none."""
    if NONE in named:
        if len(set(named)) > 1:
            raise TunepassError(f"--transfer-from {NONE} is for no earlier study: it stands alone")
        return None
    if named:
        priors = [_named(recipient, name) for name in named]
        return joined(list({(p.origin.place, p.origin.study): p for p in priors}.values()))
    with store.resolved().existing() as opened:
        if opened is None:
            return None
        stored_study = opened.study(recipient.study)
        if stored_study is not None and stored_study.trials:
            begun = opened.origin(stored_study)
            return None if begun is None or begun.is_model else _again(recipient, begun, store)
        return _nearest(recipient, opened, [r for r in opened.studies() if _key(r) == recipient.key])


def _again(recipient: Recipient, begun: Origin, store: StoreLocation) -> SearchPrior:
    """The same sources, as far as they were then: an interrupted study goes on as an undisturbed one would."""
    priors = [_once_more(recipient, origin, store) for origin in (replace(begun, others=()), *begun.others)]
    return replace(joined(priors), origin=begun)


def _once_more(recipient: Recipient, begun: Origin, store: StoreLocation) -> SearchPrior:
    try:
        if begun.place == str(store):  # whose URL has the password
            prior = _stored(recipient, store, begun.study, begun.trials)
        else:
            prior = _named(recipient, f"{begun.place}:{begun.study}", begun.trials)
    except EnvironmentFault:
        raise
    except TunepassError:
        return SearchPrior(begun, None, missing=(begun,))
    return replace(prior, origin=replace(prior.origin, differs=begun.differs))


def _named(recipient: Recipient, named: str, most: int | None = None) -> SearchPrior:
    if is_postgres(named):
        url, study = split_study(named)
        return _stored(recipient, StoreLocation.named(url), study, most)
    path, study = _split(named)
    if path.name.endswith((".json", ".json.gz")):
        return _table(recipient, path)
    if not _is_sqlite(path):
        return _locked(recipient, path, study)
    return _stored(recipient, StoreLocation.named(path), study, most)


def _stored(recipient: Recipient, location: StoreLocation, study: str | None, most: int | None) -> SearchPrior:
    with location.open(make=False) as opened:
        record = _record(recipient, opened, study)
        return _of_record(recipient, opened, record, most)


def _split(named: str) -> tuple[Path, str | None]:
    """`PATH[:STUDY]`; a study's name has colons of its own, and so may a path."""
    text = named.removeprefix("sqlite:///")
    ends = [i for i, c in enumerate(text) if c == ":"] + [len(text)]
    for end in ends:
        if end and Path(text[:end]).is_file():
            return Path(text[:end]).resolve(), text[end + 1 :] or None  # where a resumed search finds it again
    raise TunepassError(
        f"--transfer-from names no store, lock or table: there is no file {text.partition(':')[0]!r}",
        hint="PATH[:STUDY], the path of a store.db or a tunepass.lock, or postgresql://...[:STUDY]; or `none`",
    )


def _is_sqlite(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError as error:
        raise cannot_read(path, error, TunepassError) from error


# -- a store


def _record(recipient: Recipient, opened: Store, study: str | None) -> StudyRecord:
    """The study called so, or the nearest whose name begins so; without a name, the nearest of this kernel."""
    records = [r for r in opened.studies() if r.name != recipient.study]
    begin = study if study is not None else recipient.key
    exact = [r for r in records if r.name == begin]
    matching = exact or [r for r in records if r.name.startswith(begin)]
    if not matching:
        names = [r.name for r in records]
        listed = ", ".join(names[-5:]) or "no other study"
        raise TunepassError(
            f"{opened.place} has no {'earlier ' if study is None else ''}study of {begin}; it has {listed}",
            hint=spelling_hint(
                begin, [*names, *{_key(r) for r in records}], "name one: --transfer-from PATH:STUDY", quote=repr
            ),
        )
    return min(matching, key=lambda r: _far(recipient, r))


def _nearest(recipient: Recipient, opened: Store, records: Sequence[StudyRecord]) -> SearchPrior | None:
    others = [r for r in records if r.name != recipient.study and r.trials >= FEWEST]
    for record in sorted(others, key=lambda r: _far(recipient, r)):
        try:
            prior = _of_record(recipient, opened, record, None)
        except EnvironmentFault:
            raise
        except TunepassError:
            continue
        if recipient.objective.name in {o.name for o in record.objectives} and prior.origin.trials >= FEWEST:
            return prior
    return None


def _far(recipient: Recipient, record: StudyRecord) -> tuple[int, int, int]:
    """Small for what was measured under nearly the same circumstances; of equals, the longest and the latest."""
    apart = sum(
        far for name, far in DISTANCE.items() if record.identity.get(name, "") != recipient.identity.get(name, "")
    )
    return apart, -record.trials, -record.id


def _key(record: StudyRecord) -> str:
    return record.name.partition("@")[0]


def _of_record(recipient: Recipient, opened: Store, record: StudyRecord, most: int | None) -> SearchPrior:
    trials = opened.trials(record)[:most]
    objective = _like(recipient.objective, record.objectives)
    prior = observed(trials, objective, recipient.objective)
    if prior is None:
        raise TunepassError(f"study {record.name!r} in {opened.place} measured nothing: there is nothing to start from")
    differs = identity_changes(record.identity, recipient.identity, [n for n in DISTANCE if n != "harness"])
    origin = Origin(
        place=opened.place,
        study=record.name,
        trials=len(trials),
        differs=(*differs, *_other(objective, recipient.objective)),
    )
    return _checked(recipient, origin, prior)


def observed(trials: Sequence[Trial], objective: Objective, ours: Objective) -> ObservedPriorMean | None:
    """Measured trials as a prior mean in our direction; those that failed count as no better than the median, because
    elsewhere they may work. None: nothing was measured."""
    values = [t.outcome.values[objective.name] for t in trials if isinstance(t.outcome, Measured)]
    if not values:
        return None
    losses = [objective.loss(value) for value in values]
    measured: list[Configuration] = [t.configuration for t in trials if isinstance(t.outcome, Measured)]
    failed = [t.configuration for t in trials if isinstance(t.outcome, (Failed, Infeasible))]
    losses += [median(losses)] * len(failed)
    return ObservedPriorMean([*measured, *failed], [ours.value(loss) for loss in losses])


def _like(ours: Objective, theirs: Sequence[Objective]) -> Objective:
    """The objective of the same name, else their first: only where values are small and large counts."""
    return next((o for o in theirs if o.name == ours.name), theirs[0])


def _other(theirs: Objective, ours: Objective) -> tuple[str, ...]:
    return () if theirs.name == ours.name else (f"objective: {theirs.name} -> {ours.name}",)


def _checked(recipient: Recipient, origin: Origin, prior: ObservedPriorMean) -> SearchPrior:
    """With the parameters both have; StudyError, which names both sides, when there are none."""
    shared = tuple(p.name for p in prior.shared(recipient.space))
    return SearchPrior(replace(origin, shared=shared), prior)


# -- a lock, a recorded table


def _locked(recipient: Recipient, path: Path, kernel: str | None) -> SearchPrior:
    entries = Lock.read(path).entries
    key = kernel if kernel is not None else recipient.key
    if key not in entries:
        hint = spelling_hint(key, entries, f"it has {', '.join(entries) or 'no kernel'}", quote=repr)
        raise TunepassError(f"{path} has no kernel {key}", hint=hint)
    entry = entries[key]
    whole = _behind(recipient, path, entry)
    if whole is not None:
        return whole
    rows: list[tuple[Mapping[str, Value], float]] = [(entry.choice, entry.objective.chosen)]
    if entry.objective.default is not None and recipient.space.default != entry.choice:
        rows.append((recipient.space.default, entry.objective.default))
    prior = ObservedPriorMean([c for c, _ in rows], [value for _, value in rows])
    differs = (*_changes(recipient, entry), *_other(Objective(entry.objective.name), recipient.objective))
    return _checked(recipient, Origin(place=str(path), study=key, trials=1, differs=differs), prior)


def _behind(recipient: Recipient, path: Path, entry: Entry) -> SearchPrior | None:
    """The trials that the lock was made from, where the store beside it still has them."""
    with store_location(path, None).resolved().existing() as opened:
        if opened is None:
            return None
        records = [r for r in opened.with_identity(entry.identity.texts()) if r.trials and r.name != recipient.study]
        return _of_record(recipient, opened, max(records, key=lambda r: r.id), None) if records else None


def _changes(recipient: Recipient, entry: Entry) -> tuple[str, ...]:
    return identity_changes(entry.identity.texts(), recipient.identity, [n for n in DISTANCE if n != "harness"])


@dataclass(frozen=True, slots=True)
class TableSource:
    """A recorded space (docs/cli.md, replay) as a prior mean; `rows` configurations of it."""

    name: str
    rows: int
    objective: Objective
    prior: ObservedPriorMean


def table_source(path: str | Path, like: Objective | None = None) -> TableSource:
    """Its objective called as `like`, else its first, in the direction of `like`."""
    from tunepass.evaluators.recorded.table import read

    table = read(path)
    objective = table.objectives[0] if like is None else _like(like, table.objectives)
    trials = [Trial(number, c, o) for number, (c, o) in enumerate(table.outcomes.items())]
    prior = observed(trials, objective, like or objective)
    if prior is None:
        raise TunepassError(f"{path} measured nothing: there is nothing to start from")
    return TableSource(table.name, len(trials), objective, prior)


def _table(recipient: Recipient, path: Path) -> SearchPrior:
    table = table_source(path, recipient.objective)
    differs = _other(table.objective, recipient.objective)
    origin = Origin(place=str(path), study=table.name, trials=table.rows, differs=differs)
    return _checked(recipient, origin, table.prior)
