"""gcc's lists, in excerpts."""

from __future__ import annotations

from tunepass.flags.gcc import listed, optimizers, parameters
from tunepass.flags.option import Amount, OptionChoice

AT_O2 = """\
The following options control optimizations:
  -O<number>                  \t\t
  -falign-loops               \t\t[enabled]
  -falign-loops=              \t\t16
  -fdce                       \t\t[enabled]
  -fexceptions                \t\t[available in Modula-2]
  -ffast-math                 \t\t
  -fira-region=[one|all|mixed] \tone
  -flifetime-dse=<0,2>        \t\t2
  -fpack-struct               \t\t[disabled]
  -fprefetch-loop-arrays      \t\t
  -fsigned-zeros              \t\t[enabled]
  -fsplit-loops               \t\t[disabled]
  -ftracer                    \t\t[disabled]
"""
AT_O3 = AT_O2.replace("-fsplit-loops               \t\t[disabled]", "-fsplit-loops               \t\t[enabled]")
PARAMS = """\
The following options control parameters:
  --param=align-threshold=<1,65536> \t\t100
  --param=asan-stack=<0,1>    \t\t1
  --param=logical-op-non-short-circuit=<0,1> \t-1
  --param=max-inline-insns-auto= \t15
  --param=min-vect-loop-bound= \t\t0
  --param=sms-min-sc=<1,2>    \t\t2
  --param=vect-partial-vector-usage=<0,2> \t0
  --param=vrp1-mode=[vrp|ranger] \tvrp
"""


def test_other_languages_are_not_listed() -> None:
    assert "-fexceptions" not in [option.word for option in listed(AT_O2)]
    assert [(o.name, o.values, o.state) for o in listed(AT_O2) if o.name == "align-loops"] == [
        ("align-loops", None, "[enabled]"),
        ("align-loops", "", "16"),
    ]


def test_a_switch_can_be_turned_from_what_the_levels_have() -> None:
    found = {option.name: option for option in optimizers(AT_O2, [AT_O3], math=False)}
    assert found["dce"] == OptionChoice("dce", ("", "-fno-dce"))
    assert found["tracer"] == OptionChoice("tracer", ("", "-ftracer"))
    assert found["split_loops"] == OptionChoice("split_loops", ("", "-fsplit-loops", "-fno-split-loops"))
    assert found["prefetch_loop_arrays"].word_lists() == ("-fprefetch-loop-arrays", "-fno-prefetch-loop-arrays")
    assert found["align_loops"].word_lists() == ("-fno-align-loops", "-falign-loops=32", "-falign-loops=64")
    assert found["ira_region"] == OptionChoice("ira_region", ("", "-fira-region=all", "-fira-region=mixed"))
    assert found["lifetime_dse"].word_lists() == ("-flifetime-dse=0", "-flifetime-dse=1")
    assert len(found) == 7


def test_what_changes_results_is_asked_for_and_the_layout_of_data_is_never_tuned() -> None:
    names = [option.name for option in optimizers(AT_O2, [], math=True)]
    assert "signed_zeros" in names and "fast_math" in names and "pack_struct" not in names


def test_parameters_have_numbers_around_their_default_within_their_range() -> None:
    found = {option.name: option for option in parameters(PARAMS, math=False)}
    assert found == {
        "param_align_threshold": Amount(
            "param_align_threshold", "--param=align-threshold={}", (1, 12, 25, 50, 100, 200, 400, 800), 100
        ),
        "param_logical_op_non_short_circuit": OptionChoice(
            "param_logical_op_non_short_circuit",
            ("", "--param=logical-op-non-short-circuit=0", "--param=logical-op-non-short-circuit=1"),
        ),
        "param_max_inline_insns_auto": Amount(
            "param_max_inline_insns_auto", "--param=max-inline-insns-auto={}", (2, 4, 8, 15, 30, 60, 120), 15
        ),
        "param_min_vect_loop_bound": Amount(
            "param_min_vect_loop_bound", "--param=min-vect-loop-bound={}", (0, 1, 4, 16, 64), 0
        ),
        "param_sms_min_sc": OptionChoice("param_sms_min_sc", ("", "--param=sms-min-sc=1")),
        "param_vect_partial_vector_usage": Amount(
            "param_vect_partial_vector_usage", "--param=vect-partial-vector-usage={}", (0, 1, 2), 0
        ),
        "param_vrp1_mode": OptionChoice("param_vrp1_mode", ("", "--param=vrp1-mode=ranger")),
    }
