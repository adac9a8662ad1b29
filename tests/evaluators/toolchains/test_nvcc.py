"""nvcc's answers as values: from a program that prints what nvcc prints, and from nvcc itself where it is found."""

from __future__ import annotations

import json
import sys

import pytest

from tunepass.diagnostics import ToolError
from tunepass.evaluators.toolchains import nvcc
from tunepass.evaluators.toolchains.compiler_reports import CompilerReports
from tunepass.evaluators.toolchains.ptxas import CompilerReport
from tunepass.ir.candidate import Candidate
from tunepass.study.outcome import Failed, Infeasible

try:
    nvcc.find()
    MISSING = ""
except ToolError as error:
    MISSING = f"nvcc is not found: {str(error).splitlines()[0]}"
with_nvcc = pytest.mark.skipif(bool(MISSING), reason=MISSING)

KERNEL = """
#include "scale.h"
#ifndef N
#define N 4
#endif
extern "C" __global__ void scale(float* a) {
    __shared__ float s[32 * N];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    for (int i = 0; i < N; i++) a[threadIdx.x * N + i] = SCALE * s[i * 32];
}
"""

FAKE = r"""#!{python}
import json, os, sys
words = sys.argv[1:]
if "--version" in words:
    print("nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 13.0, V13.0.88")
elif "--list-gpu-code" in words:
    print("sm_75\nsm_80\nsm_86\nsm_90\nsm_100\nsm_103\nsm_120")
else:
    with open(os.path.join({folder!r}, "calls"), "a") as calls:
        calls.write(json.dumps(words) + "\n")
    reply = json.load(open(os.path.join({folder!r}, "reply.json")))
    if reply["status"] == 0:
        open(words[words.index("-o") + 1], "wb").write(b"cubin")
        listed = words[words.index("-Xcompiler") + 1].partition("-MF,")[2]
        toolkit = "/opt/cuda/include/"
        header = os.path.join({folder!r}, "scale.h")
        open(listed, "w").write(f"x.o: {{words[-3]}} {{toolkit}}cuda_runtime.h {{toolkit}}crt/host.h {{header}}\n")
    print(reply["stderr"], file=sys.stderr)
    sys.exit(reply["status"])
"""
GOOD = (
    "ptxas info    : Compiling entry function 'scale' for 'sm_80'\n"
    "ptxas info    : Used 12 registers, used 1 barriers, 512 bytes smem\n"
)


class Fake:
    """A program in place of nvcc that prints what it is given."""

    def __init__(self, folder):
        self.folder = folder
        self.path = folder / "nvcc"
        self.path.write_text(FAKE.format(python=sys.executable, folder=str(folder)))
        self.path.chmod(0o755)
        (folder / "scale.h").write_text("#define SCALE 2.0f\n")
        self.replies(GOOD)

    def replies(self, stderr, status=0):
        (self.folder / "reply.json").write_text(json.dumps({"stderr": stderr, "status": status}))

    @property
    def calls(self):
        path = self.folder / "calls"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def reports(self, folder=None, function="scale"):
        source = self.folder / "scale.cu"
        source.write_text(KERNEL)
        return CompilerReports(nvcc.nvcc_on(source, ["-O3"], str(self.path)), function, "sm_80", folder)


@pytest.fixture
def fake(tmp_path):
    return Fake(tmp_path)


def test_the_compiler_says_what_it_is(fake):
    found = nvcc.identify(str(fake.path))
    assert found.version == "nvcc 13.0.88"
    assert found.architectures[0] == "sm_75"


@pytest.mark.parametrize(
    "capability,wanted",
    [((8, 0), "sm_80"), ((8, 9), "sm_86"), ((9, 0), "sm_90"), ((10, 0), "sm_100"), ((7, 0), None), ((3, 7), None)],
)
def test_an_architecture_is_one_whose_code_the_device_runs(fake, capability, wanted):
    assert nvcc.identify(str(fake.path)).architecture(capability) == wanted


def test_a_program_that_is_no_nvcc_is_told_so(tmp_path):
    with pytest.raises(ToolError, match="does not work"):
        nvcc.identify("true")


def test_a_missing_nvcc_names_its_extra(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(nvcc, "toolkits", lambda: iter(()))
    with pytest.raises(ToolError) as error:
        nvcc.find()
    assert "tunepass[cuda]" in str(error.value)


def test_a_toolkit_off_the_path_is_found(monkeypatch, tmp_path):
    (tmp_path / "cuda" / "bin").mkdir(parents=True)
    program = tmp_path / "cuda" / "bin" / "nvcc"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "cuda"))
    assert nvcc.find() == str(program)


def test_a_compile_gives_the_kernels_report(fake):
    compiled = fake.reports().report(Candidate(text=KERNEL, defines=("-DN=8",)))
    assert compiled.outcome == CompilerReport(function="scale", registers=12, barriers=1, shared_byte=512)
    (words,) = fake.calls
    assert {"-O3", "-DN=8", "-arch=sm_80", "-cubin"} <= set(words)
    assert not words[-3].startswith(str(fake.folder))  # the candidate's text, not the source


