"""The backend of C for high-level synthesis: by the model alone, and by the reports of a tool on the PATH."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.backends.hls_kernels import calls, scale_kernel, stub
from tunepass.backends.base import Backend, Starts, Target, backend_for
from tunepass.backends.hls import HlsBackend, Words
from tunepass.diagnostics import TunepassError
from tunepass.evaluators.capabilities import ReportsQuantities
from tunepass.ir.kernel import Kernel
from tunepass.jobs.job import prepare
from tunepass.passes.extract_space import ExtractSpace
from tunepass.passes.pipeline import Pipeline
from tunepass.passes.prune_space import PruneSpace
from tunepass.passes.search import Search
from tunepass.search.options import SearchOptions
from tunepass.search.result import SearchResult
from tunepass.space.configuration import Configuration
from tunepass.study.lock.lock import Lock
from tunepass.study.outcome import Failed, Infeasible, Measured
from tunepass.study.trial import Trial
from tunepass.testing.backend import BackendContract

__all__ = ["calls", "stub"]
pytestmark = pytest.mark.usefixtures("stub")
VITIS = ("vitis_hls", "--clock", "4")


def searched(backend: Backend, **options: object) -> SearchResult:
    step = Search(backend=lambda kernel: backend, options=SearchOptions(budget_s=None, **options))  # type: ignore[arg-type]
    result = Pipeline((ExtractSpace(), PruneSpace(), step)).run(backend.kernel)
    assert result.found is not None
    return result.found


def test_without_a_tool_the_model_has_an_exact_front(tmp_path: Path) -> None:
    backend = backend_for(scale_kernel(tmp_path), Target(device="vu9p"))
    assert isinstance(backend, HlsBackend) and not backend.measures and backend.only_priced
    found = searched(backend, strategy="branch_and_bound")
    assert found.certificate is not None and [o.name for o in found.objectives] == ["cycles", "luts"]
    assert len(found.pareto) == 18  # lanes that 90 DSPs are enough for
    assert "nothing was synthesised or run" in backend.basis and "vu9p" in backend.basis


def test_with_a_tool_its_reports_are_what_counts(tmp_path: Path, calls: Path) -> None:
    kernel = scale_kernel(tmp_path)
    backend = backend_for(kernel, Target(device="vu9p", compiler=VITIS))
    assert backend.measures and backend.only_priced and [o.name for o in backend.objectives()] == ["cycles"]
    assert "by vitis_hls 2024.2" in backend.basis and "nothing was run on a board" in backend.basis
    found = searched(backend, max_evals=16, seed=1)
    lanes = found.choice["U"]
    assert lanes in (16, 17, 18) and found.gains[0].chosen == 40 + 8000 // lanes
    by_lanes = {trial.configuration["U"]: trial.outcome for trial in found.trials}
    assert all(isinstance(o, Infeasible) and o.constraint == "dsps <= 90" for u, o in by_lanes.items() if u > 18)


def test_reports_correct_the_model_and_the_trust_is_told(tmp_path: Path, calls: Path) -> None:
    backend = backend_for(scale_kernel(tmp_path), Target(device="vu9p", compiler=VITIS))
    found = searched(backend, max_evals=12, seed=0)
    assert found.origin is not None and found.origin.is_model and found.origin.trust is not None
    assert "cycles off by" in found.origin.corrected and "rank correlation" in found.origin.worth()


def test_what_was_reported_tells_of_other_configurations(tmp_path: Path, calls: Path) -> None:
    backend = backend_for(scale_kernel(tmp_path), Target(device="vu9p", compiler=VITIS))
    with backend.evaluator() or pytest.fail("no evaluator") as evaluate:
        for lanes in (1, 2, 4, 8, 12):
            evaluate(Configuration({"U": lanes, "TILE": 1}))
        assert isinstance(evaluate, ReportsQuantities)
        corrected = backend.corrected(evaluate.reported)
    assert corrected is not None and corrected.sentence.startswith("corrected by 5 reports: cycles off by")
    expected = corrected.costs.values["cycles"]
    from tunepass.expr.python_eval import evaluate as at

    assert at(expected, {"U": 6, "TILE": 1}) == pytest.approx(40 + 8000 / 6, rel=0.1)


def test_failures_have_their_stage_and_harm_no_other(tmp_path: Path, calls: Path) -> None:
    backend = backend_for(scale_kernel(tmp_path, most=40), Target(device="vu9p", compiler=(*VITIS, "--timeout", "1")))
    with backend.evaluator() or pytest.fail("no evaluator") as evaluate:
        bad, slow, good = (evaluate(Configuration({"U": u, "TILE": 1})).outcome for u in (31, 37, 2))
    assert isinstance(bad, Failed) and bad.stage == "compile" and "unlucky" in bad.log
    assert isinstance(slow, Failed) and slow.stage == "timeout"
    assert good == Measured({"cycles": 4040})


def test_a_clock_that_intel_reports_makes_seconds_of_the_models_cycles(tmp_path: Path, calls: Path) -> None:
    target = Target(device="arria-10", compiler=("aoc", "-full"), objectives=("seconds", "luts"))
    backend = backend_for(scale_kernel(tmp_path, ".cl"), target)
    with backend.evaluator() or pytest.fail("no evaluator") as evaluate:
        outcome = evaluate(Configuration({"U": 4, "TILE": 1})).outcome
    assert outcome == Measured({"seconds": 1020 / 250e6, "luts": 1740})


def test_earlier_sessions_teach_without_a_synthesis(tmp_path: Path, calls: Path) -> None:
    kernel, target = scale_kernel(tmp_path), Target(device="vu9p", compiler=VITIS)
    configuration = Configuration({"U": 4, "TILE": 2})
    with backend_for(kernel, target).evaluator() or pytest.fail("no evaluator") as evaluate:
        outcome = evaluate(configuration).outcome
    before = calls.read_text()
    with backend_for(kernel, target).evaluator() or pytest.fail("no evaluator") as evaluate:
        evaluate.remember([Trial(0, configuration, outcome)])  # type: ignore[attr-defined]
        assert isinstance(evaluate, ReportsQuantities) and evaluate.reported[configuration]["cycles"] == 2040
    assert calls.read_text() == before


def test_nothing_is_started_that_may_not_be(tmp_path: Path, calls: Path) -> None:
    target = Target(device="vu9p", compiler=VITIS, starts=Starts.NOTHING)
    job = prepare(scale_kernel(tmp_path), target, Lock())
    assert job.identity.compiler == "" and job.backend.evaluator() is None and not calls.exists()


def test_the_design_is_the_source_with_its_words(tmp_path: Path, calls: Path) -> None:
    command = ("vitis_hls", "--part=xcu200-fsgd2104-2-e", "-DFAST", "--clock", "3.3")
    backend = backend_for(scale_kernel(tmp_path), Target(device="vu9p", compiler=command))
    assert isinstance(backend, HlsBackend)
    design = backend.design
    assert (design.part, design.clock_ns, design.words) == ("xcu200-fsgd2104-2-e", 3.3, ("-DFAST",))
    assert design.folder == tmp_path and design.function == "scale"
    assert "#define U 3" in (backend.lower(Configuration({"U": 3, "TILE": 1})).text or "")


@pytest.mark.parametrize(
    "command,message",
    [
        (("gcc",), "gcc is no synthesis tool"),
        (("aoc",), r"aoc takes no \.cpp sources"),
        (("vitis_hls", "--clock"), "--clock of vitis_hls has no value"),
        (("vitis_hls", "--clock", "fast"), "--clock is a number of ns, got 'fast'"),
        (("vitis_hls", "--timeout=-1"), "--timeout is a number of s"),
    ],
)
def test_commands_that_are_wrong(tmp_path: Path, calls: Path, command: tuple[str, ...], message: str) -> None:
    with pytest.raises(TunepassError, match=message):
        backend_for(scale_kernel(tmp_path), Target(device="vu9p", compiler=command))


def test_a_part_has_to_be_known(tmp_path: Path, calls: Path) -> None:
    with pytest.raises(TunepassError, match="synthesises for a part"):
        backend_for(scale_kernel(tmp_path), Target(device="xc7", compiler=VITIS))


def test_words_of_our_own_are_told_from_the_tools() -> None:
    words = Words.of(("v++", "--platform", "p", "--timeout=60", "-DX"))
    assert words == Words(program="v++", wall_s=60.0, rest=("--platform", "p", "-DX"))


class TestModelAlone(BackendContract):
    @pytest.fixture
    def kernel(self, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
        return scale_kernel(tmp_path_factory.mktemp("model"))

    @pytest.fixture
    def target(self) -> Target:
        return Target(device="vu9p")


class TestSynthesised(TestModelAlone):
    @pytest.fixture
    def target(self, calls: Path) -> Target:
        return Target(device="vu9p", compiler=VITIS)
