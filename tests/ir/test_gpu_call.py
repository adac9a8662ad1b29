"""Expressions of a GPU kernel's body as the numbers of one launch."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.evaluators.gpu_run.kernels import e, one, scale_body
from tunepass.ir.gpu import ElementLayout, GpuBuffer, GpuScalar, Launch, NumberOf, ReferenceKernel
from tunepass.ir.gpu_call import Element, ElementNumber, NoLaunch, call_at, element_of, reference_call_at
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
    assert call.arguments == call_at(body, AT).arguments == call.in_order
    some = replace(body, reference=ReferenceKernel(function="plain", launch=launch, passed=("y", "n")))
    call = reference_call_at(some, AT)
    assert call is not None and [a.name for a in call.in_order] == ["y", "n"]
    assert call.buffers == call_at(body, AT).buffers


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


def numbers(size: int, dtype: str, how_many: int = 1) -> Element:
    return Element(size, tuple(ElementNumber(dtype, k * int(dtype[1])) for k in range(how_many)))


@pytest.mark.parametrize(
    "text, cuda, opencl",
    [
        ("float", numbers(4, "f4"), numbers(4, "f4")),
        ("unsigned int", numbers(4, "u4"), numbers(4, "u4")),
        ("double2", numbers(16, "f8", 2), numbers(16, "f8", 2)),
        ("float3", numbers(12, "f4", 3), numbers(16, "f4", 3)),
        ("uchar4", numbers(4, "u1", 4), numbers(4, "u1", 4)),
        ("int64_t", numbers(8, "i8"), numbers(8, "i8")),
        ("half", numbers(2, "f2"), numbers(2, "f2")),
    ],
)
def test_elements_have_the_layout_of_the_language(text: str, cuda: Element, opencl: Element) -> None:
    scalar = GpuScalar(name="a", element=text, value=one())
    assert (element_of(scalar, "cuda"), element_of(scalar, "opencl")) == (cuda, opencl)


def test_a_struct_has_the_layout_that_its_source_gives_it() -> None:
    layout = ElementLayout(12, (NumberOf("unsigned char", 0), NumberOf("double", 4)))
    buffer = GpuBuffer(name="p", element="struct p", direction="in", length=one(), layout=layout)
    assert element_of(buffer, "cuda") == Element(12, (ElementNumber("u1"), ElementNumber("f8", 4)))


def test_an_element_of_another_type_is_told() -> None:
    body = scale_body(arguments=(GpuBuffer(name="x", element="struct Body", direction="in", length=e("4")),))
    with pytest.raises(NoLaunch, match="elements of type `struct Body`"):
        call_at(replace(body, launch=Launch(grid=(one(),) * 3, block=(one(),) * 3)), AT)


def test_a_scalar_may_need_those_before_it() -> None:
    arguments = (GpuScalar(name="n", element="int", value=e("B * 2")), GpuScalar(name="N", element="int", value=e("n")))
    body = scale_body(arguments=arguments)
    assert [a.value for a in call_at(body, AT).arguments] == [64, 64]  # type: ignore[union-attr]
