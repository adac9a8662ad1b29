"""Python values that other tuners' files hold."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import ExpressionError
from tunepass.interchange.python_values import PythonValue, python_value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1, 2, 4]", (1, 2, 4)),
        ("[16*i for i in range(1,4)]", (16, 32, 48)),
        ("[1] + [2 * i for i in range(1, 4)]", (1, 2, 4, 6)),
        ("[2**i for i in range(0, 5) if i != 3]", (1, 2, 4, 16)),
        ("list(range(4, 0, -2))", (4, 2)),
        ("(1, 0.5, -3)", (1, 0.5, -3)),
        ("['a', \"b\"]", ("a", "b")),
        ("[True, False]", (True, False)),
        ("[i * j for i in [1, 2] for j in (3, 4)]", (3, 4, 6, 8)),
        ("(ProblemSize[0] + max(width) - 1) * 2", 4110),
        ("np.arange(3)", (0, 1, 2)),
        ("sorted([3, 1, 2])", (1, 2, 3)),
        ("max(1, math.ceil(2.5))", 3),
        ("sum([1, 2]) if 1 < 2 else 0", 3),
        ("1 << 4", 16),
        ("None", None),
    ],
)
def test_values(text: str, value: PythonValue) -> None:
    assert python_value(text, {"ProblemSize": (2048,), "width": (3, 8)}) == value


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "open('/etc/passwd').read()",
        "[].__class__",
        "(lambda: 1)()",
        "unknown",
        "f'{1}'",
        "10 ** 10 ** 10",
        "9 ** 65",
        "2 ** 64",
        "1 << 80",
        "[0] * 1000000000",
        "list(range(10 ** 9))",
        "[i for i in range(100000) for j in range(100000)]",
        "'a' + 1",
        "[1][5]",
        "1 / 0",
        "1 +",
        "[i for i, j in [[1, 2]]]",
        "(-1) ** 0.5",
        "min([])",
        "\0",
        "(" * 5000,
        "-" * 15000 + "1",
        "1" * 30000,
    ],
)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        python_value(text)
