"""C++ programs are followed as far as numbers, lists and lambdas go."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tunepass.diagnostics import Source, SourceError, Span
from tunepass.interchange.cpp_programs import program
from tunepass.interchange.cpp_values import Array, Formula, Named, Unknown, Value, number_text

GIVEN = (Formula("A"), Formula("B"))


def names_in(text: str, *words: str) -> dict[str, Value]:
    read = program(Source("tune.cpp", text), told, words)
    read.file()
    return read.names


def told(name: str, given: Sequence[Value], span: Span) -> Value:
    if name != "tell":
        raise Unknown
    return Named(name, len(given))


def applied(function: str) -> str:
    read = program(Source("tune.cpp", f"auto f = {function};"), told)
    read.file()
    value = read.names["f"]
    return number_text(read.call(value, (GIVEN,)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text, value",
    [
        ("const int x = 7 / 2 * 2 + 0x10;", 22),
        ("const int x = -7 / 2 % 3;", 0),
        ("uint64_t x = 64ul * 1'024;", 65536),
        ("int x; if constexpr (!false && 2 > 1) { x = 3; } else { x = 4; }", 3),
        ("int x; if (argc >= 2) x = 3; else x = 4;", 4),
        ("int x = 1; for (int i = 0; i < 4; ++i) { x *= 2; }", 16),
        ("int x = argc > 1 ? std::stoul(argv[1]) : 5;", 5),
        ("const auto x = static_cast<float>(3);", 3),
        ("#define WIDTH (4 + 4)\nint x = WIDTH;", 8),
        ("#if defined(GPU) || KEPT\nint x = 1;\n#elif !OTHER\nint x = 2;\n#else\nint x = 3;\n#endif", 2),
        ('std::string x = "a" + std::string("b");', "ab"),
        ("std::vector<uint64_t> x{1, 2}; x.push_back(4);", (1, 2, 4)),
        ("std::vector<uint64_t> x; for (int i = 1; i <= 8; i *= 2) x.push_back(i);", (1, 2, 4, 8)),
        ("const size_t n = 16; std::vector<float> x(n * n, 0.0f);", Array(256, "float")),
        ("ktt::DimensionVector x(64, 32);", (64, 32)),
        ("uint64_t x = 0b101 + 0x1F + 017;", 51),
        ("int x = 7.9f; x += static_cast<int>(1.5);", 8),
        ("int x = 0; while (x < 10) { x += 3; if (x > 5) break; }", 6),
        ("int x = 0; do { ++x; } while (x < 1);", 1),
        ("int x = 0; for (auto i : {1, 2, 3}) { if (i == 2) continue; x += i; }", 4),
        ("std::vector<int> x{1, 2, 3}; x[1] = 7;", (1, 7, 3)),
        ("std::vector<int> x{1, 2}; x.clear(); x.push_back(4);", (4,)),
        ("const std::vector<int> x{1, 2}; print(x.total());", (1, 2)),
        ("std::vector<float> x(4); for (int i = 0; i < 1 << 20; ++i) x[i] = rand();", Array(4, "float")),
        ('const char *x = "a" "b";', "ab"),
    ],
)
def test_values(text: str, value: Value) -> None:
    lines = text.split("\n")
    top = "\n".join(line for line in lines[:-1]) + "\n" if text.startswith("#define") else ""
    assert (
        names_in(f"{top}int main(int argc, char **argv) {{\n{lines[-1] if top else text}\nreturn 0; }}")["x"] == value
    )


@pytest.mark.parametrize(
    "text",
    [
        "int x = rand();",
        "int x = 1; x = device.count();",
        "std::vector<float> x; for (int i = 0; i < 100000; ++i) x.push_back(i);",
        "int x = 1 / 0;",
        "double x = 1e400;",
        f"int x = {'1' * 5000};",
        "auto x = 10_ms;",
        "int x = 1; read(&x);",
        "std::vector<int> x{1, 2}; x.resize(5);",
        "std::vector<int> x{1, 2}; x[0] = rand(); x[unknown] = 3;",
        "int x = 1; switch (argc) { case 1: x = 2; }",
        "int x = 1; while (busy()) ++x;",
    ],
)
def test_what_is_not_known_has_no_value(text: str) -> None:
    assert "x" not in names_in(f"int main() {{ {text} }}")


@pytest.mark.parametrize(
    "function, text",
    [
        ("[](const std::vector<uint64_t>& v) {return v[0] * v.at(1) >= 64;}", "if(((A * B) >= 64), 1, 0)"),
        ("[](const std::vector<uint64_t>& v) {return !v[0] || v[1] / 2 == 1;}",
         "if(((not (A != 0)) or ((B // 2) == 1)), 1, 0)"),
        ("[](const auto& v) { if (v[0] == 2) {return v[1];} else {return v[1] + 1;} }", "if((A == 2), B, (B + 1))"),
        ("[](const auto& v) { bool all = true; for (int i = 1; i < v.size(); ++i) { all = all && v[i - 1] != v[i]; } "
         "return all; }", "if((A != B), 1, 0)"),
        ("[](const auto& v) { return v[0] > 1 ? v[0] : 1; }", "if((A > 1), A, 1)"),
        ("[](const auto& v) { int n = 1; if (v[0] > 1) n = 2; return n + v[1]; }", "(if((A > 1), 2, 1) + B)"),
        ("[](const auto& v) { if (v[0] > 1) { if (v[1] > 1) return 1; return 2; } return 3; }",
         "if((A > 1), if((B > 1), 1, 2), 3)"),
        ("[](const auto& v) { if (v[0] > 1) { if (v[1] > 1) return 1; } return 3; }",
         "if(((A > 1) and (B > 1)), 1, 3)"),
        ("[](const auto& v) { for (auto x : v) if (x == 3) return false; return true; }",
         "if(((not (A == 3)) and (not (B == 3))), 1, 0)"),
    ],
)  # fmt: skip
def test_functions_of_parameters(function: str, text: str) -> None:
    assert applied(function) == text


@pytest.mark.parametrize(
    "function",
    [
        "[](const auto& v) { if (odd(v[0])) return false; return true; }",
        "[](const auto& v) { for (int i = 0; i < v[0]; ++i) if (v[1] == i) return false; return true; }",
        "[](const auto& v) { switch (v[0]) { case 1: return false; } return true; }",
        "[](const auto& v) { while (true) { if (v[0] > 1) break; } return true; }",
        "[](const auto& v) { int n = 1; try { n = v[0]; } catch (...) { } return n; }",
        "[](const auto& v) { try { return v[0] > 1; } catch (...) { } return true; }",
    ],
)
def test_functions_of_parameters_assume_nothing(function: str) -> None:
    with pytest.raises(Unknown):
        applied(function)


def test_references_hand_back_what_a_function_leaves() -> None:
    text = "void grow(std::vector<int> &v, const int n) { v.push_back(n); }\n"
    text += "void lose(std::vector<int> &v) { v = read(); }\n"
    names = names_in(text + "int main() { std::vector<int> x{1}, y{1}; grow(x, 2); lose(y); }")
    assert names["x"] == (1, 2) and "y" not in names


def test_macros_are_those_of_the_build_and_of_headers(tmp_path: Path) -> None:
    (tmp_path / "sizes.h").write_text("#define SIZE (1 << LOG)\ninline int half(int n) { return n / 2; }\n")
    source = Source(str(tmp_path / "tune.cpp"), '#include "sizes.h"\n#include <Absent.h>\nint x = half(SIZE);')
    read = program(source, told, ["-DLOG=5"])
    read.file()
    assert read.names["x"] == 16 and read.missing == ("Absent.h",)


def test_functions_call_others() -> None:
    text = "bool Multiple(const size_t a, const size_t b) { return a % b == 0; };\n"
    text += "auto f = [](const std::vector<size_t>& v) {return Multiple(v[0], v[1]);};"
    read = program(Source("tune.cpp", text), told)
    read.file()
    assert number_text(read.call(read.names["f"], (GIVEN,))) == "if(((A % B) == 0), 1, 0)"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text, words",
    [
        ("int main() { f(1; }", "expected `\\)`"),
        ("#endif\n", "#endif without #if"),
        ("int main() { " + "(" * 200 + "1" + ")" * 200 + "; }", "nested too deeply"),
        ("int f() { return f(); } int main() { int x = f(); }", "levels"),
        ("int main() { int x = 1(2); }", "a number is called"),
    ],
)
def test_what_cannot_be_followed_is_told(text: str, words: str) -> None:
    with pytest.raises(SourceError, match=words):
        names_in(text)
