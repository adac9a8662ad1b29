"""Pipelines of Halide: what is refused, the spaces of schedules, their text, candidates beside the pipeline itself."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import tunepass as tp

pytest.importorskip("halide", reason="needs the extra halide")

import halide as hl

from tunepass.integrations import halide
from tunepass.integrations.halide import asking
from tunepass.integrations.halide.algorithm import dense
from tunepass.integrations.halide.asking import HALIDE
from tunepass.integrations.halide.evaluator import PipelineRun, by_autoscheduler, by_directives
from tunepass.integrations.halide.nests import Directive, Knobs, nest
from tunepass.integrations.halide.text import cpp_text, python_text
from tunepass.integrations.halide.uses import inlined_calls
from tunepass.study.outcome import Failed
from tunepass.testing import EvaluatorContract

ROOT = Path(__file__).parents[3]
SCALE = ROOT / "samples/halide/scale_generator.py"
SIZES = (64, 48)


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def chain() -> hl.Func:
    """Two consumers of one Func: `low` is used by `high` and by the output."""
    x, y = hl.vars("x y")
    image = hl.ImageParam(hl.Float(32), 2, "image")
    low, high, out = hl.funcs("low high out")
    low[x, y] = image[x - 1, y] + image[x + 1, y]
    high[x, y] = low[x, y - 1] + low[x, y + 1]
    out[x, y] = high[x, y] + low[x, y]
    return out


def product() -> hl.Func:
    x, y = hl.vars("x y")
    a, b = hl.ImageParam(hl.Float(32), 2, "a"), hl.ImageParam(hl.Float(32), 2, "b")
    k = hl.RDom([(0, 16)], "k")
    total, out = hl.funcs("total out")
    total[x, y] += a[k, y] * b[x, k]
    out[x, y] = total[x, y]
    return out


@pytest.fixture(scope="module")
def algorithm() -> halide.Algorithm:
    return halide.Algorithm(chain(), SIZES)


@pytest.fixture(scope="module")
def problem(algorithm: halide.Algorithm) -> halide.Problem:
    return halide.Problem(algorithm)


@pytest.fixture(scope="module")
def matmul() -> halide.Problem:
    return halide.Problem(halide.Algorithm(product(), (32, 16)))


def chosen(problem: halide.Problem, **values: object) -> tp.Configuration:
    space = tp.Space(problem.kernel.parameters)
    return space.completed({**space.default, **values})  # type: ignore[dict-item]


def lines(problem: halide.Problem, **values: object) -> list[str]:
    """The calls of a schedule without its variables."""
    text = python_text(problem.algorithm.description, problem.directives(chosen(problem, **values)), "")
    return [line.strip() for line in text.splitlines() if line.startswith("    ") and " = " not in line]


# --- bad input


def test_a_pipeline_without_outputs_is_refused() -> None:
    for outputs in (hl.Pipeline(), hl.Func("nothing"), []):
        with pytest.raises(tp.TunepassError, match="has no outputs"):
            halide.Algorithm(outputs, SIZES)


def test_a_schedule_that_names_an_unknown_func_is_refused(algorithm: halide.Algorithm) -> None:
    with pytest.raises(tp.SpaceError, match="the pipeline has no Func 'hihg'") as error:
        halide.Problem(algorithm, halide.Tuning(compute={"hihg": ("root",)}))
    assert "did you mean `high`?" in str(error.value)


def test_an_output_and_an_unknown_place_are_refused(algorithm: halide.Algorithm) -> None:
    with pytest.raises(tp.SpaceError, match="out is an output: it is computed at root"):
        halide.Problem(algorithm, halide.Tuning(compute={"out": ("inline",)}))
    with pytest.raises(tp.SpaceError, match=r"low: a place is one of inline, root, .*; got 'at'"):
        halide.Tuning(compute={"low": ("at",)})


def test_a_func_that_no_one_loop_nest_encloses_is_refused() -> None:
    x, y = hl.vars("x y")
    shared, left, right = hl.funcs("shared left right")
    shared[x, y] = x * y
    left[x, y] = shared[x, y] + 1
    right[x, y] = shared[x, y] + 2
    two = halide.Algorithm([left, right], SIZES)
    with pytest.raises(tp.SpaceError, match="shared cannot be computed within a row: no one loop nest has all"):
        halide.Problem(two, halide.Tuning(compute={"shared": ("row",)}))
    free = halide.Problem(two)
    assert free.schedules.parameters[2].domain == ("inline", "root")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sizes": (64,)}, "out has 2 dimensions, 1 sizes are given"),
        ({"sizes": (64, 0)}, "an extent is at least 1"),
        ({"sizes": SIZES, "shapes": {"imgae": SIZES}}, "has no input 'imgae'"),
        ({"sizes": None}, "the size of the output out is not known"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(tp.TunepassError, match=message):
        halide.Algorithm(chain(), **given)  # type: ignore[arg-type]


def test_an_input_whose_size_the_pipeline_reads_has_to_be_stated() -> None:
    x, y = hl.vars("x y")
    image, gain = hl.ImageParam(hl.UInt(8), 2, "image"), hl.Param(hl.UInt(8), "gain")
    out = hl.Func("out")
    out[x, y] = hl.BoundaryConditions.repeat_edge(image)[x - 1, y] * gain
    with pytest.raises(tp.TunepassError, match="the value of gain is not known"):
        halide.Algorithm(out, SIZES, shapes={"image": SIZES})
    with pytest.raises(tp.TunepassError, match="the size of the input image does not follow from the outputs"):
        halide.Algorithm(out, SIZES, scalars={"gain": 2})


def test_another_version_of_halide_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    old = ModuleType("halide")
    monkeypatch.setattr(asking, "package", lambda *_, **__: old)
    with pytest.raises(tp.TunepassError, match="the halide that is installed has no serialize_pipeline"):
        halide.Algorithm(chain(), SIZES)
    file = tmp_path / "old.hlpipe"
    file.write_bytes(b"HLDE of another version")
    with pytest.raises(tp.TunepassError, match="Halide does not read the pipeline") as error:
        halide.Algorithm(file, SIZES)
    assert "is read by the version of Halide that wrote it" in str(error.value)


def test_the_error_without_the_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "halide", None)
    with pytest.raises(ImportError, match=r"pip install 'tunepass\[halide\]'"):
        halide.Algorithm(object(), SIZES)


# --- what a pipeline is described as


def test_shapes_and_values_come_from_the_program() -> None:
    x, y = hl.vars("x y")
    image, gain = hl.ImageParam(hl.UInt(8), 2, "image"), hl.Param(hl.UInt(8), "gain", 3)
    out = hl.Func("out")
    out[x, y] = hl.BoundaryConditions.repeat_edge(image)[x - 1, y] * gain
    out.set_estimates([(0, 40), (0, 30)])
    image.set(hl.Buffer(hl.UInt(8), [50, 30]))
    algorithm = halide.Algorithm(out)
    assert algorithm.output_shapes == (((0, 40), (0, 30)),) and algorithm.values == {"gain": 3}
    assert algorithm.input_shapes == {"image": ((0, 50), (0, 30))}
    text = algorithm.caller(threads=1)
    assert "tunepass_pipeline(&b0, 3, &b1);" in text and "{{0, 50, 1, 0}, {0, 30, 50, 0}}" in text


def test_any_name_and_any_number_make_c() -> None:
    x, y = hl.vars("x y")
    out, most = hl.Func("out"), hl.Param(hl.Float(32), "most")
    out[x, y] = hl.min(hl.f32(x + y), most)
    algorithm = halide.Algorithm(out, SIZES, name="x or y", scalars={"most": float("-inf")})
    assert algorithm.function == "tunepass_call_x_or_y" and "(-__builtin_inf(), &b0)" in algorithm.caller(threads=1)


def test_what_the_outputs_need_is_the_shape_of_an_input(algorithm: halide.Algorithm) -> None:
    assert algorithm.input_shapes == {"image": ((-1, 66), (-1, 50))}
    assert "high(x, y) = " in algorithm.source.text


def test_strides_are_those_that_the_program_demands() -> None:
    assert dense(((0, 4), (0, 3), (0, 3))) == (1, 4, 12)
    assert dense(((0, 4), (0, 5), (0, 3)), (3, None, 1)) == (3, 12, 1)


def test_calls_are_counted_as_if_all_were_inlined(algorithm: halide.Algorithm) -> None:
    assert inlined_calls(algorithm.description) == 1 + (2 + 2 * 2) + 1 + 2 - 0


# --- schedules


def test_the_default_is_the_pipeline_as_it_came(problem: halide.Problem) -> None:
    assert problem.directives(chosen(problem)) == ()


def test_a_func_goes_where_all_of_its_users_are(problem: halide.Problem) -> None:
    at_rows = lines(problem, compute_low="row", compute_high="row", tile_y_out=8)
    assert "high.compute_at(out, hl.Var('yi'))" in at_rows and "low.compute_at(out, hl.Var('yi'))" in at_rows
    apart = lines(problem, compute_low="row", compute_high="root")
    assert "low.compute_root()" in apart  # `high` and `out` have no loop in common
    outer = lines(problem, compute_low="row", compute_high="tile", tile_y_out=8)
    assert "low.compute_at(out, hl.Var('yo'))" in outer  # `high` needs it at its tile


def test_a_sliding_window_is_stored_for_a_tile(problem: halide.Problem) -> None:
    tiled = lines(problem, compute_high="slide", tile_y_out=8)
    assert tiled.index("high.store_at(out, hl.Var('yo'))") + 1 == tiled.index("high.compute_at(out, hl.Var('yi'))")
    assert "high.store_root()" in lines(problem, compute_high="slide")


def test_vectors_and_rows_are_inside_the_order_of_loops(matmul: halide.Problem) -> None:
    func = matmul.algorithm.description.by_name["total"]
    knobs = Knobs(lanes=8, rows=4, order=(1, 0, 2))
    directives = nest(func, 1, knobs, {"x", "y"}).directives
    assert [d.method for d in directives] == ["split", "vectorize", "split", "unroll", "reorder"]
    assert directives[-1].arguments == (
        "var:xv",
        "var:yu",
        "var:x",
        *(f"rvar:{name}" for name in func.stages[1].rvars),
        "var:y",
    )


def test_a_variable_of_the_program_keeps_its_name(algorithm: halide.Algorithm) -> None:
    out = algorithm.description.by_name["out"]
    assert nest(out, 0, Knobs(tile_x=8), {"x", "y", "xo"}).tile == "var:xo_"


def test_the_openings_are_feasible(problem: halide.Problem, matmul: halide.Problem) -> None:
    for each in (problem, matmul):
        space = tp.Space(each.kernel.parameters)
        for opening in each.openings():
            assert space.contains(space.completed({**space.default, **dict(opening.values)}))


TILED = {"compute_high": "slide", "compute_low": "root", "tile_x_out": 32, "tile_y_out": 8, "vector_bits": 256}


def test_the_text_in_python_schedules_the_program_s_own_pipeline(problem: halide.Problem, tmp_path: Path) -> None:
    text = python_text(problem.algorithm.description, problem.directives(chosen(problem, **TILED)), "a note")
    (tmp_path / "schedule.py").write_text(text)
    module = loaded(tmp_path / "schedule.py")
    pipeline = hl.Pipeline(chain())
    module.schedule(pipeline)
    pipeline.compile_to(
        {hl.OutputFileType.stmt: str(tmp_path / "stmt")}, pipeline.infer_arguments(), "scheduled", hl.get_host_target()
    )
    statement = (tmp_path / "stmt").read_text()
    assert text.startswith("# a note\n") and re.search(r"for \(\S*out\S*\.yo", statement)


def test_the_text_in_cpp_says_the_same(matmul: halide.Problem) -> None:
    values = {"compute_total": "tile", "tile_x_out": 16, "tile_y_out": 4, "unroll_y_total_1": 4}
    choice = chosen(matmul, **values, order_total_1=(1, 0, 2), tail_total_1="GuardWithIf")
    text = cpp_text(matmul.algorithm.description, matmul.directives(choice), "a note")
    assert "    Func out = pipeline.get_func(" in text and "        RVar k_x = total.rvars(0)[0];" in text
    assert 'total.compute_at(out, Var("xo"))' in text
    assert "total.update(0).split(y, y, yu, 4, TailStrategy::GuardWithIf).unroll(yu).reorder(yu, x, k_x, y);" in text


MAIN = """#include "schedule.h"
int main(int, char **arguments) {
    std::map<std::string, Halide::Parameter> none;
    Halide::Pipeline pipeline = Halide::deserialize_pipeline(std::string(arguments[1]), none);
    schedule(pipeline);
    pipeline.compile_to_lowered_stmt(arguments[2], pipeline.infer_arguments());
}
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_the_text_in_cpp_compiles_against_halide_s_headers(matmul: halide.Problem, tmp_path: Path) -> None:
    choice = chosen(matmul, compute_total="tile", tile_x_out=16, unroll_y_total_1=4, order_total_1=(1, 0, 2))
    text = cpp_text(matmul.algorithm.description, matmul.directives(choice), "")
    (tmp_path / "schedule.h").write_text(text)
    (tmp_path / "main.cpp").write_text(MAIN)
    (tmp_path / "out.hlpipe").write_bytes(matmul.algorithm.data)
    root = asking.folder_of()
    words = ["g++", "-std=c++17", "main.cpp", f"-I{root / 'include'}", f"-L{root / 'lib64'}", "-lHalide", "-o", "main"]
    subprocess.run([*words, f"-Wl,-rpath,{root / 'lib64'}"], cwd=tmp_path, check=True)
    subprocess.run(["./main", "out.hlpipe", "out.stmt"], cwd=tmp_path, check=True)
    statement = (tmp_path / "out.stmt").read_text()
    assert ".xo" in statement and "total" in statement


