"""KTT's tuning programs give kernels with their launches and arguments, without being compiled or run."""

from __future__ import annotations

from pathlib import Path

import pytest

import tunepass as tp
from tunepass.diagnostics import Source, SourceError, TunepassError
from tunepass.interchange.foreign_kernel import ForeignKernel
from tunepass.interchange.ktt_programs import ktt_kernels
from tunepass.ir.gpu import GpuBuffer, GpuKernel
from tunepass.jobs.importing.descriptions import Given, imported

PROGRAM = """
#include <Ktt.h>
#if KTT_CUDA_EXAMPLE
const std::string file = "../Examples/Blur/Blur.cu";
const auto computeApi = ktt::ComputeApi::CUDA;
#elif KTT_OPENCL_EXAMPLE
const std::string file = "../Examples/Blur/Blur.cl";
const auto computeApi = ktt::ComputeApi::OpenCL;
#endif

int main(int argc, char** argv)
{
    const uint32_t width = 1024;
    const float scale = 0.5f;
    std::vector<float> image(width * width);
    std::vector<float> result(width * width, 0.0f);
    for (size_t i = 0; i < image.size(); ++i)
    {
        image[i] = static_cast<float>(rand());
    }
    ktt::Tuner tuner(0, 0, computeApi);
    tuner.SetGlobalSizeType(ktt::GlobalSizeType::OpenCL);
    const ktt::KernelDefinitionId definition = tuner.AddKernelDefinitionFromFile("blur", file,
        ktt::DimensionVector(width, width), ktt::DimensionVector());
    const ktt::KernelId kernel = tuner.CreateSimpleKernel("Blur", definition);
    tuner.AddParameter(kernel, "BX", std::vector<uint64_t>{8, 16, 32, 64});
    tuner.AddParameter(kernel, "BY", std::vector<uint64_t>{1, 2, 4});
    tuner.AddParameter(kernel, "TILE", std::vector<uint64_t>{1, 2, 4, tuner.GetUnits()});
    if constexpr (computeApi == ktt::ComputeApi::OpenCL)
    {
        tuner.AddParameter(kernel, "WIDE", std::vector<uint64_t>{1, 2});
    }
    tuner.AddThreadModifier(kernel, {definition},
        ktt::ModifierType::Local, ktt::ModifierDimension::X, "BX", ktt::ModifierAction::Multiply);
    tuner.AddThreadModifier(kernel, {definition},
        ktt::ModifierType::Local, ktt::ModifierDimension::Y, "BY", ktt::ModifierAction::Multiply);
    auto tiles = [](const uint64_t size, const std::vector<uint64_t>& vector) {return size / vector.at(0);};
    tuner.AddThreadModifier(kernel, {definition},
        ktt::ModifierType::Global, ktt::ModifierDimension::X, {"TILE"}, tiles);
    auto enough = [](const std::vector<uint64_t>& v) {return v[0] * v[1] >= 32;};
    tuner.AddConstraint(kernel, {"BX", "BY"}, enough);
    tuner.AddConstraint(kernel, {"BX", "TILE"}, [](const std::vector<uint64_t>& v) {return file_of(v[0]) == v[1];});
    const auto imageId = tuner.AddArgumentVector(image, ktt::ArgumentAccessType::ReadOnly);
    const auto resultId = tuner.AddArgumentVector(result, ktt::ArgumentAccessType::WriteOnly);
    const auto scaleId = tuner.AddArgumentScalar(scale);
    tuner.SetArguments(definition, {resultId, imageId, scaleId});
    const auto results = tuner.Tune(kernel);
    return 0;
}
"""
KERNEL = """#if TILE > 1
typedef float2 Real;
#else
typedef float Real;
#endif
extern "C" __global__ void blur(Real *out, const Real *in, float by) { out[BX * BY * blockIdx.x] = in[0] * by; }
"""


def only(language: str) -> ForeignKernel:
    (kernel,) = ktt_kernels(Source("Blur.cpp", PROGRAM), language)  # type: ignore[arg-type]
    return kernel


def test_a_whole_program() -> None:
    kernel = only("cuda")
    assert kernel.function == "blur" and kernel.source == "Blur.cu" and kernel.language == "cuda"
    assert [(p.name, p.values) for p in kernel.parameters] == [
        ("BX", (8, 16, 32, 64)),
        ("BY", (1, 2, 4)),
        ("TILE", (1, 2, 4)),
    ]
    assert kernel.constraints == ("BX * BY >= 32",)
    assert kernel.grid == ("ceildiv(1024 // TILE, BX)", "ceildiv(1024, BY)") and kernel.block == ("BX", "BY")
    assert [(a.element, a.direction, a.length, a.value) for a in kernel.arguments] == [
        ("float", "out", 1 << 20, None),
        ("float", "in", 1 << 20, None),
        ("", "in", 1, "0.5"),
    ]


