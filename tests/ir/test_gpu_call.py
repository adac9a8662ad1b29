"""Expressions of a GPU kernel's body as the numbers of one launch."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.evaluators.gpu_run.kernels import e, one, scale_body
from tunepass.ir.gpu import GpuBuffer, GpuScalar, Launch, ReferenceKernel
from tunepass.ir.gpu_call import Element, NoLaunch, call_at, element_of, reference_call_at
from tunepass.space.configuration import Configuration

AT = Configuration({"B": 32})


def test_a_launch_is_that_of_the_configuration_and_of_the_sizes_given() -> None:
    call = call_at(scale_body(), AT)
    assert call.function == "scale" and call.grid == (32, 1, 1) and call.block == (32, 1, 1) and call.threads == 32
    assert [buffer.bytes for buffer in call.buffers] == [4000, 4000]
    small = call_at(scale_body(), AT, {"n": 33})
    assert small.grid == (2, 1, 1) and small.buffers[0].count == 33


def test_the_reference_has_a_launch_of_its_own() -> None:
    assert reference_call_at(scale_body(), AT) is None
    launch = Launch(grid=(e("n"), one(), one()), block=(one(), one(), one()))
    body = scale_body(reference=ReferenceKernel(function="plain", launch=launch))
    call = reference_call_at(body, AT)
    assert call is not None and call.function == "plain" and call.grid == (1000, 1, 1)
    assert call.arguments == call_at(body, AT).arguments


@pytest.mark.parametrize(
    "grid, words",
    [
        ("n // B - 31", "the grid's x must be a whole number >= 1, got 0"),
        ("-B", "the grid's x must be a whole number >= 1, got -32"),
        ("n / B", "the grid's x must be a whole number >= 1, got 31.25"),
        ("n // (B - 32)", "the grid's x has no value"),
        ("N", "the grid's x is over `N`, which is no parameter"),
    ],
)
def test_a_grid_that_is_none_is_told(grid: str, words: str) -> None:
    body = scale_body()
    body = replace(body, launch=replace(body.launch, grid=(e(grid), one(), one())))
    with pytest.raises(NoLaunch, match=words.replace("(", r"\(")):
        call_at(body, AT)


@pytest.mark.parametrize(
    "text, cuda, opencl",
    [
        ("float", Element("f4"), Element("f4")),
        ("const unsigned int", Element("u4"), Element("u4")),
        ("double2", Element("f8", 2, 2), Element("f8", 2, 2)),
        ("float3", Element("f4", 3, 3), Element("f4", 4, 3)),
        ("uchar4", Element("u1", 4, 4), Element("u1", 4, 4)),
        ("int64_t", Element("i8"), Element("i8")),
    ],
)
def test_elements_have_the_layout_of_the_language(text: str, cuda: Element, opencl: Element) -> None:
    assert (element_of(text, "cuda"), element_of(text, "opencl")) == (cuda, opencl)


def test_an_element_of_another_type_is_told() -> None:
    body = scale_body(arguments=(GpuBuffer(name="x", element="struct Body", direction="in", length=e("4")),))
    with pytest.raises(NoLaunch, match="elements of type `struct Body`"):
        call_at(replace(body, launch=Launch(grid=(one(),) * 3, block=(one(),) * 3)), AT)


def test_a_scalar_may_need_those_before_it() -> None:
    arguments = (GpuScalar(name="n", element="int", value=e("B * 2")), GpuScalar(name="N", element="int", value=e("n")))
    body = scale_body(arguments=arguments)
    assert [a.value for a in call_at(body, AT).arguments] == [64, 64]  # type: ignore[union-attr]
