"""Kernels with Merlin's pragmas, as HLSyn and AutoDSE write them."""

import pytest

from tests.frontends.hls.sources import GEMV, body, loop, merlin, names, operations, parse
from tunepass.diagnostics import SourceError
from tunepass.expr.printer import to_text
from tunepass.frontends.hls.frontend import HlsFrontend
from tunepass.ir.hls import HlsBlock, HlsLoop
from tunepass.ir.kernel import Choice


def test_knobs_become_parameters_with_domains_of_their_loops() -> None:
    found = {p.name: p for p in parse(GEMV).parameters}
    assert list(found) == ["PIPE_I", "TILE_I", "PARA_I", "PARA_J"]
    assert str(found["PIPE_I"]) == "categorical('off', 'plain', 'flatten')"
    assert found["PARA_I"].domain == (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 16, 20, 30, 32, 60)
    assert found["PARA_J"].domain == (1, 2, 4, 5, 8, 10, 16, 20, 32, 40)


def test_a_param_gives_the_domain_of_a_knob() -> None:
    text = "#pragma tunepass param PARA_J: ordinal(1, 5) = 5\n" + GEMV
    assert next(p for p in parse(text).parameters if p.name == "PARA_J").default == 5


def test_a_loop_says_what_its_pragmas_ask() -> None:
    rows, inner = body(GEMV).loops()
    assert (rows.name, to_text(rows.trip), to_text(rows.unroll), to_text(rows.tile)) == (
        "rows",
        "60",
        "PARA_I",
        "TILE_I",
    )
    assert to_text(rows.coarse) == 'if(PIPE_I == "plain", 1, 0)'
    assert to_text(rows.flattened) == 'if(PIPE_I == "flatten", 1, 0)' == to_text(rows.pipelined)
    assert inner.reductions == ("sum",) and to_text(inner.unroll) == "PARA_J"


def test_a_body_is_dataflow_with_affine_subscripts() -> None:
    (inner,) = (i for i in loop(body(GEMV), "rows").items if isinstance(i, HlsLoop))
    (block,) = (i for i in inner.items if isinstance(i, HlsBlock))
    assert [o.name for o in block.operations] == ["load", "load", "flt_mul", "load", "flt_add", "store"]
    _, _, product, before, total, store = block.operations
    by_array = {o.array: o for o in block.operations if o.name == "load"}
    assert [[(n, to_text(e)) for n, e in s.terms] for s in by_array["A"].subscripts] == [[("rows", "1")], [("j", "1")]]
    assert {block.operations[i].array for i in product.inputs} == {"A", "x"}
    assert before.array == store.array == "sum" and total.inputs == (3, 2) and store.inputs == (4,)


def test_scalars_that_are_affine_are_followed_into_subscripts() -> None:
    kernel = merlin("for (int i = 0; i < 8; i++) { int row = i * 8; for (int j = 0; j < 8; j++) a[row + j] = b[j]; }")
    store = next(o for o in operations(kernel) if o.name == "store")
    assert [(n, to_text(e)) for n, e in store.subscripts[0].terms] == [("i", "8"), ("j", "1")]
    assert names(kernel) == ["load", "store"]


def test_a_loop_that_begins_and_steps_otherwise_is_counted_in_iterations() -> None:
    kernel = merlin("for (int i = 60; i >= 4; i -= 4) a[i] = b[i - 1];")
    (found,) = kernel.loops()
    load, store = operations(kernel)
    assert to_text(found.trip) == "15"
    assert (to_text(store.subscripts[0].offset), to_text(store.subscripts[0].terms[0][1])) == ("60", "-4")
    assert to_text(load.subscripts[0].offset) == "59"


def test_triangular_loops_run_their_mean_and_their_most() -> None:
    kernel = merlin("for (int i = 0; i < 10; i++) for (int j = i; j < 10; j++) a[i] += b[j];")
    inner = loop(kernel, "j")
    assert inner.most is not None and (to_text(inner.trip), to_text(inner.most)) == ("5.5", "10")


def test_nested_triangles_are_weighed_by_how_often_they_run() -> None:
    text = "for (int i = 0; i < 4; i++) for (int j = 0; j < i; j++) for (int k = 0; k < j; k++) a[i] += b[k];"
    assert to_text(loop(merlin(text), "k").trip) == repr(4 / 6)  # 4 iterations in 6 runs


def test_loops_that_count_down_in_their_condition() -> None:
    kernel = merlin("for (int t = 0; t < 2; t++) { int i = 16; while (i--) a[i] = b[i]; for (i = 8; --i; ) b[i] = 0; }")
    first, second = loop(kernel, "i"), loop(kernel, "i_2")
    assert (to_text(first.trip), to_text(second.trip)) == ("16", "7")
    store = next(o for o in operations(first) if o.name == "store")
    assert to_text(store.subscripts[0].offset) == "15"


def test_loops_that_data_bound_are_assumed_to_go_through_their_array() -> None:
    text = """
    for (int i = 0; i < 16; i++) { int from = row[i], to = row[i + 1]; float s = 0;
      for (int j = from; j < to; j++) s += val[j] * x[col[j]];
      y[i] = s; }"""
    kernel = merlin(text, "int row[17], int col[64], float val[64], float x[16], float y[16]")
    inner = loop(kernel, "j")
    assert inner.assumed is not None and to_text(inner.trip) == "4.0"
    gather = next(o for o in operations(inner) if o.array == "x")
    assert not gather.subscripts[0].affine and gather.inputs != ()