def test_halide_s_refusal_of_a_schedule_is_told(algorithm: halide.Algorithm) -> None:
    func = algorithm.description.by_name["out"]
    unknown = by_directives([Directive(func.index, 0, "vectorize", ("var:nope", 8))])
    reply = HALIDE.answer("check", {**algorithm.request, **unknown})
    assert not isinstance(reply, Failed) and "out: vectorize: " in reply["refused"] and "nope" in reply["refused"]


# --- candidates


WIDE = {"vector_bits_out": 1024, "unroll_x_out": 8, "tile_x_out": 32}  # more columns than the output has


class TestContract(EvaluatorContract):
    @pytest.fixture
    def evaluator(self, problem: halide.Problem) -> PipelineRun:
        default = problem.recipe(chosen(problem))
        return PipelineRun(problem.algorithm, problem.kernel, problem.recipe, default)

    @pytest.fixture
    def good(self, problem: halide.Problem) -> tp.Configuration:
        return chosen(problem, **TILED)

    @pytest.fixture
    def bad(self, problem: halide.Problem) -> tp.Configuration:
        return chosen(problem, **WIDE)


@pytest.mark.slow
def test_an_autoscheduler_is_a_recipe_too(matmul: halide.Problem) -> None:
    adams = by_autoscheduler("Adams2019", {"parallelism": "1"})
    with PipelineRun(matmul.algorithm, matmul.kernel, lambda _: adams, matmul.recipe(chosen(matmul))) as run:
        assert isinstance(run(chosen(matmul)).outcome, tp.Measured)


