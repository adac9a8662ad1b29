"""A wing that nobody foresaw: a language, a kind of kernel, a backend and a hardware model, defined here alone, go
through every command. What differs by kind is in these classes and in three lines of tables."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from tunepass import registry
from tunepass.backends.base import Backend, Target, cost_model
from tunepass.cli import main
from tunepass.diagnostics import Source, SourceError
from tunepass.expr import algebra
from tunepass.expr.parser import parse as parse_expression
from tunepass.frontends.base import Frontend, Parsed
from tunepass.hwmodels.base import CostModel, Costs, DeviceSummary, ModelError
from tunepass.ir.body import Body
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Binding, Kernel
from tunepass.jobs.locks.tuned_sources import tuned_source
from tunepass.jobs.reading import load
from tunepass.passes.pipeline import Pipeline
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Integer
from tunepass.space.space import Space
from tunepass.study.identity import Identity, source_hash
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluate, Evaluation, Measured
from tunepass.study.space_description import space_hash
from tunepass.testing.backend import BackendContract
from tunepass.testing.cost_model import CostModelContract
from tunepass.testing.frontend import FrontendContract

HERE = __name__
LOOM = """\
weave scarf
threads 8
picks 3
"""
WORD = re.compile(r"^(threads|picks) (\d+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Cloth(Body):
    """Woven with `threads` and `picks`; `measured` cloth can be tried on the loom."""

    kind: ClassVar[str] = "cloth"
    measured: bool


class LoomFrontend(Frontend):
    """`weave NAME`, `threads N`, `picks N`; a first word `try` says that there is a loom."""

    suffixes: ClassVar[tuple[str, ...]] = (".loom",)

    def parse(self, source: Source, only: str | None = None, words: Sequence[str] = ()) -> Parsed:
        head = re.match(r"(weave|try) (\w+)$", source.text, re.MULTILINE)
        if head is None:
            raise SourceError("expected `weave NAME` or `try NAME`", source.span(0, min(1, len(source.text))))
        words = {m[1]: (int(m[2]), source.span(m.start(2), m.end(2))) for m in WORD.finditer(source.text)}
        return Parsed(
            (
                Kernel(
                    name=head[2],
                    language="loom",
                    source=source,
                    parameters=tuple(Integer(n, 1, 32, default=value, span=span) for n, (value, span) in words.items()),
                    bindings=tuple(Binding(name, "directive", span) for name, (_, span) in words.items()),
                    body=Cloth(measured=head[1] == "try"),
                ),
            )
        )

    def emit(self, kernels: Sequence[Kernel], note: str = "", word: str = "tuned") -> tuple[EmittedFile, ...]:
        (kernel,) = kernels
        chosen = {choice.parameter: choice.value for choice in kernel.schedule}
        text = WORD.sub(lambda m: f"{m[1]} {chosen.get(m[1], m[2])}", kernel.source.text)
        noted = text + "".join(f"# {line}\n" for line in note.splitlines())
        return (EmittedFile(f"{Path(kernel.source.name).stem}.{word}.loom", noted),)


class LoomModel(CostModel):
    """Days of weaving, and yarn of which there are 100."""

    def devices(self) -> tuple[str, ...]:
        return ("jacquard",)

    def summary(self, device: str) -> DeviceSummary:
        if device not in self.devices():
            raise ModelError(f"no loom {device!r}")
        return DeviceSummary(device, "loom", "a loom", None, {"yarn": 100})

    def costs(self, kernel: Kernel, device: str, words: Sequence[str] = ()) -> Costs | None:
        types = {p.name: p.type for p in kernel.parameters}
        days, yarn = (
            parse_expression(text, types) for text in ("ceildiv(960, threads) + 2 * picks", "threads * picks")
        )
        fits = algebra.compare(yarn, "<=", 100)
        return Costs({"days": days, "yarn": yarn}, {"days": "d"}, fits, {"yarn": 100}, name="the loom's model")


class ClothBackend(Backend):
    kind: ClassVar[str] = Cloth.kind

    @property
    def measures(self) -> bool:  # type: ignore[override]
        return self.kernel.body_as(Cloth).measured

    @property
    def device(self) -> str:
        return self.target.device or "jacquard"

    def objectives(self) -> tuple[Objective, ...]:
        units = {"days": "d", "yarn": ""}
        return tuple(Objective(name, unit=units[name]) for name in self.target.objectives or ("days",))

    def identity(self, space: Space) -> Identity:
        return Identity(source=source_hash(self.kernel.source.text), space=space_hash(space), device=self.device)

    def costs(self) -> Costs | None:
        return cost_model("loom").costs(self.kernel, self.device)

    def evaluator(self):  # type: ignore[no-untyped-def]
        return loom() if self.measures else None

    @classmethod
    def target_of(cls, identity: Identity, objectives: tuple[str, ...]) -> Target:
        return Target(device=identity.device, objectives=objectives)


def woven(configuration: Configuration) -> Evaluation:
    threads, picks = (int(str(configuration[name])) for name in ("threads", "picks"))
    return Evaluation(Measured({"days": float(-(-960 // threads) + 2 * picks + (threads % 7))}))


@contextmanager
def loom() -> Iterator[Evaluate]:
    yield woven


@pytest.fixture(autouse=True)
def tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """The three lines that a wing has in the tables."""
    monkeypatch.setattr(registry, "FRONTENDS", {**registry.FRONTENDS, ".loom": f"{HERE}:LoomFrontend"})
    monkeypatch.setattr(registry, "BACKENDS", {**registry.BACKENDS, "cloth": f"{HERE}:ClothBackend"})
    monkeypatch.setattr(registry, "COST_MODELS", {**registry.COST_MODELS, "loom": f"{HERE}:LoomModel"})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scarf.loom").write_text(LOOM)
    (tmp_path / "tried.loom").write_text(LOOM.replace("weave scarf", "try tried"))
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    capsys.readouterr()
    status = main(words)
    return status, capsys.readouterr().out


@pytest.mark.parametrize("name", ["scarf", "tried"])
def test_build_then_everything_that_reads(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = f"{name}.loom"
    status, out = run(capsys, "build", source, "--max-evals", "20", "--format", "json")
    built = json.loads(out)
    assert status == 0 and built["evaluations"] == 20 and built["objectives"]["days"]["gain"] > 1.2
    assert built["device"] == "jacquard" and built["outputs"] == [f"out/{name}.tuned.loom", *built["outputs"][1:]]
    tuned = load(folder / "out" / f"{name}.tuned.loom")
    assert {p.name: p.default for p in tuned.parameters} == built["choice"]
    assert (built["model"] is not None) is (name == "tried")
    again = json.loads(run(capsys, "build", source, "--frozen", "--format", "json")[1])
    assert again["evaluations"] == 0 and again["choice"] == built["choice"]
    status, out = run(capsys, "verify", source)
    assert (status, out.splitlines()[0]) == (0, f"{source}::{name}: fits")
    # Its evaluator reports no checks, and none of them counts as made; what is priced by a model has no ledger.
    assert ("  checks    0 ran, 29 could not run:" in out) is (name == "tried")
    assert "20 trials" in run(capsys, "explain", source)[1]
    assert run(capsys, "report", source, "-o", "page.html")[0] == 0 and name in (folder / "page.html").read_text()
    (folder / source).write_text(LOOM.replace("weave scarf", f"try {name}").replace("threads 8", "threads 9"))
    assert run(capsys, "verify", source)[0] == 3


def test_a_model_as_prior_mean_is_trusted_by_what_is_measured(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out = run(capsys, "build", "tried.loom", "--max-evals", "20")
    assert status == 0 and re.search(
        r"  model     the loom's model: rank correlation (0\.\d\d|1\.00) over 20 trials", out
    )
    assert "the loom's model: rank correlation" in run(capsys, "explain", "tried.loom")[1]


def test_a_search_that_began_without_a_model_goes_on_without(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(ClothBackend, "costs", lambda self: None)
        assert run(capsys, "build", "tried.loom", "--max-evals", "5")[0] == 0
    status, out = run(capsys, "build", "tried.loom", "--max-evals", "8", "--continue")
    assert status == 0 and "evaluated 3 configurations" in out and "the loom's model" not in out


def test_space_estimate_and_the_exact_front(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "1,024 configurations" in run(capsys, "space", "scarf.loom")[1]
    price = json.loads(run(capsys, "estimate", "scarf.loom", "--set", "threads=32,picks=4", "--format", "json")[1])
    assert price["values"] == {"days": 38, "yarn": 128} and price["fits"] is False
    words = ("pareto", "scarf.loom", "--exact", "--objective", "days,yarn", "--format", "json")
    front = json.loads(run(capsys, *words)[1])
    points = [(p["objectives"]["days"], p["objectives"]["yarn"]) for p in front["pareto"]]
    every = [(-(-960 // t) + 2 * p, t * p) for t in range(1, 33) for p in range(1, 33) if t * p <= 100]
    best = [a for a in every if not any(b != a and b[0] <= a[0] and b[1] <= a[1] for b in every)]
    assert front["certificate"]["exact"] and sorted(points) == sorted(set(best))
    status, out = run(capsys, "build", "scarf.loom", "--strategy", "branch_and_bound", "--format", "json")
    assert status == 0 and json.loads(out)["objectives"]["days"]["chosen"] == min(days for days, _ in every)


def test_a_compiler_is_given_what_the_lock_says(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    built = json.loads(run(capsys, "build", "scarf.loom", "--max-evals", "10", "--format", "json")[1])
    locked = tuned_source(Path("scarf.loom"))
    text = (folder / built["outputs"][0]).read_text()
    assert locked.text is not None and text.startswith(locked.text) and "# days" in text and not locked.stale


def test_a_pipeline_and_what_is_wrong_in_a_source(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = Pipeline.default("jacquard", max_evals=15).run(load("scarf.loom"))
    assert result.source.splitlines()[1] == f"threads {result.choice['threads']}"
    (folder / "bad.loom").write_text("knit\n")
    assert main(["build", "bad.loom"]) == 2
    assert "bad.loom:1:1" in capsys.readouterr().err


class TestFrontendContract(FrontendContract):
    @pytest.fixture
    def frontend(self) -> Frontend:
        return LoomFrontend()

    @pytest.fixture
    def source(self) -> Source:
        return Source("scarf.loom", LOOM)


class TestBackendContract(BackendContract):
    @pytest.fixture
    def kernel(self) -> Kernel:
        return LoomFrontend().parse(Source("scarf.loom", LOOM)).kernels[0]


class TestCostModelContract(CostModelContract):
    @pytest.fixture
    def model(self) -> CostModel:
        return LoomModel()

    @pytest.fixture
    def kernel(self) -> Kernel:
        return LoomFrontend().parse(Source("scarf.loom", LOOM)).kernels[0]
