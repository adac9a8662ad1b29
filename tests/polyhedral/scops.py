"""Scops written by hand, each with the C it stands for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tunepass.diagnostics import Source
from tunepass.ir.scop import Scop, ScopAccess, ScopArray, ScopLoop, ScopParameter, ScopStatement, Use


@dataclass(frozen=True)
class Written:
    """A statement: its loops, domain, positions in the order of the source, (array, subscripts, r|w|rw|u), and text."""

    loops: tuple[str, ...]
    domain: str
    positions: tuple[int, ...]
    accesses: tuple[tuple[str, str, str], ...]
    text: str


def scop(
    code: str,
    loops: dict[str, int],
    statements: list[Written],
    arrays: dict[str, tuple[str, ...]],
    private: frozenset[str] = frozenset(),
) -> Scop:
    """`loops` are their names and steps; parameters are n and m."""
    line = "#pragma tunepass loop auto\n"
    source = Source("nest.c", line + code)
    depth = max(len(s.loops) for s in statements)
    return Scop(
        parameters=(ScopParameter("n", "n", "int"), ScopParameter("m", "m", "int")),
        context="[n, m] -> { : }",
        arrays=tuple(
            ScopArray(name=a, text=a, element="double", element_byte=8, extents=e, private=a in private)
            for a, e in arrays.items()
        ),
        loops=tuple(_loop(name, step, source) for name, step in loops.items()),
        statements=tuple(_statement(f"S{k}", s, loops, depth, source) for k, s in enumerate(statements)),
        pragma=source.span(0, len(line) - 1),
        span=source.span(len(line), len(source.text)),
        taken=frozenset(re.findall(r"[A-Za-z_]\w*", code)),
    )


def _loop(name: str, step: int, source: Source) -> ScopLoop:
    index = name.split("_")[0]
    at = source.span(0, 1)
    return ScopLoop(name=name, index=index, type="int", start="0", step=step, parent=None, declared=True, span=at)


def _statement(name: str, written: Written, loops: dict[str, int], depth: int, source: Source) -> ScopStatement:
    instance = f"{name}[{', '.join(written.loops)}]"
    times: list[str] = []
    for level in range(depth + 1):
        times.append(str(written.positions[level]) if level < len(written.positions) else "0")
        inside = level < len(written.loops)
        row = ("-" if loops[written.loops[level]] < 0 else "") + written.loops[level] if inside else "0"
        times += [row] if level < depth else []
    indices = {loop.split("_")[0]: loop for loop in written.loops}
    words = re.finditer(r"\b(" + "|".join(indices or "@") + r")\b", written.text)
    start = source.text.index(written.text)
    return ScopStatement(
        name=name,
        loops=written.loops,
        domain=f"[n, m] -> {{ {instance} : {written.domain} }}",
        schedule=f"[n, m] -> {{ {instance} -> [{', '.join(times)}] }}",
        accesses=tuple(
            ScopAccess(
                array=array,
                map=f"[n, m] -> {{ {instance} -> {array}[{subscripts}] }}",
                element_byte=8,
                read="r" in mode or mode == "u",
                written="w" in mode or mode == "u",
                update="+" if mode == "u" else None,
            )
            for array, subscripts, mode in written.accesses
        ),
        text=written.text,
        uses=tuple(Use(indices[word.group()], word.start()) for word in words),
        span=source.span(start, start + len(written.text)),
    )


SYRK = scop(
    """\
for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++)
        C[i][j] *= 1.5;
    for (int k = 0; k < m; k++)
        for (int j = 0; j <= i; j++)
            C[i][j] += A[i][k] * A[j][k];
}
""",
    {"i": 1, "j": 1, "k": 1, "j_2": 1},
    [
        Written(("i", "j"), "0 <= i < n and 0 <= j <= i", (0, 0, 0), (("C", "i, j", "rw"),), "C[i][j] *= 1.5;"),
        Written(
            ("i", "k", "j_2"),
            "0 <= i < n and 0 <= k < m and 0 <= j_2 <= i",
            (0, 1, 0, 0),
            (("C", "i, j_2", "u"), ("A", "i, k", "r"), ("A", "j_2, k", "r")),
            "C[i][j] += A[i][k] * A[j][k];",
        ),
    ],
    {"C": ("n", "n"), "A": ("n", "m")},
)

JACOBI = scop(
    """\
for (int t = 0; t < m; t++) {
    for (int i = 1; i < n - 1; i++)
        y[i] = 0.33333 * (x[i - 1] + x[i] + x[i + 1]);
    for (int i = 1; i < n - 1; i++)
        x[i] = y[i];
}
""",
    {"t": 1, "i": 1, "i_2": 1},
    [
        Written(
            ("t", "i"),
            "0 <= t < m and 1 <= i < n - 1",
            (0, 0, 0),
            (("y", "i", "w"), ("x", "i - 1", "r"), ("x", "i", "r"), ("x", "i + 1", "r")),
            "y[i] = 0.33333 * (x[i - 1] + x[i] + x[i + 1]);",
        ),
        Written(
            ("t", "i_2"),
            "0 <= t < m and 1 <= i_2 < n - 1",
            (0, 1, 0),
            (("x", "i_2", "w"), ("y", "i_2", "r")),
            "x[i] = y[i];",
        ),
    ],
    {"x": ("n",), "y": ("n",)},
)

SWEEPS = scop(
    """\
