"""clang's lists, in excerpts."""

from __future__ import annotations

from tunepass.flags.clang import parameters, switches
from tunepass.flags.option import Amount, OptionChoice

VALUES = """\
  --aarch64-ccmp-limit                     = 30       (default: 30)
  --inline-threshold                       = 225      (default: 225)
  --licm-control-flow-hoisting             = 0        (default: 0)
  --print-after-all                        = 0        (default: 0)
  --unroll-count                           = 0        (default: 0)
  --vectorize-loops                        = 1        (default: 1)
  --unroll-full-max-count                  = 4294967295 (default: 4294967295)
  --x86-asm-syntax                         = att      (default: att)
"""
HELP = """\
General options:

  --inline-threshold=<int>                 - Control the amount of inlining
  --licm-control-flow-hoisting             - Enable control flow hoisting
  --unroll-count=<uint>                    - Use this unroll count
  --unroll-full-max-count=<uint>           - Set the max unroll count
  --vectorize-loops                        - Run the loop vectorization passes
"""


def test_llvms_options_of_passes_that_make_code_faster() -> None:
    found = {option.name: option for option in parameters(VALUES, HELP, math=False)}
    numbers = found.pop("llvm_unroll_count"), found.pop("llvm_unroll_full_max_count")
    assert found == {
        "llvm_inline_threshold": Amount(
            "llvm_inline_threshold", "-mllvm -inline-threshold={}", (28, 56, 112, 225, 450, 900, 1800), 225
        ),
        "llvm_licm_control_flow_hoisting": OptionChoice(
            "llvm_licm_control_flow_hoisting", ("", "-mllvm -licm-control-flow-hoisting=true")
        ),
        "llvm_vectorize_loops": OptionChoice("llvm_vectorize_loops", ("", "-mllvm -vectorize-loops=false")),
    }
    assert [option.word_lists()[0] for option in numbers] == [
        "-mllvm -unroll-count=1",
        "-mllvm -unroll-full-max-count=0",
    ]


def test_switches_go_either_way() -> None:
    found = {option.name: option for option in switches(math=False)}
    assert found["vectorize"] == OptionChoice("vectorize", ("", "-fvectorize", "-fno-vectorize"))
    assert "signed_zeros" not in found
    assert "signed_zeros" in {option.name for option in switches(math=True)}