# --- generators


@pytest.fixture(scope="module")
def generator() -> halide.Generator:
    program = (sys.executable, str(SCALE))
    algorithm = halide.from_generator(loaded(SCALE).Scale, SIZES, shapes={"image": SIZES}, scalars={"gain": 2.5})
    return halide.Generator(program, "scale", algorithm, [tp.Ordinal("lanes", [1, 8]), tp.Ordinal("rows", [1, 2])])


def test_a_generator_s_values_are_words_of_its_command(generator: halide.Generator) -> None:
    assert generator.order == ("image", "gain")
    scheduled = generator.kernel.scheduled((tp.Choice("lanes", 8), tp.Choice("rows", 1)))
    (file,) = generator.emit(scheduled, "a note")
    assert file.name == "scale.params" and file.text == "# a note\nlanes=8 rows=1\n"


def test_a_generator_s_candidate_is_measured(generator: halide.Generator) -> None:
    with generator.evaluator(generator.kernel) as run:
        assert isinstance(run(tp.Configuration({"lanes": 8, "rows": 2})).outcome, tp.Measured)


def test_a_parameter_that_the_generator_does_not_have_is_refused(generator: halide.Generator) -> None:
    with pytest.raises(tp.TunepassError, match=r"has no GeneratorParam\(s\) named: \['lnaes'\]"):
        halide.Generator(generator.program, "scale", generator.algorithm, [tp.Ordinal("lnaes", [1, 8])])


