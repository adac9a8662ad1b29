"""Signatures, types, patterns and blocks as the grammar reads them."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.spatial.syntax import nodes as n
from tunepass.frontends.spatial.syntax.lexer import scan
from tunepass.frontends.spatial.syntax.parser import parse, parse_class_signature, parse_signature, parse_type


def statement(text: str) -> n.Node:
    tokens = scan(Source("x", text))
    (node,) = parse(tokens, 0, len(tokens.items)).statements
    return node


def type_of(text: str) -> n.Type:
    tokens = scan(Source("x", text))
    return parse_type(tokens, 0, len(tokens.items))


def type_text(type_: n.Type | None) -> str:
    return type_.span.text if type_ is not None else ""


@pytest.mark.parametrize("text,names,type_", [
    ("val x: Int = 3", ("x",), "Int"),
    ("val (a, b): (Int, T) = p", ("a", "b"), "(Int, T)"),
    ("val (a, _) = p", ("a", "_"), ""),
    ("val (a: Int, (b, c)) = p", ("a", "_"), ""),
    ("val a, b = 3", ("a", "b"), ""),
    ("var `a b`: scala.Int = 3", ("a b",), "scala.Int"),
    ("private[this] lazy val x: (Int, Int) => Int = f", ("x",), "(Int, Int) => Int"),
    ("val x: A with B = f", ("x",), "A with B"),
])  # fmt: skip
def test_values(text: str, names: tuple[str, ...], type_: str) -> None:
    value = statement(text)
    assert isinstance(value, n.Value)
    assert value.names == names and type_text(value.type) == type_


@pytest.mark.parametrize("text,name,parameters", [
    ("def f = 3", "f", []),
    ("def f(): Unit = g", "f", []),
    ("def f[T: Num](x: T, y: Int)(implicit z: Q): T = x", "f", [("x", "T"), ("y", "Int"), ("z", "Q")]),
    ("def f[A <: B[_], +C >: D](xs: T*) = x", "f", [("xs", "T*")]),
    ("def f(x: => Int, y: Int => Int = g, z: A#B) = x", "f", [("x", "=> Int"), ("y", "Int => Int"), ("z", "A#B")]),
    ("def f(\n  x: Int,\n) = x", "f", [("x", "Int")]),
    ("def +(x: this.type) = x", "+", [("x", "this.type")]),
    ("override def f(x: Vec[Vec[Int]])(y: Int) = x", "f", [("x", "Vec[Vec[Int]]"), ("y", "Int")]),
])  # fmt: skip
def test_definitions(text: str, name: str, parameters: list[tuple[str, str]]) -> None:
    definition = statement(text)
    assert isinstance(definition, n.Definition)
    signature = definition.signature
    assert signature.name == name
    assert [(p.name, type_text(p.type)) for p in signature.parameters] == parameters


def test_a_signature_alone() -> None:
    tokens = scan(Source("x", "def main(args: Array[String]): Unit = { host code }"))
    signature = parse_signature(tokens, 0, next(i for i, t in enumerate(tokens.items) if t.text == "="))
    assert (signature.name, signature.parameter_names) == ("main", ("args",))


def test_a_class_signature_with_defaults() -> None:
    tokens = scan(Source("x", "Cell(val score: Int16, ptr: Int = 3)"))
    signature = parse_class_signature(tokens, 0, len(tokens.items))
    assert [(p.name, type_text(p.type), p.default is not None) for p in signature.parameters] == [
        ("score", "Int16", False),
        ("ptr", "Int", True),
    ]


@pytest.mark.parametrize("text,parameters,body", [
    ("f(i => i + 1)", ("i",), "i + 1"),
    ("f((i: Int, _) => i)", ("i", "_"), "i"),
    ("f(() => 1)", (), "1"),
    ("f { (i, j) => i; j }", ("i", "j"), "i; j"),
    ("f { i: Int => i }", ("i",), "i"),
    ("f { case (a, b) => a }", ("a", "b"), "a"),
    ("f { case a => a }", ("a",), "a"),
    ("f { i => g { j => j } }", ("i",), "g { j => j }"),
])  # fmt: skip
def test_functions(text: str, parameters: tuple[str, ...], body: str) -> None:
    applied = statement(text)
    assert isinstance(applied, n.Apply)
    (function,) = applied.arguments
    assert isinstance(function, n.Function)
    assert function.parameters == parameters and function.body.span.text == body


def test_a_function_without_a_body_is_an_empty_block() -> None:
    applied = statement("f { i => }")
    assert isinstance(applied, n.Apply) and isinstance(applied.arguments[0], n.Function)
    assert isinstance(applied.arguments[0].body, n.Block) and applied.arguments[0].body.statements == ()


def test_cases_with_types_and_guards() -> None:
    matching = statement("x match {\n case Some((a, b)) | None if a > b => a\n case y: T[Int] => y\n case _ =>\n}")
    assert isinstance(matching, n.Matching) and isinstance(matching.cases, n.Cases)
    patterns = [case.pattern.span.text for case in matching.cases.cases]
    assert patterns == ["Some((a, b)) | None", "y: T[Int]", "_"]
    assert [case.guarded for case in matching.cases.cases] == [True, False, False]


@pytest.mark.parametrize("text", [
    "for (i <- 0 until 3; j <- 0 until i if i > 1) yield { f(i) }",
    "for {\n i <- 0 until 3\n k = i * 2\n (a, b) <- pairs if a\n} f(i)",
])  # fmt: skip
def test_generators(text: str) -> None:
    comprehension = statement(text)
    assert isinstance(comprehension, n.Comprehension)
    generators = [g for g in comprehension.enumerators if isinstance(g, n.Generator)]
    assert len(generators) == 2
    assert (generators[0].pattern.span.text, generators[0].source.span.text) == ("i", "0 until 3")


def test_types_have_names_and_arguments() -> None:
    fixed = type_of("argon.FixPt[TRUE, _16, 3]")
    assert isinstance(fixed, n.TypeName) and fixed.name == "argon.FixPt"
    assert [a.name for a in fixed.arguments if isinstance(a, n.TypeName)] == ["TRUE", "_16", "3"]
    pair = type_of("(Int, Tup2[A, B])")
    assert isinstance(pair, n.TupleType) and len(pair.items) == 2
    for text in ("A => B", "_ <: A", "A with B", "A#B", "A Either B"):
        assert isinstance(type_of(text), n.OtherType)


def test_an_ascription_is_kept_and_an_import_is_not() -> None:
    ascribed = statement("import a.{b, c}\nf(xs: _*)")
    assert isinstance(ascribed, n.Apply) and isinstance(ascribed.arguments[0], n.Ascribed)


def test_a_break_after_a_functions_arrow_is_no_statement() -> None:
    tokens = scan(Source("x", "f { i =>\n  a\n  b\n}\nc"))
    applied, name = parse(tokens, 0, len(tokens.items)).statements
    assert isinstance(applied, n.Apply) and isinstance(name, n.Ident)


@pytest.mark.parametrize("text,message", [
    ("f(3 => 4)", "`=>` is not expected here"),
    ("def f(x: Int)\nval y = 3", "a `def` needs `= …`"),
    ("{ val x }", "a `val` needs `= …`"),
    ("{ def f }", "a `def` needs `= …`"),
    ("x match { case y }", "a `case` needs `=>`"),
    ("f(a: )", "an operand is missing before `)`"),
    ("try { a }", "`try` is not understood here"),
])  # fmt: skip
def test_one_diagnostic(text: str, message: str) -> None:
    tokens = scan(Source("x", text))
    with pytest.raises(SourceError) as caught:
        parse(tokens, 0, len(tokens.items))
    assert [diagnostic.message for diagnostic in caught.value.diagnostics] == [message]


def test_a_block_nested_deeply_is_parsed() -> None:
    text = "(" * 400 + "a" + ")" * 400
    assert statement(text).span.text == text
