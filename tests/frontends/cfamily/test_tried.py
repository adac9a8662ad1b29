"""`try` blocks: of functions as a whole, and around nests."""

from __future__ import annotations

import pytest

from tests.frontends.c.scops.reading import accesses, scop_of
from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.cfamily.functions.definitions import definitions
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.cfamily.syntax.tree import Evaluated, Jump, Tried
from tunepass.frontends.cfamily.syntax.walk import nodes

WHOLE = """
struct S { int v; S() try : v(1) { } catch (...) { } int get() const try { return v; } catch (...) { return 0; } };
auto f(int n) noexcept -> int try { return n; } catch (int &e) { return e; } catch (...) { throw; }
"""


def test_a_function_may_be_a_try_as_a_whole() -> None:
    unit = read(Source("k.cpp", WHOLE), (), "c++")
    assert [f.qualified for f in unit.functions] == ["S::S", "S::get", "f"]
    made, getter, function = definitions(unit)
    assert (function.returns, function.prototype) == ("int", "auto f(int n) -> int")
    assert WHOLE[function.body_start :].startswith("try { return n; }")
    assert WHOLE[: function.body_end].endswith("throw; }")
    assert (getter.qualifiers, made.name) == ("const", "S")
    (tried,) = unit.functions[-1].body.statements
    assert isinstance(tried, Evaluated) and isinstance(tried.expression, Tried)
    assert [node.kind for node in nodes(tried) if isinstance(node, Jump)] == ["return", "return", "throw"]


HEAD = "void g(int);\nvoid f(int n, double *x, double *y) {\n"
NEST = "#pragma tunepass loop auto\nfor (int i = 1; i < n; i++) p[i] = p[i - 1] + x[i];\n"


def test_a_nest_may_stand_in_a_try() -> None:
    text = f"{HEAD}try {{ double *p = y; g(n);\n{NEST}}} catch (...) {{ g(0); }}\n}}\n"
    assert accesses(scop_of(text, "k.cpp")) == ["r p[i - 1]", "r x[i]", "w p[i]"]


def test_what_a_handler_reads_is_live_after_a_nest() -> None:
    loop = "#pragma tunepass loop auto\nfor (i = 0; i < n; i++) x[i] = 2 * y[i];\n"
    read_later = f"{HEAD}int i;\ntry {{\n{loop}g(n); }} catch (...) {{ y[0] = i; }}\n}}\n"
    assert any("i = " in text for text in scop_of(read_later, "k.cpp").after)
    assert not any("i = " in text for text in scop_of(read_later.replace("= i;", "= 0;"), "k.cpp").after)


def test_a_jump_in_a_try_that_leaves_a_loop_is_refused_at_its_place() -> None:
    loop = "for (int i = 0; i < n; i++) { try { g(i); if (x[i] > 2) break; } catch (...) { y[i] = 1; } }\n"
    with pytest.raises(SourceError, match="`break` leaves") as caught:
        scop_of(f"{HEAD}#pragma tunepass loop auto\n{loop}}}\n", "k.cpp")
    span = caught.value.diagnostics[0].span
    assert span is not None and span.text == "break;"
