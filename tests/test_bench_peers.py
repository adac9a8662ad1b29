"""The table of installed peers: what it asks of a peer, counts, and says of peers that are missing or fail."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.search import panel_peers
from tests.benchmarks.search.installed.peer import Peer, Task, coded, codes_of, configuration_of
from tests.benchmarks.search.panel_peers import Installed, Ours, Panel, PeerRun, Subject, searched
from tests.benchmarks.search.runs import Places
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation, Real
from tunepass.space.space import Space

SPACE = Space([Ordinal("x", [1, 2, 4, 8], log=True), Integer("y", 0, 4), Categorical("f", ["a", "b"])], ["x + y <= 9"])


def loss(configuration: Configuration) -> float | None:
    """Least, 1, at x = 4, y = 3; y = 1 fails."""
    x, y = int(str(configuration["x"])), int(str(configuration["y"]))
    return None if y == 1 else 1.0 + abs(x - 4) + (y - 3) ** 2


SUBJECT = Subject("toy", SPACE, loss, reference=13.0, optimum=1.0)


class Scripted(Peer):
    """Proposes (x, y) in turn, and keeps what it is told."""

    asks = 3

    def __init__(self, *places: tuple[int, int]):
        self._places, self.told = iter(places), list[tuple[str, float, bool]]()

    def ask(self) -> Configuration:
        x, y = next(self._places)
        return Configuration({"x": x, "y": y, "f": "a"})

    def tell(self, configuration: Configuration, loss: float, failed: bool) -> None:
        self.told.append(("asked", loss, failed))

    def tell_other(self, configuration: Configuration, loss: float, failed: bool) -> None:
        self.told.append(("other", loss, failed))


def test_refused_suggestions_cost_nothing_and_repeated_and_failed_ones_do() -> None:
    peer = Scripted((8, 3), (4, 2), (4, 2), (4, 1), (8, 2), (8, 3), (8, 4))
    run = searched(SUBJECT, peer, 0, 5, limit_s=60.0)
    assert run.best[:4] == [13.0, 2.0, 2.0, 2.0] and len(run.best) == 5
    assert (run.refused, run.repeated, run.failed, run.replaced) == (4, 1, run.failed, 1)
    assert peer.told[0] == ("other", 13.0, False)  # the default, which everyone begins with
    assert peer.told[1:5] == [
        ("asked", 13.0, True),
        ("asked", 2.0, False),
        ("asked", 2.0, False),
        ("asked", 13.0, True),
    ]
    assert peer.told[-1][0] == "other"  # a feasible configuration in place of three refused ones
    assert run.gained[1] == pytest.approx(11 / 12)


def test_our_strategy_evaluates_the_default_once_and_ends_with_the_space() -> None:
    run = searched(SUBJECT, Ours(Task(SPACE, 3, 60), "auto"), 3, 60, limit_s=60.0)
    assert len(run.best) == 60 and run.best[-1] == 1.0 and run.gained[-1] == 1.0
    assert run.repeated == run.refused == run.replaced == 0


def test_a_search_over_its_limit_of_time_is_stopped_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(1000))
    monkeypatch.setattr(time, "process_time", lambda: float(next(clock)))
    run = searched(SUBJECT, Scripted(*[(4, 2)] * 9), 0, 9, limit_s=5.0)
    assert run.stopped == f"stopped after {len(run.best)} evaluations in 5 s" and 1 < len(run.best) < 9


def test_configurations_come_back_from_their_codes() -> None:
    space = Space([*SPACE.parameters, Real("r", 0.5, 2.0, log=True), Permutation("p", 3)])
    parameters = coded(space)
    for configuration in space.sample(20, np.random.default_rng(1)):
        assert configuration_of(codes_of(configuration, parameters), parameters) == configuration
    assert [p.ordered for p in parameters] == [True, True, False, True, False]
    assert parameters[0].steps == [0.0, 1.0, 2.0, 3.0]


def test_recorded_spaces_are_chosen_by_the_rule(tmp_path: Path) -> None:
    def described(name: str, coverage: str, objectives: int) -> None:
        path = tmp_path / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            json.dumps({"schema": "tunepass-recorded-space/1", "coverage": coverage, "objectives": [{}] * objectives})
        )

    stated = {"b/2": "complete", "b/1": "complete set", "b/3": "complete", "a/1": "sample", "ktt/z": "complete"}
    for name, coverage in stated.items():
        described(name, coverage, 1)
    described("a/0", "complete", 2)
    described("ktt/convolution-2080Ti", "complete", 1)  # settings were chosen on this one
    names = [*stated, "a/0", "ktt/convolution-2080Ti"]
    (tmp_path / "SPLIT.json").write_text(json.dumps({"developers": names}))
    assert panel_peers.recorded_names(tmp_path) == ["b/1", "b/2", "ktt/z"]


class Random(Scripted):
    def __init__(self, task: Task):
        super().__init__()
        self._rng = np.random.default_rng(task.seed)

    def ask(self) -> Configuration:
        return SPACE.sample(1, self._rng)[0]


class Broken(Random):
    def ask(self) -> Configuration:
        raise RuntimeError("no positive definite matrix")


def toy_panel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, until: float = np.inf) -> Panel:
    peers = {"absent": Installed("no", "No", ("no-such-distribution",)), "numpy": Installed("", "", ("numpy",)),
             "broken": Installed("", "", ("scipy",))}  # fmt: skip
    monkeypatch.setattr(panel_peers, "PEERS", peers)
    monkeypatch.setattr(panel_peers, "adapter", lambda name: {"numpy": Random, "broken": Broken}[name])
    monkeypatch.setattr(panel_peers, "adapter_version", lambda name: "1")
    monkeypatch.setattr(Panel, "subject", lambda self, name, seed: replace(SUBJECT, name=name))
    return Panel(Places(tmp_path, tmp_path), range(2), 60, 60.0, until, lambda text: None)


def test_the_table_names_peers_that_are_missing_or_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = toy_panel(tmp_path, monkeypatch)
    text = panel_peers.table(panel, ["toy"], ["auto", "numpy", "absent", "broken"])
    assert "absent: no-such-distribution is not installed" in text
    assert "broken on every problem: RuntimeError: no positive definite matrix" in text
    assert f"numpy: numpy {np.__version__}" in text
    auto, numpy = (line for line in text.splitlines() if "1 of 1" in line)
    assert "| 1.000 ± 0.000 | 1.000 ± 0.000 |" in auto and numpy.count("±") == 6
    kept = toy_panel(tmp_path, monkeypatch, until=0.0)  # nothing more is run
    again = panel_peers.table(kept, ["toy"], ["auto", "numpy"])
    assert auto in again and numpy in again and "Not in the table: nothing." in again


def test_what_was_not_run_in_time_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = toy_panel(tmp_path, monkeypatch, until=0.0)
    text = panel_peers.table(panel, ["toy"], ["auto", "numpy"])
    assert "numpy on every problem: 0 of 2 seeds were run in the time that was given" in text


def test_a_run_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = toy_panel(tmp_path, monkeypatch).run("numpy", "toy", 0)
    assert isinstance(done, PeerRun)
    assert toy_panel(tmp_path, monkeypatch, until=0.0).run("numpy", "toy", 0) == done


def test_a_stopped_run_is_run_again_with_more_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = toy_panel(tmp_path, monkeypatch)
    stopped = replace(panel, limit_s=-1.0).run("numpy", "toy", 0)
    assert stopped is not None and len(stopped.best) == 1 and stopped.stopped
    assert replace(panel, until=0.0).run("numpy", "toy", 0) == stopped
    again = panel.run("numpy", "toy", 0)
    assert again is not None and len(again.best) == 60 and not again.stopped


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of Optuna
@pytest.mark.parametrize(
    "method",
    [name for name, peer in panel_peers.PEERS.items() if all(find_spec(p.replace("-", "_")) for p in peer.packages)],
)
def test_an_installed_peer_takes_the_space_its_constraints_and_failures(method: str) -> None:
    run = searched(SUBJECT, panel_peers.adapter(method)(Task(SPACE, 1, 12)), 1, 12, limit_s=60.0)
    assert len(run.best) == 12 and run.best[-1] < 13.0
