"""Our default strategy beside every installed peer, in one run: recorded spaces and drawn problems, in pairs of seeds.

Everyone's first evaluation is the default, and everyone has the same budget. Of the recorded spaces those are taken
that chose no setting: by RULE, complete tables alone, because a peer cannot be held to the rows of a sample.

    gained = (default - best) / (default - optimum)

A failure costs an evaluation, a refused suggestion (one that breaks a known constraint) does not. A configuration that
a peer proposes again costs an evaluation too: the problems have no noise, so nothing is learned from it.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.search.drawn import KINDS, OBJECTIVE
from tests.benchmarks.search.installed.optuna_peer import auto_sampler_version
from tests.benchmarks.search.installed.peer import Peer, Task
from tests.benchmarks.search.problems import DEV, problem
from tests.benchmarks.search.runs import Places, code_version
from tests.benchmarks.search.tables import markdown, mean_of_means, with_details
from tunepass.evaluators.recorded.table import SCHEMA
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured
from tunepass.study.study import Study

Floats = NDArray[np.float64]
MARKS = (20, 40, 60)
RULE = "of each suite the first two complete developers' tables of one objective by name that are not among DEV"
PER_SUITE = 2
DRAWN = ("traps, flags", "failures, flags", "plateaus, mixed", "failures, mixed")  # without noise; they chose nothing
OURS = ("auto", "random")
COUNTS = ("repeated", "refused", "replaced", "failed")  # in the mean of a run
STAND_IN_KEY = 0x7374616E


@dataclass(frozen=True, slots=True)
class Installed:
    """`module`: where the adapter `name` is; `packages`: the distributions whose versions are told."""

    module: str
    name: str
    packages: tuple[str, ...]


PEERS: dict[str, Installed] = {
    "Optuna TPE, multivariate": Installed("optuna_peer", "Tpe", ("optuna",)),
    "Optuna AutoSampler": Installed("optuna_peer", "Auto", ("optuna", "optunahub", "torch")),
    "CatCMAwM": Installed("catcmawm_peer", "CatCmawm", ("cmaes",)),
    "Nevergrad NGOpt": Installed("nevergrad_peer", "Nevergrad", ("nevergrad",)),
    "SMAC": Installed("smac_peer", "Smac", ("smac", "ConfigSpace", "scikit-learn")),
    "BoTorch": Installed("botorch_mixed", "Botorch", ("botorch", "gpytorch", "torch")),
    "HEBO": Installed("hebo_peer", "Hebo", ("HEBO", "gpytorch", "torch")),
}
FOLDER = "tests.benchmarks.search.installed"


@dataclass(frozen=True, slots=True)
class Subject:
    """`loss` of a configuration, None where it fails; `reference` is the default's, or where that fails the median of
    all measured rows."""

    name: str
    space: Space
    loss: Callable[[Configuration], float | None]
    reference: float
    optimum: float


@dataclass(frozen=True, slots=True)
class PeerRun:
    """`best` after each evaluation, the reference before anything better. `stopped` says why the run is shorter."""

    best: list[float]
    reference: float
    optimum: float
    seconds: float  # CPU time of asking and telling
    failed: int
    repeated: int  # evaluations of a configuration that was evaluated before
    refused: int  # suggestions that broke a known constraint
    replaced: int  # evaluations of a drawn configuration, because too many in a row were refused
    stopped: str = ""

    @property
    def gained(self) -> Floats:
        possible = self.reference - self.optimum
        return (self.reference - np.array(self.best)) / possible if possible > 0 else np.ones(len(self.best))


class Ours(Peer):
    """A strategy of ours as a study of deterministic measurements asks it."""

    def __init__(self, task: Task, strategy: str):
        self._study = Study(
            task.space, [OBJECTIVE], strategy=strategy, seed=task.seed, max_evals=task.evals, repeats=False
        )

    def ask(self) -> Configuration:
        suggested = self._study.suggest(1)
        if not suggested:
            raise StopIteration("every configuration was evaluated")
        return suggested[0]

    def tell(self, configuration: Configuration, loss: float, failed: bool) -> None:
        outcome = Failed("run", "failure") if failed else Measured({OBJECTIVE.name: loss})
        self._study.observe(configuration, outcome)

    def tell_other(self, configuration: Configuration, loss: float, failed: bool) -> None:
        assert self.ask() == configuration  # the default is our first suggestion
        self.tell(configuration, loss, failed)


def searched(subject: Subject, peer: Peer, seed: int, evals: int, limit_s: float) -> PeerRun:
    """`evals` evaluations, the first of the default; it stops once the peer has used `limit_s` seconds of CPU time."""
    rng = np.random.default_rng([seed, STAND_IN_KEY])
    known: dict[Configuration, float | None] = {}
    best, bests, worst = subject.reference, list[float](), subject.reference
    failed = repeated = refused = replaced = 0
    spent, stopped = 0.0, ""
    while len(bests) < evals:
        start, asked = time.process_time(), True
        if not bests:
            configuration, asked = subject.space.default, False
        else:
            try:
                refusals, proposal = _proposal(subject.space, peer, worst)
            except StopIteration:  # of ours alone: the space is exhausted
                bests += [best] * (evals - len(bests))
                break
            refused += refusals
            configuration, asked = proposal or subject.space.sample(1, rng)[0], proposal is not None
            replaced += not asked
        spent += time.process_time() - start
        repeated += configuration in known
        loss = known[configuration] if configuration in known else subject.loss(configuration)
        known[configuration] = loss
        failed += loss is None
        if loss is not None:
            best, worst = min(best, loss), max(worst, loss)
        bests.append(best)
        start = time.process_time()
        (peer.tell if asked else peer.tell_other)(configuration, worst if loss is None else loss, loss is None)
        spent += time.process_time() - start
        if spent > limit_s and len(bests) < evals:
            stopped = f"stopped after {len(bests)} evaluations in {limit_s:.0f} s"
            break
    return PeerRun(bests, subject.reference, subject.optimum, spent, failed, repeated, refused, replaced, stopped)


def _proposal(space: Space, peer: Peer, worst: float) -> tuple[int, Configuration | None]:
    """How many suggestions were refused, and the first that was not."""
    for refused in range(peer.asks):
        configuration = peer.ask()
        if space.contains(configuration):
            return refused, configuration
        peer.refuse(configuration, worst)
    return peer.asks, None


def recorded_names(data: Path) -> list[str]:
    """The recorded spaces by RULE."""
    stated = json.loads((data / "SPLIT.json").read_text(encoding="utf-8"))["developers"]
    suites: dict[str, list[str]] = {}
    for name in sorted(str(name) for name in stated):
        suites.setdefault(name.partition("/")[0], []).append(name)
    chosen = []
    for names in suites.values():
        chosen += [name for name in names if name not in DEV and _is_complete(data / f"{name}.json")][:PER_SUITE]
    return chosen


def _is_complete(description: Path) -> bool:
    """Does a recorded space of one objective state that every configuration of it was measured?"""
    stated = json.loads(description.read_text(encoding="utf-8"))
    is_space = stated.get("schema") == SCHEMA and len(stated["objectives"]) == 1
    return is_space and str(stated.get("coverage")).startswith("complete")


@lru_cache(maxsize=32)
def recorded(data: Path, models: Path, name: str) -> Subject:
    table = problem(data, name, models)
    objective: Objective = table.objective

    def loss(configuration: Configuration) -> float | None:
        outcome = table.outcome(configuration)
        return objective.loss(outcome.values[objective.name]) if isinstance(outcome, Measured) else None

    default = loss(table.space.default)
    reference = float(np.median(table.losses)) if default is None else default
    return Subject(name, table.space, loss, reference, table.optimum)


def drawn(kind: str, seed: int) -> Subject:
    made = KINDS[kind](seed)
    assert not made.is_noisy and made.workers == 1
    rng = np.random.default_rng(0)  # of the noise, which there is none of

    def loss(configuration: Configuration) -> float | None:
        outcome = made.measured(configuration, rng)
        return outcome.values[OBJECTIVE.name] if isinstance(outcome, Measured) else None

    return Subject(kind, made.space, loss, made.default, made.optimum)


@dataclass(frozen=True, slots=True)
class Panel:
    """What is run: `until` is the clock's time (`time.monotonic`) from which no further run is started."""

    places: Places
    seeds: Sequence[int]
    evals: int
    limit_s: float
    until: float
    told: Callable[[str], None]

    def subject(self, name: str, seed: int) -> Subject:
        return drawn(name, seed) if name in KINDS else recorded(self.places.data, self.places.kept / "models", name)

    def path(self, method: str, name: str, seed: int) -> Path:
        key = code_version()[:20] if method in OURS else adapter_version(method)
        folder = self.places.kept / "peers" / name.replace("/", ".").replace(" ", "-").replace(",", "")
        label = method.replace(" ", "-").replace(",", "")
        return folder / f"{label}-{seed}-{self.evals}-{key}.json"

    def run(self, method: str, name: str, seed: int) -> PeerRun | None:
        """The kept run, unless more time is given now than it was stopped after; else a new one. None where it is not
        kept and no time is left."""
        path = self.path(method, name, seed)
        kept = PeerRun(**json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None
        if time.monotonic() >= self.until:
            return kept
        if kept is not None and not (kept.stopped and kept.seconds < self.limit_s):
            return kept
        subject = self.subject(name, seed)
        task = Task(subject.space, seed, self.evals)
        done = searched(
            subject, Ours(task, method) if method in OURS else adapter(method)(task), seed, self.evals, self.limit_s
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.write_text(json.dumps(asdict(done)), encoding="utf-8")
        partial.replace(path)
        return done


def adapter(method: str) -> Callable[[Task], Peer]:
    peer = PEERS[method]
    made: Callable[[Task], Peer] = getattr(importlib.import_module(f"{FOLDER}.{peer.module}"), peer.name)
    return made


@lru_cache(maxsize=16)
def adapter_version(method: str) -> str:
    """A digest of the peer's versions and of its adapter's source."""
    folder = Path(__file__).with_name("installed")
    parts = [versions(method).encode(), *((folder / f"{m}.py").read_bytes() for m in (PEERS[method].module, "peer"))]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:20]


def versions(method: str) -> str:
    """The versions of a peer's packages.

    Raises:
        PackageNotFoundError: one is not installed.
    """
    told = [f"{package} {version(package)}" for package in PEERS[method].packages]
    return ", ".join([*told, *([auto_sampler_version()] if method == "Optuna AutoSampler" else [])])


def table(panel: Panel, names: Sequence[str], methods: Sequence[str]) -> str:
    """Every search's means and how far `auto` is ahead in pairs, of recorded and of drawn problems; then one by one."""
    present, missing = _installed(methods)
    runs: dict[tuple[str, str], list[PeerRun]] = {}
    unfinished: dict[tuple[str, str], list[str]] = {}  # problems by method and reason
    for method in present:
        for name in names:
            try:
                found, reason = _runs(panel, method, name)
            except Exception as error:  # a peer's own failure is told, whatever it raised
                found, reason = [], f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
            if reason:
                unfinished.setdefault((method, reason), []).append(name)
            else:
                runs[method, name] = found
        panel.told(method)
    missing += [f"{method} on {_problems(of, names)}: {reason}" for (method, reason), of in unfinished.items()]
    parts, details = [], []
    groups = {"recorded": [n for n in names if n not in KINDS], "drawn": [n for n in names if n in KINDS]}
    for group, of in groups.items():
        if of:
            parts.append(f"{len(of)} {group} problems, {len(panel.seeds)} seeds:\n\n{_means(runs, of, present)}")
            details.append(_one_by_one(runs, of, present))
    parts.append(_best_peers(runs, names, present))
    told = [f"{method}: {versions(method)}" for method in present if method in PEERS]
    parts.append("Versions: " + "; ".join([f"tunepass {version('tunepass')}, numpy {np.__version__}", *told]) + ".")
    parts.append("Not in the table: " + ("; ".join(missing) if missing else "nothing") + ".")
    return with_details("\n\n".join(parts), *details)


def _problems(of: Sequence[str], names: Sequence[str]) -> str:
    return "every problem" if len(of) == len(names) else ", ".join(f"`{name}`" for name in of)


def _installed(methods: Sequence[str]) -> tuple[list[str], list[str]]:
    """Methods that can be imported, and why the others cannot."""
    present, missing = [], list[str]()
    for method in methods:
        if method in PEERS:
            try:
                versions(method)
                for package in MODULES.get(method, ()):
                    importlib.import_module(package)
            except PackageNotFoundError as error:
                missing.append(f"{method}: {error.name} is not installed")
                continue
            except Exception as error:  # whatever its import raises
                missing.append(f"{method}: {type(error).__name__}: {error}")
                continue
        present.append(method)
    return present, missing


MODULES: Mapping[str, tuple[str, ...]] = {"HEBO": ("hebo.optimizers.hebo",), "SMAC": ("smac",), "BoTorch": ("botorch",)}


def _runs(panel: Panel, method: str, name: str) -> tuple[list[PeerRun], str]:
    """All seeds' runs, or why there are none."""
    found: list[PeerRun] = []
    for seed in panel.seeds:
        run = panel.run(method, name, seed)
        if run is None:
            return [], f"{len(found)} of {len(panel.seeds)} seeds were run in the time that was given"
        if run.stopped:
            return [], f"{run.stopped}, seed {seed}"
        found.append(run)
    return found, ""


def _means(runs: Mapping[tuple[str, str], list[PeerRun]], names: Sequence[str], methods: Sequence[str]) -> str:
    rows = []
    for method in methods:
        of = [name for name in names if (method, name) in runs and (methods[0], name) in runs]
        if not of:
            continue
        every = [run for name in of for run in runs[method, name]]
        gained = [_gained(runs[method, name]) for name in of]
        ahead = [_gained(runs[methods[0], name]) - one for name, one in zip(of, gained)]
        counts = [np.mean([getattr(run, count) for run in every]) for count in COUNTS]
        rows.append(
            [
                method,
                f"{len(of)} of {len(names)}",
                *_cells(gained),
                *(_cells(ahead, "+") if method != methods[0] else [""] * len(MARKS)),
                *(f"{count:.3g}" for count in counts),
                f"{1e3 * np.mean([run.seconds for run in every]) / len(every[0].best):.3g}",
            ]
        )
    head = ["search", "problems", *(f"gained at {m}" for m in MARKS), *(f"{methods[0]} ahead at {m}" for m in MARKS)]
    return markdown([*head, *COUNTS, "ms"], rows)


def _gained(runs: Sequence[PeerRun]) -> Floats:
    """(seeds, marks)."""
    return np.array([run.gained[[mark - 1 for mark in MARKS]] for run in runs])


def _cells(values: Sequence[Floats], sign: str = "") -> list[str]:
    means, errors = mean_of_means(values)
    return [f"{mean:{sign}.3f} ± {error:.3f}" for mean, error in zip(means, errors)]


def _best_peers(runs: Mapping[tuple[str, str], list[PeerRun]], names: Sequence[str], methods: Sequence[str]) -> str:
    """Of each problem the peer that gained most at the last mark, and the difference in pairs."""
    rows = []
    for name in names:
        peers = [method for method in methods if method in PEERS and (method, name) in runs]
        if not peers or (methods[0], name) not in runs:
            continue
        ours = _gained(runs[methods[0], name])
        best = max(peers, key=lambda method: float(_gained(runs[method, name])[:, -1].mean()))
        theirs = _gained(runs[best, name])
        rows.append(
            [name, str(len(peers)), *_cells([ours]), best, *_cells([theirs])[-1:], *_cells([ours - theirs], "+")]
        )
    head = ["problem", "peers", *(f"{methods[0]} at {m}" for m in MARKS), f"best peer at {MARKS[-1]}", "its gain"]
    return markdown([*head, *(f"{methods[0]} ahead at {m}" for m in MARKS)], rows)


def _one_by_one(runs: Mapping[tuple[str, str], list[PeerRun]], names: Sequence[str], methods: Sequence[str]) -> str:
    rows = []
    for name in names:
        for method in (method for method in methods if (method, name) in runs):
            of = runs[method, name]
            shares = [run.optimum / run.best[-1] for run in of]
            rows.append([name, method, *_cells([_gained(of)]), f"{np.mean(shares):.3f}",
                         f"{1e3 * np.mean([run.seconds for run in of]) / len(of[0].best):.3g}"])  # fmt: skip
    head = ["problem", "search", *(f"gained at {mark}" for mark in MARKS), f"optimum over best at {MARKS[-1]}", "ms"]
    return markdown(head, rows)