def test_what_is_not_understood_is_a_note() -> None:
    notes = only("cuda").notes
    assert any("TILE has values that the program computes" in note for note in notes)
    assert any("a constraint on BX, TILE is not taken over" in note for note in notes)


def test_the_language_decides_branches() -> None:
    assert [p.name for p in only("opencl").parameters] == ["BX", "BY", "TILE", "WIDE"]
    assert only("opencl").source == "Blur.cl"


def test_sizes_that_count_blocks() -> None:
    (kernel,) = ktt_kernels(
        Source("Blur.cpp", PROGRAM.replace("GlobalSizeType::OpenCL", "GlobalSizeType::CUDA")), "cuda"
    )
    assert kernel.grid == ("1024 // TILE", "1024")


def test_the_source_beside_gives_names_and_types(tmp_path: Path) -> None:
    (tmp_path / "Blur.cu").write_text(KERNEL)
    (tmp_path / "Blur.cpp").write_text(PROGRAM)
    found = imported(tmp_path / "Blur.cpp", Given({}))
    assert found.whole and found.name == "Blur.cu"
    (tmp_path / "tuned.cu").write_text(found.text)
    kernel = tp.load(tmp_path / "tuned.cu")
    out, read, by = kernel.body_as(GpuKernel).arguments
    assert isinstance(out, GpuBuffer) and (out.name, out.element, out.direction) == ("out", "float", "out")
    assert (read.name, by.name) == ("in", "by")


def test_headers_that_are_not_here_are_a_note() -> None:
    assert "headers that are not here are taken as empty: Ktt.h" in only("cuda").notes


@pytest.mark.parametrize(
    "old, new, note",
    [
        ('AddConstraint(kernel, {"BX", "BY"}', 'AddConstraint(other(), {"BX", "BY"}', "AddConstraint is not"),
        ("AddConstraint(kernel, {", "AddGenericConstraint(kernel, {", "AddGenericConstraint is not taken over"),
        ("ktt::ModifierDimension::Y", "axis(1)", "AddThreadModifier is not taken over"),
        ('"BY", ktt::ModifierAction', '{"BX", "BY"}, ktt::ModifierAction', "the launch is not taken"),
    ],
)
def test_calls_that_are_lost_are_notes(old: str, new: str, note: str) -> None:
    assert old in PROGRAM
    (kernel,) = ktt_kernels(Source("Blur.cpp", PROGRAM.replace(old, new)), "cuda")
    assert any(note in text for text in kernel.notes)
    assert bool(kernel.grid) == ("ThreadModifier" not in note and "launch" not in note)


@pytest.mark.parametrize("old, new", [("ModifierDimension::Y", "ModifierDimension::W"), ("Type::Global", "Type::Grid")])
def test_a_word_that_the_api_has_not_is_told_at_its_line(old: str, new: str) -> None:
    word = new.rpartition("::")[2]
    with pytest.raises(SourceError, match=f"`{word}` of this call of AddThreadModifier is not understood") as problem:
        ktt_kernels(Source("Blur.cpp", PROGRAM.replace(old, new)), "cuda")
    span = problem.value.diagnostics[0].span
    assert span is not None and "AddThreadModifier" in span.source.line_text(span.start)


@pytest.mark.parametrize(
    "text, words",
    [
        ("int main() { AddParameter(1); }", "no kernel whose parameters can be read"),
        (
            'int main() { auto k = t.CreateSimpleKernel("k", d); t.AddParameter(k, "X", values()); }',
            "values of `X` cannot",
        ),
        ('int main() { auto k = t.CreateSimpleKernel("k", d); t.AddParameter(k); }', "not called with 1 arguments"),
        (
            'int main() { auto k = t.CreateSimpleKernel("k", d); t.AddParameter(k, "X", std::vector<int>{1}); }',
            "what k launches cannot be read",
        ),
    ],
)
def test_programs_that_say_too_little(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "tune.cpp").write_text(text)
    with pytest.raises((SourceError, TunepassError), match=words):
        imported(tmp_path / "tune.cpp", Given({}))
