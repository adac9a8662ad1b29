"""Numbers in pragmas, spelled as C has them."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Source, SourceError, SpaceError
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.cfamily.constants.plain_numbers import with_plain_numbers
from tunepass.ir.c_kernel import CKernel, ScalarArgument
from tunepass.space.space import Space

KERNEL = """\
#pragma tunepass param LEVEL: categorical("-O1", "-O2") = "-O1" flag
#pragma tunepass kernel scale(n = 1'000u, big = 3'000'000'000LL, octal = 017, hex = 0x1Fu, bits = 0b101, a = 2.5e-2f, \\
    trans = 'N', end = '\\n', x: in float[n] fill(0.5f * i), y: out float[n])
void scale(unsigned n, long big, int octal, int hex, int bits, float a, char trans, char end, const float *x, float *y)
{
    for (unsigned i = 0; i < n; i++) y[i] = trans == 'N' ? a * x[i] : x[i];
}
"""


def values_of(text: str) -> dict[str, object]:
    call = CFrontend().parse(Source("k.c", text)).kernels[0].body_as(CKernel).call
    assert call is not None
    return {a.name: getattr(a.value, "value", None) for a in call.arguments if isinstance(a, ScalarArgument)}


def test_scalars_are_read_as_c_reads_them() -> None:
    expected = {"n": 1000, "big": 3 * 10**9, "octal": 15, "hex": 31, "bits": 5, "a": 0.025, "trans": 78, "end": 10}
    assert values_of(KERNEL) == expected


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("1'000u + 'A' / 0.5f", "1000   + 65  / 0.5 "),
        ("3ull*2l<-.5f", "3   *2 <-.5 "),
        (r"'\x80' + '\377' + '\0'", "-128   + -1     + 0   "),
        ("a1b + n2 + x.y", "a1b + n2 + x.y"),
        ("'auto' + \"3u\"", "'auto' + \"3u\""),  # strings
        ("0xff + 1..4 + 08", "0xff + 1..4 + 08"),
    ],
)
def test_places_stay(text: str, plain: str) -> None:
    assert with_plain_numbers(text) == plain and len(plain) == len(text)


def test_beside_categories_a_letter_is_a_string() -> None:
    assert with_plain_numbers("T == 'N' and n == 3u", ["T"]) == "T == 'N' and n == 3 "


def test_constraints_compare_letters_with_scalars_and_with_categories() -> None:
    constraint = "#pragma tunepass constraint trans == 'N' and n == 1000u\n"
    kernel = CFrontend().parse(Source("k.c", constraint + KERNEL)).kernels[0]
    assert Space(kernel.parameters, kernel.constraints).size == 2
    other = CFrontend().parse(Source("k.c", constraint.replace("N", "T") + KERNEL)).kernels[0]
    with pytest.raises(SpaceError, match="no value meets this constraint: trans == 'T' and n == 1000u"):
        Space(other.parameters, other.constraints)
    category = KERNEL.replace('"-O1", "-O2") = "-O1" flag', '"N", "T")').replace("trans == 'N'", "LEVEL")
    kernel = CFrontend().parse(Source("k.c", "#pragma tunepass constraint LEVEL == 'N'\n" + category)).kernels[0]
    assert Space(kernel.parameters, kernel.constraints).size == 1


def test_what_is_no_number_is_refused_at_its_place() -> None:
    with pytest.raises(SourceError) as raised:
        values_of(KERNEL.replace("1'000u", "1000q"))
    (problem,) = raised.value.diagnostics
    assert "unexpected `q`" in str(problem) and "2:39" in str(problem)
