"""A pipeline inside another compiler: the contract, compilers that break it, and what a process keeps."""

from __future__ import annotations

import gc
import importlib.util
import inspect
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from types import ModuleType

import pytest

import tunepass as tp
from tunepass.extension import Evaluate
from tunepass.study.storage import process_owner
from tunepass.testing import EmbeddingContract, ProcessCounts, Tune

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "samples" / "embedding"
TILE, UNROLL = tp.Ordinal("tile", [4, 8, 16, 32, 64], log=True), tp.Integer("unroll", 1, 8)


def sample(name: str) -> ModuleType:
    """A module of samples/embedding under its own name, as its folder's programs import it."""
    spec = importlib.util.spec_from_file_location(name, SAMPLE / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


toycc = sample("toycc")
TestToycc = sample("test_toycc").TestToycc


def kernel(name: str = "fir") -> tp.Kernel:
    return tp.Kernel(name=name, language="mine", source=tp.Source("fir.mine", "fir"), parameters=(TILE, UNROLL))


def price(configuration: tp.Configuration) -> float:
    tile, unroll = int(str(configuration["tile"])), int(str(configuration["unroll"]))
    return 640 / tile + tile / unroll + 3 * unroll


def tune(
    *, seed: int = 0, stop: Callable[[], bool] = lambda: False, during: Callable[[], None] = lambda: None
) -> tp.Result:
    """With an evaluator that is opened and closed, and that returns its defects as failures."""

    def evaluate(configuration: tp.Configuration, /) -> tp.Evaluation:
        try:
            during()
        except Exception as error:
            return tp.Evaluation(tp.Failed("run", str(error)))
        return tp.Evaluation(tp.Measured({"time": price(configuration)}))

    @contextmanager
    def evaluators(kernel: tp.Kernel) -> Iterator[Evaluate]:
        with tempfile.TemporaryDirectory():
            yield evaluate

    options = tp.SearchOptions(max_evals=10, seed=seed, strategy="random")
    return tp.Pipeline.default(evaluators=evaluators, options=options, stop=stop).run(kernel())


class TestEvaluators(EmbeddingContract):
    @pytest.fixture
    def tune(self) -> Tune:
        return tune


# -- compilers that break the contract


def unseeded(**words: object) -> tp.Result:
    SEEDS.append(len(SEEDS))
    return tune(**{**words, "seed": SEEDS[-1]})  # type: ignore[arg-type]


def unstoppable(**words: object) -> tp.Result:
    return tune(**{**words, "stop": lambda: False})  # type: ignore[arg-type]


def swallowing(**words: object) -> tp.Result:
    """Its evaluator passes over every error, Ctrl-C too."""

    def during() -> None:
        with suppress(BaseException):
            words.get("during", lambda: None)()  # type: ignore[operator]

    return tune(**{**words, "during": during})  # type: ignore[arg-type]


def handling(**words: object) -> tp.Result:
    """It sets a handler of a signal, and leaves it there."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGUSR1, lambda number, frame: None)
    return tune(**words)  # type: ignore[arg-type]


def leaving_a_file(**words: object) -> tp.Result:
    Path("compiled.o").touch()
    return tune(**words)  # type: ignore[arg-type]


def printing(**words: object) -> tp.Result:
    os.write(2, b"compiling\n")
    return tune(**words)  # type: ignore[arg-type]


def opening(**words: object) -> tp.Result:
    OPENED.append(os.open(os.devnull, os.O_RDONLY))
    return tune(**words)  # type: ignore[arg-type]


def sharing(**words: object) -> tp.Result:
    """Runs share a variable: the latest says how all evaluate."""
    LATEST["seed"] = words.get("seed", 0)
    seed = LATEST["seed"]

    def evaluate(kernel: tp.Kernel, configuration: tp.Configuration) -> float:
        words.get("during", lambda: None)()  # type: ignore[operator]
        return price(configuration) + (LATEST["seed"] != seed)

    return tp.Pipeline.default(evaluate=evaluate, max_evals=10, strategy="random").run(kernel())


def not_the_choice(**words: object) -> tp.Result:
    """It compiles with another schedule than the one that was chosen."""
    result = tune(**words)  # type: ignore[arg-type]
    from dataclasses import replace

    other = result.kernel.scheduled((tp.Choice("tile", 4), tp.Choice("unroll", 7)))
    return tp.Result(replace(result.compilation, kernel=other))


SEEDS: list[int] = []
OPENED: list[int] = []
LATEST: dict[str, object] = {}
C = EmbeddingContract
BROKEN: list[tuple[Callable[..., tp.Result], Callable[..., None]]] = [
    (unseeded, C.test_a_seed_gives_the_same_trials_and_the_same_choice),
    (not_the_choice, C.test_the_choice_is_feasible_and_is_the_schedule),
    (unstoppable, C.test_a_request_before_the_first_evaluation_leaves_the_default),
    (unstoppable, C.test_a_request_ends_the_search_after_the_evaluation_that_runs),
    (swallowing, C.test_an_interrupt_ends_the_search_with_the_best_so_far),
    (swallowing, C.test_an_exception_of_the_evaluator_is_a_failed_trial_or_reaches_the_caller),
    (sharing, C.test_a_run_inside_another_changes_neither),
    (handling, C.test_settings_of_the_process_are_the_callers),
    (leaving_a_file, C.test_nothing_is_printed_and_no_file_is_left),
    (printing, C.test_nothing_is_printed_and_no_file_is_left),
    (opening, C.test_runs_leave_no_handles_threads_or_children),
]


@pytest.mark.parametrize("broken,check", BROKEN, ids=lambda value: value.__name__)
def test_a_compiler_that_breaks_the_contract_fails_it(
    broken: Callable[..., tp.Result], check: Callable[..., None], request: pytest.FixtureRequest
) -> None:
    before = signal.getsignal(signal.SIGUSR1)
    names = [name for name in inspect.signature(check).parameters if name not in ("self", "tune")]
    try:
        with pytest.raises(AssertionError):
            check(EmbeddingContract(), broken, **{name: request.getfixturevalue(name) for name in names})
    finally:
        signal.signal(signal.SIGUSR1, before)
        while OPENED:
            os.close(OPENED.pop())


# -- what a process keeps


def test_thirty_runs_leave_the_process_as_it_was() -> None:
    def run(seed: int) -> None:
        """Each of another kernel, most with a model of the objective after the first ten evaluations."""
        pipeline = tp.Pipeline.default(evaluate=plain, max_evals=13, seed=seed)
        pipeline.run(kernel(f"fir{seed}"))

    run(0)
    gc.collect()
    counts, owners, objects = ProcessCounts.now(), len(process_owner._LIVING), len(gc.get_objects())
    for seed in range(1, 31):
        run(seed)
    gc.collect()
    assert counts.settled() == counts and len(process_owner._LIVING) == owners
    assert len(gc.get_objects()) < objects + 100  # a run has thousands


UNBOUNDED = {  # caches without a number of entries, each over a finite set of keys
    **dict.fromkeys(("shipped", "_fixed_parts", "available", "shield", "calibrated", "architectures"), "no argument"),
    **dict.fromkeys(("load", "_load", "tool", "board"), "names of devices"),
    "devices_of": "the drivers of GPUs",
    "_columns": "versions of the store's schema",
    "_others": "sizes of parameters up to a limit",
    "reorderings": "sizes of permutations up to a limit",
    "rule": "lines of the shipped table of layers",
    "_fields": "classes of nodes",
}
GLOBALS = {  # containers of modules that runs write into
    "_releases": "the loaded classes of plug-ins",
    "_device_releases": "the devices of plug-ins",
    "_WEAKENED": "sentences, one for each kind of protection",
    "_LIVING": "the open stores",
    "_running": "the programs that run",
    "_received": "the signals of each entered handler, removed when it ends",
    "_ANSWERS": "MOST_ANSWERS of them",
    "_UNITS": "MOST_UNITS of them",
}
CACHE = re.compile(r"^@(?:functools\.)?(?:cache|lru_cache\((?:maxsize=)?None\))\ndef (\w+)", re.MULTILINE)
CONTAINER = re.compile(r"^(_\w+)(?:: [^=\n]+)? = (?:\{\}|\[\]|set\(\)|dict\(\))", re.MULTILINE)


def test_every_cache_of_the_package_is_bounded() -> None:
    sources = [
        path.read_text() for folder in ("tunepass", "frontends", "hwmodels") for path in (ROOT / folder).rglob("*.py")
    ]
    assert {name for text in sources for name in CACHE.findall(text)} == UNBOUNDED.keys()
    assert {name for text in sources for name in CONTAINER.findall(text)} == GLOBALS.keys()


# -- the arguments of Pipeline.default for compilers


def plain(kernel: tp.Kernel, configuration: tp.Configuration) -> float:
    return price(configuration)


def unequal(kernel: tp.Kernel) -> AbstractContextManager[Evaluate]:
    return nullcontext(lambda configuration: 3.0)  # type: ignore[return-value, arg-type]


@pytest.mark.parametrize(
    "words,message",
    [
        ({"evaluate": 3}, "evaluate is a function, got 3"),
        ({"evaluators": "toy"}, "evaluators is a function, got 'toy'"),
        ({"evaluate": plain, "evaluators": unequal}, "give one of them"),
        ({"evaluators": unequal, "catch": ValueError}, "catch is of the exceptions of `evaluate`"),
        ({"evaluate": plain, "catch": KeyboardInterrupt}, "catch is an exception's class or several"),
        ({"objectives": [tp.Objective("cycles")]}, "neither of which is given"),
        ({"evaluate": plain, "objectives": ["cycles"]}, "objectives is a list of Objective"),
        ({"evaluate": plain, "stop": True}, "stop is a function"),
        ({"evaluate": plain, "identity": {"version": 3}}, "an identity is a mapping of names to texts"),
        ({"evaluate": plain, "options": tp.SearchOptions(), "seed": 1}, "give either those or it"),
    ],
)
def test_arguments_that_break_their_rule(words: dict[str, object], message: str) -> None:
    with pytest.raises(tp.TunepassError, match=re.escape(message)):
        tp.Pipeline.default(**words)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "words,message",
    [
        ({"evaluate": lambda kernel, configuration: "fast"}, "the function returns a number"),
        ({"evaluate": lambda kernel, configuration: {"cycles": 3}}, "no objective 'cycles'"),
        ({"evaluators": lambda kernel: 3}, "evaluators returns a context manager of an evaluator, got 3"),
        ({"evaluators": unequal}, "an evaluator returns an Evaluation, got 3.0"),
    ],
)
def test_answers_that_are_none(words: dict[str, object], message: str) -> None:
    with pytest.raises(tp.TunepassError, match=re.escape(message)):
        tp.Pipeline.default(max_evals=3, **words).run(kernel())  # type: ignore[arg-type]


def test_caught_exceptions_are_failed_trials_and_objectives_are_the_compilers() -> None:
    def evaluate(kernel: tp.Kernel, configuration: tp.Configuration) -> dict[str, float]:
        if configuration["unroll"] == 2:
            raise ValueError("no such register")
        return {"cycles": price(configuration), "size": float(str(configuration["unroll"]))}

    objectives = [tp.Objective("cycles"), tp.Objective("size", unit="B")]
    result = tp.Pipeline.default(
        evaluate=evaluate, catch=(ValueError, KeyError), objectives=objectives, strategy="random"
    ).run(kernel())
    assert result.found.failures == {"run": 5} and len(result.found.trials) == 40
    failed = next(t.outcome for t in result.found.trials if isinstance(t.outcome, tp.Failed))
    assert failed.log.endswith("ValueError: no such register\n")
    assert [gain.objective for gain in result.found.gains] == objectives and len(result.pareto) > 1


def test_values_that_are_not_finite_are_failures() -> None:
    pipeline = tp.Pipeline.default(evaluate=lambda kernel, configuration: float("nan"), max_evals=3)
    assert pipeline.run(kernel()).found.failures == {"metric": 3}


def test_without_an_emitter_there_is_a_choice_and_no_source() -> None:
    result = tp.Pipeline.default(evaluate=plain, max_evals=3).run(kernel())
    assert result.compilation.files == () and result.kernel.schedule
    with pytest.raises(tp.TunepassError, match="no emitter for this kernel"):
        _ = result.source


def test_a_store_keeps_the_trials_of_kernels_and_of_compilers_apart(tmp_path: Path) -> None:
    def trials(name: str, version: str) -> tuple[int, int]:
        """All of the study, and those evaluated in this run."""
        options = tp.SearchOptions(max_evals=4, strategy="random", store=f"sqlite:///{tmp_path / 'runs.db'}")
        pipeline = tp.Pipeline.default(evaluate=plain, options=options, identity={"compiler": version})
        result = pipeline.run(kernel(name)).found
        return len(result.trials), result.evaluations

    assert trials("fir", "1.0") == (4, 4) and trials("fir", "1.0") == (4, 0)
    assert trials("iir", "1.0") == (4, 4) and trials("fir", "1.1") == (4, 4)


def test_an_exact_solver_stops_on_request() -> None:
    source = ROOT / "samples" / "spatial" / "BlackScholes.scala"
    pipeline = tp.Pipeline.default(device="stratix-v", strategy="branch_and_bound", stop=lambda: True)
    result = pipeline.run(tp.load(source))
    assert result.found.stopped and result.found.certificate is not None


def test_the_sample_prints_its_schedule() -> None:
    done = subprocess.run([sys.executable, SAMPLE / "toycc.py"], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("# chosen of 20 trials: order = (") and lines[1].startswith("matmul order=(")
    assert re.fullmatch(r"cycles: \d+ -> \d+, \d\.\d\dx \{'run': \d+\}", lines[2])
    code = [line for line in (SAMPLE / "toycc.py").read_text().splitlines() if line.strip()]
    assert len(code) <= 70
