"""Kernels are found in objects by what the source calls them."""

from __future__ import annotations

import pytest

from tunepass.evaluators.toolchains.mangled import name_of, plain_name, with_values


@pytest.mark.parametrize(
    "mangled,plain",
    [
        ("matmul", "matmul"),
        ("_Z1kPf", "k"),
        ("_ZN2ns1kEPfi", "k"),
        ("_Z2tkIdEvPT_", "tk"),
        ("_ZL6hiddenPf", "hidden"),
        ("_ZN54_INTERNAL_0a1b2c3d_4_x_cu_abcdefgh_12345678901234567896hiddenEPf", "hidden"),
        ("_Z", "_Z"),
        ("_Z99short", "short"),
    ],
)
def test_a_mangled_name_gives_the_functions_own(mangled, plain):
    assert plain_name(mangled) == plain


@pytest.mark.parametrize(
    "function,mangled",
    [
        ("copy<float>", "_Z4copyIfEvPT_"),
        ("copy< unsigned int >", "_Z4copyIjEvPT_"),
        ("copy<uchar4>", "_Z4copyI6uchar4EvPT_"),
        ("copy<struct Pair>", "_Z4copyI4PairEvPT_"),
        ("copy<Missing>", None),
        ("ns::tile<float, 16, true>", "_ZN2ns4tileIfLi16ELb1EEEvPT_"),
        ("ns::tile<float, 2 * (8 + 8), true>", "_ZN2ns4tileIfLi32ELb1EEEvPT_"),
        ("ns::tile<float, (16 > 8 ? 16 : 8), true>", None),  # what that is, is not worked out
        ("two<Pair, Pair>", "_Z3twoI4PairS0_EvT_T0_"),
        ("copy", None),
    ],
)
def test_the_arguments_of_a_template_tell_its_instances_apart(function: str, mangled: str | None) -> None:
    names = ["_Z4copyIfEvPT_", "_Z4copyIjEvPT_", "_ZN2ns4tileIfLi16ELb1EEEvPT_", "_ZN2ns4tileIfLi32ELb1EEEvPT_"]
    names += ["_Z4copyI6uchar4EvPT_", "_Z4copyI4PairEvPT_", "_Z3twoI4PairS0_EvT_T0_", "_Z3twoIifEvT_T0_"]
    assert name_of(function, names) == mangled


def test_macros_have_their_values_in_a_templates_arguments() -> None:
    assert with_values("ns::tile<T, W * 2>", ("-DT=float", "-DW=8", "-O3", "-Xptxas=-v")) == "ns::tile<float, 8 * 2>"
    assert with_values("W", ("-DW=8",)) == "W"