THROWING = """\
import halide as hl

@hl.generator(name="thrower")
class Thrower:
    lanes = hl.GeneratorParam(4)
    image = hl.InputBuffer(hl.Float(32), 1)
    output = hl.OutputBuffer(hl.Float(32), 1)

    def generate(g):
        x = hl.Var("x")
        if int(g.lanes) != 4:
            raise ValueError("no such width")
        g.output[x] = g.image[x] * 2.0

if __name__ == "__main__":
    hl.main()
"""


def test_a_generator_that_raises_is_told_at_its_line_and_fails_as_a_candidate(tmp_path: Path) -> None:
    (tmp_path / "thrower.py").write_text(THROWING)
    thrower = loaded(tmp_path / "thrower.py").Thrower
    with pytest.raises(tp.SourceError, match="the generator Thrower raises ValueError: no such width") as error:
        halide.from_generator(thrower, (64,), shapes={"image": (64,)}, parameters={"lanes": 8})
    span = error.value.diagnostics[0].span
    assert span is not None and span.line == 12 and span.text == 'raise ValueError("no such width")'
    assert isinstance(error.value.__cause__, ValueError)
    program = (sys.executable, str(tmp_path / "thrower.py"))
    algorithm = halide.from_generator(thrower, (64,), shapes={"image": (64,)})
    with pytest.raises(tp.TunepassError, match=r"does not take the defaults: .*ValueError: no such width"):
        halide.Generator(program, "thrower", algorithm, [tp.Ordinal("lanes", [8, 4])])
    generator = halide.Generator(program, "thrower", algorithm, [tp.Ordinal("lanes", [4, 8])])
    with generator.evaluator(generator.kernel) as run:
        outcome = run(tp.Configuration({"lanes": 8})).outcome
    assert isinstance(outcome, tp.Failed) and outcome.stage == "compile" and "no such width" in outcome.log


def test_only_a_generator_is_taken_for_one() -> None:
    with pytest.raises(tp.TunepassError, match=r"a class under @hl\.generator is expected"):
        halide.from_generator(int, SIZES)