def test_conditions_become_choices_and_guards() -> None:
    kernel = merlin("for (int i = 0; i < 64; i++) { float v = a[i]; if (v > 0) { v = v * 2; b[i] = v; } a[i] = v; }")
    found = {(o.name, o.array): o for o in operations(kernel)}
    assert found["store", "b"].guarded and not found["store", "a"].guarded
    assert names(kernel).count("mux") == 1


def test_conditions_of_iterations_are_no_guards_of_data() -> None:
    kernel = merlin("for (int i = 0; i < 64; i++) if (i > 3) a[i] = b[i];")
    assert not any(o.guarded for o in operations(kernel))


def test_functions_are_read_where_they_are_called() -> None:
    text = """
static unsigned char twice(unsigned char x) { return (unsigned char)(x & 0x80 ? x << 1 ^ 0x1b : x << 1); }
static void clear(unsigned char *p) { unsigned char i = 4; while (i--) p[i] = 0; }
#pragma ACCEL kernel
void k(unsigned char b[16]) {
  for (int i = 0; i < 16; i++) {
#pragma ACCEL PARALLEL FACTOR=auto{P}
    for (int j = 0; j < 2; j++) b[i] = twice(b[i]);
    clear(&b[12]);
  }
}
"""
    kernel = body(text)
    assert "mux" in names(kernel)
    cleared = next(o for o in operations(loop(kernel, "i_2")) if o.name == "store")
    assert cleared.array == "b" and to_text(cleared.subscripts[0].offset) == "15"


def test_members_of_records_are_arrays_of_their_own() -> None:
    text = """
typedef struct { unsigned char key[32]; int n; } context;
#pragma ACCEL kernel
void k(context *c, unsigned char out[32]) {
#pragma ACCEL PARALLEL FACTOR=auto{P}
  for (int i = 0; i < 32; i++) out[i] = c->key[i];
}
"""
    assert {a.name: [to_text(d) for d in a.dims] for a in body(text).arrays}["c.key"][-1] == "32"


def test_whole_numbers_are_as_narrow_as_their_operands_make_them() -> None:
    kernel = merlin(
        "for (int i = 0; i < 64; i++) b[i] = (int)a[i] ^ (int)b[i];", "unsigned char a[64], unsigned char b[64]"
    )
    assert next(o for o in operations(kernel) if o.name == "fix_xor").element.bits == 8


def test_constants_are_folded_and_told_apart() -> None:
    kernel = merlin("float h = 1.0f / 4; for (int i = 0; i < 64; i++) a[i] = b[i] * h + b[i] * 0.5f;")
    assert [o.value for o in operations(kernel) if o.name == "constant"] == [0.25, 0.5]
    assert names(kernel).count("flt_mul") == 2


def test_what_only_a_condition_reads_is_kept() -> None:
    kernel = merlin("for (int i = 0; i < 64; i++) if (a[i] != 0) b[i] = 1;")
    (store,) = [o for o in operations(kernel) if o.name == "store"]
    (block,) = (i for i in loop(kernel, "i").items if isinstance(i, HlsBlock))
    assert store.condition is not None and block.operations[store.condition].name == "flt_ne"
    assert "load" in names(kernel)


def test_a_condition_of_loops_is_kept_while_they_run() -> None:
    text = "for (int i = 0; i < 8; i++) if (a[i] > 0) for (int j = 0; j < 8; j++) b[j] += a[i];"
    kernel = merlin(text)
    assert loop(kernel, "j").guarded
    assert "flt_lt" in names(kernel)


LISTED = GEMV.replace(
    "auto{PIPE_I}", 'auto{options: PIPE_I=["off", "", "flatten"]; order: 0 if v == "off" else 1; default: "off"}'
).replace("FACTOR=auto{PARA_J}", "FACTOR=auto{options:PARA_J=[1,2,5]; default:2}")


def test_a_pragma_may_list_the_values_of_its_knob_as_autodse_does() -> None:
    found = {p.name: p for p in parse(LISTED).parameters}
    assert (found["PIPE_I"].domain, found["PIPE_I"].default) == (("off", "plain", "flatten"), "off")
    assert (found["PARA_J"].domain, found["PARA_J"].default) == ((1, 2, 5), 2)


def test_a_knob_with_listed_values_is_written_as_another() -> None:
    kernel = parse(LISTED)
    values = {"PIPE_I": "plain", "TILE_I": 4, "PARA_I": 6, "PARA_J": 5}
    chosen = kernel.scheduled(tuple(Choice(name, value) for name, value in values.items()))  # type: ignore[arg-type]
    text = HlsFrontend().emit((chosen,))[0].text
    assert "#pragma ACCEL PIPELINE \n" in text and "reduction=sum FACTOR=5\n" in text and "auto" not in text


@pytest.mark.parametrize(
    "listed,message",
    [
        ("[x for x in [1, 2] if x * TILE_I <= 64]; default: 1", "expected a list of values"),
        ("[]; default: 1", "expected a list of values"),
        ("[1, 0]; default: 1", "expected a list of values"),
        ("[1, 2]; default: 3", "the default is none of the values"),
    ],
)
def test_a_list_that_is_none_is_told_at_its_place(listed: str, message: str) -> None:
    text = GEMV.replace("auto{PARA_J}", f"auto{{options: PARA_J={listed}}}")
    with pytest.raises(SourceError, match=message) as caught:
        parse(text)
    (problem,) = caught.value.diagnostics
    assert problem.span is not None and problem.span.line == 12


def test_a_cast_to_a_class_is_read() -> None:
    kernel = merlin("for (int i = 0; i < 64; i++) a[i] = ((class half *)b)[i] + (struct S *)0;")
    assert "store" in names(kernel)