def test_an_object_without_the_kernel_is_a_failed_compile(fake):
    outcome = fake.reports(function="other").report(Candidate()).outcome
    assert isinstance(outcome, Failed) and "it has scale" in outcome.log


def test_a_refusal_is_a_failed_compile_with_the_compilers_words(fake):
    fake.replies('x.cu(8): error: identifier "U" is undefined', 2)
    assert fake.reports().report(Candidate()).outcome == Failed(
        "compile", 'x.cu(8): error: identifier "U" is undefined'
    )


def test_an_unroll_of_a_macro_is_explained(fake):
    fake.replies(
        "x.cu(8): warning #20169-D: the optional argument to the unroll pragma must be an integral constant", 2
    )
    outcome = fake.reports().report(Candidate()).outcome
    assert isinstance(outcome, Failed) and "static constexpr int U = MACRO;" in outcome.log


def test_too_much_shared_memory_is_infeasible(fake):
    fake.replies("ptxas error   : Entry function 'scale' uses too much shared data (0x13880 bytes, 0xc000 max)", 255)
    assert fake.reports().report(Candidate()).outcome == Infeasible("shared memory of scale: 80000 bytes <= 49152")


class TestKeptReports:
    def test_the_same_text_and_words_are_compiled_once(self, fake, tmp_path):
        first = fake.reports(tmp_path / "kept").report(Candidate(text=KERNEL))
        again = fake.reports(tmp_path / "kept").report(Candidate(text=KERNEL))
        assert (first.known, again.known) == (False, True)
        assert first.outcome == again.outcome
        assert len(fake.calls) == 1

    @pytest.mark.parametrize("other", [Candidate(text=KERNEL + " "), Candidate(text=KERNEL, defines=("-DN=2",))])
    def test_another_text_or_word_is_another_compile(self, fake, tmp_path, other):
        reports = fake.reports(tmp_path / "kept")
        reports.report(Candidate(text=KERNEL))
        assert not reports.report(other).known

    def test_a_header_that_changed_is_compiled_again(self, fake, tmp_path):
        reports = fake.reports(tmp_path / "kept")
        reports.report(Candidate(text=KERNEL))
        (fake.folder / "scale.h").write_text("#define SCALE 3.0f\n")
        assert not reports.report(Candidate(text=KERNEL)).known

    def test_a_failure_is_not_kept(self, fake, tmp_path):
        reports = fake.reports(tmp_path / "kept")
        fake.replies("gcc: fatal error: Killed signal terminated program cc1plus", 1)
        assert isinstance(reports.report(Candidate()).outcome, Failed)
        fake.replies(GOOD)
        assert isinstance(reports.report(Candidate()).outcome, CompilerReport)

    @pytest.mark.parametrize("text", ["", "{", "[]", '{"files": [], "reports": [{"function": 3}]}', '{"files": 0}'])
    def test_a_file_that_is_none_of_its_own_is_not_believed(self, fake, tmp_path, text):
        reports = fake.reports(tmp_path / "kept")
        reports.report(Candidate(text=KERNEL))
        (path,) = (tmp_path / "kept").glob("*/*")
        path.write_text(text)
        assert reports.report(Candidate(text=KERNEL)).outcome == reports.report(Candidate(text=KERNEL)).outcome

    def test_nothing_is_kept_where_nothing_can_be_written(self, fake, tmp_path):
        (tmp_path / "file").write_text("")
        reports = fake.reports(tmp_path / "file")
        assert isinstance(reports.report(Candidate()).outcome, CompilerReport)


@with_nvcc
class TestRealCompiler:
    def reports(self, tmp_path, text, function="scale", arch="sm_80"):
        (tmp_path / "scale.h").write_text("#define SCALE 2.0f\n")
        (tmp_path / "scale.cu").write_text(text)
        return CompilerReports(nvcc.nvcc_on(tmp_path / "scale.cu"), function, arch)

    @pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
    def test_registers_and_shared_memory(self, tmp_path, arch):
        report = self.reports(tmp_path, KERNEL, arch=arch).report(Candidate(text=KERNEL, defines=("-DN=8",))).outcome
        assert isinstance(report, CompilerReport)
        assert report.shared_byte == 32 * 8 * 4
        assert 4 <= report.registers <= 40 and report.spill_byte == 0

    def test_errors_are_at_the_sources_lines(self, tmp_path):
        text = KERNEL + "__device__ int f() { return undefined_name; }\n"
        outcome = self.reports(tmp_path, text).report(Candidate(text=text)).outcome
        assert isinstance(outcome, Failed)
        assert f"{tmp_path / 'scale.cu'}({text.count(chr(10))}): error" in outcome.log

    def test_too_much_shared_memory(self, tmp_path):
        outcome = self.reports(tmp_path, KERNEL).report(Candidate(defines=("-DN=1000",))).outcome
        assert outcome == Infeasible("shared memory of scale: 128000 bytes <= 49152")

    def test_a_kernel_in_a_namespace_is_found_by_its_own_name(self, tmp_path):
        text = "namespace ns { __global__ void k(float* a) { a[threadIdx.x] *= 2; } }\n"
        outcome = self.reports(tmp_path, text, "k").report(Candidate()).outcome
        assert isinstance(outcome, CompilerReport) and outcome.function == "_ZN2ns1kEPf"