for (int t = 0; t < m; t++) {
    for (int j = 0; j < n; j++)
        A[0][j] = b[t];
    for (int i = 1; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i][j] = A[i][j] - 0.5 * (C[i][j] - C[i - 1][j]);
    for (int i = 0; i < n - 1; i++)
        for (int j = 0; j < n; j++)
            C[i][j] = C[i][j] - 0.7 * (A[i + 1][j] - A[i][j]);
}
""",
    {"t": 1, "j": 1, "i": 1, "j_2": 1, "i_2": 1, "j_3": 1},
    [
        Written(
            ("t", "j"), "0 <= t < m and 0 <= j < n", (0, 0, 0), (("A", "0, j", "w"), ("b", "t", "r")), "A[0][j] = b[t];"
        ),
        Written(
            ("t", "i", "j_2"),
            "0 <= t < m and 1 <= i < n and 0 <= j_2 < n",
            (0, 1, 0, 0),
            (("A", "i, j_2", "rw"), ("C", "i, j_2", "r"), ("C", "i - 1, j_2", "r")),
            "A[i][j] = A[i][j] - 0.5 * (C[i][j] - C[i - 1][j]);",
        ),
        Written(
            ("t", "i_2", "j_3"),
            "0 <= t < m and 0 <= i_2 < n - 1 and 0 <= j_3 < n",
            (0, 2, 0, 0),
            (("C", "i_2, j_3", "rw"), ("A", "i_2 + 1, j_3", "r"), ("A", "i_2, j_3", "r")),
            "C[i][j] = C[i][j] - 0.7 * (A[i + 1][j] - A[i][j]);",
        ),
    ],
    {"b": ("m",), "A": ("n", "n"), "C": ("n", "n")},
)

PAIRS = scop(
    """\
for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++) {
        C[i][j] += 0.25 * C[i][j - 1];
        for (int k = i + 1; k < j; k++)
            C[i][j] += 0.125 * C[i][k] * C[k + 1][j];
    }
""",
    {"i": -1, "j": 1, "k": 1},
    [
        Written(
            ("i", "j"),
            "0 <= i < n and i < j < n",
            (0, 0, 0),
            (("C", "i, j", "u"), ("C", "i, j - 1", "r")),
            "C[i][j] += 0.25 * C[i][j - 1];",
        ),
        Written(
            ("i", "j", "k"),
            "0 <= i < n and i < j < n and i < k < j",
            (0, 0, 1, 0),
            (("C", "i, j", "u"), ("C", "i, k", "r"), ("C", "k + 1, j", "r")),
            "C[i][j] += 0.125 * C[i][k] * C[k + 1][j];",
        ),
    ],
    {"C": ("n", "n")},
)

SOLVE = scop(
    """\
for (int i = n - 1; i >= 0; i--) {
    w = b[i];
    for (int j = i + 1; j < n; j++)
        w -= A[i][j] * x[j];
    x[i] = w / A[i][i];
}
""",
    {"i": -1, "j": 1},
    [
        Written(("i",), "0 <= i < n", (0, 0), (("w", "", "w"), ("b", "i", "r")), "w = b[i];"),
        Written(
            ("i", "j"),
            "0 <= i < n and i < j < n",
            (0, 1, 0),
            (("w", "", "u"), ("A", "i, j", "r"), ("x", "j", "r")),
            "w -= A[i][j] * x[j];",
        ),
        Written(
            ("i",),
            "0 <= i < n",
            (0, 2),
            (("x", "i", "w"), ("w", "", "r"), ("A", "i, i", "r")),
            "x[i] = w / A[i][i];",
        ),
    ],
    {"w": (), "b": ("n",), "A": ("n", "n"), "x": ("n",)},
    frozenset("w"),
)

FORWARD = scop(
    """\
for (int i = 0; i < n; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++)
        x[i] -= A[i][j] * x[j];
    x[i] /= A[i][i];
}
""",
    {"i": 1, "j": 1},
    [
        Written(("i",), "0 <= i < n", (0, 0), (("x", "i", "w"), ("b", "i", "r")), "x[i] = b[i];"),
        Written(
            ("i", "j"),
            "0 <= j < i < n",
            (0, 1, 0),
            (("x", "i", "u"), ("A", "i, j", "r"), ("x", "j", "r")),
            "x[i] -= A[i][j] * x[j];",
        ),
        Written(("i",), "0 <= i < n", (0, 2), (("x", "i", "rw"), ("A", "i, i", "r")), "x[i] /= A[i][i];"),
    ],
    {"b": ("n",), "A": ("n", "n"), "x": ("n",)},
)

ROWS = scop(
    """\
for (int i = 0; i < n; i++) {
    w = 0.0;
    for (int j = 0; j < m; j++) {
        y[i][j] = x[i][j] + 0.5 * w;
        w = x[i][j];
    }
}
""",
    {"i": 1, "j": 1},
    [
        Written(("i",), "0 <= i < n", (0, 0), (("w", "", "w"),), "w = 0.0;"),
        Written(
            ("i", "j"),
            "0 <= i < n and 0 <= j < m",
            (0, 1, 0),
            (("y", "i, j", "w"), ("x", "i, j", "r"), ("w", "", "r")),
            "y[i][j] = x[i][j] + 0.5 * w;",
        ),
        Written(
            ("i", "j"), "0 <= i < n and 0 <= j < m", (0, 1, 1), (("w", "", "w"), ("x", "i, j", "r")), "w = x[i][j];"
        ),
    ],
    {"w": (), "x": ("n", "m"), "y": ("n", "m")},
    frozenset("w"),
)

TURNED_PRODUCT = scop(
    "for (int i = 0; i < n; i++)\n    for (int j = 0; j < n; j++)\n        A[i][j] *= C[j][i];\n",
    {"i": 1, "j": 1},
    [
        Written(
            ("i", "j"),
            "0 <= i < n and 0 <= j < n",
            (0, 0, 0),
            (("A", "i, j", "rw"), ("C", "j, i", "r")),
            "A[i][j] *= C[j][i];",
        )
    ],
    {"A": ("n", "n"), "C": ("n", "n")},
)
