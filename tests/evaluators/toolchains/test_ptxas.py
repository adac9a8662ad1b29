"""ptxas's lines are read whichever of their fields are there."""

from __future__ import annotations

import pytest

from tunepass.evaluators.toolchains.ptxas import CompilerReport, parse_reports, report_of, too_much


def printed(name: str, used: str, frame: str = "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads") -> str:
    return (
        f"ptxas info    : Compiling entry function '{name}' for 'sm_80'\n"
        f"ptxas info    : Function properties for {name}\n    {frame}\n"
        f"ptxas info    : {used}\nptxas info    : Compile time = 2.686 ms\n"
    )


@pytest.mark.parametrize(
    "used,wanted",
    [
        ("Used 8 registers", {"registers": 8}),
        ("Used 8 registers, used 0 barriers, 360 bytes cmem[0]", {"registers": 8, "constant_byte": 360}),
        (  # sm_90 does not tell of its parameters
            "Used 119 registers, used 1 barriers, 8192 bytes smem",
            {"registers": 119, "barriers": 1, "shared_byte": 8192},
        ),
        (  # as toolkits before 11 print it
            "Used 40 registers, 4096 bytes smem, 384 bytes cmem[0], 16 bytes cmem[2]",
            {"registers": 40, "shared_byte": 4096, "constant_byte": 400},
        ),
        (
            "Used 32 registers, used 2 barriers, 400 bytes cumulative stack size, 4096+16 bytes smem, 1 textures",
            {"registers": 32, "barriers": 2, "stack_byte": 400, "shared_byte": 4096},
        ),
    ],
)
def test_the_fields_that_are_there_are_read(used, wanted):
    assert parse_reports(printed("k", used)) == (CompilerReport(function="k", **wanted),)


def test_spills_and_stack_come_from_the_frame():
    frame = "680 bytes stack frame, 1308 bytes spill stores, 1660 bytes spill loads"
    (report,) = parse_reports(printed("k", "Used 32 registers, used 0 barriers", frame))
    assert (report.stack_byte, report.spill_store_byte, report.spill_load_byte) == (680, 1308, 1660)
    assert report.spill_byte == 2968


def test_spills_of_a_function_that_is_called_count_for_the_kernel_before_it():
    callee = (
        "ptxas info    : Function properties for _Z1fILi9EEfPf\n"
        "    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads\n"
    )
    reports = parse_reports(
        printed("_ZN2ns1kEPfi", "Used 32 registers") + callee + printed("_Z1gv", "Used 8 registers")
    )
    assert [(r.registers, r.spill_byte) for r in reports] == [(32, 12), (8, 0)]


def test_what_is_no_report_is_passed_over():
    noise = "ptxas info    : 0 bytes gmem\nptxas info    : (C7510) Potential Performance Loss: Used 3 registers\n"
    assert parse_reports(noise) == ()
    assert len(parse_reports(noise + printed("k", "Used 8 registers") + "warning: Used 9 registers\n")) == 1


def test_a_kernel_is_found_by_its_own_name_where_that_names_one():
    reports = parse_reports(
        "".join(printed(name, "Used 8 registers") for name in ("_Z2tkIdEvPT_", "_Z2tkIfEvPT_", "k"))
    )
    assert report_of("tk", reports) is None
    assert report_of("_Z2tkIfEvPT_", reports) == reports[1]
    assert report_of("k", reports) == reports[2]


def test_a_kernel_that_wants_too_much_names_the_limit():
    refusal = "ptxas error   : Entry function '_Z3bigPf' uses too much shared data (0x13880 bytes, 0xc000 max)\n"
    assert too_much(refusal) == "shared memory of big: 80000 bytes <= 49152"
    assert too_much("ptxas fatal   : Memory allocation failure") is None
