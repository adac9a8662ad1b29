"""Kernels for synthesis whose error a command measures: the sample of an accelerator, from its space to its front."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tests.program import run_tunepass
from tunepass import load
from tunepass.backends.base import Target, backend_for, default_of
from tunepass.backends.hls import HlsBackend
from tunepass.diagnostics import SourceError, TunepassError
from tunepass.evaluators.training import TrainingRun
from tunepass.ir.kernel import Kernel
from tunepass.space.space import Space
from tunepass.study.outcome import Infeasible, Measured
from tunepass.testing.backend import BackendContract

SAMPLE = Path(__file__).parents[2] / "samples" / "accelerator"
DEVICE = "accel-40nm"
SEARCHED = ["HIDDEN", "LEARNING_RATE", "DROPOUT", "L2", "BANDWIDTH", "LANES", "BITS", "INTEGER_SHARE"]
FIT = """
import sys
hidden, bits = int(sys.argv[1]), int(sys.argv[2])
print(f"error: {100 / hidden + 64 / bits}%")
"""
COMMAND = re.compile(r'run ".*?"')


def quick(folder: Path, command: str = "fit.py {HIDDEN} {BITS}") -> Path:
    """The sample, measured by a formula in place of a training."""
    text = (SAMPLE / "mlp.c").read_text()
    words = f'run "{sys.executable} {command} {{LEARNING_RATE}} {{DROPOUT}} {{L2}} {{INTEGER_SHARE}}"'
    (folder / "mlp.c").write_text(COMMAND.sub(words.replace("\\", "\\\\"), text))
    (folder / "fit.py").write_text(FIT)
    return folder / "mlp.c"


def backend(source: Path, *objectives: str, device: str = DEVICE) -> HlsBackend:
    made = backend_for(load(source), Target(device=device, objectives=objectives))
    assert isinstance(made, HlsBackend)
    return made


class TestContract(BackendContract):
    @pytest.fixture
    def kernel(self, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
        return load(quick(tmp_path_factory.mktemp("sample")))

    @pytest.fixture
    def target(self) -> Target:
        return Target(device=DEVICE, objectives=("error", "power"))


def test_the_sample_has_the_parameters_of_the_paper_s_table() -> None:
    kernel = load(SAMPLE / "mlp.c")
    assert [p.name for p in kernel.parameters] == SEARCHED
    ends = {p.name: p.ends() for p in kernel.parameters}  # type: ignore[union-attr]
    assert ends["HIDDEN"] == (50, 250) and ends["LEARNING_RATE"] == (0.001, 1) and ends["L2"] == (0, 0.1)
    assert ends["BANDWIDTH"] == ends["LANES"] == ends["BITS"] == (1, 32) and ends["INTEGER_SHARE"] == (0, 1)


def test_errors_are_measured_and_the_rest_is_priced(tmp_path: Path) -> None:
    made = backend(quick(tmp_path), "error", "power", "cycles")
    assert [(o.name, o.unit) for o in made.objectives()] == [("error", "%"), ("power", "mW"), ("cycles", "")]
    assert "error" not in made.costs().values and not made.only_priced
    evaluator = made.evaluator()
    assert isinstance(evaluator, TrainingRun)
    default = default_of(made.kernel)
    with evaluator as run:
        outcome = run(default).outcome
        slow = run(default.replace(HIDDEN=250, LANES=1)).outcome
    assert isinstance(outcome, Measured) and outcome.values["error"] == 9
    assert outcome.values["cycles"] == 64 * 13 + 100 * 2 + 2 * 2
    assert isinstance(slow, Infeasible)


def test_what_is_too_slow_is_no_part_of_the_space(tmp_path: Path) -> None:
    made = backend(quick(tmp_path))
    space = Space(made.kernel.parameters, (*made.kernel.constraints, *made.limits()))
    default = space.default
    assert space.contains(default) and not space.contains(default.replace(HIDDEN=250, LANES=1))


def test_the_same_kernel_is_priced_on_an_fpga_too(tmp_path: Path) -> None:
    made = backend(quick(tmp_path), "error", "luts", device="zcu102")
    assert [o.name for o in made.objectives()] == ["error", "luts"] and made.device == "zcu102"


@pytest.mark.parametrize(("data", "inputs", "classes", "guess"), [("cancer", 30, 2, 0.35), ("wine", 13, 3, 0.6)])
def test_other_sets_train_the_same_kernel(tmp_path: Path, data: str, inputs: int, classes: int, guess: float) -> None:
    source, script = quick(tmp_path), training()
    text = source.read_text().replace("#define INPUTS 64", f"#define INPUTS {inputs}")
    source.write_text(text.replace("#define CLASSES 10", f"#define CLASSES {classes}"))
    made = backend(source, "cycles")
    with made.evaluator() as run:
        outcome = run(default_of(made.kernel)).outcome
    assert isinstance(outcome, Measured) and outcome.values["cycles"] == inputs * 13 + 100 * 1 + 2 * 2
    rows, labels, tested, _ = script.split(data, 0, np.random.default_rng(0))
    assert rows.shape[1] == tested.shape[1] == inputs and set(labels) == set(range(classes))
    assert min(rows.min(), tested.min()) == 0 and max(rows.max(), tested.max()) == 1
    words = ["100", "0.1", "0", "0", "8", "0.25", "--data", data]
    assert script.error_share(script.arguments().parse_args(words)) < 0.3 * guess


def test_pruning_and_faults_may_be_parameters(tmp_path: Path) -> None:
    """By the pragmas of docs/accelerator.md, in place of the sample's run."""
    text = (SAMPLE.parents[1] / "docs" / "accelerator.md").read_text()
    (pragmas,) = re.findall(r"^```c\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    source = tmp_path / "mlp.c"
    run = re.compile(r"#pragma tunepass hls run .*?\n\n", re.DOTALL)
    source.write_text(run.sub(lambda _: pragmas + "\n", (SAMPLE / "mlp.c").read_text(), count=1))
    assert [p.name for p in load(source).parameters] == [*SEARCHED, "PRUNED", "FAULTS"]
    assert source.read_text().count("hls run") == 1 and "--faults {FAULTS}" in source.read_text()
    script = training()
    words = ["50", "0.1", "0", "0", "8", "0.25", "--epochs", "3"]
    errors = [
        script.error_share(script.arguments().parse_args([*words, *extra]))
        for extra in ([], ["--prune", "100"], ["--faults", "0.9"])
    ]
    assert errors[0] < 0.3 and min(errors[1:]) > 0.5  # without activities, or without weights, it guesses


def test_a_synthesis_tool_and_a_command_are_refused_together(tmp_path: Path) -> None:
    kernel = load(quick(tmp_path))
    with pytest.raises(TunepassError, match="has a command that measures it"):
        backend_for(kernel, Target(compiler=("vitis_hls",), device="vu9p"))


def test_the_files_of_the_command_are_in_the_identity(tmp_path: Path) -> None:
    source = quick(tmp_path)
    space = Space(load(source).parameters)
    before = backend(source).identity(space)
    (tmp_path / "fit.py").write_text(FIT + "# another\n")
    after = backend(source).identity(space)
    assert before != after and before.source == after.source and before.device == DEVICE


@pytest.mark.parametrize(
    ("written", "changed", "message"),
    [
        ("{HIDDEN}", "{HIDDDEN}", "no parameter `HIDDDEN`"),
        (" {L2}", "", "no code uses `L2`"),
        ('metric "error: {error}%"', "", "says nothing of how good"),
        ("#define INPUTS 64", '#pragma tunepass hls run "a" metric "error: {error}%"\n#define INPUTS 64', "already"),
    ],
)
def test_what_is_wrong_with_the_command_is_told_at_its_place(
    tmp_path: Path, written: str, changed: str, message: str
) -> None:
    source = quick(tmp_path)
    source.write_text(source.read_text().replace(written, changed))
    with pytest.raises(SourceError, match=message) as raised:
        load(source)
    assert raised.value.diagnostics[0].span is not None


def test_a_function_may_be_called_run(tmp_path: Path) -> None:
    source = tmp_path / "run.cpp"
    source.write_text(
        "#pragma tunepass param LANES: ordinal(1, 2) = 1\n#pragma tunepass hls run\n#define LANES 1\n"
        "void run(int a[8]) {\n for (int i = 0; i < 8; i++) {\n#pragma HLS unroll factor=LANES\n a[i] = i;\n }\n}\n"
    )
    kernel = load(source)
    assert kernel.name == "run" and backend_for(kernel, Target(device="vu9p")).only_priced


def test_a_build_has_both_objectives(tmp_path: Path) -> None:
    """The sample's own training, on few images."""
    shutil.copytree(SAMPLE, tmp_path / "s")
    source = tmp_path / "s" / "mlp.c"
    words = f'run "{sys.executable} train.py --images 150 --epochs 1 '
    source.write_text(source.read_text().replace('run "python3 train.py ', words.replace("\\", "\\\\")))
    done = run_tunepass(
        ["build", str(source), "--device", DEVICE, "--objective", "error,power", "--max-evals", "3"], tmp_path
    )
    assert done.returncode == 0, done.stderr
    ends = dict(re.findall(r"^  (error|power) +[\d.]+ -> ([\d.]+) (?:%|mW)", done.stdout, re.MULTILINE))
    assert 0 < float(ends["error"]) < 100 and 0 < float(ends["power"]) < 200, done.stdout
    assert "evaluated 3 configurations" in done.stdout and (tmp_path / "s" / "tunepass.lock").is_file()
    assert "#define HIDDEN " in (tmp_path / "out" / "mlp.tuned.c").read_text()


# --- the generated design ---------------------------------------------------------------------------------------------

HARNESS = """
#include <stdio.h>
#include "mlp.c"
static number x[INPUTS], w1[HIDDEN][INPUTS], b1[HIDDEN], w2[CLASSES][HIDDEN], b2[CLASSES];
static sum_type y[CLASSES];
static void read_all(number *values, int n)
{
    for (int i = 0; i < n; i++)
        if (scanf("%lld", values + i) != 1)
            values[i] = 0;
}
int main(void)
{
    read_all(&w1[0][0], HIDDEN * INPUTS);
    read_all(b1, HIDDEN);
    read_all(&w2[0][0], CLASSES * HIDDEN);
    read_all(b2, CLASSES);
    for (int n = 0; n < 20; n++) {
        read_all(x, INPUTS);
        mlp(x, w1, b1, w2, b2, y);
        for (int o = 0; o < CLASSES; o++) printf("%lld ", y[o]);
    }
    return 0;
}
"""


def training() -> ModuleType:
    spec = spec_from_file_location("accelerator_train", SAMPLE / "train.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("bits", "share"), [(1, 0.25), (2, 0.0), (8, 0.25), (16, 0.5), (8, 1.0)])
def test_the_script_computes_what_the_kernel_computes(tmp_path: Path, bits: int, share: float) -> None:
    script, rng = training(), np.random.default_rng(bits)
    fraction = script.fraction_bits(bits, share)
    shapes = [((50, 64), (50,)), ((10, 50), (10,))]
    layers = [[script.quantised(rng.normal(0, 0.3, shape), bits, fraction) for shape in layer] for layer in shapes]
    layers[0][0] = script.with_faults(layers[0][0], bits, 0.01, rng)
    x = script.quantised(rng.random((20, 64)), bits, fraction)
    expected = script.infer(layers, x, bits, fraction, 0.05)
    values = {"HIDDEN": "50", "BITS": str(bits), "INTEGER_SHARE": str(share)}
    text = (SAMPLE / "mlp.c").read_text()
    for name, number in values.items():
        text = re.sub(rf"#define {name} .*", f"#define {name} {number}", text)
    (tmp_path / "mlp.c").write_text(text)
    (tmp_path / "main.c").write_text(HARNESS)
    compiler = os.environ.get("CC", "cc")
    command = [compiler, "-std=gnu11", "-Wno-unknown-pragmas", "-DON_HOST", "main.c", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    numbers = " ".join(str(int(v)) for array in (*layers[0], *layers[1], x) for v in np.ravel(array))
    done = subprocess.run([str(tmp_path / "main")], input=numbers, capture_output=True, text=True, check=True)
    assert [int(word) for word in done.stdout.split()] == [int(v) for v in np.ravel(expected)]


def test_faulty_weights_are_rounded_towards_zero() -> None:
    script, rng = training(), np.random.default_rng(0)
    weights = rng.integers(-128, 128, 5000)
    faulty = script.with_faults(weights, 8, 0.1, rng)
    assert (np.abs(faulty) <= np.abs(weights)).all() and 0.2 < (faulty != weights).mean() < 0.6
    assert (faulty * weights >= 0).all()
    assert (script.with_faults(weights, 8, 0.0, rng) == weights).all()
    signs = np.where(weights < 0, -1, 1)
    assert (script.with_faults(signs, 1, 1.0, rng) == -signs).all()
