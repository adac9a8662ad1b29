"""What nvdisasm prints is counted by operation; a report has it where a disassembler is installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.evaluators.toolchains.test_nvcc import KERNEL, Fake
from tunepass.evaluators.toolchains import sass
from tunepass.evaluators.toolchains.ptxas import CompilerReport
from tunepass.ir.candidate import Candidate

PRINTED = """
	.target	sm_80

//--------------------- .text.scale --------------------------
	.section	.text.scale,"ax",@progbits
.text.scale:
        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/                   IMAD.WIDE R2, R0, R3, c[0x0][0x160] ;
        /*0020*/              @!P0 BRA `(.L_x_1) ;
.L_x_0:
        /*0030*/                   LDG.E.128.CONSTANT R8, [R2.64] ;
        /*0040*/              @!PT LDS RZ, [RZ] ;
        /*0050*/                   FFMA R8, R8, R9, R10 ;
        /*0060*/              @UP1 UIADD3 UR4, UR4, 0x1, URZ ;
        /*0070*/                   FFMA R9, R8, R9, R10 ;
        /*0080*/               @P1 BRA `(.L_x_0) ;
.L_x_1:
        /*0090*/                   STG.E.64 [R2.64], R8 ;
        /*00a0*/                   EXIT ;
.L_x_2:
        /*00b0*/                   BRA `(.L_x_2);
        /*00c0*/                   NOP;

//--------------------- .text._Z3addPf             --------------------------
        /*0000*/                   FADD R8, R8, R9 ;
        /*0010*/                   EXIT ;
"""
SCALE = {"S2R": 1, "IMAD": 1, "BRA": 2, "LDG.128": 1, "LDS": 1, "FFMA": 2, "UIADD3": 1, "STG.64": 1, "EXIT": 1}


def test_operations_are_counted_by_kernel_with_the_widths_of_accesses() -> None:
    found = sass.parse_mixes(PRINTED)
    assert {name: dict(mix) for name, mix in found.items()} == {"scale": SCALE, "_Z3addPf": {"FADD": 1, "EXIT": 1}}
    assert found["scale"][0] == ("BRA", 2) or found["scale"][0] == ("FFMA", 2)


def test_a_mix_is_told_in_words() -> None:
    assert sass.described(sass.parse_mixes(PRINTED)["scale"]) == (
        "11 instructions: 2 arithmetic, 2 global, 1 shared, 3 control, 3 integer and moves"
    )
    assert sass.described(()) == ""


@pytest.fixture
def disassembler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in place of nvdisasm that prints the above, in a toolkit that the environment names."""
    program = tmp_path / "toolkit" / "bin" / "nvdisasm"
    program.parent.mkdir(parents=True)
    version = "nvdisasm: NVIDIA (R) CUDA disassembler"
    program.write_text(
        f"#!{sys.executable}\nimport sys\nprint({version!r} if '--version' in sys.argv else {PRINTED!r})\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("CUDA_HOME", str(program.parent.parent))
    return program


def test_reports_have_the_instructions_and_keep_them(tmp_path: Path, disassembler: Path) -> None:
    fake, kept = Fake(tmp_path), tmp_path / "kept"
    first = fake.reports(kept).report(Candidate(text=KERNEL)).outcome
    again = fake.reports(kept).report(Candidate(text=KERNEL))
    assert isinstance(first, CompilerReport) and dict(first.instructions) == SCALE
    assert again.known and again.outcome == first and isinstance(again.outcome, CompilerReport)
    assert again.outcome.instructions == first.instructions


def test_a_report_without_them_is_made_again_where_a_disassembler_came_in_between(
    tmp_path: Path, disassembler: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake, kept = Fake(tmp_path), tmp_path / "kept"
    with monkeypatch.context() as before:
        before.setattr(sass, "toolkits", lambda: iter(()))
        plain = fake.reports(kept).report(Candidate(text=KERNEL)).outcome
    assert isinstance(plain, CompilerReport) and plain.instructions == ()
    made = fake.reports(kept).report(Candidate(text=KERNEL))
    assert not made.known and isinstance(made.outcome, CompilerReport) and dict(made.outcome.instructions) == SCALE


def test_an_object_that_the_disassembler_refuses_has_no_instructions(tmp_path: Path, disassembler: Path) -> None:
    disassembler.write_text(f"#!{sys.executable}\nraise SystemExit('nvdisasm fatal : Memory allocation failure')\n")
    assert sass.mixes(tmp_path / "object", str(disassembler)) == {}
